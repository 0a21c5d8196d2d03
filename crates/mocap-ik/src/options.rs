//! Options that all solvers share.

use std::f64::consts::PI;

/// The pose that a solve starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveStart {
    /// The pose that the chain holds.
    Warm,
    /// The rest pose of the chain.
    Cold,
}

/// Tolerances and behaviour of a solve, the same for every solver.
///
/// ```
/// use mocap_ik::SolveOptions;
///
/// // Follow a goal from frame to frame: few iterations, no jumps to another pose.
/// let options = SolveOptions { iterations: 20, restart: false, ..SolveOptions::default() };
/// assert_eq!(options.position_tolerance, 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveOptions {
    /// Most iterations (sweeps over the chain), from 1; default 100.
    pub iterations: u32,
    /// Tolerance of positions, as a share of the length of the chain; default 1e-4.
    pub position_tolerance: f64,
    /// Tolerance of orientations \[rad\]; default 1e-3.
    pub orientation_tolerance: f64,
    /// Share of each correction that is applied, in (0, 1]; default 1. Less distributes a motion more evenly
    /// over the joints and takes more iterations.
    pub damping: f64,
    /// Greatest turn of a joint in one step \[rad\], from 0; default π (unlimited).
    pub max_turn: f64,
    /// Start pose; default warm.
    pub start: SolveStart,
    /// Keep joints within their constraints; default true. A locked joint never turns.
    pub limits: bool,
    /// Bend a straight chain whose goal is on its line; default true.
    pub escape: bool,
    /// Finish a stalled iterative solver by the two-bone solution; default true.
    pub finish: bool,
    /// Restart from other poses if limits keep an iterative solver from a goal within reach, within the same
    /// number of iterations; default true. Turn it off to follow a goal: the pose found may be far from the
    /// one before.
    pub restart: bool,
}

impl Default for SolveOptions {
    fn default() -> SolveOptions {
        SolveOptions {
            iterations: 100,
            position_tolerance: 1e-4,
            orientation_tolerance: 1e-3,
            damping: 1.0,
            max_turn: PI,
            start: SolveStart::Warm,
            limits: true,
            escape: true,
            finish: true,
            restart: true,
        }
    }
}
