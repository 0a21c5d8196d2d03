//! What a job reports.

use mocap_batch::Tally;

use super::worst::Figure;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output::Output;
use crate::rows::{ErrorRow, json};

/// What a job reports.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The row for `--json`.
    pub(crate) json: String,
    /// The same for people.
    pub(crate) text: String,
    /// The same in one line, among many inputs; empty where the text is for both.
    pub(crate) line: String,
    /// What the table of the worst clips shows.
    pub(crate) figures: Vec<Figure>,
    /// The job failed where there is one.
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) tally: Tally,
    /// Whether a step left the input out: nothing was written of it.
    pub(crate) left_out: bool,
    /// Size of the motion without compression [bytes]; 0 where it is not compressed.
    pub(crate) raw_bytes: u64,
}

impl Report {
    /// The error that stands for all: a fault before a gate that was missed.
    pub(super) fn error(&self) -> Option<&Diagnostic> {
        self.errors.iter().find(|error| !error.is_gate()).or(self.errors.first())
    }
}

/// Reports that a command with one result failed; warnings were shown when they were found.
pub(crate) fn fail(path: &str, error: &Diagnostic, warnings: &[Diagnostic], output: &mut dyn Output) -> Exit {
    output.row(&json(&ErrorRow { path: Some(path), error, warnings }), "");
    output.error(Some(path), error);
    Exit::ClipFailed
}
