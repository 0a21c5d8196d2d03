//! Decodes two neighbouring frames of eight tracks in parallel lanes, group by group.
//!
//! A group goes from the bytes of the file to its frames at once, so nothing is kept between groups but the position
//! of the next track.

use super::LEVELS;
use super::bits_in_lanes::{Heads, NARROW, WORD, Words, inside, long_three};
use super::group::{Group, RowOf};
use super::layout::{CODES, FINER};
use super::values::{Q, V};
use crate::lanes::{LANES, Lane};
use crate::segments::WIDEST;
use fearless_simd::{Level, Simd, dispatch, f32x8, i32x8, prelude::*, u32x8};
use std::ops::Range;

/// A computation on lanes for the registers of a processor. The bits are the same for all.
pub(super) trait Kernel {
    /// Inlined, as are all functions in it.
    fn run<S: Simd>(self, simd: S);
}

/// Runs the version of a kernel for this processor.
#[inline(always)]
pub(super) fn run(level: Level, kernel: impl Kernel) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(simd) = level.as_avx2() {
        return simd.vectorize(
            #[inline(always)]
            || kernel.run(simd),
        );
    }
    // Others have nothing wider that is faster: of 512 bits, half as many are computed at once.
    let _ = level;
    dispatch!(Level::baseline(), simd => kernel.run(simd));
}

/// Two neighbouring frames depend on this many numbers: one of level 1, two neighbours of level 2, two of level
/// 3, and one of level 4.
pub(super) const READS: usize = 6;

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

/// Where a frame is in its segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The share of the way from the first frame to the last one.
    pub(super) way: f32,
    /// Whether it is the first one, or the last one.
    pub(super) first: bool,
    pub(super) last: bool,
}

impl Place {
    pub(super) fn new(frame: usize, length: usize) -> Place {
        let way = frame.min(length) as f32 / length.max(1) as f32;
        Place { way, first: frame == 0, last: frame > 0 && frame >= length }
    }
}

/// Takes two decoded frames of groups. Lanes of other tracks have any values.
pub(super) trait Sink {
    fn rotations<S: Simd>(&mut self, simd: S, at: usize, group: &Group, frames: [Q<S>; 2]);
    fn translations<S: Simd>(&mut self, at: usize, group: &Group, frames: [V<S>; 2]);
}

/// Decodes two neighbouring frames. `PLAIN`: no number and no vector is so large that it needs care.
pub(super) struct Decode<'a, T, const PLAIN: bool> {
    pub(super) groups: &'a [Group],
    /// The groups that are decoded, and whose frames are taken.
    pub(super) wanted: Range<usize>,
    /// By group.
    pub(super) weights: &'a [Weights],
    pub(super) places: [Place; 2],
    /// The bytes from the row of the first frame on, and the first bits of both rows.
    pub(super) rows: &'a [u8],
    pub(super) row_starts: [u32; 2],
    pub(super) segment: Segment<'a>,
    pub(super) sink: T,
}

/// The part of a segment that two frames need.
#[derive(Clone, Copy)]
pub(super) struct Segment<'a> {
    pub(super) pair: Pair,
    /// By track in the file. Anything may follow.
    pub(super) choices: &'a [[u8; 2]],
    pub(super) bits: &'a [u8],
    /// By track in the file, its first bit; none where all tracks are decoded, in the order of the file.
    pub(super) starts: Option<&'a [u32]>,
}

