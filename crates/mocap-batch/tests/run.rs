//! Runs over real files: order, failures, time limits, resuming.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use mocap_batch::manifest::{Manifest, ManifestOptions};
use mocap_batch::{
    BatchError, Destination, FailureKind, Input, InputOptions, Job, JobContext, JobError, Naming, Observer,
    Outcome, OutputOptions, ReadFiles, RunOptions, Tally, find_inputs, plan_outputs, run,
};

/// Files `0.txt`, `1.txt` and so on, and where their copies go.
struct Files {
    directory: tempfile::TempDir,
}

impl Files {
    fn new(count: usize) -> Files {
        let files = Files { directory: tempfile::tempdir().unwrap() };
        std::fs::create_dir(files.path("in")).unwrap();
        for i in 0..count {
            // The first are the smallest, so the work begins with the last.
            std::fs::write(files.path(&format!("in/{i}.txt")), "x".repeat(i + 1)).unwrap();
        }
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn jobs(&self, resume: bool) -> Vec<Job> {
        let options = InputOptions { inputs: vec![self.path("in")], ..InputOptions::default() };
        let inputs = find_inputs(&options, &["txt"]).unwrap();
        let output = Some(self.path("out/"));
        let options = OutputOptions { output, resume, ..OutputOptions::default() };
        let derive = |input: &Input| Some(input.relative.with_extension("copy"));
        let naming = Naming { derive: &derive, companions: &|_| Vec::new(), reads: ReadFiles::NONE };
        plan_outputs(inputs, &options, &naming).unwrap()
    }

    fn manifest(&self, resume: bool) -> ManifestOptions {
        let (path, directory) = (self.path("manifest.jsonl"), Some(self.path("out")));
        ManifestOptions { path, directory, resume, command: "copy".into(), ..ManifestOptions::default() }
    }

    fn outputs(&self) -> Vec<String> {
        let entries = self.path("out").read_dir().into_iter().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn copy<E: JobError>(job: &Job, context: &JobContext) -> Result<Tally, E> {
    let bytes = context.read(&job.input, 1 << 20)?;
    let Destination::File { path, replace } = &job.destination else { return Ok(Tally::default()) };
    let bytes_out = context.write(&[(path.as_path(), &|out| out.write_all(&bytes))], *replace)?;
    Ok(Tally { frames: 1, bytes_in: bytes.len() as u64, bytes_out })
}

/// An error of the kind that a test wants.
#[derive(Debug)]
struct Failed(FailureKind);

impl From<BatchError> for Failed {
    fn from(error: BatchError) -> Failed {
        Failed(error.kind())
    }
}

impl JobError for Failed {
    fn kind(&self) -> FailureKind {
        self.0
    }
    fn code(&self) -> &str {
        "test::failed"
    }
    fn message(&self) -> String {
        "the test wants it".into()
    }
}

/// Notes what it is told.
#[derive(Default)]
struct Notes {
    reported: Vec<String>,
    ended: usize,
}

impl<R, E> Observer<R, E> for Notes {
    fn ended(&mut self, _: &Job, _: &Outcome<R, E>) {
        self.ended += 1;
    }
    fn report(&mut self, job: &Job, outcome: Outcome<R, E>) {
        let how = match outcome {
            Outcome::Done(_) => "done",
            Outcome::Failed(_) => "failed",
            Outcome::Completed => "completed",
            Outcome::Skipped => "skipped",
            Outcome::NotStarted => "not started",
        };
        self.reported.push(format!("{} {how}", job.input.relative.display()));
    }
}

fn is(job: &Job, name: &str) -> bool {
    job.input.relative == Path::new(name)
}

#[test]
fn results_come_in_order_and_one_failure_affects_no_other() {
    let files = Files::new(5);
    let mut notes = Notes::default();
    let work = |job: &Job, context: &JobContext| match is(job, "2.txt") {
        true => {
            copy::<Failed>(job, context)?;
            Err(Failed(FailureKind::Failed))
        }
        false if is(job, "3.txt") => panic!("a panic fails its job only"),
        false => copy(job, context),
    };
    let summary = run(&files.jobs(false), &RunOptions { jobs: 2, ..RunOptions::default() }, work, &mut notes);
    let summary = summary.unwrap();
    assert_eq!((summary.jobs, summary.ok, summary.failed, summary.gate_missed), (5, 3, 2, 0));
    assert_eq!(notes.reported, ["0.txt done", "1.txt done", "2.txt failed", "3.txt failed", "4.txt done"]);
    assert_eq!((notes.ended, summary.tally.frames), (5, 3));
    // A failed job leaves no output.
    assert_eq!(files.outputs(), ["0.copy", "1.copy", "4.copy"]);
}

#[test]
fn kinds_of_failures_decide() {
    for (kind, outputs, failed, not_started) in [
        (FailureKind::GateMissed, 3, 3, 0),
        (FailureKind::Failed, 0, 3, 0),
        (FailureKind::Interrupted, 0, 0, 3),
        // The first one ends the run.
        (FailureKind::DiskFull, 0, 1, 2),
    ] {
        let files = Files::new(3);
        let work = |job: &Job, context: &JobContext| -> Result<Tally, Failed> {
            copy::<Failed>(job, context)?;
            Err(Failed(kind))
        };
        let options = RunOptions { jobs: 1, ..RunOptions::default() };
        let summary = run(&files.jobs(false), &options, work, &mut ()).unwrap();
        assert_eq!(
            (files.outputs().len(), summary.failed, summary.not_started),
            (outputs, failed, not_started)
        );
        assert_eq!(summary.gate_missed, if kind == FailureKind::GateMissed { 3 } else { 0 });
        assert_eq!(summary.fatal.is_some(), kind == FailureKind::DiskFull, "{kind:?}");
    }
}

#[test]
fn fail_fast_starts_no_further_job() {
    let files = Files::new(4);
    let started = AtomicUsize::new(0);
    let work = |_: &Job, _: &JobContext| -> Result<Tally, Failed> {
        started.fetch_add(1, Ordering::Relaxed);
        Err(Failed(FailureKind::Failed))
    };
    let options = RunOptions { jobs: 1, fail_fast: true, ..RunOptions::default() };
    let summary = run(&files.jobs(false), &options, work, &mut ()).unwrap();
    assert_eq!((summary.failed, summary.not_started, started.into_inner()), (1, 3, 1));
}

#[test]
fn a_job_that_reaches_no_check_is_reported_and_replaced() {
    let files = Files::new(4);
    let (others, changed) = (Mutex::new(0), Condvar::new());
    let work = |job: &Job, context: &JobContext| {
        if is(job, "3.txt") {
            // It ends after the others, so another worker must do them.
            drop(changed.wait_while(others.lock().unwrap(), |others| *others < 3).unwrap());
            return copy::<BatchError>(job, context);
        }
        let done = copy::<BatchError>(job, context);
        *others.lock().unwrap() += 1;
        changed.notify_all();
        done
    };
    /// When the other jobs were done.
    #[derive(Default)]
    struct Order(Vec<String>);
    impl Observer<Tally, BatchError> for Order {
        fn ended(&mut self, job: &Job, outcome: &Outcome<Tally, BatchError>) {
            let code = if let Outcome::Failed(error) = outcome { error.code() } else { "done" };
            self.0.push(format!("{} {code}", job.input.relative.display()));
        }
    }
    // The time limit applies to the other jobs as well: 3 s are enough for them on a busy machine.
    let timeout = Some(Duration::from_secs(3));
    let options = RunOptions { jobs: 1, timeout, ..RunOptions::default() };
    let mut order = Order::default();
    let summary = run(&files.jobs(false), &options, work, &mut order).unwrap();
    assert_eq!((summary.ok, summary.failed), (3, 1));
    assert_eq!(order.0[0], "3.txt batch::timeout");
    // The output of the job that timed out is discarded.
    assert_eq!(files.outputs(), ["0.copy", "1.copy", "2.copy"]);
}

#[test]
fn a_resumed_run_does_what_is_missing() {
    let files = Files::new(3);
    let options = |resume| RunOptions { manifest: Some(files.manifest(resume)), ..RunOptions::default() };
    let work = |job: &Job, context: &JobContext| match is(job, "1.txt") {
        true => Err(Failed(FailureKind::Failed)),
        false => copy(job, context),
    };
    assert_eq!(run(&files.jobs(false), &options(false), work, &mut ()).unwrap().failed, 1);
    let manifest = Manifest::open(&files.path("manifest.jsonl")).unwrap();
    assert_eq!((manifest.clips.len(), manifest.unfinished.len()), (3, 0));

    std::fs::write(files.path("in/2.txt"), "changed").unwrap();
    let mut notes = Notes::default();
    let done = Mutex::new(Vec::new());
    let work = |job: &Job, context: &JobContext| {
        done.lock().unwrap().push(job.input.relative.clone());
        copy::<BatchError>(job, context)
    };
    let summary = run(&files.jobs(true), &options(true), work, &mut notes).unwrap();
    assert_eq!((summary.ok, summary.skipped), (2, 1));
    assert_eq!(notes.reported, ["0.txt completed", "1.txt done", "2.txt done"]);
    assert_eq!(std::fs::read(files.path("out/2.copy")).unwrap(), b"changed");

    let other = ManifestOptions { command: "move".into(), ..files.manifest(true) };
    let options = RunOptions { manifest: Some(other), ..RunOptions::default() };
    let refused = run(&files.jobs(true), &options, copy::<BatchError>, &mut ());
    assert_eq!(refused.unwrap_err().code(), "manifest::other-run");
}
