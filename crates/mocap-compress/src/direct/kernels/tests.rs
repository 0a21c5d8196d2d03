use super::*;
use crate::bits::BitReader;
use crate::direct::group::Track;
use crate::direct::layout::{Layout, code_of, width_at};
use crate::lanes::{Quats, Vectors};
use crate::segments::Row;
use crate::track::{Head, Moving};

/// Pseudo-random bytes.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

const COUNTS: [u32; LEVELS - 1] = [1, 2, 4, 8];

fn layout(lane: usize, widest: i32) -> Layout {
    let bits = |level: i32| [lane as i32 + level, 7 - level, widest + lane as i32 % 3];
    Layout {
        halved: 1,
        bits: [[0; 3], bits(0), bits(1), bits(-2), bits(4)],
        row: Row { least: [-5, 0, 9 - lane as i32], width: [11, 0, 17], refine: 2 },
        ..Layout::of(&Head::blank())
    }
}

/// Ten rotations and a translation in two groups.
fn groups(widest: i32) -> Vec<Group> {
    let mut groups = vec![Group::NONE; 2];
    let mut start = 0;
    for place in 0..11 {
        let layout = layout(place, widest);
        let moving = if place == 8 { Moving::Translation } else { Moving::Rotation };
        let track = Track { place, joint: place, moving, rest: crate::quat::IDENTITY };
        groups[place / LANES].put(place % LANES, track, &layout, start);
        start += layout.row.bits();
    }
    groups
}

/// All pairs of frames, by group.
#[derive(Debug, Default, PartialEq)]
struct All {
    rotations: Vec<[Quats; 2]>,
    translations: Vec<[Vectors; 2]>,
}

impl Sink for &mut All {
    fn rotations<S: Simd>(&mut self, _: S, _: usize, _: &Group, frames: [Q<S>; 2]) {
        self.rotations.push(frames.map(Q::stored));
    }

    fn translations<S: Simd>(&mut self, _: usize, _: &Group, frames: [V<S>; 2]) {
        self.translations.push(frames.map(V::stored));
    }
}

const PAIR: Pair = Pair { counts: COUNTS, indices: [0, 0, 1, 1, 2, 3], there: [true; READS] };

fn decoded<const PLAIN: bool>(level: Level, groups: &[Group], pair: Pair, bytes: &[u8]) -> All {
    let weights: Vec<Weights> = (0..groups.len())
        .map(|at| [[[0.5 + at as f32, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]; READS], [[0.25; LANES]; READS]])
        .collect();
    let choices = [[0x53u8, 0x35]; 11];
    let segment = Segment { pair, choices: &choices, bits: bytes, starts: None };
    let places = [Place::new(3, 16), Place::new(4, 16)];
    let (rows, row_starts) = (bytes, [3, 44]);
    let (mut all, weights) = (All::default(), &weights[..]);
    let sink = &mut all;
    let wanted = 0..usize::MAX;
    run(level, Decode::<_, PLAIN> { groups, wanted, weights, places, rows, row_starts, segment, sink });
    all
}

#[test]
fn frames_are_the_same_for_all_processors_and_ways_to_read() {
    // The second: two numbers that are side by side exceed a word.
    for widest in [2, 12] {
        let groups = groups(widest);
        let most = (0..11).map(|lane| layout(lane, widest).most_bits()).max();
        assert!(most.is_some_and(|most| most <= WORD && (widest < 10 || 2 * most > WORD)));
        // A short segment has no number of level 1.
        let short = Pair {
            counts: [0, 1, 2, 3],
            indices: [0, 0, 1, 0, 1, 1],
            there: [false, true, false, true, true, true],
        };
        for pair in [PAIR, short] {
            // Some reach behind the end.
            for length in [1000, 300, 90, 7, 0] {
                let bytes = &noise(1000)[..length];
                let wide = decoded::<true>(Level::new(), &groups, pair, bytes);
                assert_eq!((wide.rotations.len(), wide.translations.len()), (2, 1));
                assert_eq!(wide, decoded::<true>(Level::baseline(), &groups, pair, bytes));
                assert_eq!(wide, decoded::<false>(Level::new(), &groups, pair, bytes));
                assert_eq!(wide, decoded::<false>(Level::baseline(), &groups, pair, bytes));
            }
        }
    }
}

