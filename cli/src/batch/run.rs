//! The work itself: jobs in parallel, the biggest first, results in the order of the jobs. One broken clip breaks no
//! other, one that takes too long holds up no other, and what is done is recorded at once.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::attempt::{self, timeout};
use super::manifest::{Facts, Header, Known, Ledger, Outcome as Recorded};
use super::progress::Progress;
use super::queue::Queue;
use super::tell::{Summary, Teller, Told, Verdict, print_plan};
use super::{Destination, Job, RunOptions, Source};
use crate::args::Global;
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;
use crate::interrupt::{self, Orderly};

/// What one job has to say.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The row for `--json`.
    pub(crate) json: String,
    /// The same for people.
    pub(crate) text: String,
    /// The job failed where there is one.
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) tally: Tally,
}

impl Report {
    /// How the job counts.
    pub(super) fn verdict(&self) -> Verdict {
        match &self.errors[..] {
            [] => Verdict::Ok,
            errors if errors.iter().all(Diagnostic::is_gate) => Verdict::Missed,
            _ => Verdict::Failed,
        }
    }

    /// The error that stands for all: a fault before a gate that was missed.
    fn error(&self) -> Option<&Diagnostic> {
        self.errors.iter().find(|error| !error.is_gate()).or(self.errors.first())
    }
}

/// What a job went through.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) frames: usize,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
}

/// Why a job came to nothing.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Diagnostic,
    /// What was found before.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl From<Diagnostic> for Failure {
    fn from(error: Diagnostic) -> Failure {
        Failure { error, warnings: Vec::new() }
    }
}

/// What became of a job.
pub(super) enum Outcome {
    Done(Report),
    Failed(Failure),
    /// An earlier run has done it.
    Known,
    /// Its output exists.
    Skipped,
    /// The run ended before it was its turn, or before it was done: as if it had not been begun.
    NotBegun,
}

impl Outcome {
    /// How the job counts, and the error that says why.
    fn verdict(&self) -> (Verdict, Option<&Diagnostic>) {
        match self {
            Outcome::Done(report) => (report.verdict(), report.error()),
            Outcome::Failed(failure) => (Verdict::Failed, Some(&failure.error)),
            Outcome::Known | Outcome::Skipped => (Verdict::Skipped, None),
            Outcome::NotBegun => (Verdict::NotBegun, None),
        }
    }
}

/// How often the run looks at its clock.
const TICK: Duration = Duration::from_millis(100);
/// The time that a clip gets beyond its limit to come to a check by itself.
const GRACE: Duration = Duration::from_millis(500);
/// Threads that may be stuck, for each that works: so much memory is lost with them at most.
const STUCK: isize = 4;

/// What all threads of a run share.
struct Crew<'a, W> {
    jobs: &'a [Job],
    work: &'a W,
    options: &'a RunOptions,
    ledger: Option<Ledger>,
    queue: Queue,
    teller: Teller,
    /// No further job is begun.
    stop: AtomicBool,
    /// Why the run as a whole cannot go on.
    fatal: OnceLock<Diagnostic>,
    /// Jobs at hand, and since when.
    at_hand: Mutex<BTreeMap<usize, Instant>>,
    /// Threads that take jobs.
    working: AtomicUsize,
    /// Threads whose job was given up, and which have not come back; one that does so at once is counted off first.
    stuck: AtomicIsize,
}

