//! `mocap info`.

use clap::{Args as ClapArgs, ValueEnum};

use super::{Inputs, QualitySettings, Reading};

/// Show format, joints, frames, rate, unit, axes, channel orders and warnings
///
/// Of a directory, a table is printed with one line per clip: frames, rate, unit, height and the worst finding. Other
/// inputs get one block each.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap info walk.bvh\n\
    \x20 mocap info database/ --sort quality\n\
    \x20 mocap info database/ --json\n\
    \x20 mocap info walk.bvh --quality")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) measures: QualitySettings,
    /// Print a table with one line per clip, the worst finding included; the default for directories
    #[arg(long, help_heading = "Text")]
    pub(crate) table: bool,
    /// Print a block per clip, for directories too
    #[arg(long, help_heading = "Text", conflicts_with = "table")]
    pub(crate) blocks: bool,
    /// Order of the table: path, quality (the worst first), frames or height (the most first) [default: path]
    #[arg(
        long,
        value_name = "COLUMN",
        help_heading = "Text",
        default_value = "path",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) sort: SortBy,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// The order of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortBy {
    /// The order of the inputs
    #[default]
    Path,
    /// The worst first
    Quality,
    /// The most first
    Frames,
    /// The tallest first
    Height,
}
