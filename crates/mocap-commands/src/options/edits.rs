//! Edits of a motion, shared by verbs and by the step `edit`.

use clap::Args;
use mocap::EditOptions;
use mocap_model::{Factor, FrameRange, FrameRate, SignedAxis, UnitLength};
use serde::Deserialize;

use super::setting;

/// Edits of a motion, in the order in which they are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args, Deserialize)]
#[command(next_help_heading = "Edits")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct Edits {
    /// Drop the first frame: in BVH conversions of the CMU database it is a rest pose
    #[arg(long)]
    pub(crate) drop_first_frame: bool,
    /// Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)
    #[arg(long, value_name = "A:B")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) trim: Option<FrameRange>,
    /// Resample to a rate [frames per second, above 0; default: the rate of the input]; the duration stays
    #[arg(long, value_name = "FPS")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) fps: Option<FrameRate>,
    /// Multiply every length [above 0, default 1]; the unit stays: the character grows or shrinks
    #[arg(long, value_name = "FACTOR")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) scale: Option<Factor>,
    /// Convert lengths to a unit: m, cm, mm, in, ft, cmu (1/0.45 in) or metres per unit [default: the unit of
    /// the input]; the character keeps its size
    #[arg(long, value_name = "UNIT")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) unit: Option<UnitLength>,
    /// Rotate the axes to this up axis: X, Y, Z, -X, -Y or -Z [default: that of the input]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) up: Option<SignedAxis>,
}

/// Edits of the source before it is retargeted.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Edits of the source")]
pub(crate) struct SourceEdits {
    /// Drop the first frame (a rest pose in CMU BVH files)
    #[arg(long)]
    drop_first_frame: bool,
    /// Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)
    #[arg(long, value_name = "A:B")]
    trim: Option<FrameRange>,
    /// Resample [frames per second, above 0; default: that of the source]
    #[arg(long, value_name = "FPS")]
    fps: Option<FrameRate>,
}

impl Edits {
    /// The options of the library.
    pub(crate) fn options(&self) -> EditOptions {
        EditOptions {
            drop_first_frame: self.drop_first_frame,
            trim: self.trim,
            rate: self.fps,
            scale: self.scale.map(|factor| factor.0),
            unit: self.unit.map(|unit| unit.0),
            up: self.up,
            ..EditOptions::default()
        }
    }

    /// The flag that converts units or axes, if given.
    pub(crate) fn of_space(&self) -> Option<&'static str> {
        self.unit.map(|_| "--unit").or(self.up.map(|_| "--up"))
    }
}

impl SourceEdits {
    /// Whether the first frame is dropped.
    pub(crate) fn drop_first_frame(self) -> bool {
        self.drop_first_frame
    }
}

impl From<SourceEdits> for Edits {
    fn from(SourceEdits { drop_first_frame, trim, fps }: SourceEdits) -> Edits {
        Edits { drop_first_frame, trim, fps, ..Edits::default() }
    }
}
