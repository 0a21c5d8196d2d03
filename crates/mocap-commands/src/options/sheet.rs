//! `mocap sheet`.

use clap::Args as ClapArgs;
use mocap_report::View;
use mocap_report::sheet::{Moment, SheetOptions};

use super::words::words;
use super::{BodyArgs, ImageFormat, Pictures, ThemeWord, WeightArgs};

/// Draw poses of motions side by side, as SVG or PNG
///
/// Each motion has its own rows, all at one scale: an overview of many motions, and a comparison. Many motions become
/// several pages.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Sheet")]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap sheet walk.bvh -o walk.svg\n\
    \x20 mocap sheet a.bvh b.bvh --count 12 --view side -o both.png")]
pub(crate) struct Args {
    /// Poses per motion, evenly spaced from the first frame to the last [1 to 1000]
    #[arg(long, value_name = "N", default_value = "24", value_parser = clap::value_parser!(u32).range(1..=1000))]
    count: u32,
    /// Draw these times or frames instead, such as 1.2s,3s or 0,120 [from 0]
    #[arg(long, value_name = "TIMES", value_delimiter = ',', conflicts_with = "count")]
    at: Vec<Moment>,
    /// Camera: perspective (front right, slightly above), front, or side (the character's right)
    #[arg(long, value_name = "VIEW", default_value = "perspective", hide_possible_values = true)]
    view: ViewWord,
    /// Background and colours; a light SVG adapts to dark mode
    #[arg(long, value_name = "THEME", default_value = "light")]
    theme: ThemeWord,
    /// Largest width [px, 200 to 10000]
    #[arg(long, value_name = "PX", default_value = "1120", value_parser = clap::value_parser!(u16).range(200..=10_000))]
    width: u16,
    /// Largest height of a page; many motions become OUT-1, OUT-2, ... [px; 0: one page]
    #[arg(long, value_name = "PX", default_value = "1584")]
    page_height: u16,
    /// Output format [default: by the extension of OUT, else svg]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<ImageFormat>,
    #[command(flatten)]
    pub(crate) bodies: BodyArgs,
    #[command(flatten)]
    pub(crate) shown: WeightArgs,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
}

words! {
    /// A camera.
    ViewWord(View) { "perspective" => View::Perspective, "front" => View::Front, "side" => View::Side }
}

impl Args {
    /// The largest height of a page [px].
    pub(crate) fn page_height(&self) -> f32 {
        if self.page_height == 0 { f32::INFINITY } else { f32::from(self.page_height) }
    }

    /// The options of the library.
    pub(crate) fn options(&self) -> SheetOptions {
        SheetOptions {
            poses: self.count as usize,
            at: self.at.clone(),
            view: self.view.0,
            width: f32::from(self.width),
            theme: self.theme.0,
            colours: self.bodies.colours.0,
            weights: self.shown.weights_of.clone(),
            ..SheetOptions::default()
        }
    }
}
