//! Decodes two neighbouring frames at a time, anywhere in a clip.
//!
//! The positions of all numbers follow from two bytes per track in the segment, so only those on which the two
//! frames depend are read.

use super::kernels::{Choose, Fetched, Pair, READS, ReadRows, Stored, Sums, Weights};
use super::phases::PHASES;
use super::tables::Tables;
use super::weights::weigh;
use super::{LEVELS, SEGMENT, length, stored};
use crate::compressed::Compressed;
use crate::lanes::{LANES, Vectors, groups, run};
use crate::window::Window;
use fearless_simd::Level;
use std::sync::Arc;

/// Decodes frames.
#[derive(Debug)]
pub(crate) struct Reader {
    /// What the processor can do.
    level: Level,
    /// The wanted joints; all where there are none.
    joints: Option<Vec<bool>>,
    /// Those of the current block.
    tables: Option<Arc<Tables>>,
    work: Work,
}

/// What is decoded, in groups of the lanes of the tables.
#[derive(Debug, Default)]
struct Work {
    /// The segment whose ends are decoded.
    segment: Option<usize>,
    /// The first frame and the last one of the segment.
    ends: Window,
    /// By group, how the segment stores tracks, and their first bits.
    stored: Vec<Stored>,
    starts: Vec<[u32; LANES]>,
    /// Words read for the current frames, by group.
    fetched: Vec<Fetched>,
    /// The numbers of two frames, by group.
    numbers: [Vec<Vectors>; 2],
    /// The frame of segments whose weights a first pose needed, and these. Further ones need those of all.
    first: Option<usize>,
    weights: Vec<Weights>,
}

impl Work {
    fn new(tables: &Tables) -> Work {
        let numbers = vec![Vectors::ZERO; tables.composer.groups()];
        Work {
            ends: tables.composer.window(2),
            stored: vec![Stored::NONE; tables.layouts.len()],
            starts: vec![[0; LANES]; tables.layouts.len()],
            fetched: vec![Fetched::NONE; tables.rows.len()],
            numbers: [numbers.clone(), numbers],
            ..Work::default()
        }
    }
}

impl Reader {
    /// A reader of the tracks of some joints, of all where none are given.
    pub(crate) fn new(clip: &Compressed, joints: Option<&[bool]>) -> Reader {
        let mut reader = Reader {
            level: Level::new(),
            joints: joints.map(<[bool]>::to_vec),
            tables: None,
            work: Work::default(),
        };
        if !clip.parts.blocks.is_empty() {
            let tables = reader.enter(clip, 0);
            reader.work = Work::new(&tables);
        }
        reader
    }

    /// Creates a window of two frames.
    pub(crate) fn window(&self) -> Window {
        self.tables.as_ref().map_or_else(Window::default, |tables| tables.composer.window(2))
    }

    /// The tables of a block.
    fn enter(&mut self, clip: &Compressed, block: usize) -> Arc<Tables> {
        let tables = match &self.joints {
            None => Tables::of_all(clip, block),
            some => Arc::new(Tables::new(clip, some.as_deref(), block)),
        };
        (self.work.segment, self.work.first) = (None, None);
        self.tables.insert(tables).clone()
    }

    /// Decodes a frame of a block and, unless it is the last one, the next frame.
    pub(crate) fn seek(&mut self, clip: &Compressed, block: usize, frame: usize, window: &mut Window) {
        if self.tables.as_ref().is_none_or(|tables| tables.block != block) {
            self.enter(clip, block);
        }
        let Some(tables) = &self.tables else { return };
        let (level, work) = (self.level, &mut self.work);
        let frames = clip.parts.frames_of(block);
        let last = frames.len() - 1;
        let segment = (frame / SEGMENT).min(tables.places.segments - 1);
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        let length = length(segment, last);
        let first = frame - segment * SEGMENT;
        window.first = frames.start + frame;
        window.frames = 1 + usize::from(first < length);
        if work.segment != Some(segment) {
            work.ends(level, tables, bytes, segment);
            work.segment = Some(segment);
        }
        if first < length && length > 1 {
            let rest = bytes.get(tables.places.segment(bytes, segment)..).unwrap_or(&[]);
            let bits = work.choose(level, tables, rest, length);
            work.sum(level, tables, bits, first, length);
            let ways = [first, first + 1].map(|frame| frame as f32 / length as f32);
            let [numbers, next] = &work.numbers;
            tables.composer.along([numbers, next], ways, &work.ends, window);
        }
        if first == 0 {
            window.copy(0, &work.ends, 0);
        }
        if length > 0 && first + window.frames > length {
            window.copy(window.frames - 1, &work.ends, 1);
        }
    }
}

