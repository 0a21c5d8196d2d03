//! Rows of `mocap retarget --json`, and the same as text.

use mocap::{TargetFigures, TargetReport};
use mocap_retarget::{GateResult, MapFigures};
use serde::Serialize;

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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) gates: Vec<GateResult>,
    pub(super) warnings: &'a [Diagnostic],
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

impl Row<'_> {
    /// The row for people.
    pub(super) fn text(&self) -> String {
        let Measures { target, outcome, .. } = self.measures;
        let written = if self.output.is_empty() { "not written" } else { self.output };
        format!("{} -> {written}: {} frames on {target}\n{outcome}", self.path, outcome.frames())
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
