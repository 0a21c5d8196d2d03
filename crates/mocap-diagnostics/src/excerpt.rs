//! The part of a line that a diagnostic shows.

use std::ops::Range;

use mocap_formats::Place;

/// A line of a file, cut to a window around the error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Excerpt {
    /// The window, with `…` at a side that was cut.
    pub(crate) text: String,
    /// The marked range, in bytes of `text`; may be empty at the end of a line.
    pub(crate) span: Range<usize>,
}

/// Bytes that are kept before the error, because the renderer counts columns from the start of the line. Rows of MOTION
/// have up to 7,000 characters and are trimmed by the renderer; a file on one line is cut here.
const BEFORE: usize = 1 << 16;
/// Bytes kept behind the error.
const BEHIND: usize = 80;
/// Bytes shown of the error.
const WITHIN: usize = 60;

impl Excerpt {
    /// The window around a place; `None` where the place is not in the text.
    pub(crate) fn of(text: &[u8], place: &Place) -> Option<Excerpt> {
        let start = place.span.start;
        if start > text.len() {
            return None;
        }
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let line_start = text[..start].iter().rposition(is_end).map_or(0, |end| end + 1);
        let line_end = text[start..].iter().position(is_end).map_or(text.len(), |end| start + end);
        let end = place.span.end.clamp(start, line_end).min(start + WITHIN);
        let from = char_start(text, line_start.max(start.saturating_sub(BEFORE)));
        let to = char_start(text, line_end.min(end + BEHIND));

        let piece = |range: Range<usize>| -> String {
            let lossy = String::from_utf8_lossy(&text[range]);
            // A tab or control character would shift the marks below the line.
            lossy.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
        };
        let mut shown = if from > line_start { "…".to_owned() } else { String::new() };
        shown += &piece(from..start);
        let span_start = shown.len();
        shown += &piece(start..end);
        let span = span_start..shown.len();
        shown += &piece(end..to);
        if to < line_end {
            shown.push('…');
        }
        Some(Excerpt { text: shown, span })
    }
}

/// The start of the character that a byte belongs to.
fn char_start(text: &[u8], at: usize) -> usize {
    let back = text[..at].iter().rev().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
    match text.get(at) {
        Some(byte) if byte & 0xC0 == 0x80 => at.saturating_sub(back + 1),
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &[u8], span: Range<usize>) -> Excerpt {
        Excerpt::of(text, &Place::of(text, span)).unwrap()
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        let shown = excerpt(b"MOTION\n1 nan 3\n4 5 6\n", 9..12);
        assert_eq!(shown.text, "1 nan 3");
        assert_eq!(&shown.text[shown.span], "nan");
    }

    #[test]
    fn a_long_row_is_cut_on_both_sides() {
        let row = "0.125 ".repeat(100_000) + "nan " + &"0.25 ".repeat(1000);
        let shown = excerpt(row.as_bytes(), 600_000..600_003);
        assert_eq!(&shown.text[shown.span.clone()], "nan");
        assert!(shown.text.starts_with("…") && shown.text.ends_with("…") && shown.text.len() < 70_000);
    }

    #[test]
    fn the_end_of_a_file_and_of_a_line_can_be_shown() {
        assert_eq!(excerpt(b"ab", 2..2), Excerpt { text: "ab".into(), span: 2..2 });
        assert_eq!(excerpt(b"ab\r\ncd", 1..5), Excerpt { text: "ab".into(), span: 1..2 });
        assert_eq!(Excerpt::of(b"ab", &Place { span: 9..10, line: 1, column: 1 }), None);
    }

    #[test]
    fn bytes_that_are_no_text_do_not_break_it() {
        let text = "é".repeat(100).into_bytes();
        for at in 0..text.len() {
            excerpt(&text, at..at + 1);
            excerpt(&text[1..], at..at + 1);
        }
        assert_eq!(excerpt(b"\ta\x07\xFFb", 4..5).text, " a \u{FFFD}b");
    }
}
