//! The encoder of the `runtime` profile.

use super::layout::{LONG, LOW, Layout, SHIFTS};
use super::{LEVELS, SEGMENT};
use crate::bits::BitWriter;
use crate::encode::block::{Block, EncodedBlock};
use crate::encode::source::Chooser;
use crate::encode::write::code_tracks;
use crate::hierarchy::{Node, Reach, levels, schedule};
use crate::lattice::{Kind, Residual};
use crate::range_coder::{Discard, RangeEncoder};
use crate::segments::{Models, Row, put_block, segment_count};
use crate::track::{Head, Moving};

/// A signed number as an unsigned one: 0, -1, 1, -2, …
#[inline]
fn fold(value: i32) -> u32 {
    (value << 1 ^ value >> 31) as u32
}

/// The bytes of a block.
pub(crate) fn encode(block: &Block<'_>) -> EncodedBlock {
    let nodes = schedule(block.frames as u32, SEGMENT as u32, Reach::Segment);
    debug_assert_eq!(levels(SEGMENT as u32), LEVELS);
    let mut chooser = Chooser::new(block, &nodes, LEVELS);
    // Residuals are written later, when all are known.
    let coded = code_tracks(&mut Discard, &mut chooser, &nodes, LEVELS, block.kinds, &block.settings.work);
    let failed = chooser.failed;
    // Frees the decoded bodies.
    drop(chooser);
    let segments = segment_count(block.frames, SEGMENT);
    let mut parts: Vec<Track> = coded
        .heads
        .iter()
        .zip(&coded.residuals)
        .map(|(head, chosen)| Track::new(head, &nodes, chosen, segments))
        .collect();
    let mut coder = RangeEncoder::new();
    let mut models = Models::new();
    let mut rotations = 0;
    for ((moving, _), track) in block.kinds.iter().zip(&mut parts) {
        track.layout = Layout::code(&mut models, &mut coder, *moving, rotations, &track.layout);
        rotations += usize::from(*moving == Moving::Rotation);
    }
    let put = |segment: usize| {
        let mut bits = BitWriter::default();
        parts.iter().for_each(|track| track.put(segment, &mut bits));
        bits.finish()
    };
    let segments: Vec<Vec<u8>> = (0..segments).map(put).collect();
    let rows = parts.iter().map(|track| (&track.layout.row, &track.anchors[..]));
    EncodedBlock { bytes: put_block(&coder.finish(), rows, &segments), failed }
}

/// The residuals of one track, sorted into segments.
struct Track {
    layout: Layout,
    anchors: Vec<[i32; 3]>,
    /// By segment and level.
    segments: Vec<[Vec<Residual>; LEVELS]>,
    shifts: Vec<usize>,
}

impl Track {
    fn new(head: &Head, nodes: &[Node], chosen: &[Residual], segments: usize) -> Track {
        let mut sorted: Vec<[Vec<Residual>; LEVELS]> = vec![Default::default(); segments];
        let mut anchors = Vec::new();
        for (node, residual) in nodes.iter().zip(chosen) {
            match node.level {
                0 => anchors.push(*residual),
                level => sorted[node.frame as usize / SEGMENT][usize::from(level)].push(*residual),
            }
        }
        let (row, anchors) = Row::fit(&anchors);
        let layout = Layout { head: head.clone(), row, ..Layout::blank() };
        let mut track = Track { layout, anchors, segments: sorted, shifts: vec![1; segments] };
        // Low bits depend on the shifts and the reverse; a few rounds converge.
        for _ in 0..3 {
            track.choose_low();
            track.choose_shifts();
        }
        track
    }

    fn choose_low(&mut self) {
        for level in 1..LEVELS {
            // The best value for each axis, then separate zeros: they make a level sparse.
            let mut best = [0; 3];
            for axis in 0..3 {
                let cost = |low: i32| -> u64 { self.axis_cost(level, axis, low) };
                best[axis] = (0..=LOW).min_by_key(|low| cost(*low)).unwrap_or(0);
            }
            let total = |layout: &Layout| -> u64 {
                let bits =
                    |at: usize| level_bits(layout, &self.segments[at][level], level, SHIFTS[self.shifts[at]]);
                (0..self.segments.len()).map(bits).sum()
            };
            let mut layout = self.layout.clone();
            layout.low[level] = best;
            let plain = total(&layout);
            layout.low[level] = [0; 3];
            if plain <= total(&layout) {
                layout.low[level] = best;
            }
            self.layout = layout;
        }
    }

