//! The map between two skeletons, joint by joint, for a person to check.

use crate::pair::{LimbRatios, Pair};
use crate::roles::{RoleMap, RoleReason};
use crate::transfer_rules::{TransferRule, transfer_rules};
use mocap_model::{JointId, Role, Skeleton};
use std::fmt;

/// The map between two skeletons.
#[derive(Clone, Debug, PartialEq)]
pub struct MapExplanation {
    /// The naming schemes of source and target, if recognised.
    pub schemes: [Option<&'static str>; 2],
    /// Ratios of limb lengths; `None` if the map cannot be used.
    pub ratios: Option<LimbRatios>,
    /// One row per role of either skeleton, in the order of [`Role::ALL`].
    pub rows: Vec<RolePair>,
    /// Names of the joints that are paired without a role, of the source and the target.
    pub joint_pairs: Vec<[String; 2]>,
    /// Joints of the source without a role.
    pub source_others: Vec<UnmappedJoint>,
    /// Joints of the target without a role.
    pub target_others: Vec<UnmappedJoint>,
}

/// A role and its joints in both skeletons.
#[derive(Clone, Debug, PartialEq)]
pub struct RolePair {
    /// The role.
    pub role: Role,
    /// The joint of the source.
    pub source: Option<FoundJoint>,
    /// The joint of the target.
    pub target: Option<FoundJoint>,
    /// Confidence in the pair, from 0 to 1: the lower score of both joints, reduced if the bones of the limb
    /// have other proportions. `None` if one joint is missing.
    pub score: Option<f64>,
    /// Whether rotations are distributed: trunk or neck have another number of joints in the other skeleton.
    pub distributed: bool,
}

/// A joint with a role.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundJoint {
    /// Its name.
    pub joint: String,
    /// Why it has the role.
    pub reason: RoleReason,
    /// Confidence, from 0 to 1.
    pub score: f64,
}

/// A joint without a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmappedJoint {
    /// Its name.
    pub joint: String,
    /// Its kind, by position and name.
    pub kind: JointKind,
    /// How its rotation is transferred; `None` if the map cannot be used.
    pub transfer: Option<ExplainedTransfer>,
}

/// The kind of a joint without a role, by position and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Between two joints of the trunk.
    Trunk,
    /// A twist joint along a limb.
    Twist,
    /// Below a hand.
    Hand,
    /// Below a foot.
    Foot,
    /// Below the head.
    Head,
    /// A control of a rig, such as an IK goal.
    Handle,
    /// Above the hips.
    Root,
    /// Something else.
    Extra,
}

impl MapExplanation {
    /// The number of roles that both skeletons have, and the number of roles that only one has.
    pub fn role_counts(&self) -> (usize, usize) {
        let both = self.rows.iter().filter(|row| row.score.is_some()).count();
        (both, self.rows.len() - both)
    }

    /// Adds joint pairs.
    #[must_use]
    pub fn with_joint_pairs(
        self,
        pairs: &[(JointId, JointId)],
        source: &Skeleton,
        target: &Skeleton,
    ) -> MapExplanation {
        MapExplanation { joint_pairs: names_of(pairs, source, target), ..self }
    }
}

impl fmt::Display for JointKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JointKind::Trunk => "trunk",
            JointKind::Twist => "twist",
            JointKind::Hand => "hand",
            JointKind::Foot => "foot",
            JointKind::Head => "head",
            JointKind::Handle => "handle",
            JointKind::Root => "root",
            JointKind::Extra => "extra",
        })
    }
}

/// How the rotation of a joint without a role is transferred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplainedTransfer {
    /// Target: it keeps its rest pose.
    KeepsRestPose,
    /// Target: it follows a joint of the source.
    Follows(String),
    /// Target: it blends two joints of the source.
    Blends([String; 2]),
    /// Source: it drives joints of the target.
    Drives,
    /// Source: its motion is not transferred by itself; joints below it include its rotation.
    LeftOut,
}

