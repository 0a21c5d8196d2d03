//! Descriptors: the feature vectors that a search compares.
//!
//! A descriptor is a vector of lengths [leg lengths]. The distance of two samples is that of their descriptors: the
//! root mean square distance of the points of the body, with velocities counted as the distance covered in a fixed
//! time.

use crate::motion::{Motion, POINTS};

/// The size of a descriptor: positions and velocities of points, velocity of the hips, turn rate, and padding to whole
/// registers.
pub const SIZE: usize = 72;

/// A descriptor.
pub type Descriptor = [f32; SIZE];

/// The weights of the parts of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Velocities of points count as the distance in this time \[s\].
    pub point_time: f32,
    /// The velocity of the hips over the floor counts as the distance in this time \[s\].
    pub travel_time: f32,
    /// The turn rate counts as the distance in this time \[s\] at half a leg's length from the axis.
    pub turn_time: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { point_time: 0.1, travel_time: 0.4, turn_time: 1.5 }
    }
}

/// Distance from the axis at which the turn rate counts [leg lengths].
pub(crate) const RADIUS: f32 = 0.5;

/// The descriptors of a motion, one per sample.
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
            // The turn rate is averaged over a second, because the trunk twists with each step.
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

/// The sum of a function of the numbers of two rows, pair by pair, in `LANES` independent sums.
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
