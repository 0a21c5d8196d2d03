//! Results as text: rendered by the worker that made them, printed when it is their turn.

use mocap_batch::{BatchError, Destination, FailureKind, Job, JobError, JobReport, PlanRow, Tally};

use super::report::Report;
use crate::console::{Console, Style};
use crate::diagnostic::{Detail, Diagnostic, Failure};
use crate::rows::{ErrorRow, json};

/// The result of a job as text.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    /// For stdout.
    row: String,
    /// For stderr.
    messages: String,
    tally: Tally,
}

/// A job that failed.
#[derive(Debug)]
pub(super) enum RenderedFailure {
    /// The work failed.
    Work { rendered: Rendered, kind: FailureKind, code: &'static str, message: String },
    /// The run ended the job.
    Run(BatchError),
}

/// How results become text.
#[derive(Clone, Debug)]
pub(super) struct Renderer {
    pub(super) style: Style,
    pub(super) json: bool,
    pub(super) detail: Detail,
}

impl JobReport for Rendered {
    fn tally(&self) -> Tally {
        self.tally
    }

    fn size(&self) -> usize {
        self.row.len() + self.messages.len()
    }
}

impl JobError for RenderedFailure {
    fn kind(&self) -> FailureKind {
        match self {
            RenderedFailure::Work { kind, .. } => *kind,
            RenderedFailure::Run(error) => error.kind(),
        }
    }

    fn code(&self) -> &str {
        match self {
            RenderedFailure::Work { code, .. } => code,
            RenderedFailure::Run(error) => error.code(),
        }
    }

    fn message(&self) -> String {
        match self {
            RenderedFailure::Work { message, .. } => message.clone(),
            RenderedFailure::Run(error) => error.to_string(),
        }
    }

    fn tally(&self) -> Tally {
        match self {
            RenderedFailure::Work { rendered, .. } => rendered.tally,
            RenderedFailure::Run(_) => Tally::default(),
        }
    }

    fn size(&self) -> usize {
        match self {
            RenderedFailure::Work { rendered, .. } => rendered.size(),
            RenderedFailure::Run(_) => 0,
        }
    }
}

impl From<BatchError> for RenderedFailure {
    fn from(error: BatchError) -> RenderedFailure {
        RenderedFailure::Run(error)
    }
}

impl Rendered {
    pub(super) fn print(&self, console: &mut Console) {
        if !self.messages.is_empty() {
            console.say(&self.messages);
        }
        if !self.row.is_empty() {
            console.stdout(self.row.as_bytes());
        }
    }
}

impl Renderer {
    /// What the work returned. A report with errors is a failure.
    pub(super) fn render(
        &self,
        job: &Job,
        result: Result<Report, Failure>,
    ) -> Result<Rendered, RenderedFailure> {
        let failed = |rendered, error: &Diagnostic| RenderedFailure::Work {
            rendered,
            kind: error.kind,
            code: error.code,
            message: error.message.clone(),
        };
        match result {
            Ok(report) => match report.error() {
                None => Ok(self.done(job, &report)),
                Some(error) => Err(failed(self.done(job, &report), error)),
            },
            Err(failure) => Err(failed(self.failed(job, &failure), &failure.error)),
        }
    }

    fn done(&self, job: &Job, report: &Report) -> Rendered {
        let path = job.input.shown();
        let mut messages = self.plan_warning(&path, job);
        if !self.json {
            messages += &self.style.warnings(&path, &report.warnings, self.detail);
        }
        for error in &report.errors {
            messages += &self.style.error(Some(&path), error);
        }
        let row = match job.destination {
            Destination::Stdout => String::new(),
            _ => self.row(&report.json, &report.text),
        };
        Rendered { row, messages, tally: report.tally }
    }

    /// A job that failed.
    pub(super) fn failed(&self, job: &Job, Failure { error, warnings }: &Failure) -> Rendered {
        let path = job.input.shown();
        let row = self.row(&json(&ErrorRow { path: Some(&path), error, warnings }), "");
        let mut messages = self.plan_warning(&path, job);
        if !self.json {
            messages += &self.style.warnings(&path, warnings, self.detail);
        }
        messages += &self.style.error(Some(&path), error);
        Rendered { row, messages, tally: Tally::default() }
    }

    /// A job whose output exists.
    pub(super) fn skipped(&self, job: &Job) -> Rendered {
        let Some(row) = PlanRow::skipped(job) else { return Rendered::default() };
        let text = format!("{}: skipped, '{}' exists", row.path, row.output);
        Rendered { row: self.row(&json(&row), &text), ..Rendered::default() }
    }

    /// A job that an earlier run completed; people read only their number.
    pub(super) fn completed(&self, job: &Job) -> Rendered {
        let row = PlanRow::skipped(job).map(|row| self.row(&json(&row), ""));
        Rendered { row: row.unwrap_or_default(), ..Rendered::default() }
    }

    /// Rows of commands do not contain it: it goes to stderr, with `--json` too.
    fn plan_warning(&self, path: &str, job: &Job) -> String {
        let warning = job.warning.as_ref().map(Diagnostic::from);
        self.style.warnings(path, warning.as_slice(), Detail::Line)
    }

    fn row(&self, json: &str, text: &str) -> String {
        let row = if self.json { json } else { text };
        if row.is_empty() { String::new() } else { format!("{row}\n") }
    }
}
