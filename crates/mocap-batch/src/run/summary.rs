//! The result of a run.

use super::Outcome;
use crate::error::{BatchError, FailureKind, JobError};
use crate::report::{JobReport, Tally};

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// All jobs.
    pub jobs: usize,
    /// Jobs that succeeded.
    pub ok: usize,
    /// Jobs that failed, or missed a gate.
    pub failed: usize,
    /// Those of the failed jobs that only missed a gate.
    pub gate_missed: usize,
    /// Jobs that were completed by an earlier run, or whose outputs exist.
    pub skipped: usize,
    /// Jobs that the run did not start before it ended, or dropped.
    pub not_started: usize,
    /// What all jobs processed.
    pub tally: Tally,
    /// Duration of the run (s).
    pub seconds: f64,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// Why the run ended before all jobs were done.
    pub fatal: Option<BatchError>,
}

impl Summary {
    pub(super) fn add<R: JobReport, E: JobError>(&mut self, outcome: &Outcome<R, E>) {
        *match outcome {
            Outcome::Done(_) => &mut self.ok,
            Outcome::Failed(_) => &mut self.failed,
            Outcome::Completed | Outcome::Skipped => &mut self.skipped,
            Outcome::NotStarted => &mut self.not_started,
        } += 1;
        self.gate_missed += usize::from(outcome.failure() == Some(FailureKind::GateMissed));
        self.tally += outcome.tally();
    }
}
