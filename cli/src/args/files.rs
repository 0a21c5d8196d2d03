//! Which files are read and where results go.

use std::path::{Path, PathBuf};

use clap::Args;

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
    /// Stop at the first input that fails
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Go on with the other inputs where one fails; this is the default
    #[arg(long, conflicts_with = "fail_fast")]
    pub(crate) keep_going: bool,
}

/// Where results go.
#[derive(Clone, Debug, Args)]
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
