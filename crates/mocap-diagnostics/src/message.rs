//! One error or warning: its place, and what can be done.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use mocap_formats::{Context, Finding, Place};

use crate::excerpt::Excerpt;

/// One error or warning.
///
/// It owns the line that it shows, so the text of the file can be freed before it is rendered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// The stable code, such as `bvh::row-length`.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// The file it is about, where that is not the input itself.
    pub path: Option<Box<str>>,
    /// 1-based line and column.
    pub place: Option<(usize, usize)>,
    /// In which joint, channel, frame.
    pub context: Context,
    /// How often it was found.
    pub count: usize,
    /// What it is about in full; may have several lines.
    pub note: Option<Box<str>>,
    /// What can be done about it.
    pub help: Option<String>,
    /// How many other errors of the same file are not shown.
    pub further: u32,
    pub(crate) excerpt: Option<Box<Excerpt>>,
}

impl Message {
    /// A message without a place.
    pub fn new(code: &'static str, message: impl Into<String>) -> Message {
        Message { code, message: message.into(), count: 1, ..Message::default() }
    }

    /// What a reader found in `text`, the decoded bytes of the file.
    pub fn from_finding(finding: &Finding, text: &[u8]) -> Message {
        Message {
            place: finding.place.as_ref().map(|place| (place.line, place.column)),
            context: finding.context.clone(),
            count: finding.count,
            excerpt: finding.place.as_ref().and_then(|place| Excerpt::of(text, place)).map(Box::new),
            ..Message::new(finding.code(), finding.problem.to_string())
        }
    }

    /// The message about another file than the input.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Message {
        Message { path: Some(path.display().to_string().into()), ..self }
    }

    /// The message about a span of a text \[bytes\].
    #[must_use]
    pub fn in_text(self, text: &[u8], span: Range<usize>) -> Message {
        let place = Place::of(text, span);
        let excerpt = Excerpt::of(text, &place).map(Box::new);
        Message { place: Some((place.line, place.column)), excerpt, ..self }
    }

    /// The message with more about it.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Message {
        Message { note: Some(note.into().into()), ..self }
    }

    /// The message with what can be done.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Message {
        Message { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
