//! The `keys` profile: few keys a track, joined by lines or Catmull-Rom curves, as animation tools have them.
//!
//! A rotation key is a quaternion without its largest component: two bits say which one it is, the other three
//! are fractions of ±1/√2 in as many bits as the tolerance asks for (15 make the usual 48-bit quaternion). A
//! translation key has as many bits as its range needs.

use crate::bits::BitReader;
use crate::clip::Compressed;
use crate::quat::{self, Quat};
use crate::sampler::{Window, sound};
use crate::track::Moving;

/// How a track goes from key to key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// Straight; rotations by normalised linear interpolation.
    Linear,
    /// A Catmull-Rom curve through the two keys on either side, its tangents by the spacing of the keys;
    /// rotations component by component, normalised.
    CatmullRom,
}

/// Bits of the fields of a track: width of a component, width of a gap, number of keys.
const WIDTH_BITS: u32 = 5;
const GAP_BITS: u32 = 4;
const COUNT_BITS: u32 = 14;
/// Bits of a component, at most.
const WIDEST: u32 = 24;

/// The scale of the components of a rotation that are not the largest.
const COMPONENT: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The whole numbers that components of a width go from 0 to.
#[inline]
fn steps(width: u32) -> f32 {
    ((1u32 << width) - 1) as f32
}

/// A quaternion from its largest component and the other three.
#[inline]
fn unpack_rotation(largest: usize, parts: [u32; 3], width: u32) -> Quat {
    let scale = 2.0 * COMPONENT / steps(width);
    let parts = parts.map(|part| part as f32 * scale - COMPONENT);
    let square = parts[0] * parts[0] + parts[1] * parts[1] + parts[2] * parts[2];
    let mut q = [0.0; 4];
    let mut from = parts.into_iter();
    for (at, value) in q.iter_mut().enumerate() {
        *value = if at == largest { (1.0 - square).max(0.0).sqrt() } else { from.next().unwrap_or(0.0) };
    }
    // Rounded parts are not quite of length one.
    let length = quat::dot(q, q).sqrt();
    q.map(|value| value / length)
}

/// The weights of the keys around a frame: before, left, right, after. Missing ones are those next to them.
#[inline]
fn weights(curve: Curve, times: [u32; 4], frame: u32) -> [f32; 4] {
    let [before, left, right, after] = times.map(|time| time as f32);
    let span = right - left;
    let t = (frame as f32 - left) / span;
    if curve == Curve::Linear {
        return [0.0, 1.0 - t, t, 0.0];
    }
    // Hermite, with the slopes of the chords over each key.
    let (square, cube) = (t * t, t * t * t);
    let from_left = (cube - 2.0 * square + t) * span / (right - before);
    let from_right = (cube - square) * span / (after - left);
    let right_weight = 3.0 * square - 2.0 * cube;
    [-from_left, 1.0 - right_weight - from_right, right_weight + from_left, from_right]
}

/// The keys of one track in a block.
#[derive(Clone, Debug, PartialEq)]
struct Keys<T> {
    curve: Curve,
    frames: Vec<u32>,
    values: Vec<T>,
}

/// The keys around a frame that is between `left` and the key after it.
fn taps(count: usize, left: usize) -> [usize; 4] {
    let last = count - 1;
    [left.saturating_sub(1), left, (left + 1).min(last), (left + 2).min(last)]
}

impl Keys<Quat> {
    fn at(&self, left: usize, frame: u32) -> Quat {
        let taps = taps(self.frames.len(), left);
        if taps[2] == left || frame == self.frames[left] {
            return self.values[left];
        }
        let weights = weights(self.curve, taps.map(|tap| self.frames[tap]), frame);
        // Signs are taken from the nearest of all: the left key.
        let [before, left, right, after] = taps.map(|tap| self.values[tap]);
        quat::blend([left, right, before, after], [weights[1], weights[2], weights[0], weights[3]])
    }
}

impl Keys<[f32; 3]> {
    fn at(&self, left: usize, frame: u32) -> [f32; 3] {
        let taps = taps(self.frames.len(), left);
        if taps[2] == left || frame == self.frames[left] {
            return self.values[left];
        }
        let weights = weights(self.curve, taps.map(|tap| self.frames[tap]), frame);
        [0, 1, 2].map(|axis| {
            let part = |i: usize| self.values[taps[i]][axis] * weights[i];
            part(0) + part(1) + part(2) + part(3)
        })
    }
}

