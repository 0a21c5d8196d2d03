//! Parses numbers, up to 64 characters at once.
//!
//! Characters are classified into bit masks, which give the sign, point and end of every number, so no number waits for
//! the one before it. The digits of two numbers are then combined side by side. Digits and powers of ten are exact in
//! `f64`, so one division gives the correctly rounded value (see [`scan`](super::scan())).

use super::widest::widest;
use super::words::{BLOCK, Characters, has_run};
use wide::bytemuck::cast;
use wide::{f64x2, f64x4, i16x8, i32x4, i32x8, u16x8};

/// Digits are read in machine words that are aligned to their last digit.
const WORD: usize = 8;

/// Most digits before a point; one more is allowed after it. All of them are exact in `f64`.
const WHOLE: u32 = 7;

/// Most characters of a number without sign and exponent where zeros are not counted: all powers of ten are exact.
const LONGEST: u32 = 14;

/// Number of divisors without a minus; the table continues with those of negative numbers.
const DIVISORS: usize = 32;

/// Numbers that are read together at most.
pub(crate) const MOST_WORDS: usize = BLOCK / 2;

/// Appends numbers from a place on until there are `enough` values (or a few more), or until one that [`read_block`]
/// does not take. Returns the place to continue at.
pub(crate) fn read_words(text: &[u8], at: usize, enough: usize, values: &mut Vec<f64>) -> usize {
    widest(
        #[inline(always)]
        || read_blocks(text, at, enough, values),
    )
}

#[inline(always)]
fn read_blocks(text: &[u8], mut at: usize, enough: usize, values: &mut Vec<f64>) -> usize {
    while values.len() < enough
        && let Some(end) = read_block(text, at, values)
    {
        at = end;
    }
    at
}

/// Appends the numbers of the next characters. Returns the place to continue at; `None`, with nothing appended, where
/// one of them has other characters or more digits than usual, or an exponent other than `e-00` to `e-09`.
#[inline(always)]
fn read_block(text: &[u8], at: usize, values: &mut Vec<f64>) -> Option<usize> {
    let window = text.get(at.checked_sub(WORD)?..)?.first_chunk()?;
    let characters = Characters::of(window.last_chunk()?)?;
    let starts = characters.starts();
    if !characters.are_short() || !characters.are_numbers(starts) || cfg!(target_endian = "big") {
        return None;
    }
    let length = values.len() + starts.count_ones() as usize;
    if characters.letters == 0 {
        append::<false>(values, Numbers::of(window, &characters, starts));
    } else if characters.are_short_exponents() {
        append::<true>(values, Numbers::of(window, &characters, starts));
    } else {
        return None;
    }
    // Numbers come in pairs: the last one may not exist.
    values.truncate(length);
    Some(at + characters.length)
}

#[inline(always)]
fn append<const EXPONENTS: bool>(values: &mut Vec<f64>, mut numbers: Numbers) {
    while numbers.starts != 0 {
        let pair = [numbers.next::<EXPONENTS>(), numbers.next::<EXPONENTS>()];
        let digits = digits(pair.each_ref().map(|n| n.whole), pair.each_ref().map(|n| n.decimals));
        let [whole, decimals]: [f64x2; 2] = cast(f64x4::from(digits));
        let power = f64x2::new(pair.each_ref().map(|number| number.power));
        let divisor = f64x2::new(pair.each_ref().map(|number| number.divisor));
        values.extend_from_slice(&((whole * power + decimals) / divisor).to_array());
    }
}

/// The numbers of two words before points and of two behind them. A word has eight digits, the first in the lowest byte.
#[inline(always)]
fn digits(whole: [u64; 2], decimals: [u64; 2]) -> i32x4 {
    let [whole, decimals] = [whole, decimals].map(|words| {
        // Ten times the lower byte of a pair plus the upper one, eight bits further up.
        let pairs: u16x8 = (cast::<_, u16x8>(words) * u16x8::splat(10 * 256 + 1)) >> 8;
        cast::<_, i16x8>(pairs).dot(i16x8::new([100, 1, 100, 1, 100, 1, 100, 1]))
    });
    let fours = i16x8::from_i32x8_saturate(cast::<[i32x4; 2], i32x8>([whole, decimals]));
    fours.dot(i16x8::new([10_000, 1, 10_000, 1, 10_000, 1, 10_000, 1]))
}

