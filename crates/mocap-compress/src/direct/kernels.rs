//! Reads and computes eight tracks in parallel lanes.

use super::LEVELS;
use super::layout::{FINER, Layout, code_of, width_at};
use crate::bits::BitReader;
use crate::lanes::{Kernel, LANES, Lane, Vectors};
use crate::lattice::power_of_half;
use crate::segments::{Row, WIDEST};

/// Two neighbouring frames depend on this many numbers: one of level 1, two neighbours of level 2, two of level
/// 3, and one of level 4.
pub(super) const READS: usize = 6;

/// Number of bits that a 64-bit word holds, starting at any bit of its first byte.
pub(super) const WORD: u32 = 57;

/// The weights of the numbers of two frames, for tracks side by side.
pub(super) type Weights = [[Lane; READS]; 2];

/// Positions of the numbers for two neighbouring frames in a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// How many numbers levels from 1 have.
    pub(super) counts: [u32; LEVELS - 1],
    /// Indices of the numbers in their levels, and whether they exist; missing ones are 0.
    pub(super) indices: [u32; READS],
    pub(super) there: [bool; READS],
}

/// How all segments of a block store tracks side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayoutOf {
    /// The places of the tracks in the file.
    tracks: [u32; LANES],
    /// By level from 1, and axis, the bits at the middle code.
    bits: [[[i8; LANES]; 3]; LEVELS - 1],
    /// The steps against those of the lattice.
    scales: Lane,
}

impl LayoutOf {
    /// Of tracks that do not exist.
    pub(super) const NONE: LayoutOf = LayoutOf {
        tracks: [0; LANES],
        bits: [[[-WIDEST as i8; LANES]; 3]; LEVELS - 1],
        scales: [0.0; LANES],
    };

    pub(super) fn put(&mut self, lane: usize, track: usize, layout: &Layout) {
        self.tracks[lane] = track as u32;
        for (lanes, bits) in self.bits.iter_mut().zip(&layout.bits[1..]) {
            lanes.iter_mut().zip(bits).for_each(|(lanes, bits)| lanes[lane] = *bits as i8);
        }
        self.scales[lane] = power_of_half(layout.halved);
    }
}

/// How a segment stores tracks side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    choices: [u32; LANES],
    /// By level from 1.
    widths: [Triple; LEVELS - 1],
    /// The steps.
    scales: Lane,
}

impl Stored {
    pub(super) const NONE: Stored =
        Stored { choices: [0; LANES], widths: [Triple::NONE; LEVELS - 1], scales: [0.0; LANES] };
}

/// Reads the choices of a segment for each track.
pub(super) struct Choose<'a> {
    /// By track in the file.
    pub(super) choices: &'a [[u8; 2]],
    /// How many numbers levels from 1 have.
    pub(super) counts: [u32; LEVELS - 1],
    /// By group.
    pub(super) layouts: &'a [LayoutOf],
    pub(super) stored: &'a mut [Stored],
    /// Number of bits per track.
    pub(super) sizes: &'a mut [[u32; LANES]],
}

impl Kernel for Choose<'_> {
    #[inline(always)]
    fn run(self) {
        // All choices are first read one by one, then used in lanes: a vector load of values just written one
        // by one would stall.
        for (layout, stored) in self.layouts.iter().zip(self.stored.iter_mut()) {
            for lane in 0..LANES {
                let choice = self.choices.get(layout.tracks[lane] as usize);
                let choice = choice.map_or(0, |choice| u16::from_le_bytes(*choice));
                stored.choices[lane] = u32::from(choice);
                stored.scales[lane] = FINER[usize::from(choice) % FINER.len()];
            }
        }
        for ((layout, stored), sizes) in self.layouts.iter().zip(self.stored).zip(self.sizes) {
            let choices = stored.choices;
            let mut scales = stored.scales;
            let mut size = [0; LANES];
            let mut widths = [Triple::NONE; LEVELS - 1];
            for level in 0..LEVELS - 1 {
                widths[level] = Triple::of(&layout.bits[level], &choices, level);
                for lane in 0..LANES {
                    size[lane] += widths[level].all[lane] * self.counts[level];
                }
            }
            for lane in 0..LANES {
                scales[lane] *= layout.scales[lane];
            }
            (stored.widths, stored.scales) = (widths, scales);
            *sizes = size;
        }
    }
}