impl<T: Copy> Keys<T> {
    /// The values of all frames, by a function of the key on the left and the frame.
    fn bake(&self, frames: usize, at: impl Fn(usize, u32) -> T) -> Vec<T> {
        let mut left = 0;
        let value = |frame: usize| {
            while left + 1 < self.frames.len() && self.frames[left + 1] as usize <= frame {
                left += 1;
            }
            at(left, frame as u32)
        };
        (0..frames).map(value).collect()
    }
}

/// Reads the times of the keys of a track: the first frame of the block, and the last one, always have one.
fn read_times(bits: &mut BitReader<'_>, frames: usize) -> (Curve, u32, Vec<u32>) {
    let curve = if bits.take(1) == 1 { Curve::CatmullRom } else { Curve::Linear };
    let width = bits.take(WIDTH_BITS).clamp(1, WIDEST);
    let gap = bits.take(GAP_BITS);
    let count = bits.take(COUNT_BITS) as usize;
    let mut times = vec![0u32];
    for _ in 1..count.min(frames) {
        let time = times[times.len() - 1] + bits.take(gap) + 1;
        // Times of a file made by hand may run out of the block.
        times.push(time.min(frames as u32 - 1).max(times[times.len() - 1] + 1));
    }
    times.retain(|time| (*time as usize) < frames);
    (curve, width, times)
}

fn read_rotations(bits: &mut BitReader<'_>, frames: usize) -> Keys<Quat> {
    let (curve, width, times) = read_times(bits, frames);
    let values = times.iter().map(|_| {
        let largest = bits.take(2) as usize;
        unpack_rotation(largest, [0; 3].map(|_: u32| bits.take(width)), width)
    });
    Keys { curve, values: values.collect(), frames: times }
}

fn read_translations(bits: &mut BitReader<'_>, frames: usize) -> Keys<[f32; 3]> {
    let (curve, width, times) = read_times(bits, frames);
    let least = [0; 3].map(|_: u32| f32::from_bits(bits.take(32)));
    let step = f32::from_bits(bits.take(32));
    let values = times.iter().map(|_| least.map(|least| least + bits.take(width) as f32 * step));
    Keys { curve, values: values.collect(), frames: times }
}

/// Decodes a block.
pub(crate) fn decode(clip: &Compressed, block: usize, window: &mut Window) {
    let frames = clip.parts.frames_of(block);
    let mut bits = BitReader::new(&clip.bytes[clip.parts.blocks[block].clone()], 0);
    let mut rotations = Vec::new();
    let mut translations = Vec::new();
    for (moving, _) in &clip.kinds {
        match moving {
            Moving::Rotation => {
                let keys = read_rotations(&mut bits, frames.len());
                rotations.push(keys.bake(frames.len(), |left, frame| sound(keys.at(left, frame))));
            }
            Moving::Translation => {
                let keys = read_translations(&mut bits, frames.len());
                translations.push(keys.bake(frames.len(), |left, frame| keys.at(left, frame)));
            }
        }
    }
    window.fill(frames.start, frames.len(), &rotations, &translations);
}

/// The keys of one track of a compressed clip, in frames of the clip.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackKeys {
    /// The joint.
    pub joint: mocap_model::JointId,
    /// How the track goes between its keys.
    pub curve: Curve,
    /// The frame of each key, rising.
    pub frames: Vec<u32>,
    /// The value of each key.
    pub values: KeyValues,
}

/// What keys hold.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyValues {
    /// Local rotations as x, y, z, w.
    Rotations(Vec<[f32; 4]>),
    /// Local translations.
    Translations(Vec<[f32; 3]>),
}

impl Compressed {
    /// The keys of all tracks that move, of each block of frames on its own (blocks are 8192 frames long, or
    /// fewer where very many tracks move); `None` in other profiles than [`crate::Profile::Keys`].
    pub fn keys(&self) -> Option<Vec<TrackKeys>> {
        if self.parts.info.profile != crate::Profile::Keys {
            return None;
        }
        let mut all = Vec::new();
        for (block, range) in self.parts.blocks.iter().enumerate() {
            let frames = self.parts.frames_of(block);
            let mut bits = BitReader::new(&self.bytes[range.clone()], 0);
            for (joint, moving) in &self.plan.moving {
                let (curve, times, values) = match moving {
                    Moving::Rotation => {
                        let keys = read_rotations(&mut bits, frames.len());
                        (keys.curve, keys.frames, KeyValues::Rotations(keys.values))
                    }
                    Moving::Translation => {
                        let keys = read_translations(&mut bits, frames.len());
                        (keys.curve, keys.frames, KeyValues::Translations(keys.values))
                    }
                };
                let frames = times.iter().map(|time| time + frames.start as u32).collect();
                all.push(TrackKeys { joint: (*joint).into(), curve, frames, values });
            }
        }
        Some(all)
    }
}

