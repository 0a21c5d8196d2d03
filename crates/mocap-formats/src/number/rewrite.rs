//! Copies numbers of a text in the form that [`write`](super::write()) gives their values.
//!
//! Two decimals of up to 15 digits never have the same value, so [`write`](super::write()) would give the same digits,
//! except zeros at either end: the value need not be computed.

use super::scan::{WINDOW, ZEROS, characters, first_blank, others, without_minus};
use super::words::{BLOCK, Characters, has_run, lowest, without_lowest};

/// Decimals of a number that is written without an exponent however small it is.
const DECIMALS: u32 = 8;
/// Characters of a number, and so the most digits.
const LONGEST: u32 = 15;

/// Appends up to `most` numbers of the next characters as [`write`](super::write()) writes their values, each followed
/// by a blank. Returns their count and the place to continue at; `None`, with nothing appended, where [`rewrite_word`]
/// does not take one of them.
#[inline(always)]
pub(crate) fn rewrite_words(
    out: &mut Vec<u8>,
    text: &[u8],
    at: usize,
    most: usize,
) -> Option<(usize, usize)> {
    let window = text.get(at..)?.first_chunk::<{ 2 * BLOCK }>()?;
    let mut characters = Characters::of(window.first_chunk()?)?;
    let mut starts = characters.starts();
    if starts.count_ones() as usize > most {
        let behind = without_lowest(starts, most);
        characters = characters.first(behind.trailing_zeros() as usize);
        starts ^= behind;
    }
    let mut left_out = characters.left_out(starts)?;
    let mut from = 0;
    while left_out != 0 {
        let to = left_out.trailing_zeros();
        append(out, window, from, to as usize);
        from = (to + (left_out >> to).trailing_ones()) as usize;
        left_out &= !lowest(from);
    }
    append(out, window, from, characters.length);
    *out.last_mut().expect("there is a number") = b' ';
    Some((starts.count_ones() as usize, at + characters.length))
}

#[inline(always)]
fn append(out: &mut Vec<u8>, window: &[u8; 2 * BLOCK], from: usize, to: usize) {
    let length = out.len() + to - from;
    // A fixed number of bytes is copied without a call.
    out.extend_from_slice(&window[from..from + BLOCK]);
    out.truncate(length);
}

impl Characters {
    /// The characters to drop so that the numbers starting here are as they are written: trailing zeros, a point before
    /// them, and white space beyond one character after each number. `None` where more would have to change.
    #[inline(always)]
    fn left_out(&self, starts: u64) -> Option<u64> {
        let Characters { spaces, blanks, digits, zeros, points, minuses, letters, length } = *self;
        let words = lowest(length) & !spaces;
        let firsts = (starts & !minuses) | (minuses << 1);
        let decimals = self.digits_behind(points);
        let (ends, separators) = (words & (spaces >> 1), spaces & (words << 1));
        let breaks = separators & !blanks;
        let is_as_written = starts != 0
            && letters == 0
            && self.are_numbers(starts)
            && firsts & !digits == 0
            && ((firsts & zeros) << 1) & digits == 0
            && !has_run(decimals, DECIMALS + 1)
            && !has_run(words, LONGEST + 1)
            // A break becomes a blank behind the last number only.
            && breaks.trailing_zeros() + separators.leading_zeros() >= u64::BITS - 1;
        if !is_as_written {
            return None;
        }
        let mut last_zeros = ends & decimals & zeros;
        let mut run = decimals & zeros;
        for shift in [1, 2, 4] {
            last_zeros |= run & (last_zeros >> shift);
            run &= run >> shift;
        }
        let last_points = points & (ends | (last_zeros >> 1));
        Some(last_zeros | last_points | (spaces & ((spaces << 1) | 1)))
    }
}

