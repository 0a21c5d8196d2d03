//! Rest rotations, which BVH cannot hold: a motion is written with joints that have the axes of the space at rest.

use mocap_model::{Clip, Dofs, Joint, JointTracks, Pose, Skeleton, UnitQuaternion};
use nalgebra::Matrix3;
use std::sync::Arc;

/// Angles at rest below this are none \[rad\].
const UNTURNED: f64 = 1e-9;

/// Whether all joints below turned roots have the axes of their root at rest, as in SMPL: then a file can show the
/// skeleton as it stands at rest, which its root's rest rotation does and BVH cannot hold.
pub(super) fn only_roots_are_turned(skeleton: &Skeleton) -> bool {
    let turned = |joint: &Joint| joint.rest_rotation.angle() > UNTURNED;
    let (roots, others): (Vec<&Joint>, Vec<&Joint>) =
        skeleton.joints().iter().partition(|joint| joint.parent.is_none());
    // The axes of a joint without bones, such as a camera's, are its own.
    !others.is_empty() && roots.into_iter().any(turned) && !others.into_iter().any(turned)
}

/// The matrix of a rotation, whose entries are whole where only rounding keeps them from it: offsets that are turned by
/// right angles keep their digits.
fn matrix(rotation: &UnitQuaternion<f64>) -> Matrix3<f64> {
    let whole = |entry: f64| if (entry - entry.round()).abs() < 1e-14 { entry.round() } else { entry };
    rotation.to_rotation_matrix().matrix().map(whole)
}

/// A motion whose joints have the axes of the space at rest, as BVH has it: a file with all angles 0 shows the skeleton
/// at rest, and joints of robots about axes of the space have one angle.
pub(super) fn without_rest_rotations(clip: &Clip) -> Clip {
    let skeleton = clip.skeleton();
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    let at_rest: Vec<UnitQuaternion<f64>> = object.joints.iter().map(|joint| joint.rotation).collect();
    let above =
        |joint: &Joint| joint.parent.map_or_else(UnitQuaternion::identity, |parent| at_rest[parent.index()]);
    let straight = skeleton.with_joints(|joint| {
        joint.offset = matrix(&above(joint)) * joint.offset;
        joint.rest_rotation = UnitQuaternion::identity();
        joint.dofs = Dofs::ball(joint.dofs.order);
    });
    let tracks = skeleton.iter().map(|(id, joint)| {
        let (before, own) = (above(joint), at_rest[id.index()].inverse());
        let track = clip.track(id);
        JointTracks {
            rotation: track.rotation.map(|rotation| before * rotation * own),
            translation: track.translation.as_ref().map(|track| track.map(|place| before * place)),
            scale: track.scale.clone(),
        }
    });
    let made = straight
        .and_then(|skeleton| Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks.collect()));
    made.expect("turned offsets are as finite as before")
}
