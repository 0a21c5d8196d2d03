//! Options for reading and writing files of any format.

use std::sync::Arc;

use mocap_model::{EulerOrder, Skeleton};

use crate::arrays::ArrayOptions;
use crate::asf::{self, AsfUnits};
use crate::bvh::{NameStyle, PositionChannels, PositionMode};
use crate::robot_motion::Order;
use crate::{ClipChoice, FilesBeside, Format, Limits, body};

/// Options for reading a file of any format. By default, what the file states is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The format. Default: by the content.
    pub format: Option<Format>,
    /// The skeleton that an AMC file moves: without it an AMC file cannot be read.
    pub skeleton: Option<asf::Document>,
    /// The body whose bones an SMPL motion moves: a skeleton with the joints of a model in its rest pose. Default: the
    /// mean body. Of a robot's motion, the skeleton of the robot: without it none can be read.
    pub body: Option<Arc<Skeleton>>,
    /// How position channels and OFFSET of a BVH combine. Default: as the file suggests.
    pub position_channels: PositionChannels,
    /// The unit of the lengths of an ASF. Default: that of the CMU database where the file says `length 0.45`.
    pub asf_units: AsfUnits,
    /// Frames per second, finite and above 0. Default: as the file says, else 120 for AMC and 30 for BVH.
    pub fps: Option<f64>,
    /// Whether values that are not finite are interpolated. Default: they are an error.
    pub repair: bool,
    /// Which of several clips in a file is read. Default: the first, with a warning.
    pub clip: Option<ClipChoice>,
    /// The files that the file refers to: see [`Format::files_beside`].
    pub beside: FilesBeside,
    /// Bounds on the size of a file and of its clip.
    pub limits: Limits,
}

/// How a clip or skeleton is written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// The rotation order of every joint of a BVH. Default: that of the skeleton.
    pub euler: Option<EulerOrder>,
    /// How far the rounding of numbers in a BVH may move a joint \[m, above 0\]. Default: 1e-6;
    /// larger values have the effect of the default.
    pub tolerance: Option<f64>,
    /// How names are written in a BVH. Default: as they are.
    pub names: NameStyle,
    /// What the positions of joints below the root of a BVH mean. Default: they replace OFFSET.
    pub positions: PositionMode,
    /// How a motion becomes arrays (NPZ, safetensors).
    pub arrays: ArrayOptions,
    /// The order of joints and bodies in the motion of a robot. Default: that of the model.
    pub order: Order,
    /// How a body is drawn in formats that show meshes. Default: capsules.
    pub mesh: Option<body::Style>,
    /// In formats with keys, the largest error of key reduction \[m\], at joints and at points 3 cm beside them. 0:
    /// every frame is a key. Default: 1e-5.
    pub key_error: Option<f64>,
    /// Whether rotations are 16-bit integers in formats that have them. Default: 32-bit floats.
    pub short_rotations: bool,
    /// The limits of the reader for which the file is written.
    pub limits: Limits,
}
