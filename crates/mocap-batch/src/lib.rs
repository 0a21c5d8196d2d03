//! Work over many files.
//!
//! # How it works
//! 1. [`find_inputs`] turns names, directories and globs into a list of [`Input`]s.
//! 2. [`plan_outputs`] gives each its output, and refuses a plan that would lose data.
//! 3. [`run`](run()) does the work in parallel, and reports results in the order of the inputs.
//!
//! The work is any function of a [`Job`] and its [`JobContext`]. It reads and writes through the context, so the run
//! knows the hash of every file, and an output is complete or not there. With a manifest ([`ManifestOptions`]), a run
//! that was killed at any moment continues where it ended.
//!
//! ```
//! use mocap_batch::{
//!     BatchError, InputOptions, Input, Destination, Job, JobContext, Naming, OutputOptions, ReadFiles, RunOptions,
//!     Tally, find_inputs, plan_outputs, run,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let directory = tempfile::tempdir()?;
//! std::fs::write(directory.path().join("a.txt"), "first")?;
//! std::fs::write(directory.path().join("b.txt"), "second")?;
//!
//! let options = InputOptions { inputs: vec![directory.path().into()], ..InputOptions::default() };
//! let inputs = find_inputs(&options, &["txt"])?;
//!
//! let copies = directory.path().join("copies/");
//! let options = OutputOptions { output: Some(copies.clone()), ..OutputOptions::default() };
//! let derive = |input: &Input| Some(input.output_name().with_extension("copy"));
//! let naming = Naming { derive: &derive, companions: &|_| Vec::new(), reads: ReadFiles::NONE };
//! let jobs = plan_outputs(inputs, &options, &naming)?;
//!
//! let copy = |job: &Job, context: &JobContext| -> Result<Tally, BatchError> {
//!     let bytes = context.read(&job.input, 1 << 20)?;
//!     let Destination::File { path, replace } = &job.destination else { return Ok(Tally::default()) };
//!     let bytes_out = context.write(&[(path, &|out| out.write_all(&bytes))], *replace)?;
//!     Ok(Tally { frames: 0, bytes_in: bytes.len() as u64, bytes_out })
//! };
//! let summary = run(&jobs, &RunOptions::default(), copy, &mut ())?;
//!
//! assert_eq!((summary.ok, summary.failed, summary.tally.bytes_out), (2, 0, 11));
//! assert_eq!(std::fs::read(copies.join("b.copy"))?, b"second");
//! # Ok(())
//! # }
//! ```
//!
//! # Where to go next
//! - Rows, messages, a progress bar: implement [`Observer`].
//! - An error type with more to say: implement [`JobError`] for it.
//! - Ctrl-C: see [`interrupt`].
//! - Manifests as files, merged, verified, summed up: see [`manifest`].

mod context;
mod error;
mod filter;
mod find;
mod hash;
mod input;
pub mod interrupt;
pub mod manifest;
mod names;
mod plan;
mod portable;
mod read;
mod report;
mod root;
mod rows;
mod run;
mod shard;
mod split;
mod write;

/// A number of things in words: `1 clip`, `2 clips`.
///
/// ```
/// assert_eq!((mocap_batch::counted(1, "clip"), mocap_batch::counted(0, "clip")), ("1 clip".into(), "0 clips".into()));
/// ```
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

pub use context::{FileRecord, JobContext};
pub use error::{BatchError, FailureKind, JobError};
pub use filter::Filter;
pub use find::{InputOptions, find_inputs};
pub use hash::{Content, Hash};
pub use input::{Input, Source};
pub use manifest::ManifestOptions;
pub use names::{original_name, pair_names};
pub use plan::{
    Companions, Destination, Job, Naming, OutputOptions, PlanWarning, ReadFiles, is_directory,
    keep_extensions, plan_outputs, report_jobs,
};
pub use portable::{PathText, path_of_bytes};
pub use read::read_file;
pub use report::{JobReport, Tally};
pub use rows::{PlanAction, PlanRow, plan_rows};
pub use run::{Observer, Outcome, RunOptions, Summary, run};
pub use shard::Shard;
pub use split::Split;
pub use write::{WriteContent, write_file, write_stream};
