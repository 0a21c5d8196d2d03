//! Why a mesh cannot be read.

use std::fmt;

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Of a text, both from 1.
    Line {
        /// The line.
        line: usize,
        /// The column of its first byte.
        column: usize,
    },
    /// A byte, from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line { line, column } => write!(f, "line {line}, column {column}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// Why a mesh cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct MeshError {
    /// A stable code, such as `obj::number`.
    pub code: &'static str,
    /// Where.
    pub place: Place,
    /// What was found and what was expected.
    pub message: String,
}

impl MeshError {
    pub(crate) fn new(code: &'static str, place: Place, message: impl Into<String>) -> MeshError {
        MeshError { code, place, message: message.into() }
    }
}
