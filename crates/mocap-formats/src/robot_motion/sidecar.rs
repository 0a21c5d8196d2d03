//! The file beside a robot's motion: what its columns and rows mean.

use serde::{Deserialize, Serialize};

use super::Order;
use crate::Format;
use mocap_model::{Robot, RobotMotion};

/// The value of `format`.
const TAG: &str = "mocap-robot-motion";

/// Its extension, behind the name of the motion.
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

/// The fields of the file that a table lacks.
#[derive(Deserialize)]
pub(super) struct Stated {
    format: String,
    pub(super) fps: f64,
    pub(super) frames: usize,
    pub(super) joints: Vec<String>,
}

/// Reads the file; the error is the reason why it is ignored.
pub(super) fn read(bytes: &[u8]) -> Result<Stated, String> {
    let stated: Stated = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match stated.format == TAG && stated.fps.is_finite() && stated.fps > 0.0 {
        true => Ok(stated),
        false => Err(format!("it is not a {TAG} file with a rate")),
    }
}

/// Describes a motion in a format.
pub(super) fn describe(motion: &RobotMotion, robot: &Robot, format: Format, order: Order) -> Vec<u8> {
    let file = File {
        format: TAG,
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
