//! The encoder of the `keys` profile: chooses the keys and their steps.

use super::fit::fit;
use super::*;
use crate::bits::BitWriter;
use crate::encode::block::{Block, EncodedBlock};
use crate::encode::predict::Tracks;
use crate::encode::rig::Rig;
use crate::encode::source::Chooser;
use crate::quat::to_f32;
use nalgebra::Vector3;

/// Share of the tolerance that rounding of keys may use at first: finer keys can be fewer.
const ROUNDING: f64 = 0.12;
/// Widths are tried up to this many bits coarser: coarser keys are smaller.
const COARSER: u32 = 4;
/// Least magnitude at which a rotation component may be omitted because it was omitted in the
/// previous frame.
const LEFT_OUT: f32 = 0.4;

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
                let found = rotation_keys(&chooser, rig, at, frames);
                bits.append(&found.bits);
                done.rotations.push(found.keys.bake(frames, |left, frame| found.keys.at(left, frame)));
                failed += found.missed;
            }
            Moving::Translation => {
                let found = translation_keys(&chooser, rig, at, frames);
                bits.append(&found.bits);
                done.translations.push(found.keys.bake(frames, |left, frame| found.keys.at(left, frame)));
                failed += found.missed;
            }
        }
    }
    EncodedBlock { bytes: bits.finish(), failed }
}

/// An encoded track.
struct Encoded<T> {
    keys: Keys<T>,
    bits: BitWriter,
    /// Number of frames that miss their bounds.
    missed: usize,
}

/// The smallest encoding of a track among widths around `width`: first finer ones until all frames are within
/// bounds, then coarser ones. `values` are the decoded values of all frames at a width, `missed` the number of
/// frames out of bounds; `put` appends keys at a width.
fn smallest<T: Copy>(
    width: u32,
    values: impl Fn(u32) -> Vec<T>,
    share: impl Fn(T, u32) -> f64,
    at: impl Fn(&Keys<T>, usize, u32) -> T,
    put: impl Fn(&Keys<T>, u32) -> BitWriter,
) -> Encoded<T> {
    let missed = |values: &[T]| (0..values.len()).filter(|at| share(values[*at], *at as u32) > 1.0).count();
    let encoded = |curve: Curve, values: &[T], width: u32, missed: usize| {
        let keys = fit(curve, values, |keys, left, frame| share(at(keys, left, frame), frame));
        Encoded { bits: put(&keys, width), keys, missed }
    };
    let mut width = width;
    let mut all = values(width);
    while missed(&all) > 0 && width < WIDEST {
        width = (width + 2).min(WIDEST);
        all = values(width);
    }
    let out = missed(&all);
    let [mut best, other] = [Curve::CatmullRom, Curve::Linear].map(|curve| encoded(curve, &all, width, out));
    if other.bits.len() <= best.bits.len() {
        best = other;
    }
    for coarser in (width.saturating_sub(COARSER).max(1)..width).rev() {
        let all = values(coarser);
        if out > 0 || missed(&all) > 0 {
            break;
        }
        let found = encoded(best.keys.curve, &all, coarser, 0);
        if found.bits.len() >= best.bits.len() {
            break;
        }
        best = found;
    }
    best
}

/// The head and the times of a track.
fn put_times<T>(bits: &mut BitWriter, keys: &Keys<T>) {
    bits.put(u32::from(keys.curve == Curve::CatmullRom), 1);
    bits.put(keys.frames.len() as u32, COUNT_BITS);
    if keys.frames.len() > 1 {
        let gaps: Vec<i32> = keys.frames.windows(2).map(|pair| (pair[1] - pair[0] - 1) as i32).collect();
        numbers::write(bits, &gaps, &[]);
    }
}

/// A rotation without one of its components, in steps of a width.
fn pack_rotation(q: Quat, left_out: usize, width: u32) -> [u32; 3] {
    let sign = if q[left_out] < 0.0 { -1.0 } else { 1.0 };
    let mut parts = (0..4).filter(|at| *at != left_out).map(|at| {
        let part = f64::from(q[at] * sign) / f64::from(COMPONENT);
        ((part + 1.0) / 2.0 * f64::from(steps(width))).round().clamp(0.0, f64::from(steps(width))) as u32
    });
    [0; 3].map(|_: u32| parts.next().unwrap_or(0))
}

