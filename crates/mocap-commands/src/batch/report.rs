//! The result of a job's work.

use mocap_batch::Tally;

use super::worst::Figure;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output::Output;
use crate::rows::{ErrorRow, json};

/// The result of a job's work.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The row for `--json`.
    pub(crate) json: String,
    /// The report as text.
    pub(crate) text: String,
    /// The report in one line, for runs over many inputs; empty if `text` serves both.
    pub(crate) line: String,
    /// Figures for the table of the worst clips.
    pub(crate) figures: Vec<Figure>,
    /// Errors; the job failed if there are any.
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) tally: Tally,
    /// Whether a step left the input out, so nothing was written for it.
    pub(crate) left_out: bool,
    /// Size of the motion before compression [bytes]; 0 if it is not compressed.
    pub(crate) raw_bytes: u64,
}

impl Report {
    /// The error that is reported for the job: a fault takes precedence over a missed gate.
    pub(super) fn error(&self) -> Option<&Diagnostic> {
        self.errors.iter().find(|error| !error.is_gate()).or(self.errors.first())
    }
}

/// Reports the failure of a command with one result. Warnings were shown already.
pub(crate) fn fail(path: &str, error: &Diagnostic, warnings: &[Diagnostic], output: &mut dyn Output) -> Exit {
    output.row(&json(&ErrorRow { path: Some(path), error, warnings }), "");
    output.error(Some(path), error);
    Exit::ClipFailed
}
