//! Copies numbers of a text in the form that [`write`](super::write()) gives their values.
//!
//! Two decimals of up to 15 digits never have the same value: [`write`](super::write()) gives back the digits that
//! stand there, but for zeros at either end. So the value is not needed.

use super::scan::{WINDOW, ZEROS, characters, first_blank, others, without_minus};

/// Appends the number that starts at `at` as [`write`](super::write()) writes its value. Returns the place behind the
/// blank or control character that follows; `None`, with nothing appended, where this takes more than a look at its
/// characters.
///
/// It takes usual numbers: up to eight characters, or up to sixteen with a point behind at most four digits, no exponent
/// and no zero too many before the point.
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

/// How many digits stand where.
struct Parts {
    /// Before the point.
    whole: usize,
    /// Behind it.
    decimals: usize,
    /// Zeros at the end of these.
    zeros: usize,
    has_point: bool,
}

/// Of a number whose characters, `end` at most eight, stand at the start of a word.
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

/// Of a number of nine to sixteen characters that start with those of a word, and where it ends.
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
    use super::rewrite_word;
    use proptest::prelude::*;

    /// What the number at the start becomes, if its characters show it.
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
        // Behind the end of the text nothing is looked at.
        assert_eq!(rewrite_word(&mut Vec::new(), b"1 ", 0), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8192))]

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