impl Work {
    /// Decodes the rows of the first frames of a segment and of the next one.
    fn ends(&mut self, level: Level, tables: &Tables, bytes: &[u8], segment: usize) {
        let [first, next] = [0, 1].map(|more| tables.places.row(segment + more));
        let bits = bytes.get(first / 8..).unwrap_or(&[]);
        let starts = [first % 8, first % 8 + (next - first)].map(|start| start as u32);
        let (rows, fetched) = (&tables.rows, &mut self.fetched);
        let numbers = self.numbers.each_mut().map(|numbers| &mut numbers[..]);
        match tables.long_rows {
            false => run(level, ReadRows::<true> { bits, starts, rows, fetched, numbers }),
            true => run(level, ReadRows::<false> { bits, starts, rows, fetched, numbers }),
        }
        for end in 0..2 {
            self.part_translations(tables, end);
            tables.composer.start(&self.numbers[end], end, &mut self.ends);
        }
    }

    /// Moves the values of translations to the groups in which the composer has them.
    fn part_translations(&mut self, tables: &Tables, frame: usize) {
        let [wanted, rotations] = tables.wanted;
        let gap = groups(rotations) * LANES - rotations;
        let numbers = &mut self.numbers[frame];
        for from in (rotations..wanted).rev() {
            let (to, number) = (from + gap, numbers[from / LANES].get(from % LANES));
            numbers[to / LANES].set(to % LANES, number);
        }
    }

    /// Reads the choices of a segment for each track. Returns the bits that follow.
    fn choose<'a>(&mut self, level: Level, tables: &Tables, segment: &'a [u8], length: usize) -> &'a [u8] {
        let (choices, bits) = segment.split_at_checked(2 * tables.lanes.len()).unwrap_or((&[], &[]));
        let (choices, _) = choices.as_chunks();
        let counts = counts(length);
        let (layouts, stored, sizes) = (&tables.layouts, &mut self.stored, &mut self.starts);
        run(level, Choose { choices, counts, layouts, stored, sizes });
        // Sizes become starts.
        let starts = self.starts.as_flattened_mut();
        let mut at = 0u32;
        for lane in &tables.lanes {
            let start = &mut starts[*lane as usize];
            let size = *start;
            *start = at;
            at = at.wrapping_add(size);
        }
        bits
    }

    /// Sums the numbers of a frame of the segment and of the one after it.
    fn sum(&mut self, level: Level, tables: &Tables, bits: &[u8], frame: usize, length: usize) {
        // A first pose does not wait for the weights of all frames.
        if self.first.is_none() {
            self.weights.resize(tables.flat.len(), [[[0.0; LANES]; READS]; 2]);
            weigh(level, frame, &tables.flat, &mut self.weights);
            self.first = Some(frame);
        }
        let weights = match self.first == Some(frame) {
            true => &self.weights[..],
            false => tables.weights(level, frame),
        };
        let reads = PHASES.reads(frame);
        let pair = Pair {
            counts: counts(length),
            indices: reads.map(|read| read.index as u32),
            there: reads.map(|read| read.index < stored(read.level, length)),
        };
        let pair = &pair;
        let (stored, starts) = (&self.stored, &self.starts);
        let fetched = &mut self.fetched;
        let sums = self.numbers.each_mut().map(|numbers| &mut numbers[..]);
        match tables.long {
            false => run(level, Sums::<true> { bits, pair, stored, starts, weights, fetched, sums }),
            true => run(level, Sums::<false> { bits, pair, stored, starts, weights, fetched, sums }),
        }
        (0..2).for_each(|frame| self.part_translations(tables, frame));
    }
}

/// How many numbers levels from 1 have in a segment of this length.
#[inline(always)]
fn counts(length: usize) -> [u32; LEVELS - 1] {
    std::array::from_fn(|below| stored(below + 1, length) as u32)
}
