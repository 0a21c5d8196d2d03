//! The outcome of a job: made by the worker, passed on in input order.

use mocap_batch::{BatchError, Destination, FailureKind, Job, JobError, JobReport, PlanRow, Tally};

use super::report::Report;
use crate::diagnostic::{Diagnostic, Failure};
use crate::output::JobResult;
use crate::rows::{ErrorRow, json};

/// A job that failed.
#[derive(Debug)]
pub(super) enum JobFailure {
    /// The work failed.
    Work { result: Box<JobResult>, kind: FailureKind, code: &'static str, message: String },
    /// The run ended the job (time limit, interrupt).
    Run(BatchError),
}

impl JobResult {
    /// The outcome of successful work; the text is the full one for one input, or one line. A report with
    /// errors is a failure.
    pub(super) fn of(
        job: &Job,
        result: Result<Report, Failure>,
        blocks: bool,
    ) -> Result<JobResult, JobFailure> {
        match result {
            Ok(report) => match report.error().cloned() {
                None => Ok(JobResult::done(job, report, blocks)),
                Some(error) => Err(JobFailure::new(JobResult::done(job, report, blocks), &error)),
            },
            Err(failure) => {
                let error = failure.error.clone();
                Err(JobFailure::new(JobResult::failed(job, failure), &error))
            }
        }
    }

    fn done(job: &Job, report: Report, blocks: bool) -> JobResult {
        let Report { json, text, line, figures, errors, warnings, tally, left_out, raw_bytes } = report;
        let text = if blocks || line.is_empty() { text } else { line };
        let (missed, errors) = errors.into_iter().partition(Diagnostic::is_gate);
        let (json, text) = match job.destination {
            Destination::Stdout => (String::new(), String::new()),
            _ => (json, text),
        };
        let about = JobResult::about(job);
        JobResult { warnings, errors, json, text, missed, tally, left_out, raw_bytes, figures, ..about }
    }

    /// A job that failed.
    pub(super) fn failed(job: &Job, Failure { error, warnings }: Failure) -> JobResult {
        let path = job.input.shown();
        let json = json(&ErrorRow { path: Some(&path), error: &error, warnings: &warnings });
        // The error is shown after the warnings.
        JobResult { json, warnings, missed: vec![error], ..JobResult::about(job) }
    }

    /// A job that is skipped because its output exists.
    pub(super) fn skipped(job: &Job) -> JobResult {
        let Some(row) = PlanRow::skipped(job) else { return JobResult::default() };
        let text = format!("{}: skipped, '{}' exists", row.path, row.output);
        JobResult { json: json(&row), text, ..JobResult::default() }
    }

    /// A job that an earlier run completed; the text only counts these.
    pub(super) fn completed(job: &Job) -> JobResult {
        JobResult { text: String::new(), ..JobResult::skipped(job) }
    }

    fn about(job: &Job) -> JobResult {
        let plan_warning = job.warning.as_ref().map(Diagnostic::from);
        JobResult { path: job.input.shown(), plan_warning, ..JobResult::default() }
    }
}

impl JobFailure {
    fn new(result: JobResult, error: &Diagnostic) -> JobFailure {
        JobFailure::Work {
            result: Box::new(result),
            kind: error.kind,
            code: error.code,
            message: error.message.clone(),
        }
    }
}

impl JobReport for JobResult {
    fn tally(&self) -> Tally {
        self.tally
    }

    fn is_left_out(&self) -> bool {
        self.left_out
    }

    fn size(&self) -> usize {
        let all = self.warnings.iter().chain(&self.errors).chain(&self.missed);
        let figures = std::mem::size_of_val(self.figures.as_slice());
        self.json.len() + self.text.len() + figures + all.map(Diagnostic::size).sum::<usize>()
    }
}

impl JobError for JobFailure {
    fn kind(&self) -> FailureKind {
        match self {
            JobFailure::Work { kind, .. } => *kind,
            JobFailure::Run(error) => error.kind(),
        }
    }

    fn code(&self) -> &str {
        match self {
            JobFailure::Work { code, .. } => code,
            JobFailure::Run(error) => error.code(),
        }
    }

    fn message(&self) -> String {
        match self {
            JobFailure::Work { message, .. } => message.clone(),
            JobFailure::Run(error) => error.to_string(),
        }
    }

    fn tally(&self) -> Tally {
        match self {
            JobFailure::Work { result, .. } => result.tally,
            JobFailure::Run(_) => Tally::default(),
        }
    }

    fn size(&self) -> usize {
        match self {
            JobFailure::Work { result, .. } => result.size(),
            JobFailure::Run(_) => 0,
        }
    }
}

impl From<BatchError> for JobFailure {
    fn from(error: BatchError) -> JobFailure {
        JobFailure::Run(error)
    }
}
