//! Writes numbers in the fewest digits that read back as the same.
//!
//! Numbers of motion files mostly have at most six decimals. Such a number, scaled, is an integer, which one division
//! verifies; its digits are then computed in two machine words without a loop. No shorter text reads back as the same
//! number, since decimals of up to 15 digits have different values. All other numbers go to Schubfach.
//!
//! Based on: R. Giulietti, "The Schubfach way to render doubles", 2020 (by the library `zmij`).

/// Appends the shortest text that reads back as `number`, without an exponent unless it is far from one.
///
/// ```
/// let mut text = Vec::new();
/// mocap_formats::number::write(&mut text, 0.1 + 0.2);
/// assert_eq!(text, b"0.30000000000000004");
/// ```
#[inline]
pub fn write(text: &mut Vec<u8>, number: f64) {
    match short(number) {
        Some((characters, length)) => {
            let end = text.len() + length;
            // A fixed number of bytes is copied without a call.
            text.extend_from_slice(&characters.to_le_bytes());
            text.truncate(end);
        }
        None => write_any(text, number),
    }
}

/// Appends numbers with a blank behind each.
#[inline(always)]
pub(crate) fn write_words(text: &mut Vec<u8>, numbers: &[f64]) {
    /// Numbers that are buffered before they are appended: the address in an array does not depend on the length of a
    /// vector.
    const TOGETHER: usize = 32;
    for numbers in numbers.chunks(TOGETHER) {
        let mut words = [b' '; (TOGETHER + 1) * SHORT];
        let mut end = 0;
        for &number in numbers {
            match short(number) {
                Some((characters, length)) => {
                    words[end..end + SHORT].copy_from_slice(&characters.to_le_bytes());
                    words[end + length] = b' ';
                    end += length + 1;
                }
                None => {
                    text.extend_from_slice(&words[..end]);
                    end = 0;
                    write_any(text, number);
                    text.push(b' ');
                }
            }
        }
        text.extend_from_slice(&words[..end]);
    }
}

/// The most characters of a short number.
const SHORT: usize = size_of::<u128>();

/// Added to a smaller number, this leaves the nearest integer in the lowest bits.
const INTEGER: f64 = (1u64 << 52) as f64;

/// As [`f64::round`] of a number below 2⁵¹, but for the sign of zero, without a call.
#[inline]
pub(crate) fn nearest(number: f64) -> f64 {
    // Just below a half: a number just below another half stays below the next integer.
    const HALF: f64 = 0.5f64.next_down();
    (number + HALF.copysign(number)) as i64 as f64
}

/// The characters of a number below 10,000 with at most six decimals, the first one in the lowest byte, and how many
/// they are; `None` for other numbers.
#[inline(always)]
fn short(number: f64) -> Option<(u128, usize)> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let size = number.abs();
    let nearest = size * 1e6 + INTEGER;
    if !(size < 1e4 && (nearest - INTEGER) / 1e6 == size) {
        return None;
    }
    let millionths = nearest.to_bits() - INTEGER.to_bits();
    let (whole, decimals) = (millionths / 1_000_000, millionths % 1_000_000);
    let (first_four, last_two) = (decimals / 100, decimals % 100);
    let digits = digits_of_two(whole | first_four << 32);
    let decimals = digits >> 32 | (last_two / 10) << 32 | (last_two % 10) << 40;
    // Zeros at both ends are left out, but for one before the point.
    let skipped = (digits | 1 << 24).trailing_zeros() / 8;
    let kept = 8 - decimals.leading_zeros() / 8;
    let point = 4 - skipped;
    let negative = u32::from(number.is_sign_negative());
    let whole = (digits | ZEROS) as u32 >> (8 * skipped);
    let unsigned = u64::from(whole) | u64::from(b'.') << (8 * point);
    let head = unsigned << (8 * negative) | u64::from(b'-' * negative as u8);
    let length = point + negative + u32::from(kept > 0);
    let characters = u128::from(head) | u128::from(decimals | ZEROS) << (8 * (point + negative + 1));
    Some((characters, (length + kept) as usize))
}

