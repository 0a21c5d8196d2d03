//! JSON files of this project (`.skel` files, JSON clips, maps), each with its format and version: shared parsing,
//! location of values, and layout.

mod foreign;
mod locate;
mod parse;
mod problem;
mod write;

pub use problem::{Fault, Problem};

pub(crate) use locate::{Step, locate};
pub(crate) use parse::deserialize;
pub(crate) use problem::{Codes, Shape};
pub(crate) use write::{emit, emit_to};

use crate::Finding;
use foreign::recognise;

/// Refuses files of other programs by name.
pub(crate) fn refuse_foreign(text: &[u8], shape: &'static Shape) -> Result<(), Finding> {
    match recognise(text) {
        Some(what) => Err(Finding::new(shape.problem(Fault::OtherProgram { what, expected: shape.holds }))),
        None => Ok(()),
    }
}

/// The JSON Schema of a shape.
pub(crate) fn json_schema<T: schemars::JsonSchema>() -> String {
    let schema = schemars::schema_for!(T);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema has string keys");
    text.push('\n');
    text
}
