//! What is read and computed for eight tracks at once.

use super::LEVELS;
use super::widths::Widths;
use crate::bits::BitReader;
use crate::lanes::{Kernel, LANES, Lane, Vectors};
use crate::segments::Row;
use std::hint::black_box;

/// Two neighbouring frames are made from so many numbers: one, two neighbours, two neighbours and one of levels 1 to 4.
pub(super) const READS: usize = 6;

/// The weights of the numbers of two frames, for tracks side by side.
pub(super) type Weights = [[Lane; READS]; 2];

/// Where two neighbouring frames find their numbers in a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// How many numbers levels from 1 have.
    pub(super) counts: [u32; LEVELS - 1],
    /// The places of the numbers in their levels, and whether they are there: others are 0.
    pub(super) indices: [u32; READS],
    pub(super) there: [bool; READS],
}

/// How a segment stores tracks side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    /// The first bits behind the choices.
    starts: [u32; LANES],
    /// By level from 1.
    widths: [[u32; LANES]; LEVELS - 1],
    /// The steps.
    scales: Lane,
}

impl Stored {
    pub(super) const NONE: Stored =
        Stored { starts: [0; LANES], widths: [[0; LANES]; LEVELS - 1], scales: [0.0; LANES] };

    #[inline(always)]
    pub(super) fn put(&mut self, lane: usize, start: u32, widths: [Widths; LEVELS - 1], scale: f32) {
        let lane = lane % LANES;
        self.starts[lane] = start;
        self.widths.iter_mut().zip(widths).for_each(|(lanes, widths)| lanes[lane] = widths.0);
        self.scales[lane] = scale;
    }
}

/// Reads the numbers that two frames are made from, and sums them: vectors in steps of the lattice. `PLAIN` where all
/// numbers are there, and three are never longer than a word.
pub(super) struct Sums<'a, const PLAIN: bool> {
    pub(super) bits: &'a [u8],
    pub(super) stored: &'a Stored,
    pub(super) pair: &'a Pair,
    pub(super) weights: &'a Weights,
    pub(super) sums: [&'a mut Vectors; 2],
}

/// The levels of the numbers of two frames, from 1.
const LEVEL: [usize; READS] = [0, 1, 1, 2, 2, 3];

impl<const PLAIN: bool> Kernel for Sums<'_, PLAIN> {
    #[inline(always)]
    fn run(self) {
        let [a, b, c, d] = &self.stored.widths;
        let widths = [Triple::of(a), Triple::of(b), Triple::of(c), Triple::of(d)];
        let mut places = [[0; LANES]; READS];
        let mut starts = [self.stored.starts; LEVELS];
        for level in 0..LEVELS - 1 {
            for lane in 0..LANES {
                let all = widths[level].all[lane] * self.pair.counts[level];
                starts[level + 1][lane] = starts[level][lane].wrapping_add(all);
            }
        }
        for term in 0..READS {
            let level = LEVEL[term];
            for lane in 0..LANES {
                let before = widths[level].all[lane] * self.pair.indices[term];
                places[term][lane] = starts[level][lane].wrapping_add(before);
            }
        }
        let mut words = [[[0; LANES]; 2]; READS];
        if PLAIN {
            read_words(self.bits, &places, &mut words);
        }
        let mut sums = [[[0.0f32; LANES]; 3]; 2];
        for term in 0..READS {
            if !PLAIN && !self.pair.there[term] {
                continue;
            }
            let widths = &widths[LEVEL[term]];
            let tops = match PLAIN {
                true => widths.tops(&words[term], &places[term]),
                false => widths.long_tops(self.bits, &places[term], 1),
            };
            self.add(widths, term, &tops, &mut sums);
        }
        for frame in 0..2 {
            for axis in 0..3 {
                for lane in 0..LANES {
                    sums[frame][axis][lane] *= self.stored.scales[lane];
                }
            }
        }
        let [first, next] = self.sums;
        [first.0, next.0] = sums;
    }
}