/// The digits of two numbers below 10,000, each of which has four bytes and comes in 32 bits.
#[inline(always)]
fn digits_of_two(numbers: u64) -> u64 {
    // Multiplying and shifting divides all parts of a word at once: by 100, then by 10.
    let hundreds = ((numbers * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds | (numbers - 100 * hundreds) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    tens | (pairs - 10 * tens) << 8
}

#[inline(never)]
fn write_any(text: &mut Vec<u8>, number: f64) {
    let size = number.abs();
    let is_usual = (1e-5..1e16).contains(&size);
    // Billionths are written without an exponent.
    let is_plain = is_usual || !number.is_finite() || (size < 1.0 && (size * 1e9).round() / 1e9 == size);
    let is_tiny = !is_plain && size < 1e-5 && number.to_bits().trailing_zeros() < 5;
    if is_usual || is_tiny {
        let mut buffer = zmij::Buffer::new();
        let written = buffer.format_finite(number);
        let written = written.strip_suffix(".0").unwrap_or(written);
        if is_tiny || !is_between(number, written) {
            text.extend_from_slice(written.as_bytes());
            return;
        }
    }
    let written = if is_plain { number.to_string() } else { format!("{number:e}") };
    text.extend_from_slice(written.as_bytes());
}

/// Whether a number lies in the middle between its text and another of the same length: libraries differ in which of
/// the two they choose.
fn is_between(number: f64, text: &str) -> bool {
    // Those of at most three decimals are large, the others have few binary digits.
    if number.to_bits().trailing_zeros() < 5 && number.abs() < 1e12 {
        return false;
    }
    let Some(point) = text.find('.') else { return false };
    // It has one decimal more, a 5, and so that many binary digits behind the point.
    let scaled = number * (1u64 << (text.len() - point)) as f64;
    scaled % 2.0 == scaled.signum()
}

#[cfg(test)]
mod tests {
    use super::super::{scan, scan_not_finite};
    use super::*;
    use proptest::prelude::*;

    fn written(number: f64) -> String {
        let mut text = Vec::new();
        write(&mut text, number);
        String::from_utf8(text).unwrap()
    }

    /// As the standard library writes it.
    fn shortest(number: f64) -> String {
        let size = number.abs();
        let billionths = size < 1.0 && (size * 1e9).round() / 1e9 == size;
        let plain = billionths || (1e-5..1e16).contains(&size) || !number.is_finite();
        if plain { number.to_string() } else { format!("{number:e}") }
    }

    #[test]
    fn numbers_are_written_short() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-17.0, "-17"),
            (0.5, "0.5"),
            (0.000001, "0.000001"),
            (-172.265152, "-172.265152"),
            (100.0, "100"),
            (1200.03, "1200.03"),
            (1e-9, "0.000000001"),
            (1e-10, "1e-10"),
            (9999.999999, "9999.999999"),
            (-9999.999999, "-9999.999999"),
            (10000.0, "10000"),
            (123456789.5, "123456789.5"),
            (0.016666666666666666, "0.016666666666666666"),
            (1e300, "1e300"),
        ] {
            assert_eq!(written(number), expected);
        }
    }

    #[test]
    fn numbers_beside_powers_are_the_shortest() {
        for exponent in -1074..1024 {
            let power = 2f64.powi(exponent);
            for number in [power.next_down(), power, power.next_up(), -power] {
                assert_eq!(written(number), shortest(number));
            }
        }
        // Powers of two far apart.
        for (whole, part) in [(3, -16), (19, -11), (36, -6), (49, -2)] {
            let number = 2f64.powi(whole) + 2f64.powi(part);
            assert_eq!(written(number), shortest(number));
        }
        for exponent in -30..30 {
            let power = 10f64.powi(exponent);
            for number in [power.next_down(), power, power.next_up(), -power, 5.0 * power, 0.5 * power] {
                assert_eq!(written(number), shortest(number));
            }
        }
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        let largest = (1u64 << 51) as f64;
        for number in [0.0, 0.3, 0.5f64.next_down(), 0.5, 0.5f64.next_up(), 1.5, 2.5, largest - 0.5, largest]
        {
            for number in [number, -number, number.next_up(), -number.next_up()] {
                assert_eq!(nearest(number), number.round(), "{number}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn what_is_written_is_the_shortest_and_reads_back(
            bits in any::<u64>(),
            millionths in -20_000_000_000i64..20_000_000_000,
            decimals in 0i32..16,
            angle in -360.0f64..360.0,
            single in any::<f32>(),
            binary in -(1i64 << 52)..1 << 52,
            places in 0i32..60,
            ulps in -2i64..3,
        ) {
            let decimal = (angle * 10f64.powi(decimals)).round() / 10f64.powi(decimals);
            let near = f64::from_bits((millionths as f64 / 1e6).to_bits().wrapping_add_signed(ulps));
            let dyadic = binary as f64 / 2f64.powi(places);
            let few = (binary >> 30) as f64 / 2f64.powi(places.min(40));
            for number in [dyadic, few, single.into()] {
                prop_assert_eq!(written(number), shortest(number));
            }
            for number in [f64::from_bits(bits), millionths as f64 / 1e6, near, millionths as f64 / 1e2, decimal] {
                let text = written(number);
                prop_assert_eq!(&text, &shortest(number));
                if number.is_finite() {
                    let (read, end) = scan(text.as_bytes(), 0).unwrap();
                    prop_assert_eq!((read.to_bits(), end), (number.to_bits(), text.len()));
                } else {
                    prop_assert_eq!(scan_not_finite(text.as_bytes(), 0), Some(text.len()));
                }
            }
        }
    }
}
