//! Decodes segments, and each of their frames on demand.
//!
//! When a segment is entered, all its residuals are read. A frame is composed when it is sampled, together with
//! the frames that predict it: a third of the segment for a single frame. Tracks are in parallel lanes. A
//! reader does not allocate after it is created.

use super::layout::{Layout, SHIFTS, read_numbers};
use super::shape::{Shape, find, shapes};
use super::{LEVELS, SEGMENT, SLOTS, around};
use crate::bits::BitReader;
use crate::compose::Composer;
use crate::compressed::Compressed;
use crate::lanes::Vectors;
use crate::range_coder::RangeDecoder;
use crate::segments::{Models, Places, layouts, segment_count};
use crate::track::Moving;
use crate::window::Window;

/// Decodes segments. It keeps the layouts of the block it is in.
#[derive(Debug)]
pub(crate) struct Reader {
    block: Option<usize>,
    composer: Composer,
    /// By track.
    layouts: Vec<Layout>,
    places: Places,
    shapes: Vec<Shape>,
    shape: usize,
    /// The numbers of the residuals of the segment, by step and group.
    numbers: Vec<Vectors>,
    /// Residuals of one row, by group.
    row: Vec<Vectors>,
    /// The steps that are composed, as bits.
    done: u32,
}

impl Reader {
    pub(crate) fn new(clip: &Compressed) -> Reader {
        // All blocks have the same length except the last one.
        let blocks = clip.parts.blocks.len();
        let mut lasts: Vec<usize> = [0, blocks.saturating_sub(1)]
            .into_iter()
            .filter(|block| *block < blocks)
            .map(|block| clip.parts.frames_of(block).len() - 1)
            .collect();
        lasts.dedup();
        let composer = Composer::new(&clip.kinds);
        let all = composer.groups();
        let mut reader = Reader {
            block: None,
            composer,
            layouts: vec![Layout::blank(); clip.kinds.len()],
            places: Places::default(),
            shapes: shapes(&lasts),
            shape: 0,
            numbers: vec![Vectors::ZERO; if blocks == 0 { 0 } else { all * (SEGMENT - 1) }],
            row: vec![Vectors::ZERO; all],
            done: 0,
        };
        if blocks > 0 {
            reader.enter(clip, 0);
        }
        reader
    }

    /// Creates a window for segments of the clip.
    pub(crate) fn window(&self) -> Window {
        self.composer.window(SLOTS)
    }

    /// Reads the layouts of a block.
    fn enter(&mut self, clip: &Compressed, block: usize) {
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        let layouts = layouts(bytes);
        let mut coder = RangeDecoder::new(layouts);
        let mut models = Models::new();
        let mut rotations = 0;
        self.composer.clear();
        for (track, (kind, layout)) in clip.kinds.iter().zip(&mut self.layouts).enumerate() {
            *layout = Layout::code(&mut models, &mut coder, kind.0, rotations, &Layout::blank());
            self.composer.put(track, *kind, &layout.head);
            rotations += usize::from(kind.0 == Moving::Rotation);
        }
        let row_bits = self.layouts.iter().map(|layout| layout.row.bits()).sum();
        let segments = segment_count(clip.parts.frames_of(block).len(), SEGMENT);
        self.places = Places::new(layouts, row_bits, segments);
        self.block = Some(block);
    }

    /// Goes to the segment of a frame of a block: reads its residuals and anchors.
    pub(crate) fn seek(&mut self, clip: &Compressed, block: usize, frame: usize, window: &mut Window) {
        if self.block != Some(block) {
            self.enter(clip, block);
        }
        let frames = clip.parts.frames_of(block);
        let last = frames.len() - 1;
        let segment = (frame / SEGMENT).min(self.places.segments - 1);
        let start = segment * SEGMENT;
        window.first = frames.start + start;
        window.frames = (last - start).min(SEGMENT) + 1;
        self.shape = find(&self.shapes, segment, last);
        self.done = 0;
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        self.anchors(bytes, segment, last, window);
        self.residuals(BitReader::new(bytes, self.places.segment(bytes, segment) * 8));
    }

    /// Reads the anchors that a segment sees.
    fn anchors(&mut self, bytes: &[u8], segment: usize, last: usize, window: &mut Window) {
        let (first, end) = around(segment, self.places.segments + 1);
        for anchor in first..end {
            let place = match anchor - first {
                _ if anchor == segment => 0,
                _ if anchor == segment + 1 => (last - segment * SEGMENT).min(SEGMENT),
                place => SEGMENT + 1 + place,
            };
            let mut bits = BitReader::new(bytes, self.places.row(anchor));
            for (track, layout) in self.layouts.iter().enumerate() {
                let residual = layout.row.residual(layout.row.width.map(|width| bits.take(width)));
                let (group, lane) = self.composer.place(track);
                let numbers = layout.head.numbers(0, LEVELS, residual);
                self.row[group].set(lane, numbers);
            }
            self.composer.start(&self.row, place, window);
        }
    }

    /// Reads the residuals of a segment.
    fn residuals(&mut self, mut bits: BitReader<'_>) {
        let shape = &self.shapes[self.shape];
        let stride = self.composer.groups();
        for (track, layout) in self.layouts.iter().enumerate() {
            let (group, lane) = self.composer.place(track);
            // The number of coded levels, and the shift of the low bits.
            let coded = bits.take(3) as usize;
            let shift = if coded == 0 { 0 } else { SHIFTS[bits.take(2) as usize] };
            for level in 1..LEVELS {
                let steps = shape.levels[level]..shape.levels[level + 1];
                let numbers = &mut self.numbers[steps.start * stride..steps.end * stride];
                let mut numbers = numbers.chunks_exact_mut(stride).map(|numbers| &mut numbers[group]);
                if level > coded {
                    numbers.for_each(|numbers| numbers.set(lane, [0.0; 3]));
                    continue;
                }
                let (low, sparse) = layout.low(level, shift);
                let kind = layout.head.kind;
                let finer = layout.head.finer(level as u8, LEVELS);
                while numbers.len() > 0 {
                    if sparse {
                        // Each zero bit is a zero residual; a one bit precedes a residual that is not zero.
                        let zeros = bits.zeros(numbers.len() as u32);
                        numbers.by_ref().take(zeros as usize).for_each(|numbers| numbers.set(lane, [0.0; 3]));
                    }
                    let Some(numbers) = numbers.next() else { break };
                    bits.skip(u32::from(sparse));
                    numbers.set(lane, read_numbers(&mut bits, kind, low).map(|number| number * finer));
                }
            }
        }
    }

    /// Composes frames of the segment: `first` and `more` after it, counted from its start.
    #[inline]
    pub(crate) fn complete(&mut self, first: usize, more: usize, window: &mut Window) {
        let needs = &self.shapes[self.shape].needs;
        let mut open = (needs[first] | needs[first + more]) & !self.done;
        if open != 0 {
            self.done |= open;
            while open != 0 {
                self.step(open.trailing_zeros() as usize, window);
                open &= open - 1;
            }
        }
    }

    /// Composes one frame.
    fn step(&mut self, at: usize, window: &mut Window) {
        let step = &self.shapes[self.shape].steps[at];
        let stride = self.composer.groups();
        self.composer.step(&self.numbers[at * stride..(at + 1) * stride], step, window);
    }
}
