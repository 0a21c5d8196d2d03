//! Descriptors: what is compared in a search.
//!
//! A descriptor is a vector of lengths [leg lengths]. The distance of two motions in one sample is the distance of their
//! descriptors: the root mean square distance of the points of the body, with velocities as the way in a fixed time.

use crate::motion::{Motion, POINTS};

/// Numbers of a descriptor: positions, velocities of points, of the hips, the turn; filled up to whole registers.
pub const SIZE: usize = 72;

/// A descriptor.
pub type Descriptor = [f32; SIZE];

/// What counts how much in a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Velocities of points count as the way in this time \[s\].
    pub point_time: f32,
    /// The velocity of the hips over the floor counts as the way in this time \[s\].
    pub travel_time: f32,
    /// The turn counts as the way at half a leg's length from the axis in this time \[s\].
    pub turn_time: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { point_time: 0.1, travel_time: 0.4, turn_time: 1.5 }
    }
}

/// How far from the axis a turn is measured [leg lengths].
pub(crate) const RADIUS: f32 = 0.5;

/// The descriptors of a motion, one a sample.
pub fn descriptors(motion: &Motion, weights: &Weights) -> Vec<Descriptor> {
    let samples = &motion.samples;
    let share = (1.0 / POINTS as f32).sqrt();
    let radius = (motion.rate / 2.0) as usize;
    (0..samples.len())
        .map(|at| {
            let (before, after) = (at.saturating_sub(1), (at + 1).min(samples.len() - 1));
            let seconds = (after - before).max(1) as f32 / motion.rate as f32;
            let mut descriptor = [0.0; SIZE];
            let (positions, rest) = descriptor.split_at_mut(3 * POINTS);
            let (velocities, root) = rest.split_at_mut(3 * POINTS);
            for point in 0..POINTS {
                for axis in 0..3 {
                    positions[3 * point + axis] = samples[at].points[point][axis] * share;
                    let moved = samples[after].points[point][axis] - samples[before].points[point][axis];
                    velocities[3 * point + axis] = moved / seconds * weights.point_time * share;
                }
            }
            for axis in 0..3 {
                root[axis] = samples[at].velocity[axis] * weights.travel_time;
            }
            // The trunk twists with each step; what counts is where the body goes.
            let near = &samples[at.saturating_sub(radius)..(at + radius + 1).min(samples.len())];
            let turn = near.iter().map(|sample| sample.turn).sum::<f32>() / near.len() as f32;
            root[3] = turn * RADIUS * weights.turn_time;
            descriptor
        })
        .collect()
}

/// The square of the distance of two descriptors.
#[inline]
pub fn squared_distance(a: &Descriptor, b: &Descriptor) -> f32 {
    summed::<8, SIZE>(a, b, |a, b| (a - b) * (a - b))
}

/// The sum of what two rows make of each pair of their numbers, in so many lanes.
#[inline]
pub(crate) fn summed<const LANES: usize, const N: usize>(
    a: &[f32; N],
    b: &[f32; N],
    of: impl Fn(f32, f32) -> f32,
) -> f32 {
    let mut sums = [0.0f32; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += of(a[lane], b[lane]);
        }
    }
    sums.iter().sum()
}
