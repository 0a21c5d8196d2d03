//! Normalized bones, as players of VRM animations see a body: at rest no joint is rotated, and only bones move bones.
//!
//! A player knows bones, not the joints between or above them, and takes rotations relative to the rest pose. Joints
//! that carry a bone but are none therefore stay at rest, and the bones below take over their motion. With no rotations
//! at rest, programs that ignore those of the file play it right as well.
//!
//! Based on: VRM Consortium, "About pose data compatibility" (VRM Animation 1.0).

use mocap_model::{
    Clip, Isometry3, Joint, JointTracks, ModelError, Pose, Role, Skeleton, Track, UnitQuaternion, Vector3,
};

/// Directions of bones at rest may differ from those of a T-pose by this (cosine of 30°).
const NEAR: f64 = 0.866;
/// The lowest joint of a body that stands on the floor at rest is this near to it \[heights of the hips above it\].
const STANDS: f64 = 0.2;

/// A bone that a T-pose has elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NotTPose {
    /// Its joint.
    pub(super) joint: String,
    /// The direction in which a T-pose has it.
    pub(super) expected: &'static str,
    /// By how much it differs \[°\].
    pub(super) degrees: f64,
}

/// The transforms of the rest pose in object space.
fn rest_of(skeleton: &Skeleton) -> Vec<Isometry3<f64>> {
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    rest.joints
}

/// The limb bone furthest from where a T-pose that faces along Z (up: Y) has it, if it is too far.
pub(super) fn not_t_pose(skeleton: &Skeleton) -> Option<NotTPose> {
    use Role::{
        LeftFoot, LeftHand, LeftLowerArm, LeftLowerLeg, LeftUpperArm, LeftUpperLeg, RightFoot, RightHand,
        RightLowerArm, RightLowerLeg, RightUpperArm, RightUpperLeg,
    };
    let rest = rest_of(skeleton);
    let (left, right, down) = (Vector3::x(), -Vector3::x(), -Vector3::y());
    let limbs = [
        ([LeftUpperArm, LeftLowerArm, LeftHand], left, "+X"),
        ([RightUpperArm, RightLowerArm, RightHand], right, "-X"),
        ([LeftUpperLeg, LeftLowerLeg, LeftFoot], down, "-Y"),
        ([RightUpperLeg, RightLowerLeg, RightFoot], down, "-Y"),
    ];
    let mut worst: Option<(f64, NotTPose)> = None;
    for (roles, wished, expected) in limbs {
        for (from, to) in [(roles[0], roles[1]), (roles[1], roles[2])] {
            let (Some(from), Some(to)) = (skeleton.with_role(from), skeleton.with_role(to)) else { continue };
            let bone = rest[to.index()].translation.vector - rest[from.index()].translation.vector;
            let Some(bone) = bone.try_normalize(0.0) else { continue };
            let cosine = bone.dot(&wished);
            if cosine < NEAR && worst.as_ref().is_none_or(|(most, _)| cosine < *most) {
                let degrees = cosine.clamp(-1.0, 1.0).acos().to_degrees();
                let joint = skeleton.joint(from).name.clone();
                worst = Some((cosine, NotTPose { joint, expected, degrees }));
            }
        }
    }
    worst.map(|(_, bone)| bone)
}

/// How far hips that do not stand above the floor at rest, as in most BVH files, are lifted so that the lowest joint is
/// on it: players scale the way of the hips by their height at rest, which must be that of a body that stands.
fn lift(skeleton: &Skeleton, rest: &[Isometry3<f64>]) -> Vector3<f64> {
    let Some(hips) = skeleton.with_role(Role::Hips) else { return Vector3::zeros() };
    let height = |placed: &Isometry3<f64>| placed.translation.vector.y;
    let at = height(&rest[hips.index()]);
    let own = skeleton.subtree(hips);
    let lowest = own.iter().map(|joint| height(&rest[joint.index()])).fold(at, f64::min);
    match at > lowest && lowest.abs() > STANDS * (at - lowest) {
        true => -Vector3::y() * lowest,
        false => Vector3::zeros(),
    }
}

