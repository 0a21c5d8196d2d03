//! Inverse kinematics of legs for given foot placements.

use mocap_ik::{Goal, IkError, IkMethod, PosedChain, SolveOptions, Solver};
use mocap_model::{Clip, Isometry3, JointId, Pose, Role, UnitQuaternion, Vector3};
use nalgebra::Unit;

use crate::EditError;
use crate::body::Body;
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;

/// Weight of the mean knee axis, as a sine: knees bent by less follow it more than their own axis.
const STRAIGHT: f64 = 0.2;

/// A leg whose knee is bent by less than the angle with this sine defines no plane.
const NO_PLANE: f64 = 0.03;

/// The plane in which IK bends a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Plane {
    /// From the knee axis in this frame and the mean of all frames: for feet that move far.
    Usual,
    /// From the knee axis in this frame, unless the leg is straight: for feet that move a little.
    Own,
}

/// Solver options for the highest accuracy.
pub(crate) fn exact() -> SolveOptions {
    SolveOptions { position_tolerance: 1e-13, limits: false, ..SolveOptions::default() }
}

/// Moves ankles to targets in object space, by frame; without a target the leg keeps its pose. The second value is the
/// largest distance by which a leg was too short \[units\].
pub(crate) fn place_ankles(
    clip: &Clip,
    body: &Body,
    ankles: &[(JointId, Vec<Option<Isometry3<f64>>>)],
    plane: Plane,
    edit: &'static str,
) -> Result<(Clip, f64), EditError> {
    let failed = |error: IkError| EditError::Legs { edit, reason: error.to_string() };
    let mut samples = Samples::of(clip);
    let mut missing = 0.0f64;
    let mut pose = Pose { joints: Vec::new() };
    for (ankle, places) in ankles {
        let Some(base) = limb_base(body, *ankle) else { continue };
        let mut leg = PosedChain::limb(clip.skeleton(), base, *ankle).map_err(failed)?;
        let knee = knee_of(body, *ankle).and_then(|knee| leg.place(knee)).filter(|knee| *knee > 0);
        let axes = knee.map(|knee| knee_axes(clip, &mut leg, knee, plane)).transpose().map_err(failed)?;
        for (frame, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            clip.local_pose(frame, &mut pose);
            leg.read(clip.skeleton(), &pose).map_err(failed)?;
            if let (Some(knee), Some(axes)) = (knee, &axes) {
                leg.chain.set_bend(knee, Unit::try_new(axes[frame], 1e-9));
            }
            let goal = [Goal::at(place.translation.vector)];
            let outcome = IkMethod::TwoBone.solve(&mut leg.chain, &goal, &exact()).map_err(failed)?;
            missing = missing.max(outcome.position);
            leg.write(&mut pose).map_err(failed)?;
            orient(clip, &mut pose, *ankle, &place.rotation);
            for joint in leg.joints().iter().chain([ankle]) {
                samples.rotations[joint.index()][frame] = pose.joints[joint.index()].rotation;
            }
        }
    }
    Ok((samples.into_clip(edit)?, missing))
}

/// The knee above an ankle.
fn knee_of(body: &Body, ankle: JointId) -> Option<JointId> {
    let knees = [Role::LeftLowerLeg, Role::RightLowerLeg].map(|role| body.skeleton.with_role(role));
    knees.into_iter().flatten().find(|knee| body.skeleton.is_in_subtree(ankle, *knee))
}

/// The flexion axis of a knee, by frame, in the frame of the joint above; not of unit length. A
/// nearly straight leg does not define it, and an error would turn the leg sideways if the result
/// is bent more: so the mean axis of all frames is added with a small weight, as `plane` says.
fn knee_axes(
    clip: &Clip,
    leg: &mut PosedChain,
    knee: usize,
    plane: Plane,
) -> Result<Vec<Vector3<f64>>, IkError> {
    let mut pose = Pose { joints: Vec::new() };
    let mut axes = Vec::with_capacity(clip.frames());
    for frame in 0..clip.frames() {
        clip.local_pose(frame, &mut pose);
        leg.read(clip.skeleton(), &pose)?;
        let (at, chain) = (leg.chain.positions()[knee], &leg.chain);
        let (thigh, shank) = (chain.positions()[0] - at, chain.tip_position(0) - at);
        let size = (thigh.norm() * shank.norm()).max(f64::MIN_POSITIVE);
        axes.push(chain.frames()[knee - 1].inverse() * (shank.cross(&thigh) / size));
    }
    let mean: Vector3<f64> = axes.iter().sum();
    let usual = mean.try_normalize(1e-9).unwrap_or_default() * STRAIGHT;
    match plane {
        Plane::Usual => axes.iter_mut().for_each(|axis| *axis += usual),
        Plane::Own => {
            let straight = axes.iter_mut().filter(|axis| axis.norm() < NO_PLANE);
            straight.for_each(|axis| *axis += usual * (NO_PLANE / STRAIGHT));
        }
    }
    Ok(axes)
}

/// Rotates a joint to an orientation in object space.
pub(crate) fn orient(clip: &Clip, pose: &mut Pose, joint: JointId, orientation: &UnitQuaternion<f64>) {
    let now = object_place(clip, pose, joint).rotation;
    let local = &mut pose.joints[joint.index()].rotation;
    let parent: UnitQuaternion<f64> = now * local.inverse();
    *local = parent.inverse() * orientation;
}

/// The transform of a joint of a pose in object space.
pub(crate) fn object_place(clip: &Clip, pose: &Pose, joint: JointId) -> Isometry3<f64> {
    let mut place = pose.joints[joint.index()];
    let mut above = clip.skeleton().joint(joint).parent;
    while let Some(parent) = above {
        place = pose.joints[parent.index()] * place;
        above = clip.skeleton().joint(parent).parent;
    }
    place
}

/// The motion with the hips raised, by frame \[units\]; the feet move along.
pub(crate) fn hips_raised(
    clip: &Clip,
    body: &Body,
    rises: &[f64],
    edit: &'static str,
) -> Result<Clip, EditError> {
    let (mut samples, root_motion) = (Samples::of(clip), RootMotionJoint::hips(clip, body));
    for (frame, rise) in rises.iter().enumerate().filter(|(_, rise)| **rise != 0.0) {
        let mut place = root_motion.at(&samples, frame);
        place.translation.vector += body.up * *rise;
        root_motion.put(&mut samples, frame, &place);
    }
    samples.into_clip(edit)
}

/// The length of a limb from its base.
pub(crate) fn limb_length(
    clip: &Clip,
    base: JointId,
    end: JointId,
    edit: &'static str,
) -> Result<f64, EditError> {
    let failed = |error: IkError| EditError::Legs { edit, reason: error.to_string() };
    Ok(PosedChain::limb(clip.skeleton(), base, end).map_err(failed)?.chain.length(0))
}

/// The base of the limb that ends in this joint: the upper arm or leg, else two joints above.
pub(crate) fn limb_base(body: &Body, joint: JointId) -> Option<JointId> {
    let skeleton = &body.skeleton;
    let tops = [Role::LeftUpperArm, Role::RightUpperArm, Role::LeftUpperLeg, Role::RightUpperLeg];
    let limb = tops.into_iter().filter_map(|role| skeleton.with_role(role));
    let mut above = limb.filter(|top| *top != joint && skeleton.is_in_subtree(joint, *top));
    above.next().or_else(|| skeleton.joint(skeleton.joint(joint).parent?).parent)
}
