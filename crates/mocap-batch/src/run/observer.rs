//! Interface for following a run: progress, results, notes. The library prints nothing.

use super::{Outcome, Summary};
use crate::plan::Job;

/// Follows a run. All methods are called on the thread that called [`run`](super::run).
pub trait Observer<R, E> {
    /// A job ended. Called immediately, in the order in which jobs end, for progress.
    fn ended(&mut self, _job: &Job, _outcome: &Outcome<R, E>) {}

    /// The result of a job. Called in the order of the jobs.
    fn report(&mut self, _job: &Job, _outcome: Outcome<R, E>) {}

    /// Called about ten times a second.
    fn tick(&mut self) {}

    /// The run was interrupted, and ends when the jobs in flight have been dropped.
    fn interrupted(&mut self) {}

    /// Whether the reader of results has gone. A run whose jobs write no files ends then.
    fn is_closed(&self) -> bool {
        false
    }

    /// The run is over, but some jobs that timed out are still running, and [`run`](super::run) must wait for
    /// their threads because they borrow its arguments. A program that does not want to wait ends its process
    /// here, after [`remove_temporary_files`](crate::interrupt::remove_temporary_files).
    fn stuck(&mut self, _summary: &Summary) {}
}

/// Ignores everything.
impl<R, E> Observer<R, E> for () {}
