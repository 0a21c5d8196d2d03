//! Compact codes of motions: quantised directions of bones and velocities.
//!
//! A sample is [`BYTES`] long, so a second of motion takes 528 bytes. The bones of the standard body have fixed
//! lengths, so the directions of the bones determine the points. A direction takes three bytes in octahedral encoding.
//! Rounding moves the hand of an adult by at most 1.4 mm, so hits have the order of the exact search, up to near ties.
//!
//! Based on: Q. Meyer et al., "On Floating-Point Normal Vectors", 2010 (the octahedron).

use crate::descriptor::{Descriptor, RADIUS, Weights};
use crate::motion::{Bones, POINTS, RATE, REACH, Sample};

/// Bones whose direction is kept.
const DIRECTIONS: usize = Bones::DIRECTIONS;
/// Bytes of a sample: directions, both knees, velocity and turn.
pub(super) const BYTES: usize = 3 * DIRECTIONS + 9 + 2 * 4;
/// Steps of a velocity in a leg length per second: velocities up to 16 leg lengths per second are kept.
const VELOCITY: f32 = 2048.0;
/// Steps of a turn in a radian per second: turns up to 32 rad/s are kept.
const TURN: f32 = 1024.0;
/// Steps across the octahedral square; the next number marks a bone without a direction.
const SQUARE: f32 = 4094.0;
const NO_DIRECTION: u16 = 4095;
/// Steps from 0 to the reach of a knee.
const KNEE: f32 = 2047.0;
/// How far a knee can be from the middle of the hips, along an axis [leg lengths].
const KNEE_REACH: f32 = REACH[7];

/// Two numbers of twelve bits in three bytes.
fn pair([a, b]: [u16; 2]) -> [u8; 3] {
    [a as u8, (a >> 8) as u8 | (b << 4) as u8, (b >> 4) as u8]
}

fn unpair([low, middle, high]: [u8; 3]) -> [u16; 2] {
    [u16::from(low) | u16::from(middle & 15) << 8, u16::from(middle >> 4) | u16::from(high) << 4]
}

/// Folds the corner regions of the square, which hold the lower half of the octahedron.
fn folded([x, y]: [f32; 2]) -> [f32; 2] {
    [(1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y)]
}

fn direction_code([x, y, z]: [f32; 3]) -> [u8; 3] {
    let size = x.abs() + y.abs() + z.abs();
    if size < 1e-3 {
        return pair([NO_DIRECTION; 2]);
    }
    let place = [x / size, y / size];
    let place = if z < 0.0 { folded(place) } else { place };
    // A cast from a float saturates, and maps NaN to 0.
    pair(place.map(|value| ((value + 1.0) / 2.0 * SQUARE).round() as u16))
}

fn direction(code: [u8; 3]) -> [f32; 3] {
    let place = unpair(code);
    if place == [NO_DIRECTION; 2] {
        return [0.0; 3];
    }
    let place = place.map(|value| f32::from(value) / (SQUARE / 2.0) - 1.0);
    let z = 1.0 - place[0].abs() - place[1].abs();
    let [x, y] = if z < 0.0 { folded(place) } else { place };
    let size = (x * x + y * y + z * z).sqrt();
    [x / size, y / size, z / size]
}

/// Adds the code of a sample.
pub(super) fn encode(sample: &Sample, codes: &mut Vec<u8>) {
    let bones = Bones::of(&sample.points);
    for unit in bones.directions {
        codes.extend(direction_code(unit));
    }
    let knees = bones
        .knees
        .as_flattened()
        .iter()
        .map(|value| (value / KNEE_REACH * KNEE + KNEE + 1.0).round().clamp(0.0, 4095.0) as u16);
    let knees: Vec<u16> = knees.collect();
    knees.as_chunks::<2>().0.iter().for_each(|two| codes.extend(pair(*two)));
    for value in sample.velocity.map(|value| value * VELOCITY).into_iter().chain([sample.turn * TURN]) {
        codes.extend((value.round() as i16).to_le_bytes());
    }
}

/// The sample of a code.
pub(super) fn decode(code: &[u8; BYTES]) -> Sample {
    let triples = code.as_chunks::<3>().0;
    let directions = std::array::from_fn(|bone| direction(triples[bone]));
    let mut knees = [[0.0; 3]; 2];
    for (two, code) in knees.as_flattened_mut().as_chunks_mut::<2>().0.iter_mut().zip(&triples[DIRECTIONS..])
    {
        *two = unpair(*code).map(|value| (f32::from(value) - KNEE - 1.0) * (KNEE_REACH / KNEE));
    }
    let [left, up, forward, turn] = root(code);
    Sample { points: Bones { directions, knees }.points(), velocity: [left, up, forward], turn }
}

