//! Why a file could not be understood: everything that is wrong with it.

use mocap_formats::{Rejected, text};

use super::located;
use crate::diagnostic::{Diagnostic, Failure};

/// Everything that is wrong with a file.
#[derive(Debug)]
pub(crate) struct Trouble {
    /// At least one.
    pub(crate) errors: Vec<Diagnostic>,
    /// Errors beyond those.
    pub(crate) unlisted: usize,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Trouble {
    /// What a reader found, with the lines of the file.
    pub(super) fn of(rejected: Rejected, bytes: &[u8]) -> Trouble {
        let text = text::decode(bytes);
        let Rejected { error, more, unlisted, warnings } = rejected;
        let all = [*error].into_iter().chain(more);
        let errors = all.map(|finding| Diagnostic::from_finding(&finding, &text)).collect();
        Trouble { errors, unlisted, warnings: located(&warnings, bytes) }
    }

    /// The same with warnings that were found before.
    pub(super) fn behind(mut self, mut warnings: Vec<Diagnostic>) -> Trouble {
        warnings.append(&mut self.warnings);
        Trouble { warnings, ..self }
    }
}

impl From<Diagnostic> for Trouble {
    fn from(error: Diagnostic) -> Trouble {
        Trouble { errors: vec![error], unlisted: 0, warnings: Vec::new() }
    }
}

impl From<Failure> for Trouble {
    fn from(Failure { error, warnings }: Failure) -> Trouble {
        Trouble { warnings, ..Trouble::from(error) }
    }
}

impl From<Trouble> for Failure {
    /// The first error, which says how many others there are.
    fn from(Trouble { mut errors, unlisted, warnings }: Trouble) -> Failure {
        let mut error = errors.swap_remove(0);
        error.further = u32::try_from(errors.len() + unlisted).unwrap_or(u32::MAX);
        Failure { error, warnings }
    }
}
