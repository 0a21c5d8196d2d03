//! Decodes two neighbouring frames at a time, anywhere in a clip.
//!
//! The places of all numbers follow from two bytes for each track of the segment, so only those that the two frames are
//! made from are read. A reader allocates nothing once it exists.

use super::kernels::{Pair, READS, ReadRow, RowOf, Stored, Sums, Weights};
use super::layout::{CODES, Choice, FINER, Layout};
use super::phases::Phases;
use super::widths::Widths;
use super::{LEVELS, SEGMENT, length, stored};
use crate::compose::Composer;
use crate::compressed::Compressed;
use crate::lanes::{LANES, Vectors, run};
use crate::lattice::power_of_half;
use crate::range_coder::RangeDecoder;
use crate::segments::{Models, Places, layouts, segment_count};
use crate::window::Window;
use fearless_simd::Level;

/// A track in a block.
#[derive(Clone, Debug)]
struct Track {
    /// Group and lane; a group that does not exist where nobody asks for the track.
    place: (usize, usize),
    /// By level from 1, and code.
    widths: [[Widths; CODES]; LEVELS - 1],
    /// The steps against those of the lattice.
    scale: f32,
}

/// The place of a track that nobody asks for.
const NOWHERE: (usize, usize) = (usize::MAX, 0);

/// Decodes frames. It keeps the layouts of the block it is in.
#[derive(Debug)]
pub(crate) struct Reader {
    /// What the processor can do.
    level: Level,
    block: Option<usize>,
    /// The segment whose ends are decoded.
    segment: Option<usize>,
    composer: Composer,
    tracks: Vec<Track>,
    phases: Phases,
    /// By group and frame of a segment.
    weights: Vec<[Weights; SEGMENT]>,
    /// Whether some numbers are longer together than a word, in segments and in rows.
    long: bool,
    long_rows: bool,
    places: Places,
    /// The first frame and the last one of the segment.
    ends: Window,
    /// By group, how rows store tracks.
    rows: Vec<RowOf>,
    /// By group, how the segment stores them.
    stored: Vec<Stored>,
    /// The numbers of two frames, by group.
    numbers: [Vec<Vectors>; 2],
    /// The choices of a segment that has none.
    no_choices: Vec<u8>,
}

impl Reader {
    /// A reader of the tracks of some joints, of all where none are given.
    pub(crate) fn new(clip: &Compressed, joints: Option<&[bool]>) -> Reader {
        let wanted = |track: &usize| joints.is_none_or(|joints| joints[clip.plan.moving[*track].0]);
        let all = 0..clip.kinds.len();
        let kinds: Vec<_> = all.clone().filter(wanted).map(|track| clip.kinds[track]).collect();
        let composer = Composer::new(&kinds);
        let mut next = 0;
        let tracks = all.map(|track| {
            let place = match wanted(&track) {
                true => composer.place(next),
                false => NOWHERE,
            };
            next += usize::from(place != NOWHERE);
            Track { place, widths: [[Widths::default(); CODES]; LEVELS - 1], scale: 1.0 }
        });
        let tracks: Vec<Track> = tracks.collect();
        let groups = composer.groups();
        let mut reader = Reader {
            level: Level::new(),
            block: None,
            segment: None,
            ends: composer.window(2),
            composer,
            phases: Phases::new(),
            weights: vec![[[[[0.0; LANES]; READS]; 2]; SEGMENT]; groups],
            long: false,
            long_rows: false,
            rows: vec![RowOf::NONE; groups],
            stored: vec![Stored::NONE; groups],
            places: Places::default(),
            numbers: [vec![Vectors::ZERO; groups], vec![Vectors::ZERO; groups]],
            no_choices: vec![0; 2 * tracks.len()],
            tracks,
        };
        if !clip.parts.blocks.is_empty() {
            reader.enter(clip, 0);
        }
        reader
    }

    /// A window of two frames.
    pub(crate) fn window(&self) -> Window {
        self.composer.window(2)
    }

    /// Reads the layouts of a block.
    fn enter(&mut self, clip: &Compressed, block: usize) {
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        let layouts = layouts(bytes);
        let mut coder = RangeDecoder::new(layouts);
        let mut models = Models::new();
        self.composer.clear();
        [self.long, self.long_rows] = [false; 2];
        let mut row_bits = 0;
        let mut next = 0;
        for (kind, track) in clip.kinds.iter().zip(&mut self.tracks) {
            let layout = Layout::code(&mut models, &mut coder, kind.0, &Layout::blank());
            if track.place != NOWHERE {
                let (group, lane) = track.place;
                self.composer.put(next, *kind, &layout.head);
                next += 1;
                self.rows[group].put(lane, row_bits, &layout.row);
                let weights = self.phases.weights(&layout.head.flat[..LEVELS]);
                for (lanes, weights) in self.weights[group].iter_mut().zip(weights) {
                    for (lanes, weights) in lanes.iter_mut().zip(weights) {
                        lanes.iter_mut().zip(weights).for_each(|(lanes, weight)| lanes[lane] = weight);
                    }
                }
            }
            row_bits += layout.row.bits();
            track.widths = layout.widths();
            track.scale = power_of_half(layout.halved);
            self.long |= track.widths.iter().flatten().any(|widths| widths.is_long());
            self.long_rows |= Widths::of_row(layout.row.width).is_long();
        }
        let segments = segment_count(clip.parts.frames_of(block).len(), SEGMENT);
        self.places = Places::new(layouts, row_bits, segments);
        self.block = Some(block);
        self.segment = None;
    }