    fn axis_cost(&self, level: usize, axis: usize, low: i32) -> u64 {
        let half = u32::from(self.layout.head.kind == Kind::BodyCentred);
        let mut sum = 0;
        for (segment, shift) in self.segments.iter().zip(&self.shifts) {
            let low = (low + SHIFTS[*shift]).clamp(0, LOW);
            for residual in &segment[level] {
                let code = fold(residual.k[axis] >> half) >> residual.refine;
                sum += u64::from((code >> low).min(24)) + 1 + low as u64;
            }
        }
        sum
    }

    fn choose_shifts(&mut self) {
        for (segment, shift) in self.segments.iter().zip(&mut self.shifts) {
            let cost = |shift: &usize| -> u64 {
                (1..LEVELS)
                    .map(|level| level_bits(&self.layout, &segment[level], level, SHIFTS[*shift]))
                    .sum()
            };
            *shift = (0..SHIFTS.len()).min_by_key(cost).unwrap_or(1);
        }
    }

    fn put(&self, segment: usize, bits: &mut BitWriter) {
        let of_segment = &self.segments[segment];
        let any = |level: &usize| of_segment[*level].iter().any(|residual| *residual != Residual::default());
        let coded = (1..LEVELS).rev().find(any).unwrap_or(0);
        bits.put(coded as u32, 3);
        if coded == 0 {
            return;
        }
        let shift = self.shifts[segment];
        bits.put(shift as u32, 2);
        for level in 1..=coded {
            let (low, sparse) = self.layout.low(level, SHIFTS[shift]);
            for residual in &of_segment[level] {
                put_residual(bits, self.layout.head.kind, low, sparse, *residual);
            }
        }
    }
}

fn level_bits(layout: &Layout, residuals: &[Residual], level: usize, shift: i32) -> u64 {
    let (low, sparse) = layout.low(level, shift);
    let mut count = Count(0);
    residuals.iter().for_each(|residual| put_residual(&mut count, layout.head.kind, low, sparse, *residual));
    count.0
}

/// A destination for bits.
trait Sink {
    fn put(&mut self, value: u32, count: u32);
}

impl Sink for BitWriter {
    fn put(&mut self, value: u32, count: u32) {
        BitWriter::put(self, value, count);
    }
}

/// Counts bits.
struct Count(u64);

impl Sink for Count {
    #[inline]
    fn put(&mut self, _: u32, count: u32) {
        self.0 += u64::from(count);
    }
}

fn put_rice(bits: &mut impl Sink, code: u32, low: u32) {
    let quotient = code >> low;
    bits.put(((1 << quotient) - 1) << 1, quotient + 1);
    bits.put(code, low);
}

fn put_residual(bits: &mut impl Sink, kind: Kind, low: [u32; 3], sparse: bool, residual: Residual) {
    if sparse {
        bits.put(u32::from(residual != Residual::default()), 1);
        if residual == Residual::default() {
            return;
        }
    }
    let centred = kind == Kind::BodyCentred;
    let k = residual.k;
    let odd = (k[0] & 1) as u32;
    let codes = k.map(|k| fold(if centred { k >> 1 } else { k }));
    let refine = u32::from(residual.refine);
    let low = low.map(|low| low + refine);
    // A first quotient as long as the escape would be read as the escape.
    let fits = |axis: usize| codes[axis] >> low[axis] < LONG;
    if refine == 0 && (0..3).all(fits) {
        (0..3).for_each(|axis| put_rice(bits, codes[axis], low[axis]));
        if centred {
            bits.put(odd, 1);
        }
        return;
    }
    bits.put((1 << LONG) - 1, LONG);
    bits.put(refine, 4);
    let short = (0..3).all(|axis| codes[axis] >> low[axis] < 24);
    if short {
        bits.put(0, 1);
        if centred {
            bits.put(odd, 1);
        }
        return (0..3).for_each(|axis| put_rice(bits, codes[axis], low[axis]));
    }
    let codes = k.map(fold);
    let width = codes.iter().map(|code| 32 - code.leading_zeros()).max().unwrap_or(0).min(28);
    bits.put(1, 1);
    bits.put(width, 5);
    codes.iter().for_each(|code| bits.put(*code, width));
}
