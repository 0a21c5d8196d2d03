//! Two skeletons, prepared before the first frame: roles, reference poses, limbs, ratios and limits.
//!
//! Immutable; every stage reads the parts that it needs.

use crate::body::{Body, LIMBS, Limb, LimbKind};
use crate::error::{RetargetError, RetargetWarning, SourceOrTarget};
use crate::limb_map::LimbMap;
use crate::pose_estimation::MotionSample;
use crate::reference_pose::{Directions, ReferencePose};
use crate::roles::map_roles;
use crate::transfer_rules::{JointPair, TransferRule, namesakes, transfer_rules};
use crate::{RetargetOptions, RoleMap};
use mocap_analysis::{FootMotion, feet_of, metres_per_unit};
use mocap_ik::Constraint;
use mocap_model::{
    Clip, FrameRate, Joint, JointId, JointTracks, Pose, Role, Skeleton, Space, Track, Vector3,
};
use std::sync::Arc;

/// A skeleton and a motion for it, or a skeleton that receives one.
#[derive(Clone, Debug)]
pub(crate) struct Character {
    /// In the axes of the target, with the roles of `body`.
    pub skeleton: Arc<Skeleton>,
    pub body: Body,
    /// The local pose that the reference pose was made from.
    pub base: Pose,
    pub reference: ReferencePose,
    /// Metres per unit.
    pub metres: f64,
}

/// Source, target, and what relates them.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub source: Character,
    pub target: Character,
    /// Directions of the space that both share.
    pub directions: Directions,
    pub ratios: LimbRatios,
    /// The limbs that both have.
    pub limbs: Vec<LimbMap>,
    pub limits: TargetLimits,
    /// By limb: whether its joints have no limits, and rotate relative to their parents exactly as the source's
    /// do.
    pub follows: Vec<bool>,
    /// Joints without a role that both skeletons have, by name.
    pub namesakes: Vec<JointPair>,
    /// Joints of the source whose positions are read.
    pub placed: Vec<JointId>,
    /// Joints of the source whose orientations are read.
    pub turned: Vec<JointId>,
}

/// The joint limits of the target.
#[derive(Clone, Debug)]
pub(crate) struct TargetLimits {
    /// By joint.
    pub constraints: Vec<Constraint>,
    /// Whether the limits are applied; they are measured in any case.
    pub kept: bool,
}

/// Lengths of the target's limbs over lengths of the source's limbs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbRatios {
    /// Legs: hip, knee, ankle; both sides together, since both stand on one floor [units of the target / unit of the
    /// source].
    pub leg: f64,
    /// Arms: shoulder, elbow, wrist, both sides together; `None` if one of the skeletons has no arms.
    pub arm: Option<f64>,
    /// The ratio of units: units of the target per unit of the source for the same length.
    pub unit: f64,
}

impl LimbRatios {
    /// The ratios for lengths in one unit: `unit` is 1, the others are divided by it.
    pub fn in_one_unit(self) -> LimbRatios {
        LimbRatios { leg: self.leg / self.unit, arm: self.arm.map(|arm| arm / self.unit), unit: 1.0 }
    }
}

/// `legs 1.188, arms 1.074`, for lengths in one unit.
impl std::fmt::Display for LimbRatios {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ratios = self.in_one_unit();
        write!(f, "legs {:.3}", ratios.leg)?;
        ratios.arm.map_or(Ok(()), |arm| write!(f, ", arms {arm:.3}"))
    }
}