/// Reads the numbers for two frames and sums them: vectors in steps of the lattice. `PLAIN`: three numbers
/// never exceed a word.
pub(super) struct Sums<'a, const PLAIN: bool> {
    pub(super) bits: &'a [u8],
    pub(super) pair: &'a Pair,
    /// By group.
    pub(super) stored: &'a [Stored],
    /// First bits of the tracks.
    pub(super) starts: &'a [[u32; LANES]],
    /// By group.
    pub(super) weights: &'a [Weights],
    pub(super) fetched: &'a mut [Fetched],
    pub(super) sums: [&'a mut [Vectors]; 2],
}

/// The levels of the numbers of two frames, from 1.
const LEVEL: [usize; READS] = [0, 1, 1, 2, 2, 3];

impl<const PLAIN: bool> Kernel for Sums<'_, PLAIN> {
    #[inline(always)]
    fn run(self) {
        let Sums { bits, pair, stored, starts, weights, fetched, sums: [first, next] } = self;
        for ((stored, starts), fetched) in stored.iter().zip(starts).zip(fetched.iter_mut()) {
            fetched.places = places(pair, &stored.widths, starts);
        }
        if PLAIN {
            fetch::<2, 2>(bits, fetched);
        }
        let groups = stored.iter().zip(fetched).zip(weights).zip(first.iter_mut().zip(next));
        for (((stored, fetched), weights), (first, next)) in groups {
            let mut sums = match PLAIN {
                true => sums(pair, &stored.widths, fetched, weights),
                false => long_sums(bits, pair, &stored.widths, &fetched.places, weights),
            };
            for frame in 0..2 {
                for axis in 0..3 {
                    for lane in 0..LANES {
                        sums[frame][axis][lane] *= stored.scales[lane];
                    }
                }
            }
            [first.0, next.0] = sums;
        }
    }
}

/// Positions of the numbers, by their order in [`LEVEL`]: 0 (with 1 directly after), 3 (with 4 directly after),
/// 2 and 5.
#[inline(always)]
fn places(pair: &Pair, widths: &[Triple; LEVELS - 1], starts: &[u32; LANES]) -> [[u32; LANES]; 4] {
    let [a, b, c, d] = widths;
    let [of_a, of_b, of_c, _] = pair.counts;
    let mut places = [*starts; 4];
    for lane in 0..LANES {
        let second = starts[lane].wrapping_add(a.all[lane] * of_a);
        let third = second.wrapping_add(b.all[lane] * of_b);
        let fourth = third.wrapping_add(c.all[lane] * of_c);
        places[1][lane] = third.wrapping_add(c.all[lane] * pair.indices[3]);
        places[2][lane] = second.wrapping_add(b.all[lane]);
        places[3][lane] = fourth.wrapping_add(d.all[lane] * pair.indices[5]);
    }
    places
}

/// Sums for numbers that together never exceed a word.
#[inline(always)]
fn sums(pair: &Pair, widths: &[Triple; LEVELS - 1], fetched: &Fetched, weights: &Weights) -> [[Lane; 3]; 2] {
    let mut first = [0; LANES];
    for lane in 0..LANES {
        first[lane] = widths[0].all[lane] * pair.counts[0];
    }
    let [a, b] = fetched.pair(0, &first);
    let [d, e] = fetched.pair(1, &widths[2].all);
    let [c, f] = [fetched.head(2), fetched.head(3)];
    let mut sums = [[[0.0f32; LANES]; 3]; 2];
    add(pair, 0, &tops(&widths[0].of, &a), widths, weights, &mut sums);
    add(pair, 1, &tops(&widths[1].of, &b), widths, weights, &mut sums);
    add(pair, 2, &tops(&widths[1].of, &c), widths, weights, &mut sums);
    add(pair, 3, &tops(&widths[2].of, &d), widths, weights, &mut sums);
    add(pair, 4, &tops(&widths[2].of, &e), widths, weights, &mut sums);
    add(pair, 5, &tops(&widths[3].of, &f), widths, weights, &mut sums);
    sums
}

/// Like [`sums`], for numbers of any width.
#[cold]
#[inline(never)]
fn long_sums(
    bits: &[u8],
    pair: &Pair,
    widths: &[Triple; LEVELS - 1],
    places: &[[u32; LANES]; 4],
    weights: &Weights,
) -> [[Lane; 3]; 2] {
    let mut behind = [places[0], places[1]];
    for lane in 0..LANES {
        behind[0][lane] = behind[0][lane].wrapping_add(widths[0].all[lane] * pair.counts[0]);
        behind[1][lane] = behind[1][lane].wrapping_add(widths[2].all[lane]);
    }
    let places = [places[0], behind[0], places[2], places[1], behind[1], places[3]];
    let mut sums = [[[0.0f32; LANES]; 3]; 2];
    for term in 0..READS {
        let tops = long_tops(&widths[LEVEL[term]].of, bits, &places[term], 1);
        add(pair, term, &tops, widths, weights, &mut sums);
    }
    sums
}

