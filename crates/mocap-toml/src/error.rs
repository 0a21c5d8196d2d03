//! What can be wrong with a text, and where.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mocap_formats::Place;
use mocap_model::nearest_name;
use serde::de;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TomlProblem {
    /// The file is not UTF-8.
    NotUtf8,
    /// The text is not TOML.
    Syntax,
    /// A key that nothing reads.
    UnknownKey,
    /// A value of another type.
    Type,
    /// A value of the right type that is not allowed.
    Value,
    /// A required key that is missing.
    Missing(&'static str),
    /// A variable that is unknown, unused, or needs itself.
    Variable,
    /// A problem of the program that reads the text, by its code.
    Other(&'static str),
}

impl TomlProblem {
    /// The stable code, such as `toml::unknown-key`.
    pub fn code(self) -> &'static str {
        match self {
            TomlProblem::NotUtf8 => "toml::not-utf8",
            TomlProblem::Syntax => "toml::syntax",
            TomlProblem::UnknownKey => "toml::unknown-key",
            TomlProblem::Type => "toml::type",
            TomlProblem::Value => "toml::value",
            TomlProblem::Missing(_) => "toml::missing",
            TomlProblem::Variable => "toml::variable",
            TomlProblem::Other(code) => code,
        }
    }
}

/// An error in a text that a user wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct TomlError {
    /// What is wrong.
    pub problem: TomlProblem,
    /// One sentence.
    pub message: String,
    /// What the user can do.
    pub help: Option<String>,
    at: Option<Box<At>>,
}

/// A place and the text that contains it.
#[derive(Clone, Debug, PartialEq)]
struct At {
    path: PathBuf,
    text: Arc<[u8]>,
    span: Range<usize>,
}

impl TomlError {
    /// An error without a place.
    pub fn new(problem: TomlProblem, message: impl Into<String>) -> TomlError {
        TomlError { problem, message: message.into(), help: None, at: None }
    }

    /// The error with what the user can do.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> TomlError {
        TomlError { help: Some(help.into()), ..self }
    }

    /// The error with the name that was probably meant, else with all `known` ones behind `otherwise`.
    #[must_use]
    pub fn nearest(self, name: &str, known: &[&str], otherwise: &str) -> TomlError {
        self.help(did_you_mean(name, known).unwrap_or_else(|| format!("{otherwise} {}", known.join(", "))))
    }

    /// The error at a span of a text \[bytes\].
    #[must_use]
    pub fn at(self, path: &Path, text: Arc<[u8]>, span: Range<usize>) -> TomlError {
        TomlError { at: Some(Box::new(At { path: path.to_owned(), text, span })), ..self }
    }

    /// Whether it has a place.
    pub(crate) fn is_placed(&self) -> bool {
        self.at.is_some()
    }

    /// The stable code, such as `toml::unknown-key`.
    pub fn code(&self) -> &'static str {
        self.problem.code()
    }

    /// The file it is about.
    pub fn path(&self) -> Option<&Path> {
        self.at.as_ref().map(|at| at.path.as_path())
    }

    /// The text it is about, and the bytes in question.
    pub fn excerpt(&self) -> Option<(&[u8], Range<usize>)> {
        self.at.as_ref().map(|at| (&*at.text, at.span.clone()))
    }

    /// Line and column, from 1.
    pub fn place(&self) -> Option<(usize, usize)> {
        let (text, span) = self.excerpt()?;
        let Place { line, column, .. } = Place::of(text, span);
        Some((line, column))
    }
}

/// `did you mean 'name'?`, where one of the known names is near.
///
/// ```
/// assert_eq!(mocap_toml::did_you_mean("fsp", &["fps", "trim"]).as_deref(), Some("did you mean 'fps'?"));
/// ```
pub fn did_you_mean(name: &str, known: &[&str]) -> Option<String> {
    nearest_name(name, known.iter().copied()).map(|near| format!("did you mean '{near}'?"))
}

impl fmt::Display for TomlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(path), Some((line, column))) = (self.path(), self.place()) {
            write!(f, "{}:{line}:{column}: ", path.display())?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for TomlError {}

impl de::Error for TomlError {
    fn custom<T: fmt::Display>(message: T) -> TomlError {
        TomlError::new(TomlProblem::Value, message.to_string())
    }

    fn missing_field(key: &'static str) -> TomlError {
        TomlError::new(TomlProblem::Missing(key), format!("'{key}' is missing"))
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> TomlError {
        let error: TomlError = de::Error::custom(format_args!("'{word}' is not one of {}", known.join(", ")));
        TomlError { help: did_you_mean(word, known), ..error }
    }
}
