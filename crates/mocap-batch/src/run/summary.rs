//! The result of a run.

use schemars::JsonSchema;
use serde::Serialize;

use super::Outcome;
use crate::counted;
use crate::error::{BatchError, FailureKind, JobError};
use crate::report::{JobReport, Tally};

/// The result of a run: in JSON the last row of a run over several inputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename = "summary")]
#[schemars(rename = "Summary")]
pub struct Summary {
    /// All jobs.
    #[serde(rename = "clips")]
    pub jobs: usize,
    /// Jobs that succeeded.
    pub ok: usize,
    /// Jobs that left their input out, as they were asked to: nothing was written of it.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Jobs that failed, or missed a gate.
    pub failed: usize,
    /// Those of the failed jobs that only missed a gate.
    #[serde(skip)]
    pub gate_missed: usize,
    /// Jobs that were completed by an earlier run, or whose outputs exist.
    pub skipped: usize,
    /// Jobs that the run did not start before it ended, or dropped: a later run starts them.
    #[serde(rename = "not_begun")]
    pub not_started: usize,
    /// What all jobs processed.
    #[serde(flatten)]
    pub tally: Tally,
    /// Duration of the run (s).
    pub seconds: f64,
    /// Whether the run was interrupted.
    #[serde(skip)]
    pub interrupted: bool,
    /// Why the run ended before all jobs were done.
    #[serde(skip)]
    pub fatal: Option<BatchError>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Summary {
    /// The counts in one line for people.
    pub fn text(&self) -> String {
        let counts = [
            (self.left_out, "left out"),
            (self.failed - self.gate_missed, "failed"),
            (self.gate_missed, "missed a gate"),
            (self.skipped, "skipped"),
            (self.not_started, "not started"),
        ];
        let others = counts.into_iter().filter(|(count, _)| *count > 0);
        let others: String = others.map(|(count, name)| format!(", {count} {name}")).collect();
        let interrupted = if self.interrupted { "interrupted: " } else { "" };
        let Summary { jobs, ok, tally, seconds, .. } = self;
        let (inputs, frames) = (counted(*jobs, "input"), counted(tally.frames, "frame"));
        format!("{interrupted}{inputs}: {ok} ok{others}; {frames} in {seconds:.2} s")
    }

    pub(super) fn add<R: JobReport, E: JobError>(&mut self, outcome: &Outcome<R, E>) {
        *match outcome {
            Outcome::Done(report) if report.is_left_out() => &mut self.left_out,
            Outcome::Done(_) => &mut self.ok,
            Outcome::Failed(_) => &mut self.failed,
            Outcome::Completed | Outcome::Skipped => &mut self.skipped,
            Outcome::NotStarted => &mut self.not_started,
        } += 1;
        self.gate_missed += usize::from(outcome.failure() == Some(FailureKind::GateMissed));
        self.tally += outcome.tally();
    }
}
