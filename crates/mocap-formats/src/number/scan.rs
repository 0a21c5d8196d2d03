//! Reads numbers, to the bit as [`str::parse`] does, but several times faster.
//!
//! Up to sixteen characters are processed as two machine words: their digits are found, the point is removed, and the
//! whole is converted to one integer without a loop. If integer and power of ten are both exact in `f64`, one division
//! gives the correctly rounded value; otherwise the standard library parses the number.
//!
//! Based on: W. D. Clinger, "How to read floating point numbers accurately", 1990 (the exact case);
//! D. Lemire, "Number parsing at a gigabyte per second", 2021 (eight digits in three multiplications).

/// The powers of ten that `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The powers of ten of up to eight digits.
const SMALL_POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// A sign and two machine words.
pub(super) const WINDOW: usize = 17;

/// A number before its exponent, small enough for `f64` to hold its digits exactly.
struct Mantissa {
    negative: bool,
    digits: u64,
    /// How many of the digits stand behind the point.
    decimals: usize,
    /// The first byte that is not part of it.
    end: usize,
}

/// The number that starts at `at`, and the place after it; `None` where none starts there.
///
/// A number is an optional sign, digits with at most one point among them or at either end (`+10.`, `.5`), and an
/// optional exponent (`3.6e-015`). It ends at the first character that cannot continue it; the caller decides whether
/// that may follow. A number that is too large becomes infinite.
///
/// ```
/// assert_eq!(mocap_formats::number::scan(b"-1.5e2 7", 0), Some((-150.0, 6)));
/// assert_eq!(mocap_formats::number::scan(b"nan", 0), None);
/// ```
#[inline]
pub fn scan(text: &[u8], at: usize) -> Option<(f64, usize)> {
    match scan_word(text, at) {
        Some((value, end, _)) => Some((value, end)),
        None => scan_any(text, at),
    }
}

/// As [`scan`] for the usual number of a motion file with white space behind it: up to eight characters, or up to
/// sixteen with a point behind at most four digits, perhaps with an exponent such as `e-06`; no plus. With the value,
/// which is finite, come the place behind it and the character there: space or a control character. `None` means only
/// that the fast path does not apply.
#[inline(always)]
pub(crate) fn scan_word(text: &[u8], at: usize) -> Option<(f64, usize, u8)> {
    let window = text.get(at..)?.first_chunk::<WINDOW>()?;
    let first = characters(window, 0);
    let (values, signs) = without_minus(window, first);
    let end = first_blank(first);
    let stop = window[end];
    let (size, end, stop) = match stop > b' ' {
        false => (short_word(values, signs, end)?, end, stop),
        true => long_word(window, values, signs)?,
    };
    Some((f64::from_bits(size.to_bits() | (signs as u64) << 63), at + end, stop))
}

/// The first characters of a word as digits, and how many of them are a minus: it becomes a zero, which changes no digits.
#[inline(always)]
pub(super) fn without_minus(window: &[u8; WINDOW], first: u64) -> (u64, usize) {
    let negative = window[0] == b'-';
    ((first + u64::from(negative) * u64::from(b'0' - b'-')) ^ ZEROS, usize::from(negative))
}

/// The number whose characters, `end` at most eight, stand at the start of a word.
#[inline(always)]
fn short_word(values: u64, signs: usize, end: usize) -> Option<f64> {
    if end == 0 {
        return None;
    }
    let aligned = values << (64 - 8 * end);
    // One character, if any, is not a digit: the point.
    let other = others(aligned);
    let one = other >> 7;
    let point = one * u64::from(b'.' ^ b'0');
    let is_point = aligned & (other << 1).wrapping_sub(one) == point;
    if !is_point || other & other.wrapping_sub(1) != 0 || end - signs == usize::from(other != 0) {
        return None;
    }
    // The digits before the point move up by one byte to close its gap.
    let moved = aligned & one.saturating_sub(1);
    let digits = eight_digits((aligned ^ point ^ moved) | moved << 8);
    let decimals = (other.leading_zeros() / 8) as usize % 8;
    // Signed integers convert in one instruction.
    Some(digits as i64 as f64 / POWERS[decimals])
}