/// Appends the number that starts at `at` as [`write`](super::write()) writes its value. Returns the place after the
/// blank or control character that follows; `None`, with nothing appended, where the value would have to be computed.
///
/// It takes usual numbers: up to eight characters, or up to sixteen with a point after at most four digits, without an
/// exponent or extra leading zeros.
#[inline(always)]
pub(crate) fn rewrite_word(out: &mut Vec<u8>, text: &[u8], at: usize) -> Option<usize> {
    let window = text.get(at..)?.first_chunk::<WINDOW>()?;
    let first = characters(window, 0);
    let (values, signs) = without_minus(window, first);
    let end = first_blank(first);
    let (end, parts) = match window[end] > b' ' {
        false => (end, short_parts(values, signs, end)?),
        true => long_parts(window, values, signs)?,
    };
    let Parts { whole, decimals, zeros, has_point } = parts;
    if whole == 0 || (whole > 1 && window[signs] == b'0') {
        return None;
    }
    let without_point = usize::from(has_point && zeros == decimals);
    let length = out.len() + end - zeros - without_point;
    out.extend_from_slice(&window[..WINDOW - 1]);
    out.truncate(length);
    Some(at + end + 1)
}

/// The layout of the digits of a number.
struct Parts {
    /// Before the point.
    whole: usize,
    /// Behind it.
    decimals: usize,
    /// Zeros at the end of these.
    zeros: usize,
    has_point: bool,
}

/// The parts of a number whose characters, `end` at most eight, are at the start of a machine word.
#[inline(always)]
fn short_parts(values: u64, signs: usize, end: usize) -> Option<Parts> {
    if end == 0 {
        return None;
    }
    let aligned = values << (64 - 8 * end);
    let other = others(aligned);
    // One character, if any, is not a digit: the point.
    let one = other >> 7;
    let is_point = aligned & (other << 1).wrapping_sub(one) == one * u64::from(b'.' ^ b'0');
    if !is_point || other & other.wrapping_sub(1) != 0 {
        return None;
    }
    let has_point = other != 0;
    let decimals = (other.leading_zeros() / 8) as usize % 8;
    let whole = (end - signs).checked_sub(decimals + usize::from(has_point))?;
    let zeros = if has_point { (aligned.leading_zeros() / 8) as usize } else { 0 };
    Some(Parts { whole, decimals, zeros, has_point })
}

/// The parts of a number of nine to sixteen characters, the first of which are in a machine word,
/// and where it ends.
#[inline(always)]
fn long_parts(window: &[u8; WINDOW], values: u64, signs: usize) -> Option<(usize, Parts)> {
    let end = 8 + first_blank(characters(window, 8));
    let point = (others(values).trailing_zeros() / 8) as usize;
    let whole = point.wrapping_sub(signs);
    if window[end] > b' ' || !(1..=4).contains(&whole) || window[point] != b'.' {
        return None;
    }
    let decimals = end - point - 1;
    if decimals > 8 {
        return None;
    }
    let behind = (characters(window, point + 1) ^ ZEROS) << (64 - 8 * decimals);
    if others(behind) != 0 {
        return None;
    }
    let zeros = ((behind.leading_zeros() / 8) as usize).min(decimals);
    Some((end, Parts { whole, decimals, zeros, has_point: true }))
}

#[cfg(test)]
mod tests {
    use super::super::{scan, write};
    use super::{rewrite_word, rewrite_words};
    use proptest::prelude::*;

    /// The rewritten number at the start, if the fast path takes it.
    fn rewritten(number: &str) -> Option<String> {
        let text = format!("{number} 1 2 3 4 5 6 7 8 9 ");
        let mut out = b"0 ".to_vec();
        let end = rewrite_word(&mut out, text.as_bytes(), 0)?;
        assert_eq!(end, number.len() + 1);
        Some(String::from_utf8(out.split_off(2)).unwrap())
    }

    fn written(number: &str) -> String {
        let mut out = Vec::new();
        write(&mut out, scan(number.as_bytes(), 0).unwrap().0);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn zeros_at_either_end_are_left_out() {
        for (number, expected) in [
            ("0", Some("0")),
            ("-0", Some("-0")),
            ("-0.0000", Some("-0")),
            ("0.000000", Some("0")),
            ("12.", Some("12")),
            ("100", Some("100")),
            ("12345678", Some("12345678")),
            ("-7.5970", Some("-7.597")),
            ("9.3722", Some("9.3722")),
            ("-172.265152", Some("-172.265152")),
            ("1000.00000000", Some("1000")),
            ("0.00000001", Some("0.00000001")),
            ("0.000001", Some("0.000001")),
            ("007", None),
            ("-00.5", None),
            (".5", None),
            ("-.5", None),
            ("+1", None),
            ("1e-05", None),
            ("3.6e-015", None),
            ("123456789", None),
            ("0.000000001", None),
            ("1.2.3", None),
            ("-", None),
            (".", None),
            ("nan", None),
            ("1,5", None),
            ("0x10", None),
        ] {
            assert_eq!(rewritten(number).as_deref(), expected, "{number}");
            if let Some(text) = expected {
                assert_eq!(written(number), text);
            }
        }
        // Nothing beyond the end of the text is read.
        assert_eq!(rewrite_word(&mut Vec::new(), b"1 ", 0), None);
    }

    /// The numbers of a text as they are written one by one, `None` where not all of its words are numbers.
    fn rewritten_line(text: &[u8], most: usize) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        for word in text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(most) {
            let (value, end) = scan(word, 0)?;
            write(&mut out, value);
            out.push(b' ');
            assert_eq!(end, word.len());
        }
        Some(out)
    }

