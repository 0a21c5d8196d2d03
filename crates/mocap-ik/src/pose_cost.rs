//! Costs of poses that an objective adds to that of its goals, such as how unlike examples a pose is.

use crate::Quat;

/// A cost of the local rotations of a chain.
///
/// The derivative is by turns of the joints, seen from their parents: `rotation ← exp(turn) · rotation`.
pub trait PoseCost {
    /// The cost of a pose, by joint of the chain.
    fn cost(&self, rotations: &[Quat]) -> f64;

    /// The cost, its gradient (`3 × joints`) and a positive semidefinite matrix near its second derivative
    /// (`3 joints × 3 joints`, row after row). Overwrites both.
    fn derivatives(&self, rotations: &[Quat], gradient: &mut [f64], second: &mut [f64]) -> f64;
}