#[cfg(feature = "encode")]
pub(crate) use writing::encode;

#[cfg(feature = "encode")]
mod writing {
    use super::*;
    use crate::bits::BitWriter;
    use crate::encode::rig::{Placed, Rig};
    use crate::encode::source::{Chooser, Settings};
    use crate::plan::{Plan, to_f32};
    use crate::track::Tracks;
    use nalgebra::Vector3;

    /// What rounding of keys may take of the tolerance.
    const ROUNDING: f64 = 0.12;

    /// The bytes of a block, and how many samples could not be kept within their bound.
    pub(crate) fn encode(
        frames: usize,
        plan: &Plan,
        kinds: &[(Moving, Quat)],
        rig: &Rig,
        settings: &Settings,
        original: &Placed,
    ) -> (Vec<u8>, usize) {
        let mut chooser = Chooser::new(rig, plan, settings, &[], 0, kinds, original);
        let mut done = Tracks::default();
        let mut bits = BitWriter::default();
        let mut failed = 0;
        for (track, (moving, _)) in kinds.iter().enumerate() {
            let at = chooser.begin(track, &done);
            match moving {
                Moving::Rotation => {
                    let (keys, width, missed) = rotation_keys(&chooser, rig, at, frames);
                    put_times(&mut bits, &keys, width);
                    for q in &keys.values {
                        let (largest, parts) = pack_rotation(*q, width);
                        bits.put(largest as u32, 2);
                        parts.iter().for_each(|part| bits.put(*part, width));
                    }
                    done.rotations.push(keys.bake(frames, |left, frame| keys.at(left, frame)));
                    failed += missed;
                }
                Moving::Translation => {
                    let (keys, grid, missed) = translation_keys(&chooser, rig, at, frames);
                    put_times(&mut bits, &keys, grid.width);
                    grid.least.iter().for_each(|least| bits.put(least.to_bits(), 32));
                    bits.put(grid.step.to_bits(), 32);
                    for v in &keys.values {
                        grid.parts(*v).iter().for_each(|part| bits.put(*part, grid.width));
                    }
                    done.translations.push(keys.bake(frames, |left, frame| keys.at(left, frame)));
                    failed += missed;
                }
            }
        }
        (bits.finish(), failed)
    }

    fn put_times<T>(bits: &mut BitWriter, keys: &Keys<T>, width: u32) {
        bits.put(u32::from(keys.curve == Curve::CatmullRom), 1);
        bits.put(width, WIDTH_BITS);
        let gap = gap_width(&keys.frames);
        bits.put(gap, GAP_BITS);
        bits.put(keys.frames.len() as u32, COUNT_BITS);
        keys.frames.windows(2).for_each(|pair| bits.put(pair[1] - pair[0] - 1, gap));
    }

    fn gap_width(frames: &[u32]) -> u32 {
        let widest = frames.windows(2).map(|pair| pair[1] - pair[0] - 1).max().unwrap_or(0);
        32 - widest.leading_zeros()
    }

    fn size(frames: &[u32], value_bits: u32) -> u64 {
        u64::from(gap_width(frames) + value_bits) * frames.len() as u64
    }

    fn pack_rotation(q: Quat, width: u32) -> (usize, [u32; 3]) {
        let largest = (0..4).fold(0, |largest, at| if q[at].abs() > q[largest].abs() { at } else { largest });
        let sign = if q[largest] < 0.0 { -1.0 } else { 1.0 };
        let mut parts = (0..4).filter(|at| *at != largest).map(|at| {
            let part = f64::from(q[at] * sign) / f64::from(COMPONENT);
            ((part + 1.0) / 2.0 * f64::from(steps(width))).round().clamp(0.0, f64::from(steps(width))) as u32
        });
        (largest, [0; 3].map(|_: u32| parts.next().unwrap_or(0)))
    }