impl<T: Sink, const PLAIN: bool> Kernel for Decode<'_, T, PLAIN> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Decode { groups, wanted, weights, places, rows, row_starts, segment, mut sink } = self;
        let mut next = 0;
        for (at, (group, weights)) in groups.iter().zip(weights).enumerate().take(wanted.end) {
            if at < wanted.start {
                Stored::read(simd, group, &segment, &mut next);
                continue;
            }
            // Both are fetched before any is used, so that words have arrived.
            let read = Rows::<S, PLAIN>::fetch(simd, rows, row_starts, &group.row);
            let (stored, starts) = Stored::read(simd, group, &segment, &mut next);
            let fetched = Numbers::<S, PLAIN>::fetch(simd, &segment, &stored, starts);
            let mut ends = read.vectors(simd, rows, group);
            let mut vectors = fetched.vectors(simd, &segment, &stored, weights, group);
            let ways = [places[0].way, places[1].way];
            if group.moves {
                let base = V::of(simd, &group.translations);
                let ends_of = [base.moved(simd, ends[0]), base.moved(simd, ends[1])];
                let mut frames = [
                    V::along(simd, ends_of, ways[0], vectors[0]),
                    V::along(simd, ends_of, ways[1], vectors[1]),
                ];
                put_ends(places, ends_of, &mut frames);
                sink.translations(at, group, frames);
                if group.turns {
                    ends = [group.only_rotations(simd, ends[0]), group.only_rotations(simd, ends[1])];
                    vectors =
                        [group.only_rotations(simd, vectors[0]), group.only_rotations(simd, vectors[1])];
                }
            }
            if group.turns {
                let base = Q::of(simd, &group.rotations);
                let ends_of = [base.turned::<PLAIN>(simd, ends[0]), base.turned::<PLAIN>(simd, ends[1])];
                let mut frames = [
                    Q::along::<PLAIN>(simd, ends_of, ways[0], vectors[0]),
                    Q::along::<PLAIN>(simd, ends_of, ways[1], vectors[1]),
                ];
                put_ends(places, ends_of, &mut frames);
                sink.rotations(simd, at, group, frames);
            }
        }
    }
}

/// Puts the ends of a segment where a frame is one: they have their own values.
#[inline(always)]
fn put_ends<T: Copy>(places: [Place; 2], [first, last]: [T; 2], frames: &mut [T; 2]) {
    if places[0].first {
        frames[0] = first;
    }
    if places[0].last {
        frames[0] = last;
    }
    if places[1].last {
        frames[1] = last;
    }
}

/// The numbers of a level: their widths, the bits of all three and of the one behind, and 1 where they are stored.
#[derive(Clone, Copy)]
struct Triple<S: Simd> {
    of: [u32x8<S>; 3],
    all: u32x8<S>,
    any: u32x8<S>,
}

impl<S: Simd> Triple<S> {
    /// Of a level, counted from 0, as chosen.
    #[inline(always)]
    fn of(simd: S, bits: &[[i32; LANES]; 3], choices: u32x8<S>, level: u32) -> Triple<S> {
        let code = choices >> (4 + 3 * level) & (CODES as u32 - 1);
        let any = code.min(1);
        let stored = u32x8::splat(simd, 0) - any;
        let code: i32x8<S> = code.bitcast();
        let mut of = [stored; 3];
        let mut all = any;
        for axis in 0..3 {
            let width = (i32x8::simd_from(simd, bits[axis]) + code).max(0).min(WIDEST);
            of[axis] &= width.bitcast::<u32x8<S>>();
            all += of[axis];
        }
        Triple { of, all, any }
    }
}

/// How a segment stores tracks side by side.
#[derive(Clone, Copy)]
struct Stored<S: Simd> {
    /// By level from 1.
    widths: [Triple<S>; LEVELS - 1],
    /// The places of the steps among [`FINER`].
    finer: u32x8<S>,
}

impl<S: Simd> Stored<S> {
    /// Of a group, with the first bits of its tracks. `next` is the first bit behind them, where the tracks are in
    /// the order of the file.
    #[inline(always)]
    fn read(simd: S, group: &Group, segment: &Segment<'_>, next: &mut u32) -> (Stored<S>, u32x8<S>) {
        let choices = choices(simd, group, segment);
        let [a, b, c, d] = &group.bits;
        let widths = [
            Triple::of(simd, a, choices, 0),
            Triple::of(simd, b, choices, 1),
            Triple::of(simd, c, choices, 2),
            Triple::of(simd, d, choices, 3),
        ];
        let stored = Stored { widths, finer: choices & (FINER.len() as u32 - 1) };
        let Some(all) = segment.starts else {
            let sizes = stored.sizes(&segment.pair.counts);
            let none = u32x8::splat(simd, 0);
            let mut ends = sizes + none.slide::<7>(sizes);
            ends += none.slide::<6>(ends);
            ends += none.slide::<4>(ends);
            let starts = ends - sizes + *next;
            *next = next.wrapping_add(ends.as_slice()[LANES - 1]);
            return (stored, starts);
        };
        let mut starts = [0; LANES];
        for lane in 0..LANES {
            starts[lane] = all.get(group.tracks[lane] as usize).copied().unwrap_or(0);
        }
        (stored, u32x8::simd_from(simd, starts))
    }

