//! The encoder of the `keys` profile: which keys, and how wide.

use super::*;
use crate::bits::BitWriter;
use crate::encode::block::{Block, EncodedBlock};
use crate::encode::predict::Tracks;
use crate::encode::rig::Rig;
use crate::encode::source::Chooser;
use crate::quat::to_f32;
use nalgebra::Vector3;

/// The share of the tolerance that rounding of keys may use.
const ROUNDING: f64 = 0.12;

/// The bytes of a block.
pub(crate) fn encode(block: &Block<'_>) -> EncodedBlock {
    let (rig, frames) = (block.rig, block.frames);
    let mut chooser = Chooser::new(block, &[], 0);
    let mut done = Tracks::default();
    let mut bits = BitWriter::default();
    let mut failed = 0;
    for (track, (moving, _)) in block.kinds.iter().enumerate() {
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
    EncodedBlock { bytes: bits.finish(), failed }
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
    let room = rig.bodies[at].points.iter().map(|point| point.allowance / point.original.norm().max(1e-9));
    let room = room.fold(f64::INFINITY, f64::min) * ROUNDING;
    let mut width = ((2.0 * f64::from(COMPONENT) / room).log2().ceil()).clamp(4.0, f64::from(WIDEST)) as u32;
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
    let range = (0..3)
        .fold(0.0f32, |range, axis| range.max(of_axis(axis).fold(f32::NEG_INFINITY, f32::max) - least[axis]));
    let accuracy = rig.bodies[at].origin_tolerance * ROUNDING * 2.0;
    let mut width = ((f64::from(range) / accuracy + 1.0).log2().ceil()).clamp(1.0, f64::from(WIDEST)) as u32;
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

/// Lines: from each key as far as all frames between stay within bounds.
fn reach<T: Copy>(keys: &mut Keys<T>, values: &[T], share: &impl Fn(&Keys<T>, usize, u32) -> f64) {
    let last = values.len() - 1;
    let mut from = 0;
    while from < last {
        let holds = |to: usize| {
            let ends = [from as u32, to as u32];
            let line =
                Keys { curve: Curve::Linear, frames: ends.to_vec(), values: vec![values[from], values[to]] };
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

/// Curves: adds a key where the error is largest, until all frames are within bounds.
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
