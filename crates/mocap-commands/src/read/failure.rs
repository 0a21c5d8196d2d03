//! All errors of a file that cannot be read.

use mocap_formats::{ReadError, text};

use super::located;
use crate::diagnostic::{Diagnostic, Failure};

/// All errors of a file.
#[derive(Debug)]
pub(crate) struct ReadFailure {
    /// The errors; at least one.
    pub(crate) errors: Vec<Diagnostic>,
    /// Number of further errors that are not listed.
    pub(crate) unlisted: usize,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl ReadFailure {
    /// The errors and warnings of a reader, with the lines of the file.
    pub(super) fn of(failed: ReadError, bytes: &[u8]) -> ReadFailure {
        let text = text::decode(bytes);
        let ReadError { error, more, unlisted, warnings } = failed;
        let all = [*error].into_iter().chain(more);
        let errors = all.map(|finding| Diagnostic::from_finding(&finding, &text)).collect();
        ReadFailure { errors, unlisted, warnings: located(&warnings, bytes) }
    }

    /// Puts earlier warnings before its own.
    pub(super) fn behind(mut self, mut warnings: Vec<Diagnostic>) -> ReadFailure {
        warnings.append(&mut self.warnings);
        ReadFailure { warnings, ..self }
    }
}

impl From<Diagnostic> for ReadFailure {
    fn from(error: Diagnostic) -> ReadFailure {
        ReadFailure { errors: vec![error], unlisted: 0, warnings: Vec::new() }
    }
}

impl From<Failure> for ReadFailure {
    fn from(Failure { error, warnings }: Failure) -> ReadFailure {
        ReadFailure { warnings, ..ReadFailure::from(error) }
    }
}

impl From<ReadFailure> for Failure {
    /// The first error, with the number of the others.
    fn from(ReadFailure { mut errors, unlisted, warnings }: ReadFailure) -> Failure {
        let mut error = errors.swap_remove(0);
        error.further = u32::try_from(errors.len() + unlisted).unwrap_or(u32::MAX);
        Failure { error, warnings }
    }
}