impl<const PLAIN: bool> Sums<'_, PLAIN> {
    /// Adds a number to the sums.
    #[inline(always)]
    fn add(&self, widths: &Triple, term: usize, tops: &[[u32; LANES]; 3], sums: &mut [[Lane; 3]; 2]) {
        let mut odd = [0; LANES];
        for lane in 0..LANES {
            odd[lane] = (tops[2][lane] << widths.of[2][lane]) >> 31 & widths.any[lane];
        }
        for axis in 0..3 {
            for lane in 0..LANES {
                let width = widths.of[axis][lane];
                // As many are below 0 as above.
                let number = 2 * cut(tops[axis][lane], width) + odd[lane];
                let number = (number as i32 - ((1 << width) & !1)) as f32;
                sums[0][axis][lane] += self.weights[0][term][lane] * number;
                sums[1][axis][lane] += self.weights[1][term][lane] * number;
            }
        }
    }
}

/// The highest bits of a word as a number.
#[inline(always)]
fn cut(top: u32, width: u32) -> u32 {
    top >> 1 >> (31 - width)
}

/// The widths of three numbers of tracks side by side.
struct Triple {
    of: [[u32; LANES]; 3],
    all: [u32; LANES],
    /// 1 where they are stored.
    any: [u32; LANES],
}

impl Triple {
    #[inline(always)]
    fn of(packed: &[u32; LANES]) -> Triple {
        let mut triple = Triple { of: [[0; LANES]; 3], all: [0; LANES], any: [0; LANES] };
        for lane in 0..LANES {
            let packed = packed[lane];
            triple.of[0][lane] = packed & 31;
            triple.of[1][lane] = packed >> 8 & 31;
            triple.of[2][lane] = packed >> 16 & 31;
            triple.all[lane] = packed >> 24;
            triple.any[lane] = u32::from(packed > 0);
        }
        triple
    }

    /// The bits from each of the three numbers on.
    #[inline(always)]
    fn tops(&self, words: &Words, places: &[u32; LANES]) -> [[u32; LANES]; 3] {
        let mut tops = [[0; LANES]; 3];
        for lane in 0..LANES {
            let word = [words[0][lane].swap_bytes(), words[1][lane].swap_bytes()];
            let first = shifted(word, places[lane] % 8);
            let second = shifted(first, self.of[0][lane]);
            let [third, _] = shifted(second, self.of[1][lane]);
            [tops[0][lane], tops[1][lane], tops[2][lane]] = [first[0], second[0], third];
        }
        tops
    }

    /// As [`Triple::tops`] where numbers may be longer than a word; `behind` bits follow the last one.
    #[cold]
    #[inline(never)]
    fn long_tops(&self, bits: &[u8], places: &[u32; LANES], behind: u32) -> [[u32; LANES]; 3] {
        let mut tops = [[0; LANES]; 3];
        for lane in 0..LANES {
            let mut reader = BitReader::new(bits, places[lane] as usize);
            let widths = [0, 1, 2].map(|axis| self.of[axis][lane]);
            for (axis, width) in [widths[0], widths[1], widths[2] + behind].into_iter().enumerate() {
                tops[axis][lane] = (u64::from(reader.take(width)) << (32 - width)) as u32;
            }
        }
        tops
    }
}

/// Two words, the lowest byte first.
type Words = [[u32; LANES]; 2];

/// Reads the words that some bits are in.
#[inline(always)]
fn read_words<const COUNT: usize>(bits: &[u8], places: &[[u32; LANES]; COUNT], words: &mut [Words; COUNT]) {
    let mut bytes = [[0; LANES]; COUNT];
    for term in 0..COUNT {
        for lane in 0..LANES {
            bytes[term][lane] = places[term][lane] / 8;
        }
    }
    // Places are computed side by side, words are read one by one: through memory, as the compiler mixes both badly.
    black_box(&mut bytes);
    for term in 0..COUNT {
        for lane in 0..LANES {
            let word = word(bits, bytes[term][lane] as usize);
            words[term][0][lane] = word as u32;
            words[term][1][lane] = (word >> 32) as u32;
        }
    }
    black_box(words);
}

/// The bits of two words, the higher one first, moved up by at most 31.
#[inline(always)]
fn shifted([high, low]: [u32; 2], by: u32) -> [u32; 2] {
    [high << by | low >> 1 >> (31 - by), low << by]
}

/// Eight bytes, the lowest first; zeros behind the end.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8).and_then(|bytes| bytes.first_chunk()) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => last_word(bytes, at),
    }
}

#[cold]
#[inline(never)]
fn last_word(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or(&[]);
    rest.iter().take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// How rows store tracks side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowOf {
    starts: [u32; LANES],
    widths: [u32; LANES],
    least: [[i32; LANES]; 3],
    scales: Lane,
}

