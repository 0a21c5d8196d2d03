//! The `runtime` profile: segments of 32 frames that are decoded on their own, with bits that are read and not
//! modelled.
//!
//! The first frame of every segment is stored in rows of fixed width, so any of them can be read at once. The
//! frames between are residuals in Rice codes, whose lengths are chosen for each track, level and axis, and
//! shifted for each segment. Based on: R. F. Rice, "Some practical universal noiseless coding techniques", 1979.

#[cfg(feature = "encode")]
mod write;

use crate::bits::BitReader;
use crate::clip::Compressed;
use crate::hierarchy::{Node, Reach, schedule};
use crate::lattice::{FINEST, Kind, Lattice, Residual};
use crate::quat::{self, Quat};
use crate::range_coder::{BitCoder, RangeDecoder};
use crate::sampler::{Window, sound};
use crate::track::{FLATNESS, Head, HeadModel, Moving};
#[cfg(feature = "encode")]
pub(crate) use write::encode;

/// Frames of a segment.
pub(crate) const SEGMENT: usize = 32;
/// Levels of the frames between.
const LEVELS: usize = 6;
/// A quotient of this many ones is no quotient: a longer form follows.
const LONG: u32 = 8;
/// Low bits of a Rice code, at most.
const LOW: i32 = 15;
/// By the two bits at the start of a track's segment, what is added to the low bits.
const SHIFTS: [i32; 4] = [-1, 0, 1, 2];

/// What is stored of a track for all segments of a block.
#[derive(Clone, Debug)]
struct Layout {
    head: Head,
    lattice: Lattice,
    /// First frames: halvings of the steps, the least number of each axis, bits of each axis.
    refine: u8,
    least: [i32; 3],
    width: [u32; 3],
    /// Low bits of the codes, by level and axis; the first level is unused.
    low: [[i32; 3]; LEVELS],
}

impl Layout {
    fn blank() -> Layout {
        let head = Head::blank();
        let lattice = head.lattice();
        Layout { head, lattice, refine: 0, least: [0; 3], width: [0; 3], low: [[0; 3]; LEVELS] }
    }

    /// Codes a layout; a decoded one is safe to use.
    fn code<C: BitCoder>(
        models: &mut Models,
        coder: &mut C,
        moving: Moving,
        rotations: usize,
        wanted: &Layout,
    ) -> Layout {
        let head = models.heads.code(coder, moving, LEVELS, rotations, &wanted.head);
        let mut coded = Layout { lattice: head.lattice(), head, ..Layout::blank() };
        let rest = &mut models.rest;
        coded.refine = rest.number(coder, 0, i32::from(wanted.refine)).clamp(0, i32::from(FINEST)) as u8;
        for axis in 0..3 {
            coded.least[axis] = rest.number(coder, 1, wanted.least[axis]);
            coded.width[axis] = rest.number(coder, 2, wanted.width[axis] as i32).clamp(0, 28) as u32;
        }
        for level in 1..LEVELS {
            for axis in 0..3 {
                // Levels and axes are much alike.
                let guess =
                    if axis > 0 { coded.low[level][axis - 1] } else { (coded.low[level - 1][0] - 1).max(0) };
                let difference = rest.number(coder, 3, wanted.low[level][axis].wrapping_sub(guess));
                coded.low[level][axis] = guess.wrapping_add(difference).clamp(0, LOW);
            }
        }
        coded
    }

    /// The low bits of a level in a segment, and whether residuals are so rare that zeros have a bit of their
    /// own.
    #[inline]
    fn low(&self, level: usize, shift: i32) -> ([u32; 3], bool) {
        let low = self.low[level].map(|low| (low + shift).clamp(0, LOW) as u32);
        (low, low == [0; 3])
    }
}

/// The models of layouts: those of heads, and those of the numbers beside them.
struct Models {
    heads: HeadModel,
    rest: HeadModel,
}

impl Models {
    fn new() -> Models {
        Models { heads: HeadModel::new(), rest: HeadModel::new() }
    }
}

/// A whole number from one that is not negative: 0, -1, 1, -2, …
#[inline]
fn unfold(code: u32) -> i32 {
    (code >> 1) as i32 ^ -((code & 1) as i32)
}

