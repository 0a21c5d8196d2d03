//! `mocap fourier`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde::Deserialize;

use super::edit::{Args as EditArgs, EditArg};
use super::finite::finite;
use super::one_edit::Alone;

/// Smooth a cycle by its Fourier series, or give it the style of another
///
/// The best cycle of the motion is taken; its last frame is its first, a stride further. The difference of --styled
/// from --neutral, in pose, rhythm, pace and length of stride, is added to it with a gain: 0.5 is half-way, above 1
/// exaggerates, below 0 is the opposite. The motions have one skeleton.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap fourier walk.bvh --harmonics 6 -o smooth.bvh\n\
    \x20 mocap fourier neutral.bvh --neutral neutral.bvh --styled tired.bvh --gain 1.5 -o exhausted.bvh\n\
    \x20 mocap fourier run.bvh --neutral walk.bvh --styled tired.bvh -o tired_run.bvh")]
pub(crate) struct Args {
    #[command(flatten)]
    series: Series,
    #[command(flatten)]
    pub(super) alone: Alone,
}

/// The series, and what is added to it.
#[derive(Clone, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Series")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct Series {
    /// Harmonics that are kept [1 to 128; default: all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=128))]
    #[serde(deserialize_with = "super::setting::option")]
    harmonics: Option<u32>,
    /// The motion without the style
    #[arg(long, value_name = "FILE", requires = "styled")]
    neutral: Option<PathBuf>,
    /// The motion with the style
    #[arg(long, value_name = "FILE", requires = "neutral")]
    styled: Option<PathBuf>,
    /// How much of the style [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = finite, allow_negative_numbers = true, requires = "styled")]
    gain: Option<f64>,
    /// Do not lock feet
    #[arg(long)]
    no_lock: bool,
}

impl From<Series> for EditArg {
    fn from(Series { harmonics, neutral, styled, gain, no_lock }: Series) -> EditArg {
        let style = neutral.zip(styled).map(Box::new);
        EditArg::Fourier { harmonics, style, gain: gain.unwrap_or(1.0), lock_feet: !no_lock }
    }
}

impl From<Args> for EditArgs {
    fn from(args: Args) -> EditArgs {
        args.alone.with(args.series.into())
    }
}
