//! The encoder of the `direct` profile.

use super::layout::{CODES, Choice, FINER, Layout, width_at};
use super::phases::{PHASES, Phases, Weights};
use super::plain::{self, Layouts};
use super::{LEVELS, SEGMENT, length, stored};
use crate::bits::BitWriter;
use crate::encode::block::{Block, EncodedBlock};
use crate::encode::predict::Tracks;
use crate::encode::search::{NEARNESS, choose};
use crate::encode::source::Chooser;
use crate::hierarchy::{Node, Reach, schedule};
use crate::lanes::between;
use crate::lattice::{FINEST, Kind, Lattice, Residual};
use crate::quat::{self, Quat};
use crate::segments::{Row, WIDEST, put_block, segment_count};
use crate::track::{Head, Moving};
use nalgebra::Vector3;

/// Expected magnitudes for the trial of widths: all magnitudes count alike.
const EXPECTED: [f32; 3] = [1e3; 3];
/// Number of scales that are tried for a segment, from the coarsest one at which its numbers keep their bounds:
/// finer scales may allow narrower numbers.
const TRIED: usize = 8;
/// Number of rounds in which widths are chosen for the numbers, then numbers for the widths.
const ROUNDS: usize = 2;

/// The bytes of a block.
pub(crate) fn encode(block: &Block<'_>) -> EncodedBlock {
    let nodes = schedule(block.frames as u32, SEGMENT as u32, Reach::Segment);
    let phases = &*PHASES;
    let mut chooser = Chooser::new(block, &nodes, LEVELS);
    let mut done = Tracks::default();
    let mut parts = Vec::new();
    let mut failed = 0;
    for (track, (moving, rest)) in block.kinds.iter().enumerate() {
        let head = chooser.head(track, &done);
        let starts: Vec<&Node> = nodes.iter().filter(|node| node.level == 0).collect();
        let encoder = TrackEncoder {
            frames: block.frames,
            weights: phases.all_weights(&head.flat[..LEVELS]),
            phases,
            lattice: head.lattice(),
        };
        let (track, missed) = match moving {
            Moving::Rotation => {
                let base = head.base_rotation(*rest);
                let starts =
                    starts.iter().map(|node| chooser.rotation(node, base, [0.0; 3], EXPECTED)).collect();
                let curve = Rotations { chooser: &chooser, base };
                let (track, values, missed) = encoder.encode(&curve, head, starts);
                done.rotations.push(values);
                (track, missed)
            }
            Moving::Translation => {
                let base = head.base_translation();
                let starts = starts.iter().map(|node| chooser.translation(node, base, EXPECTED)).collect();
                let curve = Translations { chooser: &chooser, base };
                let (track, values, missed) = encoder.encode(&curve, head, starts);
                done.translations.push(values);
                (track, missed)
            }
        };
        failed += missed;
        parts.push(track);
    }
    let of_tracks = block.kinds.iter().zip(&parts);
    let layouts = plain::put(of_tracks.map(|((moving, _), track)| (*moving, &track.layout)));
    // As decoded.
    let mut read = Layouts::new(&layouts);
    for ((moving, _), track) in block.kinds.iter().zip(&mut parts) {
        track.layout = read.next(*moving);
    }
    let last = block.frames - 1;
    let segments = 0..segment_count(block.frames, SEGMENT);
    let segments: Vec<Vec<u8>> = segments.map(|at| put_segment(&parts, at, length(at, last))).collect();
    let rows = parts.iter().map(|track| (&track.layout.row, &track.starts[..]));
    EncodedBlock { bytes: put_block(&layouts, rows, &segments), failed: failed + chooser.failed }
}

/// The bytes of a segment: the choices of all tracks, then their numbers.
fn put_segment(parts: &[Track], segment: usize, length: usize) -> Vec<u8> {
    let choice = |track: &Track| track.layout.choice(&track.segments[segment]);
    let choices: Vec<Choice> = parts.iter().map(choice).collect();
    let mut bytes: Vec<u8> = choices.iter().flat_map(|choice| choice.bytes()).collect();
    let mut bits = BitWriter::default();
    for (track, choice) in parts.iter().zip(choices) {
        track.put(segment, length, choice, &mut bits);
    }
    bytes.extend(bits.finish());
    bytes
}

