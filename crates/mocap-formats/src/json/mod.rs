//! Clips as one self-contained JSON file: the skeleton in the shape of a `.skel` file and one set of tracks a
//! joint. Every number is kept to the last bit.

mod file;
mod problem;
mod read;
mod write;

pub use problem::Problem;
pub use read::parse;
pub use write::{to_bytes, write};

/// The JSON Schema of JSON clips.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(file::File);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema has string keys");
    text.push('\n');
    text
}
