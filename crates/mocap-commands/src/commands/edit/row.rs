//! The row of an edited motion.

use mocap::short;
use mocap_edit::{EditMetric, EditReport};
use mocap_retarget::GateResult;
use schemars::JsonSchema;
use serde::Serialize;

use crate::batch::Figure;
use crate::diagnostic::Diagnostic;

/// A row of `mocap edit --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row<'a> {
    pub(super) path: String,
    /// Empty where a gate was missed: nothing was written then.
    pub(super) output: String,
    pub(super) frames: usize,
    pub(super) fps: f64,
    /// Without End Sites.
    pub(super) joints: usize,
    /// The characters of a file of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) subjects: Vec<String>,
    /// What each edit changed, in the order in which they were applied; of several characters, those of the first one,
    /// then those of the next.
    pub(super) edits: &'a [EditReport],
    pub(super) gates: Vec<GateResult>,
    pub(super) input_bytes: u64,
    pub(super) bytes: u64,
    pub(super) warnings: &'a [Diagnostic],
}

impl Row<'_> {
    pub(super) fn text(&self) -> String {
        self.line() + &reports_of(&self.subjects, self.edits)
    }

    /// The row in one line, among many.
    pub(super) fn line(&self) -> String {
        let Row { path, output, frames, joints, .. } = self;
        let written = if output.is_empty() { "not written" } else { output };
        format!("{path} -> {written}: {frames} frames at {} fps, {joints} joints", short(self.fps))
    }
}

/// Figures of edits for the table of the worst clips.
pub(crate) fn figures(reports: &[EditReport]) -> Vec<Figure> {
    let figure = |metric: &EditMetric| {
        Some(Figure { name: metric.name, unit: metric.unit, value: metric.of(reports)? })
    };
    EditMetric::ALL.iter().filter_map(figure).collect()
}

/// One line per report. For several characters, `reports` holds those of the first one, then those of the next;
/// the names stand above their lines.
pub(crate) fn reports_of(subjects: &[String], reports: &[EditReport]) -> String {
    if subjects.is_empty() {
        return reports_text(reports);
    }
    let each = reports.len() / subjects.len();
    let of_one = |(at, name): (usize, &String)| {
        format!("\n {name}:{}", reports_text(&reports[at * each..(at + 1) * each]))
    };
    subjects.iter().enumerate().map(of_one).collect()
}

/// One line per report.
fn reports_text(reports: &[EditReport]) -> String {
    reports.iter().map(|report| format!("\n  {report}")).collect()
}
