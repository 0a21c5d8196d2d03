//! Watchdog: reports jobs that exceed the time limit without reaching a check, and replaces their workers.

use std::thread::Scope;
use std::time::Duration;

use super::workers::Workers;
use super::{Outcome, RunOptions};
use crate::context::JobContext;
use crate::error::{BatchError, JobError};
use crate::plan::Job;
use crate::report::JobReport;

/// Time beyond its limit that a job gets to reach a check.
const GRACE: Duration = Duration::from_millis(500);
/// Number of stuck threads per worker at which the run ends, since the memory of each is lost.
const MOST_STUCK: usize = 4;

impl<W, R, E> Workers<'_, W, R, E>
where
    W: Fn(&Job, &JobContext) -> Result<R, E> + Sync,
    R: JobReport,
    E: JobError,
{
    /// Takes overdue jobs from their workers; returns their outcomes.
    pub(super) fn abandon_overdue(&self) -> Vec<(usize, Outcome<R, E>)> {
        let RunOptions { timeout: Some(time), .. } = *self.options else { return Vec::new() };
        let in_flight = self.in_flight();
        let overdue = in_flight.iter().filter(|(_, job)| job.since.elapsed() > time + GRACE);
        let abandoned: Vec<_> = overdue
            .filter(|(_, job)| job.context.abandon())
            .map(|(&i, job)| (i, job.context.clone()))
            .collect();
        drop(in_flight);
        let decided = abandoned.into_iter().map(|(i, context)| {
            let outcome = Outcome::Failed(BatchError::TimedOut(time).into());
            (i, self.settle(&self.jobs[i], &context, outcome, time.as_secs_f64()))
        });
        decided.collect()
    }

    /// Starts replacements for stuck workers; `workers` is the number with which the run began.
    pub(super) fn replace_stuck<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, workers: usize)
    where
        W: 'scope,
        R: 'scope,
        E: 'scope,
    {
        let stuck = self.lose_worker();
        if self.is_ending() {
            return;
        }
        if stuck >= (MOST_STUCK * workers).cast_signed() {
            return self.fail(BatchError::Stuck(stuck.unsigned_abs()));
        }
        self.enter();
        if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, || self.work_through()) {
            self.leave();
            self.fail(BatchError::NoThread(error.to_string()));
        }
    }
}