    /// Number of bits per track.
    #[inline(always)]
    fn sizes(&self, counts: &[u32; LEVELS - 1]) -> u32x8<S> {
        let [a, b, c, d] = &self.widths;
        a.all * counts[0] + b.all * counts[1] + c.all * counts[2] + d.all * counts[3]
    }
}

/// The choices of a segment for the tracks of a group: 0 where there are none, any for lanes without a track.
#[inline(always)]
fn choices<S: Simd>(simd: S, group: &Group, segment: &Segment<'_>) -> u32x8<S> {
    let first = group.tracks[0] as usize;
    let in_order = segment.choices.get(first..first + LANES).filter(|_| segment.starts.is_none());
    if let Some(choices) = in_order {
        let mut all = [0; LANES];
        for lane in 0..LANES {
            all[lane] = u32::from(u16::from_le_bytes(choices[lane]));
        }
        return u32x8::simd_from(simd, all);
    }
    let mut all = [0; LANES];
    for lane in 0..LANES {
        let choice = segment.choices.get(group.tracks[lane] as usize);
        all[lane] = choice.map_or(0, |choice| u32::from(u16::from_le_bytes(*choice)));
    }
    u32x8::simd_from(simd, all)
}

/// Computes the first bits of all tracks, in the order of the file.
pub(super) struct Starts<'a> {
    pub(super) groups: &'a [Group],
    pub(super) segment: Segment<'a>,
    /// By group.
    pub(super) starts: &'a mut [[u32; LANES]],
}

impl Kernel for Starts<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut next = 0;
        for (group, out) in self.groups.iter().zip(self.starts) {
            let (_, starts) = Stored::read(simd, group, &self.segment, &mut next);
            *out = starts.into();
        }
    }
}

/// The levels of the numbers of two frames, from 1.
const LEVEL: [usize; READS] = [0, 1, 1, 2, 2, 3];

/// The words that hold the numbers of two frames. `PLAIN`: three never exceed a word.
struct Numbers<S: Simd, const PLAIN: bool> {
    /// By number, its first bit.
    places: [u32x8<S>; READS],
    /// Of numbers 0, 2, 3 and 5.
    words: [Words<S>; 4],
    /// Whether the numbers of levels after the first have few bits.
    narrow: bool,
    /// Whether one word holds two numbers that are side by side, 0 and 1, 3 and 4; and whether it holds 0 to 2.
    both: bool,
    three: bool,
}

impl<S: Simd, const PLAIN: bool> Numbers<S, PLAIN> {
    #[inline(always)]
    fn fetch(simd: S, segment: &Segment<'_>, stored: &Stored<S>, starts: u32x8<S>) -> Self {
        let [a, b, c, d] = &stored.widths;
        let Pair { counts, indices, .. } = &segment.pair;
        let gap = a.all * counts[0];
        let second = starts + gap;
        let third = second + b.all * counts[1];
        let fourth = third + c.all * counts[2];
        let fifth = third + c.all * indices[3];
        let places = [starts, second, second + b.all, fifth, fifth + c.all, fourth + d.all * indices[5]];
        let third_pair = c.all + c.all;
        let three = (gap + b.all + b.all).max(third_pair).reduce_max() <= WORD;
        let both = three || (gap + b.all).max(third_pair).reduce_max() <= WORD;
        let narrow = b.all.max(c.all).max(d.all).reduce_max() <= NARROW;
        let bits = if PLAIN { segment.bits } else { &[] };
        let last = places[0].max(places[2]).max(places[3].max(places[5])).reduce_max();
        let inside = inside(bits, last);
        let first = Words::fetch(simd, bits, places[0], inside);
        let words = [
            first,
            if three { first } else { Words::fetch(simd, bits, places[2], inside) },
            Words::fetch(simd, bits, places[3], inside),
            Words::fetch(simd, bits, places[5], inside),
        ];
        Numbers { places, words, narrow, both, three }
    }

