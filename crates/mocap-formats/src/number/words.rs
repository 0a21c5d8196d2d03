//! Finds the numbers of a text without their values, up to 64 characters at once, with a bit for each.
//!
//! Based on: G. Langdale, D. Lemire, "Parsing gigabytes of JSON per second", 2019 (bits of one kind of character; an
//! addition carries through a run of digits).

use wide::u8x16;

/// Characters that are classified together: one machine word has a bit for each.
pub(super) const BLOCK: usize = 64;

/// A run of numbers.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// Where the bits start in the text.
    pub(crate) at: usize,
    /// The first character of each number.
    pub(crate) starts: u64,
    /// A place in or after the white space that follows the last number.
    pub(crate) end: usize,
}

impl Words {
    /// How many numbers they are.
    pub(crate) fn count(self) -> usize {
        self.starts.count_ones() as usize
    }

    /// The place of a number, counted from 0.
    pub(crate) fn place(self, number: usize) -> usize {
        self.at + without_lowest(self.starts, number).trailing_zeros() as usize
    }
}

/// The numbers of the next characters, from the start of a word or white space on; all are finite. They have digits and
/// at most one point, with an optional minus before and an optional exponent such as `e-06` after them. `None` means
/// only that the fast path does not apply.
#[inline(always)]
pub(crate) fn scan_words(text: &[u8], at: usize) -> Option<Words> {
    let characters = Characters::of(text.get(at..)?.first_chunk()?)?;
    let starts = characters.starts();
    characters.are_numbers(starts).then(|| Words { at, starts, end: at + characters.length })
}

/// The classes of characters up to a white space, as bit masks; the lowest bit is the first character.
pub(super) struct Characters {
    /// How many they are.
    pub(super) length: usize,
    /// White space.
    pub(super) spaces: u64,
    /// The spaces that are neither tabs nor ends of lines.
    pub(super) blanks: u64,
    pub(super) digits: u64,
    pub(super) zeros: u64,
    pub(super) points: u64,
    pub(super) minuses: u64,
    /// The letter of an exponent.
    pub(super) letters: u64,
}

impl Characters {
    /// The characters of a block up to its last white space.
    #[inline(always)]
    pub(super) fn of(block: &[u8; BLOCK]) -> Option<Characters> {
        let blanks = which(block, is(b' '));
        let spaces = blanks | which(block, is_one_of(b'\t', b'\r'));
        let length = BLOCK - spaces.leading_zeros() as usize;
        let all = lowest(length);
        (length > 0).then(|| Characters {
            length,
            spaces,
            blanks,
            digits: which(block, is_one_of(b'0', b'9')) & all,
            zeros: which(block, is(b'0')) & all,
            points: which(block, is(b'.')) & all,
            minuses: which(block, is(b'-')) & all,
            letters: which(block, |characters| is(b'e')(characters | u8x16::splat(0x20))) & all,
        })
    }

    /// The first `length` characters only.
    #[inline(always)]
    pub(super) fn first(&self, length: usize) -> Characters {
        let all = lowest(length);
        let Characters { spaces, blanks, digits, zeros, points, minuses, letters, .. } = *self;
        Characters {
            length,
            spaces: spaces & all,
            blanks: blanks & all,
            digits: digits & all,
            zeros: zeros & all,
            points: points & all,
            minuses: minuses & all,
            letters: letters & all,
        }
    }

    /// The first character of each word.
    #[inline(always)]
    pub(super) fn starts(&self) -> u64 {
        let words = lowest(self.length) & !self.spaces;
        words & !(words << 1)
    }

    /// The digits that follow one of the characters without a gap.
    #[inline(always)]
    pub(super) fn digits_behind(&self, characters: u64) -> u64 {
        self.digits & !(self.digits + (self.digits & (characters << 1)))
    }

    /// Whether all words are finite numbers: these are too short for more than 64 digits, and no exponent is positive.
    #[inline(always)]
    pub(super) fn are_numbers(&self, starts: u64) -> bool {
        let Characters { spaces, digits, points, minuses, letters, .. } = *self;
        let known = spaces | digits | points | minuses | letters;
        let signs = minuses & starts;
        let behind_points = (points << 1) | (self.digits_behind(points) << 1);
        let odd = (lowest(self.length) & !known)
            | (minuses & !(starts | (letters << 1)))
            | ((signs << 1) & !(digits | points))
            | (points & !((digits << 1) | (digits >> 1)))
            | (behind_points & !(digits | spaces | letters));
        odd == 0 && (letters == 0 || self.are_exponents(minuses & !starts))
    }

    /// Whether all letters stand behind digits and before a minus and digits, with a space behind these.
    #[cold]
    fn are_exponents(&self, minuses: u64) -> bool {
        let Characters { spaces, digits, points, letters, .. } = *self;
        let ends = self.digits_behind(minuses) << 1;
        let odd = (letters & !((digits | points) << 1))
            | ((letters << 1) & !minuses)
            | ((minuses << 1) & !digits)
            | (ends & !(digits | spaces));
        odd == 0
    }
}

