//! The error of the crate.

use mocap_model::Role;

/// Why a motion cannot be put on a robot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RobotError {
    #[error("the robot is not a humanoid: it lacks {missing}")]
    NotHumanoid { missing: &'static str },
    #[error("the source has no joint with the role {role}; name it with a joint map")]
    SourceRole { role: Role },
    #[error("the frame rate of the result must be finite and above 0, found {fps}")]
    Rate { fps: f64 },
    #[error("the source has no frames")]
    NoFrames,
}
