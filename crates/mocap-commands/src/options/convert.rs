//! `mocap convert`.

use clap::Args as ClapArgs;
use mocap_formats::Format;
use mocap_model::EulerOrder;

use super::formats::writable;
use super::{ArraySettings, BvhStyle, Edits, Inputs, Outputs, Reading, RobotFlags, SceneFlags};

/// Convert between formats; trim, resample, scale and rotate motions
///
/// A BVH that is written as BVH without edits, or with --drop-first-frame, --trim, --scale and --unit only, keeps every
/// other value, name and channel order, unless other programs would misread it. Edits are applied in this order: --drop-first-frame, --trim, --fps, --scale, --unit, --up.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap convert walk.bvh -o walk.csv\n\
    \x20 mocap convert 01_01.amc -o 01_01.bvh --unit cm\n\
    \x20 mocap convert walk.bvh -o walk.npz --rotations 6d\n\
    \x20 mocap convert trial.c3d -o trial.trc\n\
    \x20 mocap convert walk.bvh -o walk.glb\n\
    \x20 mocap convert walk.bvh -o walk.c3d --marker-set plug-in-gait\n\
    \x20 mocap convert moves.glb --clip all --to bvh -o moves/\n\
    \x20 mocap convert database/ --to bvh -o clean/ --drop-first-frame --fps 60")]
pub(crate) struct Args {
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Conversion",
        help = format!("Output format: {} [default: by the extension of OUT]", writable(|_| true))
    )]
    pub(crate) to: Option<Format>,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the input]
    #[arg(long, value_name = "ORDER", help_heading = "Conversion")]
    pub(crate) euler: Option<EulerOrder>,
    /// Write an unedited BVH exactly as it was read, or one with edits of frames and lengths
    ///
    /// Otherwise positions that add to OFFSET become places that all readers agree on, and duplicate names become
    /// unique, each with a warning.
    #[arg(long, help_heading = "Conversion")]
    pub(crate) verbatim: bool,
    #[command(flatten)]
    pub(crate) bvh: BvhStyle,
    #[command(flatten)]
    pub(crate) scene: SceneFlags,
    #[command(flatten)]
    pub(crate) robot_motion: RobotFlags,
    /// Put the markers of a set on the body and write them as C3D or TRC: plug-in-gait, cmu-41, helen-hayes, rajagopal,
    /// gait2354, optitrack
    #[arg(long, value_name = "NAME", help_heading = "Conversion")]
    pub(crate) marker_set: Option<String>,
    #[command(flatten)]
    pub(crate) edits: Edits,
    #[command(flatten)]
    pub(crate) arrays: ArraySettings,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write results that cannot be right: limbs of two lengths
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}
