//! `mocap terrain`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_edit::{Steps, TerrainOrigin};
use serde::Deserialize;

use super::edit::{Args as EditArgs, EditArg, EditList, finite};
use super::one_edit::OneEdit;
use super::setting;

/// Put the feet of a motion on steps, a height field or a mesh
///
/// The motion was made on a flat floor. Its planted feet are put on the surface and along its normal (up to 30°),
/// swinging feet clear edges by 2 cm, the hips follow and are lowered for legs that would be stretched. Heights are
/// measured from the floor of the motion. Flat ground leaves the motion as it is.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap terrain walk.bvh --steps 0.17,0.29,8 -o stairs.bvh\n\
    \x20 mocap terrain walk.bvh --heights hill.png --cell 0.1 --height 1.5 -o hill.bvh\n\
    \x20 mocap terrain walk.bvh --mesh level.glb -o level.bvh")]
pub(crate) struct Args {
    #[command(flatten)]
    surface: SurfaceArgs,
    #[command(flatten)]
    pub(super) one: OneEdit,
}

/// The surface, and where it lies.
#[derive(Clone, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Terrain")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct SurfaceArgs {
    /// Steps ahead: RISE,RUN[,COUNT[,FROM]] [m; default 10 steps, the first 1 m ahead]
    #[arg(long, value_name = "RISE,RUN", required_unless_present_any = ["heights", "mesh"], allow_hyphen_values = true)]
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

impl From<SurfaceArgs> for EditArg {
    fn from(surface: SurfaceArgs) -> EditArg {
        EditArg::Terrain(Box::new(surface))
    }
}

impl From<Args> for EditArgs {
    fn from(args: Args) -> EditArgs {
        EditArgs { edits: EditList(vec![args.surface.into()]), one: args.one }
    }
}