/// The clip with normalized bones. It is in metres, Y up, and its rest pose faces along Z.
pub(super) fn normalized(clip: &Clip) -> Result<Clip, ModelError> {
    let skeleton = clip.skeleton();
    let (joints, count) = (skeleton.joints(), skeleton.len());
    let rest = rest_of(skeleton);
    let is_bone = |at: usize| joints[at].role.is_some();
    // Whether a joint is none of the bones but carries one. Parents stand before their children.
    let mut carries = vec![false; count];
    for at in (0..count).rev() {
        let Some(parent) = joints[at].parent else { continue };
        carries[parent.index()] |= is_bone(at) || carries[at];
    }
    let held: Vec<bool> = (0..count).map(|at| carries[at] && !is_bone(at)).collect();
    let hips = skeleton.with_role(Role::Hips).map(|hips| hips.index());
    let lift = lift(skeleton, &rest);
    let parent_at = |at: usize| joints[at].parent.map(|parent| parent.index());
    let offset = |at: usize| {
        let place = rest[at].translation.vector;
        let above = parent_at(at).map_or(Vector3::zeros(), |parent| rest[parent].translation.vector);
        place - above + if hips == Some(at) { lift } else { Vector3::zeros() }
    };
    let offsets: Vec<Vector3<f64>> = (0..count).map(offset).collect();

    let frames = clip.frames();
    let mut turns = vec![Vec::with_capacity(frames); count];
    let mut places = vec![Vec::with_capacity(frames); count];
    // Joints with a translation track: hips, and moving joints that are not humanoid bones.
    let moves = |at: usize| {
        hips == Some(at) || (!is_bone(at) && !held[at] && clip.tracks()[at].translation.is_some())
    };
    let (mut local, mut object) = (Pose::default(), Pose::default());
    let mut placed = vec![Isometry3::identity(); count];
    for frame in 0..frames {
        clip.local_pose(frame, &mut local);
        local.to_object(skeleton, &mut object);
        for at in 0..count {
            let above = parent_at(at).map_or(Isometry3::identity(), |parent| placed[parent]);
            let rotation = match held[at] {
                true => above.rotation,
                false => object.joints[at].rotation * rest[at].rotation.inverse(),
            };
            let place = if hips == Some(at) {
                above.rotation.inverse() * (object.joints[at].translation.vector - above.translation.vector)
            } else if moves(at) {
                let frame_above =
                    parent_at(at).map_or(UnitQuaternion::identity(), |parent| rest[parent].rotation);
                frame_above * local.joints[at].translation.vector
            } else {
                offsets[at]
            };
            placed[at] = above * Isometry3::from_parts(place.into(), above.rotation.inverse() * rotation);
            turns[at].push(above.rotation.inverse() * rotation);
            if moves(at) {
                places[at].push(place);
            }
        }
    }
    let tracks = turns.into_iter().zip(places).enumerate().map(|(at, (turns, places))| {
        let rotation = Track::from_samples(turns).unwrap_or(Track::Constant(UnitQuaternion::identity()));
        JointTracks::new(rotation, if moves(at) { Track::from_samples(places) } else { None })
    });
    let tracks: Vec<JointTracks> = tracks.collect();
    let mut at = 0;
    let standing = skeleton.with_joints(|joint: &mut Joint| {
        joint.rest_rotation = UnitQuaternion::identity();
        joint.offset = offsets[at];
        at += 1;
    })?;
    Clip::new(standing.into(), clip.rate(), frames, tracks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{FrameRate, JointId, Space, exp};

    /// A root without a role, hips, a joint without a role, an upper arm and its lower arm: posed with rest rotations,
    /// and every joint moves.
    fn clip(roles: bool) -> Clip {
        let roles = |role| if roles { role } else { None };
        let joint = |name: &str, parent: Option<u32>, offset: [f64; 3], turn: [f64; 3], role| Joint {
            rest_rotation: exp(&Vector3::from(turn)),
            role: roles(role),
            ..Joint::new(name, parent.map(JointId), Vector3::from(offset))
        };
        let joints = vec![
            joint("root", None, [0.0; 3], [0.0, 0.6, 0.0], None),
            joint("hips", Some(0), [0.0, 1.0, 0.0], [0.2, 0.0, 0.4], Some(Role::Hips)),
            joint("belt", Some(1), [0.0, 0.3, 0.0], [0.0, 0.5, 0.1], None),
            joint("arm", Some(2), [0.2, 0.1, 0.0], [0.3, 0.3, 0.0], Some(Role::LeftUpperArm)),
            joint("sleeve", Some(3), [0.1, 0.0, 0.1], [0.0, 0.0, 0.7], None),
        ];
        let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
        let turn = |at: usize| {
            let at = at as f64;
            let turns = (0..6).map(|frame| exp(&(Vector3::new(0.3, 0.1 * at, 0.2) * f64::from(frame))));
            JointTracks::new(Track::Sampled(turns.collect()), None)
        };
        let mut tracks: Vec<JointTracks> = (0..5).map(turn).collect();
        let walk = (0..6).map(|frame| Vector3::new(0.1, 0.0, 0.2) * f64::from(frame)).collect();
        tracks[0].translation = Some(Track::Sampled(walk));
        Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), 6, tracks).unwrap()
    }

    fn object(clip: &Clip, frame: usize) -> Pose {
        let (mut local, mut object) = (Pose::default(), Pose::default());
        clip.local_pose(frame, &mut local);
        local.to_object(clip.skeleton(), &mut object);
        object
    }

    #[test]
    fn bones_turn_as_before_and_take_over_the_motion_of_joints_that_are_none() {
        let before = clip(true);
        let after = normalized(&before).unwrap();
        let rest = rest_of(before.skeleton());
        for joint in after.skeleton().joints() {
            assert_eq!(joint.rest_rotation, UnitQuaternion::identity(), "{}", joint.name);
        }
        for frame in 0..6 {
            let (was, is) = (object(&before, frame), object(&after, frame));
            for at in [1, 3, 4] {
                let wished = was.joints[at].rotation * rest[at].rotation.inverse();
                assert!(wished.angle_to(&is.joints[at].rotation) < 1e-9, "joint {at}, frame {frame}");
            }
            // A player moves the hips by their own translation: what is above them stays at rest.
            assert!(is.joints[0].rotation.angle() < 1e-12 && is.joints[0].translation.vector.norm() < 1e-12);
            let off = (was.joints[1].translation.vector - is.joints[1].translation.vector).norm();
            assert!(off < 1e-9, "the hips are off by {off} in frame {frame}");
            assert!(after.local(JointId(2), frame).rotation.angle() < 1e-12);
        }
        assert!(after.tracks()[3].translation.is_none());
    }

    #[test]
    fn without_bones_all_joints_keep_their_places() {
        let before = clip(false);
        let after = normalized(&before).unwrap();
        for frame in 0..6 {
            let (was, is) = (object(&before, frame), object(&after, frame));
            for (was, is) in was.joints.iter().zip(&is.joints) {
                assert!((was.translation.vector - is.translation.vector).norm() < 1e-9);
            }
        }
    }

    #[test]
    fn a_t_pose_that_faces_z_is_told_from_others() {
        let body = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let skeleton = body.skeleton();
        assert_eq!(not_t_pose(skeleton), None);
        let turned = |name: &str, by: Vector3<f64>| {
            skeleton.with_joints(|joint| {
                if joint.name == name {
                    joint.rest_rotation = exp(&by);
                }
            })
        };
        // A half turn: the body faces along -Z.
        let found = not_t_pose(&turned("Hips", Vector3::y() * std::f64::consts::PI).unwrap()).unwrap();
        assert!(found.joint.starts_with("Right") && found.expected == "-X", "{found:?}");
        assert!((found.degrees - 180.0).abs() < 1e-6);
        assert_eq!(not_t_pose(&turned("RightArm", Vector3::z() * 0.4).unwrap()), None);
        let found = not_t_pose(&turned("RightArm", Vector3::z() * 0.9).unwrap()).unwrap();
        assert!((found.degrees - 0.9f64.to_degrees()).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn hips_that_lie_on_the_floor_at_rest_stand_above_it() {
        let body = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let at = |height: f64| {
            let skeleton = body.skeleton().with_joints(|joint| {
                if joint.parent.is_none() {
                    joint.offset.y = height;
                }
            });
            let lying = body.clone().with_skeleton(skeleton.unwrap().into()).unwrap();
            normalized(&lying).unwrap().skeleton().joints()[0].offset.y
        };
        // The balls of its feet are 0.94 m below the hips.
        assert!((at(0.0) - 0.94).abs() < 1e-12 && (at(3.0) - 0.94).abs() < 1e-12);
        assert_eq!(at(0.96), 0.96, "the body stands, 2 cm above the floor");
    }
}
