//! Skeletons as a file that a person can edit (`.skel`): JSON with names in place of numbers, degrees in place
//! of radians, and nothing that goes without saying.

mod emit;
mod file;
mod foreign;
mod locate;
mod preset;
mod problem;
mod read;
mod write;

pub use preset::{Preset, preset, presets};
pub use problem::Problem;
pub use read::parse;
pub use write::to_bytes;

pub(crate) use emit::{emit, emit_to};
pub(crate) use file::File;
pub(crate) use foreign::recognise;
pub(crate) use locate::{Step, locate};
pub(crate) use read::{Source, deserialize, rotation, skeleton};
pub(crate) use write::file_of;

/// The JSON Schema of `.skel` files, for editors that check and complete while one writes.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(File);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema has string keys");
    text.push('\n');
    text
}
