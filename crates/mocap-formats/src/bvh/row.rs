//! A frame as text: numbers with white space between them.

use crate::number::{self, Words};
use std::hint::black_box;

/// Blanks and ends of lines.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C)
}

/// The plain number behind white space, if any, at `at`, and where it ends; `None` at the end and before other words.
#[inline(always)]
pub(super) fn next_number(text: &[u8], mut at: usize) -> Option<(f64, usize)> {
    loop {
        if let Some((value, end, stop)) = number::scan_word(text, at)
            && is_space(stop)
        {
            return Some((value, end + 1));
        }
        if is_space(*text.get(at)?) {
            at += 1;
            continue;
        }
        let (value, end) = number::scan(text, at)?;
        let is_whole = text.get(end).is_none_or(|&byte| is_space(byte));
        return (is_whole && value.is_finite()).then_some((value, end));
    }
}

/// The plain numbers of a text, several at once.
pub(super) struct Numbers<'a> {
    text: &'a [u8],
    pub(super) at: usize,
    /// Words before this place are parsed one by one.
    single: usize,
    /// The text before this place was prefetched.
    near: usize,
}

/// Unusual words come in groups: after one, so many characters are parsed word by word.
pub(super) const SINGLE: usize = 256;

/// Bytes that are prefetched at a time.
const NEAR: usize = 1 << 12;

impl<'a> Numbers<'a> {
    pub(super) fn new(text: &'a [u8], at: usize) -> Numbers<'a> {
        Numbers { text, at, single: at, near: at }
    }

    /// The next numbers; `None` before a word that is not a usual number.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Words> {
        if self.at >= self.near {
            self.near = self.at + NEAR;
            fetch(&self.text[self.at..self.near.min(self.text.len())]);
        }
        if self.at >= self.single {
            if let Some(words) = number::scan_words(self.text, self.at) {
                self.at = words.end;
                return Some(words);
            }
            self.single = self.at + SINGLE;
        }
        let (at, (_, end)) = (self.at, next_number(self.text, self.at)?);
        self.at = end;
        Some(Words { at, starts: 1, end })
    }
}

/// Prefetches text into the processor's caches. Each word starts where the one before ends, so a parser would otherwise
/// wait for one cache line at a time.
pub(super) fn fetch(text: &[u8]) {
    const LINE: usize = 64;
    black_box(text.iter().step_by(LINE).fold(0, |all, byte| all ^ byte));
}

/// Appends numbers as a line.
pub(super) fn write_row(row: &[f64], text: &mut Vec<u8>) {
    number::widest(
        #[inline(always)]
        || number::write_words(text, row),
    );
    end_line(text);
}

/// The blank at the end becomes the end of the line.
pub(super) fn end_line(text: &mut [u8]) {
    if let Some(last) = text.last_mut() {
        *last = b'\n';
    }
}
