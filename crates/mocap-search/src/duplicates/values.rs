//! The values of a moment that are compared.

use crate::motion::{Motion, POINTS};

/// Positions of points, and the distance that the hips and the turn cover in a fixed time.
pub(super) const SIZE: usize = 3 * POINTS + 4;
pub(super) type Values = [f64; SIZE];
/// The size of a row in memory: [`SIZE`] padded with zeros to whole registers.
pub(super) const WIDTH: usize = SIZE.next_multiple_of(16);
pub(super) type Row = [f32; WIDTH];
/// Sway below this is ignored, because rounding and filters change it [leg lengths].
pub(super) const SWAY: f64 = 0.005;
/// Parts of the body: its points, the velocity of the hips, the turn.
pub(super) const PARTS: usize = POINTS + 2;
/// Velocities of the hips count as the distance in this time \[s\].
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

/// Smoothed numbers over time.
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
