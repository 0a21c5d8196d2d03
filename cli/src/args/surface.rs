//! The surface that feet are put on.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_edit::{Steps, TerrainOrigin};
use serde::Deserialize;

use super::finite::finite;
use super::setting;

/// The surface, and where it lies.
#[derive(Clone, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Terrain")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct SurfaceArgs {
    /// Steps ahead: RISE,RUN[,COUNT[,FROM]] [m, or with a unit: 15cm; default 10 steps, the first 1 m ahead]
    #[arg(long, value_name = "RISE,RUN", allow_hyphen_values = true)]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) steps: Option<Steps>,
    /// Height field: a PNG (black is 0, white is --height, transparent is a hole), a CSV (rows of heights [m]; empty is
    /// a hole), or an NPZ with an array heights [m]. The first row is the farthest ahead, the first column the leftmost;
    /// the middle is the origin
    #[arg(long, value_name = "FILE", conflicts_with = "steps")]
    pub(crate) heights: Option<PathBuf>,
    /// Distance between neighbouring heights [m, default 0.1, or cell of the NPZ]
    #[arg(long, value_name = "METRES", value_parser = finite, requires = "heights")]
    pub(crate) cell: Option<f64>,
    /// Height of white in a PNG [m, default 1]
    #[arg(long, value_name = "METRES", value_parser = finite, requires = "heights", allow_negative_numbers = true)]
    pub(crate) height: Option<f64>,
    /// Mesh: OBJ, GLB or glTF in metres, Y up, Z ahead; the highest triangle counts
    #[arg(long, value_name = "FILE", conflicts_with_all = ["steps", "heights"])]
    pub(crate) mesh: Option<PathBuf>,
    /// Where the terrain lies. world: its origin and axes are those of the motion; start: below the first frame, ahead as
    /// the body faces there [default: start with --steps, else world]
    #[arg(long, value_name = "WHERE")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) terrain_origin: Option<TerrainOrigin>,
}

impl SurfaceArgs {
    /// The files that it reads.
    pub(super) fn files(&self) -> Vec<&PathBuf> {
        self.heights.iter().chain(&self.mesh).collect()
    }
}
