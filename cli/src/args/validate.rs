//! `mocap validate`.

use clap::Args as ClapArgs;

use super::{Inputs, QualitySettings, Reading};

/// Show all errors and warnings of files, with line and column
///
/// An error makes a file unreadable; a warning is a repair or an assumption. Wrong values of a motion are listed frame
/// by frame, up to 100; an error in the structure of a file ends the list. Exit code 1 where a file has an error, or
/// with --strict a warning; 3 where only a figure is above its limit. With --quality, suspicious frames are warnings.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap validate walk.bvh\n\
    \x20 mocap validate database/ --strict --json\n\
    \x20 mocap validate database/ --quality --fail-above findings=0")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) measures: QualitySettings,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
}