/// The number whose characters, nine to sixteen, start with those of a word; where it ends, and what stands there.
#[inline(always)]
fn long_word(window: &[u8; WINDOW], values: u64, signs: usize) -> Option<(f64, usize, u8)> {
    const TENTHS: u32 = u32::from_le_bytes(*b"e-0\0");
    let end = 8 + first_blank(characters(window, 8));
    let stop = window[end];
    let point = (others(values).trailing_zeros() / 8) as usize;
    let length = point.wrapping_sub(signs);
    if stop > b' ' || length.wrapping_sub(1) > 3 || window[point] != b'.' {
        return None;
    }
    let tail = u32::from_le_bytes(*window[end - 4..].first_chunk()?);
    let has_exponent = tail & 0x00FF_FFFF == TENTHS;
    let exponent = if has_exponent { (tail >> 24).wrapping_sub(u32::from(b'0')) as usize } else { 0 };
    let decimals = end - point - 1 - if has_exponent { 4 } else { 0 };
    if exponent > 9 || !(1..=8).contains(&decimals) {
        return None;
    }
    let whole = (values << (64 - 8 * point)) >> 32;
    let behind = (u64::from_le_bytes(*window[point + 1..].first_chunk()?) ^ ZEROS) << (64 - 8 * decimals);
    if others(behind) != 0 {
        return None;
    }
    let digits = four_digits(whole as u32) * SMALL_POWERS[decimals] + eight_digits(behind);
    Some((digits as i64 as f64 / POWERS[decimals + exponent], end, stop))
}

/// The general case of [`scan`].
#[inline(never)]
fn scan_any(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let rest = text.get(at..)?;
    let padded: [u8; WINDOW];
    let window = match rest.first_chunk::<WINDOW>() {
        Some(window) => window,
        None => {
            padded = padded_window(rest);
            &padded
        }
    };
    if let Some(mantissa) = mantissa(window) {
        // The usual case: neither a letter (which may start an exponent) nor a second point follows.
        if window[mantissa.end] | 0x20 != b'e' {
            return Some((value(&mantissa), at + mantissa.end));
        }
        if let Some((number, end)) = with_exponent(rest, &mantissa) {
            return Some((number, at + end));
        }
    }
    let (number, length) = by_std(rest)?;
    Some((number, at + length))
}

/// Where a text for something that is not a finite number ends: `NaN`, `-nan(ind)`, `inf`, `Infinity`,
/// `-1.#IND00`, `1.#QNAN`, in any case. `None` where none starts at `at`.
///
/// ```
/// assert_eq!(mocap_formats::number::scan_not_finite(b"nan 1", 0), Some(3));
/// ```
pub fn scan_not_finite(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at + usize::from(matches!(text.get(at), Some(b'-' | b'+')));
    for word in ["nan", "infinity", "inf"] {
        let Some(found) = text.get(end..end + word.len()) else { continue };
        if !found.eq_ignore_ascii_case(word.as_bytes()) {
            continue;
        }
        end += word.len();
        // C prints a payload behind it, as in `nan(ind)`.
        if text.get(end) == Some(&b'(')
            && let Some(close) = text[end..].iter().take(32).position(|&byte| byte == b')')
        {
            end += close + 1;
        }
        return Some(end);
    }
    end += count(&text[end.min(text.len())..], u8::is_ascii_digit);
    let kind = text.get(end..)?.strip_prefix(b".#")?;
    let length = count(kind, u8::is_ascii_alphanumeric);
    (length > 0).then_some(end + 2 + length)
}

#[cold]
fn padded_window(rest: &[u8]) -> [u8; WINDOW] {
    let mut window = [0; WINDOW];
    let length = rest.len().min(WINDOW);
    window[..length].copy_from_slice(&rest[..length]);
    window
}

