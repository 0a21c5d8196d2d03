//! Several motions that become one: what `join`, `blend` and `play` share.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::formats::Written;
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
    #[command(flatten)]
    pub(crate) written: Written,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}