/// The parts of a number before they are combined.
struct Number {
    /// The digits before its point, a byte each, aligned to the end of the word.
    whole: u64,
    /// Those behind its point.
    decimals: u64,
    /// Ten to the power of the count of decimals.
    power: f64,
    /// The same with the exponent, and the sign of the number.
    divisor: f64,
}

/// Characters of which some numbers are not yet read, with a bit for each of a kind.
struct Numbers<'t> {
    window: &'t [u8; WORD + BLOCK],
    minuses: u64,
    starts: u64,
    /// White space behind numbers.
    ends: u64,
    /// Letters and ends.
    mantissa_ends: u64,
    /// Points, letters and ends.
    whole_ends: u64,
}

impl Numbers<'_> {
    #[inline(always)]
    fn of<'t>(window: &'t [u8; WORD + BLOCK], characters: &Characters, starts: u64) -> Numbers<'t> {
        let Characters { spaces, points, minuses, letters, .. } = *characters;
        let ends = spaces & !(spaces << 1) & !1;
        let mantissa_ends = ends | letters;
        Numbers { window, minuses, starts, ends, mantissa_ends, whole_ends: mantissa_ends | points }
    }

    /// The next number; an arbitrary one where there is none.
    #[inline(always)]
    fn next<const EXPONENTS: bool>(&mut self) -> Number {
        let start = place(self.starts);
        let point = place(self.whole_ends);
        let end = place(self.ends);
        let mantissa_end = if EXPONENTS { place(self.mantissa_ends) } else { end };
        let seen = self.ends ^ self.ends.wrapping_sub(1);
        self.starts &= self.starts.wrapping_sub(1);
        self.ends &= !seen;
        self.mantissa_ends &= !seen;
        self.whole_ends &= !seen;
        let negative = (self.minuses >> start) as usize & 1;
        let whole = point.wrapping_sub(start + negative);
        let behind = mantissa_end.wrapping_sub(point);
        let power = match EXPONENTS {
            // A product instead of a branch, which would be mispredicted for every other number.
            true => behind.max(1) + self.last_digit(end) * usize::from(mantissa_end != end),
            false => behind,
        };
        Number {
            whole: self.word(point) & LAST[whole % 16],
            decimals: self.word(mantissa_end) & BEHIND[behind % 16],
            power: POWERS[behind % 16],
            divisor: SIGNED[power % DIVISORS + negative * DIVISORS],
        }
    }

    /// The digits before a place.
    #[inline(always)]
    fn word(&self, end: usize) -> u64 {
        u64::from_le_bytes(self.window[end..end + WORD].try_into().expect("eight bytes"))
    }

    /// The digit before a place.
    #[inline(always)]
    fn last_digit(&self, end: usize) -> usize {
        usize::from(self.window[WORD - 1 + end] & 0x0F)
    }
}

/// The lowest bit that is set.
#[inline(always)]
fn place(bits: u64) -> usize {
    bits.trailing_zeros() as usize % BLOCK
}

/// Masks for the last digits of a word, by their number.
const LAST: [u64; 16] = {
    let mut masks = [0x0F0F_0F0F_0F0F_0F0Fu64; 16];
    let mut digits = 0;
    while digits < WORD {
        masks[digits] = masks[digits].unbounded_shl((64 - 8 * digits) as u32);
        digits += 1;
    }
    masks
};

/// The same of a point and the digits behind it.
const BEHIND: [u64; 16] = {
    let mut masks = [0; 16];
    let mut characters = 1;
    while characters < 16 {
        masks[characters] = LAST[characters - 1];
        characters += 1;
    }
    masks
};

/// Powers of ten by the count of a point and the digits behind it.
const POWERS: [f64; DIVISORS] = {
    let mut powers = [1.0; DIVISORS];
    let mut characters = 2;
    while characters < 24 {
        // Exact up to the 22nd.
        powers[characters] = 10.0 * powers[characters - 1];
        characters += 1;
    }
    powers
};

/// The same, then those with a minus.
const SIGNED: [f64; 2 * DIVISORS] = {
    let mut powers = [1.0; 2 * DIVISORS];
    let mut characters = 0;
    while characters < DIVISORS {
        powers[characters] = POWERS[characters];
        powers[DIVISORS + characters] = -POWERS[characters];
        characters += 1;
    }
    powers
};

impl Characters {
    /// Whether no number has more digits than can be read at once, zeros directly behind a point not counted.
    #[inline(always)]
    fn are_short(&self) -> bool {
        let counted = self.digits & !(self.points << 1);
        !has_run(counted, WHOLE + 1) || self.are_short_behind_zeros(counted)
    }

