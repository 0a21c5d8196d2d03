//! Errors and warnings about inputs and arguments, with their effect on a run and the flags that help.

mod advice;
mod batch;
mod failure;
mod toml;

pub(crate) use failure::{Behind, Failure};
pub(crate) use mocap_diagnostics::Detail;
pub(crate) use toml::read_toml;

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::path::Path;

use mocap_analysis::AnalysisError;
use mocap_batch::{BatchError, FailureKind};
use mocap_compress::CompressError;
use mocap_diagnostics::Message;
use mocap_edit::EditError;
use mocap_formats::{Finding, Remedy};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Diagnostic {
    shown: Message,
    /// Effect on a run.
    #[serde(skip)]
    pub(crate) kind: FailureKind,
    /// The reader option that resolves it.
    #[serde(skip)]
    pub(crate) remedy: Option<Remedy>,
}

impl Diagnostic {
    /// A diagnostic without a place.
    pub fn new(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { shown: Message::new(code, message), kind: FailureKind::Failed, remedy: None }
    }

    /// What a reader found in `text`, the decoded bytes of the file.
    pub(crate) fn from_finding(finding: &Finding, text: &[u8]) -> Diagnostic {
        let mut shown = Message::from_finding(finding, text);
        shown.help = advice::on(finding);
        Diagnostic { shown, kind: FailureKind::Failed, remedy: finding.remedy() }
    }

    /// An error of the operating system about a file.
    pub fn io(operation: &'static str, path: &Path, error: &std::io::Error) -> Diagnostic {
        BatchError::io(operation, path, error).into()
    }

    /// A missed quality gate: the motion is worse than allowed.
    pub(crate) fn gate(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { kind: FailureKind::GateMissed, ..Diagnostic::new(code, message) }
    }

    /// Rows and a file cannot both go to stdout.
    pub(crate) fn stdout_twice() -> Diagnostic {
        Diagnostic::new("usage::stdout-twice", "--json and -o - both write to stdout")
            .help("name a file with -o, or leave out --json")
    }

    /// Approximate memory [bytes].
    pub(crate) fn size(&self) -> usize {
        let Message { message, path, note, help, .. } = &self.shown;
        let others = [path, note].map(|text| text.as_ref().map_or(0, |text| text.len()));
        size_of::<Diagnostic>() + message.len() + others[0] + others[1] + help.as_ref().map_or(0, String::len)
    }

    /// Whether it is a missed quality gate and not a fault of files or arguments.
    pub(crate) fn is_gate(&self) -> bool {
        self.kind == FailureKind::GateMissed
    }

    /// Whether it is about the arguments and not about a file.
    pub(crate) fn is_usage(&self) -> bool {
        self.shown.code.starts_with("usage::")
    }

    /// Sets the file that it is about, if it is not the input.
    pub(crate) fn in_file(self, path: &Path) -> Diagnostic {
        Diagnostic { shown: self.shown.in_file(path), ..self }
    }

    /// Sets its place in a text that the user wrote, as a byte range.
    pub(crate) fn in_text(self, text: &[u8], span: Range<usize>) -> Diagnostic {
        Diagnostic { shown: self.shown.in_text(text, span), ..self }
    }

    /// Adds a note.
    pub fn note(self, note: impl Into<String>) -> Diagnostic {
        Diagnostic { shown: self.shown.note(note), ..self }
    }

    /// Adds advice.
    pub fn help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic { shown: self.shown.help(help), ..self }
    }
}

impl Deref for Diagnostic {
    type Target = Message;

    fn deref(&self) -> &Message {
        &self.shown
    }
}

impl DerefMut for Diagnostic {
    fn deref_mut(&mut self) -> &mut Message {
        &mut self.shown
    }
}

impl From<Finding> for Diagnostic {
    /// A finding without a place.
    fn from(finding: Finding) -> Diagnostic {
        Diagnostic::from_finding(&finding, b"")
    }
}

impl From<mocap::Problem> for Diagnostic {
    fn from(problem: mocap::Problem) -> Diagnostic {
        Finding::new(problem).into()
    }
}

impl From<mocap::Error> for Diagnostic {
    fn from(error: mocap::Error) -> Diagnostic {
        match error {
            mocap::Error::Io { doing, path, source } => Diagnostic::io(doing, &path, &source),
            mocap::Error::Finding(finding) => Diagnostic::from(*finding),
            mocap::Error::File { path, failed } => Diagnostic::from(*failed.error).in_file(&path),
            mocap::Error::Compress(error) => error.into(),
            mocap::Error::Compare(error) => error.into(),
            mocap::Error::Edit(error) => error.into(),
            other => Diagnostic::new(other.code(), other.to_string()),
        }
    }
}

impl From<CompressError> for Diagnostic {
    fn from(error: CompressError) -> Diagnostic {
        mocap::Problem::Compressed(error).into()
    }
}

impl From<EditError> for Diagnostic {
    fn from(error: EditError) -> Diagnostic {
        let diagnostic = Diagnostic::new(error.code(), error.to_string());
        advice::on_edit(&error).into_iter().fold(diagnostic, Diagnostic::help)
    }
}

impl From<AnalysisError> for Diagnostic {
    fn from(error: AnalysisError) -> Diagnostic {
        Diagnostic::new("compare::different", error.to_string())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl JsonSchema for Diagnostic {
    fn schema_name() -> Cow<'static, str> {
        Message::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Message::json_schema(generator)
    }
}
