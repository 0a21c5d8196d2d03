//! Words for the ways in which a motion can be put on a skeleton.

use clap::ValueEnum;
use mocap_retarget::{Hands, LimbSolver, Method};

/// What becomes of the motion.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum MethodArg {
    /// Root and effectors are scaled by the ratio of limb lengths, limbs are solved for them
    Scale,
    /// Rotations are copied, the root stays where the source has it (for comparison: feet float or sink)
    Copy,
    /// Root and effectors of the source are the goals as they are (for comparison: limbs fold or overstretch)
    Effectors,
}

/// What the hands do.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum HandsArg {
    /// The way from shoulder to wrist scales with the arm
    Scale,
    /// The hands stay where the source has them, seen from the hips, scaled like the legs
    Keep,
    /// Arms are not solved: their joints turn as the source's do
    Off,
}

/// How limbs are solved.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum SolverArg {
    /// The two-bone solution, and CCD where joint limits keep it from the goal
    Auto,
    /// Cyclic coordinate descent, finished by the two-bone solution
    Ccd,
    /// The two-bone solution alone
    TwoBone,
}

impl From<MethodArg> for Method {
    fn from(method: MethodArg) -> Method {
        match method {
            MethodArg::Scale => Method::Scale,
            MethodArg::Copy => Method::Copy,
            MethodArg::Effectors => Method::Effectors,
        }
    }
}

impl From<HandsArg> for Hands {
    fn from(hands: HandsArg) -> Hands {
        match hands {
            HandsArg::Scale => Hands::Scale,
            HandsArg::Keep => Hands::Keep,
            HandsArg::Off => Hands::Off,
        }
    }
}

impl From<SolverArg> for LimbSolver {
    fn from(solver: SolverArg) -> LimbSolver {
        match solver {
            SolverArg::Auto => LimbSolver::Auto,
            SolverArg::Ccd => LimbSolver::Ccd,
            SolverArg::TwoBone => LimbSolver::TwoBone,
        }
    }
}
