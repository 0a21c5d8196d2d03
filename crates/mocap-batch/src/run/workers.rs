//! The workers: each takes jobs until none is left, and records what it did.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use super::queue::Queue;
use super::{Outcome, RunOptions};
use crate::context::JobContext;
use crate::error::{BatchError, FailureKind, JobError};
use crate::input::Source;
use crate::interrupt;
use crate::manifest::{Fault, JobRecord, ManifestWriter};
use crate::plan::{Destination, Job};
use crate::report::JobReport;

/// Data that all workers of a run share.
pub(super) struct Workers<'a, W, R, E> {
    pub(super) jobs: &'a [Job],
    pub(super) options: &'a RunOptions,
    work: &'a W,
    manifest: Option<ManifestWriter>,
    pub(super) queue: Queue,
    results: Sender<(usize, Outcome<R, E>)>,
    /// Whether no further job is started.
    stop: AtomicBool,
    /// Why the run as a whole cannot continue.
    fatal: OnceLock<BatchError>,
    in_flight: Mutex<BTreeMap<usize, InFlight>>,
    /// Number of threads that take jobs.
    working: AtomicUsize,
    /// Number of threads that have not returned from a job that timed out. A thread that returns at once may be
    /// subtracted first.
    stuck: AtomicIsize,
}

/// A job that a worker is working on.
pub(super) struct InFlight {
    pub(super) since: Instant,
    pub(super) context: Arc<JobContext>,
}

impl<'a, W, R, E> Workers<'a, W, R, E> {
    pub(super) fn new(
        jobs: &'a [Job],
        options: &'a RunOptions,
        work: &'a W,
        manifest: Option<ManifestWriter>,
        results: Sender<(usize, Outcome<R, E>)>,
    ) -> Workers<'a, W, R, E> {
        Workers {
            jobs,
            options,
            work,
            manifest,
            queue: Queue::new(jobs),
            results,
            stop: AtomicBool::new(false),
            fatal: OnceLock::new(),
            in_flight: Mutex::default(),
            working: AtomicUsize::new(0),
            stuck: AtomicIsize::new(0),
        }
    }

    /// Stops starting jobs.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether no further job is started.
    pub(super) fn is_ending(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || interrupt::requested()
    }

    /// Ends the run because of an error; the first error counts.
    pub(super) fn fail(&self, error: BatchError) {
        let _ = self.fatal.set(error);
        self.stop();
    }

    /// Why the run as a whole could not continue.
    pub(super) fn fatal(&self) -> Option<&BatchError> {
        self.fatal.get()
    }

    pub(super) fn in_flight(&self) -> MutexGuard<'_, BTreeMap<usize, InFlight>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Threads that take jobs.
    pub(super) fn working(&self) -> usize {
        self.working.load(Ordering::SeqCst)
    }

    /// A thread begins to take jobs.
    pub(super) fn enter(&self) {
        self.working.fetch_add(1, Ordering::SeqCst);
    }

    /// A thread takes no more jobs.
    pub(super) fn leave(&self) {
        self.working.fetch_sub(1, Ordering::SeqCst);
    }

    /// Registers that a thread is stuck; returns how many are.
    pub(super) fn lose_worker(&self) -> isize {
        let stuck = self.stuck.fetch_add(1, Ordering::SeqCst) + 1;
        self.leave();
        stuck
    }
}

