//! A failed job: its error, and the warnings before it.

use std::mem::take;

use mocap_batch::BatchError;

use super::Diagnostic;

/// The reason why a job failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Diagnostic,
    /// Warnings found before the error.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Adds earlier warnings to an error.
pub(crate) trait Behind<T> {
    /// The result; an error takes the warnings with it.
    fn behind(self, warnings: &mut Vec<Diagnostic>) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> Behind<T> for Result<T, E> {
    fn behind(self, warnings: &mut Vec<Diagnostic>) -> Result<T, Failure> {
        self.map_err(|error| {
            let Failure { error, warnings: own } = error.into();
            warnings.extend(own);
            Failure { error, warnings: take(warnings) }
        })
    }
}

impl From<Diagnostic> for Failure {
    fn from(error: Diagnostic) -> Failure {
        Failure { error, warnings: Vec::new() }
    }
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Failure {
        Diagnostic::from(error).into()
    }
}
