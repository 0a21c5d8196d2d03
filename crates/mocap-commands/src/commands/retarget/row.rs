//! Rows of `mocap retarget --json`, and the same as text.

use mocap::{TargetFigures, TargetReport};
use mocap_edit::PartnerReport;
use mocap_retarget::{GateResult, MapFigures};
use mocap_robot::RobotMap;
use serde::Serialize;

use crate::batch::Figure;
use crate::diagnostic::Diagnostic;

/// A row of `mocap retarget --json`. Lengths are metres, angles degrees.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    pub(super) path: &'a str,
    /// Empty where a gate was missed: nothing was written then.
    pub(super) output: &'a str,
    pub(super) seconds: f64,
    #[serde(flatten)]
    pub(super) measures: Measures<'a>,
    /// Of several people (`--subject all`, `--pair`, `--characters`): the figures of each. Those of the row are the first
    /// one's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) subjects: Vec<SubjectRow<'a>>,
    /// With `--pair` and `--characters`: what is between two people, of those who come near each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) between: Vec<BetweenRow<'a>>,
    /// Props that are carried as in the source, and riders on their mounts, as text.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) bound: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) gates: Vec<GateResult>,
    pub(super) warnings: &'a [Diagnostic],
}

/// What became of one of several characters.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct SubjectRow<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its file, where each has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output: Option<&'a str>,
    #[serde(flatten)]
    pub(super) measures: Measures<'a>,
}

/// What became of what is between two people.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct BetweenRow<'a> {
    /// Their names.
    pub(super) people: [&'a str; 2],
    #[serde(flatten)]
    pub(super) report: &'a PartnerReport,
}

impl<'a> SubjectRow<'a> {
    /// By character; empty where there is only one.
    pub(super) fn each(target: &'a str, outcomes: &'a [(String, TargetReport)]) -> Vec<SubjectRow<'a>> {
        let several = outcomes.iter().filter(|_| outcomes.len() > 1);
        let row = |(name, outcome): &'a (String, TargetReport)| SubjectRow {
            name,
            output: None,
            measures: Measures::new(target, outcome),
        };
        several.map(row).collect()
    }
}

/// Quality of a retargeted motion. Lengths are metres, angles degrees.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Measures<'a> {
    target: &'a str,
    #[serde(flatten)]
    figures: TargetFigures<'a>,
    #[serde(skip)]
    outcome: &'a TargetReport,
}

/// A row of `mocap retarget --explain --json`.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Row")]
pub(crate) struct ExplainRow<'a> {
    pub(super) path: &'a str,
    pub(super) target: &'a str,
    #[serde(flatten)]
    pub(super) figures: MapFigures<'a>,
    /// Why the map cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<&'a Diagnostic>,
    pub(super) warnings: &'a [Diagnostic],
}

/// A row of `mocap retarget --explain --json` where the target is a robot.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "RobotRow")]
pub(crate) struct ExplainRobotRow<'a> {
    pub(super) path: &'a str,
    pub(super) target: &'a str,
    /// What drives the robot.
    pub(super) robot: &'a RobotMap,
    pub(super) warnings: &'a [Diagnostic],
}

impl Row<'_> {
    /// The row for people.
    pub(super) fn text(&self) -> String {
        let Measures { target, outcome, .. } = self.measures;
        let head = format!("{}: {} frames on {target}", self.written(), outcome.frames());
        let bound: String = self.bound.iter().map(|note| format!("\n  bound       {note}")).collect();
        if self.subjects.is_empty() {
            return format!("{head}\n{outcome}{bound}");
        }
        let each =
            self.subjects.iter().map(|SubjectRow { name, measures, .. }| match self.between.is_empty() {
                true => format!("\n{name}:\n{}", measures.outcome),
                false => format!("\n{name} on {}:\n{}", measures.target, measures.outcome),
            });
        let between = self
            .between
            .iter()
            .map(|BetweenRow { people: [a, b], report }| format!("\n{a} and {b}: {report}"));
        head + &each.chain(between).collect::<String>() + &bound
    }
}

impl Row<'_> {
    fn written(&self) -> String {
        format!("{} -> {}", self.path, if self.output.is_empty() { "not written" } else { self.output })
    }

    /// The row in one line, among many.
    pub(super) fn line(&self) -> String {
        let Measures { outcome, .. } = self.measures;
        let others = match self.subjects.len() {
            0 | 1 => String::new(),
            several => format!(" (the first of {several})"),
        };
        format!("{}: {} frames, {}{others}", self.written(), outcome.frames(), outcome.summary())
    }
}

/// The figures of a report that the table of the worst clips shows.
pub(crate) fn figures(outcome: &TargetReport) -> Vec<Figure> {
    let of_body = ["effector", "slide", "penetration", "float", "violations", "step", "surface-deepest"];
    let of_robot = ["limits", "velocity-ratio", "skate", "penetration", "self-penetration", "joint-step"];
    match outcome {
        TargetReport::Body(report) => Figure::of_report(report.as_ref(), &of_body),
        TargetReport::Robot(report) => Figure::of_report(report.as_ref(), &of_robot),
    }
}

impl<'a> Measures<'a> {
    /// The report of a motion on a target.
    pub(crate) fn new(target: &'a str, outcome: &'a TargetReport) -> Measures<'a> {
        Measures { target, figures: outcome.into(), outcome }
    }

    /// The same in one line.
    pub(crate) fn line(&self) -> String {
        format!("on {}: {}", self.target, self.outcome.summary())
    }
}