/// The search's view of a track: values along the path between the ends of a segment, and bounds.
trait Curve {
    type Value: Copy;
    /// The first frame of a segment, from the vector of its numbers.
    fn start(&self, vector: [f32; 3]) -> Self::Value;
    /// The value that is displaced from the path by a vector.
    fn along(&self, ends: [Self::Value; 2], way: f32, vector: [f32; 3]) -> Self::Value;
    /// The numbers that lead from the path to the target of a frame.
    fn target(&self, frame: usize, ends: [Self::Value; 2], way: f32) -> Vector3<f64>;
    /// Whether a value of a frame keeps its bound.
    fn check(&self, frame: usize) -> impl Fn(Self::Value) -> bool;
}

struct Rotations<'a> {
    chooser: &'a Chooser<'a>,
    base: Quat,
}

impl Curve for Rotations<'_> {
    type Value = Quat;

    fn start(&self, vector: [f32; 3]) -> Quat {
        quat::mul(self.base, quat::from_rodrigues(vector))
    }

    fn along(&self, [from, to]: [Quat; 2], way: f32, vector: [f32; 3]) -> Quat {
        quat::along(from, to, way, vector)
    }

    fn target(&self, frame: usize, [from, to]: [Quat; 2], way: f32) -> Vector3<f64> {
        self.chooser.rotation_numbers(frame, quat::along(from, to, way, [0.0; 3]))
    }

    fn check(&self, frame: usize) -> impl Fn(Quat) -> bool {
        let check = self.chooser.rotation_check(self.chooser.body(), frame);
        move |value| check.share(value) <= 1.0
    }
}

struct Translations<'a> {
    chooser: &'a Chooser<'a>,
    base: [f32; 3],
}

impl Curve for Translations<'_> {
    type Value = [f32; 3];

    fn start(&self, vector: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|i| self.base[i] + vector[i])
    }

    fn along(&self, [from, to]: [[f32; 3]; 2], way: f32, vector: [f32; 3]) -> [f32; 3] {
        let path = between(from, to, way);
        [0, 1, 2].map(|i| path[i] + vector[i])
    }

    fn target(&self, frame: usize, [from, to]: [[f32; 3]; 2], way: f32) -> Vector3<f64> {
        self.chooser.translation_numbers(frame, between(from, to, way))
    }

    fn check(&self, frame: usize) -> impl Fn([f32; 3]) -> bool {
        let check = self.chooser.translation_check(self.chooser.body(), frame);
        move |value| check.share(value) <= 1.0
    }
}

/// The numbers of a segment, in the order of coding.
#[derive(Clone, Default)]
struct Segment {
    /// Steps as an index into all scales, from the coarsest.
    scale: usize,
    numbers: [[i32; 3]; SEGMENT - 1],
    /// The bits that each level needs.
    needed: [[u32; 3]; LEVELS],
    /// Levels that are not all zero.
    any: [bool; LEVELS],
}

impl Segment {
    /// The bits that its numbers need, with one width for each axis of each level.
    fn bits(&self, length: usize) -> usize {
        let of_level = |level: usize| {
            let width = self.needed[level].iter().sum::<u32>() as usize;
            if self.any[level] { (width + 1) * stored(level, length) } else { 0 }
        };
        (1..LEVELS).map(of_level).sum()
    }
}

/// An encoded track.
struct Track {
    layout: Layout,
    starts: Vec<[i32; 3]>,
    segments: Vec<Segment>,
}

/// A segment, its frames and the values at its ends.
struct Place<V> {
    segment: usize,
    length: usize,
    ends: [V; 2],
}

/// A segment as it may be stored, and the frames from its start to before its end.
struct Tried<V> {
    segment: Segment,
    values: Vec<V>,
}

/// Any width.
const WIDE: [Option<[u32; 3]>; LEVELS] = [Some([WIDEST as u32; 3]); LEVELS];

/// Encodes one track.
struct TrackEncoder<'a> {
    frames: usize,
    phases: &'a Phases,
    weights: [Weights; SEGMENT],
    lattice: Lattice,
}

