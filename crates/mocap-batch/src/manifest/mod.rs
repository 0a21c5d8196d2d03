//! The manifest of a run: one JSON object per line, for clips that were started and finished.
//!
//! The first line records the command and options of the run (`run`), the next one the number of its clips
//! (`plan`), so that an interrupted run shows what it did not start. A clip has a line when work on it starts
//! (`start`) and one when it is done or has failed (`clip`); of several lines about one clip the last one counts.
//! Lines are only appended, each immediately and with one write, so a killed process leaves complete lines and at
//! most one torn line at the end.

mod completed;
mod find;
mod line;
mod line_file;
mod merge;
mod options;
mod reader;
mod stats;
mod verify;
mod writer;

pub use completed::Completed;
pub use find::{NamedManifest, read_manifests};
pub use line::{ClipResult, Entry, Fault, FileFact, Header, Line, Plan, Start};
pub use merge::{MergeSummary, MergeWarning, Merged, merge};
pub use options::{ManifestOptions, default_name};
pub use reader::Manifest;
pub use stats::{FaultCount, ManifestStats, SlowClip, stats};
pub use verify::{ManifestProblem, ProblemKind, VerifyReport, VerifySummary, verify};
pub(crate) use writer::{JobRecord, ManifestWriter};