    #[test]
    fn numbers_are_rewritten_together() {
        let rest = "1 2 3 4 5 6 7 8 9 ".repeat(9);
        for (text, count, expected) in [
            ("1.50 -0.000 0 100 7. -12.250\n", 6, "1.5 -0 0 100 7 -12.25 "),
            ("  1  2.0\r\n", 2, "1 2 "),
            ("1.10 \n", 1, "1.1 "),
            ("-0.00000001 12345678.1234 ", 2, "-0.00000001 12345678.1234 "),
        ] {
            let (line, mut out) = (format!("{text}{rest}"), b"0 ".to_vec());
            let (found, end) = rewrite_words(&mut out, line.as_bytes(), 0, count).unwrap();
            assert_eq!((found, String::from_utf8(out.split_off(2)).unwrap().as_str()), (count, expected));
            assert!((text.len() - 1..=text.len()).contains(&end), "{text}");
        }
        for text in [
            ".5 ",
            "1e-05 ",
            "007 ",
            "-00.5 ",
            "0.000000001 ",
            "12345678901.12345 ",
            "1\n2 ",
            "1\t2 ",
            "x ",
            "+1 ",
        ] {
            assert_eq!(
                rewrite_words(&mut Vec::new(), format!("{text}{rest}").as_bytes(), 0, 2),
                None,
                "{text}"
            );
        }
        assert_eq!(rewrite_words(&mut Vec::new(), &[b' '; 128], 0, 9), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8192))]

        #[test]
        fn lines_are_copied_as_they_are_written(
            line in "(-?(0|[1-9][0-9]{0,3})(\\.[0-9]{0,3}0{0,5})?[ \n]{1,2}){2,30}",
            odd in "|||\\.5 |1e-05 |007 |-00\\.5 |0\\.0000000001 |1\t2 |1234567890123456 ",
            most in 1usize..30,
        ) {
            let text = format!("{line}{odd}{line}{}", "1 ".repeat(64));
            let mut out = Vec::new();
            if let Some((count, end)) = rewrite_words(&mut out, text.as_bytes(), 0, most) {
                let expected = rewritten_line(&text.as_bytes()[..end], most).unwrap();
                prop_assert_eq!(&out, &expected, "{}", text);
                prop_assert_eq!(count, out.iter().filter(|&&byte| byte == b' ').count());
                prop_assert!(count <= most);
            } else {
                let start = &text.as_bytes()[..64];
                let is_usual = start.iter().all(|byte| b"-.0123456789 ".contains(byte));
                let odd = text.find(odd.as_str()).is_some_and(|at| !odd.is_empty() && at < 64);
                prop_assert!(!is_usual || odd, "{} is usual", text);
            }
        }

        #[test]
        fn what_is_copied_is_what_is_written(
            minus in "-?",
            whole in "0|[0-9]{1,5}",
            behind in "|\\.|\\.[0-9]{1,9}|\\.[0-9]{0,3}0{1,5}|\\.0{1,8}[0-9]",
            exponent in "|||e-0[0-9]",
        ) {
            let number = format!("{minus}{whole}{behind}{exponent}");
            if let Some(text) = rewritten(&number) {
                prop_assert_eq!(text, written(&number), "{}", number);
            } else {
                let plain = exponent.is_empty() && !(whole.len() > 1 && whole.starts_with('0'));
                let short = number.len() <= 8 || (whole.len() <= 4 && (2..=9).contains(&behind.len()));
                prop_assert!(!(plain && short), "{} is a usual number", number);
            }
        }
    }
}
