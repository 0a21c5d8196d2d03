//! The file beside a robot's motion: what its columns and rows mean.

use serde::Serialize;

use super::Order;
use crate::Format;
use mocap_model::{Robot, RobotMotion};

/// Its extension.
pub(super) const EXTENSION: &str = "joints.json";

#[derive(Serialize)]
struct File<'a> {
    /// Always `mocap-robot-motion`.
    format: &'static str,
    version: u32,
    /// The format of the motion beside it.
    motion: &'static str,
    robot: &'a str,
    fps: f64,
    frames: usize,
    /// `dfs` or `bfs`, of joints and bodies alike.
    order: String,
    joints: Vec<&'a str>,
    bodies: Vec<&'a str>,
}

/// Describes a motion in a format.
pub(super) fn describe(motion: &RobotMotion, robot: &Robot, format: Format, order: Order) -> Vec<u8> {
    let file = File {
        format: "mocap-robot-motion",
        version: 1,
        motion: format.extension(),
        robot: robot.name(),
        fps: motion.fps.fps(),
        frames: motion.poses.len(),
        order: order.to_string(),
        joints: order.joints(robot).iter().map(|joint| robot.joints()[*joint].name.as_str()).collect(),
        bodies: order.bodies(robot).iter().map(|body| robot.bodies()[*body].name.as_str()).collect(),
    };
    let mut bytes = serde_json::to_vec_pretty(&file).expect("names and numbers are JSON");
    bytes.push(b'\n');
    bytes
}