/// Reads a residual.
#[inline]
fn read_residual(bits: &mut BitReader<'_>, kind: Kind, low: [u32; 3], sparse: bool) -> Residual {
    if sparse && bits.take(1) == 0 {
        return Residual::default();
    }
    let centred = kind == Kind::BodyCentred;
    let mut refine = 0;
    let mut start = bits.clone();
    let k = if bits.ones(LONG) == LONG {
        refine = bits.take(4).min(u32::from(FINEST));
        if bits.take(1) == 1 {
            let width = bits.take(5).min(28);
            let k = [0; 3].map(|_: i32| unfold(bits.take(width)));
            return Residual { k, refine: refine as u8 };
        }
        let odd = if centred { bits.take(1) as i32 } else { 0 };
        (odd, low.map(|low| unfold(bits.rice(low + refine))))
    } else {
        // The quotient that was looked at is the first number's.
        let first = start.rice(low[0]);
        let rest = [start.rice(low[1]), start.rice(low[2])];
        let odd = if centred { start.take(1) as i32 } else { 0 };
        *bits = start;
        (odd, [first, rest[0], rest[1]].map(unfold))
    };
    let (odd, k) = k;
    let k = if centred { k.map(|k| (k << 1) + odd) } else { k };
    Residual { k, refine: refine as u8 }
}

/// Anchors around a segment: the frames it is predicted from beside its own.
const AROUND: usize = 4;
/// Places of decoded values: the frames of a segment with the first of the next, and anchors outside.
const SLOTS: usize = SEGMENT + 1 + AROUND;

/// The shape of a segment: which anchors it sees, and the order of its frames.
#[derive(Debug, Default)]
struct Shape {
    /// The anchors that are seen: the first of them, how many frames they span, and the segment among them.
    key: Option<(usize, usize)>,
    /// Nodes whose taps are places.
    nodes: Vec<Node>,
    /// Index of the first node of each level.
    levels: [usize; LEVELS + 1],
}

/// Decodes segments. It keeps the layouts of the block it is in.
#[derive(Debug)]
pub(crate) struct Reader {
    block: Option<usize>,
    layouts: Vec<Layout>,
    row_bits: usize,
    segments: usize,
    rows_at: usize,
    offsets_at: usize,
    data_at: usize,
    shape: Shape,
    residuals: Vec<[f32; 3]>,
}

/// The number of segments of a block.
fn segment_count(frames: usize) -> usize {
    (frames.max(2) - 1).div_ceil(SEGMENT)
}

/// The anchors a segment sees, and its place among them, by the count of anchors.
fn around(segment: usize, anchors: usize) -> (usize, usize) {
    let first = segment.saturating_sub(1).min(anchors.saturating_sub(AROUND));
    (first, (first + AROUND).min(anchors))
}

impl Reader {
    pub(crate) fn new(clip: &Compressed) -> Reader {
        let mut reader = Reader {
            block: None,
            layouts: Vec::with_capacity(clip.plan.moving.len()),
            row_bits: 0,
            segments: 0,
            rows_at: 0,
            offsets_at: 0,
            data_at: 0,
            shape: Shape::default(),
            residuals: Vec::new(),
        };
        if clip.parts.info.frames > 0 {
            reader.enter(clip, 0);
        }
        reader
    }

    /// Reads the layouts of a block.
    fn enter(&mut self, clip: &Compressed, block: usize) {
        let range = clip.parts.blocks[block].clone();
        let bytes = &clip.bytes[range.clone()];
        // A block that is too short for its own lengths reads as zeros.
        let length = bytes.first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize;
        let heads = bytes.get(4..4usize.saturating_add(length)).unwrap_or(&[]);
        let mut coder = RangeDecoder::new(heads);
        let mut models = Models::new();
        let mut rotations = 0;
        self.layouts.clear();
        for (moving, _) in &clip.kinds {
            let layout = Layout::code(&mut models, &mut coder, *moving, rotations, &Layout::blank());
            rotations += usize::from(*moving == Moving::Rotation);
            self.layouts.push(layout);
        }
        self.row_bits = self.layouts.iter().map(|layout| layout.width.iter().sum::<u32>() as usize).sum();
        self.segments = segment_count(clip.parts.frames_of(block).len());
        self.rows_at = 4 + heads.len();
        self.offsets_at = self.rows_at + (self.row_bits * (self.segments + 1)).div_ceil(8);
        self.data_at = self.offsets_at + 4 * self.segments;
        self.block = Some(block);
    }

