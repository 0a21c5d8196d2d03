//! Runs jobs and passes results, progress and the summary to an output.

use mocap_batch::{Job, JobContext, JobReport, Observer, Outcome, Summary, plan_rows};
use schemars::JsonSchema;
use serde::Serialize;

use super::options::RunOptions;
use super::report::Report;
use super::result::JobFailure;
use super::worst::Worst;
use crate::diagnostic::{Detail, Diagnostic, Failure};
use crate::exit::Exit;
use crate::output::{JobResult, JobState, Output, Progress};
use crate::rows::{json, usage_error};

/// Runs `work` on every job and passes the results to the output.
pub(crate) fn run(
    output: &mut dyn Output,
    options: RunOptions,
    jobs: &[Job],
    work: impl Fn(&Job, &JobContext) -> Result<Report, Failure> + Sync,
) -> Exit {
    if options.dry_run {
        let rows = match plan_rows(jobs, options.engine.manifest.as_ref()) {
            Ok(rows) => rows,
            Err(error) => return usage_error(&error.into(), output),
        };
        for row in rows {
            output.row(&json(&row), &row.to_string());
            if output.is_closed() {
                break;
            }
        }
        return Exit::Success;
    }
    // With many clips a warning takes one line; with one clip it is shown with its line of the file.
    let brief = jobs.len() > 1 && !options.full_warnings;
    let detail = if brief { Detail::Line } else { Detail::Full };
    let blocks = jobs.len() == 1 || output.shows_blocks();
    let work = |job: &Job, context: &JobContext| JobResult::of(job, work(job, context), blocks);
    let summed = jobs.len() > 1 || options.sharded;
    output.progress(Progress::Begins { jobs, own_meter: options.own_progress, detail });
    let mut relay = Relay { output, compressed: (0, 0), summed, worst: Worst::default() };
    match mocap_batch::run(jobs, &options.engine, work, &mut relay) {
        Ok(summary) => relay.end(&summary),
        Err(error) => {
            output.progress(Progress::Ends);
            usage_error(&error.into(), output)
        }
    }
}

/// Passes the events of a run to an output.
struct Relay<'a> {
    output: &'a mut dyn Output,
    /// Total sizes of the motions that were compressed [bytes]: before, after.
    compressed: (u64, u64),
    /// Whether the run has a summary.
    summed: bool,
    worst: Worst,
}

/// The last row of a run over several inputs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Summary")]
pub(crate) struct SummaryRow<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// Compression ratio over all compressed motions, relative to joints × frames × 40 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
}

impl Observer<JobResult, JobFailure> for Relay<'_> {
    fn ended(&mut self, job: &Job, outcome: &Outcome<JobResult, JobFailure>) {
        let state = match outcome {
            Outcome::Done(_) => JobState::Done,
            Outcome::Failed(_) => JobState::Failed,
            Outcome::Completed | Outcome::Skipped | Outcome::NotStarted => JobState::Skipped,
        };
        self.output.progress(Progress::JobEnded { job, tally: outcome.tally(), state });
    }

    fn report(&mut self, job: &Job, outcome: Outcome<JobResult, JobFailure>) {
        let result = match outcome {
            Outcome::Done(result) => result,
            Outcome::Failed(JobFailure::Work { result, .. }) => *result,
            Outcome::Failed(JobFailure::Run(error)) => JobResult::failed(job, Diagnostic::from(error).into()),
            Outcome::Completed => JobResult::completed(job),
            Outcome::Skipped => JobResult::skipped(job),
            Outcome::NotStarted => return,
        };
        if result.raw_bytes > 0 {
            self.compressed.0 += result.raw_bytes;
            self.compressed.1 += result.tally().bytes_out;
        }
        self.worst.add(&result.path, &result.figures);
        self.output.result(&result);
    }

    fn tick(&mut self) {
        self.output.progress(Progress::Tick);
    }

    fn interrupted(&mut self) {
        self.output.progress(Progress::Interrupted);
        self.output.note("interrupted: inputs in flight are dropped; interrupt again to stop at once");
    }

    fn is_closed(&self) -> bool {
        self.output.is_closed()
    }

    fn stuck(&mut self, summary: &Summary) {
        if self.output.leaves_when_stuck() {
            let exit = self.end(summary);
            self.output.leave(exit);
        }
    }
}

impl Relay<'_> {
    /// Reports why the run ended early, and prints the summary.
    fn end(&mut self, summary: &Summary) -> Exit {
        self.output.progress(Progress::Ends);
        if let Some(error) = &summary.fatal {
            self.output.error(None, &error.clone().into());
        }
        if let Some(table) = std::mem::take(&mut self.worst).table().filter(|_| !self.output.is_json()) {
            self.output.row("", &table);
        }
        if self.summed && !self.output.is_closed() {
            let (raw, bytes) = self.compressed;
            let ratio = (raw > 0).then(|| raw as f64 / bytes as f64);
            let smaller = ratio.map_or(String::new(), |ratio| format!(", {ratio:.1} times smaller than raw"));
            let text = format!("{}{smaller}", summary.text());
            self.output.summary(&json(&SummaryRow { summary, ratio }), &text);
        }
        match summary.failed {
            _ if summary.interrupted => Exit::Interrupted,
            _ if summary.fatal.is_some() => Exit::ClipFailed,
            0 => Exit::Success,
            failed if failed == summary.gate_missed => Exit::Gate,
            _ => Exit::ClipFailed,
        }
    }
}
