//! How motions become arrays.

use std::num::NonZeroU32;

use clap::Args;
use globset::Glob;
use mocap_batch::Split;
use mocap_formats::arrays::{ArrayOptions, Precision, RotationFormat, Window};
use serde::Deserialize;

use super::setting;
use super::words::words;

/// What is written into NPZ and safetensors files.
#[derive(Clone, Debug, PartialEq, Args, Deserialize)]
#[command(next_help_heading = "Arrays (npz, safetensors)")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct ArrayStyle {
    /// Type of floats: f32, or f64 to keep every bit [default: f32]
    #[arg(
        long,
        value_name = "TYPE",
        default_value = "f32",
        hide_default_value = true,
        hide_possible_values = true
    )]
    dtype: DtypeArg,
    /// Local rotations: quaternion (W X Y Z), 6d, matrix, axis-angle or euler [default: quaternion]
    ///
    /// Angles are radians. 6d is the first two columns of the rotation matrix.
    #[arg(long, value_name = "ENCODING", default_value = "quaternion", hide_default_value = true)]
    #[serde(deserialize_with = "setting::one")]
    rotations: RotationFormat,
    /// Keep only joints whose name matches a glob; repeatable
    ///
    /// A joint whose parent is left out moves to the nearest ancestor that is kept; its motion stays where it was.
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    #[serde(deserialize_with = "setting::list")]
    pub(crate) joints: Vec<Glob>,
    /// List windows of N frames in window_starts [1 or more; default: none]
    ///
    /// A window never leaves its clip.
    #[arg(long, value_name = "N")]
    #[serde(deserialize_with = "setting::option")]
    window: Option<NonZeroU32>,
    /// Frames from the start of a window to the next [1 or more; default: the length of a window]
    #[arg(long, value_name = "M", requires = "window")]
    #[serde(deserialize_with = "setting::option")]
    stride: Option<NonZeroU32>,
}

/// How motions become arrays and sets of them.
#[derive(Clone, Debug, PartialEq, Args)]
#[command(next_help_heading = "Arrays (npz, safetensors)")]
pub(crate) struct ArraySettings {
    #[command(flatten)]
    pub(crate) style: ArrayStyle,
    /// Write N clips into a file, as a data set [1 or more; default: one clip]
    ///
    /// The files are pack-00000.npz and so on below the directory OUT; dataset.json describes them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pack: Option<u32>,
    /// Shares of train, val and test, such as 8:1:1 [default: no parts]
    ///
    /// A hash of the path of each input determines its part.
    #[arg(long, value_name = "SHARES", requires = "pack")]
    pub(crate) split: Option<Split>,
    /// Write mean and standard deviation of every array over the part train
    #[arg(long, requires = "pack")]
    pub(crate) normalise: bool,
}

words! {
    /// The type of floats.
    DtypeArg(Precision) {
        "f32" => Precision::F32,
        "f64" => Precision::F64,
    }
}

impl Default for ArrayStyle {
    fn default() -> ArrayStyle {
        super::defaults()
    }
}

impl ArrayStyle {
    /// The options of the library.
    pub(crate) fn options(&self) -> ArrayOptions {
        ArrayOptions {
            precision: self.dtype.0,
            rotations: self.rotations,
            window: self.window.map(|frames| Window {
                frames: frames.get() as usize,
                stride: self.stride.unwrap_or(frames).get() as usize,
            }),
        }
    }

    /// The first flag that is given.
    pub(crate) fn asked(&self) -> Option<&'static str> {
        let usual = ArrayOptions::default();
        let ArrayOptions { precision, rotations, window } = self.options();
        let flags = [
            ("--dtype", precision != usual.precision),
            ("--rotations", rotations != usual.rotations),
            ("--joints", !self.joints.is_empty()),
            ("--window", window.is_some()),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}

impl ArraySettings {
    /// The first flag that only applies to arrays.
    pub(crate) fn asked(&self) -> Option<&'static str> {
        self.style.asked().or(self.pack.map(|_| "--pack"))
    }
}

fn glob(text: &str) -> Result<Glob, String> {
    Glob::new(text).map_err(|error| format!("'{text}' is not a glob: {}", error.kind()))
}
