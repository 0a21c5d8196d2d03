//! The encoder of the `direct` profile.

use super::layout::{CODES, Choice, FINER, Layout, code_of, width_at};
use super::phases::{Phases, Weights};
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
use crate::range_coder::RangeEncoder;
use crate::segments::{Models, Row, WIDEST, put_block, segment_count};
use crate::track::{Head, Moving};
use nalgebra::Vector3;

/// Numbers of the widths that a segment is tried at: any magnitude is as good as another.
const EXPECTED: [f32; 3] = [1e3; 3];

/// The bytes of a block.
pub(crate) fn encode(block: &Block<'_>) -> EncodedBlock {
    let nodes = schedule(block.frames as u32, SEGMENT as u32, Reach::Segment);
    let phases = Phases::new();
    let mut chooser = Chooser::new(block, &nodes, LEVELS);
    let mut done = Tracks::default();
    let mut parts = Vec::new();
    let mut failed = 0;
    for (track, (moving, rest)) in block.kinds.iter().enumerate() {
        let head = chooser.head(track, &done);
        let starts: Vec<&Node> = nodes.iter().filter(|node| node.level == 0).collect();
        let encoder = TrackEncoder {
            frames: block.frames,
            weights: phases.weights(&head.flat[..LEVELS]),
            phases: &phases,
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
    let mut coder = RangeEncoder::new();
    let mut models = Models::new();
    for ((moving, _), track) in block.kinds.iter().zip(&mut parts) {
        track.layout = Layout::code(&mut models, &mut coder, *moving, &track.layout);
    }
    let last = block.frames - 1;
    let segments = 0..segment_count(block.frames, SEGMENT);
    let segments: Vec<Vec<u8>> = segments.map(|at| put_segment(&parts, at, length(at, last))).collect();
    let rows = parts.iter().map(|track| (&track.layout.row, &track.starts[..]));
    EncodedBlock { bytes: put_block(&coder.finish(), rows, &segments), failed: failed + chooser.failed }
}

/// The bytes of a segment: the choices of all tracks, then their numbers.
fn put_segment(parts: &[Track], segment: usize, length: usize) -> Vec<u8> {
    let choice = |track: &Track| track.layout.choice(&track.segments[segment], length);
    let choices: Vec<Choice> = parts.iter().map(choice).collect();
    let mut bytes: Vec<u8> = choices.iter().map(|choice| choice.byte()).collect();
    let mut bits = BitWriter::default();
    for (track, choice) in parts.iter().zip(choices) {
        track.put(segment, length, choice, &mut bits);
    }
    bytes.extend(bits.finish());
    bytes
}

/// A track as the search sees it: values along the path between the ends of a segment, and bounds.
trait Curve {
    type Value: Copy;
    /// The first frame of a segment, from the vector of its numbers.
    fn start(&self, vector: [f32; 3]) -> Self::Value;
    /// The value that is off the path by a vector.
    fn along(&self, ends: [Self::Value; 2], way: f32, vector: [f32; 3]) -> Self::Value;
    /// The numbers that take the path to the target of a frame.
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
    /// The steps: an index into all scales, from the coarsest.
    scale: u8,
    numbers: [[i32; 3]; SEGMENT - 1],
    /// The bits that each level needs.
    needed: [[u32; 3]; LEVELS],
    /// The levels that are not all zero.
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
    /// The track, its decoded values, and the number of frames that are not within their bounds.
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
        let mut layout = Layout { head, row, ..Layout::blank() };
        let mut all: Vec<Option<(Segment, Vec<C::Value>)>> = Vec::new();
        all.resize_with(segment_count(self.frames, SEGMENT), || None);
        // The coarsest scales at which all segments have numbers within their bounds.
        loop {
            let coarsest = layout.halved * FINER.len() as u8;
            for (at, found) in all.iter_mut().enumerate() {
                if found.as_ref().is_none_or(|(segment, _)| segment.scale < coarsest) {
                    let scales = coarsest..coarsest + FINER.len() as u8;
                    let tried = scales.filter_map(|scale| self.segment(curve, &place(at), scale, &WIDE));
                    *found = tried.min_by_key(|(segment, _)| segment.bits(length(at, last)));
                }
            }
            if layout.halved == FINEST || all.iter().all(Option::is_some) {
                break;
            }
            layout.halved += 1;
        }
        let missed = (0..all.len()).filter(|at| all[*at].is_none()).map(|at| length(at, last)).sum();
        let nothing = |at: usize| (Segment::default(), vec![ends[at]; length(at, last)]);
        let mut segments: Vec<(Segment, Vec<C::Value>)> =
            all.into_iter().enumerate().map(|(at, found)| found.unwrap_or_else(|| nothing(at))).collect();
        layout.fit(segments.iter().map(|(segment, _)| segment), last);
        for (at, found) in segments.iter_mut().enumerate() {
            self.squeeze(curve, &place(at), &layout, found);
        }
        layout.fit(segments.iter().map(|(segment, _)| segment), last);
        let mut values: Vec<C::Value> = segments.iter().flat_map(|(_, values)| values.clone()).collect();
        values.truncate(last);
        values.push(ends[ends.len() - 1]);
        let segments: Vec<Segment> = segments.into_iter().map(|(segment, _)| segment).collect();
        (Track { layout, starts, segments }, values, missed)
    }

    /// Takes narrower codes where the bounds can be kept with them.
    fn squeeze<C: Curve>(
        &self,
        curve: &C,
        place: &Place<C::Value>,
        layout: &Layout,
        found: &mut (Segment, Vec<C::Value>),
    ) {
        for group in 0..2 {
            while let Some((code, _)) = layout.code_for(group, &found.0, place.length)
                && code > 0
            {
                let mut widest = WIDE;
                for level in 1..LEVELS {
                    let own = code_of(level) == group;
                    let code = match layout.code_for(code_of(level), &found.0, place.length) {
                        Some((code, _)) if own => code - 1,
                        Some((code, _)) => code,
                        None => return,
                    };
                    widest[level] = layout.widest(level, code);
                }
                let Some(narrower) = self.segment(curve, place, found.0.scale, &widest) else { break };
                *found = narrower;
            }
        }
    }

    /// The numbers of a segment at a scale and at most so wide, and the frames from its start to before its end; `None`
    /// where some frame has no number within its bound.
    fn segment<C: Curve>(
        &self,
        curve: &C,
        place: &Place<C::Value>,
        scale: u8,
        widest: &[Option<[u32; 3]>; LEVELS],
    ) -> Option<(Segment, Vec<C::Value>)> {
        let &Place { segment, length, ends } = place;
        let mut found = Segment { scale, ..Segment::default() };
        let scale = Layout::scale(scale / FINER.len() as u8, scale % FINER.len() as u8);
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
            // Whether they are odd is stored apart.
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
        Some((found, values))
    }
}

/// The bits of a number with its sign.
fn needed_bits(value: i32) -> u32 {
    if value == 0 { 0 } else { 33 - (value ^ value >> 31).leading_zeros() }
}

impl Layout {
    /// The smallest code of a group of levels at which all numbers of a segment fit, and its bits.
    fn code_for(&self, group: usize, segment: &Segment, length: usize) -> Option<(usize, u64)> {
        let levels = || (1..LEVELS).filter(|level| code_of(*level) == group);
        if !levels().any(|level| segment.any[level]) {
            return Some((0, 0));
        }
        let fits = |code: &usize| {
            levels().all(|level| {
                (0..3).all(|axis| segment.needed[level][axis] <= width_at(self.bits[level][axis], *code))
            })
        };
        let code = (1..CODES).find(fits)?;
        let bits = |level: usize| {
            let all = self.bits[level].iter().map(|bits| width_at(*bits, code)).sum::<u32>() + 1;
            u64::from(all) * stored(level, length) as u64
        };
        Some((code, levels().map(bits).sum()))
    }

    /// The bits of a level at a code; `None` where all of it is zero.
    fn widest(&self, level: usize, code: usize) -> Option<[u32; 3]> {
        (code > 0).then(|| self.bits[level].map(|bits| width_at(bits, code)))
    }

    fn choice(&self, segment: &Segment, length: usize) -> Choice {
        let code = |group| self.code_for(group, segment, length).map_or(0, |(code, _)| code as u8);
        Choice { codes: [code(0), code(1)], finer: segment.scale % FINER.len() as u8 }
    }

    /// Chooses the bits at the middle code so that all segments together are small.
    fn fit<'a>(&mut self, segments: impl Iterator<Item = &'a Segment>, last: usize) {
        let segments: Vec<&Segment> = segments.collect();
        for group in 0..2 {
            let levels: Vec<usize> = (1..LEVELS).filter(|level| code_of(*level) == group).collect();
            let cost = |layout: &Layout| -> u64 {
                let bits = |(at, segment): (usize, &&Segment)| {
                    layout.code_for(group, segment, length(at, last)).map_or(1 << 40, |(_, bits)| bits)
                };
                segments.iter().enumerate().map(bits).sum()
            };
            for level in &levels {
                for axis in 0..3 {
                    let most = segments.iter().map(|segment| segment.needed[*level][axis]).max().unwrap_or(0);
                    // The highest code adds three.
                    self.bits[*level][axis] = most as i32 - 3;
                }
            }
            let mut best = cost(self);
            for _ in 0..4 {
                let before = best;
                for level in &levels {
                    for axis in 0..3 {
                        for step in [-1, 1] {
                            loop {
                                let mut other = self.clone();
                                other.bits[*level][axis] += step;
                                let now = cost(&other);
                                if now >= best {
                                    break;
                                }
                                (best, *self) = (now, other);
                            }
                        }
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
            let code = usize::from(choice.codes[code_of(level)]);
            for k in &numbers[at..at + stored(level, length)] {
                if code == 0 {
                    continue;
                }
                for (k, of_axis) in k.iter().zip(self.layout.bits[level]) {
                    let width = width_at(of_axis, code);
                    let middle = (1i32 << width) >> 1;
                    bits.put(((k >> 1) + middle) as u32, width);
                }
                bits.put((k[0] & 1) as u32, 1);
            }
            at += stored(level, SEGMENT);
        }
    }
}
