//! What was measured of a retargeted motion: on a body or on a robot.

use mocap_retarget::{RetargetFigures, RetargetReport};
use mocap_robot::RobotReport;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The report on a motion.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Body(Box<RetargetReport>),
    Robot(Box<RobotReport>),
}

/// A report as it is written.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Figures<'a> {
    Body(Box<RetargetFigures<'a>>),
    Robot(RobotFigures<'a>),
}

/// Of a motion on a robot: lengths are metres, angles of joints radians.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RobotFigures<'a> {
    /// Of the result.
    frames: usize,
    robot: &'a RobotReport,
}

impl Outcome {
    /// The frames of the result.
    pub(crate) fn frames(&self) -> usize {
        match self {
            Outcome::Body(report) => report.frames,
            Outcome::Robot(report) => report.frames,
        }
    }

    /// The report in one line.
    pub(crate) fn summary(&self) -> String {
        match self {
            Outcome::Body(report) => report.summary(),
            Outcome::Robot(report) => report.summary(),
        }
    }
}

impl<'a> From<&'a Outcome> for Figures<'a> {
    fn from(outcome: &'a Outcome) -> Figures<'a> {
        match outcome {
            Outcome::Body(report) => Figures::Body(Box::new((&**report).into())),
            Outcome::Robot(report) => Figures::Robot(RobotFigures { frames: report.frames, robot: report }),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Body(report) => report.fmt(f),
            Outcome::Robot(report) => report.fmt(f),
        }
    }
}
