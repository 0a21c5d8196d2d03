//! How a job ended.

use crate::error::{FailureKind, JobError};
use crate::report::{JobReport, Tally};

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<R, E> {
    /// The work succeeded.
    Done(R),
    /// The work failed, panicked, timed out, or its input could not be read.
    Failed(E),
    /// An earlier run completed it: the manifest says so, and its files are unchanged.
    Completed,
    /// Its output exists and is kept.
    Skipped,
    /// The run ended before the job started, or dropped it: a later run starts it again.
    NotStarted,
}

impl<R: JobReport, E: JobError> Outcome<R, E> {
    /// What the job processed.
    pub fn tally(&self) -> Tally {
        match self {
            Outcome::Done(report) => report.tally(),
            Outcome::Failed(error) => error.tally(),
            Outcome::Completed | Outcome::Skipped | Outcome::NotStarted => Tally::default(),
        }
    }

    /// How the job failed; `None` where it did not.
    pub fn failure(&self) -> Option<FailureKind> {
        match self {
            Outcome::Failed(error) => Some(error.kind()),
            _ => None,
        }
    }

    /// Memory that the outcome takes while it waits [bytes].
    pub(super) fn size(&self) -> usize {
        match self {
            Outcome::Done(report) => report.size(),
            Outcome::Failed(error) => error.size(),
            // These wait as well.
            Outcome::Completed | Outcome::Skipped | Outcome::NotStarted => size_of::<Self>(),
        }
    }
}
