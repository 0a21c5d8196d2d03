//! Why a job failed, and what was found before.

use mocap_batch::BatchError;

use super::Diagnostic;

/// Why a job failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Diagnostic,
    /// What was found before.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Failure {
    /// The same after these warnings.
    pub(crate) fn behind(self, mut warnings: Vec<Diagnostic>) -> Failure {
        warnings.extend(self.warnings);
        Failure { warnings, ..self }
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
