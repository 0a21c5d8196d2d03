//! `mocap decompress`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_formats::{Format, Limits};
use mocap_model::EulerOrder;

use super::formats::writable;
use super::size::{ByteSize, Count, limits};
use super::{BvhStyle, Inputs, Outputs};

/// Convert compressed motions back to any format
///
/// The error is that of the compression: numbers are written with enough digits to add nothing to it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap decompress walk.mocz -o walk.bvh\n\
    \x20 mocap decompress small/ --to json -o clips/")]
pub(crate) struct Args {
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Conversion",
        help = format!("Output format: {} [default: by the extension of OUT, else bvh]", writable(Format::has_motion))
    )]
    pub(crate) to: Option<Format>,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the skeleton]
    #[arg(long, value_name = "ORDER", help_heading = "Conversion")]
    pub(crate) euler: Option<EulerOrder>,
    /// File of any format with the skeleton, for inputs that were compressed with --no-skeleton
    #[arg(long, value_name = "FILE", help_heading = "Conversion")]
    pub(crate) skeleton_ref: Option<PathBuf>,
    /// Largest input [bytes, above 0; default: 1GiB]
    #[arg(long, value_name = "SIZE", help_heading = "Conversion")]
    max_bytes: Option<ByteSize>,
    /// Largest motion [frames × joints, above 0; default: 20M]
    #[arg(long, value_name = "COUNT", help_heading = "Conversion")]
    max_samples: Option<Count>,
    #[command(flatten)]
    pub(crate) bvh: BvhStyle,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

impl Args {
    /// Bounds on inputs and outputs.
    pub(crate) fn limits(&self) -> Limits {
        limits(self.max_bytes, self.max_samples)
    }
}
