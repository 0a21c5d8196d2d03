//! What is compared of a moment of a motion.

use crate::motion::{Motion, POINTS};

/// The points, and the way of the hips and of the turn in a fixed time.
pub(super) const SIZE: usize = 3 * POINTS + 4;
pub(super) type Values = [f64; SIZE];
/// Numbers of a row in memory: those of a moment, filled up to whole registers with zeros.
pub(super) const WIDTH: usize = SIZE.next_multiple_of(16);
pub(super) type Row = [f32; WIDTH];
/// Sway below this does not count: rounding and filters change it [leg lengths].
pub(super) const SWAY: f64 = 0.005;
/// Parts of the body: its points, the velocity of the hips, the turn.
pub(super) const PARTS: usize = POINTS + 2;
/// Velocities of the hips count as the way in this time \[s\].
pub(super) const WAY: f64 = 0.2;
/// Samples to either side over which noise is averaged, twice.
const NOISE: usize = 2;

/// The values of a motion.
pub(super) fn values(motion: &Motion) -> Vec<Values> {
    let row = |sample: &crate::Sample| {
        let mut values = [0.0; SIZE];
        for (value, point) in values.iter_mut().zip(sample.points.as_flattened()) {
            *value = f64::from(*point);
        }
        for axis in 0..3 {
            values[3 * POINTS + axis] = f64::from(sample.velocity[axis]) * WAY;
        }
        values[SIZE - 1] = f64::from(sample.turn) * WAY * 0.5;
        values
    };
    motion.samples.iter().map(row).collect()
}

/// Numbers over time, with less noise.
pub(super) fn smoothed<const N: usize>(rows: &[[f64; N]]) -> Vec<[f64; N]> {
    averaged(&averaged(rows))
}

/// Means over a few samples; a symmetric and smaller number of them at the ends.
fn averaged<const N: usize>(rows: &[[f64; N]]) -> Vec<[f64; N]> {
    (0..rows.len())
        .map(|at| {
            let radius = NOISE.min(at).min(rows.len() - 1 - at);
            let near = &rows[at - radius..=at + radius];
            std::array::from_fn(|k| near.iter().map(|row| row[k]).sum::<f64>() / near.len() as f64)
        })
        .collect()
}
