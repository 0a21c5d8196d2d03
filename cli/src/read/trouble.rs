//! Why a file could not be understood: everything that is wrong with it.

use mocap_formats::{Finding, Rejected, text};

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
        error.further = errors.len() + unlisted;
        Failure { error, warnings }
    }
}

/// Why a document means nothing.
pub(crate) enum Stop {
    Found(Box<Rejected>),
    /// Nothing in the text of the file itself.
    Other(Box<Diagnostic>),
}

impl From<Rejected> for Stop {
    fn from(rejected: Rejected) -> Stop {
        Stop::Found(Box::new(rejected))
    }
}

impl From<Finding> for Stop {
    fn from(finding: Finding) -> Stop {
        Rejected::from(finding).into()
    }
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Stop {
        Stop::Other(Box::new(diagnostic))
    }
}

impl Stop {
    /// With the lines of the file that it is about. What `repair` would mend is no error.
    pub(super) fn in_bytes(self, bytes: &[u8], repair: bool) -> Trouble {
        let rejected = match self {
            Stop::Found(rejected) => *rejected,
            Stop::Other(diagnostic) => return (*diagnostic).into(),
        };
        let text = text::decode(bytes);
        let Rejected { error, more, unlisted, warnings } = rejected;
        let all: Vec<Diagnostic> =
            [*error].iter().chain(&more).map(|finding| Diagnostic::from_finding(finding, &text)).collect();
        let stays = |error: &Diagnostic| !(repair && error.is_repairable());
        // Where nothing else is wrong, the file was refused for something.
        let errors = match all.iter().any(stays) {
            true => all.into_iter().filter(stays).collect(),
            false => all,
        };
        Trouble { errors, unlisted, warnings: located(&warnings, bytes) }
    }
}