impl Pair {
    /// Maps the joints of two skeletons and makes a reference pose for each.
    pub(crate) fn new(
        source: &Skeleton,
        target: &Skeleton,
        options: &RetargetOptions,
    ) -> Result<Pair, RetargetError> {
        use SourceOrTarget::{Source, Target};
        let axes = Space { unit: source.space().unit, ..*target.space() };
        let target_base = base_pose(target, &options.target_rest, None, Target)?;
        // Equal bodies get the same reference pose, also if one of them was estimated.
        let one_body = options.source_rest.is_none() && same_bones(source, target);
        let source_base = match one_body {
            true => target_base.clone(),
            false => base_pose(source, &options.source_rest, Some(axes), Source)?,
        };
        let source = source.in_space(axes)?;
        let roles = |skeleton: &Skeleton, given: &Option<RoleMap>| {
            given.clone().unwrap_or_else(|| map_roles(skeleton))
        };
        let source_body = Body::new(&source, roles(&source, &options.source_roles), Source)?;
        let target_body = Body::new(target, roles(target, &options.target_roles), Target)?;
        let limits = TargetLimits {
            constraints: target.joints().iter().map(Constraint::of).collect(),
            // A skeleton's own motion is not limited.
            kept: options.limits && source.joints() != target.joints(),
        };
        let directions = Directions::of(target);
        let source = Character::new(&source, source_body, source_base, Source)?;
        let target = Character::new(target, target_body, target_base, Target)?;
        let ratios = LimbRatios::of(&source, &target);
        if !(ratios.leg.is_finite() && ratios.leg > 0.0) {
            return Err(RetargetError::Extreme { which: Target });
        }
        let limbs = limb_maps(&source, &target)?;
        let [from, to] = [&source, &target].map(|character| (&*character.skeleton, &character.body));
        let namesakes = namesakes(from, to);
        // Which joints drive the target does not depend on how the clip refines their reference pose.
        let [from, to] =
            [&source, &target].map(|character| (&*character.skeleton, &character.body, &character.reference));
        let rules = transfer_rules(from, to, &namesakes, &options.joint_pairs);
        let driving: Vec<JointId> = rules.iter().flat_map(TransferRule::sources).copied().collect();
        let [placed, turned] = read_joints(&source, driving);
        let follows = limbs.iter().map(|limb| follows(limb, &source, &target, &rules, &limits)).collect();
        Ok(Pair { source, target, directions, ratios, limbs, limits, follows, namesakes, placed, turned })
    }

    /// Whether both are one body, so that motions come out unchanged.
    pub(crate) fn is_one_body(&self) -> bool {
        self.source.reference == self.target.reference
    }

    /// Warnings that hold for any clip: what is left out or assumed.
    pub(crate) fn warnings(&self) -> Vec<RetargetWarning> {
        use SourceOrTarget::{Source, Target};
        let one_sided = |a: &RoleMap, b: &RoleMap| -> Vec<Role> {
            let rows = a.rows.iter().map(|row| row.role).filter(|role| b.joint(*role).is_none());
            // Rotations of spine and neck are distributed over the joints that exist.
            rows.filter(|role| !matches!(role, Role::Spine | Role::Chest | Role::UpperChest | Role::Neck))
                .collect()
        };
        let [source, target] = [&self.source, &self.target].map(|character| &character.body);
        let mut warnings = Vec::new();
        for (which, body) in [(Source, source), (Target, target)] {
            warnings.extend(body.lone_arm.map(|side| RetargetWarning::OneArm { which, side }));
        }
        for (which, roles) in [
            (Target, one_sided(&source.roles, &target.roles)),
            (Source, one_sided(&target.roles, &source.roles)),
        ] {
            if !roles.is_empty() {
                warnings.push(RetargetWarning::LeftOut { which, roles });
            }
        }
        for (which, character) in [(Source, &self.source), (Target, &self.target)] {
            if character.reference.estimated {
                warnings.push(RetargetWarning::ReferencePoseEstimated { which });
            }
        }
        warnings
    }
}

impl Character {
    fn new(
        skeleton: &Skeleton,
        body: Body,
        base: Pose,
        which: SourceOrTarget,
    ) -> Result<Character, RetargetError> {
        let reference = ReferencePose::new(skeleton, &body, &base, which)?;
        let skeleton = Arc::new(body.roles.apply(skeleton));
        let metres = metres_per_unit(&skeleton);
        Ok(Character { skeleton, body, base, reference, metres })
    }
}

impl LimbRatios {
    fn of(source: &Character, target: &Character) -> LimbRatios {
        let length = |character: &Character, kind: LimbKind| -> f64 {
            let limbs = character.body.limbs.iter().flatten().filter(|limb| limb.kind == kind);
            limbs.map(|limb| character.reference.limb_length(limb)).sum()
        };
        let ratio = |kind| length(target, kind) / length(source, kind);
        let arms = source.body.limbs[2].is_some() && target.body.limbs[2].is_some();
        LimbRatios {
            leg: ratio(LimbKind::Leg),
            arm: arms.then(|| ratio(LimbKind::Arm)).filter(|ratio| ratio.is_finite()),
            unit: source.metres / target.metres,
        }
    }
}

