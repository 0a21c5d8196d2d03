//! Buffers of the solvers, allocated once with the chain.

use crate::{Quat, Vec3};

/// One axis about which one joint turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dof {
    pub(crate) joint: u32,
    /// The axis in object space (unit); a positive turn makes `angle` greater. Zero for a locked angle.
    pub(crate) axis: Vec3,
    /// The angle and its range \[rad\]; for a joint that turns freely the angle is 0 and the range open.
    pub(crate) angle: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

/// Buffers of the solvers, of the sizes they need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Target positions by joint, and the sum of the weights of each.
    pub(crate) points: Vec<Vec3>,
    pub(crate) weights: Vec<f64>,
    /// Degrees of freedom of all joints.
    pub(crate) dofs: Vec<Dof>,
    /// Matrices and vectors of the Jacobian solvers.
    pub(crate) numbers: Vec<f64>,
    /// Turns of the joints in object space.
    pub(crate) turns: Vec<Quat>,
    /// A pose to restore, and the pose at the start.
    pub(crate) pose: Vec<Quat>,
    pub(crate) start: Vec<Quat>,
    /// The pose that restarts derive from, and the best pose found.
    pub(crate) first: Vec<Quat>,
    pub(crate) best: Vec<Quat>,
}

impl Scratch {
    /// Buffers for a chain in this pose.
    pub(crate) fn new(effectors: usize, pose: &[Quat]) -> Scratch {
        let joints = pose.len();
        let dofs = 3 * joints;
        Scratch {
            points: vec![Vec3::zeros(); joints],
            weights: vec![0.0; joints],
            dofs: Vec::with_capacity(dofs),
            numbers: vec![0.0; jacobian_numbers(effectors, dofs).max(objective_numbers(dofs + 3))],
            turns: pose.to_vec(),
            pose: pose.to_vec(),
            start: pose.to_vec(),
            first: pose.to_vec(),
            best: pose.to_vec(),
        }
    }
}

/// How many numbers the Jacobian solver needs for a chain with so many effectors and degrees of freedom.
pub(crate) fn jacobian_numbers(effectors: usize, n: usize) -> usize {
    let m = 9 * effectors;
    2 * m * n + m * m + 2 * m + 4 * n + n * n
}

/// How many numbers the objective solver needs for so many degrees of freedom.
pub(crate) fn objective_numbers(n: usize) -> usize {
    2 * n * n + 3 * n
}
