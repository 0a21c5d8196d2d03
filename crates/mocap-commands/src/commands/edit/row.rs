//! The row of an edited motion.

use mocap::short;
use mocap_edit::EditReport;
use mocap_retarget::GateResult;
use schemars::JsonSchema;
use serde::Serialize;

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
        let Row { path, output, frames, joints, .. } = self;
        let written = if output.is_empty() { "not written" } else { output };
        let head =
            format!("{path} -> {written}: {frames} frames at {} fps, {joints} joints", short(self.fps));
        if self.subjects.is_empty() {
            return head + &reports_text(self.edits);
        }
        let each = self.edits.len() / self.subjects.len();
        let of_one = |(at, name): (usize, &String)| {
            format!("\n {name}:{}", reports_text(&self.edits[at * each..(at + 1) * each]))
        };
        head + &self.subjects.iter().enumerate().map(of_one).collect::<String>()
    }
}

/// A line for each report.
pub(crate) fn reports_text(reports: &[EditReport]) -> String {
    reports.iter().map(|report| format!("\n  {report}")).collect()
}