#[test]
fn choices_give_widths_and_starts() {
    /// Widths by level and axis, and the starts.
    type OfGroup = ([[[u32; LANES]; 3]; LEVELS - 1], [u32; LANES]);
    struct Found<'a>(&'a [Group], Segment<'a>, Vec<OfGroup>);
    impl Kernel for &mut Found<'_> {
        fn run<S: Simd>(self, simd: S) {
            let mut next = 0;
            for group in self.0 {
                let (stored, starts) = Stored::read(simd, group, &self.1, &mut next);
                self.2.push((stored.widths.map(|level| level.of.map(Into::into)), starts.into()));
            }
        }
    }
    let choices = noise(22);
    let (choices, _) = choices.as_chunks();
    let groups = groups(2);
    for level in [Level::new(), Level::baseline()] {
        let segment = Segment { pair: PAIR, choices, bits: &[], starts: None };
        let mut found = Found(&groups, segment, Vec::new());
        run(level, &mut found);
        let mut start = 0;
        for track in 0..11 {
            let (widths, starts) = &found.2[track / LANES];
            let lane = track % LANES;
            assert_eq!(starts[lane], start);
            let choice = u32::from(u16::from_le_bytes(choices[track]));
            for level in 0..LEVELS - 1 {
                let code = code_of(choice, level);
                let bits = layout(track, 2).bits[level + 1];
                let wanted = if code > 0 { bits.map(|bits| width_at(bits, code)) } else { [0; 3] };
                assert_eq!(widths[level].map(|widths| widths[lane]), wanted);
                start += COUNTS[level] * (wanted.iter().sum::<u32>() + u32::from(code > 0));
            }
        }
    }
    // A segment without choices has no numbers, nor have lanes without tracks.
    let segment = Segment { pair: PAIR, choices: &[], bits: &[], starts: None };
    let mut starts = [[1; LANES]; 2];
    run(Level::new(), Starts { groups: &groups, segment, starts: &mut starts });
    assert_eq!(starts, [[0; LANES]; 2]);
}

#[test]
fn numbers_are_read_one_by_one_and_in_lanes_alike() {
    struct Read<'a>(&'a [u8], [u32; LANES], [[u32; LANES]; 3], [[u32; LANES]; 4]);
    impl Kernel for &mut Read<'_> {
        fn run<S: Simd>(self, simd: S) {
            let places = u32x8::simd_from(simd, self.1);
            let widths = self.2.map(|widths| u32x8::simd_from(simd, widths));
            let heads =
                Words::fetch(simd, self.0, places, inside(self.0, places.reduce_max())).heads(simd, places);
            self.3 = heads.three(simd, &widths, false).map(Into::into);
        }
    }
    let bytes = noise(40);
    let places = [0, 1, 9, 63, 150, 270, 300, 900];
    let widths = [[0, 1, 2, 3, 11, 19, 28, 5], [28, 0, 7, 9, 1, 19, 28, 5], [5, 28, 9, 1, 0, 19, 1, 6]];
    let one_by_one = long_three(&bytes, places, widths);
    for level in [Level::new(), Level::baseline()] {
        let mut read = Read(&bytes, places, widths, [[0; LANES]; 4]);
        run(level, &mut read);
        for lane in 0..LANES {
            let mut reader = BitReader::new(&bytes, places[lane] as usize);
            for axis in 0..3 {
                let width = widths[axis][lane];
                let number = reader.take(width);
                let top = |tops: &[[u32; LANES]; 4]| tops[axis][lane] >> 1 >> (31 - width);
                assert_eq!((top(&read.3), top(&one_by_one)), (number, number), "lane {lane}, axis {axis}");
            }
        }
    }
}
