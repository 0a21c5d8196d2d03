//! The up axis of a motion, found from the body.

use mocap_model::{Axis, Clip, JointId, Pose, Role, SignedAxis, Skeleton, Vector3};

/// Number of frames sampled from the start of the clip.
const FRAMES: usize = 200;
/// Length of the start of a clip [frames]: as much as is read to find out what a file holds.
const START: usize = 1000;
/// Least cosine between the mean direction and an axis (at 45° two axes would be equally near).
const CLEAR: f64 = 0.8;

/// The up axis of the body: where rest pose and motion agree on it, or where the motion stands on a floor along it.
///
/// A rest pose may be drawn along another axis than the one the motion stands along. The direction
/// of the motion alone could then also be that of somebody who lies down, so the floor decides: of
/// a standing body, the lowest joint is near height 0 over the whole motion; of a lying body, all
/// joints are near height 0 along the axis of the rest pose.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// assert_eq!(mocap_analysis::upright(&clip), Some(clip.skeleton().space().up));
/// ```
pub fn upright(clip: &Clip) -> Option<SignedAxis> {
    upright_by(clip, clip.skeleton())
}

/// Like [`upright`], with the roles of another skeleton that has the same joints.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// assert_eq!(mocap_analysis::upright_by(&clip, clip.skeleton()), mocap_analysis::upright(&clip));
/// ```
pub fn upright_by(clip: &Clip, roles: &Skeleton) -> Option<SignedAxis> {
    let legs = Legs::of(roles)?;
    let mut object = Pose::default();
    Pose::rest(clip.skeleton()).to_object(clip.skeleton(), &mut object);
    let rest = clear_axis(legs.upward(&object));
    if clip.frames() == 0 {
        return rest;
    }
    let poses = sampled(clip);
    let moving = clear_axis(poses.iter().map(|pose| legs.upward(pose)).sum());
    moving.filter(|moving| Some(*moving) == rest || stands(&poses, &legs, *moving, rest))
}

/// The joints that show how a body stands.
struct Legs {
    hips: JointId,
    thighs: [JointId; 2],
    feet: [JointId; 2],
}

impl Legs {
    fn of(skeleton: &Skeleton) -> Option<Legs> {
        let joint = |role| skeleton.with_role(role);
        Some(Legs {
            hips: joint(Role::Hips)?,
            thighs: [joint(Role::LeftUpperLeg)?, joint(Role::RightUpperLeg)?],
            feet: [joint(Role::LeftFoot)?, joint(Role::RightFoot)?],
        })
    }

    /// From the middle of the feet to the hips.
    fn upward(&self, pose: &Pose) -> Vector3<f64> {
        at(pose, self.hips) - (at(pose, self.feet[0]) + at(pose, self.feet[1])) / 2.0
    }

    /// Distance from hip joint to ankle: that of the straighter leg.
    fn length(&self, pose: &Pose) -> f64 {
        (0..2)
            .map(|side| (at(pose, self.thighs[side]) - at(pose, self.feet[side])).norm())
            .fold(0.0, f64::max)
    }
}

fn at(pose: &Pose, joint: JointId) -> Vector3<f64> {
    pose.joints[joint.index()].translation.vector
}

/// Object-space poses of the start of a clip.
fn sampled(clip: &Clip) -> Vec<Pose> {
    let frames = clip.frames().min(START);
    let count = FRAMES.min(frames);
    let mut local = Pose::default();
    let pose = |i: usize| {
        clip.local_pose(i * frames / count, &mut local);
        let mut object = Pose::default();
        local.to_object(clip.skeleton(), &mut object);
        object
    };
    (0..count).map(pose).collect()
}

/// The axis near a direction, if there is one.
fn clear_axis(direction: Vector3<f64>) -> Option<SignedAxis> {
    let direction = direction.try_normalize(0.0)?;
    let most = direction.iamax();
    let axis = SignedAxis { axis: Axis::ALL[most], negative: direction[most] < 0.0 };
    (direction[most].abs() >= CLEAR).then_some(axis)
}

/// Least share of frames in which a body must stand along an axis.
const MOSTLY: f64 = 0.9;
/// Greatest distance from height 0 of the lowest joint of a standing body \[leg lengths\].
const ON_FLOOR: f64 = 0.2;
/// Greatest height that a lying body reaches \[leg lengths\].
const LYING: f64 = 0.7;

