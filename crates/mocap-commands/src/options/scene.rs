//! What formats of scenes get besides the motion.

use clap::Args;
use mocap_formats::body::Style;
use mocap_formats::robot_motion::Order;
use mocap_model::Length;
use serde::Deserialize;

use super::setting;

/// Mesh and keys of GLB, glTF and other formats of scenes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args, Deserialize)]
#[command(next_help_heading = "Scenes (GLB, glTF)")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct SceneFlags {
    /// Mesh that shows the skeleton: body, sticks or none [default: body]
    #[arg(long, value_name = "MESH")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) mesh: Option<Style>,
    /// How far left-out keys of GLB and glTF may move a joint, such as 0.1mm [0: every frame is a
    /// key; default: 0.01mm]
    #[arg(long = "key-error", value_name = "LENGTH")]
    #[serde(rename = "key-error", deserialize_with = "setting::option")]
    pub(crate) error: Option<Length>,
    /// Rotations as 16-bit integers: half the size, off by up to 0.003 degrees
    #[arg(long)]
    pub(crate) short_rotations: bool,
}

/// How motions of robots are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Motions of robots")]
pub(crate) struct RobotFlags {
    /// Order of joints and bodies in mjlab-npz, isaac-npz and robot-csv: dfs (the model's and MuJoCo's) or bfs (that
    /// of PhysX) [default: dfs]
    #[arg(long, value_name = "ORDER")]
    pub(crate) order: Option<Order>,
}
