//! `mocap render`.

use std::str::FromStr;

use clap::{Args as ClapArgs, ValueEnum};
use mocap_report::render::RenderOptions;

use super::sheet::ViewWord;
use super::{BodyArgs, GroundArgs, Pictures, ThemeWord};

/// Draw motions as a film (GIF, animated PNG, MP4, PNG frames) or as one strobe picture
///
/// Several motions stand side by side with their roots aligned. No other program is needed, but ffmpeg for MP4; the same
/// motions give the same bytes.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Film")]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap render walk.bvh -o walk.gif\n\
    \x20 mocap render walk.bvh walk.robin.bvh --size 1280x720 --theme dark -o both.apng\n\
    \x20 mocap render walk.bvh --size 1280x720 --picture-rate 50 -o walk.mp4\n\
    \x20 mocap render jump.bvh --strobe 9 --view side -o jump.png\n\
    \x20 mocap render stairs.bvh --draw-terrain 0.17,0.29,8 -o stairs.gif\n\
    \x20 mocap render walk.bvh --to frames -o frames/")]
pub(crate) struct Args {
    /// Width and height [px, 16x16 to 4096x4096]
    #[arg(long, value_name = "WxH", default_value = "854x480")]
    size: Size,
    /// Pictures per second [1 to 100]
    #[arg(long, value_name = "FPS", default_value = "25", value_parser = rate)]
    picture_rate: f64,
    /// Start at this time [s]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds::seconds)]
    pub(crate) start: Option<f64>,
    /// End at this time [s]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds::seconds)]
    pub(crate) end: Option<f64>,
    /// One picture with this many poses along the path [1 to 100]
    #[arg(long, value_name = "POSES", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) strobe: Option<u16>,
    /// Camera: perspective (front right, slightly above), front, or side (the character's right)
    #[arg(long, value_name = "VIEW", default_value = "perspective", hide_possible_values = true)]
    view: ViewWord,
    /// Background and colours
    #[arg(long, value_name = "THEME", default_value = "light")]
    theme: ThemeWord,
    /// Output format [default: by the extension of OUT, else gif; png with --strobe]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<FilmFormat>,
    #[command(flatten)]
    pub(crate) ground: GroundArgs,
    #[command(flatten)]
    pub(crate) bodies: BodyArgs,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
}

/// A format of films.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FilmFormat {
    /// 256 colours
    Gif,
    /// Animated PNG
    Apng,
    /// H.264 or what ffmpeg has; needs ffmpeg on the PATH
    Mp4,
    /// PNG files in a directory: 00000.png, 00001.png, ...
    Frames,
    /// One picture, with --strobe
    Png,
}

impl FilmFormat {
    /// The extension of its files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            FilmFormat::Gif => "gif",
            FilmFormat::Apng => "apng",
            FilmFormat::Mp4 => "mp4",
            FilmFormat::Frames | FilmFormat::Png => "png",
        }
    }
}

/// A width and a height.
#[derive(Clone, Copy, Debug)]
struct Size([usize; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let side = |text: &str| text.parse().ok().filter(|side| (16..=4096).contains(side));
        let sides = text.split_once('x').and_then(|(w, h)| Some([side(w)?, side(h)?]));
        sides
            .map(Size)
            .ok_or_else(|| "a size is a width and a height from 16 to 4096, such as 854x480".into())
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1.0..=100.0).contains(rate));
    rate.ok_or_else(|| "a rate is a number from 1 to 100".into())
}

impl Args {
    /// The options of the library.
    pub(crate) fn options(&self) -> RenderOptions {
        RenderOptions {
            size: self.size.0,
            fps: self.picture_rate,
            range: [self.start, self.end],
            view: self.view.0,
            theme: self.theme.0,
            colours: self.bodies.colours.0,
            ground: Vec::new(),
            threads: self.pictures.inputs.selection.jobs.and_then(|jobs| usize::from(jobs).try_into().ok()),
        }
    }
}
