//! The text of a file, whatever its encoding: UTF-8 with or without a byte order mark, UTF-16 with one.
//!
//! Names may still be in another 8-bit encoding: see [`decode_name`].

use crate::{Finding, LimitExceeded, Limits};
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// What can be wrong with the bytes of a text file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("the file is empty")]
    Empty,
    #[error(
        "the file starts with {found} bytes that are all 0, which no format does: it was not written to the end, or is a device"
    )]
    Zeros { found: usize },
    #[error("this is not text: the file looks like {what}")]
    Binary { what: &'static str },
    #[error("the name is not UTF-8; it was read as {encoding}: '{name}'")]
    NameEncoding { encoding: &'static str, name: String },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Empty => "text::empty",
            Problem::Zeros { .. } => "text::zeros",
            Problem::Binary { .. } => "text::binary",
            Problem::NameEncoding { .. } => "text::name-encoding",
        }
    }
}

/// The text that spans of findings refer to: a byte order mark is dropped, UTF-16 becomes UTF-8, and NULs
/// and Ctrl-Z at the end are cut off.
///
/// ```
/// assert_eq!(&mocap_formats::text::decode(b"\xEF\xBB\xBFHIERARCHY")[..], b"HIERARCHY");
/// ```
pub fn decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, bom)) if encoding == encoding_rs::UTF_8 => Cow::Borrowed(&bytes[bom..]),
        Some((encoding, bom)) => {
            let (text, _) = encoding.decode_without_bom_handling(&bytes[bom..]);
            Cow::Owned(text.into_owned().into_bytes())
        }
        None => Cow::Borrowed(bytes),
    };
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..content_length(text)]),
        Cow::Owned(mut text) => {
            text.truncate(content_length(&text));
            Cow::Owned(text)
        }
    }
}

/// A start of this many zero bytes is not that of any file.
pub const ZEROS: usize = 4 << 10;

/// Refuses input that starts with [`ZEROS`] zero bytes, such as `/dev/zero`, which has no end.
///
/// # Errors
/// If it does.
pub fn refuse_zeros(start: &[u8]) -> Result<(), Finding> {
    match start.get(..ZEROS) {
        Some(start) if start.iter().all(|byte| *byte == 0) => {
            Err(Finding::new(Problem::Zeros { found: ZEROS }))
        }
        _ => Ok(()),
    }
}

/// The text of a file that is not too large and not blank.
///
/// # Errors
/// If it is too large or blank.
pub(crate) fn open<'b>(bytes: &'b [u8], limits: &Limits) -> Result<Cow<'b, [u8]>, Finding> {
    if bytes.len() > limits.bytes {
        let (found, limit) = (bytes.len(), limits.bytes);
        return Err(Finding::new(LimitExceeded { what: "bytes", found, limit }));
    }
    let text = decode(bytes);
    if text.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0x0B) {
        return Err(Finding::new(Problem::Empty));
    }
    Ok(text)
}

/// The text of a file as a part of shared bytes.
#[derive(Clone)]
pub(crate) struct SharedText {
    bytes: Arc<Vec<u8>>,
    span: Range<usize>,
}

impl SharedText {
    /// The text that [`open`] gave, as a part of `bytes`; `None` if it was decoded into new memory,
    /// as UTF-16 is.
    pub(crate) fn of(bytes: &Arc<Vec<u8>>, text: &[u8]) -> Option<SharedText> {
        let start = text.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
        let span = start..start + text.len();
        (span.end <= bytes.len()).then(|| SharedText { bytes: bytes.clone(), span })
    }

    /// The bytes that it is a part of.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Frees the text from `end` on, if nothing else shares it.
    pub(crate) fn shorten(&mut self, end: usize) {
        let Some(bytes) = Arc::get_mut(&mut self.bytes) else { return };
        self.span.end = self.span.end.min(self.span.start + end);
        bytes.truncate(self.span.end);
        bytes.shrink_to_fit();
    }
}

impl Deref for SharedText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.span.clone()]
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.span.len())
    }
}

/// Characters of the text that a message quotes at most.
const QUOTE: usize = 40;

/// The start of a piece of text, as a message can show it.
pub(crate) fn quote(text: &[u8]) -> String {
    let mut end = text.len().min(4 * QUOTE + 4);
    // Not inside a character.
    while end < text.len() && end > 0 && text[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    let (text, _) = decode_name(&text[..end]);
    let mut quoted: String =
        text.chars().take(QUOTE).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    if text.chars().nth(QUOTE).is_some() {
        quoted.push('…');
    }
    quoted
}

fn content_length(text: &[u8]) -> usize {
    text.iter().rposition(|&byte| byte != 0 && byte != 0x1A).map_or(0, |last| last + 1)
}

/// The characters of a name: UTF-8, else Shift-JIS where every byte fits it in double-byte characters, else
/// latin-1 (Windows-1252). The second value says which it was where it was not UTF-8.
pub fn decode_name(name: &[u8]) -> (Cow<'_, str>, Option<&'static str>) {
    if let Ok(name) = std::str::from_utf8(name) {
        return (Cow::Borrowed(name), None);
    }
    // A single accented letter also fits half-width katakana: only double-byte characters speak for Shift-JIS.
    let japanese = encoding_rs::SHIFT_JIS.decode_without_bom_handling_and_without_replacement(name);
    if let Some(japanese) = japanese
        && japanese.chars().all(|c| c.is_ascii() || !('\u{FF61}'..='\u{FF9F}').contains(&c))
    {
        return (japanese, Some("Shift-JIS"));
    }
    let (name, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(name);
    (name, Some("latin-1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_and_garbage_at_the_end_are_dropped() {
        assert_eq!(decode(b"\xEF\xBB\xBFROOT a\n\0\0\x1A").as_ref(), b"ROOT a\n");
        assert_eq!(decode(b"\xFF\xFER\0O\0\n\0").as_ref(), b"RO\n");
        assert_eq!(decode(b"\xFE\xFF\0R\0O").as_ref(), b"RO");
        assert_eq!(decode(b"\0\0").as_ref(), b"");
        assert!(matches!(decode(b"ROOT"), Cow::Borrowed(_)));
    }

    #[test]
    fn quotes_are_short_and_show_no_control_characters() {
        assert_eq!(quote(b"a\tb"), "a\u{FFFD}b");
        assert_eq!(quote(b"H\xFCfte"), "Hüfte");
        assert_eq!(quote("é".repeat(1000).as_bytes()), "é".repeat(QUOTE) + "…");
        assert_eq!(quote("é".repeat(QUOTE).as_bytes()), "é".repeat(QUOTE));
    }

    #[test]
    fn names_of_old_tools_are_decoded() {
        assert_eq!(decode_name("Hüfte".as_bytes()), ("Hüfte".into(), None));
        assert_eq!(decode_name(b"H\xFCfte"), ("Hüfte".into(), Some("latin-1")));
        assert_eq!(decode_name(b"\x8D\x98"), ("腰".into(), Some("Shift-JIS")));
    }
}
