//! What a solve reports.

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveStatus {
    /// All goals are reached within the tolerances.
    Reached,
    /// A goal is beyond the length of the chain, or nearer than it can fold; the chain is stretched (or
    /// folded) towards it as far as its constraints allow.
    Unreachable,
    /// The goals are within the length of the chain but were not reached: the iterations were used up, or the
    /// constraints prevent it.
    NotConverged,
}

/// The result of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveOutcome {
    /// How it ended.
    pub status: SolveStatus,
    /// Iterations used; 0 if the start pose reached the goals.
    pub iterations: u32,
    /// Greatest distance of an effector from its goal [units of the skeleton].
    pub position: f64,
    /// Greatest angle of an effector from its goal \[rad\]; 0 without orientation goals.
    pub orientation: f64,
    /// Number of joints at a limit.
    pub limit_contacts: u32,
}
