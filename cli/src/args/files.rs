//! Which files are read and where results go.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use mocap_batch::Shard;

use super::seconds;

/// Which files are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct Inputs {
    /// Files, directories (searched recursively for motion files), globs such as 'db/**/*_walk.bvh', or - for
    /// stdin
    #[arg(value_name = "IN", required_unless_present_any = ["files_from", "print_config"])]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

/// What of the inputs is taken.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Many inputs")]
pub(crate) struct Selection {
    /// Take only files that match one of these globs; a glob without / is matched against the file name, one
    /// with / against the path below the input
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Leave out files that match one of these globs
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Read more inputs from a file, one a line; - for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// Inputs worked on at the same time [1 or more; default: one a core]; results do not depend on it
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Take one part of the inputs, such as 1/3, for machines that share the work; a hash of the path below the
    /// common folder settles which part a file belongs to
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Give up an input after this time [s, above 0; default: no limit]; it counts as failed
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Stop at the first input that fails
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Go on with the other inputs where one fails; this is the default
    #[arg(long, conflicts_with = "fail_fast")]
    pub(crate) keep_going: bool,
}

/// Where results go.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Writing")]
pub(crate) struct Outputs {
    /// File to write, a directory (ends in / or exists) that mirrors the tree of the inputs, or - for stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace outputs that exist
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Leave out inputs whose output exists
    #[arg(long, conflicts_with = "overwrite")]
    pub(crate) skip_existing: bool,
    /// Go on where an earlier run ended: what its manifest says is done, and is still so, is left alone; the rest is
    /// done. With --overwrite, what was made with other options is done again
    #[arg(long, conflicts_with = "skip_existing")]
    pub(crate) resume: bool,
    /// Keep a record of what is done, one JSON object a line [default: .mocap-manifest.jsonl in the directory of the
    /// outputs where --resume is given, else none]
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Print what would be read and written, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Outputs {
    /// Whether the result goes to stdout.
    pub(crate) fn to_stdout(&self) -> bool {
        self.output.as_deref() == Some(Path::new("-"))
    }
}
