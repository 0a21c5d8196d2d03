//! From bytes to the fields of a shape.

use super::locate::{Step, locate};
use super::problem::{Fault, Shape};
use crate::Finding;
use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};
use std::ops::Range;

/// The fields that identify a file.
#[derive(serde::Deserialize)]
struct Tag {
    format: Option<String>,
    version: Option<u32>,
}

/// Reads JSON of a shape; an error names the field and its place. Format and version are checked first, because fields
/// of others are not mistakes.
pub(crate) fn deserialize<T: DeserializeOwned>(text: &[u8], shape: &'static Shape) -> Result<T, Finding> {
    // serde would accept an array as the fields in their order.
    if text.trim_ascii_start().first() != Some(&b'{') {
        let start = text.len() - text.trim_ascii_start().len();
        let fault = Fault::Syntax { message: "the file does not start with '{'".into() };
        return Err(Finding::new(shape.problem(fault)).at(text, start..start + 1));
    }
    if let Ok(tag) = serde_json::from_slice::<Tag>(text) {
        check_tag(text, tag, shape)?;
    }
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().clone();
        json_error(text, Some(&path), error.into_inner(), shape)
    })?;
    reader.end().map_err(|error| json_error(text, None, error, shape))?;
    Ok(value)
}

fn check_tag(text: &[u8], tag: Tag, shape: &'static Shape) -> Result<(), Finding> {
    let error =
        |key: &str, fault| Err(Finding::new(shape.problem(fault)).at(text, locate(text, &[Step::Key(key)])));
    match (tag.format, tag.version) {
        (Some(found), _) if found != shape.format => {
            error("format", Fault::Format { found, expected: shape.format })
        }
        (Some(_), Some(found)) if found > shape.version || found == 0 => {
            error("version", Fault::Version { found, known: shape.version })
        }
        _ => Ok(()),
    }
}

fn json_error(text: &[u8], path: Option<&Path>, error: serde_json::Error, shape: &'static Shape) -> Finding {
    let full = error.to_string();
    // The place is split from the message.
    let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(message, _)| message);
    let mut span = token_before(text, byte_of(text, error.line(), error.column()));
    let fault = match (error.classify(), path) {
        (serde_json::error::Category::Data, Some(path)) => {
            // The parser reports a missing field at the end of its object; the object starts at its path.
            if message.starts_with("missing field") || message.starts_with("invalid length") {
                span = locate(text, &steps(path));
            }
            let path = if path.iter().len() == 0 { "the file".to_owned() } else { path.to_string() };
            Fault::Field { path, message: plain(message) }
        }
        _ => Fault::Syntax { message: plain(message) },
    };
    Finding::new(shape.problem(fault)).at(text, span)
}

/// Rewrites a message of `serde_json` in terms of JSON instead of Rust.
fn plain(message: &str) -> String {
    const WORDS: [(&str, &str); 20] = [
        ("invalid type: ", "found "),
        ("invalid value: ", "found "),
        ("invalid length ", "the number of values is "),
        ("missing field ", "missing field "),
        ("unknown field ", "unknown field "),
        ("duplicate field ", "duplicate field "),
        ("key must be a string", "expected a name in double quotes"),
        ("an array of length ", ""),
        ("a tuple of size ", ""),
        ("a sequence", "a list"),
        ("sequence", "a list"),
        ("map", "an object"),
        ("struct ", "an object for "),
        ("EOF while parsing", "the file ends within"),
        ("floating point ", "the number "),
        ("boolean ", "the word "),
        ("string ", "the text "),
        ("f64", "a number"),
        ("u32", "a whole number"),
        ("usize", "a whole number"),
    ];
    // Quoted parts of the message come from the file and stay as they are.
    let pieces = message.split(['`', '"']).enumerate().map(|(i, piece)| {
        if i % 2 == 1 {
            return format!("'{piece}'");
        }
        WORDS.iter().fold(piece.to_owned(), |piece, (theirs, ours)| piece.replacen(theirs, ours, 1))
    });
    pieces.collect()
}

fn steps(path: &Path) -> Vec<Step<'_>> {
    let steps = path.iter().map(|segment| match segment {
        Segment::Seq { index } => Some(Step::Index(*index)),
        Segment::Map { key } => Some(Step::Key(key)),
        _ => None,
    });
    steps.map_while(|step| step).collect()
}

/// The byte offset of a 1-based line and column (in bytes), as `serde_json` reports them.
fn byte_of(text: &[u8], line: usize, column: usize) -> usize {
    let mut start = 0;
    for _ in 1..line.max(1) {
        let Some(end) = text[start..].iter().position(|&byte| byte == b'\n') else { break };
        start += end + 1;
    }
    (start + column).min(text.len())
}

/// The word or string that ends at `end`.
fn token_before(text: &[u8], end: usize) -> Range<usize> {
    let before = &text[..end];
    let start = match before.last() {
        Some(b'"') => before[..end - 1].iter().rposition(|&byte| byte == b'"'),
        _ => before.iter().rposition(|byte| b" \t\r\n,:[]{}\"".contains(byte)).map(|at| at + 1),
    };
    let start = start.unwrap_or(0).min(end.saturating_sub(1));
    start..end.max(start)
}