/// Adds a number to the sums of two frames if it exists.
#[inline(always)]
fn add(
    pair: &Pair,
    term: usize,
    tops: &[[u32; LANES]; 3],
    widths: &[Triple; LEVELS - 1],
    weights: &Weights,
    sums: &mut [[Lane; 3]; 2],
) {
    if !pair.there[term] {
        return;
    }
    let widths = &widths[LEVEL[term]];
    let mut odd = [0; LANES];
    for lane in 0..LANES {
        odd[lane] = tops[2][lane] << (widths.of[2][lane] & 31) >> 31 & widths.any[lane];
    }
    for axis in 0..3 {
        for lane in 0..LANES {
            let width = widths.of[axis][lane] & 31;
            // The range is symmetric about 0.
            let number = tops[axis][lane] >> (31 - width) & !1 | odd[lane];
            let number = (number as i32 - (1 << width & !1)) as f32;
            sums[0][axis][lane] += weights[0][term][lane] * number;
            sums[1][axis][lane] += weights[1][term][lane] * number;
        }
    }
}

/// The widths of three numbers of tracks side by side.
type Widths = [[u32; LANES]; 3];

/// The widths of the numbers of a level.
#[derive(Clone, Copy, Debug)]
struct Triple {
    of: Widths,
    all: [u32; LANES],
    /// 1 if they are stored.
    any: [u32; LANES],
}

impl Triple {
    const NONE: Triple = Triple { of: [[0; LANES]; 3], all: [0; LANES], any: [0; LANES] };

    /// Of a level, counted from 0, as chosen.
    #[inline(always)]
    fn of(bits: &[[i8; LANES]; 3], choices: &[u32; LANES], level: usize) -> Triple {
        let mut triple = Triple::NONE;
        for lane in 0..LANES {
            let code = code_of(choices[lane], level);
            let any = u32::from(code > 0);
            let width = |axis: usize| width_at(i32::from(bits[axis][lane]), code) * any;
            let [a, b, c] = [width(0), width(1), width(2)];
            [triple.of[0][lane], triple.of[1][lane], triple.of[2][lane]] = [a, b, c];
            triple.all[lane] = a + b + c + any;
            triple.any[lane] = any;
        }
        triple
    }
}

/// The highest bits of each of three numbers, and what follows.
#[inline(always)]
fn tops(widths: &Widths, heads: &[u64; LANES]) -> [[u32; LANES]; 3] {
    let mut tops = [[0; LANES]; 3];
    for lane in 0..LANES {
        let second = heads[lane] << (widths[0][lane] & 31);
        let third = second << (widths[1][lane] & 31);
        tops[0][lane] = (heads[lane] >> 32) as u32;
        tops[1][lane] = (second >> 32) as u32;
        tops[2][lane] = (third >> 32) as u32;
    }
    tops
}

/// Like [`tops`], for numbers that may exceed a word; `behind` bits follow the last one.
#[cold]
#[inline(never)]
fn long_tops(widths: &Widths, bits: &[u8], places: &[u32; LANES], behind: u32) -> [[u32; LANES]; 3] {
    let mut tops = [[0; LANES]; 3];
    for lane in 0..LANES {
        let mut reader = BitReader::new(bits, places[lane] as usize);
        let widths = widths.map(|widths| widths[lane]);
        for (axis, width) in [widths[0], widths[1], widths[2] + behind].into_iter().enumerate() {
            tops[axis][lane] = (u64::from(reader.take(width)) << (32 - width)) as u32;
        }
    }
    tops
}

/// Words read from given positions. All groups are read one by one before they are used in lanes: a vector load
/// of values just written one by one would stall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetched {
    places: [[u32; LANES]; 4],
    words: [[[u64; LANES]; 2]; 4],
}

/// Reads two words from each of the first places on, and one from so many others.
#[inline(always)]
fn fetch<const DOUBLE: usize, const SINGLE: usize>(bits: &[u8], fetched: &mut [Fetched]) {
    for Fetched { places, words } in fetched {
        for at in 0..DOUBLE {
            for lane in 0..LANES {
                [words[at][0][lane], words[at][1][lane]] = words_at(bits, places[at][lane]);
            }
        }
        for at in DOUBLE..DOUBLE + SINGLE {
            for lane in 0..LANES {
                [words[at][0][lane]] = words_at(bits, places[at][lane]);
            }
        }
    }
}

impl Fetched {
    pub(super) const NONE: Fetched = Fetched { places: [[0; LANES]; 4], words: [[[0; LANES]; 2]; 4] };