    /// The keys of a rotation track, the width of their components, and the frames that are not within bounds.
    fn rotation_keys(chooser: &Chooser<'_>, rig: &Rig, at: usize, frames: usize) -> (Keys<Quat>, u32, usize) {
        let targets = chooser.rotation_targets(at);
        let checks: Vec<_> = (0..frames).map(|frame| chooser.rotation_check(at, frame)).collect();
        // A component off by half a step turns by a step at most, twice that where all are.
        let room =
            rig.bodies[at].points.iter().map(|point| point.allowance / point.original.norm().max(1e-9));
        let room = room.fold(f64::INFINITY, f64::min) * ROUNDING;
        let mut width =
            ((2.0 * f64::from(COMPONENT) / room).log2().ceil()).clamp(4.0, f64::from(WIDEST)) as u32;
        loop {
            let values: Vec<Quat> = targets
                .iter()
                .map(|target| {
                    let (largest, parts) = pack_rotation(to_f32(target), width);
                    unpack_rotation(largest, parts, width)
                })
                .collect();
            let missed = (0..frames).filter(|frame| checks[*frame].share(values[*frame]) > 1.0).count();
            if missed > 0 && width < WIDEST {
                width = (width + 2).min(WIDEST);
                continue;
            }
            let fit = |curve: Curve| {
                let at = |keys: &Keys<Quat>, left: usize, frame: u32| {
                    checks[frame as usize].share(keys.at(left, frame))
                };
                fit(curve, &values, at)
            };
            return (smaller(fit(Curve::Linear), fit(Curve::CatmullRom), 2 + 3 * width), width, missed);
        }
    }

    /// Places of translations: a least value and a step.
    struct Grid {
        least: [f32; 3],
        step: f32,
        width: u32,
    }

    impl Grid {
        fn parts(&self, v: [f32; 3]) -> [u32; 3] {
            [0, 1, 2].map(|axis| {
                let part = (f64::from(v[axis]) - f64::from(self.least[axis])) / f64::from(self.step);
                part.round().clamp(0.0, f64::from(steps(self.width))) as u32
            })
        }

        fn round(&self, v: [f32; 3]) -> [f32; 3] {
            let parts = self.parts(v);
            [0, 1, 2].map(|axis| self.least[axis] + parts[axis] as f32 * self.step)
        }
    }

    fn translation_keys(
        chooser: &Chooser<'_>,
        rig: &Rig,
        at: usize,
        frames: usize,
    ) -> (Keys<[f32; 3]>, Grid, usize) {
        let targets: Vec<[f32; 3]> = chooser
            .translation_targets(at)
            .iter()
            .map(|target: &Vector3<f64>| target.map(|v| v as f32).into())
            .collect();
        let checks: Vec<_> = (0..frames).map(|frame| chooser.translation_check(at, frame)).collect();
        let of_axis = |axis: usize| targets.iter().map(move |target| target[axis]);
        let least = [0, 1, 2].map(|axis| of_axis(axis).fold(f32::INFINITY, f32::min));
        let range = (0..3).fold(0.0f32, |range, axis| {
            range.max(of_axis(axis).fold(f32::NEG_INFINITY, f32::max) - least[axis])
        });
        let accuracy = rig.bodies[at].origin_tolerance * ROUNDING * 2.0;
        let mut width =
            ((f64::from(range) / accuracy + 1.0).log2().ceil()).clamp(1.0, f64::from(WIDEST)) as u32;
        loop {
            let grid = Grid { least, step: (range / steps(width)).max(f32::MIN_POSITIVE), width };
            let values: Vec<[f32; 3]> = targets.iter().map(|target| grid.round(*target)).collect();
            let missed = (0..frames).filter(|frame| checks[*frame].share(values[*frame]) > 1.0).count();
            if missed > 0 && width < WIDEST {
                width = (width + 2).min(WIDEST);
                continue;
            }
            let fit = |curve: Curve| {
                let at = |keys: &Keys<[f32; 3]>, left: usize, frame: u32| {
                    checks[frame as usize].share(keys.at(left, frame))
                };
                fit(curve, &values, at)
            };
            return (smaller(fit(Curve::Linear), fit(Curve::CatmullRom), 3 * width), grid, missed);
        }
    }

    fn smaller<T>(a: Keys<T>, b: Keys<T>, value_bits: u32) -> Keys<T> {
        if size(&b.frames, value_bits) < size(&a.frames, value_bits) { b } else { a }
    }

