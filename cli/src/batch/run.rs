//! The work itself: jobs in parallel, results in the order of the jobs, one broken clip breaks no other.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use serde::Serialize;

use super::progress::Progress;
use super::{Destination, Job, Source};
use crate::args::{Global, Outputs, Selection};
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;

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

/// How jobs are run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunOptions {
    /// Jobs at the same time; 0: one a core.
    pub(crate) threads: usize,
    pub(crate) fail_fast: bool,
    pub(crate) dry_run: bool,
    /// Show every warning with its line of the file, however many inputs there are.
    pub(crate) full_warnings: bool,
    /// The command shows how far it is with its only input.
    pub(crate) own_progress: bool,
}

impl RunOptions {
    /// As the arguments say.
    pub(crate) fn new(selection: &Selection, outputs: Option<&Outputs>) -> RunOptions {
        RunOptions {
            threads: selection.jobs.map_or(0, usize::from),
            fail_fast: selection.fail_fast,
            dry_run: outputs.is_some_and(|outputs| outputs.dry_run),
            full_warnings: false,
            own_progress: false,
        }
    }
}

/// The last row where there was more than one input.
#[derive(Debug, Default, Serialize)]
struct Summary {
    r#type: &'static str,
    clips: usize,
    ok: usize,
    failed: usize,
    skipped: usize,
    frames: usize,
    bytes_in: u64,
    bytes_out: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct ErrorRow<'a> {
    path: &'a str,
    error: &'a Diagnostic,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [Diagnostic],
}

#[derive(Serialize)]
struct PlanRow<'a> {
    path: &'a str,
    output: String,
    action: &'static str,
}

/// What became of a job.
enum Outcome {
    Done(Report),
    Failed(Failure),
    /// Its output exists, or an earlier job failed and `--fail-fast` was given.
    Skipped,
}

