//! What a retargeter makes of two skeletons, joint by joint, for a person to check.

use crate::retargeter::Retargeter;
use crate::roles::{Reason, RoleMap};
use crate::transfer::Rule;
use mocap_model::{JointId, Role, Skeleton};
use std::fmt;

/// The map between two skeletons.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The naming schemes of source and target, where names were recognised.
    pub schemes: [Option<&'static str>; 2],
    /// One row a role that one of them has, in the order of [`Role::ALL`].
    pub rows: Vec<PairRow>,
    /// Joints of the source without a role, and what becomes of their motion.
    pub source_others: Vec<OtherJoint>,
    /// Joints of the target without a role, and how they move.
    pub target_others: Vec<OtherJoint>,
}

/// A role and its joints in both skeletons.
#[derive(Clone, Debug, PartialEq)]
pub struct PairRow {
    /// The role.
    pub role: Role,
    /// The joint of the source.
    pub source: Option<FoundJoint>,
    /// The joint of the target.
    pub target: Option<FoundJoint>,
    /// How certain the pair is, from 0 to 1: as the less certain of both, less where limbs are divided another
    /// way. `None` where one of them is missing.
    pub score: Option<f64>,
    /// Whether it is of a trunk or neck that has other numbers of joints in both: its turns are spread.
    pub spread: bool,
}

/// A joint that was found for a role.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundJoint {
    /// Its name.
    pub joint: String,
    /// Why it has the role.
    pub reason: Reason,
    /// How certain that is, from 0 to 1.
    pub score: f64,
}

/// A joint without a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherJoint {
    /// Its name.
    pub joint: String,
    /// What it seems to be.
    pub kind: JointKind,
    /// What becomes of it; nothing where the map cannot be used.
    pub becomes: Option<Becomes>,
}

/// What a joint without a role seems to be, by its place and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Between two joints of the trunk.
    Trunk,
    /// It shares the turn along a limb.
    Twist,
    /// Below a hand.
    Hand,
    /// Below a foot.
    Foot,
    /// Below the head.
    Head,
    /// A handle of a rig, such as the goals of its own IK.
    Handle,
    /// Above the hips.
    Root,
    /// Something else.
    Extra,
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

/// What becomes of a joint without a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// Of the target: it keeps its rest pose.
    Rests,
    /// Of the target: it turns like a joint of the source.
    Follows(String),
    /// Of the target: it turns between two joints of the source.
    Between([String; 2]),
    /// Of the source: joints of the target turn by it.
    Leads,
    /// Of the source: its own motion is left out, what it turns is seen in the joints below it.
    LeftOut,
}

impl fmt::Display for Becomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Becomes::Rests => f.write_str("keeps its rest pose"),
            Becomes::Follows(source) => write!(f, "turns like '{source}'"),
            Becomes::Between([a, b]) => write!(f, "turns between '{a}' and '{b}'"),
            Becomes::Leads => f.write_str("leads joints of the target"),
            Becomes::LeftOut => f.write_str("left out"),
        }
    }
}

/// Thigh over shank, or upper over lower arm, may differ so many times before a pair is less certain.
const DIVIDED: f64 = 1.6;
/// What is left of the score then.
const DIVIDED_OTHERWISE: f64 = 0.8;

impl Retargeter {
    /// What becomes of every joint of both skeletons.
    pub fn explain(&self) -> Explanation {
        let roles = [self.source_roles(), self.target_roles()];
        let mut explanation = explain_roles(&self.source, roles[0], &self.target, roles[1]);
        let source_name = |id: JointId| self.source.joint(id).name.clone();
        let mut leads = vec![false; self.source.len()];
        for rule in &self.rules {
            match rule {
                Rule::Rest(_) => {}
                Rule::Follow { source, .. } => leads[source.index()] = true,
                Rule::Between { sources, .. } => sources.iter().for_each(|id| leads[id.index()] = true),
            }
        }
        for other in &mut explanation.source_others {
            let leads = self.source.find(&other.joint).is_some_and(|id| leads[id.index()]);
            other.becomes = Some(if leads { Becomes::Leads } else { Becomes::LeftOut });
        }
        for other in &mut explanation.target_others {
            let rule = self.target.find(&other.joint).map(|id| &self.rules[id.index()]);
            other.becomes = Some(match rule {
                None | Some(Rule::Rest(_)) => Becomes::Rests,
                Some(Rule::Follow { source, .. }) => Becomes::Follows(source_name(*source)),
                Some(Rule::Between { sources, .. }) => Becomes::Between(sources.map(source_name)),
            });
        }
        explanation
    }
}

/// The map between two skeletons by their roles alone, usable or not: what [`Retargeter::explain`] says, but for
/// what becomes of joints without roles.
pub fn explain_roles(
    source: &Skeleton,
    source_roles: &RoleMap,
    target: &Skeleton,
    target_roles: &RoleMap,
) -> Explanation {
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
        // Trunks and necks need not have the same joints.
        let parts: &[Role] = match role {
            Role::Spine | Role::Chest | Role::UpperChest => &[Role::Spine, Role::Chest, Role::UpperChest],
            Role::Neck => &[Role::Neck],
            _ => &[],
        };
        let has = |roles: &RoleMap| parts.iter().any(|part| roles.joint(*part).is_some());
        let spread = score.is_none() && has(source_roles) && has(target_roles);
        PairRow { role: *role, source: source_joint, target: target_joint, score, spread }
    });
    Explanation {
        schemes: [source_roles.scheme, target_roles.scheme],
        rows: rows.filter(|row| row.source.is_some() || row.target.is_some()).collect(),
        source_others: others(source, source_roles),
        target_others: others(target, target_roles),
    }
}

/// How the limb of a knee or an elbow is divided: the bone above it over the one below.
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

fn others(skeleton: &Skeleton, roles: &RoleMap) -> Vec<OtherJoint> {
    let joints = skeleton.iter().filter(|(id, joint)| !joint.end_site && roles.role(*id).is_none());
    let other = |(id, joint): (JointId, &mocap_model::Joint)| OtherJoint {
        joint: joint.name.clone(),
        kind: kind(skeleton, roles, id),
        becomes: None,
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
