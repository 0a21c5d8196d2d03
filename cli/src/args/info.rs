//! `mocap info`.

use clap::Args as ClapArgs;

use super::{Inputs, Reading};

/// Show format, joints, frames, rate, unit, axes, channel orders and warnings
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap info walk.bvh\n\
    \x20 mocap info database/ --json\n\
    \x20 mocap info walk.bvh --quality")]
pub(crate) struct Args {
    /// Measure the motion: floor, foot contacts, foot skate, penetration, jerk, largest step, suspicious frames
    #[arg(long, help_heading = "Measures")]
    pub(crate) quality: bool,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
}