/// The velocity of the hips and the turn rate, after the points.
fn root(code: &[u8; BYTES]) -> [f32; 4] {
    let start = BYTES - 8;
    let number = |at: usize| f32::from(i16::from_le_bytes([code[at], code[at + 1]]));
    std::array::from_fn(|k| number(start + 2 * k) / if k < 3 { VELOCITY } else { TURN })
}

/// The size of a key.
pub(super) const KEY: usize = 16;
/// A reduced descriptor for the first pass: wrists and ankles, velocity of the hips, turn rate.
pub(super) type Key = [f32; KEY];
/// The points of a key.
const KEY_POINTS: [usize; 4] = [5, 6, 9, 10];
/// The weight of a point in a key; it represents the points that move with it.
const SHARE: f32 = 0.4;

/// The key of a descriptor.
pub(super) fn key(descriptor: &Descriptor) -> Key {
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

/// The keys of the samples of a motion: those of their descriptors.
pub(super) fn keys(codes: &[[u8; BYTES]], keys: &mut Vec<Key>) {
    let weights = Weights::default();
    // The turn rate is averaged as in a descriptor, by running sums.
    let radius = (RATE / 2.0) as usize;
    let turns: Vec<f32> = codes.iter().map(|code| root(code)[3]).collect();
    for (at, code) in codes.iter().enumerate() {
        let sample = decode(code);
        let mut key = [0.0; KEY];
        for (place, point) in KEY_POINTS.into_iter().enumerate() {
            for axis in 0..3 {
                key[3 * place + axis] = sample.points[point][axis] * SHARE;
            }
        }
        for (axis, value) in sample.velocity.into_iter().enumerate() {
            key[12 + axis] = value * weights.travel_time;
        }
        let near = &turns[at.saturating_sub(radius)..(at + radius + 1).min(turns.len())];
        key[15] = near.iter().sum::<f32>() / near.len() as f32 * RADIUS * weights.turn_time;
        keys.push(key);
    }
}

/// Means over pairs of keys; the last may be of one.
pub(super) fn halved(keys: &[Key], half: &mut Vec<Key>) {
    half.extend(keys.chunks(2).map(|two| match two {
        [a, b] => std::array::from_fn(|k| (a[k] + b[k]) / 2.0),
        _ => two[0],
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directions evenly distributed over the sphere.
    fn sphere_directions(count: usize) -> impl Iterator<Item = [f32; 3]> {
        (0..count).map(move |at| {
            let z = 1.0 - (2 * at + 1) as f32 / count as f32;
            let (sin, cos) = (at as f32 * 2.399_963).sin_cos();
            let r = (1.0 - z * z).sqrt();
            [r * cos, r * sin, z]
        })
    }

    #[test]
    fn directions_come_back_within_a_sixteenth_of_a_degree() {
        let axes = [0, 1, 2].map(|axis| std::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 }));
        let against: Vec<[f32; 3]> = axes.iter().map(|axis: &[f32; 3]| axis.map(|value| -value)).collect();
        for unit in sphere_directions(20_000).chain(axes).chain(against) {
            let back = direction(direction_code(unit));
            let off = (0..3).map(|k| (unit[k] - back[k]).powi(2)).sum::<f32>().sqrt();
            assert!(off < 1.1e-3, "{unit:?} {back:?}");
        }
        assert_eq!(direction(direction_code([0.0; 3])), [0.0; 3]);
        assert_eq!(unpair(pair([0x123, 0xabc])), [0x123, 0xabc]);
    }

    #[test]
    fn samples_come_back_within_two_thousandths_of_a_leg() {
        let units: Vec<[f32; 3]> = sphere_directions(DIRECTIONS * 40).collect();
        for directions in units.as_chunks::<DIRECTIONS>().0 {
            let knees = [directions[3], directions[5]].map(|unit| unit.map(|value| value * 0.55));
            let points = Bones { directions: *directions, knees }.points();
            let sample = Sample { points, velocity: [0.1, -2.0, 1.5], turn: -3.0 };
            let mut code = Vec::new();
            encode(&sample, &mut code);
            let back = decode(code.first_chunk().unwrap());
            assert_eq!(code.len(), BYTES);
            for (a, b) in sample.points.as_flattened().iter().zip(back.points.as_flattened()) {
                assert!((a - b).abs() < 2e-3, "{a} {b}");
            }
            assert!((back.turn + 3.0).abs() < 1e-3 && (back.velocity[1] + 2.0).abs() < 1e-3);
        }
    }
}
