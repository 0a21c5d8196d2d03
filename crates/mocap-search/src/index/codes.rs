//! Motions in few bytes: points of the standard body as shares of their reach, velocities as whole numbers.
//!
//! A sample is [`BYTES`] long, so a second of motion takes 492 bytes. Rounding moves a point by 0.4 % of its reach along
//! an axis at most: 5 mm of an adult's hand. It adds to distances as noise does: a copy is 5 mm away instead of 0, and
//! what is 10 cm away stays there within a fifth of a millimetre.

use crate::descriptor::{RADIUS, Weights};
use crate::motion::{POINTS, RATE, REACH, Sample};

/// Bytes of a sample.
pub(super) const BYTES: usize = 3 * POINTS + 2 * 4;
/// Steps of a velocity in a leg length per second: velocities up to 16 leg lengths per second are kept.
const VELOCITY: f32 = 2048.0;
/// Steps of a turn in a radian per second: turns up to 32 rad/s are kept.
const TURN: f32 = 1024.0;

/// Adds the code of a sample.
pub(super) fn encode(sample: &Sample, codes: &mut Vec<u8>) {
    for (point, reach) in sample.points.iter().zip(REACH) {
        // A cast of a float saturates, and takes what is not a number for 0.
        codes.extend(point.map(|value| (value / reach * 127.0).round() as i8 as u8));
    }
    for value in sample.velocity.map(|value| value * VELOCITY).into_iter().chain([sample.turn * TURN]) {
        codes.extend((value.round() as i16).to_le_bytes());
    }
}

/// The numbers behind the points: velocities of the hips, and the turn.
fn root(code: &[u8; BYTES]) -> [f32; 4] {
    let number = |at: usize| f32::from(i16::from_le_bytes([code[at], code[at + 1]]));
    std::array::from_fn(|k| number(3 * POINTS + 2 * k) / if k < 3 { VELOCITY } else { TURN })
}

/// The sample of a code.
pub(super) fn decode(code: &[u8; BYTES]) -> Sample {
    let points = std::array::from_fn(|point| {
        std::array::from_fn(|axis| f32::from(code[3 * point + axis] as i8) * (REACH[point] / 127.0))
    });
    let [left, up, forward, turn] = root(code);
    Sample { points, velocity: [left, up, forward], turn }
}

/// Numbers of a key.
pub(super) const KEY: usize = 16;
/// What is compared first: wrists and ankles, the velocity of the hips, the turn.
pub(super) type Key = [f32; KEY];
/// The points of a key.
const KEY_POINTS: [usize; 4] = [5, 6, 9, 10];
/// How much a point of a key counts: the others move with it.
const SHARE: f32 = 0.4;

/// The key of a descriptor.
pub(super) fn key(descriptor: &crate::descriptor::Descriptor) -> Key {
    let factor = SHARE * (POINTS as f32).sqrt();
    let mut key = [0.0; KEY];
    for (place, point) in KEY_POINTS.into_iter().enumerate() {
        for axis in 0..3 {
            key[3 * place + axis] = descriptor[3 * point + axis] * factor;
        }
    }
    key[12..].copy_from_slice(&descriptor[6 * POINTS..6 * POINTS + 4]);
    key
}

/// The keys of a motion, each the mean over some samples; the last may be of fewer.
pub(super) fn keys(codes: &[[u8; BYTES]], samples: usize, keys: &mut Vec<Key>) {
    let weights = Weights::default();
    let root_factors = [
        weights.travel_time / VELOCITY,
        weights.travel_time / VELOCITY,
        weights.travel_time / VELOCITY,
        RADIUS * weights.turn_time / TURN,
    ];
    let number = |code: &[u8; BYTES], at: usize| i32::from(i16::from_le_bytes([code[at], code[at + 1]]));
    // The turn is averaged as in a descriptor: sums over a window that moves along.
    let radius = (RATE / 2.0) as usize;
    let turn_at = 3 * POINTS + 6;
    let (mut sum, mut window) = (0, 0..0);
    for (at, part) in codes.chunks(samples).enumerate() {
        let mut sums = [0i32; KEY];
        let mut turn = 0.0;
        for (offset, code) in part.iter().enumerate() {
            for (place, point) in KEY_POINTS.into_iter().enumerate() {
                for axis in 0..3 {
                    sums[3 * place + axis] += i32::from(code[3 * point + axis] as i8);
                }
            }
            for k in 0..3 {
                sums[12 + k] += number(code, 3 * POINTS + 2 * k);
            }
            let place = at * samples + offset;
            let near = place.saturating_sub(radius)..(place + radius + 1).min(codes.len());
            codes[window.end..near.end].iter().for_each(|code| sum += number(code, turn_at));
            codes[window.start..near.start].iter().for_each(|code| sum -= number(code, turn_at));
            turn += sum as f32 / near.len() as f32;
            window = near;
        }
        let count = part.len() as f32;
        let mut key = [0.0; KEY];
        for (place, point) in KEY_POINTS.into_iter().enumerate() {
            for axis in 0..3 {
                key[3 * place + axis] =
                    sums[3 * place + axis] as f32 / count * (REACH[point] / 127.0 * SHARE);
            }
        }
        for k in 0..3 {
            key[12 + k] = sums[12 + k] as f32 / count * root_factors[k];
        }
        key[15] = turn / count * root_factors[3];
        keys.push(key);
    }
}
