//! Decodes segments, each frame on demand.
//!
//! On entering a segment all its residuals are read. A frame is composed when it is sampled, with the frames that it
//! is predicted from: a third of the segment for a single frame. Tracks lie side by side in lanes. A reader
//! allocates nothing once it exists.

use super::layout::{Layout, Models, SHIFTS, read_numbers};
use super::shape::{Shape, find, shapes};
use super::{LEVELS, SEGMENT, SLOTS, around, segment_count};
use crate::bits::BitReader;
use crate::compressed::Compressed;
use crate::lanes::{self, LANES, Lane, Mix, Quats, Vectors, groups};
use crate::lattice::Residual;
use crate::quat::Quat;
use crate::range_coder::RangeDecoder;
use crate::track::{FLATNESS, MATRIX_UNIT, Moving};
use crate::window::Window;

/// What a reader keeps of a track.
#[derive(Clone, Debug)]
struct Track {
    moving: Moving,
    rest: Quat,
    layout: Layout,
    /// Group and lane.
    at: (usize, usize),
}

/// A rotation whose residual is partly that of one before it.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: (usize, usize),
    to: (usize, usize),
    matrix: [[f32; 3]; 3],
}

/// Decodes segments. It keeps the layouts of the block it is in.
#[derive(Debug)]
pub(crate) struct Reader {
    block: Option<usize>,
    tracks: Vec<Track>,
    links: Vec<Link>,
    /// By group: rotations first, then translations.
    bases: Vec<[Vectors; 3]>,
    flat: Vec<[Lane; LEVELS]>,
    base_rotations: Vec<Quats>,
    base_translations: Vec<Vectors>,
    row_bits: usize,
    segments: usize,
    rows_at: usize,
    offsets_at: usize,
    data_at: usize,
    shapes: Vec<Shape>,
    shape: usize,
    /// The numbers of the residuals of the segment, by step and group.
    numbers: Vec<Vectors>,
    /// The residuals of one frame.
    vectors: Vec<Vectors>,
    /// The steps that were made, as bits.
    done: u32,
}

impl Reader {
    pub(crate) fn new(clip: &Compressed) -> Reader {
        let mut counts = [0, 0];
        let [rotations, translations] = [Moving::Rotation, Moving::Translation]
            .map(|kind| groups(clip.kinds.iter().filter(|(of, _)| *of == kind).count()));
        let track = |(moving, rest): &(Moving, Quat)| {
            let (kind, first) = if *moving == Moving::Rotation { (0, 0) } else { (1, rotations) };
            let place: usize = counts[kind];
            counts[kind] += 1;
            let at = (first + place / LANES, place % LANES);
            Track { moving: *moving, rest: *rest, layout: Layout::blank(), at }
        };
        let tracks: Vec<Track> = clip.kinds.iter().map(track).collect();
        // Blocks are of one length but for the last one.
        let blocks = clip.parts.blocks.len();
        let mut lasts: Vec<usize> = [0, blocks.saturating_sub(1)]
            .into_iter()
            .filter(|block| *block < blocks)
            .map(|block| clip.parts.frames_of(block).len() - 1)
            .collect();
        lasts.dedup();
        let all = rotations + translations;
        let mut reader = Reader {
            block: None,
            links: Vec::with_capacity(tracks.len()),
            tracks,
            bases: vec![[Vectors::ZERO; 3]; all],
            flat: vec![[[0.0; LANES]; LEVELS]; all],
            base_rotations: vec![Quats::IDENTITY; rotations],
            base_translations: vec![Vectors::ZERO; translations],
            row_bits: 0,
            segments: 0,
            rows_at: 0,
            offsets_at: 0,
            data_at: 0,
            shapes: shapes(&lasts),
            shape: 0,
            numbers: vec![Vectors::ZERO; if blocks == 0 { 0 } else { all * (SEGMENT - 1) }],
            vectors: vec![Vectors::ZERO; all],
            done: 0,
        };
        if blocks > 0 {
            reader.enter(clip, 0);
        }
        reader
    }

    /// A window that segments of the clip fit in.
    pub(crate) fn window(&self) -> Window {
        Window {
            first: 0,
            frames: 0,
            rotations: vec![Quats::IDENTITY; self.base_rotations.len() * SLOTS],
            translations: vec![Vectors::ZERO; self.base_translations.len() * SLOTS],
        }
    }

    /// Reads the layouts of a block.
    fn enter(&mut self, clip: &Compressed, block: usize) {
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        // A block that is too short for its own lengths reads as zeros.
        let length = bytes.first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize;
        let heads = bytes.get(4..4usize.saturating_add(length)).unwrap_or(&[]);
        let mut coder = RangeDecoder::new(heads);
        let mut models = Models::new();
        let mut rotations = 0;
        self.links.clear();
        self.row_bits = 0;
        for track in &mut self.tracks {
            let layout = Layout::code(&mut models, &mut coder, track.moving, rotations, &Layout::blank());
            let (group, lane) = track.at;
            for (column, basis) in self.bases[group].iter_mut().zip(layout.lattice.basis) {
                column.set(lane, basis);
            }
            for (flat, index) in self.flat[group].iter_mut().zip(layout.head.flat) {
                flat[lane] = FLATNESS[usize::from(index)];
            }
            match track.moving {
                Moving::Rotation => {
                    self.base_rotations[group].set(lane, layout.head.base_rotation(track.rest));
                    rotations += 1;
                }
                Moving::Translation => {
                    let group = group - self.base_rotations.len();
                    self.base_translations[group].set(lane, layout.head.base_translation());
                }
            }
            if let Some(reference) = layout.head.reference {
                let from = (reference.track / LANES, reference.track % LANES);
                let matrix = reference.matrix.map(|row| row.map(|entry| entry as f32 * (1.0 / MATRIX_UNIT)));
                self.links.push(Link { from, to: track.at, matrix });
            }
            self.row_bits += layout.width.iter().sum::<u32>() as usize;
            track.layout = layout;
        }
        self.segments = segment_count(clip.parts.frames_of(block).len());
        self.rows_at = 4 + heads.len();
        self.offsets_at = self.rows_at + (self.row_bits * (self.segments + 1)).div_ceil(8);
        self.data_at = self.offsets_at + 4 * self.segments;
        self.block = Some(block);
    }

