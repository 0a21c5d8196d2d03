//! The trajectories of feet, found in one pass over the clip: floor, contacts and foot measures use them.

use crate::Foot;
use crate::trajectory::Trajectory;
use mocap_model::{Clip, ForwardKinematics, JointId, Role, Skeleton, Vector3};

/// One foot over the frames of a clip [units of the clip].
#[derive(Clone, Debug, PartialEq)]
pub struct FootMotion {
    /// The ankle.
    pub ankle: Trajectory,
    /// The toe joint.
    pub toe: Trajectory,
    /// The height of the foot's lowest joint or end site along the up axis.
    pub lowest: Vec<f64>,
    /// How far the hips travel along the floor per frame.
    pub travel: Vec<f64>,
    /// The length of the leg from hip joint to ankle.
    pub leg: f64,
    /// The up axis of the clip.
    pub up: Vector3<f64>,
    /// Frames per second.
    pub fps: f64,
}

impl FootMotion {
    /// The motions of some feet of a clip.
    pub fn of(clip: &Clip, feet: &[Foot]) -> Vec<FootMotion> {
        let (up, fps, frames) = (clip.skeleton().space().up.vector(), clip.rate().fps(), clip.frames());
        let hips = clip.skeleton().with_role(Role::Hips);
        let empty = |foot: &Foot| FootMotion {
            ankle: Vec::with_capacity(frames),
            toe: Vec::with_capacity(frames),
            lowest: Vec::with_capacity(frames),
            travel: Vec::with_capacity(frames),
            leg: leg_length(clip.skeleton(), foot.ankle),
            up,
            fps,
        };
        let mut motions: Vec<FootMotion> = feet.iter().map(empty).collect();
        let points = feet.iter().flat_map(|foot| foot.points.iter().copied());
        let joints: Vec<JointId> = points.chain(hips).collect();
        let mut before = None;
        let mut kinematics = ForwardKinematics::of_joints(clip, &joints);
        for frame in 0..frames {
            kinematics.place(frame);
            let place = hips.map_or(Vector3::zeros(), |hips| kinematics.position(hips));
            let moved = place - before.replace(place).unwrap_or(place);
            let travel = (moved - up * moved.dot(&up)).norm();
            for (foot, motion) in feet.iter().zip(&mut motions) {
                motion.travel.push(travel);
                motion.ankle.push(kinematics.position(foot.ankle));
                motion.toe.push(kinematics.position(foot.toe));
                let heights = foot.points.iter().map(|joint| kinematics.position(*joint).dot(&up));
                motion.lowest.push(heights.fold(f64::INFINITY, f64::min));
            }
        }
        for motion in &mut motions {
            // The first frame has none before it.
            if let [first, second, ..] = &mut motion.travel[..] {
                *first = *second;
            }
        }
        motions
    }
}

/// The length of the bones from the upper leg down to an ankle; without that role, of the two bones above the ankle.
fn leg_length(skeleton: &Skeleton, ankle: JointId) -> f64 {
    let is_upper = |id: JointId| {
        let role = skeleton.joint(id).role;
        matches!(role, Some(Role::LeftUpperLeg | Role::RightUpperLeg))
    };
    let above = |id: &JointId| skeleton.joint(*id).parent;
    let up_to_root = std::iter::successors(Some(ankle), above);
    let bones = up_to_root.clone().position(is_upper).unwrap_or(2);
    up_to_root.take(bones).map(|id| skeleton.joint(id).offset.norm()).sum()
}
