//! The error of the crate.

use mocap_model::Role;

/// Why a motion cannot be put on a robot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RobotError {
    #[error("the robot is not a humanoid: {reason}")]
    NotHumanoid { reason: &'static str },
    #[error("the source has no joint with the role {role}; name it with a joint map")]
    SourceRole { role: Role },
    #[error("the source has no frames")]
    NoFrames,
    #[error(
        "the legs of the source are {length} m long; state the unit of the file, or name its legs with a joint map"
    )]
    SourceLegs { length: f64 },
    #[error("the robot has {found} {what}; a robot with up to {limit} can be a target")]
    TooLarge { what: &'static str, found: usize, limit: usize },
    #[error("the robot has no mass, so it cannot be balanced; use a model whose bodies state theirs")]
    NoMass,
    #[error(transparent)]
    Model(#[from] mocap_model::ModelError),
}

impl RobotError {
    /// A stable code for the kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            RobotError::NotHumanoid { .. } => "robot::not-humanoid",
            RobotError::SourceRole { .. } => "robot::source-role",
            RobotError::SourceLegs { .. } => "robot::source-legs",
            RobotError::TooLarge { .. } => "robot::too-large",
            RobotError::NoMass => "robot::no-mass",
            RobotError::NoFrames => "robot::no-frames",
            RobotError::Model(_) => "model::invalid",
        }
    }
}