    /// The fewest keys found that keep all frames within bounds; `share` is the square of the largest error in
    /// a frame, as a share of its tolerance.
    fn fit<T: Copy>(curve: Curve, values: &[T], share: impl Fn(&Keys<T>, usize, u32) -> f64) -> Keys<T> {
        let last = values.len() - 1;
        let mut keys = Keys { curve, frames: vec![0], values: vec![values[0]] };
        if last == 0 {
            return keys;
        }
        match curve {
            Curve::Linear => reach(&mut keys, values, &share),
            Curve::CatmullRom => {
                keys.frames.push(last as u32);
                keys.values.push(values[last]);
                bisect(&mut keys, values, &share);
                drop_spare(&mut keys, &share);
            }
        }
        keys
    }

    /// Lines: from each key as far as the frames between stay within bounds.
    fn reach<T: Copy>(keys: &mut Keys<T>, values: &[T], share: &impl Fn(&Keys<T>, usize, u32) -> f64) {
        let last = values.len() - 1;
        let mut from = 0;
        while from < last {
            let holds = |to: usize| {
                let ends = [from as u32, to as u32];
                let line = Keys {
                    curve: Curve::Linear,
                    frames: ends.to_vec(),
                    values: vec![values[from], values[to]],
                };
                (from + 1..to).all(|frame| share(&line, 0, frame as u32) <= 1.0)
            };
            // Twice as far as long as it holds, then in between.
            let mut good = from + 1;
            let mut stride = 1;
            while good < last && holds((good + stride).min(last)) {
                good = (good + stride).min(last);
                stride *= 2;
            }
            while stride > 0 {
                if good + stride <= last && holds(good + stride) {
                    good += stride;
                }
                stride /= 2;
            }
            keys.frames.push(good as u32);
            keys.values.push(values[good]);
            from = good;
        }
    }

    /// Curves: a key where the error is largest, until there is none too large.
    fn bisect<T: Copy>(keys: &mut Keys<T>, values: &[T], share: &impl Fn(&Keys<T>, usize, u32) -> f64) {
        loop {
            // One for each gap that needs it: gaps apart do not change each other much.
            let mut added = Vec::new();
            for left in 0..keys.frames.len() - 1 {
                let mut worst = (1.0, None);
                for frame in keys.frames[left] + 1..keys.frames[left + 1] {
                    let share = share(keys, left, frame);
                    if share > worst.0 {
                        worst = (share, Some(frame));
                    }
                }
                // Not next to a key: curves bend best in the middle.
                if let (_, Some(frame)) = worst {
                    let (from, to) = (keys.frames[left], keys.frames[left + 1]);
                    let margin = (to - from) / 4;
                    added.push(frame.clamp(from + margin.max(1), to - margin.max(1)));
                }
            }
            if added.is_empty() {
                return;
            }
            keys.frames.extend(added);
            keys.frames.sort_unstable();
            keys.values = keys.frames.iter().map(|frame| values[*frame as usize]).collect();
        }
    }

    /// Takes out keys that are not needed now that others are there.
    fn drop_spare<T: Copy>(keys: &mut Keys<T>, share: &impl Fn(&Keys<T>, usize, u32) -> f64) {
        let mut at = 1;
        while at + 1 < keys.frames.len() {
            let (frame, value) = (keys.frames.remove(at), keys.values.remove(at));
            // A key shapes the curve two gaps to either side.
            let (from, to) = (at.saturating_sub(3), (at + 2).min(keys.frames.len() - 1));
            let holds = (from..to).all(|left| {
                (keys.frames[left]..keys.frames[left + 1]).all(|frame| share(keys, left, frame) <= 1.0)
            });
            if !holds {
                keys.frames.insert(at, frame);
                keys.values.insert(at, value);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_weights_pass_through_keys_and_sum_to_one() {
        for frame in 10..=20 {
            for curve in [Curve::Linear, Curve::CatmullRom] {
                let weights = weights(curve, [4, 10, 20, 35], frame);
                assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            }
        }
        assert_eq!(weights(Curve::CatmullRom, [4, 10, 20, 35], 10), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(weights(Curve::CatmullRom, [0, 2, 4, 6], 3), [-0.0625, 0.5625, 0.5625, -0.0625]);
    }

    #[test]
    fn fifteen_bits_a_component_are_the_usual_quaternion() {
        let q = unpack_rotation(3, [0x3FFF, 0x4000, 0x3FFF], 15);
        assert!((q[3] - 1.0).abs() < 1e-6 && q[0].abs() < 3e-5 && q[0] < 0.0 && q[1] > 0.0);
        let q = unpack_rotation(0, [0x7FFF, 0x3FFF, 0x4000], 15);
        assert!((q[0] - COMPONENT).abs() < 1e-4 && (q[1] - COMPONENT).abs() < 1e-4);
    }
}
