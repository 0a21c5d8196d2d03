//! What became of a clip, as a row and as text.

use mocap::short;
use mocap_analysis::ErrorSummary;
use mocap_compress::CompressSummary;
use schemars::JsonSchema;
use serde::Serialize;

use super::gate::Gate;
use crate::batch::Figure;
use crate::commands::face::FaceMeasures;
use crate::commands::solve::SolveMeasures;
use crate::commands::{edit, retarget};
use crate::diagnostic::Diagnostic;

/// A row of `mocap run --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row<'a> {
    pub(super) path: String,
    /// What was written: nothing where a gate was missed, or a step left the motion out.
    pub(super) outputs: Vec<OutputRow>,
    /// Of the motion after the last step.
    pub(super) frames: usize,
    pub(super) fps: f64,
    /// Without End Sites.
    pub(super) joints: usize,
    /// What steps measured.
    pub(super) steps: Vec<StepRow<'a>>,
    pub(super) gates: &'a [Gate],
    /// Whether no gate was missed and no step left the motion out.
    pub(super) passed: bool,
    /// Why a step left the motion out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<String>,
    pub(super) input_bytes: u64,
    /// Of all outputs.
    pub(super) bytes: u64,
    /// Of work.
    pub(super) seconds: f64,
    pub(super) warnings: &'a [Diagnostic],
}

/// A file that was written.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OutputRow {
    pub(super) step: String,
    pub(super) path: String,
    pub(super) format: &'static str,
    /// With the file beside it.
    pub(super) bytes: u64,
}

/// What a step measured, with the fields of the command of that name.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StepRow<'a> {
    pub(super) step: &'a str,
    pub(super) r#do: &'static str,
    #[serde(flatten)]
    pub(super) measures: MeasuresRow<'a>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum MeasuresRow<'a> {
    Retarget(Box<retarget::Measures<'a>>),
    Compress(&'a CompressSummary),
    Compare(&'a ErrorSummary),
    Edit(&'a mocap_edit::EditReport),
    Face(&'a FaceMeasures),
    Solve(&'a SolveMeasures),
}

/// What a step measured.
pub(super) enum Measured {
    Retarget(String, mocap::TargetReport),
    Compress(Box<CompressSummary>),
    Compare(Box<ErrorSummary>),
    Edit(Box<mocap_edit::EditReport>),
    Face(FaceMeasures),
    Solve(Box<SolveMeasures>),
}

impl Measured {
    pub(super) fn row(&self) -> MeasuresRow<'_> {
        match self {
            Measured::Retarget(target, outcome) => {
                MeasuresRow::Retarget(Box::new(retarget::Measures::new(target, outcome)))
            }
            Measured::Compress(summary) => MeasuresRow::Compress(summary),
            Measured::Compare(summary) => MeasuresRow::Compare(summary),
            Measured::Edit(report) => MeasuresRow::Edit(report),
            Measured::Face(measures) => MeasuresRow::Face(measures),
            Measured::Solve(measures) => MeasuresRow::Solve(measures),
        }
    }
}

impl Measured {
    /// The figures that the table of the worst clips shows.
    pub(super) fn worst_figures(&self) -> Vec<Figure> {
        let error = |value| vec![Figure { name: "error", unit: "m", value }];
        match self {
            Measured::Retarget(_, outcome) => retarget::figures(outcome),
            Measured::Compress(summary) => error(summary.max_error),
            Measured::Compare(summary) => error(summary.max),
            Measured::Edit(report) => edit::figures(std::slice::from_ref(report)),
            Measured::Face(_) => Vec::new(),
            Measured::Solve(measures) => {
                let residual = |value| Figure { name: "residual", unit: "m", value };
                measures.report.residual.mean.map(residual).into_iter().collect()
            }
        }
    }
}

impl Row<'_> {
    /// The row in one line, among many: what was written.
    pub(super) fn line(&self) -> String {
        let Row { path, frames, joints, .. } = self;
        format!("{path}{}: {frames} frames at {} fps, {joints} joints", self.written(), short(self.fps))
    }

    fn written(&self) -> String {
        match &self.outputs[..] {
            [] if self.passed => String::new(),
            [] => " -> nothing".to_owned(),
            outputs => {
                let paths: Vec<&str> = outputs.iter().map(|output| output.path.as_str()).collect();
                format!(" -> {}", paths.join(", "))
            }
        }
    }

    /// The row for people: what was written, and a line for each step that measured something.
    pub(super) fn text(&self) -> String {
        let mut text = self.line();
        for StepRow { step, measures, .. } in &self.steps {
            let measured = match measures {
                MeasuresRow::Retarget(measures) => measures.line(),
                MeasuresRow::Compress(measures) => measures.line(),
                MeasuresRow::Compare(measures) => measures.line(),
                MeasuresRow::Edit(report) => report.to_string(),
                MeasuresRow::Face(measures) => measures.text(),
                MeasuresRow::Solve(measures) => measures.line(),
            };
            text.push_str(&format!("\n  {step:<11} {measured}"));
        }
        text
    }
}
