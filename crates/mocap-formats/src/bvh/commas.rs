//! Commas among numbers: decimal commas, or separators. One meaning holds for a whole file.

use super::row::is_space;
use std::ops::Range;

/// A text of the same length without the commas of its numbers, what they meant, and where the first stood.
///
/// They are decimal points where every number with a comma has exactly one, between digits, and no point.
pub(super) fn without_commas(text: &[u8]) -> (Vec<u8>, &'static str, Range<usize>) {
    let mut decimal = true;
    let mut first = None;
    for span in numbers_with_commas(text) {
        let number = &text[span.clone()];
        let one = number.iter().filter(|&&byte| byte == b',').count() == 1;
        let between = number
            .windows(3)
            .any(|three| three[1] == b',' && three[0].is_ascii_digit() && three[2].is_ascii_digit());
        decimal &= one && between && !number.contains(&b'.');
        first.get_or_insert(span);
    }
    let (by, meaning) = if decimal { (b'.', "decimal points") } else { (b' ', "blanks") };
    let mut without = text.to_vec();
    for span in numbers_with_commas(text) {
        for byte in &mut without[span] {
            if *byte == b',' {
                *byte = by;
            }
        }
    }
    (without, meaning, first.unwrap_or(0..0))
}

/// Words that hold a comma and otherwise only what numbers are made of; names have letters.
fn numbers_with_commas(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at;
            let ends = |byte: &u8| is_space(*byte) || matches!(byte, b'{' | b'}');
            let length = text[at..].iter().position(ends).unwrap_or(text.len() - at);
            at = start + length + 1;
            let word = &text[start..start + length];
            let numeric = |byte: &u8| byte.is_ascii_digit() || b"+-.eE,".contains(byte);
            if word.contains(&b',') && word.iter().all(numeric) {
                return Some(start..start + length);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::without_commas;

    #[test]
    fn one_meaning_for_a_whole_file() {
        let read = |text: &str| {
            let (without, meaning, _) = without_commas(text.as_bytes());
            (String::from_utf8(without).unwrap(), meaning)
        };
        assert_eq!(read("OFFSET 0,5 1 -2,25"), ("OFFSET 0.5 1 -2.25".into(), "decimal points"));
        assert_eq!(read("OFFSET 0.5, 1, 2"), ("OFFSET 0.5  1  2".into(), "blanks"));
        assert_eq!(read("1,2,3"), ("1 2 3".into(), "blanks"));
        assert_eq!(read("1,2 3, 4"), ("1 2 3  4".into(), "blanks"));
        assert_eq!(read("JOINT a,b\n0,5"), ("JOINT a,b\n0.5".into(), "decimal points"));
        assert_eq!(read("1 , 2"), ("1   2".into(), "blanks"));
        assert_eq!(read("{OFFSET 0,5 1,5 2,5}"), ("{OFFSET 0.5 1.5 2.5}".into(), "decimal points"));
    }
}
