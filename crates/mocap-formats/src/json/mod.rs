//! Clips as one self-contained JSON file: the skeleton in the shape of a `.skel` file and one set of tracks a
//! joint. Every number is kept to the last bit.

mod document;
mod format;
mod parse;
mod problem;
mod write;

use crate::Limits;
use mocap_model::{Clip, Track};

/// The most frames that a file may have. If all tracks are constant, the size of the file does not bound the number of
/// frames, so the limit is on frames × joints.
fn most_frames(clip: &Clip, limits: &Limits) -> usize {
    let moves = clip.tracks().iter().any(|tracks| {
        let vectors = tracks.translation.iter().chain(&tracks.scale);
        tracks.rotation.is_sampled() || vectors.into_iter().any(Track::is_sampled)
    });
    if moves { limits.frames } else { limits.samples / clip.skeleton().len() }
}

pub use parse::parse;
pub use problem::Problem;
pub use write::{to_bytes, writable, write};

pub(crate) use format::FORMAT;

/// The JSON Schema of JSON clips.
pub fn json_schema() -> String {
    crate::tagged::json_schema::<document::File>()
}
