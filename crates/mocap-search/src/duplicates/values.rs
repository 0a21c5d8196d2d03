//! What is compared of a moment of a motion.

use crate::motion::POINTS;

/// The points, and the way of the hips and of the turn in a fixed time.
pub(super) const SIZE: usize = 3 * POINTS + 4;
pub(super) type Values = [f64; SIZE];
/// Numbers of a row in memory: those of a moment, filled up to whole registers with zeros.
pub(super) const WIDTH: usize = SIZE.next_multiple_of(16);
pub(super) type Row = [f32; WIDTH];
/// Sway below this does not count: rounding and filters change it [leg lengths].
pub(super) const SWAY: f64 = 0.005;