/// Runs `work` on every job and reports to the console.
pub(crate) fn run(
    console: &mut Console,
    global: &Global,
    options: RunOptions,
    jobs: &[Job],
    work: impl Fn(&Job) -> Result<Report, Failure> + Sync,
) -> Exit {
    if options.dry_run {
        return print_plan(console, global, jobs);
    }
    let started = Instant::now();
    let mut summary = Summary { r#type: "summary", clips: jobs.len(), ..Summary::default() };
    // Among many clips a warning is one line; alone it is shown with its line of the file.
    let brief = jobs.len() > 1 && !options.full_warnings;
    let detail = if brief { Detail::Line } else { Detail::Full };
    let progress = Progress::new(global.progress, if options.own_progress { &[] } else { jobs });
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = mpsc::channel();
    let worker = |sender: &mpsc::Sender<(usize, Outcome)>| {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(i) else { break };
            let outcome = if stop.load(Ordering::Relaxed) { Outcome::Skipped } else { attempt(job, &work) };
            if options.fail_fast && outcome.is_failure() {
                stop.store(true, Ordering::Relaxed);
            }
            if sender.send((i, outcome)).is_err() {
                break;
            }
        }
    };
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(options.threads).build() {
        Ok(pool) => pool,
        Err(error) => return console.usage_error(&Diagnostic::new("io::threads", error.to_string())),
    };
    std::thread::scope(|scope| {
        let (pool, worker) = (&pool, &worker);
        // The sender goes with the thread: when all work is done, the loop below ends.
        scope.spawn(move || pool.broadcast(|_| worker(&sender)));
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (i, outcome) in results {
            progress.advance(&jobs[i]);
            waiting.insert(i, outcome);
            while let Some(outcome) = waiting.remove(&due) {
                progress.suspend(|| tell(console, global, detail, (&jobs[due], outcome), &mut summary));
                due += 1;
            }
            // Nobody reads the rows of a command that only reports: there is nothing left to do.
            if console.is_closed() && jobs.iter().all(|job| job.destination == Destination::Nowhere) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    progress.finish();
    summary.seconds = started.elapsed().as_secs_f64();
    if jobs.len() > 1 && !console.is_closed() {
        tell_summary(console, global, &summary);
    }
    if summary.failed > 0 { Exit::ClipFailed } else { Exit::Success }
}

impl Outcome {
    fn is_failure(&self) -> bool {
        match self {
            Outcome::Done(report) => !report.errors.is_empty(),
            Outcome::Failed(_) => true,
            Outcome::Skipped => false,
        }
    }
}

fn attempt(job: &Job, work: &(impl Fn(&Job) -> Result<Report, Failure> + Sync)) -> Outcome {
    if let Source::Unreadable(_, trouble) = &job.input.source {
        return Outcome::Failed(trouble.as_ref().clone().into());
    }
    if let Destination::Exists(_) = job.destination {
        return Outcome::Skipped;
    }
    match catch_unwind(AssertUnwindSafe(|| work(job))) {
        Ok(Ok(report)) => Outcome::Done(report),
        Ok(Err(failure)) => Outcome::Failed(failure),
        // The panic has been printed; the other clips go on.
        Err(_) => Outcome::Failed(
            Diagnostic::new("internal::panic", "mocap itself failed on this input; please report it").into(),
        ),
    }
}

fn tell(
    console: &mut Console,
    global: &Global,
    detail: Detail,
    (job, outcome): (&Job, Outcome),
    summary: &mut Summary,
) {
    let path = job.input.shown();
    match outcome {
        Outcome::Skipped => {
            summary.skipped += 1;
            if let Destination::Exists(output) = &job.destination {
                let row = PlanRow { path: &path, output: output.display().to_string(), action: "skip" };
                console.row(global, &json(&row), &format!("{path}: left out, '{}' exists", row.output));
            }
        }
        Outcome::Failed(Failure { error, warnings }) => {
            summary.failed += 1;
            if global.json {
                console.row(global, &json(&ErrorRow { path: &path, error: &error, warnings: &warnings }), "");
            } else {
                console.warnings(&path, &warnings, detail);
            }
            console.error(Some(&path), &error);
        }
        Outcome::Done(report) => {
            let failed = !report.errors.is_empty();
            *(if failed { &mut summary.failed } else { &mut summary.ok }) += 1;
            summary.frames += report.tally.frames;
            summary.bytes_in += report.tally.bytes_in;
            summary.bytes_out += report.tally.bytes_out;
            if !global.json {
                console.warnings(&path, &report.warnings, detail);
            }
            for error in &report.errors {
                console.error(Some(&path), error);
            }
            if job.destination != Destination::Stdout {
                console.row(global, &report.json, &report.text);
            }
        }
    }
}

fn tell_summary(console: &mut Console, global: &Global, summary: &Summary) {
    if global.json {
        return console.row(global, &json(summary), "");
    }
    let mut parts = vec![format!("{} ok", summary.ok)];
    if summary.failed > 0 {
        parts.push(format!("{} failed", summary.failed));
    }
    if summary.skipped > 0 {
        parts.push(format!("{} skipped", summary.skipped));
    }
    console.note(&format!(
        "{} inputs: {}; {} frames in {:.2} s",
        summary.clips,
        parts.join(", "),
        summary.frames,
        summary.seconds
    ));
}

fn print_plan(console: &mut Console, global: &Global, jobs: &[Job]) -> Exit {
    for job in jobs {
        let path = job.input.shown();
        let (output, action) = match &job.destination {
            Destination::Nowhere => (String::new(), "read"),
            Destination::Stdout => ("-".into(), "write"),
            Destination::File { path, .. } if path.exists() => (path.display().to_string(), "overwrite"),
            Destination::File { path, .. } => (path.display().to_string(), "write"),
            Destination::Exists(path) => (path.display().to_string(), "skip"),
        };
        let text = format!("{action} {path} -> {output}");
        console.row(global, &json(&PlanRow { path: &path, output, action }), &text);
    }
    Exit::Success
}

/// A row as one line of JSON.
pub(crate) fn json(row: &impl Serialize) -> String {
    serde_json::to_string(row).expect("rows have string keys")
}
