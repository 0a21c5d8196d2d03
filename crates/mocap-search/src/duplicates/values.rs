//! What is compared of a moment of a motion.

use crate::motion::POINTS;

/// The points, and the way of the hips and of the turn in a fixed time.
pub(super) const SIZE: usize = 3 * POINTS + 4;
pub(super) type Values = [f64; SIZE];
/// Sway below this does not count: rounding and filters change it [leg lengths].
pub(super) const SWAY: f64 = 0.005;
