//! How inputs are to be read.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use mocap::FileFormat;
use mocap_model::{FrameRate, SignedAxis};

use super::{UnitLength, fps, unit};

/// What the inputs mean where they do not say it, or say it wrongly.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help = format!("Format of the inputs: {} [default: by extension, then by content]", readable())
    )]
    pub(crate) from: Option<FromFormat>,
    /// Frame rate of the inputs [frames per second, above 0; default: as the file says, 120 for AMC, 30
    /// where a BVH states none]; changes the timing and no frame
    #[arg(long, value_name = "FPS", value_parser = fps)]
    pub(crate) input_fps: Option<FrameRate>,
    /// Unit of the inputs' numbers: m, cm, mm, in, ft, cmu (1/0.45 in) or metres per unit [default: as the
    /// file says, else guessed from the size of the skeleton, which is said]
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub(crate) input_unit: Option<UnitLength>,
    /// Axis that points up in the inputs: X, Y, Z, -X, -Y or -Z [default: as the file says, else Y]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    pub(crate) input_up: Option<SignedAxis>,
    /// What position channels of a BVH stand for
    #[arg(long, value_name = "MEANING", default_value = "auto")]
    pub(crate) position_channels: PositionChannelsArg,
    /// Rule by which lengths of an ASF become metres
    #[arg(long, value_name = "RULE", default_value = "auto")]
    pub(crate) asf_units: AsfUnitsArg,
    /// Skeleton of AMC inputs [default: the ASF called like the start of its name (01.asf
    /// for 01_02.amc), else the only ASF in its folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) skeleton: Option<PathBuf>,
    /// Interpolate over values that are not numbers (NaN, inf), and count them, instead of refusing the file
    #[arg(long)]
    pub(crate) repair: bool,
    /// Treat warnings as errors: an input with one fails
    #[arg(long)]
    pub(crate) strict: bool,
    /// Whether the first frame is left out anyway: then it does not matter that it is a rest pose.
    #[arg(skip)]
    pub(crate) rest_frame_dropped: bool,
    /// Whether the first frame is left out.
    #[arg(skip)]
    pub(crate) drop_first_frame: bool,
}

/// Which frames of the inputs count, where they are not edited.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct FirstFrame {
    /// Leave out the first frame of the inputs: in BVH conversions of the CMU database it is a rest pose
    #[arg(long)]
    drop_first_frame: bool,
}

impl FirstFrame {
    /// The reading that leaves it out.
    pub(crate) fn of(self, reading: &Reading) -> Reading {
        Reading { drop_first_frame: self.drop_first_frame, ..reading.clone() }
    }
}

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FromFormat(pub(crate) FileFormat);

/// The names of all formats that can be read.
fn readable() -> String {
    let readable = FileFormat::all().filter(|format| format.readable().is_ok());
    readable.map(FileFormat::extension).collect::<Vec<_>>().join(", ")
}

impl FromStr for FromFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<FromFormat, String> {
        let format = FileFormat::from_extension(text)
            .ok_or_else(|| format!("'{text}' is no format that is read; those are {}", readable()))?;
        format.readable()?;
        Ok(FromFormat(format))
    }
}

/// What position channels of a BVH mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PositionChannelsArg {
    /// Found from the file's own numbers, and said by `mocap info`
    Auto,
    /// They stand in place of OFFSET (LAFAN1, Bandai, most exporters)
    Replace,
    /// They are added to OFFSET (iClone, Character Creator)
    Add,
}

/// How an ASF states its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AsfUnitsArg {
    /// As `cmu` where the file says `length 0.45`, else unknown
    Auto,
    /// metres = number / length * 0.0254, as the CMU database means it
    Cmu,
    /// metres = number * length * 0.0254, as the Acclaim text says
    Spec,
    /// Numbers as they are, of an unknown unit
    Raw,
}