    /// The bits from a number on that does not fit into the word of the one before it.
    #[inline(always)]
    fn far(&self, simd: S, bits: &[u8], number: usize) -> Heads<S> {
        let places = self.places[number];
        Words::fetch(simd, bits, places, inside(bits, places.reduce_max())).heads(simd, places)
    }

    /// The vectors of two frames.
    #[inline(always)]
    fn vectors(
        &self,
        simd: S,
        segment: &Segment<'_>,
        stored: &Stored<S>,
        weights: &Weights,
        group: &Group,
    ) -> [V<S>; 2] {
        let mut sums =
            Sums { simd, pair: &segment.pair, stored, weights, of: [[f32x8::splat(simd, 0.0); 3]; 2] };
        let Numbers { places, words, .. } = self;
        if PLAIN {
            let narrow = self.narrow;
            let first = words[0].heads(simd, places[0]);
            sums.add(0, first, false);
            let second = match self.both {
                true => first.after((places[1] - places[0]) & 63),
                false => self.far(simd, segment.bits, 1),
            };
            sums.add(1, second, narrow);
            let third = match self.three {
                true => first.after((places[2] - places[0]) & 63),
                false => words[1].heads(simd, places[2]),
            };
            sums.add(2, third, narrow);
            let fourth = words[2].heads(simd, places[3]);
            sums.add(3, fourth, narrow);
            let fifth = match self.both {
                true => fourth.after((places[4] - places[3]) & 63),
                false => self.far(simd, segment.bits, 4),
            };
            sums.add(4, fifth, narrow);
            sums.add(5, words[3].heads(simd, places[5]), narrow);
        } else {
            for term in 0..READS {
                sums.add_long(term, segment.bits, places[term]);
            }
        }
        let scales = scales(simd, stored.finer) * f32x8::simd_from(simd, group.scales);
        let [[a, b, c], [d, e, f]] = sums.of;
        [
            V::combined(simd, &group.basis, [a * scales, b * scales, c * scales]),
            V::combined(simd, &group.basis, [d * scales, e * scales, f * scales]),
        ]
    }
}

/// Steps of a segment relative to those of its tracks.
#[inline(always)]
fn scales<S: Simd>(simd: S, finer: u32x8<S>) -> f32x8<S> {
    let finer: [u32; LANES] = finer.into();
    let mut scales = [0.0; LANES];
    for lane in 0..LANES {
        scales[lane] = FINER[finer[lane] as usize % FINER.len()];
    }
    f32x8::simd_from(simd, scales)
}

/// The weighted sums of numbers for two frames, in steps of the segment.
struct Sums<'a, S: Simd> {
    simd: S,
    pair: &'a Pair,
    stored: &'a Stored<S>,
    weights: &'a Weights,
    of: [[f32x8<S>; 3]; 2],
}

impl<S: Simd> Sums<'_, S> {
    /// Adds the number at the top of words.
    #[inline(always)]
    fn add(&mut self, term: usize, heads: Heads<S>, narrow: bool) {
        if self.pair.there[term] {
            self.add_tops(term, heads.three(self.simd, &self.stored.widths[LEVEL[term]].of, narrow));
        }
    }

    /// Adds a number of any width.
    #[inline(always)]
    fn add_long(&mut self, term: usize, bits: &[u8], places: u32x8<S>) {
        if self.pair.there[term] {
            let widths = &self.stored.widths[LEVEL[term]].of;
            self.add_tops(term, long(self.simd, bits, places, widths));
        }
    }

    #[inline(always)]
    fn add_tops(&mut self, term: usize, tops: [u32x8<S>; 4]) {
        let simd = self.simd;
        let Triple { of: widths, any, .. } = &self.stored.widths[LEVEL[term]];
        let odd = tops[3] >> 31 & *any;
        let [first, next] = self.weights;
        let (first, next) = (f32x8::simd_from(simd, first[term]), f32x8::simd_from(simd, next[term]));
        for axis in 0..3 {
            let number = tops[axis] >> (u32x8::splat(simd, 31) - widths[axis]) & !1 | odd;
            // The range is symmetric about 0.
            let number = whole(simd, number - (u32x8::splat(simd, 1) << widths[axis] & !1));
            self.of[0][axis] += first * number;
            self.of[1][axis] += next * number;
        }
    }
}

