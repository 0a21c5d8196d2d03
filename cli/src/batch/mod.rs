//! Runs over inputs: arguments become the options of `mocap-batch`, results become rows.

mod observer;
mod options;
mod plan_each;
mod progress;
mod rendered;
mod report;

pub(crate) use observer::{SummaryRow, run};
pub(crate) use options::{RunOptions, expand, plan, read_files};
pub(crate) use plan_each::{OutputNames, check_stdout, check_stdout_path, plan_each, plan_peers};
pub(crate) use progress::Meter;
pub(crate) use report::{Report, fail};

use mocap::FileFormat;

pub(crate) use crate::diagnostic::Failure;
pub(crate) use crate::rows::{ErrorRow, json};
pub(crate) use mocap_batch::{
    Destination, Input, Job, JobContext, Naming, PlanRow, ReadFiles, Tally, is_directory, report_jobs,
};

/// Formats that a command reads: a directory is searched for those of them that [`FileFormat::is_searched`] says.
pub(crate) type Reads = fn(FileFormat) -> bool;

/// Motions of exchange formats.
pub(crate) const MOTIONS: Reads = |format| format.has_motion() && format.exchange().is_some();
/// The same with compressed motions, for commands that write another format.
pub(crate) const ANY_MOTIONS: Reads = FileFormat::has_motion;
/// The same with skeletons, for all other commands.
pub(crate) const ALL: Reads = |_| true;
/// What `decompress` reads.
pub(crate) const COMPRESSED: Reads = |format| format == FileFormat::Mocz;
