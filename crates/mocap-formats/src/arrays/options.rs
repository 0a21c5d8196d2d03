//! How a motion becomes arrays.

use std::fmt;
use std::str::FromStr;

use super::Precision;

/// How a motion is written as arrays. The defaults are those of the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArrayOptions {
    /// The type of floats. Default: 32 bits.
    pub precision: Precision,
    /// How local rotations are encoded. Default: quaternions.
    pub rotations: RotationFormat,
    /// Windows of frames for training. Default: none.
    pub window: Option<Window>,
}

/// Windows of frames: each starts `stride` frames after the one before, and none leaves its clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Frames of a window; above 0.
    pub frames: usize,
    /// Frames from the start of a window to that of the next; above 0.
    pub stride: usize,
}

impl Window {
    /// The starts of the windows of a clip of that many frames, from its first frame.
    pub fn starts(self, frames: usize) -> impl Iterator<Item = usize> {
        let last = frames.checked_sub(self.frames);
        (0..last.map_or(0, |last| last + 1)).step_by(self.stride.max(1))
    }
}

/// How local rotations are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RotationFormat {
    /// Unit quaternions W, X, Y, Z: shape `(frames, joints, 4)`.
    #[default]
    Quaternion,
    /// The first two columns of the rotation matrix, one after the other: `(frames, joints, 6)`. Continuous.
    /// Based on: Y. Zhou et al., "On the Continuity of Rotation Representations in Neural Networks", 2019.
    SixD,
    /// Rotation matrices: `(frames, joints, 3, 3)`.
    Matrix,
    /// Axis times angle \[rad\]: `(frames, joints, 3)`.
    AxisAngle,
    /// Euler angles \[rad\] in the order of each joint (`euler_orders`), continuous over time: `(frames, joints, 3)`.
    Euler,
}

impl RotationFormat {
    /// All of them.
    pub const ALL: [RotationFormat; 5] = [
        RotationFormat::Quaternion,
        RotationFormat::SixD,
        RotationFormat::Matrix,
        RotationFormat::AxisAngle,
        RotationFormat::Euler,
    ];

    /// The name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            RotationFormat::Quaternion => "quaternion",
            RotationFormat::SixD => "6d",
            RotationFormat::Matrix => "matrix",
            RotationFormat::AxisAngle => "axis-angle",
            RotationFormat::Euler => "euler",
        }
    }

    /// The shape of one rotation.
    pub const fn shape(self) -> &'static [usize] {
        match self {
            RotationFormat::Quaternion => &[4],
            RotationFormat::SixD => &[6],
            RotationFormat::Matrix => &[3, 3],
            RotationFormat::AxisAngle | RotationFormat::Euler => &[3],
        }
    }
}

impl fmt::Display for RotationFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RotationFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<RotationFormat, String> {
        RotationFormat::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| {
            let names = RotationFormat::ALL.map(RotationFormat::name).join(", ");
            format!("'{text}' is not an encoding of rotations; these are {names}")
        })
    }
}