    /// Decodes the segment of a frame of a block.
    pub(crate) fn decode(&mut self, clip: &Compressed, block: usize, frame: usize, window: &mut Window) {
        if self.block != Some(block) {
            self.enter(clip, block);
        }
        let frames = clip.parts.frames_of(block);
        let last = frames.len() - 1;
        let segment = (frame / SEGMENT).min(self.segments - 1);
        let start = segment * SEGMENT;
        let count = (last - start).min(SEGMENT) + 1;
        self.reshape(segment, last);
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        let [rotations, translations] = [Moving::Rotation, Moving::Translation]
            .map(|kind| clip.kinds.iter().filter(|(of, _)| *of == kind).count());
        window.first = frames.start + start;
        window.frames = count;
        window.rotations.resize(SLOTS * rotations, quat::IDENTITY);
        window.translations.resize(SLOTS * translations, [0.0; 3]);
        self.residuals.resize(SLOTS * rotations, [0.0; 3]);
        self.anchors(clip, bytes, segment, last, rotations, translations, window);
        let offset = bytes.get(self.offsets_at + 4 * segment..).and_then(|rest| rest.first_chunk::<4>());
        let offset = offset.map_or(usize::MAX / 16, |bytes| u32::from_le_bytes(*bytes) as usize);
        let mut bits = BitReader::new(bytes, (self.data_at + offset) * 8);
        let (mut rotation, mut translation) = (0, 0);
        for ((moving, _), layout) in clip.kinds.iter().zip(&self.layouts) {
            match moving {
                Moving::Rotation => {
                    let values =
                        Strided { values: &mut window.rotations, place: rotation, stride: rotations };
                    let residuals = &mut self.residuals;
                    rotation_track(layout, &self.shape, &mut bits, values, residuals, (rotation, rotations));
                    rotation += 1;
                }
                Moving::Translation => {
                    let values = Strided {
                        values: &mut window.translations,
                        place: translation,
                        stride: translations,
                    };
                    translation_track(layout, &self.shape, &mut bits, values);
                    translation += 1;
                }
            }
        }
        window.rotations[..count * rotations].iter_mut().for_each(|q| *q = sound(*q));
        let values = window.translations[..count * translations].iter_mut().flatten();
        values.filter(|value| !value.is_finite()).for_each(|value| *value = 0.0);
    }

    /// Finds the order of the frames of a segment, where it is not that of the last one.
    fn reshape(&mut self, segment: usize, last: usize) {
        let (first, end) = around(segment, self.segments + 1);
        let from = first * SEGMENT;
        let span = ((end - 1) * SEGMENT).min(last) - from;
        let key = (segment - first, span);
        if self.shape.key == Some(key) {
            return;
        }
        let start = (segment - first) * SEGMENT;
        let stop = (start + SEGMENT).min(span);
        let place = |frame: u32| match frame as usize {
            frame if (start..=stop).contains(&frame) => frame - start,
            // The last anchor need not be a multiple.
            frame => SEGMENT + 1 + frame.div_ceil(SEGMENT),
        };
        self.shape.nodes.clear();
        self.shape.levels = [0; LEVELS + 1];
        for mut node in schedule(span as u32 + 1, SEGMENT as u32, Reach::Segment) {
            let frame = node.frame as usize;
            if node.level == 0 || frame <= start || frame >= stop {
                continue;
            }
            self.shape.levels[usize::from(node.level) + 1] += 1;
            node.frame = place(node.frame) as u32;
            node.taps = node.taps.map(|tap| place(tap) as u32);
            self.shape.nodes.push(node);
        }
        for level in 0..LEVELS {
            self.shape.levels[level + 1] += self.shape.levels[level];
        }
        self.shape.key = Some(key);
    }