/// Runs `work` on every job and reports to the console.
pub(crate) fn run(
    console: &mut Console,
    global: &Global,
    options: RunOptions,
    jobs: &[Job],
    work: impl Fn(&Job) -> Result<Report, Failure> + Sync,
) -> Exit {
    // One input alone ends at once: it may wait for a stdin that never comes.
    let orderly = (jobs.len() > 1 || options.manifest.is_some()).then(Orderly::begin);
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    let threads = threads.min(jobs.len()).max(1);
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool,
        Err(error) => return console.usage_error(&no_thread(&error)),
    };
    let ledger = match open(global, &options, jobs) {
        Ok(Opened::Ledger(ledger)) => ledger,
        Ok(Opened::Known(known)) => return print_plan(console, jobs, known.as_ref()),
        Err(error) => return console.usage_error(&error),
    };
    let started = Instant::now();
    let mut summary = Summary::of(jobs.len());
    // Among many clips a warning is one line; alone it is shown with its line of the file.
    let brief = jobs.len() > 1 && !options.full_warnings;
    let detail = if brief { Detail::Line } else { Detail::Full };
    let crew = Crew {
        jobs,
        work: &work,
        options: &options,
        ledger,
        queue: Queue::new(jobs),
        teller: Teller { voice: console.voice(), json: global.json, detail },
        stop: AtomicBool::new(false),
        fatal: OnceLock::new(),
        at_hand: Mutex::default(),
        working: AtomicUsize::new(threads),
        stuck: AtomicIsize::new(0),
    };
    let mut progress = Progress::new(global.progress, if options.own_progress { &[] } else { jobs });
    // A thread of the pool that does not come back leaves its place to one outside it.
    let exit = std::thread::scope(|spares| {
        pool.in_place_scope(|scope| {
            let (crew, progress) = (&crew, &mut progress);
            let (sender, results) = mpsc::channel();
            for _ in 0..threads {
                let sender = sender.clone();
                scope.spawn(move |_| crew.work_through(&sender));
            }
            // Kept only where a thread may have to be replaced: without it, the channel ends with the last thread.
            let spare = options.timeout.map(|_| sender.clone());
            drop(sender);
            let mut waiting = BTreeMap::new();
            let (mut due, mut told, mut noted) = (0, 0, false);
            while told < jobs.len() {
                let mut news = Vec::new();
                // What a thread has told, it has told before it counts as gone.
                let nobody = crew.working.load(Ordering::SeqCst) == 0;
                match results.recv_timeout(TICK) {
                    Ok(result) => news.push(result),
                    // Only jobs that are stuck are left to tell of, or that nobody is there to take.
                    Err(RecvTimeoutError::Timeout) if nobody => break,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                for i in crew.overdue() {
                    news.push((i, crew.give_up(i)));
                    let stuck = crew.stuck.fetch_add(1, Ordering::SeqCst) + 1;
                    crew.working.fetch_sub(1, Ordering::SeqCst);
                    if crew.ends() || told + news.len() == jobs.len() {
                        continue;
                    }
                    if stuck >= STUCK * threads.cast_signed() {
                        crew.give_in(too_many_stuck(stuck));
                        continue;
                    }
                    let sender = spare.clone();
                    crew.working.fetch_add(1, Ordering::SeqCst);
                    let work = move || sender.map(|sender| crew.work_through(&sender));
                    if let Err(error) = std::thread::Builder::new().spawn_scoped(spares, work) {
                        crew.working.fetch_sub(1, Ordering::SeqCst);
                        crew.give_in(no_thread(&error));
                    }
                }
                for (i, text) in news {
                    progress.advance(&jobs[i], &text);
                    waiting.insert(i, text);
                    told += 1;
                }
                while let Some(text) = waiting.remove(&due) {
                    summary.add(&text);
                    crew.queue.printed(text.size());
                    progress.suspend(|| text.print(console));
                    due += 1;
                }
                if interrupt::requested() && !std::mem::replace(&mut noted, true) {
                    let text = "interrupted: the inputs at hand are dropped; again stops at once";
                    progress.suspend(|| console.note(text));
                }
                progress.tick(console);
                // Nobody reads the rows of a command that only reports: there is nothing left to do.
                if console.is_closed() && jobs.iter().all(|job| job.destination == Destination::Nowhere) {
                    crew.stop.store(true, Ordering::Relaxed);
                }
            }
            // Where jobs before them were not told of, rows still wait.
            for text in waiting.into_values() {
                summary.add(&text);
                progress.suspend(|| text.print(console));
            }
            summary.leave_out(jobs.len() - told);
            progress.finish();
            summary.seconds = started.elapsed().as_secs_f64();
            let exit = crew.end(console, global, &summary);
            // A thread that comes to no end is not waited for.
            if !crew.at_hand().is_empty() {
                interrupt::leave(console.ended(exit));
            }
            exit
        })
    });
    drop(orderly);
    exit
}