    /// Decodes a frame of a block and, but for the last one, the frame after it.
    pub(crate) fn seek(&mut self, clip: &Compressed, block: usize, frame: usize, window: &mut Window) {
        if self.block != Some(block) {
            self.enter(clip, block);
        }
        let frames = clip.parts.frames_of(block);
        let last = frames.len() - 1;
        let segment = (frame / SEGMENT).min(self.places.segments - 1);
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        let length = length(segment, last);
        let first = frame - segment * SEGMENT;
        window.first = frames.start + frame;
        window.frames = 1 + usize::from(first < length);
        if self.segment != Some(segment) {
            self.start(bytes, segment, 0);
            self.start(bytes, segment + 1, 1);
            self.segment = Some(segment);
        }
        if first < length && length > 1 {
            let rest = bytes.get(self.places.segment(bytes, segment)..).unwrap_or(&[]);
            let bits = match length {
                SEGMENT => self.choose(rest, counts(SEGMENT)),
                _ => self.choose(rest, counts(length)),
            };
            self.sum(bits, first, length);
        }
        for place in 0..window.frames {
            match first + place {
                0 => window.copy(place, &self.ends, 0),
                frame if frame == length => window.copy(place, &self.ends, 1),
                frame => {
                    let way = frame as f32 / length as f32;
                    self.composer.along(&self.numbers[place], way, &self.ends, window, place);
                }
            }
        }
    }

    /// Decodes a row of first frames into the ends of the segment.
    fn start(&mut self, bytes: &[u8], row: usize, end: usize) {
        let at = self.places.row(row);
        let bits = bytes.get(at / 8..).unwrap_or(&[]);
        let start = (at % 8) as u32;
        for (numbers, row) in self.numbers[0].iter_mut().zip(&self.rows) {
            match self.long_rows {
                false => run(self.level, ReadRow::<true> { bits, start, row, numbers }),
                true => run(self.level, ReadRow::<false> { bits, start, row, numbers }),
            }
        }
        self.composer.start(&self.numbers[0], end, &mut self.ends);
    }

    /// Reads what a segment chooses for each track. Returns the bits behind it.
    #[inline(always)]
    fn choose<'a>(&mut self, segment: &'a [u8], counts: [u32; LEVELS - 1]) -> &'a [u8] {
        let (choices, bits) =
            segment.split_at_checked(self.no_choices.len()).unwrap_or((&self.no_choices, &[]));
        let mut at = 0u32;
        for (track, choice) in self.tracks.iter().zip(choices.chunks_exact(2)) {
            let choice = Choice::of_bytes([choice[0], choice[1]]);
            let widths = [0, 1, 2, 3].map(|level| track.widths[level][choice.codes[level] % CODES]);
            if let Some(stored) = self.stored.get_mut(track.place.0) {
                stored.put(track.place.1, at, widths, FINER[choice.finer % FINER.len()] * track.scale);
            }
            for (widths, count) in widths.into_iter().zip(counts) {
                at = at.wrapping_add(widths.all() * count);
            }
        }
        bits
    }

    /// Sums the numbers of a frame of the segment and of the one after it.
    fn sum(&mut self, bits: &[u8], frame: usize, length: usize) {
        let counts = counts(length);
        let reads = self.phases.reads(frame);
        let pair = Pair {
            counts,
            indices: reads.map(|read| read.index as u32),
            there: reads.map(|read| read.index < stored(read.level, length)),
        };
        let pair = &pair;
        let [first, next] = &mut self.numbers;
        for (group, stored) in self.stored.iter().enumerate() {
            let weights = &self.weights[group][frame];
            let sums = [&mut first[group], &mut next[group]];
            match self.long || pair.there != [true; READS] {
                false => run(self.level, Sums::<true> { bits, stored, pair, weights, sums }),
                true => run(self.level, Sums::<false> { bits, stored, pair, weights, sums }),
            }
        }
    }
}

/// How many numbers levels from 1 have in a segment of this length.
#[inline(always)]
fn counts(length: usize) -> [u32; LEVELS - 1] {
    std::array::from_fn(|below| stored(below + 1, length) as u32)
}
