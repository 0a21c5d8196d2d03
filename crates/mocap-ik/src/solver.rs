//! The trait that all solvers share.

use crate::{Goal, IkChain, IkError, SolveOptions, SolveOutcome};

/// A way to turn the joints of a chain towards its goals.
pub trait Solver {
    /// Turns the joints of `chain`, from the pose it holds, until each effector is as near to its
    /// goal as the solver can bring it. Takes one goal per effector, in their order. Allocates
    /// nothing, except in [`crate::Xpbd`], in [`crate::Informed`], and for couplings.
    ///
    /// # Errors
    /// If the goals are not finite or not one per effector, or the solver does not support the chain. The
    /// chain is then unchanged.
    fn solve(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        options: &SolveOptions,
    ) -> Result<SolveOutcome, IkError>;
}
