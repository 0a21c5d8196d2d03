//! Results as text: rendered by the worker that made them, printed when it is their turn.

use std::collections::BTreeMap;

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
    /// For stderr, before the row.
    messages: String,
    /// For stderr, after it: gates that were missed by what the row says.
    missed: String,
    /// Warnings of one line each, with their codes, for stderr before the row.
    pub(super) warnings: Vec<(&'static str, String)>,
    tally: Tally,
    pub(super) raw_bytes: u64,
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
        let warnings: usize = self.warnings.iter().map(|(_, text)| text.len()).sum();
        self.row.len() + self.messages.len() + self.missed.len() + warnings
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

/// Warnings of a run by code: of many alike, the first are shown.
#[derive(Debug, Default)]
pub(super) struct Repeated(BTreeMap<&'static str, usize>);

impl Repeated {
    /// Warnings of one code that are shown.
    const SHOWN: usize = 3;

    fn is_shown(&mut self, code: &'static str) -> bool {
        let count = self.0.entry(code).or_default();
        *count += 1;
        *count <= Repeated::SHOWN
    }

    /// The warnings that were not shown, in one line.
    pub(super) fn line(&self) -> Option<String> {
        let others = self.0.iter().filter(|(_, count)| **count > Repeated::SHOWN);
        let others: Vec<String> =
            others.map(|(code, count)| format!("{} {code}", count - Repeated::SHOWN)).collect();
        (!others.is_empty()).then(|| format!("more warnings: {}; --json shows all", others.join(", ")))
    }
}

impl Rendered {
    pub(super) fn print(&self, console: &mut Console, repeated: &mut Repeated) {
        let warnings = self.warnings.iter().filter(|(code, _)| repeated.is_shown(code));
        let messages = warnings.fold(self.messages.clone(), |text, (_, warning)| text + warning);
        if !messages.is_empty() {
            console.say(&messages);
        }
        if !self.row.is_empty() {
            console.stdout(self.row.as_bytes());
        }
        if !self.missed.is_empty() {
            console.say(&self.missed);
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
        let warnings = self.warnings(&path, &report.warnings, &mut messages);
        let mut missed = String::new();
        for error in &report.errors {
            *(if error.is_gate() { &mut missed } else { &mut messages }) +=
                &self.style.error(Some(&path), error);
        }
        let row = match job.destination {
            Destination::Stdout => String::new(),
            _ => self.row(&report.json, &report.text),
        };
        let Report { tally, raw_bytes, .. } = *report;
        Rendered { row, messages, missed, warnings, tally, raw_bytes }
    }

    /// A job that failed.
    pub(super) fn failed(&self, job: &Job, Failure { error, warnings }: &Failure) -> Rendered {
        let path = job.input.shown();
        let row = self.row(&json(&ErrorRow { path: Some(&path), error, warnings }), "");
        let mut messages = self.plan_warning(&path, job);
        let warnings = self.warnings(&path, warnings, &mut messages);
        // After the warnings.
        let missed = self.style.error(Some(&path), error);
        Rendered { row, messages, missed, warnings, ..Rendered::default() }
    }

    /// Warnings of one line each; those in full are added to the messages.
    fn warnings(
        &self,
        path: &str,
        warnings: &[Diagnostic],
        messages: &mut String,
    ) -> Vec<(&'static str, String)> {
        // Rows have them.
        if self.json {
            return Vec::new();
        }
        if self.detail == Detail::Full {
            *messages += &self.style.warnings(path, warnings, Detail::Full);
            return Vec::new();
        }
        let line = |warning: &Diagnostic| {
            (warning.code, self.style.warnings(path, std::slice::from_ref(warning), Detail::Line))
        };
        warnings.iter().map(line).collect()
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
        self.style.row(self.json, json, text)
    }
}
