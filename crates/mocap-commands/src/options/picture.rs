//! What `mocap view`, `sheet` and `plot` share.

use clap::{Args, ValueEnum};
use mocap_report::{Colours, Theme};

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

/// A format of charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChartFormat {
    Svg,
    Png,
    /// A page that zooms
    Html,
}

/// The name of a format, which is the extension of its files.
pub(crate) fn extension(format: &impl ValueEnum) -> String {
    format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// How bodies are drawn.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Body")]
pub(crate) struct BodyArgs {
    /// Draw the file's mesh, or a body of capsules (files without a mesh always have capsules)
    #[arg(long = "draw", value_name = "BODY", default_value = "mesh")]
    pub(crate) body: BodyWord,
    /// Colours of a mesh: material (base colours of the file) or side (left and right)
    #[arg(long, value_name = "COLOURS", default_value = "material", hide_possible_values = true)]
    pub(crate) colours: ColoursWord,
}

/// Whose weights are drawn.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Body")]
pub(crate) struct WeightArgs {
    /// Draw how much vertices follow a joint: blue 0, green half, red 1
    #[arg(long, value_name = "JOINT", conflicts_with = "colours")]
    pub(crate) weights_of: Option<String>,
}

/// What is drawn of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BodyWord {
    Mesh,
    Capsules,
}

words! {
    /// The colours of a mesh.
    ColoursWord(Colours) { "material" => Colours::File, "side" => Colours::Sides }
}

words! {
    /// A background.
    ThemeWord(Theme) { "light" => Theme::Light, "dark" => Theme::Dark }
}

/// Largest number of frames of a page.
#[derive(Debug, Args)]
#[command(next_help_heading = "Page")]
pub(crate) struct MostFrames {
    /// Largest number of frames per motion; longer motions keep every second, third, ... frame [2 to 1000000]
    #[arg(
        long,
        value_name = "N",
        default_value = "6000",
        value_parser = clap::value_parser!(u32).range(2..=1_000_000)
    )]
    pub(crate) most_frames: u32,
}
