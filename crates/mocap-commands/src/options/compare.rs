//! `mocap compare`, and the settings of the step `compare`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde::Deserialize;

use super::{FirstFrame, Length, Reading, setting};

/// Measure the error between two motions of one skeleton
///
/// The error is measured in object space, on points at the shell distance from every joint, over all frames. Both
/// motions need the same joints, rate and number of frames; --resample allows other rates. Exit code 3 where the error
/// exceeds --max-error.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap compare walk.bvh decoded.bvh --max-error 1mm\n\
    \x20 mocap compare database/ decoded/ --max-error 1mm\n\
    \x20 mocap compare a.bvh b.bvh --heatmap error.png --html error.html")]
pub(crate) struct Args {
    /// Reference motion, or a directory of them; - for stdin
    #[arg(value_name = "A")]
    pub(crate) reference: PathBuf,
    /// Motion to measure, or a directory: its files are paired by path, without extension; - for stdin
    #[arg(value_name = "B")]
    pub(crate) other: PathBuf,
    #[command(flatten)]
    pub(crate) measure: CompareSettings,
    /// Sample B at the rate of A first, to compare motions of different rates over time
    #[arg(long, help_heading = "Measures")]
    pub(crate) resample: bool,
    /// Measure on the vertices of the character, too: mean, p95 and max; A or B is a file with a mesh
    #[arg(long, help_heading = "Measures")]
    pub(crate) surface: bool,
    /// Write the error as a picture, joints down and frames across, to this PNG file
    #[arg(long, value_name = "PNG", help_heading = "Pictures")]
    pub(crate) heatmap: Option<PathBuf>,
    /// Write a page that plays both motions, with the error as colour, to this HTML file
    #[arg(long, value_name = "HTML", help_heading = "Pictures")]
    pub(crate) html: Option<PathBuf>,
    /// Replace existing files of --heatmap and --html
    #[arg(long, help_heading = "Pictures")]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}

/// How two motions are compared.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Measures")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct CompareSettings {
    /// Gate: exit code 3 where the largest error exceeds this [m, or with a unit, such as 1mm; 0 or more; default:
    /// no limit]
    #[arg(long = "max-error", value_name = "LENGTH")]
    #[serde(rename = "max-error", deserialize_with = "setting::option")]
    pub(crate) fail_above: Option<Length>,
    /// Distance of the measured points from the joints, about where the skin is [m, or with a unit, such as 3cm; 0
    /// or more]
    #[arg(long, value_name = "LENGTH", default_value = "0.03")]
    #[serde(deserialize_with = "setting::one")]
    pub(crate) shell: Length,
}

impl Default for CompareSettings {
    fn default() -> CompareSettings {
        super::defaults()
    }
}