    #[inline(never)]
    fn are_short_behind_zeros(&self, counted: u64) -> bool {
        let leading = self.zeros & !(self.zeros + (self.zeros & (self.points << 1)));
        !has_run(counted & !leading, WHOLE + 1) && !has_run(self.digits | self.points, LONGEST + 1)
    }

    /// Whether all exponents have two digits, the first of which is zero.
    #[inline(always)]
    fn are_short_exponents(&self) -> bool {
        let Characters { spaces, zeros, letters, .. } = *self;
        (letters << 2) & !zeros == 0 && (letters << 4) & !spaces == 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::*;
    use proptest::prelude::*;

    /// The numbers at the start of a text and what is read of it, for the widest registers and for common ones.
    fn read(words: &str) -> (Vec<f64>, usize) {
        let text = format!("12345678{words}");
        let found = [read_words, read_blocks].map(|read| {
            let mut values = vec![7.0];
            let end = read(text.as_bytes(), 8, usize::MAX, &mut values);
            assert_eq!(values.remove(0), 7.0);
            (values, end - 8)
        });
        let [wide, common] = found;
        assert_eq!(bits(&wide.0), bits(&common.0), "{words}");
        assert_eq!(wide.1, common.1);
        common
    }

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|value| value.to_bits()).collect()
    }

    /// The numbers of a text one by one.
    fn numbers(text: &str) -> Vec<f64> {
        text.split_ascii_whitespace().map(|word| scan(word.as_bytes(), 0).unwrap().0).collect()
    }

    #[test]
    fn unusual_words_are_left_to_others() {
        let rest = " 1".repeat(40);
        for word in [
            "12345678",
            "1234567.123456789",
            "1.123456789",
            "0.00123456789",
            "0.000000000000001",
            "1e-10",
            "1e-15",
            "1e-005",
            "1e-5",
            "1e5",
            "+1",
            "--1",
            "-",
            ".",
            "1.2.3",
            "nan",
            "1,5",
            "1#",
        ] {
            for text in [format!("{word}{rest}"), format!("1 {word}{rest}")] {
                assert_eq!(read(&text), (Vec::new(), 0), "{text}");
            }
        }
        assert_eq!(read(""), (Vec::new(), 0));
        assert_eq!(read(&"7".repeat(64)), (Vec::new(), 0));
        // Blocks have text before them.
        assert_eq!(read_words(" 1 2 3 4".repeat(9).as_bytes(), 7, 9, &mut Vec::new()), 7);
        // Not many more than `enough` are read.
        let (text, mut values) = (" 1 2 3 4".repeat(99), Vec::new());
        let end = read_words(text.as_bytes(), 8, 50, &mut values);
        assert!((50..50 + MOST_WORDS).contains(&values.len()) && end == 9 + 2 * values.len(), "{end}");
    }

    #[test]
    fn the_largest_and_the_smallest_numbers_are_exact() {
        for words in [
            "9999999.99999999 -9999999.99999999 0.00000000 -0 9999999e-09 -0.00000001e-09 .99999999e-09 -5. .5 -.5 000.5 ",
            "0.000000000001 -0.000009999999 12.0000000001e-09 1234567.e-09 1e-01 .0000001234567e-00 -0e-05 ",
        ] {
            let text = words.repeat(3);
            let (values, end) = read(&text);
            assert!(end > 2 * words.len(), "{words}");
            assert_eq!(bits(&values), bits(&numbers(&text[..end])));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8192))]

        #[test]
        fn values_are_those_that_are_read_one_by_one(
            words in "((-?([0-9]{0,5}\\.[0-9]{1,8}|[0-9]{1,7}\\.?|0\\.0{1,4}[0-9]{1,7})(e-0[0-9])?)[ \t\r\n]{1,2}){20,40}",
            odd in "|||1e-12 |12345678 |1\\.123456789 |\\.0{14}1 |nan |\\+1 |1e5 |-e-01 ",
            start in " ?",
        ) {
            let text = format!("{start}{words}{odd}{words}");
            let (values, end) = read(&text);
            prop_assert_eq!(bits(&values), bits(&numbers(&text[..end])), "{}", &text);
            let last = text.len() - BLOCK;
            let stopped = &text[end..(end + BLOCK).min(text.len())];
            prop_assert!(end > last || (!odd.is_empty() && stopped.contains(&odd)), "{} stops at {}", text, end);
        }
    }
}
