//! `mocap blend`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_edit::{BlendOptions, Timing};

use super::seconds::seconds;
use super::several::OneOutput;
use crate::diagnostic::Diagnostic;

/// Blend motions of one skeleton by weight, with synchronised strides and locked feet
///
/// Foot strikes mark the strides. The poses and the velocities of the root are blended, so a blend of a walk and a
/// run travels at a speed between theirs. A motion with fewer strides than the longest repeats its best cycle.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap blend walk.bvh run.bvh --weight 0.4 -o jog.bvh\n\
    \x20 mocap blend --space locomotion.toml --param speed=2.1 --duration 6s -o jog.bvh\n\
    \x20 mocap blend tired.bvh neutral.bvh happy.bvh --weight 1,2,1 -o mixed.bvh\n\
    \x20 mocap blend wave.bvh greet.bvh --timing stretch -o between.bvh")]
pub(crate) struct Args {
    /// Motions, in their order
    #[arg(value_name = "IN", required_unless_present = "space", num_args = 2..)]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) one: OneOutput,
    /// Weight of the second of two motions [0 to 1], or one weight for each motion, with commas; weights are normalised
    /// [default: equal weights]
    #[arg(
        long,
        value_name = "WEIGHT",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Blend"
    )]
    weight: Vec<f64>,
    /// Blend space: a TOML file with kind = '1d', '2d', 'gradient' or 'polar', params = ['speed', 'turn'], and a
    /// [[clip]] with path and values for each motion; speed [m/s] and turn [deg/s] are measured where a clip states none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inputs", "weight"], help_heading = "Blend")]
    pub(crate) space: Option<PathBuf>,
    /// Value of a parameter of the blend space; repeatable. A speed is met within 2 % where the motions reach it
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param, allow_negative_numbers = true, requires = "space", help_heading = "Blend")]
    pub(crate) params: Vec<(String, f64)>,
    /// Length of the blend, such as 6s: cycles are repeated to fill it [s, above 0; default: as long as the
    /// motion with the most strides]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Blend")]
    duration: Option<f64>,
    /// How frames are paired. phase: by foot strikes; registration: by time warping, poses that are alike belong
    /// together; stretch: from start to end; seconds: by the time since the start [default: phase]
    #[arg(long, value_name = "HOW", help_heading = "Blend")]
    timing: Option<Timing>,
    /// Do not repeat motions: the blend ends with the motion that has the fewest strides
    #[arg(long, help_heading = "Blend")]
    no_repeat: bool,
    /// Do not lock feet
    #[arg(long, help_heading = "Blend")]
    no_lock: bool,
}

impl Args {
    /// One weight for each motion.
    ///
    /// # Errors
    /// Where one weight of two motions is not from 0 to 1.
    pub(crate) fn weights(&self) -> Result<Vec<f64>, Diagnostic> {
        match (self.weight.as_slice(), self.inputs.len()) {
            ([], motions) => Ok(vec![1.0; motions]),
            ([weight], 2) if (0.0..=1.0).contains(weight) => Ok(vec![1.0 - weight, *weight]),
            ([weight], 2) => {
                let message = format!("--weight {weight}: the weight of the second motion must be 0 to 1");
                Err(Diagnostic::new("usage::weight", message).help(
                    "--weight 1,2 gives each motion a weight; `mocap fourier --gain` exaggerates a style",
                ))
            }
            (weights, _) => Ok(weights.to_vec()),
        }
    }

    /// The options of the library.
    pub(crate) fn options(&self) -> BlendOptions {
        BlendOptions {
            timing: self.timing.unwrap_or_default(),
            repeat: !self.no_repeat,
            lock_feet: !self.no_lock,
            duration: self.duration,
        }
    }
}

fn param(text: &str) -> Result<(String, f64), String> {
    let wrong = || "a parameter is NAME=VALUE, such as speed=2.1".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let value: f64 = value.trim().parse().map_err(|_| wrong())?;
    if value.is_finite() { Ok((name.trim().to_owned(), value)) } else { Err(wrong()) }
}
