//! `mocap plot`.

use clap::Args as ClapArgs;
use mocap_report::plot::{Channel, PlotOptions};

use super::words::words;
use super::{ChartFormat, Pictures, ThemeWord};

/// Draw curves of joints over time, for one motion or several in one chart
///
/// Rows below the curves show when the feet are on the floor; behind the curves of one foot its contacts are shaded. An
/// HTML file zooms and reads off values.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Plot")]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap plot walk.bvh --joint LeftFoot --channel position -o foot.svg\n\
    \x20 mocap plot a.bvh b.bvh --joint LeftFoot --joint RightFoot -o feet.png\n\
    \x20 mocap plot walk.bvh --joint LeftFoot --channel speed -o foot.html")]
pub(crate) struct Args {
    /// Joint whose curves are drawn: its name, or its role (LeftFoot, Hips, ...); repeatable
    #[arg(long, value_name = "JOINT", required = true)]
    pub(crate) joint: Vec<String>,
    /// Curve: rotation (local Euler angles in the joint's order [deg]), position (world [m]), speed [m/s]
    #[arg(long, value_name = "CHANNEL", default_value = "rotation", hide_possible_values = true)]
    channel: ChannelWord,
    /// Background and colours; a light SVG adapts to dark mode
    #[arg(long, value_name = "THEME", default_value = "light")]
    theme: ThemeWord,
    /// Output format [default: by the extension of OUT, else svg]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<ChartFormat>,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
}

words! {
    /// A curve.
    ChannelWord(Channel) {
        "rotation" => Channel::Rotation,
        "position" => Channel::Position,
        "speed" => Channel::Speed,
    }
}

impl Args {
    /// The options of the library.
    pub(crate) fn options(&self) -> PlotOptions {
        PlotOptions { channel: self.channel.0, theme: self.theme.0, ..PlotOptions::default() }
    }
}