/// Whole numbers, which may be negative.
#[inline(always)]
fn whole<S: Simd>(simd: S, number: u32x8<S>) -> f32x8<S> {
    simd.cvt_f32_i32x8(number.bitcast())
}

/// The words that hold two rows. `PLAIN`: three never exceed a word.
struct Rows<S: Simd, const PLAIN: bool> {
    places: [u32x8<S>; 2],
    words: [Words<S>; 2],
}

impl<S: Simd, const PLAIN: bool> Rows<S, PLAIN> {
    /// Of rows that start at some bits.
    #[inline(always)]
    fn fetch(simd: S, bits: &[u8], starts: [u32; 2], row: &RowOf) -> Self {
        let own = u32x8::simd_from(simd, row.starts);
        let places = [own + starts[0], own + starts[1]];
        let bits = if PLAIN { bits } else { &[] };
        let inside = inside(bits, row.last.wrapping_add(starts[0].max(starts[1])));
        let first = Words::fetch(simd, bits, places[0], inside);
        Rows { places, words: [first, Words::fetch(simd, bits, places[1], inside)] }
    }

    /// The vectors of the numbers in both rows.
    #[inline(always)]
    fn vectors(&self, simd: S, bits: &[u8], group: &Group) -> [V<S>; 2] {
        let row = &group.row;
        let [a, b, c] = row.widths;
        // They are in this range, so that shifts by them need no test.
        let [a, b, c] = [u32x8::simd_from(simd, a), u32x8::simd_from(simd, b), u32x8::simd_from(simd, c)];
        let widths = [a & 31, b & 31, c & 31];
        let [first, last] = match PLAIN {
            true => [
                self.words[0].heads(simd, self.places[0]).three(simd, &widths, row.narrow),
                self.words[1].heads(simd, self.places[1]).three(simd, &widths, row.narrow),
            ],
            false => [long(simd, bits, self.places[0], &widths), long(simd, bits, self.places[1], &widths)],
        };
        [
            V::combined(simd, &group.basis, row_numbers(simd, row, first, &widths)),
            V::combined(simd, &group.basis, row_numbers(simd, row, last, &widths)),
        ]
    }
}

/// The numbers of a row in steps of the lattice.
#[inline(always)]
fn row_numbers<S: Simd>(simd: S, row: &RowOf, tops: [u32x8<S>; 4], widths: &[u32x8<S>; 3]) -> [f32x8<S>; 3] {
    let mut numbers = [f32x8::simd_from(simd, row.scales); 3];
    for axis in 0..3 {
        let number = (tops[axis] >> 1) >> (u32x8::splat(simd, 31) - widths[axis]);
        numbers[axis] *= whole(simd, u32x8::simd_from(simd, row.least[axis]) + number);
    }
    numbers
}

/// Three numbers of any width, each at the top of 32 bits, and the bit behind them.
#[inline(always)]
fn long<S: Simd>(simd: S, bits: &[u8], places: u32x8<S>, widths: &[u32x8<S>; 3]) -> [u32x8<S>; 4] {
    let [a, b, c] = *widths;
    let [a, b, c, d] = long_three(bits, places.into(), [a.into(), b.into(), c.into()]);
    let [a, b] = [u32x8::simd_from(simd, a), u32x8::simd_from(simd, b)];
    [a, b, u32x8::simd_from(simd, c), u32x8::simd_from(simd, d)]
}

#[cfg(test)]
mod tests;