/// The omitted component of each rotation: that of the previous one, so that numbers change little,
/// if it is at least [`LEFT_OUT`] and no other is above 1/√2, the largest that can be stored;
/// otherwise the largest.
fn left_out(rotations: impl Iterator<Item = Quat>) -> Vec<usize> {
    let mut last = 3;
    let choose = |q: Quat| {
        let largest = (0..4).fold(0, |largest, at| if q[at].abs() > q[largest].abs() { at } else { largest });
        if q[last].abs() < LEFT_OUT || q[largest].abs() > COMPONENT {
            last = largest;
        }
        last
    };
    rotations.map(choose).collect()
}

fn rotation_keys(chooser: &Chooser<'_>, rig: &Rig, at: usize, frames: usize) -> Encoded<Quat> {
    let targets: Vec<Quat> = chooser.rotation_targets(at).iter().map(to_f32).collect();
    let left_out = left_out(targets.iter().copied());
    let checks: Vec<_> = (0..frames).map(|frame| chooser.rotation_check(at, frame)).collect();
    // A component off by half a step rotates by at most one step, twice that if all are.
    let room = rig.bodies[at].points.iter().map(|point| point.allowance / point.original.norm().max(1e-9));
    let room = room.fold(f64::INFINITY, f64::min) * ROUNDING;
    let width = ((2.0 * f64::from(COMPONENT) / room).log2().ceil()).clamp(4.0, f64::from(WIDEST)) as u32;
    let parts = |frame: usize, width: u32| pack_rotation(targets[frame], left_out[frame], width);
    let values = |width: u32| {
        (0..frames).map(|frame| unpack_rotation(left_out[frame], parts(frame, width), width)).collect()
    };
    let put = |keys: &Keys<Quat>, width: u32| {
        let mut bits = BitWriter::default();
        put_times(&mut bits, keys);
        bits.put(width, WIDTH_BITS);
        let frames = || keys.frames.iter().map(|frame| *frame as usize);
        let without: Vec<i32> = frames().map(|frame| left_out[frame] as i32).collect();
        numbers::write(&mut bits, &without, &keys.frames);
        for axis in 0..3 {
            let numbers: Vec<i32> = frames().map(|frame| parts(frame, width)[axis] as i32).collect();
            numbers::write(&mut bits, &numbers, &keys.frames);
        }
        bits
    };
    let share = |value: Quat, frame: u32| checks[frame as usize].share(value);
    smallest(width, values, share, Keys::<Quat>::at, put)
}

/// Quantisation of translations: a least value and a step.
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
}

fn translation_keys(chooser: &Chooser<'_>, rig: &Rig, at: usize, frames: usize) -> Encoded<[f32; 3]> {
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
    let width = ((f64::from(range) / accuracy + 1.0).log2().ceil()).clamp(1.0, f64::from(WIDEST)) as u32;
    let grid = |width: u32| Grid { least, step: (range / steps(width)).max(f32::MIN_POSITIVE), width };
    let values = |width: u32| {
        let grid = grid(width);
        targets.iter().map(|target| grid_value(&grid.least, grid.step, grid.parts(*target))).collect()
    };
    let put = |keys: &Keys<[f32; 3]>, width: u32| {
        let grid = grid(width);
        let mut bits = BitWriter::default();
        put_times(&mut bits, keys);
        grid.least.iter().for_each(|least| bits.put(least.to_bits(), 32));
        bits.put(grid.step.to_bits(), 32);
        for axis in 0..3 {
            let of_frame = |frame: &u32| grid.parts(targets[*frame as usize])[axis] as i32;
            let numbers: Vec<i32> = keys.frames.iter().map(of_frame).collect();
            numbers::write(&mut bits, &numbers, &keys.frames);
        }
        bits
    };
    let share = |value: [f32; 3], frame: u32| checks[frame as usize].share(value);
    smallest(width, values, share, Keys::<[f32; 3]>::at, put)
}
