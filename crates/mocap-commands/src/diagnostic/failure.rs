//! Why a job failed, and what was found before.

use std::mem::take;

use mocap_batch::BatchError;

use super::Diagnostic;

/// Why a job failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Diagnostic,
    /// What was found before.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Results of work that found warnings before.
pub(crate) trait Behind<T> {
    /// The same; an error takes the warnings with it.
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
