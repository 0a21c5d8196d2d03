//! The report of a motion that was solved for sparse goals.

#![allow(rustdoc::broken_intra_doc_links, reason = "the texts are schemas too, where [m] is a unit")]

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Why a point is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PointLeftOut {
    /// No joint has its name or role.
    Unknown,
    /// Its joint is the end of a bone, or above the hips: no pose turns it.
    NotPosed,
    /// An earlier point is of the same joint.
    Twice,
}

impl fmt::Display for PointLeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PointLeftOut::Unknown => "no joint has this name or role",
            PointLeftOut::NotPosed => "its joint is the end of a bone or above the hips",
            PointLeftOut::Twice => "an earlier point is of the same joint",
        })
    }
}

/// How well a point was met.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GoalReport {
    /// The name of the point.
    pub name: String,
    /// The joint that it is a goal of; null where it was left out.
    pub joint: Option<String>,
    /// Why it was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<PointLeftOut>,
    /// Frames with a position.
    pub positions: usize,
    /// Frames with an orientation.
    pub orientations: usize,
    /// Mean distance from the point [m].
    pub mean: Option<f64>,
    /// Greatest distance from the point [m].
    pub max: Option<f64>,
    /// Greatest angle from the orientation [rad].
    pub angle_max: Option<f64>,
    /// Frames in which the point is missed by more than a millimetre: out of reach.
    pub missed: usize,
}

/// The report of a motion that was solved with example poses.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PoseReport {
    /// Frames of the motion.
    pub frames: usize,
    /// Example poses.
    pub poses: usize,
    /// Whether the examples are of another skeleton, and were retargeted.
    pub retargeted: bool,
    /// Number of distinct sets of known points.
    pub sets: usize,
    /// Frames without any goal: they are interpolated.
    pub empty: usize,
    /// Positions and orientations in gaps of up to a tenth of a second, which were interpolated.
    pub filled: usize,
    /// Frames in which the hips are not known: they are estimated from the other points.
    pub hips_estimated: usize,
    /// By point.
    pub goals: Vec<GoalReport>,
    /// By frame: distance of the pose from the nearest example, root mean square over the points of the body [m].
    pub unusual: Vec<f64>,
}

impl PoseReport {
    /// The greatest distance of a point that is missed [m].
    pub fn greatest(&self) -> Option<f64> {
        self.goals.iter().filter_map(|goal| goal.max).reduce(f64::max)
    }
}

impl fmt::Display for PoseReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let other = if self.retargeted { ", retargeted from another skeleton" } else { "" };
        writeln!(f, "  {} example poses{other}; {} sets of known points", self.poses, self.sets)?;
        if self.hips_estimated > 0 {
            writeln!(f, "  hips estimated in {} frames", self.hips_estimated)?;
        }
        if self.empty + self.filled > 0 {
            writeln!(
                f,
                "  interpolated: {} frames without a point, {} values in short gaps",
                self.empty, self.filled
            )?;
        }
        for goal in &self.goals {
            let Some(joint) = &goal.joint else { continue };
            let millimetres =
                |value: Option<f64>| value.map_or("-".into(), |value| format!("{:.1}", value * 1e3));
            write!(
                f,
                "  {joint}: off by {} mm mean, {} mm max",
                millimetres(goal.mean),
                millimetres(goal.max)
            )?;
            if let Some(angle) = goal.angle_max {
                write!(f, ", {:.1}° max", angle.to_degrees())?;
            }
            match goal.missed {
                0 => writeln!(f)?,
                missed => writeln!(f, "; out of reach in {missed} frames")?,
            }
        }
        let mut sorted = self.unusual.clone();
        sorted.sort_by(f64::total_cmp);
        if let Some(most) = sorted.last() {
            let median = sorted[sorted.len() / 2];
            writeln!(
                f,
                "  distance from the examples: median {:.0} mm, max {:.0} mm",
                median * 1e3,
                most * 1e3
            )?;
        }
        Ok(())
    }
}
