//! Several motions that become one: what `join`, `blend` and `play` share.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_formats::Format;
use mocap_model::EulerOrder;

use super::formats::writable;
use super::{EditGates, FirstFrame, Reading};

/// One output, its gates, and how the motions are read.
#[derive(Debug, ClapArgs)]
pub(crate) struct OneOutput {
    /// Output file
    #[arg(short, long, value_name = "OUT", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing output
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) gates: EditGates,
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Conversion",
        help = format!("Output format: {} [default: by the extension of OUT]", writable(Format::has_motion))
    )]
    pub(crate) to: Option<Format>,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the input]
    #[arg(long, value_name = "ORDER", help_heading = "Conversion")]
    pub(crate) euler: Option<EulerOrder>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}
