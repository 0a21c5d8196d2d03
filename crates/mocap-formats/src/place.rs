//! Where in the text of a file a finding is.

use std::ops::Range;

/// A place in the text of a file (see [`crate::text::decode`] for files that are not UTF-8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The bytes in question.
    pub span: Range<usize>,
    /// 1-based line of the first byte.
    pub line: usize,
    /// 1-based column of the first byte, counted in characters.
    pub column: usize,
}

impl Place {
    /// The place of a span of `text`. CR, LF and CR LF end a line.
    pub fn of(text: &[u8], span: Range<usize>) -> Place {
        Lines::new(text).place(span)
    }
}

/// Counts the lines of a text up to places that come in ascending order.
struct Lines<'a> {
    text: &'a [u8],
    counted: usize,
    line: usize,
    column: usize,
}

impl Lines<'_> {
    fn new(text: &[u8]) -> Lines<'_> {
        Lines { text, counted: 0, line: 1, column: 1 }
    }

    fn place(&mut self, span: Range<usize>) -> Place {
        let end = span.start.min(self.text.len());
        for i in self.counted..end {
            let byte = self.text[i];
            // A CR LF pair is one end, counted at the LF.
            if byte == b'\n' || (byte == b'\r' && self.text.get(i + 1) != Some(&b'\n')) {
                self.line += 1;
                self.column = 1;
            } else if byte & 0xC0 != 0x80 {
                // Continuation bytes of UTF-8 are not characters.
                self.column += 1;
            }
        }
        self.counted = self.counted.max(end);
        Place { column: self.column, line: self.line, span }
    }
}

/// Counts line and column of places of which only the span is known, in one pass over the text.
pub(crate) fn locate<'p>(text: &[u8], places: impl Iterator<Item = &'p mut Place>) {
    let mut places: Vec<&mut Place> = places.collect();
    places.sort_by_key(|place| place.span.start);
    let mut lines = Lines::new(text);
    for place in places {
        *place = lines.place(place.span.clone());
    }
}