impl<W, R, E> Workers<'_, W, R, E>
where
    W: Fn(&Job, &JobContext) -> Result<R, E> + Sync,
    R: JobReport,
    E: JobError,
{
    /// Takes jobs until none is left. The thread was registered with [`Workers::enter`].
    pub(super) fn work_through(&self) {
        while let Some(i) = self.queue.take() {
            let job = &self.jobs[i];
            let begun = Instant::now();
            let context = Arc::new(JobContext::default());
            let attempt = || self.attempt(i, job, &context);
            // The panic message has been printed; other jobs continue.
            let outcome = catch_unwind(AssertUnwindSafe(attempt))
                .unwrap_or_else(|_| Outcome::Failed(BatchError::Panicked(None).into()));
            // Before the job leaves the list: from here on, the watchdog cannot abandon it.
            let mine = context.finish();
            self.in_flight().remove(&i);
            if !mine {
                // The job timed out; a replacement worker has taken over.
                context.undo();
                self.stuck.fetch_sub(1, Ordering::SeqCst);
                return;
            }
            let outcome = self.settle(job, &context, outcome, begun.elapsed().as_secs_f64());
            if self.results.send((i, outcome)).is_err() {
                break;
            }
        }
        self.leave();
    }

    fn attempt(&self, i: usize, job: &Job, context: &Arc<JobContext>) -> Outcome<R, E> {
        if self.is_ending() {
            return Outcome::NotStarted;
        }
        if let Source::Unreadable(_, error) = &job.input.source {
            return Outcome::Failed(error.as_ref().clone().into());
        }
        if let Destination::Exists(_) = job.destination {
            return Outcome::Skipped;
        }
        if let Some(manifest) = &self.manifest {
            if manifest.completed().contains(job) {
                return Outcome::Completed;
            }
            if let Err(error) = manifest.start(job) {
                self.fail(error);
                return Outcome::NotStarted;
            }
        }
        let since = Instant::now();
        self.in_flight().insert(i, InFlight { since, context: context.clone() });
        context.begin(self.options.timeout, self.manifest.as_ref().map_or("", ManifestWriter::tag));
        match (self.work)(job, context) {
            Ok(report) => Outcome::Done(report),
            // An interrupted job counts as neither done nor failed; another run starts it again.
            Err(error) if error.kind() == FailureKind::Interrupted => {
                context.undo();
                Outcome::NotStarted
            }
            Err(error) => Outcome::Failed(error),
        }
    }

    /// Records the outcome of a job and its effect on the run. There is an outcome in any case, because the run
    /// waits for it.
    pub(super) fn settle(
        &self,
        job: &Job,
        context: &JobContext,
        outcome: Outcome<R, E>,
        seconds: f64,
    ) -> Outcome<R, E> {
        let recorded = catch_unwind(AssertUnwindSafe(|| self.record(job, context, &outcome, seconds)));
        let outcome = match recorded {
            Ok(Ok(())) => outcome,
            // A job that the manifest could not record counts as not done.
            Ok(Err(error)) => {
                self.fail(error);
                Outcome::NotStarted
            }
            Err(_) => {
                self.fail(BatchError::Panicked(Some(job.input.shown())));
                Outcome::Failed(BatchError::Panicked(None).into())
            }
        };
        self.queue.waits(outcome.size());
        outcome
    }

    fn record(
        &self,
        job: &Job,
        context: &JobContext,
        outcome: &Outcome<R, E>,
        seconds: f64,
    ) -> Result<(), BatchError> {
        let error = match outcome {
            Outcome::Done(_) => None,
            Outcome::Failed(error) => Some(error),
            Outcome::Completed | Outcome::Skipped | Outcome::NotStarted => return Ok(()),
        };
        // What a job wrote although it missed a gate is kept, so that the user can look at it.
        if error.is_some_and(|error| error.kind() != FailureKind::GateMissed) {
            context.undo();
        }
        if error.is_some() && self.options.fail_fast {
            self.stop();
        }
        if let Some(error) = error.filter(|error| error.kind() == FailureKind::DiskFull) {
            // Other outputs would fail as well.
            self.fail(BatchError::DiskFull(error.message()));
        }
        let files = context.take_files();
        let Some(manifest) = &self.manifest else { return Ok(()) };
        let record = JobRecord {
            error: error.map(|error| Fault { code: error.code().to_owned(), message: error.message() }),
            frames: outcome.tally().frames,
            // Digits below a millisecond are noise.
            seconds: (seconds * 1e3).round() / 1e3,
            files,
        };
        manifest.finish(job, record)
    }
}