impl fmt::Display for ExplainedTransfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExplainedTransfer::KeepsRestPose => f.write_str("keeps its rest pose"),
            ExplainedTransfer::Follows(source) => write!(f, "follows '{source}'"),
            ExplainedTransfer::Blends([a, b]) => write!(f, "blends '{a}' and '{b}'"),
            ExplainedTransfer::Drives => f.write_str("drives joints of the target"),
            ExplainedTransfer::LeftOut => f.write_str("left out"),
        }
    }
}

/// The ratio of thigh to shank, or of upper arm to forearm, may differ by this factor without lowering the
/// score.
const DIVIDED: f64 = 1.6;
/// The score is multiplied by this if the ratio differs more.
const DIVIDED_OTHERWISE: f64 = 0.8;

/// How every joint of both skeletons is mapped. `joint_pairs` are pairs of joints without roles.
pub(crate) fn explain_pair(pair: &Pair, joint_pairs: &[(JointId, JointId)]) -> MapExplanation {
    let (source, target) = (&pair.source, &pair.target);
    let mut explanation =
        explain_roles(&source.skeleton, &source.body.roles, &target.skeleton, &target.body.roles);
    let rules = transfer_rules(
        (&source.skeleton, &source.body, &source.reference),
        (&target.skeleton, &target.body, &target.reference),
        &pair.namesakes,
        joint_pairs,
    );
    explanation.ratios = Some(pair.ratios);
    explanation.joint_pairs = names_of(joint_pairs, &source.skeleton, &target.skeleton);
    let source_name = |id: JointId| source.skeleton.joint(id).name.clone();
    let mut drives = vec![false; source.skeleton.len()];
    rules.iter().flat_map(TransferRule::sources).for_each(|id| drives[id.index()] = true);
    for joint in &mut explanation.source_others {
        let drives = source.skeleton.find(&joint.joint).is_some_and(|id| drives[id.index()]);
        joint.transfer = Some(if drives { ExplainedTransfer::Drives } else { ExplainedTransfer::LeftOut });
    }
    for joint in &mut explanation.target_others {
        let rule = target.skeleton.find(&joint.joint).map(|id| &rules[id.index()]);
        joint.transfer = Some(match rule {
            None | Some(TransferRule::Hold(_) | TransferRule::Unpaired(_)) => {
                ExplainedTransfer::KeepsRestPose
            }
            Some(TransferRule::Follow { source, .. } | TransferRule::FollowPair { source, .. }) => {
                ExplainedTransfer::Follows(source_name(*source))
            }
            Some(TransferRule::Blend { sources, .. }) => ExplainedTransfer::Blends(sources.map(source_name)),
        });
    }
    explanation
}

/// The map between two skeletons by their roles, also if it cannot be used for a retarget:
/// [`Retargeter::explain`](crate::Retargeter::explain) without ratios, joint pairs, and the transfer of joints
/// without roles.
pub fn explain_roles(
    source: &Skeleton,
    source_roles: &RoleMap,
    target: &Skeleton,
    target_roles: &RoleMap,
) -> MapExplanation {
    let found = |skeleton: &Skeleton, roles: &RoleMap, role: Role| {
        let row = roles.rows.iter().find(|row| row.role == role)?;
        Some(FoundJoint {
            joint: skeleton.joint(row.joint).name.clone(),
            reason: row.reason,
            score: row.score,
        })
    };
    let rows = Role::ALL.iter().map(|role| {
        let (source_joint, target_joint) =
            (found(source, source_roles, *role), found(target, target_roles, *role));
        let score = source_joint.as_ref().zip(target_joint.as_ref()).map(|(a, b)| {
            let divided = division(source, source_roles, *role).zip(division(target, target_roles, *role));
            let alike = divided.is_none_or(|(a, b)| (a / b).max(b / a) <= DIVIDED);
            a.score.min(b.score) * if alike { 1.0 } else { DIVIDED_OTHERWISE }
        });
        // Rotations of trunk and neck are distributed.
        let parts: &[Role] = match role {
            Role::Spine | Role::Chest | Role::UpperChest => &[Role::Spine, Role::Chest, Role::UpperChest],
            Role::Neck => &[Role::Neck],
            _ => &[],
        };
        let has = |roles: &RoleMap| parts.iter().any(|part| roles.joint(*part).is_some());
        let distributed = score.is_none() && has(source_roles) && has(target_roles);
        RolePair { role: *role, source: source_joint, target: target_joint, score, distributed }
    });
    MapExplanation {
        schemes: [source_roles.scheme, target_roles.scheme],
        ratios: None,
        rows: rows.filter(|row| row.source.is_some() || row.target.is_some()).collect(),
        joint_pairs: Vec::new(),
        source_others: others(source, source_roles),
        target_others: others(target, target_roles),
    }
}

