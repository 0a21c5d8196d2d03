//! A frame as text: numbers with white space between them.

use crate::number;

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

/// Appends numbers as a line.
pub(super) fn write_row(row: &[f64], text: &mut Vec<u8>) {
    for value in row {
        number::write(text, *value);
        text.push(b' ');
    }
    end_line(text);
}

/// The blank at the end becomes the end of the line.
pub(super) fn end_line(text: &mut [u8]) {
    if let Some(last) = text.last_mut() {
        *last = b'\n';
    }
}
