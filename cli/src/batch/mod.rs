//! Runs over inputs: arguments become the options of `mocap-batch`, results become rows.

mod observer;
mod options;
mod plan_each;
mod plan_rows;
mod progress;
mod rendered;
mod report;
mod summary;

pub(crate) use observer::run;
pub(crate) use options::{RunOptions, expand, plan, read_files};
pub(crate) use plan_each::{OutputNames, check_stdout, plan_each};
pub(crate) use plan_rows::PlanRow;
pub(crate) use progress::Meter;
pub(crate) use report::{Report, fail};
pub(crate) use summary::Summary;

pub(crate) use crate::diagnostic::Failure;
pub(crate) use crate::rows::{ErrorRow, json};
pub(crate) use mocap_batch::{
    Destination, Input, Job, JobContext, Naming, ReadFiles, Tally, is_directory, report_jobs,
};

/// Extensions that commands search directories for which need motions. JSON files must be named: most of those in a
/// database are not motions.
pub(crate) const MOTIONS: &[&str] = &["bvh", "amc"];
/// The same with compressed motions, for commands that write another format.
pub(crate) const ANY_MOTIONS: &[&str] = &["bvh", "amc", "mocz"];
/// The same with skeletons, for all other commands.
pub(crate) const ALL: &[&str] = &["bvh", "asf", "amc", "skel", "mocz"];
/// What `decompress` searches directories for.
pub(crate) const COMPRESSED: &[&str] = &["mocz"];
