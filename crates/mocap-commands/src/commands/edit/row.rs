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
    /// What each edit changed, in the order in which they were applied.
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
        head + &reports_text(self.edits)
    }
}

/// A line for each report.
pub(crate) fn reports_text(reports: &[EditReport]) -> String {
    reports.iter().map(|report| format!("\n  {report}")).collect()
}
