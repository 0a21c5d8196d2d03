//! What is said about an input or about the arguments: one error or warning, its place, and what can be done.

mod advice;
mod batch;
mod excerpt;
mod failure;
mod render;
mod schema;
mod toml;

pub(crate) use failure::Failure;
pub(crate) use render::{Detail, Renderer};
pub(crate) use toml::read_toml;

use std::fmt;
use std::ops::Range;
use std::path::Path;

use excerpt::Excerpt;
use mocap_batch::{BatchError, FailureKind};
use mocap_formats::{Context, Finding, Place, Remedy};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// One error or warning.
///
/// It owns the lines it shows, so that the text of the file can be freed before it is rendered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Diagnostic {
    /// What it means for a run.
    pub(crate) kind: FailureKind,
    /// The stable code, such as `bvh::row-length`.
    pub(crate) code: &'static str,
    /// One sentence.
    pub(crate) message: String,
    /// The file it is about, where that is not the input itself.
    pub(crate) path: Option<Box<str>>,
    /// 1-based line and column.
    pub(crate) place: Option<(usize, usize)>,
    /// In which joint, channel, frame.
    pub(crate) context: Context,
    /// How often it was found.
    pub(crate) count: usize,
    /// What it is about in full; may have several lines.
    pub(crate) note: Option<Box<str>>,
    /// What can be done about it.
    pub(crate) help: Option<String>,
    /// The option of the reader that settles it.
    pub(crate) remedy: Option<Remedy>,
    /// Errors of the same file that are not told.
    pub(crate) further: u32,
    excerpt: Option<Box<Excerpt>>,
}

impl Diagnostic {
    /// A diagnostic without a place.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            kind: FailureKind::Failed,
            code,
            message: message.into(),
            path: None,
            place: None,
            context: Context::default(),
            count: 1,
            note: None,
            help: None,
            remedy: None,
            further: 0,
            excerpt: None,
        }
    }

    /// What a reader found in `text`, the decoded bytes of the file.
    pub(crate) fn from_finding(finding: &Finding, text: &[u8]) -> Diagnostic {
        Diagnostic {
            kind: FailureKind::Failed,
            code: finding.code(),
            message: finding.problem.to_string(),
            path: None,
            place: finding.place.as_ref().map(|place| (place.line, place.column)),
            context: finding.context.clone(),
            count: finding.count,
            note: None,
            help: advice::on(finding),
            remedy: finding.remedy(),
            further: 0,
            excerpt: finding.place.as_ref().and_then(|place| Excerpt::of(text, place)).map(Box::new),
        }
    }

    /// An error of the operating system about a file.
    pub(crate) fn io(operation: &'static str, path: &Path, error: &std::io::Error) -> Diagnostic {
        BatchError::io(operation, path, error).into()
    }

    /// A quality gate that was missed: the motion came out worse than was allowed.
    pub(crate) fn gate(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { kind: FailureKind::GateMissed, ..Diagnostic::new(code, message) }
    }

    /// Rows and a file cannot both go to stdout.
    pub(crate) fn stdout_twice() -> Diagnostic {
        Diagnostic::new("usage::stdout-twice", "--json and -o - both write to stdout")
            .help("name a file with -o, or leave out --json")
    }

    /// The same about another file than the input.
    pub(crate) fn in_file(mut self, path: &Path) -> Diagnostic {
        self.path = Some(path.display().to_string().into());
        self
    }

    /// The same with more about it.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.note = Some(note.into().into_boxed_str());
        self
    }

    /// The same about a piece of a text that the user wrote, as bytes from its start.
    pub(crate) fn in_text(mut self, text: &[u8], span: Range<usize>) -> Diagnostic {
        let place = Place::of(text, span);
        self.place = Some((place.line, place.column));
        self.excerpt = Excerpt::of(text, &place).map(Box::new);
        self
    }

    /// Whether it is a quality gate that was missed, rather than a fault of files or arguments.
    pub(crate) fn is_gate(&self) -> bool {
        self.kind == FailureKind::GateMissed
    }

    /// The same with what can be done.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
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
            mocap::Error::File { path, rejected } => Diagnostic::from(*rejected.error).in_file(&path),
            other => Diagnostic::new("error", other.to_string()),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// `code, message, line, column, count` and, where known, `path, joint, channel, frame, note, help, further`.
impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", self.code)?;
        map.serialize_entry("message", &self.message)?;
        if let Some(path) = &self.path {
            map.serialize_entry("path", path)?;
        }
        let (line, column) = self.place.unzip();
        map.serialize_entry("line", &line)?;
        map.serialize_entry("column", &column)?;
        map.serialize_entry("count", &self.count)?;
        let Context { joint, channel, frame } = &self.context;
        if let Some(joint) = joint {
            map.serialize_entry("joint", joint)?;
        }
        if let Some(channel) = channel {
            map.serialize_entry("channel", channel)?;
        }
        if let Some(frame) = frame {
            map.serialize_entry("frame", frame)?;
        }
        if let Some(note) = &self.note {
            map.serialize_entry("note", note)?;
        }
        if let Some(help) = &self.help {
            map.serialize_entry("help", help)?;
        }
        if self.further > 0 {
            map.serialize_entry("further", &self.further)?;
        }
        map.end()
    }
}
