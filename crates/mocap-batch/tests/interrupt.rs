//! Interrupts of runs in one process. One test: a signal reaches all runs.

use std::path::Path;

use mocap_batch::{BatchError, Input, Job, JobContext, RunOptions, Tally, interrupt, report_jobs, run};

fn jobs() -> Vec<Job> {
    report_jobs(["a", "b"].map(|name| Input::named(Path::new(name))).into())
}

#[test]
fn a_signal_ends_the_run_in_progress_and_no_later_one() {
    let one_at_a_time = RunOptions { jobs: 1, ..RunOptions::default() };
    let signal = |_: &Job, context: &JobContext| -> Result<Tally, BatchError> {
        assert!(interrupt::request(), "the run handles the first signal");
        assert!(!interrupt::request(), "a second one ends the process");
        context.check()?;
        Ok(Tally::default())
    };
    let summary = run(&jobs(), &one_at_a_time, signal, &mut ()).unwrap();
    assert!(summary.interrupted);
    assert_eq!((summary.ok, summary.not_started), (0, 2));

    assert!(!interrupt::requested());
    assert!(!interrupt::request(), "between runs, a signal ends the process");
    let work = |_: &Job, context: &JobContext| context.check().map(|()| Tally::default());
    let summary = run(&jobs(), &one_at_a_time, work, &mut ()).unwrap();
    assert_eq!((summary.ok, summary.interrupted), (2, false));
}
