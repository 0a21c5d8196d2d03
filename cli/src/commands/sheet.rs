//! `mocap sheet`: poses of motions side by side.

use std::str::FromStr;

use clap::{Args as ClapArgs, ValueEnum};
use mocap_report::sheet::{Moment, SheetInput, SheetOptions, png, svg};
use mocap_report::{Theme, View};

use super::picture::{self, Drawn, Pictures};
use crate::args::{FirstFrame, Invocation, Reading};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Draw poses of motions side by side, as SVG or PNG
///
/// Each motion has its own rows, all at one scale: for a look at many, and to compare them.
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    #[command(flatten)]
    pictures: Pictures,
    /// Format of the output [default: by the extension of OUT, else svg]
    #[arg(long, value_name = "FORMAT", help_heading = "Writing")]
    to: Option<ImageFormat>,
    /// Poses of each motion, evenly spread from its first frame to its last [1 to 1000]
    #[arg(long, value_name = "N", default_value = "24", value_parser = clap::value_parser!(u32).range(1..=1000))]
    poses: u32,
    /// These poses in place of the even ones: times or frames from 0, such as 1.2s,3s or 0,120
    #[arg(long, value_name = "TIMES", value_delimiter = ',', conflicts_with = "poses")]
    at: Vec<Time>,
    /// Where the poses are seen from
    #[arg(long, value_name = "VIEW", default_value = "perspective")]
    view: ViewArg,
    /// Background and colours; an SVG in light colours follows a reader who prefers dark
    #[arg(long, value_name = "THEME", default_value = "light")]
    theme: ThemeArg,
    /// Greatest width [px, 200 to 10000]
    #[arg(long, value_name = "PX", default_value = "1120", value_parser = clap::value_parser!(u16).range(200..=10_000))]
    width: u16,
    #[command(flatten)]
    first: FirstFrame,
    #[command(flatten)]
    reading: Reading,
}

/// A picture format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImageFormat {
    Svg,
    Png,
}

/// A background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeArg {
    Light,
    Dark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ViewArg {
    /// From the front right and a little above
    Perspective,
    /// From the front
    Front,
    /// From the character's right
    Side,
}

/// A point in a motion as typed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Time(Moment);

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Time, String> {
        let moment = match text.trim().strip_suffix('s') {
            Some(seconds) => {
                seconds.parse().ok().filter(|s: &f64| s.is_finite() && *s >= 0.0).map(Moment::Seconds)
            }
            None => text.trim().parse().ok().map(Moment::Frame),
        };
        moment.map(Time).ok_or_else(|| format!("'{text}' is neither a time such as 1.2s nor a frame from 0"))
    }
}

impl ImageFormat {
    /// As stated, else by the extension of the output, else SVG.
    pub(crate) fn of(stated: Option<ImageFormat>, pictures: &Pictures) -> Result<ImageFormat, Diagnostic> {
        match (stated, pictures.extension()) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(ImageFormat::Svg),
            (None, Some(extension)) => ImageFormat::from_str(extension, true).map_err(|_| {
                Diagnostic::new("usage::format", format!("'.{extension}' is no picture format this writes"))
                    .help("name the output .svg or .png, or state the format with --to")
            }),
        }
    }

    /// The extension of its files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            ImageFormat::Svg => "svg",
            ImageFormat::Png => "png",
        }
    }
}

impl From<ThemeArg> for Theme {
    fn from(theme: ThemeArg) -> Theme {
        match theme {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let format = ImageFormat::of(args.to, &args.pictures)?;
    let options = SheetOptions {
        poses: args.poses as usize,
        at: args.at.iter().map(|time| time.0).collect(),
        view: match args.view {
            ViewArg::Perspective => View::Perspective,
            ViewArg::Front => View::Front,
            ViewArg::Side => View::Side,
        },
        width: f32::from(args.width),
        theme: args.theme.into(),
        ..SheetOptions::default()
    };
    let reading = args.first.of(&args.reading);
    picture::run(&args.pictures, &reading, format.extension(), (invocation, console), |drawn| {
        sheet(drawn, &options, format)
    })
}

fn sheet(drawn: &[Drawn], options: &SheetOptions, format: ImageFormat) -> Result<Vec<u8>, Diagnostic> {
    let inside = |drawn: &Drawn| options.at.iter().any(|moment| moment.frame_in(&drawn.clip).is_some());
    if !options.at.is_empty()
        && let Some(outside) = drawn.iter().find(|drawn| !inside(drawn))
    {
        let (frames, seconds) = (outside.clip.frames(), outside.clip.duration());
        let message = format!(
            "none of the moments of --at lies in '{}': it has {frames} frames, {seconds:.2} s",
            outside.name
        );
        return Err(Diagnostic::new("sheet::no-pose", message));
    }
    let nowhere = |moment: &&Moment| drawn.iter().all(|drawn| moment.frame_in(&drawn.clip).is_none());
    if let Some(moment) = options.at.iter().find(nowhere) {
        let moment = match moment {
            Moment::Frame(frame) => format!("frame {frame}"),
            Moment::Seconds(seconds) => format!("{seconds} s"),
        };
        let longest = drawn.iter().max_by(|a, b| a.clip.duration().total_cmp(&b.clip.duration()));
        let (frames, seconds) =
            longest.map_or((0, 0.0), |drawn| (drawn.clip.frames(), drawn.clip.duration()));
        let message =
            format!("--at: {moment} lies behind the end: there are {frames} frames, {seconds:.2} s");
        return Err(Diagnostic::new("sheet::no-pose", message));
    }
    let inputs: Vec<SheetInput<'_>> =
        drawn.iter().map(|drawn| SheetInput { name: &drawn.name, clip: &drawn.clip }).collect();
    Ok(match format {
        ImageFormat::Svg => svg(&inputs, options).into_bytes(),
        ImageFormat::Png => png(&inputs, options),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_seconds_or_frames() {
        assert_eq!("1.2s".parse(), Ok(Time(Moment::Seconds(1.2))));
        assert_eq!("120".parse(), Ok(Time(Moment::Frame(120))));
        for wrong in ["", "s", "1.2", "-1", "-1s", "infs", "1m"] {
            assert!(wrong.parse::<Time>().is_err(), "{wrong}");
        }
    }
}