impl TrackEncoder<'_> {
    /// Encodes the track. Also returns its decoded values, and the number of frames that miss their bounds.
    fn encode<C: Curve>(
        &self,
        curve: &C,
        head: Head,
        numbers: Vec<Residual>,
    ) -> (Track, Vec<C::Value>, usize) {
        let last = self.frames - 1;
        let ends: Vec<C::Value> =
            numbers.iter().map(|start| curve.start(self.lattice.vector(start.numbers()))).collect();
        let of_segment = |segment: usize| [ends[segment], ends[(segment + 1).min(ends.len() - 1)]];
        let place =
            |segment: usize| Place { segment, length: length(segment, last), ends: of_segment(segment) };
        let (row, starts) = Row::fit(&numbers);
        let mut layout = Layout { row, ..Layout::of(&head) };
        let mut all: Vec<Vec<Tried<C::Value>>> = Vec::new();
        all.resize_with(segment_count(self.frames, SEGMENT), Vec::new);
        // The coarsest scales at which all segments keep their bounds.
        loop {
            let scales =
                usize::from(layout.halved) * FINER.len()..usize::from(layout.halved + 1) * FINER.len();
            for (at, tried) in all.iter_mut().enumerate() {
                if tried.first().is_none_or(|first| first.segment.scale < scales.start) {
                    let found =
                        scales.clone().filter_map(|scale| self.segment(curve, &place(at), scale, &WIDE));
                    *tried = found.take(TRIED).collect();
                }
            }
            if layout.halved == FINEST || all.iter().all(|tried| !tried.is_empty()) {
                break;
            }
            layout.halved += 1;
        }
        let mut missed = 0;
        for (at, tried) in all.iter_mut().enumerate() {
            if tried.is_empty() {
                missed += length(at, last);
                tried.push(Tried { segment: Segment::default(), values: vec![ends[at]; length(at, last)] });
            }
        }
        let narrowest = |(at, tried): (usize, &Vec<Tried<C::Value>>)| {
            tried
                .iter()
                .map(|tried| tried.segment.clone())
                .min_by_key(|segment| segment.bits(length(at, last)))
        };
        layout.fit(&all.iter().enumerate().filter_map(narrowest).collect::<Vec<Segment>>(), last);
        for _ in 0..ROUNDS {
            for (at, tried) in all.iter_mut().enumerate() {
                tried.iter_mut().for_each(|tried| self.squeeze(curve, &place(at), &layout, tried));
                tried.sort_by_key(|tried| layout.bits_of(&tried.segment, length(at, last)));
                tried.truncate(1);
            }
            layout.fit(
                &all.iter().flatten().map(|tried| tried.segment.clone()).collect::<Vec<Segment>>(),
                last,
            );
        }
        let mut values = Vec::with_capacity(self.frames);
        let mut segments = Vec::with_capacity(all.len());
        for tried in all.into_iter().flatten() {
            values.extend(tried.values);
            segments.push(tried.segment);
        }
        values.truncate(last);
        values.push(ends[ends.len() - 1]);
        (Track { layout, starts, segments }, values, missed)
    }

    /// Chooses narrower codes if the bounds can still be kept.
    fn squeeze<C: Curve>(
        &self,
        curve: &C,
        place: &Place<C::Value>,
        layout: &Layout,
        tried: &mut Tried<C::Value>,
    ) {
        for narrowed in 1..LEVELS {
            loop {
                // A range too wide for every code is tried with the highest one.
                let code = |level| layout.code_for(level, &tried.segment).unwrap_or(CODES);
                if code(narrowed) == 0 {
                    break;
                }
                let mut widest = WIDE;
                for level in 1..LEVELS {
                    let code = code(level) - usize::from(level == narrowed);
                    if code < CODES {
                        widest[level] = layout.widest(level, code);
                    }
                }
                match self.segment(curve, place, tried.segment.scale, &widest) {
                    Some(narrower) => *tried = narrower,
                    None => break,
                }
            }
        }
    }

    /// A segment at a scale, with numbers of limited width; `None` if some frame has no number within its
    /// bound.
    fn segment<C: Curve>(
        &self,
        curve: &C,
        place: &Place<C::Value>,
        scale: usize,
        widest: &[Option<[u32; 3]>; LEVELS],
    ) -> Option<Tried<C::Value>> {
        let &Place { segment, length, ends } = place;
        let mut found = Segment { scale, ..Segment::default() };
        let scale = Layout::scale((scale / FINER.len()) as u8, scale % FINER.len());
        let mut values = vec![ends[0]; length];
        let mut by_read = [[0usize; SEGMENT]; LEVELS];
        for (at, (frame, read)) in self.phases.frames().enumerate() {
            by_read[read.level][read.index] = at;
            if frame >= length {
                continue;
            }
            let mut sum = [0.0f32; 3];
            for (other, weight) in self.phases.reads(frame).iter().zip(self.weights[frame][0]) {
                // The frame's own number is still 0.
                let k = found.numbers[by_read[other.level][other.index]];
                sum = [0, 1, 2].map(|axis| sum[axis] + weight * k[axis] as f32);
            }
            let way = frame as f32 / length as f32;
            let all = segment * SEGMENT + frame;
            let target = curve.target(all, ends, way) / f64::from(scale);
            let value = |k: [i32; 3]| {
                let numbers = [0, 1, 2].map(|axis| (sum[axis] + k[axis] as f32) * scale);
                curve.along(ends, way, self.lattice.vector(numbers))
            };
            let check = curve.check(all);
            let target = target - Vector3::from(sum.map(f64::from));
            // The bit for odd numbers is stored separately.
            let bits = |k: [i32; 3]| k.map(|k| needed_bits(k >> 1));
            let fits = |k: [i32; 3]| match widest[read.level] {
                Some(widest) => bits(k).iter().zip(widest).all(|(bits, widest)| *bits <= widest),
                None => k == [0; 3],
            };
            let holds = |residual: Residual| fits(residual.k) && check(value(residual.k));
            let k = choose(Kind::BodyCentred, target, EXPECTED, NEARNESS, 0, holds)?.k;
            found.numbers[at] = k;
            values[frame] = value(k);
            let needed = bits(k);
            let most = &mut found.needed[read.level];
            *most = [0, 1, 2].map(|axis| most[axis].max(needed[axis]));
            found.any[read.level] |= k != [0; 3];
        }
        Some(Tried { segment: found, values })
    }
}

