//! The motion of a robot.

use mocap_model::{Isometry3, Robot};

use crate::RobotPose;

/// A motion: the base and one value per joint, frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotMotion {
    fps: f64,
    joints: Vec<String>,
    poses: Vec<RobotPose>,
}

impl RobotMotion {
    pub(crate) fn new(robot: &Robot, fps: f64, poses: Vec<RobotPose>) -> RobotMotion {
        let joints = robot.joints().iter().map(|joint| joint.name.clone()).collect();
        RobotMotion { fps, joints, poses }
    }

    /// Frames per second.
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// Names of the joints, in the order of the values.
    pub fn joints(&self) -> &[String] {
        &self.joints
    }

    /// The poses.
    pub fn poses(&self) -> &[RobotPose] {
        &self.poses
    }

    /// As training for robots of Unitree reads it: no header, per frame x y z of the base \[m\], its quaternion
    /// x y z w, and one value per joint \[rad\].
    pub fn to_unitree_csv(&self) -> String {
        use std::fmt::Write;
        let mut text = String::new();
        for pose in &self.poses {
            let Isometry3 { rotation, translation } = &pose.base;
            let q = rotation.coords;
            let base = translation.vector.iter().chain(q.iter());
            for (index, value) in base.chain(&pose.values).enumerate() {
                let comma = if index > 0 { "," } else { "" };
                write!(text, "{comma}{value}").expect("text can be written");
            }
            text.push('\n');
        }
        text
    }
}
