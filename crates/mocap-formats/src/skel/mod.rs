//! Skeletons as a file that a person can edit (`.skel`): JSON with names in place of indices, degrees in place of
//! radians, and no values that are the default.

mod document;
mod format;
mod from_skeleton;
mod parse;
mod preset;
mod problem;
mod robot;
mod rotation;
mod source;
mod to_skeleton;
mod write;

pub use parse::parse;
pub use preset::{Preset, preset, presets};
pub use problem::Problem;
pub use write::to_bytes;

pub(crate) use document::File;
pub(crate) use format::FORMAT;
pub(crate) use from_skeleton::file_of;
pub(crate) use rotation::rotation;
pub(crate) use source::Source;
pub(crate) use to_skeleton::skeleton;

/// The JSON Schema of `.skel` files, for editors that check and complete while one writes.
pub fn json_schema() -> String {
    crate::tagged::json_schema::<File>()
}