/// The names of pairs of joints; pairs with a joint that does not exist are left out.
fn names_of(pairs: &[(JointId, JointId)], source: &Skeleton, target: &Skeleton) -> Vec<[String; 2]> {
    let name = |skeleton: &Skeleton, id: JointId| Some(skeleton.joints().get(id.index())?.name.clone());
    pairs.iter().filter_map(|(from, to)| Some([name(source, *from)?, name(target, *to)?])).collect()
}

/// Proportion of a limb: length of the bone above knee or elbow over the length of the bone below.
fn division(skeleton: &Skeleton, roles: &RoleMap, role: Role) -> Option<f64> {
    let [upper, lower] = match role {
        Role::LeftLowerLeg => [Role::LeftUpperLeg, Role::LeftFoot],
        Role::RightLowerLeg => [Role::RightUpperLeg, Role::RightFoot],
        Role::LeftLowerArm => [Role::LeftUpperArm, Role::LeftHand],
        Role::RightLowerArm => [Role::RightUpperArm, Role::RightHand],
        _ => return None,
    };
    let [upper, middle, lower] = [upper, role, lower].map(|role| roles.joint(role));
    let far = |from: JointId, to: JointId| -> Option<f64> {
        let path = skeleton.path(from, to)?;
        Some(path.iter().skip(1).map(|id| skeleton.joint(*id).offset.norm()).sum())
    };
    let ratio = far(upper?, middle?)? / far(middle?, lower?)?;
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

fn others(skeleton: &Skeleton, roles: &RoleMap) -> Vec<UnmappedJoint> {
    let joints = skeleton.iter().filter(|(id, joint)| !joint.end_site && roles.role(*id).is_none());
    let other = |(id, joint): (JointId, &mocap_model::Joint)| UnmappedJoint {
        joint: joint.name.clone(),
        kind: kind(skeleton, roles, id),
        transfer: None,
    };
    joints.map(other).collect()
}

fn kind(skeleton: &Skeleton, roles: &RoleMap, id: JointId) -> JointKind {
    let name = skeleton.joint(id).name.to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    if ["twist", "roll", "share"].iter().any(|word| name.contains(word)) {
        return JointKind::Twist;
    }
    if words.contains(&"ik") || ["weapon", "prop", "interaction", "camera"].iter().any(|w| name.contains(w)) {
        return JointKind::Handle;
    }
    let above = std::iter::successors(Some(id), |id| skeleton.joint(*id).parent).skip(1);
    let Some(role) = above.into_iter().find_map(|id| roles.role(id)) else {
        let hips = roles.joint(Role::Hips);
        let is_root = hips.is_some_and(|hips| skeleton.path(id, hips).is_some());
        return if is_root { JointKind::Root } else { JointKind::Extra };
    };
    let has_below = |roles: &RoleMap, wanted: &[Role]| {
        wanted.iter().filter_map(|role| roles.joint(*role)).any(|below| skeleton.path(id, below).is_some())
    };
    if has_below(
        roles,
        &[Role::Head, Role::Neck, Role::LeftUpperArm, Role::LeftUpperLeg, Role::RightUpperLeg],
    ) {
        return JointKind::Trunk;
    }
    match role.name() {
        "Head" => JointKind::Head,
        "LeftFoot" | "LeftToes" | "RightFoot" | "RightToes" => JointKind::Foot,
        name if name.ends_with("Hand") || name.ends_with(['1', '2', '3']) => JointKind::Hand,
        _ => JointKind::Extra,
    }
}