    /// Goes to the segment of a frame of a block: reads its residuals and anchors.
    pub(crate) fn seek(&mut self, clip: &Compressed, block: usize, frame: usize, window: &mut Window) {
        if self.block != Some(block) {
            self.enter(clip, block);
        }
        let frames = clip.parts.frames_of(block);
        let last = frames.len() - 1;
        let segment = (frame / SEGMENT).min(self.segments - 1);
        let start = segment * SEGMENT;
        window.first = frames.start + start;
        window.frames = (last - start).min(SEGMENT) + 1;
        self.shape = find(&self.shapes, segment, last);
        self.done = 0;
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        self.anchors(bytes, segment, last, window);
        let offset = bytes.get(self.offsets_at + 4 * segment..).and_then(|rest| rest.first_chunk::<4>());
        let offset = offset.map_or(usize::MAX / 16, |bytes| u32::from_le_bytes(*bytes) as usize);
        self.residuals(BitReader::new(bytes, (self.data_at + offset) * 8));
    }

    /// Reads the anchors that a segment sees.
    fn anchors(&mut self, bytes: &[u8], segment: usize, last: usize, window: &mut Window) {
        let (first, end) = around(segment, self.segments + 1);
        let [rotations, translations] = [self.base_rotations.len(), self.base_translations.len()];
        for anchor in first..end {
            let place = match anchor - first {
                _ if anchor == segment => 0,
                _ if anchor == segment + 1 => (last - segment * SEGMENT).min(SEGMENT),
                place => SEGMENT + 1 + place,
            };
            let mut bits = BitReader::new(bytes, self.rows_at * 8 + anchor * self.row_bits);
            for track in &self.tracks {
                let layout = &track.layout;
                let k = [0, 1, 2]
                    .map(|axis| layout.least[axis].wrapping_add(bits.take(layout.width[axis]) as i32));
                let (group, lane) = track.at;
                self.vectors[group].set(lane, Residual { k, refine: layout.refine }.numbers());
            }
            for group in 0..rotations {
                let by = lanes::combine(&self.bases[group], &self.vectors[group]);
                window.rotations[place * rotations + group] = lanes::turn(&self.base_rotations[group], &by);
            }
            for group in 0..translations {
                let at = rotations + group;
                let by = lanes::combine(&self.bases[at], &self.vectors[at]);
                window.translations[place * translations + group] =
                    lanes::moved(&self.base_translations[group], &by);
            }
        }
    }

    /// Reads the residuals of a segment.
    fn residuals(&mut self, mut bits: BitReader<'_>) {
        let shape = &self.shapes[self.shape];
        let stride = self.bases.len();
        for track in &self.tracks {
            let (group, lane) = track.at;
            // How many levels hold anything, and the shift of the low bits.
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
                let (low, sparse) = track.layout.low(level, shift);
                let kind = track.layout.head.kind;
                while numbers.len() > 0 {
                    if sparse {
                        // A one precedes a residual that is not zero; each zero residual is a zero.
                        let zeros = bits.zeros(numbers.len() as u32);
                        numbers.by_ref().take(zeros as usize).for_each(|numbers| numbers.set(lane, [0.0; 3]));
                    }
                    let Some(numbers) = numbers.next() else { break };
                    bits.skip(u32::from(sparse));
                    numbers.set(lane, read_numbers(&mut bits, kind, low));
                }
            }
        }
    }

    /// Puts frames of the segment together: `first` and as many more, counted from its start.
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

    /// Puts one frame together.
    fn step(&mut self, at: usize, window: &mut Window) {
        let Reader { bases, vectors, numbers, flat, .. } = self;
        let step = &self.shapes[self.shape].steps[at];
        let stride = bases.len();
        let numbers = &numbers[at * stride..(at + 1) * stride];
        for ((vectors, basis), numbers) in vectors.iter_mut().zip(&*bases).zip(numbers) {
            *vectors = lanes::combine(basis, numbers);
        }
        for link in &self.links {
            let other = vectors[link.from.0].get(link.from.1);
            let own = vectors[link.to.0].get(link.to.1);
            let [x, y, z] = link.matrix.map(|[a, b, c]| a * other[0] + b * other[1] + c * other[2]);
            vectors[link.to.0].set(link.to.1, [x + own[0], y + own[1], z + own[2]]);
        }
        let [rotations, translations] = [self.base_rotations.len(), self.base_translations.len()];
        let level = usize::from(step.level);
        let mix = |group: usize| Mix { cubic: step.cubic, linear: step.linear, flat: &flat[group][level] };
        let taps = step.taps.map(usize::from);
        for group in 0..rotations {
            let taps = taps.map(|tap| &window.rotations[tap * rotations + group]);
            let q = lanes::predict_and_turn(taps, &mix(group), &vectors[group]);
            window.rotations[usize::from(step.place) * rotations + group] = q;
        }
        for group in 0..translations {
            let taps = taps.map(|tap| &window.translations[tap * translations + group]);
            let at = rotations + group;
            let v = lanes::predict_and_move(taps, &mix(at), &vectors[at]);
            window.translations[usize::from(step.place) * translations + group] = v;
        }
    }
}
