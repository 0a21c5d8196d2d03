//! Runs over inputs: arguments become the options of `mocap-batch`, results become rows.

mod observer;
mod options;
mod plan_each;
mod report;
mod result;
mod worst;

pub(crate) use observer::{SummaryRow, run};
pub(crate) use options::{RunOptions, expand, plan, read_files};
pub(crate) use plan_each::{OutputNames, check_last, check_stdout, check_stdout_path, plan_each, plan_peers};
pub(crate) use report::{Report, fail};
pub(crate) use worst::Figure;

use mocap::FileFormat;
use mocap_formats::Format;

pub(crate) use crate::diagnostic::Failure;
pub(crate) use crate::rows::{ErrorRow, json};
pub(crate) use mocap_batch::{
    Destination, Input, Job, JobContext, Naming, PlanRow, ReadFiles, Tally, is_directory, report_jobs,
};

/// Formats that a command reads. Directories are searched for those of them for which
/// [`FileFormat::is_searched`] holds.
pub(crate) type Reads = fn(FileFormat) -> bool;

/// Motions in exchange formats.
pub(crate) const MOTIONS: Reads = |format| ANY_MOTIONS(format) && format.exchange().is_some();
/// Motions including compressed ones, for commands that write another format.
pub(crate) const ANY_MOTIONS: Reads = |format| format.has_motion() && !MARKERS(format);
/// Recordings of markers.
pub(crate) const MARKERS: Reads = |format| format.exchange().is_some_and(Format::holds_markers);
/// Motions and recordings of markers.
pub(crate) const MOTIONS_AND_MARKERS: Reads = FileFormat::has_motion;
/// All formats, skeletons included, for all other commands.
pub(crate) const ALL: Reads = |_| true;
/// What `decompress` reads.
pub(crate) const COMPRESSED: Reads = |format| format == FileFormat::Mocz;