impl RowOf {
    pub(super) const NONE: RowOf =
        RowOf { starts: [0; LANES], widths: [0; LANES], least: [[0; LANES]; 3], scales: [0.0; LANES] };

    pub(super) fn put(&mut self, lane: usize, start: usize, row: &Row) {
        self.starts[lane] = start as u32;
        self.widths[lane] = Widths::of_row(row.width).0;
        self.least.iter_mut().zip(row.least).for_each(|(lanes, least)| lanes[lane] = least);
        self.scales[lane] = row.scale();
    }
}

/// Reads a row that starts at a bit: numbers in steps of the lattice. `PLAIN` where three are never longer than a word.
pub(super) struct ReadRow<'a, const PLAIN: bool> {
    pub(super) bits: &'a [u8],
    pub(super) start: u32,
    pub(super) row: &'a RowOf,
    pub(super) numbers: &'a mut Vectors,
}

impl<const PLAIN: bool> Kernel for ReadRow<'_, PLAIN> {
    #[inline(always)]
    fn run(self) {
        let widths = Triple::of(&self.row.widths);
        let mut places = self.row.starts;
        for lane in 0..LANES {
            places[lane] = places[lane].wrapping_add(self.start);
        }
        let tops = match PLAIN {
            true => {
                let mut words = [[[0; LANES]; 2]];
                read_words(self.bits, &[places], &mut words);
                widths.tops(&words[0], &places)
            }
            false => widths.long_tops(self.bits, &places, 0),
        };
        let mut numbers = Vectors::ZERO;
        for axis in 0..3 {
            for lane in 0..LANES {
                let number = cut(tops[axis][lane], widths.of[axis][lane]) as i32;
                let number = self.row.least[axis][lane].wrapping_add(number) as f32;
                numbers.0[axis][lane] = number * self.row.scales[lane];
            }
        }
        *self.numbers = numbers;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::run;
    use fearless_simd::Level;

    /// Bits without a pattern.
    fn noise(bytes: usize) -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..bytes).map(|_| next()).collect()
    }

    #[test]
    fn numbers_are_the_same_side_by_side_and_one_by_one() {
        let bits = noise(90);
        let mut stored = Stored::NONE;
        for lane in 0..LANES {
            let width = |level: u32| [lane as u32 + level, 7 - level, 2 * level + lane as u32 % 3];
            let widths = [Widths::of_level(width(0)), Widths::default(), Widths::of_level(width(2))];
            let [a, b, c] = widths;
            // Some reach behind the end.
            stored.put(lane, 97 * lane as u32, [a, b, c, Widths::of_level([0; 3])], 1.0 + lane as f32);
        }
        let pair = Pair { counts: [1, 2, 4, 8], indices: [0, 0, 1, 1, 2, 3], there: [true; READS] };
        let weights = [0, 1].map(|frame| {
            [0, 1, 2, 3, 4, 5]
                .map(|term| [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| (frame + 2 * term + lane) as f32))
        });
        let mut found = [[Vectors::ZERO; 2]; 3];
        let [plain, slow, wide] = &mut found;
        let (stored, pair, weights) = (&stored, &pair, &weights);
        let bits = &bits[..];
        Sums::<true> { bits, stored, pair, weights, sums: plain.each_mut() }.run();
        Sums::<false> { bits, stored, pair, weights, sums: slow.each_mut() }.run();
        run(Level::new(), Sums::<true> { bits, stored, pair, weights, sums: wide.each_mut() });
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0], found[2]);
        assert!(found[0].iter().all(|sums| (0..LANES - 1).all(|lane| sums.get(lane) != [0.0; 3])));

        let rows = Row { least: [-5, 0, 9], width: [11, 0, 17], ..Row::default() };
        let mut row = RowOf::NONE;
        (0..LANES).for_each(|lane| row.put(lane, 80 * lane, &rows));
        let mut found = [Vectors::ZERO; 3];
        let [plain, slow, wide] = &mut found;
        let (start, row) = (3, &row);
        ReadRow::<true> { bits, start, row, numbers: plain }.run();
        ReadRow::<false> { bits, start, row, numbers: slow }.run();
        run(Level::new(), ReadRow::<true> { bits, start, row, numbers: wide });
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0], found[2]);
        let mut reader = BitReader::new(bits, 83);
        let expected = rows.width.map(|width| reader.take(width) as f32);
        assert_eq!(found[0].get(1), [expected[0] - 5.0, 0.0, expected[2] + 9.0]);
    }
}
