//! `mocap split`.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs};

use super::formats::Written;
use super::seconds::duration;
use super::{FirstFrame, Reading};

/// Cut takes into clips: by length, at pauses, or at the ranges of a CSV
///
/// The clips of take.bvh are take_001.bvh, take_002.bvh and so on; the tree of directories is kept.
#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("cuts").required(true).args(["every", "still", "ranges"])),
    after_help = "\
    Examples:\n\
    \x20 mocap split take.bvh --every 5s -o clips/\n\
    \x20 mocap split take.bvh --still=1s -o clips/\n\
    \x20 mocap split take.bvh --ranges cuts.csv -o clips/"
)]
pub(crate) struct Args {
    /// Takes: files, directories (searched recursively), globs in quotes, or - for stdin
    #[arg(value_name = "IN", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Output directory
    #[arg(short, long, value_name = "DIR", required = true, help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace existing outputs
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,
    /// Clips of this length; the last one may be shorter [s, above 0]
    #[arg(long, value_name = "SECONDS", value_parser = duration, help_heading = "Cuts")]
    pub(crate) every: Option<f64>,
    /// Cut at pauses of at least this time; the pauses are left out [s, above 0; default 0.5]
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = duration,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0.5",
        help_heading = "Cuts"
    )]
    pub(crate) still: Option<f64>,
    /// A CSV with rows 'start, end' [s], end excluded; ranges may overlap
    #[arg(long, value_name = "FILE", help_heading = "Cuts")]
    pub(crate) ranges: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) written: Written,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}
