//! The rest pose of VRM animations: a T-pose that faces forward.

use mocap_formats::Finding;
use mocap_model::{Clip, Pose, Skeleton, angle_between, turn_about};
use mocap_retarget::estimate_rest_pose_with_source;

use crate::Problem;

/// A rest pose whose joints are all turned by less than this from the T-pose made from it is a T-pose itself, as
/// authors and characters have it \[rad\].
const SAME_POSTURE: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// The clip of a body with roles, with a T-pose as its rest pose that faces forward; its motion stays. A rest pose that
/// is a T-pose is only turned. Others give the T-pose that a retarget compares skeletons in, with a warning where it was
/// estimated from the motion. A clip without such a body stays as it is.
pub(crate) fn in_t_pose(clip: Clip, warnings: &mut Vec<Finding>) -> Clip {
    let facing = facing_forward(clip.skeleton());
    let turned = clip.clone().with_skeleton(facing.clone().into()).expect("it has as many joints as before");
    let Ok((pose, from_rest)) = estimate_rest_pose_with_source(&turned) else { return clip };
    if !from_rest {
        warnings.push(Finding::new(Problem::TPoseEstimated));
    } else if is_near(&facing, &pose) {
        return turned;
    }
    let mut at = 0;
    let posed = facing.with_joints(|joint| {
        joint.rest_rotation = pose.joints[at].rotation;
        at += 1;
    });
    let posed = posed.expect("the rotations of a pose are finite");
    turned.with_skeleton(posed.into()).expect("it has as many joints as before")
}

/// Whether the rest pose of a skeleton is nearly another pose.
fn is_near(skeleton: &Skeleton, pose: &Pose) -> bool {
    let (mut rest, mut other) = (Pose::default(), Pose::default());
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    pose.to_object(skeleton, &mut other);
    let mut turns =
        rest.joints.iter().zip(&other.joints).map(|(a, b)| angle_between(&a.rotation, &b.rotation));
    turns.all(|turn| turn < SAME_POSTURE)
}

/// The skeleton, turned about the vertical so that its rest pose faces forward.
fn facing_forward(skeleton: &Skeleton) -> Skeleton {
    let (up, forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
    let turn = turn_about(&up, &skeleton.rest_facing(), &forward);
    let turned = skeleton.with_joints(|joint| {
        if joint.parent.is_none() {
            joint.rest_rotation = turn * joint.rest_rotation;
        }
    });
    turned.expect("the rotations are finite")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{UnitQuaternion, Vector3, exp};

    fn wave() -> Clip {
        include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"))
    }

    /// The wave with the rest rotation of one joint changed.
    fn posed(name: &str, turn: UnitQuaternion<f64>) -> Clip {
        let clip = wave();
        let skeleton = clip.skeleton().with_joints(|joint| {
            if joint.name == name {
                joint.rest_rotation = turn;
            }
        });
        clip.with_skeleton(skeleton.unwrap().into()).unwrap()
    }

    fn rest(clip: &Clip) -> Pose {
        let mut rest = Pose::default();
        Pose::rest(clip.skeleton()).to_object(clip.skeleton(), &mut rest);
        rest
    }

    #[test]
    fn a_t_pose_is_kept_and_turned_forward() {
        let (upright, mut warnings) = (rest(&wave()), Vec::new());
        for degrees in [0.0f64, 30.0, 90.0, 180.0, -100.0] {
            let clip = posed("Hips", exp(&(Vector3::y() * degrees.to_radians())));
            let made = in_t_pose(clip.clone(), &mut warnings);
            assert_eq!(made.tracks(), clip.tracks(), "the motion stays");
            for (a, b) in rest(&made).joints.iter().zip(&upright.joints) {
                assert!(angle_between(&a.rotation, &b.rotation) < 1e-6, "{degrees}");
                assert!((a.translation.vector - b.translation.vector).norm() < 1e-6, "{degrees}");
            }
        }
        assert_eq!(warnings, []);
    }

    #[test]
    fn clips_without_a_body_stay() {
        let one = mocap_model::Joint::new("Head", None, Vector3::zeros());
        let skeleton = Skeleton::new("", mocap_model::Space::default(), vec![one]).unwrap();
        let clip = Clip::at_rest(skeleton.into(), mocap_model::FrameRate::new(30.0).unwrap());
        assert_eq!(in_t_pose(clip.clone(), &mut Vec::new()), clip);
    }
}
