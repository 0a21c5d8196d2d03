//! What `mocap view`, `sheet` and `plot` share.

use clap::{Args, ValueEnum};
use mocap_report::Theme;

use super::words::words;
use super::{FirstFrame, Inputs, Outputs, Reading};

/// What is drawn, and into how many files.
#[derive(Debug, Args)]
pub(crate) struct Pictures {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
    /// One file per input, below the directory -o [default: one for all, named after the first]
    #[arg(long, help_heading = "Output")]
    pub(crate) each: bool,
}

/// A picture format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImageFormat {
    Svg,
    Png,
}

words! {
    /// A background.
    ThemeWord(Theme) { "light" => Theme::Light, "dark" => Theme::Dark }
}

impl ImageFormat {
    /// The extension of its files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            ImageFormat::Svg => "svg",
            ImageFormat::Png => "png",
        }
    }

    /// The format of files with an extension.
    pub(crate) fn of_extension(extension: &str) -> Option<ImageFormat> {
        ImageFormat::from_str(extension, true).ok()
    }
}