/// Whether a motion stands on a floor at height 0 along an axis, and does not lie on a floor along the axis of
/// the rest pose.
fn stands(poses: &[Pose], legs: &Legs, axis: SignedAxis, rest: Option<SignedAxis>) -> bool {
    let leg = poses.iter().map(|pose| legs.length(pose)).fold(0.0, f64::max);
    let upright =
        |pose: &&Pose| legs.upward(pose).try_normalize(0.0).is_some_and(|up| up.dot(&axis.vector()) > 0.7);
    let standing = poses.iter().filter(upright).count() as f64;
    if axis.negative || standing < MOSTLY * poses.len() as f64 {
        return false;
    }
    // A joint above the hips may mark the origin of the studio.
    let first = legs.hips.index();
    let range = |pose: &Pose, axis: SignedAxis| {
        let heights = pose.joints[first..].iter().map(|joint| joint.translation.vector.dot(&axis.vector()));
        heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], height| {
            [low.min(height), high.max(height)]
        })
    };
    let mut lows: Vec<f64> = poses.iter().map(|pose| range(pose, axis)[0]).collect();
    let at = (lows.len() - 1) / 50;
    let floor = *lows.select_nth_unstable_by(at, f64::total_cmp).1;
    let lies = rest.is_some_and(|rest| {
        let flat = |pose: &&Pose| {
            let [low, high] = range(pose, rest);
            low > -ON_FLOOR / 2.0 * leg && high < LYING * leg
        };
        poses.iter().filter(flat).count() as f64 >= MOSTLY * poses.len() as f64
    });
    floor.abs() <= ON_FLOOR * leg && !lies
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{FrameRate, Joint, JointTracks, Space, Track, UnitQuaternion, exp};

    /// A body with legs of length 1 along Y, whose hips turn and move so.
    fn clip(turn: UnitQuaternion<f64>, place: impl Fn(usize) -> [f64; 3]) -> Clip {
        let joints: [(Option<u32>, [f64; 3], Option<Role>); 7] = [
            (None, [0.0; 3], Some(Role::Hips)),
            (Some(0), [0.1, 0.0, 0.0], Some(Role::LeftUpperLeg)),
            (Some(1), [0.0, -0.9, 0.0], Some(Role::LeftFoot)),
            (Some(0), [-0.1, 0.0, 0.0], Some(Role::RightUpperLeg)),
            (Some(3), [0.0, -0.9, 0.0], Some(Role::RightFoot)),
            (Some(0), [0.0, 0.6, 0.1], Some(Role::Head)),
            (Some(0), [0.0, 0.0, -0.1], None),
        ];
        let joints = joints.iter().enumerate().map(|(i, (parent, offset, role))| Joint {
            role: *role,
            ..Joint::new(format!("j{i}"), parent.map(JointId), (*offset).into())
        });
        let skeleton = Skeleton::new("", Space::default(), joints.collect()).unwrap();
        let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        tracks[0].rotation = Track::Constant(turn);
        tracks[0].translation = Some(Track::Sampled((0..50).map(|i| place(i).into()).collect()));
        Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), 50, tracks).unwrap()
    }

    #[test]
    fn who_stands_along_another_axis_than_the_rest_pose_is_not_taken_for_who_lies() {
        let to_z = exp(&(Vector3::x() * std::f64::consts::FRAC_PI_2));
        let axis = |clip: &Clip| upright(clip).map(|axis| axis.to_string());
        let walk = |i: usize| i as f64 * 0.03;
        let upright = clip(UnitQuaternion::identity(), |i| [0.0, 0.95, walk(i)]);
        assert_eq!(axis(&upright).as_deref(), Some("Y"));
        // Z up: the room lies along X and Y.
        for at in [0.0, 3.0, -2.0] {
            assert_eq!(axis(&clip(to_z, |i| [0.0, at + walk(i), 0.95])).as_deref(), Some("Z"), "{at}");
        }
        // Lying on the floor of a room with Y up, anywhere in it.
        for z in [0.95, -2.0, 3.0] {
            assert_eq!(axis(&clip(to_z, |_| [0.5, 0.12, z])), None, "{z}");
        }
        // Swimming: the feet are nowhere near a floor.
        assert_eq!(axis(&clip(to_z, |i| [0.0, 1.0, 5.0 + walk(i)])), None);
    }
}
