//! The shape of a JSON clip.

use crate::tagged::{Codes, Shape};
use schemars::JsonSchema;
use serde::Deserialize;

/// How files of the format name it.
pub(super) static SHAPE: Shape = Shape {
    format: "mocap-clip",
    version: 1,
    holds: "a clip",
    codes: Codes {
        other_program: "json::other-program",
        syntax: "json::syntax",
        field: "json::field",
        format: "json::format",
        version: "json::version",
    },
};

/// A clip of motion capture: a skeleton and how it moves.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "mocap clip")]
pub(super) struct File {
    /// Always `mocap-clip`.
    // Checked before the rest is read, as is the version.
    #[serde(rename = "format")]
    #[schemars(extend("const" = SHAPE.format))]
    _format: String,
    /// The version of the format: 1.
    #[serde(rename = "version")]
    #[schemars(range(min = 1, max = 1))]
    _version: u32,
    /// The skeleton, as in a `.skel` file.
    pub(super) skeleton: crate::skel::File,
    /// Frames a second; above 0.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(super) fps: f64,
    /// The number of frames.
    pub(super) frames: usize,
    /// The motion of joints.
    #[serde(default)]
    pub(super) tracks: Vec<TrackField>,
    /// The name of the clip.
    #[serde(default)]
    pub(super) name: String,
    /// Numbers over time, such as the weights of morph targets; names are unique.
    #[serde(default)]
    pub(super) scalars: Vec<ScalarField>,
    /// Moments with a name.
    #[serde(default)]
    pub(super) events: Vec<EventField>,
}

/// A number over time.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScalarField {
    /// Unique in the clip.
    pub(super) name: String,
    /// One for all frames or one a frame.
    pub(super) values: Vec<f64>,
}

/// A moment with a name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EventField {
    /// Seconds from the first frame.
    pub(super) time: f64,
    /// What happens.
    pub(super) name: String,
}

/// The motion of a joint; a joint without one stays at rest.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrackField {
    /// The name of a joint of the skeleton.
    pub(super) joint: String,
    /// Quaternions W, X, Y, Z: one for all frames or one a frame.
    pub(super) rotation: Option<Vec<[f64; 4]>>,
    /// Places in the parent's frame: one for all frames or one a frame.
    pub(super) translation: Option<Vec<[f64; 3]>>,
    /// Scales along the axes of the joint, which stretch the joints below it: one for all frames or one a frame.
    pub(super) scale: Option<Vec<[f64; 3]>>,
}
