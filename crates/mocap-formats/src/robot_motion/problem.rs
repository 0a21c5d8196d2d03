//! What can be wrong with the motion of a robot.

use super::Order;
use crate::Format;

/// A problem of a robot's motion; the last ones, from `Rate` on, are warnings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error(
        "{format} files hold the motion of a robot, but the skeleton is not that of a robot model; \
         `mocap retarget MOTION ROBOT.xml -o OUT.csv` puts it on one"
    )]
    NotRobot { format: Format },
    #[error("{error}")]
    Model { error: mocap_model::ModelError },
    #[error("{format} files are in the order of the model (dfs), not {order}")]
    Order { format: Format, order: Order },
    #[error("the motion of a robot needs the model of the robot that it moves")]
    NeedsRobot,
    #[error(
        "the motion has values of {found} joints, and the robot '{robot}' has {joints}: it is a motion of another robot"
    )]
    OtherRobot { found: usize, robot: String, joints: usize },
    #[error("'{text}' is not a number")]
    Number { text: String },
    #[error("the row has {found} values, expected {expected}: the base (7) and one per joint of the robot")]
    Columns { found: usize, expected: usize },
    #[error("the quaternion of the base has the length {length}, expected 1")]
    Quaternion { length: f64 },
    #[error("the robot has no joint '{name}'")]
    UnknownJoint { name: String },
    #[error("the file has no values for joint '{name}' of the robot")]
    MissingJoint { name: String },
    #[error("the file has no column '{name}' of the base")]
    MissingColumn { name: &'static str },
    #[error("the column '{name}' is there twice")]
    RepeatedColumn { name: String },
    #[error("the file has no frames")]
    NoFrames,
    #[error("the times of the rows do not give a rate")]
    Times,
    #[error(
        "the motion has {fps} fps, and {format} files do not state it: readers take {usual}; resample to {usual} fps, \
         or set the rate in the reader"
    )]
    Rate { format: Format, fps: f64, usual: f64 },
    #[error("the file does not state its rate: it is read at the usual {fps} frames per second")]
    NoRate { fps: f64 },
    #[error(
        "the time of a row is {step:.4} s after that of the row before, and most are {usual:.4} s after: it is read as \
         the next frame"
    )]
    Uneven { step: f64, usual: f64 },
    #[error("the .joints.json beside the file is not used: {reason}")]
    Sidecar { reason: String },
    #[error("a value is not a finite number; it was interpolated")]
    Repaired,
    #[error(
        "{found} of {all} values are beyond the limits of their joints, the farthest is '{joint}' with {value} {unit}, \
         beyond its limit of {limit} {unit}{}",
        if *degrees { "; as degrees all angles are within: they seem to be degrees, and radians are expected" } else { "" }
    )]
    BeyondLimits {
        found: usize,
        all: usize,
        joint: String,
        value: f64,
        limit: f64,
        unit: &'static str,
        degrees: bool,
    },
    #[error(
        "the robot lies or stands on its head in most frames, and is upright with w {}: the quaternions seem to be in \
         that order, and {} is expected",
        if *w_first { "last" } else { "first" },
        if *w_first { "w x y z" } else { "x y z w" }
    )]
    QuaternionOrder { w_first: bool },
    #[error(
        "'{joint}' has {value} {unit} where it follows '{followed}', which makes it {expected} {unit}: {found} values \
         of such joints differ by more than {slack}"
    )]
    OffMimic {
        found: usize,
        joint: String,
        followed: String,
        value: f64,
        expected: f64,
        unit: &'static str,
        slack: f64,
    },
    #[error("the file does not name its joints: they are taken in the order of the model (dfs)")]
    Unnamed,
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::NotRobot { .. } => "robot-motion::not-robot",
            Problem::Model { .. } => "robot-motion::model",
            Problem::Order { .. } => "robot-motion::order",
            Problem::NeedsRobot => "robot-motion::needs-robot",
            Problem::OtherRobot { .. } => "robot-motion::other-robot",
            Problem::Number { .. } => "robot-motion::number",
            Problem::Columns { .. } => "robot-motion::columns",
            Problem::Quaternion { .. } => "robot-motion::quaternion",
            Problem::UnknownJoint { .. } => "robot-motion::unknown-joint",
            Problem::MissingJoint { .. } => "robot-motion::missing-joint",
            Problem::MissingColumn { .. } => "robot-motion::missing-column",
            Problem::RepeatedColumn { .. } => "robot-motion::repeated-column",
            Problem::NoFrames => "robot-motion::no-frames",
            Problem::Times => "robot-motion::times",
            Problem::Rate { .. } => "robot-motion::rate",
            Problem::NoRate { .. } => "robot-motion::no-rate",
            Problem::Uneven { .. } => "robot-motion::uneven",
            Problem::Sidecar { .. } => "robot-motion::sidecar",
            Problem::Repaired => "robot-motion::repaired",
            Problem::BeyondLimits { .. } => "robot-motion::beyond-limits",
            Problem::QuaternionOrder { .. } => "robot-motion::quaternion-order",
            Problem::OffMimic { .. } => "robot-motion::off-mimic",
            Problem::Unnamed => "robot-motion::unnamed",
        }
    }
    fn remedy(&self) -> Option<crate::Remedy> {
        match self {
            Problem::Number { text } if text.parse::<f64>().is_ok() => Some(crate::Remedy::Repair),
            _ => None,
        }
    }
}
