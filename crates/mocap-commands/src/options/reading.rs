//! How inputs are to be read.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use mocap::FileFormat;
use mocap_formats::Limits;
use mocap_formats::asf::AsfUnits;
use mocap_formats::bvh::PositionChannels;
use mocap_model::{FrameRate, SignedAxis};
use serde::Deserialize;

use super::formats::readable;
use super::peers::PeerInputs;
use super::size::{ByteSize, Count, limits};
use super::words::words;
use super::{UnitLength, setting};

/// What the inputs mean where they do not state it, or state it wrongly.
#[derive(Clone, Debug, PartialEq, Args, Deserialize)]
#[command(next_help_heading = "Reading")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct Reading {
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help = format!("Format: {} [default: detected]", readable()),
        long_help = format!("Format: {} [default: by extension, then by content]", readable())
    )]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) from: Option<FromFormat>,
    /// Frame rate [frames per second, above 0; default: as stated]
    ///
    /// The default of AMC is 120, and of a BVH that states none 30. It changes the timing; all frames are kept.
    #[arg(long, value_name = "FPS")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) input_fps: Option<FrameRate>,
    /// Unit: m, cm, mm, in, ft, cmu or metres [default: as stated]
    ///
    /// cmu is 1/0.45 in; a number is metres per unit. A unit that the file does not state is guessed from the size of
    /// the skeleton, with a warning.
    #[arg(long, value_name = "UNIT")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) input_unit: Option<UnitLength>,
    /// Up axis: X, Y, Z, -X, -Y or -Z [default: as stated, else Y]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) input_up: Option<SignedAxis>,
    /// One of several bodies in a file: its name, its number from 1, or all [default: all]
    ///
    /// `mocap info` lists them. Of recordings of markers it is the name before the colon of the labels.
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: Option<String>,
    /// BVH position channels: auto, replace or add [default: auto]
    #[arg(
        long,
        value_name = "MEANING",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) position_channels: PositionChannelsArg,
    /// ASF units: auto, cmu, spec or raw [default: auto]
    #[arg(
        long,
        value_name = "RULE",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) asf_units: AsfUnitsArg,
    /// Skeleton of AMC inputs [default: an ASF in the same folder]; bones of SMPL inputs [default: mean body]
    ///
    /// The ASF is the one whose name starts the name of the AMC (01.asf for 01_02.amc), else the only one there.
    #[arg(long, value_name = "FILE")]
    pub(crate) skeleton: Option<PathBuf>,
    /// File with the skeleton of clips that were compressed with --no-skeleton
    ///
    /// Any format with a skeleton, such as the clip before it was compressed.
    #[arg(long, value_name = "FILE")]
    pub(crate) skeleton_ref: Option<PathBuf>,
    /// Interpolate over NaN and infinite values
    ///
    /// With a warning, instead of refusing the file. In recordings of markers, such values become gaps.
    #[arg(long)]
    pub(crate) repair: bool,
    /// Largest input [bytes, above 0; default: 1GiB]
    ///
    /// Takes kB, MB, GB, KiB, MiB and GiB. A larger file is not read; an endless input ends there.
    #[arg(long, value_name = "SIZE")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) max_bytes: Option<ByteSize>,
    /// Largest motion [frames × joints, above 0; default: 64M]
    ///
    /// Takes k, M and G. It bounds the motion of an input and each output: a small file can state hours of motion.
    #[arg(long, value_name = "COUNT")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) max_samples: Option<Count>,
    /// Treat warnings as errors: an input with a warning fails
    #[arg(long)]
    pub(crate) strict: bool,
    /// Whether the first frame is dropped anyway: then a rest pose there is harmless.
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) rest_frame_dropped: bool,
    /// Whether the first frame is dropped.
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) drop_first_frame: bool,
    /// The inputs that settle what one of them leaves open.
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) peers: PeerInputs,
}

/// Which frames of the inputs count, where they are not edited.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct FirstFrame {
    /// Drop the first frame (a rest pose in CMU BVH files)
    #[arg(long)]
    pub(super) drop_first_frame: bool,
}

impl Default for Reading {
    fn default() -> Reading {
        super::defaults()
    }
}

impl Reading {
    /// Bounds on inputs and outputs.
    pub(crate) fn limits(&self) -> Limits {
        limits(self.max_bytes, self.max_samples)
    }

    /// How a file is read that is beside the inputs, such as a prop: what it states itself about its space counts.
    pub(crate) fn beside(&self, file: &Path) -> Reading {
        let states = FileFormat::of_path(file).is_some_and(FileFormat::states_space);
        let (unit, up) = if states { (None, None) } else { (self.input_unit, self.input_up) };
        Reading { input_unit: unit, input_up: up, ..self.clone() }
    }
}

impl FirstFrame {
    /// The reading that drops it.
    pub(crate) fn of(self, reading: &Reading) -> Reading {
        Reading { drop_first_frame: self.drop_first_frame, ..reading.clone() }
    }
}

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FromFormat(pub(crate) FileFormat);

impl FromStr for FromFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<FromFormat, String> {
        let format = FileFormat::from_extension(text).ok_or_else(|| {
            format!("'{text}' is not a readable format; readable formats are {}", readable())
        })?;
        format.readable()?;
        Ok(FromFormat(format))
    }
}

words! {
    /// What position channels of a BVH mean.
    PositionChannelsArg(PositionChannels) {
        /// Detected from the values; `mocap info` shows the result
        "auto" => PositionChannels::Auto,
        /// They replace OFFSET (LAFAN1, Bandai, most exporters)
        "replace" => PositionChannels::Replace,
        /// They are added to OFFSET (iClone, Character Creator)
        "add" => PositionChannels::Add,
    }
    /// How an ASF states its unit.
    AsfUnitsArg(AsfUnits) {
        /// As `cmu` where the file says `length 0.45`, else unknown
        "auto" => AsfUnits::Auto,
        /// metres = number / length * 0.0254, as the CMU database means it
        "cmu" => AsfUnits::Cmu,
        /// metres = number * length * 0.0254, as the Acclaim text says
        "spec" => AsfUnits::Spec,
        /// Numbers unchanged, unit unknown
        "raw" => AsfUnits::Raw,
    }
}