    /// Reads the anchors that a segment sees.
    #[allow(clippy::too_many_arguments, reason = "one caller")]
    fn anchors(
        &self,
        clip: &Compressed,
        bytes: &[u8],
        segment: usize,
        last: usize,
        rotations: usize,
        translations: usize,
        window: &mut Window,
    ) {
        let (first, end) = around(segment, self.segments + 1);
        for anchor in first..end {
            let slot = match anchor - first {
                _ if anchor == segment => 0,
                _ if anchor == segment + 1 => (last - segment * SEGMENT).min(SEGMENT),
                place => SEGMENT + 1 + place,
            };
            let mut bits = BitReader::new(bytes, self.rows_at * 8 + anchor * self.row_bits);
            let (mut rotation, mut translation) = (slot * rotations, slot * translations);
            for ((moving, rest), layout) in clip.kinds.iter().zip(&self.layouts) {
                let k = [0, 1, 2]
                    .map(|axis| layout.least[axis].wrapping_add(bits.take(layout.width[axis]) as i32));
                let vector = layout.lattice.vector(Residual { k, refine: layout.refine });
                match moving {
                    Moving::Rotation => {
                        let base = layout.head.base_rotation(*rest);
                        window.rotations[rotation] = quat::mul(base, quat::from_rodrigues(vector));
                        rotation += 1;
                    }
                    Moving::Translation => {
                        let base = layout.head.base_translation();
                        window.translations[translation] = [0, 1, 2].map(|i| base[i] + vector[i]);
                        translation += 1;
                    }
                }
            }
        }
    }
}

/// The values of one track among those of others, frame by frame.
struct Strided<'a, T> {
    values: &'a mut [T],
    place: usize,
    stride: usize,
}

impl<T: Copy> Strided<'_, T> {
    #[inline]
    fn get(&self, slot: u32) -> T {
        self.values[slot as usize * self.stride + self.place]
    }

    #[inline]
    fn set(&mut self, slot: u32, value: T) {
        self.values[slot as usize * self.stride + self.place] = value;
    }
}

/// Reads the start of a track's segment: levels that hold anything, and the shift of the low bits.
#[inline]
fn read_start(bits: &mut BitReader<'_>) -> (usize, i32) {
    let coded = bits.take(3) as usize;
    (coded, if coded == 0 { 0 } else { SHIFTS[bits.take(2) as usize] })
}

fn rotation_track(
    layout: &Layout,
    shape: &Shape,
    bits: &mut BitReader<'_>,
    mut values: Strided<'_, Quat>,
    residuals: &mut [[f32; 3]],
    (place, stride): (usize, usize),
) {
    let (coded, shift) = read_start(bits);
    let other = layout.head.reference.map(|reference| reference.track);
    for level in 1..LEVELS {
        let flat = FLATNESS[usize::from(layout.head.flat[level])];
        let (low, sparse) = layout.low(level, shift);
        for node in &shape.nodes[shape.levels[level]..shape.levels[level + 1]] {
            let predicted = quat::blend(node.taps.map(|tap| values.get(tap)), node.weights(flat));
            let mut turn = match other {
                Some(other) => layout.head.shift(residuals[node.frame as usize * stride + other]),
                None => [0.0; 3],
            };
            if level <= coded {
                let residual = read_residual(bits, layout.head.kind, low, sparse);
                let vector = layout.lattice.vector(residual);
                turn = [0, 1, 2].map(|i| turn[i] + vector[i]);
            }
            values.set(node.frame, quat::mul(predicted, quat::from_rodrigues(turn)));
            residuals[node.frame as usize * stride + place] = turn;
        }
    }
}

fn translation_track(
    layout: &Layout,
    shape: &Shape,
    bits: &mut BitReader<'_>,
    mut values: Strided<'_, [f32; 3]>,
) {
    let (coded, shift) = read_start(bits);
    for level in 1..LEVELS {
        let flat = FLATNESS[usize::from(layout.head.flat[level])];
        let (low, sparse) = layout.low(level, shift);
        for node in &shape.nodes[shape.levels[level]..shape.levels[level + 1]] {
            let mut value = [0.0; 3];
            for (tap, weight) in node.taps.iter().zip(node.weights(flat)) {
                for (sum, tap) in value.iter_mut().zip(values.get(*tap)) {
                    *sum += tap * weight;
                }
            }
            if level <= coded {
                let vector = layout.lattice.vector(read_residual(bits, layout.head.kind, low, sparse));
                value = [0, 1, 2].map(|i| value[i] + vector[i]);
            }
            values.set(node.frame, value);
        }
    }
}
