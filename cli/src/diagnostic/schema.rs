//! The shape of a diagnostic in `--json`.

#![allow(dead_code, reason = "the shape is only described")]

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::Diagnostic;

/// An error or warning.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Shape {
    /// The stable code, such as `bvh::row-length`.
    code: String,
    /// One sentence.
    message: String,
    /// The file it is about, where that is not the input itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// From 1; null where it is about no line.
    line: Option<usize>,
    /// From 1, in characters.
    column: Option<usize>,
    /// How often it was found; the first is described.
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    joint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    /// From 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    /// How many other errors the file has.
    #[serde(skip_serializing_if = "Option::is_none")]
    further: Option<usize>,
}

impl JsonSchema for Diagnostic {
    fn schema_name() -> Cow<'static, str> {
        "Diagnostic".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Shape::json_schema(generator)
    }
}