/// Reads sign, digits and point; `None` without a digit, or with more than fit.
#[inline(always)]
fn mantissa(window: &[u8; WINDOW]) -> Option<Mantissa> {
    let negative = window[0] == b'-';
    let skip = usize::from(negative | (window[0] == b'+'));
    let first = Word::load(window, skip);
    if first.others != 0 && (!first.starts_others_with_point() || first.others & (first.others - 1) != 0) {
        // The usual case: all of it is in the first word.
        let part = first.part(false);
        if part.count == 0 {
            return None;
        }
        return Some(Mantissa {
            negative,
            digits: part.digits(),
            decimals: part.decimals,
            end: skip + part.length,
        });
    }
    let second = Word::load(window, skip + 8);
    let high = first.part(false);
    let low = second.part(first.others != 0);
    let digits = high.digits() * SMALL_POWERS[low.count] + low.digits();
    if low.length == 8 || digits >= 1 << 53 {
        return None;
    }
    let decimals = if first.others != 0 { high.decimals + low.count } else { low.decimals };
    Some(Mantissa { negative, digits, decimals, end: skip + 8 + low.length })
}

/// Eight characters; the first is in the lowest byte.
struct Word {
    /// 0 to 9 in each byte that is a digit.
    values: u64,
    /// The highest bit of each byte that is not a digit.
    others: u64,
}

/// The digits at the start of a word.
struct Part {
    /// Characters, the point included.
    length: usize,
    /// Digits.
    count: usize,
    /// Digits behind the point.
    decimals: usize,
    /// The digits, the last one in the highest byte, zeros below.
    packed: u64,
}

impl Word {
    #[inline(always)]
    fn load(window: &[u8; WINDOW], at: usize) -> Word {
        let values = characters(window, at) ^ ZEROS;
        Word { values, others: others(values) }
    }

    #[inline(always)]
    fn starts_others_with_point(&self) -> bool {
        let at = self.others.trailing_zeros() & 0x38;
        (self.values >> at) & 0xFF == u64::from(b'.' ^ b'0')
    }

    /// The digits up to the end of the number, across one point unless that has been seen before.
    #[inline(always)]
    fn part(&self, point_seen: bool) -> Part {
        let others = self.others;
        let first = (others.trailing_zeros() / 8) as usize;
        let has_point = others != 0 && !point_seen && self.starts_others_with_point();
        let behind = others & others.wrapping_sub(1);
        let length = if has_point { (behind.trailing_zeros() / 8) as usize } else { first };
        let count = length - usize::from(has_point);
        // Closes the gap of the point, which stands at `first`.
        let below = (1u64 << ((8 * first as u32) & 0x3F)).wrapping_sub(1);
        let closed =
            if has_point { (self.values & below) | ((self.values >> 8) & !below) } else { self.values };
        let packed = if count == 0 { 0 } else { closed << (64 - 8 * count) };
        Part { length, count, decimals: if has_point { count - first } else { 0 }, packed }
    }
}

impl Part {
    fn digits(&self) -> u64 {
        eight_digits(self.packed)
    }
}

/// The character 0, eight times.
pub(super) const ZEROS: u64 = 0x3030_3030_3030_3030;
const HIGHEST_BITS: u64 = 0x8080_8080_8080_8080;

#[inline(always)]
pub(super) fn characters(window: &[u8; WINDOW], at: usize) -> u64 {
    u64::from_le_bytes(window[at..at + 8].try_into().expect("eight bytes"))
}

/// The highest bit of each byte that is not a digit.
#[inline(always)]
pub(super) fn others(values: u64) -> u64 {
    // Adding 0x76 carries into the highest bit from 10 on.
    let carried = (values & 0x7F7F_7F7F_7F7F_7F7F) + 0x7676_7676_7676_7676;
    (carried | values) & HIGHEST_BITS
}

/// The place of the first character of a word that is a space or a control character; 8 without one.
#[inline(always)]
pub(super) fn first_blank(characters: u64) -> usize {
    // A borrow reaches only the bytes behind the first one.
    let blanks = characters.wrapping_sub(0x2121_2121_2121_2121) & !characters & HIGHEST_BITS;
    (blanks.trailing_zeros() / 8) as usize
}

/// The number of four digits, each a byte from 0 to 9, the first in the lowest.
#[inline(always)]
fn four_digits(values: u32) -> u64 {
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00FF_00FF;
    u64::from(pairs.wrapping_mul(1 + (100 << 16)) >> 16)
}

/// The number of eight digits, each a byte from 0 to 9, the first in the lowest.
#[inline(always)]
fn eight_digits(values: u64) -> u64 {
    const PAIR: u64 = 0x0000_00FF_0000_00FF;
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let even = (pairs & PAIR).wrapping_mul(100 + (1_000_000 << 32));
    let odd = ((pairs >> 16) & PAIR).wrapping_mul(1 + (10_000 << 32));
    even.wrapping_add(odd) >> 32
}