fn limb_maps(source: &Character, target: &Character) -> Result<Vec<LimbMap>, RetargetError> {
    let mut limbs = Vec::new();
    for slot in 0..LIMBS.len() {
        if let (Some(from), Some(to)) = (&source.body.limbs[slot], &target.body.limbs[slot]) {
            let ratio = target.reference.limb_length(to) / source.reference.limb_length(from);
            limbs.push(LimbMap::new(slot, from, &target.skeleton, to, ratio)?);
        }
    }
    Ok(limbs)
}

/// Joints of the source whose positions, and those whose orientations, are read. `driving` rotate joints of the
/// target.
fn read_joints(source: &Character, driving: Vec<JointId>) -> [Vec<JointId>; 2] {
    let Body { hips, head, .. } = source.body;
    let limbs = MotionSample::joints(&source.body);
    let read: Vec<JointId> = limbs.chain([hips, source.body.top()]).chain(head).collect();
    let feet = FootMotion::joints(&source.skeleton, &feet_of(&source.skeleton));
    [[feet, read.clone()].concat(), [driving, read].concat()]
}

/// Whether each joint of a limb has no limits and follows its partner, and the joint above it follows the
/// partner's parent. Then it rotates by the same angle from frame to frame as its partner.
fn follows(
    limb: &LimbMap,
    source: &Character,
    target: &Character,
    rules: &[TransferRule],
    limits: &TargetLimits,
) -> bool {
    let partner = |joint: JointId| match rules[joint.index()] {
        TransferRule::Follow { source, .. } if limits.constraints[joint.index()].is_free() => Some(source),
        _ => None,
    };
    let Limb { base, middle, tip, .. } = limb.target;
    let below = |joint: JointId, above: Option<JointId>| {
        let (partner, above_partner) = (partner(joint), above.and_then(partner));
        let direct = target.skeleton.joint(joint).parent == above;
        direct
            && above_partner.is_some()
            && partner.and_then(|id| source.skeleton.joint(id).parent) == above_partner
    };
    let partners = [base, middle, tip].map(partner);
    let own = [limb.source.base, limb.source.middle, limb.source.tip].map(Some);
    let above = target.skeleton.joint(base).parent;
    partners == own && below(base, above) && below(middle, Some(base)) && below(tip, Some(middle))
}

/// The local pose that the reference pose is made from, converted to other axes if these are given.
pub(crate) fn base_pose(
    skeleton: &Skeleton,
    given: &Option<Pose>,
    axes: Option<Space>,
    which: SourceOrTarget,
) -> Result<Pose, RetargetError> {
    let pose = given.clone().unwrap_or_else(|| Pose::rest(skeleton));
    let (found, expected) = (pose.joints.len(), skeleton.len());
    if found != expected {
        return Err(RetargetError::PoseLength { which, found, expected });
    }
    let Some(axes) = axes else {
        let finite = pose.joints.iter().all(|joint| {
            joint.rotation.coords.iter().chain(joint.translation.vector.iter()).all(|value| value.is_finite())
        });
        return if finite { Ok(pose) } else { Err(RetargetError::PoseNotFinite { which }) };
    };
    let tracks = pose.joints.iter().map(|joint| JointTracks {
        rotation: Track::Constant(joint.rotation),
        translation: Some(Track::Constant(joint.translation.vector)),
        scale: None,
    });
    let rate = FrameRate::new(1.0).expect("1 is a rate");
    let clip = Clip::new(Arc::new(skeleton.clone()), rate, 1, tracks.collect())
        .map_err(|_| RetargetError::PoseNotFinite { which })?;
    let mut turned = Pose::default();
    clip.in_space(axes)?.local_pose(0, &mut turned);
    Ok(turned)
}

/// Whether two skeletons have the same bones in the same axes.
fn same_bones(source: &Skeleton, target: &Skeleton) -> bool {
    let axes = |skeleton: &Skeleton| (skeleton.space().up, skeleton.space().forward);
    let same = |a: &Joint, b: &Joint| {
        let far = (a.offset - b.offset).norm() > 1e-9 * (a.offset.norm() + b.offset.norm());
        a.name == b.name && a.parent == b.parent && !far
    };
    source.len() == target.len()
        && axes(source) == axes(target)
        && source.joints().iter().zip(target.joints()).all(|(a, b)| same(a, b))
}

/// The middle between the two hip joints.
pub(crate) fn mid_hip(body: &Body, position: impl Fn(JointId) -> Vector3<f64>) -> Vector3<f64> {
    let [left, right] = body.legs();
    (position(left.base) + position(right.base)) / 2.0
}
