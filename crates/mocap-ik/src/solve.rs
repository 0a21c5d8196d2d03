//! What all solvers share: the trait, its options and its result.

use crate::{Chain, Goal, IkError};
use std::f64::consts::PI;

/// A way to turn the joints of a chain towards its goals.
pub trait Solver {
    /// Turns the joints of `chain`, from the pose it holds, so that each effector comes as near to its goal as
    /// the solver can bring it: one goal per effector, in their order. Allocates nothing.
    ///
    /// # Errors
    /// Where the goals are not finite or not one per effector, or the solver is not made for such a chain.
    /// The chain is then as it was.
    fn solve(&self, chain: &mut Chain, goals: &[Goal], options: &Options) -> Result<Outcome, IkError>;
}

/// Where a solve starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// From the pose that the chain holds.
    Warm,
    /// From the rest pose of the chain.
    Cold,
}

/// When to stop and how to go on; the same for every solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The greatest number of iterations (sweeps over the chain), from 1; default 100.
    pub iterations: u32,
    /// A position is reached within this share of the length of the chain; default 1e-4.
    pub position_tolerance: f64,
    /// An orientation is reached within this angle \[rad\]; default 1e-3.
    pub orientation_tolerance: f64,
    /// The share of each correction that is carried out, in (0, 1]; default 1. Less spreads a motion more
    /// evenly over the joints and takes more iterations.
    pub damping: f64,
    /// The greatest turn of a joint in one step \[rad\]; default π (none).
    pub max_turn: f64,
    /// Where to start; default warm.
    pub start: Start,
    /// Whether joints are kept within their constraints; default true. A locked joint never turns.
    pub limits: bool,
    /// Whether a straight chain whose goal is on its line is bent to get away; default true.
    pub escape: bool,
    /// Whether an iterative solver that stalls is finished by the two-bone solution; default true.
    pub finish: bool,
    /// Whether an iterative solver that limits hold back from a goal within reach starts again from other poses, within
    /// the same iterations; default true. To be turned off where a goal is followed: what is found from another pose
    /// may be far from the one before.
    pub restart: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            iterations: 100,
            position_tolerance: 1e-4,
            orientation_tolerance: 1e-3,
            damping: 1.0,
            max_turn: PI,
            start: Start::Warm,
            limits: true,
            escape: true,
            finish: true,
            restart: true,
        }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All goals are met within the tolerances.
    Reached,
    /// A goal is further away than the chain is long, or nearer than it can fold; the chain is stretched (or
    /// folded) towards it as far as its constraints allow.
    Unreachable,
    /// The goals are within the length of the chain and were not met: the iterations were used up, or
    /// constraints left no way to come nearer.
    Capped,
}

/// What came out of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Iterations used; 0 where the goals were met from the start.
    pub iterations: u32,
    /// The greatest distance of an effector from its goal [units of the skeleton].
    pub position: f64,
    /// The greatest angle of an effector from its goal \[rad\]; 0 where no orientation is wished for.
    pub orientation: f64,
    /// Joints that stand at a limit.
    pub limit_contacts: u32,
}
