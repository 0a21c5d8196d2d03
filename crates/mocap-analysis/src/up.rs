//! The up axis of a motion, found from the body.

use mocap_model::{Axis, Clip, Pose, Role, SignedAxis, Vector3};

/// Frames looked at, spread over the clip.
const FRAMES: usize = 200;
/// The mean direction must be this much along one axis (cosine of 45° would be a tie).
const CLEAR: f64 = 0.8;

/// The up axis of the body, where rest pose and motion agree on it. The motion by itself would turn somebody who
/// lies down.
pub fn upright(clip: &Clip) -> Option<SignedAxis> {
    let rest = up_axis(&clip.trimmed(0..0).ok()?);
    up_axis(clip).filter(|moving| Some(*moving) == rest)
}

/// The axis from the feet to the hips, averaged over the clip (over the rest pose where it has no frames).
///
/// `None` where hips or feet have no roles or the mean direction lies near no axis: a body that mostly lies.
fn up_axis(clip: &Clip) -> Option<SignedAxis> {
    let skeleton = clip.skeleton();
    let hips = skeleton.with_role(Role::Hips)?;
    let feet = [skeleton.with_role(Role::LeftFoot)?, skeleton.with_role(Role::RightFoot)?];
    let place = |pose: &Pose| {
        let at = |joint: mocap_model::JointId| pose.joints[joint.index()].translation.vector;
        at(hips) - (at(feet[0]) + at(feet[1])) / 2.0
    };
    let (mut local, mut object) = (Pose::rest(skeleton), Pose::default());
    let mut sum = Vector3::zeros();
    if clip.frames() == 0 {
        local.to_object(skeleton, &mut object);
        sum = place(&object);
    }
    for i in 0..FRAMES.min(clip.frames()) {
        clip.local_pose(i * clip.frames() / FRAMES.min(clip.frames()), &mut local);
        local.to_object(skeleton, &mut object);
        sum += place(&object);
    }
    let direction = sum.try_normalize(0.0)?;
    let most = direction.iamax();
    let axis = SignedAxis { axis: Axis::ALL[most], negative: direction[most] < 0.0 };
    (direction[most].abs() >= CLEAR).then_some(axis)
}
