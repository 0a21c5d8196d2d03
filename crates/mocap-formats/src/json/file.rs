//! The shape of a JSON clip.

use serde::Deserialize;

/// What `format` says.
pub(super) const FORMAT: &str = "mocap-clip";
/// The greatest `version` that is read.
pub(super) const VERSION: u32 = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// Checked before the rest is read, as is the version.
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    pub(super) skeleton: crate::skel::File,
    pub(super) fps: f64,
    pub(super) frames: usize,
    #[serde(default)]
    pub(super) tracks: Vec<TrackField>,
}

/// The motion of a joint; a joint without one stays at rest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrackField {
    pub(super) joint: String,
    /// Quaternions W, X, Y, Z: one for all frames or one a frame.
    pub(super) rotation: Option<Vec<[f64; 4]>>,
    /// Places in the parent's frame: one for all frames or one a frame.
    pub(super) translation: Option<Vec<[f64; 3]>>,
}
