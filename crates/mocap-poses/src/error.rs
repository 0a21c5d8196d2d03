//! Why poses cannot be learnt or used.

use mocap_model::{ModelError, Role};
use mocap_retarget::RetargetError;
use thiserror::Error;

/// Why poses cannot be learnt or used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PosesError {
    /// A skeleton without the joints of a human body.
    #[error("the skeleton has no {}; poses are of human bodies", list(.missing))]
    Unmapped {
        /// The roles that no joint has.
        missing: Vec<Role>,
    },
    /// A robot.
    #[error("the skeleton is a robot; poses are of human bodies")]
    Robot,
    /// A body on four legs.
    #[error("the skeleton stands on four legs; poses are of human bodies")]
    FourLegs,
    /// A limb that is not below the trunk, or without length.
    #[error("the {limb} is not connected to the trunk, or has no length")]
    Limb {
        /// The limb.
        limb: &'static str,
    },
    /// Too little to learn from.
    #[error("{poses} poses are too few to learn from; at least {least} are needed")]
    TooFew {
        /// The poses that were found.
        poses: usize,
        /// The least number.
        least: usize,
    },
    /// A file that does not hold poses, or is damaged.
    #[error("not a file of poses: {reason}")]
    File {
        /// What is wrong.
        reason: String,
    },
    /// A table that cannot be read.
    #[error("line {line}: {reason}")]
    Table {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// No goal belongs to a joint of the skeleton.
    #[error("none of the {count} points is a joint of the skeleton: {names}")]
    NoGoals {
        /// The number of points.
        count: usize,
        /// Some of their names.
        names: String,
    },
    /// Goals without a position or orientation in any frame.
    #[error("no position and no orientation of a joint of the skeleton is known in any frame")]
    NothingKnown,
    /// Couplings and limits of the skeleton that no pose keeps.
    #[error("the skeleton cannot be solved: {reason}")]
    Solver {
        /// What is wrong.
        reason: String,
    },
    /// The examples cannot be retargeted to the skeleton that is solved.
    #[error("the examples cannot be put on the skeleton: {0}")]
    Retarget(String),
    /// A clip or skeleton that cannot be made.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl PosesError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            PosesError::Unmapped { .. }
            | PosesError::Robot
            | PosesError::FourLegs
            | PosesError::Limb { .. } => "poses::body",
            PosesError::TooFew { .. } => "poses::too-few",
            PosesError::File { .. } => "poses::file",
            PosesError::Table { .. } => "poses::table",
            PosesError::NoGoals { .. } => "poses::no-goals",
            PosesError::NothingKnown => "poses::nothing-known",
            PosesError::Solver { .. } => "poses::solver",
            PosesError::Retarget(_) => "poses::retarget",
            PosesError::Model(_) => "poses::model",
        }
    }
}

impl From<RetargetError> for PosesError {
    fn from(error: RetargetError) -> PosesError {
        PosesError::Retarget(error.to_string())
    }
}

fn list(roles: &[Role]) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}