/// The bits of a number with its sign.
fn needed_bits(value: i32) -> u32 {
    if value == 0 { 0 } else { 33 - (value ^ value >> 31).leading_zeros() }
}

impl Layout {
    /// The smallest code of a level at which its numbers of a segment fit.
    fn code_for(&self, level: usize, segment: &Segment) -> Option<usize> {
        let bits = self.bits[level];
        let fits =
            |code: &usize| (0..3).all(|axis| segment.needed[level][axis] <= width_at(bits[axis], *code));
        if segment.any[level] { (1..CODES).find(fits) } else { Some(0) }
    }

    /// The bits of a level of a segment.
    fn level_bits(&self, level: usize, segment: &Segment, length: usize) -> u64 {
        let all = |code| match self.widest(level, code) {
            Some(widths) => u64::from(widths.iter().sum::<u32>() + 1) * stored(level, length) as u64,
            None => 0,
        };
        self.code_for(level, segment).map_or(1 << 40, all)
    }

    /// The bits of the numbers of a segment.
    fn bits_of(&self, segment: &Segment, length: usize) -> u64 {
        (1..LEVELS).map(|level| self.level_bits(level, segment, length)).sum()
    }

    /// The bits of a level at a code; `None` where all of it is zero.
    fn widest(&self, level: usize, code: usize) -> Option<[u32; 3]> {
        (code > 0).then(|| self.bits[level].map(|bits| width_at(bits, code)))
    }

    fn choice(&self, segment: &Segment) -> Choice {
        let code = |level| self.code_for(level, segment).unwrap_or(0);
        Choice { finer: segment.scale % FINER.len(), codes: [1, 2, 3, 4].map(code) }
    }

    /// Chooses the bits at the middle code that minimise the size of all segments together.
    fn fit(&mut self, segments: &[Segment], last: usize) {
        for level in 1..LEVELS {
            let cost = |layout: &Layout| -> u64 {
                let bits = |(at, segment)| layout.level_bits(level, segment, length(at, last));
                segments.iter().enumerate().map(bits).sum()
            };
            for axis in 0..3 {
                let most = segments.iter().map(|segment| segment.needed[level][axis]).max().unwrap_or(0);
                // The highest code adds three.
                self.bits[level][axis] = most as i32 - 3;
            }
            let mut best = cost(self);
            for _ in 0..4 {
                let before = best;
                for (axis, step) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
                    loop {
                        self.bits[level][axis] += step;
                        let now = cost(self);
                        if now >= best {
                            self.bits[level][axis] -= step;
                            break;
                        }
                        best = now;
                    }
                }
                if best == before {
                    break;
                }
            }
        }
    }
}

impl Track {
    fn put(&self, segment: usize, length: usize, choice: Choice, bits: &mut BitWriter) {
        let numbers = &self.segments[segment].numbers;
        let mut at = 0;
        for level in 1..LEVELS {
            // Code 0 stores nothing.
            if let Some(widths) = self.layout.widest(level, choice.codes[level - 1]) {
                for k in &numbers[at..at + stored(level, length)] {
                    for (k, width) in k.iter().zip(widths) {
                        let middle = (1i32 << width) >> 1;
                        bits.put(((k >> 1) + middle) as u32, width);
                    }
                    bits.put((k[0] & 1) as u32, 1);
                }
            }
            at += stored(level, SEGMENT);
        }
    }
}
