//! Messages as JSON.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::Message;

/// An error or warning.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Row<'a> {
    /// The stable code, such as `bvh::row-length`.
    code: &'a str,
    /// One sentence.
    message: &'a str,
    /// The file it is about, where that is not the input itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    /// From 1; null where it is about no line.
    line: Option<usize>,
    /// From 1, in characters.
    column: Option<usize>,
    /// How often it was found; the first is described.
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    joint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<&'a str>,
    /// From 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<usize>,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    /// How many other errors the file has.
    #[serde(skip_serializing_if = "Option::is_none")]
    further: Option<usize>,
}

impl<'a> From<&'a Message> for Row<'a> {
    fn from(message: &'a Message) -> Row<'a> {
        let (line, column) = message.place.unzip();
        Row {
            code: message.code,
            message: &message.message,
            path: message.path.as_deref(),
            line,
            column,
            count: message.count,
            joint: message.context.joint.as_deref(),
            channel: message.context.channel.as_deref(),
            frame: message.context.frame,
            note: message.note.as_deref(),
            help: message.help.as_deref(),
            further: (message.further > 0).then_some(message.further as usize),
        }
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Row::from(self).serialize(serializer)
    }
}

impl JsonSchema for Message {
    fn schema_name() -> Cow<'static, str> {
        "Diagnostic".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Row::json_schema(generator)
    }
}