    /// The bits from a place on, at the top of a word.
    #[inline(always)]
    fn head(&self, at: usize) -> [u64; LANES] {
        let mut head = [0; LANES];
        for lane in 0..LANES {
            head[lane] = self.words[at][0][lane].swap_bytes() << (self.places[at][lane] % 8);
        }
        head
    }

    /// As [`Fetched::head`], and the bits from some bits behind it on, at most a word.
    #[inline(always)]
    fn pair(&self, at: usize, behind: &[u32; LANES]) -> [[u64; LANES]; 2] {
        let [high, low] = &self.words[at];
        let mut heads = [[0; LANES]; 2];
        for lane in 0..LANES {
            let [high, low] = [high[lane].swap_bytes(), low[lane].swap_bytes()];
            let [high, low] = shifted([high, low], self.places[at][lane] % 8);
            let [next, _] = shifted([high, low], behind[lane] & 63);
            [heads[0][lane], heads[1][lane]] = [high, next];
        }
        heads
    }
}

/// Two words, the higher one first, shifted left by at most 63 bits.
#[inline(always)]
fn shifted([high, low]: [u64; 2], by: u32) -> [u64; 2] {
    [high << by | low >> 1 >> (63 - by), low << by]
}

/// The words from the byte of a place on, the lowest byte first.
#[inline(always)]
fn words_at<const WORDS: usize>(bits: &[u8], place: u32) -> [u64; WORDS] {
    let at = (place / 8) as usize;
    let mut words = [0; WORDS];
    for word in 0..WORDS {
        words[word] = match bits.get(at..at + 8 * WORDS) {
            Some(bytes) => first_word(&bytes[8 * word..]),
            None => last_word(bits, at + 8 * word),
        };
    }
    words
}

/// The first eight bytes, the lowest first.
#[inline(always)]
fn first_word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Like [`first_word`], from a byte on; zeros beyond the end.
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
    widths: Widths,
    least: [[i32; LANES]; 3],
    scales: Lane,
}

impl RowOf {
    pub(super) const NONE: RowOf =
        RowOf { starts: [0; LANES], widths: [[0; LANES]; 3], least: [[0; LANES]; 3], scales: [0.0; LANES] };

    pub(super) fn put(&mut self, lane: usize, start: usize, row: &Row) {
        self.starts[lane] = start as u32;
        for axis in 0..3 {
            self.widths[axis][lane] = row.width[axis];
            self.least[axis][lane] = row.least[axis];
        }
        self.scales[lane] = row.scale();
    }
}

/// Reads two rows that start at some bits: numbers in steps of the lattice. `PLAIN`: three numbers never exceed
/// a word.
pub(super) struct ReadRows<'a, const PLAIN: bool> {
    pub(super) bits: &'a [u8],
    pub(super) starts: [u32; 2],
    /// By group.
    pub(super) rows: &'a [RowOf],
    pub(super) fetched: &'a mut [Fetched],
    pub(super) numbers: [&'a mut [Vectors]; 2],
}

impl<const PLAIN: bool> Kernel for ReadRows<'_, PLAIN> {
    #[inline(always)]
    fn run(self) {
        for (row, fetched) in self.rows.iter().zip(self.fetched.iter_mut()) {
            for at in 0..2 {
                for lane in 0..LANES {
                    fetched.places[at][lane] = row.starts[lane].wrapping_add(self.starts[at]);
                }
            }
        }
        if PLAIN {
            fetch::<0, 2>(self.bits, self.fetched);
        }
        let [first, next] = self.numbers;
        let groups = self.rows.iter().zip(self.fetched).zip(first.iter_mut().zip(next));
        for ((row, fetched), (first, next)) in groups {
            let mut tops_of = [[[0; LANES]; 3]; 2];
            for at in 0..2 {
                tops_of[at] = match PLAIN {
                    true => tops(&row.widths, &fetched.head(at)),
                    false => long_tops(&row.widths, self.bits, &fetched.places[at], 0),
                };
            }
            let mut numbers = [[[0.0; LANES]; 3]; 2];
            for at in 0..2 {
                for axis in 0..3 {
                    for lane in 0..LANES {
                        let number = cut(tops_of[at][axis][lane], row.widths[axis][lane]) as i32;
                        let number = row.least[axis][lane].wrapping_add(number) as f32;
                        numbers[at][axis][lane] = number * row.scales[lane];
                    }
                }
            }
            [first.0, next.0] = numbers;
        }
    }
}

/// The highest bits of a word as a number.
#[inline(always)]
fn cut(top: u32, width: u32) -> u32 {
    top >> 1 >> (!width & 31)
}

#[cfg(test)]
mod tests;
