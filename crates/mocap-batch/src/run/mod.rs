//! Runs jobs in parallel, the largest first, and returns results in the order of the jobs. A broken job does not
//! affect others, a slow one does not block others, and each result is recorded immediately.

mod observer;
mod order;
mod outcome;
mod queue;
mod summary;
mod watchdog;
mod workers;

pub use observer::Observer;
pub use outcome::Outcome;
pub use summary::Summary;

use std::num::NonZero;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::context::JobContext;
use crate::error::{BatchError, JobError};
use crate::interrupt::{self, GracefulRun};
use crate::manifest::{ManifestOptions, ManifestWriter};
use crate::plan::{Destination, Job};
use crate::report::JobReport;
use order::Order;
use workers::Workers;

/// Interval at which the run checks time limits.
const TICK: Duration = Duration::from_millis(100);

/// How jobs are run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Parallel jobs; 0 (the default): the number of CPU cores. Results do not depend on it.
    pub jobs: usize,
    /// Start no further job after one that failed.
    pub fail_fast: bool,
    /// Time limit of each job; no limit by default.
    pub timeout: Option<Duration>,
    /// The manifest to keep; none by default.
    pub manifest: Option<ManifestOptions>,
}

/// Runs `work` on every job, and reports each outcome to the observer.
///
/// A panic of the work fails only its job. An [interrupt](crate::interrupt) drops the jobs in
/// flight and ends the run. With one job and no manifest, an interrupt ends the process instead,
/// since the job may wait for a stdin that never comes.
///
/// ```
/// use mocap_batch::{BatchError, Input, Job, JobContext, RunOptions, Tally, report_jobs, run};
///
/// let jobs = report_jobs(["a.bvh", "b.bvh"].map(|name| Input::named(name.as_ref())).into());
/// let count = |_: &Job, _: &JobContext| Ok::<_, BatchError>(Tally { frames: 10, ..Tally::default() });
/// let summary = run(&jobs, &RunOptions::default(), count, &mut ())?;
/// assert_eq!((summary.ok, summary.tally.frames), (2, 20));
/// # Ok::<(), BatchError>(())
/// ```
///
/// # Errors
/// If the manifest cannot be used, or the threads cannot be started. Errors of jobs are outcomes;
/// an error that ends the run early is in [`Summary::fatal`].
pub fn run<R, E, W, O>(
    jobs: &[Job],
    options: &RunOptions,
    work: W,
    observer: &mut O,
) -> Result<Summary, BatchError>
where
    R: JobReport,
    E: JobError,
    W: Fn(&Job, &JobContext) -> Result<R, E> + Sync,
    O: Observer<R, E>,
{
    let orderly = (jobs.len() > 1 || options.manifest.is_some()).then(GracefulRun::begin);
    let count = worker_count(options.jobs, jobs.len());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build()
        .map_err(|error| BatchError::NoThread(error.to_string()))?;
    let manifest =
        options.manifest.as_ref().map(|manifest| ManifestWriter::open(manifest, jobs)).transpose()?;
    let (sender, results) = mpsc::channel();
    let workers = Workers::new(jobs, options, &work, manifest, sender);
    let started = Instant::now();
    // A stuck thread of the pool is replaced by one outside of it.
    Ok(std::thread::scope(|replacements| {
        pool.in_place_scope(|scope| {
            for _ in 0..count {
                workers.enter();
                scope.spawn(|_| workers.work_through());
            }
            let mut collector = Collector::new(&workers, observer);
            while collector.ended < jobs.len() {
                // A worker sends its result before it leaves.
                let nobody = workers.working() == 0;
                match results.recv_timeout(TICK) {
                    Ok((i, outcome)) => collector.add(i, outcome),
                    // Only stuck jobs are left, or jobs that no worker will take.
                    Err(_) if nobody => break,
                    Err(_) => {}
                }
                for (i, outcome) in workers.abandon_overdue() {
                    collector.add(i, outcome);
                    if collector.ended < jobs.len() {
                        workers.replace_stuck(replacements, count);
                    } else {
                        workers.lose_worker();
                    }
                }
                collector.report_due();
                collector.tick();
            }
            let summary = collector.finish(started.elapsed().as_secs_f64(), orderly);
            if !workers.in_flight().is_empty() {
                observer.stuck(&summary);
            }
            summary
        })
    }))
}

/// The number of workers for this many jobs.
fn worker_count(asked: usize, jobs: usize) -> usize {
    let count = match asked {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        asked => asked,
    };
    count.min(jobs).max(1)
}

/// Collects outcomes and passes them on in order.
struct Collector<'a, W, R, E, O> {
    workers: &'a Workers<'a, W, R, E>,
    observer: &'a mut O,
    order: Order<Outcome<R, E>>,
    summary: Summary,
    /// Jobs that have ended.
    ended: usize,
    interrupted: bool,
    /// Whether all jobs only report.
    reports_only: bool,
}

impl<'a, W, R, E, O> Collector<'a, W, R, E, O>
where
    R: JobReport,
    E: JobError,
    O: Observer<R, E>,
{
    fn new(workers: &'a Workers<'a, W, R, E>, observer: &'a mut O) -> Self {
        let jobs = workers.jobs;
        Collector {
            workers,
            observer,
            order: Order::new(),
            summary: Summary { jobs: jobs.len(), ..Summary::default() },
            ended: 0,
            interrupted: false,
            reports_only: jobs.iter().all(|job| job.destination == Destination::Nowhere),
        }
    }

    fn add(&mut self, i: usize, outcome: Outcome<R, E>) {
        self.observer.ended(&self.workers.jobs[i], &outcome);
        self.order.insert(i, outcome);
        self.ended += 1;
    }

    fn report_due(&mut self) {
        while let Some((i, outcome)) = self.order.next() {
            self.workers.queue.reported(outcome.size());
            self.summary.add(&outcome);
            self.observer.report(&self.workers.jobs[i], outcome);
        }
    }

    fn tick(&mut self) {
        if interrupt::requested() && !std::mem::replace(&mut self.interrupted, true) {
            self.observer.interrupted();
        }
        self.observer.tick();
        if self.reports_only && self.observer.is_closed() {
            self.workers.stop();
        }
    }

    /// Reports the outcomes that still wait, and completes the summary.
    fn finish(mut self, seconds: f64, orderly: Option<GracefulRun>) -> Summary {
        for (i, outcome) in self.order.into_rest() {
            self.summary.add(&outcome);
            self.observer.report(&self.workers.jobs[i], outcome);
        }
        self.summary.not_started += self.workers.jobs.len() - self.ended;
        self.summary.seconds = seconds;
        self.summary.interrupted = orderly.map_or_else(interrupt::requested, GracefulRun::end);
        self.summary.fatal = self.workers.fatal().cloned();
        self.summary
    }
}
