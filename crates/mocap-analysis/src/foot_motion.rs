//! The trajectories of feet, found in one pass over the clip: floor, contacts and foot measures use them.

use crate::Foot;
use crate::trajectory::Trajectory;
use mocap_model::{Clip, ForwardKinematics, JointId, Vector3};

/// One foot over the frames of a clip [units of the clip].
#[derive(Clone, Debug, PartialEq)]
pub struct FootMotion {
    /// The ankle.
    pub ankle: Trajectory,
    /// The toe joint.
    pub toe: Trajectory,
    /// The height of the foot's lowest joint or end site along the up axis.
    pub lowest: Vec<f64>,
    /// The up axis of the clip.
    pub up: Vector3<f64>,
    /// Frames per second.
    pub fps: f64,
}

impl FootMotion {
    /// The motions of some feet of a clip.
    pub fn of(clip: &Clip, feet: &[Foot]) -> Vec<FootMotion> {
        let (up, fps, frames) = (clip.skeleton().space().up.vector(), clip.rate().fps(), clip.frames());
        let empty = |_: &Foot| FootMotion {
            ankle: Vec::with_capacity(frames),
            toe: Vec::with_capacity(frames),
            lowest: Vec::with_capacity(frames),
            up,
            fps,
        };
        let mut motions: Vec<FootMotion> = feet.iter().map(empty).collect();
        let joints: Vec<JointId> = feet.iter().flat_map(|foot| foot.points.iter().copied()).collect();
        let mut kinematics = ForwardKinematics::of_joints(clip, &joints);
        for frame in 0..frames {
            kinematics.place(frame);
            for (foot, motion) in feet.iter().zip(&mut motions) {
                motion.ankle.push(kinematics.position(foot.ankle));
                motion.toe.push(kinematics.position(foot.toe));
                let heights = foot.points.iter().map(|joint| kinematics.position(*joint).dot(&up));
                motion.lowest.push(heights.fold(f64::INFINITY, f64::min));
            }
        }
        motions
    }
}
