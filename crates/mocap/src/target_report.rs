//! Reports of motions retargeted to a body or a robot.

use mocap_retarget::{RetargetFigures, RetargetReport};
use mocap_robot::RobotReport;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The report on a motion that was retargeted to a target. Lengths are metres.
#[derive(Clone, Debug)]
pub enum TargetReport {
    /// On a body.
    Body(Box<RetargetReport>),
    /// On a robot.
    Robot(Box<RobotReport>),
}

/// A report as JSON.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Figures")]
pub enum TargetFigures<'a> {
    /// On a body.
    Body(Box<RetargetFigures<'a>>),
    /// On a robot.
    Robot(RobotFigures<'a>),
}

/// Figures of a motion on a robot: lengths are metres, angles of joints radians.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RobotFigures<'a> {
    /// Of the result.
    frames: usize,
    robot: &'a RobotReport,
}

impl TargetReport {
    /// The frames of the result.
    pub fn frames(&self) -> usize {
        match self {
            TargetReport::Body(report) => report.frames,
            TargetReport::Robot(report) => report.frames,
        }
    }

    /// The report in one line.
    pub fn summary(&self) -> String {
        match self {
            TargetReport::Body(report) => report.summary(),
            TargetReport::Robot(report) => report.summary(),
        }
    }
}

impl<'a> From<&'a TargetReport> for TargetFigures<'a> {
    fn from(outcome: &'a TargetReport) -> TargetFigures<'a> {
        match outcome {
            TargetReport::Body(report) => TargetFigures::Body(Box::new((&**report).into())),
            TargetReport::Robot(report) => {
                TargetFigures::Robot(RobotFigures { frames: report.frames, robot: report })
            }
        }
    }
}

impl fmt::Display for TargetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetReport::Body(report) => report.fmt(f),
            TargetReport::Robot(report) => report.fmt(f),
        }
    }
}
