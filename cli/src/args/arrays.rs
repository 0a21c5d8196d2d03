//! How motions become arrays.

use clap::{Args, ValueEnum};
use globset::Glob;
use mocap_batch::Split;
use mocap_formats::Format;
use mocap_formats::arrays::{ArrayOptions, Precision, RotationFormat, Window};

/// What is written into NPZ and safetensors files.
#[derive(Clone, Debug, PartialEq, Args)]
#[command(next_help_heading = "Arrays (npz, safetensors)")]
pub(crate) struct ArraySettings {
    /// Type of floats: f32, or f64 to keep every bit [default: f32]
    #[arg(
        long,
        value_name = "TYPE",
        default_value = "f32",
        hide_default_value = true,
        hide_possible_values = true
    )]
    dtype: Dtype,
    /// Local rotations: quaternion (W X Y Z), 6d, matrix, axis-angle or euler [default: quaternion]
    ///
    /// Angles are radians. 6d is the first two columns of the rotation matrix.
    #[arg(long, value_name = "ENCODING", default_value = "quaternion", hide_default_value = true)]
    rotations: RotationFormat,
    /// Keep only joints whose name matches a glob; repeatable
    ///
    /// A joint whose parent is left out moves to the nearest ancestor that is kept; its motion stays where it was.
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) joints: Vec<Glob>,
    /// List windows of N frames in window_starts [1 or more; default: none]
    ///
    /// A window never leaves its clip.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    window: Option<u32>,
    /// Frames from the start of a window to the next [1 or more; default: the length of a window]
    #[arg(long, value_name = "M", requires = "window", value_parser = clap::value_parser!(u32).range(1..))]
    stride: Option<u32>,
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

/// The type of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dtype {
    F32,
    F64,
}

impl Default for ArraySettings {
    fn default() -> ArraySettings {
        super::defaults()
    }
}

impl ArraySettings {
    /// The options of the library.
    pub(crate) fn options(&self) -> ArrayOptions {
        ArrayOptions {
            precision: match self.dtype {
                Dtype::F32 => Precision::F32,
                Dtype::F64 => Precision::F64,
            },
            rotations: self.rotations,
            window: self.window.map(|frames| Window {
                frames: frames as usize,
                stride: self.stride.unwrap_or(frames) as usize,
            }),
        }
    }

    /// A flag that asks for something of arrays.
    pub(crate) fn asked(&self) -> Option<&'static str> {
        let usual = ArrayOptions::default();
        let ArrayOptions { precision, rotations, window } = self.options();
        let flags = [
            ("--dtype", precision != usual.precision),
            ("--rotations", rotations != usual.rotations),
            ("--joints", !self.joints.is_empty()),
            ("--window", window.is_some()),
            ("--pack", self.pack.is_some()),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}

/// Whether files of a format hold arrays.
pub(crate) fn holds_arrays(format: Format) -> bool {
    matches!(format, Format::Npz | Format::Safetensors)
}

fn glob(text: &str) -> Result<Glob, String> {
    Glob::new(text).map_err(|error| format!("'{text}' is not a glob: {}", error.kind()))
}