fn value(mantissa: &Mantissa) -> f64 {
    let size = mantissa.digits as f64 / POWERS[mantissa.decimals];
    if mantissa.negative { -size } else { size }
}

/// The number with the exponent that follows its mantissa; `None` where it is not exact.
fn with_exponent(text: &[u8], mantissa: &Mantissa) -> Option<(f64, usize)> {
    let Some((exponent, end)) = exponent(text, mantissa.end) else {
        return Some((value(mantissa), mantissa.end));
    };
    let power = exponent.saturating_sub(mantissa.decimals as i64);
    let factor = *POWERS.get(usize::try_from(power.unsigned_abs()).ok()?)?;
    let digits = mantissa.digits as f64;
    let size = if power < 0 { digits / factor } else { digits * factor };
    Some((if mantissa.negative { -size } else { size }, end))
}

/// The exponent that starts with the letter at `at`, and the place after it.
fn exponent(text: &[u8], at: usize) -> Option<(i64, usize)> {
    let signed = matches!(text.get(at + 1), Some(b'-' | b'+'));
    let start = at + 1 + usize::from(signed);
    let digits = text.get(start..)?;
    let length = count(digits, u8::is_ascii_digit);
    if length == 0 {
        return None;
    }
    // Saturates far beyond any exponent of a number.
    let size = digits[..length]
        .iter()
        .fold(0i64, |sum, digit| sum.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    Some((if text[at + 1] == b'-' { -size } else { size }, start + length))
}

/// The number at the start of `text` as the standard library reads it, and its length.
#[cold]
fn by_std(text: &[u8]) -> Option<(f64, usize)> {
    let mut end = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let whole = count(&text[end..], u8::is_ascii_digit);
    end += whole;
    let mut decimals = 0;
    if text.get(end) == Some(&b'.') {
        decimals = count(&text[end + 1..], u8::is_ascii_digit);
        end += 1 + decimals;
    }
    if whole + decimals == 0 {
        return None;
    }
    if matches!(text.get(end), Some(b'e' | b'E'))
        && let Some((_, behind)) = exponent(text, end)
    {
        end = behind;
    }
    let number = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    Some((number, end))
}

fn count(text: &[u8], is: impl Fn(&u8) -> bool) -> usize {
    text.iter().position(|byte| !is(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(text: &str) {
        let expected: f64 = text.parse().unwrap();
        // Alone, before other text, and far from the end of the text.
        for behind in ["", " ", "\n7", " 1.5 2.5 3.5 4.5 5.5 6.5", ",", "#", ".3.3.3.3.3.3.3.3.3.3.3.3.3"] {
            let line = format!("x{text}{behind}");
            let (found, end) = scan(line.as_bytes(), 1).unwrap_or_else(|| panic!("{line}"));
            if behind.starts_with('.') && !text.contains(['.', 'e', 'E']) {
                continue;
            }
            assert_eq!(end, 1 + text.len(), "{line}");
            assert_eq!(found.to_bits(), expected.to_bits(), "{line}");
        }
    }

    #[test]
    fn numbers_as_motion_files_write_them() {
        for text in [
            "0",
            "-0",
            "+0",
            "-0.0000",
            "+10.",
            ".5",
            "-.5",
            "5.",
            "3.6e-015",
            "1E+5",
            "1.e3",
            "-172.265152",
            "0.016666666666666666",
            "12345678",
            "1234567.",
            ".12345678",
            "12345678.1",
            "1234567.12345678",
            "99999999999999999",
            "9007199254740993",
            "9007199254740992",
            "00000000000000000000000001.5",
            "123456789012345678901234",
            "1.23456789012345678901234",
            "1e22",
            "1e23",
            "1e999",
            "-1e999",
            "1e-999",
            "5e-324",
            "2.2250738585072011e-308",
            "1e99999999999999999999",
            "0e99999999999999999999",
            "3.64024e-99999999999999999999",
            "-3.18055e-015",
            "179.999999999999",
        ] {
            same(text);
        }
    }

    #[test]
    fn what_is_no_number() {
        for text in
            ["", "-", "+", ".", "-.", "e5", "x", " 1", "--1", "nan", "inf", "-.e5", "+-2.000000000000000"]
        {
            assert_eq!(scan(text.as_bytes(), 0), None, "{text}");
        }
        assert_eq!(scan(b"12", 2), None);
        assert_eq!(scan(b"12", 3), None);
    }

    #[test]
    fn a_number_ends_where_it_cannot_go_on() {
        for (text, end) in
            [("1e", 1), ("1e+", 1), ("1.5.2", 3), ("7e-x", 1), ("1.#IND", 2), ("3-4", 1), ("2E5.5", 3)]
        {
            assert_eq!(scan(text.as_bytes(), 0).unwrap().1, end, "{text}");
        }
    }

    #[test]
    fn texts_for_what_is_not_finite() {
        for text in [
            "nan",
            "NaN",
            "-nan",
            "-nan(ind)",
            "inf",
            "-Inf",
            "+INFINITY",
            "1.#IND00",
            "-1.#IND00",
            "1.#QNAN",
            "1.#INF",
            "-1.#J",
        ] {
            for behind in ["", " 1"] {
                let line = format!("{text}{behind}");
                assert_eq!(scan_not_finite(line.as_bytes(), 0), Some(text.len()), "{line}");
            }
        }
        for text in ["", "-", "1.5", "1.", "#", "1.#", "1#IND", "nothing", "in"] {
            assert_eq!(scan_not_finite(text.as_bytes(), 0), None, "{text}");
        }
        assert_eq!(scan_not_finite(b"1", 5), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn decimals_of_any_length(text in r"[+-]?([0-9]{1,12}\.?[0-9]{0,12}|\.[0-9]{1,24}|[0-9]{1,24})") {
            same(&text);
        }

        #[test]
        fn words(
            text in r"-?([0-9]{0,9}|[0-9]{0,8}\.[0-9]{0,10}|[0-9]{1,5}\.[0-9]{0,9}e[+-]?[0-9]{1,3})",
            behind in r"[ \n\t.e0-9-]",
            more in "[ 0-9]{20}",
        ) {
            let line = format!("{text}{behind}{more}");
            if let Some((number, end, stop)) = scan_word(line.as_bytes(), 0) {
                prop_assert_eq!(stop, line.as_bytes()[end]);
                prop_assert!(stop <= b' ');
                prop_assert!(end >= text.len());
                prop_assert_eq!(number.to_bits(), line[..end].parse::<f64>().unwrap().to_bits());
            }
        }

        #[test]
        fn usual_words_take_the_short_way(
            text in r"-?([0-9]{1,7}|[0-9]{1,3}\.[0-9]{1,4}|[0-9]{1,4}\.[0-9]{1,8}|[0-9]\.[0-9]{3,6}e-0[0-9])",
        ) {
            let line = format!("{text} 1.2345678 1.2345678");
            let (number, end, _) = scan_word(line.as_bytes(), 0).unwrap();
            prop_assert_eq!((number.to_bits(), end), (text.parse::<f64>().unwrap().to_bits(), text.len()));
        }

        #[test]
        fn exponents(text in r"[+-]?[0-9]{1,9}(\.[0-9]{0,9})?[eE][+-]?0{0,3}[0-9]{1,3}") {
            same(&text);
        }

        #[test]
        fn any_float_as_rust_prints_it(bits in any::<u64>(), fixed in any::<f32>()) {
            let number = f64::from_bits(bits);
            if number.is_finite() {
                same(&format!("{number}"));
                same(&format!("{number:e}"));
            }
            if fixed.is_finite() {
                same(&format!("{fixed:.6}"));
            }
        }

        #[test]
        fn any_bytes(text in prop::collection::vec(any::<u8>(), 0..40), at in 0usize..44) {
            // What is read is what the standard library reads from the same bytes.
            if let Some((number, end)) = scan(&text, at) {
                let text = std::str::from_utf8(&text[at..end]).unwrap();
                prop_assert_eq!(number.to_bits(), text.parse::<f64>().unwrap().to_bits());
            }
            if let Some(end) = scan_not_finite(&text, at) {
                prop_assert!(end <= text.len());
            }
        }
    }
}