/// The bits of the first characters.
#[inline(always)]
pub(super) fn lowest(count: usize) -> u64 {
    u64::MAX.checked_shr((BLOCK - count) as u32).unwrap_or(0)
}

/// All bits but the lowest ones that are set.
pub(super) fn without_lowest(bits: u64, count: usize) -> u64 {
    (0..count).fold(bits, |bits, _| bits & bits.wrapping_sub(1))
}

/// Whether there is a run of at least `length` set bits; `length` is 8 or more.
#[inline(always)]
pub(super) fn has_run(bits: u64, length: u32) -> bool {
    let eight = [1, 2, 4].into_iter().fold(bits, |run, shift| run & (run << shift));
    eight & (eight << (length - 8)) != 0
}

fn is(character: u8) -> impl Fn(u8x16) -> u8x16 {
    move |characters| characters.simd_eq(u8x16::splat(character))
}

fn is_one_of(first: u8, last: u8) -> impl Fn(u8x16) -> u8x16 {
    move |characters| {
        let behind = characters - u8x16::splat(first);
        behind.min(u8x16::splat(last - first)).simd_eq(behind)
    }
}

/// The bits of the characters of a kind.
#[inline(always)]
fn which(block: &[u8; BLOCK], kind: impl Fn(u8x16) -> u8x16) -> u64 {
    let (parts, _) = block.as_chunks::<16>();
    let bits = |part: &[u8; 16]| u64::from(kind(u8x16::new(*part)).to_bitmask());
    parts.iter().rev().fold(0, |found, part| found << 16 | bits(part))
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::*;
    use proptest::prelude::*;

    const SPACES: [u8; 6] = [b' ', b'\t', b'\r', b'\n', 0x0B, 0x0C];

    /// The numbers of a text as [`scan`] finds them, up to the first other word.
    fn numbers(text: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = 0;
        loop {
            at += text[at..].iter().position(|byte| !SPACES.contains(byte)).unwrap_or(text.len() - at);
            match scan(text, at) {
                Some((value, end)) if value.is_finite() && SPACES.contains(&text[end]) => {
                    found.push(at);
                    at = end;
                }
                _ => return found,
            }
        }
    }

    fn words(text: &str) -> Option<usize> {
        let mut block = [b'x'; BLOCK];
        block[..text.len()].copy_from_slice(text.as_bytes());
        scan_words(&block, 0).map(Words::count)
    }

    #[test]
    fn numbers_are_counted() {
        for (text, count) in [
            ("1 ", 1),
            (" -1.5\t.5 \r\n5. 0 ", 4),
            ("12 -.5 -5. 1e-05 2.5E-300 ", 5),
            ("1\n\n1 ", 2),
            (" ", 0),
            // The last word may continue.
            ("1 2", 1),
            ("1 2.5.", 1),
        ] {
            assert_eq!(words(text), Some(count), "{text}");
        }
        for text in [
            "- ", ". ", "-. ", "--1 ", "1-1 ", "1.5.2 ", ". 5 ", "1.-5 ", "e-5 ", "-e-5 ", ".e-5 ", "1e5 ",
            "1e ", "1e- ", "1e-5e-5 ", "1e-5.5 ", "1e-5-5 ", "+1 ", "1,5 ", "nan ", "1\x01 ", "1\u{e9} ",
            "1",
        ] {
            assert_eq!(words(text), None, "{text}");
        }
        assert_eq!(scan_words(&[b' '; 63], 0).map(Words::count), None);
        assert_eq!(scan_words(&[b'7'; 64], 0).map(Words::count), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8192))]

        #[test]
        fn words_are_those_that_are_read_one_by_one(
            text in "((-?([0-9]{0,4}\\.[0-9]{0,9}|[0-9]{1,9})(e-[0-9]{1,3})?|[-+.e0-9x]{1,4})[ \t\n]{1,2}){1,20}",
            start in 0usize..3,
        ) {
            let mut text = text.into_bytes();
            text.resize(text.len().max(BLOCK + start), b'x');
            if start > 0 {
                text[start - 1] = b' ';
            }
            if let Some(found) = scan_words(&text, start) {
                let expected: Vec<usize> =
                    numbers(&text[start..found.end]).into_iter().map(|at| start + at).collect();
                let places: Vec<usize> = (0..found.count()).map(|number| found.place(number)).collect();
                prop_assert_eq!(places, expected);
                prop_assert!(SPACES.contains(&text[found.end - 1]));
                prop_assert!(!SPACES.iter().any(|space| text[found.end..start + BLOCK].contains(space)));
            }
        }

        #[test]
        fn usual_words_are_found(
            words in prop::collection::vec("-?([0-9]{1,4}\\.[0-9]{0,6}(e-[0-9]{2})?|\\.[0-9]{1,6}|[0-9]{1,9})", 16..20),
        ) {
            let text = words.join(" ").repeat(2);
            prop_assert!(scan_words(text.as_bytes(), 0).is_some(), "{}", text);
        }
    }
}