enum Opened {
    Ledger(Option<Ledger>),
    /// For a dry run.
    Known(Option<Known>),
}

/// The manifest, where one is kept.
fn open(global: &Global, options: &RunOptions, jobs: &[Job]) -> Result<Opened, Diagnostic> {
    let Some(place) = &options.manifest else {
        return Ok(if options.dry_run { Opened::Known(None) } else { Opened::Ledger(None) });
    };
    let mut asked = global.invocation.options();
    asked.extend(options.depends_on.clone());
    let header = Header::new(&global.invocation.command, asked, place.shard);
    match options.dry_run {
        true => Ok(Opened::Known(Some(Known::look(place, &header)?))),
        false => Ok(Opened::Ledger(Some(Ledger::open(place, header, jobs)?))),
    }
}

impl<W: Fn(&Job) -> Result<Report, Failure> + Sync> Crew<'_, W> {
    /// Does one job after the other until none is left.
    fn work_through(&self, sender: &mpsc::Sender<(usize, Told)>) {
        while let Some(i) = self.queue.take() {
            let job = &self.jobs[i];
            let begun = Instant::now();
            let attempt = || if self.ends() { Outcome::NotBegun } else { self.attempt(i, job) };
            // The panic has been printed; the other clips go on.
            let outcome = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
                let message = "mocap itself failed on this input; please report it";
                Outcome::Failed(Diagnostic::new("internal::panic", message).into())
            });
            let mine = job.input.attempt.tell();
            self.at_hand().remove(&i);
            if !mine {
                // It was given up, and another thread is in the place of this one.
                job.input.attempt.undo();
                self.stuck.fetch_sub(1, Ordering::SeqCst);
                return;
            }
            let told = self.settle(job, outcome, begun);
            if sender.send((i, told)).is_err() {
                break;
            }
        }
        self.working.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether no further job is begun.
    fn ends(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || interrupt::requested()
    }

    fn at_hand(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, Instant>> {
        self.at_hand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attempt(&self, i: usize, job: &Job) -> Outcome {
        if let Source::Unreadable(_, trouble) = &job.input.source {
            return Outcome::Failed(trouble.as_ref().clone().into());
        }
        if let Destination::Exists(_) = job.destination {
            return Outcome::Skipped;
        }
        let tag = match &self.ledger {
            Some(ledger) if ledger.known().has_done(job) => return Outcome::Known,
            Some(ledger) => match ledger.start(job) {
                Ok(()) => ledger.tag(),
                Err(error) => return self.give_in(error),
            },
            None => "",
        };
        self.at_hand().insert(i, Instant::now());
        job.input.attempt.begin(self.options.timeout, tag);
        match (self.work)(job) {
            Ok(report) => Outcome::Done(report),
            // Neither done nor failed: another run begins it again.
            Err(failure) if failure.error.code == attempt::INTERRUPTED => {
                job.input.attempt.undo();
                Outcome::NotBegun
            }
            Err(failure) => Outcome::Failed(failure),
        }
    }

    /// The run cannot go on at all.
    fn give_in(&self, error: Diagnostic) -> Outcome {
        let _ = self.fatal.set(error);
        self.stop.store(true, Ordering::Relaxed);
        Outcome::NotBegun
    }

    /// Jobs whose time is up, and which came to no check.
    fn overdue(&self) -> Vec<usize> {
        let Some(most) = self.options.timeout else { return Vec::new() };
        let overdue = |&(&i, since): &(&usize, &Instant)| {
            since.elapsed() > most + GRACE && self.jobs[i].input.attempt.lose()
        };
        self.at_hand().iter().filter(overdue).map(|(&i, _)| i).collect()
    }

    /// Takes a job from the thread that works on it.
    fn give_up(&self, i: usize) -> Told {
        let most = self.options.timeout.unwrap_or_default();
        self.settle(&self.jobs[i], Outcome::Failed(timeout(most).into()), Instant::now() - most)
    }

    /// Records what became of a job, and makes the text that says it: there is one whatever happens, because the run
    /// waits for it.
    fn settle(&self, job: &Job, outcome: Outcome, begun: Instant) -> Told {
        catch_unwind(AssertUnwindSafe(|| self.settled(job, outcome, begun))).unwrap_or_else(|_| {
            let message = format!("mocap itself failed on '{}'; please report it", job.input.shown());
            self.give_in(Diagnostic::new("internal::panic", message));
            Told::lost()
        })
    }

    fn settled(&self, job: &Job, mut outcome: Outcome, begun: Instant) -> Told {
        let (verdict, failed) = outcome.verdict();
        // What misses a gate is written all the same: whoever set it wants to look at it.
        if verdict == Verdict::Failed {
            job.input.attempt.undo();
        }
        if failed.is_some() && self.options.fail_fast {
            self.stop.store(true, Ordering::Relaxed);
        }
        if let Some(error) = failed.filter(|error| error.code == "io::disk-full") {
            // No other output would fare better.
            let _ = self.fatal.set(
                Diagnostic::new("batch::disk-full", full(error))
                    .help("make room, and run again: with --resume what is done is left alone"),
            );
            self.stop.store(true, Ordering::Relaxed);
        }
        let recorded = match &outcome {
            Outcome::Known | Outcome::Skipped | Outcome::NotBegun => Ok(()),
            Outcome::Done(_) | Outcome::Failed(_) => self.record(job, &outcome, begun),
        };
        if let Err(error) = recorded {
            // What no manifest knows is as if it were not done.
            outcome = self.give_in(error);
        }
        let told = self.teller.tell(job, &outcome);
        self.queue.waits(told.size());
        told
    }

    fn record(&self, job: &Job, outcome: &Outcome, begun: Instant) -> Result<(), Diagnostic> {
        let (read, written) = job.input.attempt.take();
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let (_, error) = outcome.verdict();
        let tally = if let Outcome::Done(report) = outcome { report.tally } else { Tally::default() };
        let facts = Facts {
            result: if error.is_some() { Recorded::Failed } else { Recorded::Ok },
            error: error.map(Into::into),
            frames: tally.frames,
            // Finer than a millisecond is noise.
            seconds: (begun.elapsed().as_secs_f64() * 1e3).round() / 1e3,
            read,
            written,
        };
        ledger.finish(job, facts)
    }

    /// The last words, and how the process ends.
    fn end(&self, console: &mut Console, global: &Global, summary: &Summary) -> Exit {
        if let Some(error) = self.fatal.get() {
            console.error(None, error);
        }
        if (self.jobs.len() > 1 || self.options.sharded) && !console.is_closed() {
            summary.print(console, global);
        }
        if interrupt::requested() {
            return Exit::Interrupted;
        }
        if self.fatal.get().is_some() { Exit::ClipFailed } else { summary.exit() }
    }
}

fn no_thread(error: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::new("io::threads", format!("the system gives no thread to work with: {error}"))
}

fn too_many_stuck(stuck: isize) -> Diagnostic {
    let message =
        format!("the run ends here: {stuck} inputs at once took longer than --timeout and cannot be stopped");
    Diagnostic::new("batch::stuck", message)
        .help("leave them out with --exclude, or allow more time with --timeout")
}

fn full(error: &Diagnostic) -> String {
    format!("the run ends here, because the disk is full: {}", error.message)
}
