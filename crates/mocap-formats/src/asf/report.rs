//! Findings while an Acclaim file is read: one a code and joint, each placed without reading the text again.

use crate::{Finding, Kind, Place, text};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// Collects warnings about a text; finding the place of many of them takes one pass over it.
pub(crate) struct Report<'t> {
    text: &'t [u8],
    /// Where lines start; empty until a place is asked for.
    lines: Vec<usize>,
    /// Byte and column last asked for: places come in rising order, on lines of any length.
    last: (usize, usize),
    warnings: Vec<Finding>,
    found: HashMap<(&'static str, Option<String>), usize>,
}

impl<'t> Report<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Report<'t> {
        Report { text, lines: Vec::new(), last: (0, 1), warnings: Vec::new(), found: HashMap::new() }
    }

    /// As [`Place::of`].
    pub(crate) fn place(&mut self, span: Range<usize>) -> Place {
        if self.lines.is_empty() {
            self.lines.push(0);
            for (i, &byte) in self.text.iter().enumerate() {
                if byte == b'\n' || (byte == b'\r' && self.text.get(i + 1) != Some(&b'\n')) {
                    self.lines.push(i + 1);
                }
            }
        }
        let at = span.start.min(self.text.len());
        let line = self.lines.partition_point(|&start| start <= at);
        let line_start = self.lines[line - 1];
        let (from, column) = match self.last {
            (last, column) if (line_start..=at).contains(&last) => (last, column),
            _ => (line_start, 1),
        };
        let characters = self.text[from..at].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        self.last = (at, column + characters);
        Place { span, line, column: column + characters }
    }

    pub(crate) fn error(&mut self, kind: impl Into<Kind>, span: Range<usize>) -> Finding {
        Finding { place: Some(self.place(span)), ..Finding::new(kind) }
    }

    pub(crate) fn warn(&mut self, kind: impl Into<Kind>, span: Range<usize>, joint: Option<&str>) {
        self.warn_in_frame(kind, span, joint, None);
    }

    pub(crate) fn warn_in_frame(
        &mut self,
        kind: impl Into<Kind>,
        span: Range<usize>,
        joint: Option<&str>,
        frame: Option<usize>,
    ) {
        let mut finding = Finding::new(kind);
        match self.found.entry((finding.code(), joint.map(str::to_owned))) {
            Entry::Occupied(earlier) => self.warnings[*earlier.get()].count += 1,
            Entry::Vacant(entry) => {
                entry.insert(self.warnings.len());
                finding.place = Some(self.place(span));
                finding.context.joint = joint.map(str::to_owned);
                finding.context.frame = frame;
                self.warnings.push(finding);
            }
        }
    }

    /// The characters of a name, with a warning where they are not UTF-8.
    pub(crate) fn name(&mut self, span: Range<usize>) -> String {
        let (name, encoding) = text::decode_name(&self.text[span.clone()]);
        let name = name.into_owned();
        if let Some(encoding) = encoding {
            self.warn(text::Problem::NameEncoding { encoding, name: name.clone() }, span, Some(&name));
        }
        name
    }

    /// A piece of the text as it can stand in a message.
    pub(crate) fn quote(&self, span: Range<usize>) -> String {
        const LONGEST: usize = 40;
        let (found, _) = text::decode_name(&self.text[span]);
        match found.char_indices().nth(LONGEST) {
            Some((cut, _)) => format!("{}…", &found[..cut]),
            None => found.into_owned(),
        }
    }

    pub(crate) fn into_warnings(self) -> Vec<Finding> {
        self.warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_a_search_from_the_start() {
        let text = "a b\r\nc\rHüfte d\n\n e".as_bytes();
        let mut report = Report::new(text);
        for at in (0..=text.len()).chain([3, 12, 9, 0]) {
            assert_eq!(report.place(at..at), Place::of(text, at..at), "{at}");
        }
    }
}
