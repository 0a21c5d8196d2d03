//! One error or warning, with its place and help.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use mocap_formats::{Context, Finding, Place};

use crate::excerpt::Excerpt;
use crate::visible;

/// The most bytes of each part: names and texts of a file may be of any length, and a message with all of its parts
/// stays below 4 kB.
const MESSAGE: usize = 1000;
const NOTE: usize = 1500;
const HELP: usize = 500;
const NAME: usize = 120;

/// One error or warning. Long texts are cut in the middle.
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
    /// Details; may have several lines.
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
        Message { code, message: shortened(message.into(), MESSAGE), count: 1, ..Message::default() }
    }

    /// What a reader found in `text`, the decoded bytes of the file.
    pub fn from_finding(finding: &Finding, text: &[u8]) -> Message {
        Message {
            place: finding.place.as_ref().map(|place| (place.line, place.column)),
            context: Context {
                joint: finding.context.joint.as_deref().map(|name| shortened(name.to_owned(), NAME)),
                channel: finding.context.channel.clone(),
                frame: finding.context.frame,
            },
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
        Message { note: Some(shortened(note.into(), NOTE).into()), ..self }
    }

    /// The message with what can be done.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Message {
        Message { help: Some(shortened(help.into(), HELP)), ..self }
    }
}

/// The text with at most `most` bytes, for a terminal: of a longer one the start and the end.
fn shortened(text: String, most: usize) -> String {
    let text = visible(text);
    if text.len() <= most {
        return text;
    }
    let (start, end) = (most * 2 / 3, most / 3 - '…'.len_utf8());
    let start = (0..=start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let end = (text.len() - end..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("{}…{}", &text[..start], &text[end..])
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Detail, Renderer};
    use mocap_formats::text::Problem;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("short".into(), 5), "short");
        assert_eq!(shortened("0123456789abcdef".into(), 12), "01234567…f");
        for most in 9..40 {
            let cut = shortened("é".repeat(100), most);
            assert!(cut.len() <= most && cut.contains('…'), "{most}: {cut}");
        }
    }

    #[test]
    fn a_message_stays_below_4_kb_whatever_a_file_holds() {
        let name = "n".repeat(1_000_000);
        let problem = Problem::NameEncoding { encoding: "latin-1", name: name.clone() };
        let text = format!("ROOT {name}\n").into_bytes();
        let finding = Finding::new(problem).at(&text, 5..1_000_005).in_joint(&name);
        let message = Message::from_finding(&finding, &text).note(name.clone()).help(name.clone());
        let renderer = Renderer::new(false);
        for shown in [
            renderer.error(Some("walk.bvh"), &message),
            renderer.warning("walk.bvh", &message, Detail::Line),
            serde_json::to_string(&message).unwrap(),
        ] {
            assert!(shown.len() <= 4096, "{}", shown.len());
        }
    }
}
