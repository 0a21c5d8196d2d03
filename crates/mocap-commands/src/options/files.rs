//! Which files are read and where results go.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use mocap_batch::Shard;

/// Which files are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct Inputs {
    /// Files, directories (searched recursively), globs in quotes such as 'db/**/*_walk.bvh', or - for stdin
    #[arg(
        value_name = "IN",
        required_unless_present_any = ["files_from", "print_config"],
        help_heading = clap::builder::Resettable::Reset
    )]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

/// Which of the inputs are processed, and how.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Inputs")]
pub(crate) struct Selection {
    /// Only files that match a glob; repeatable
    ///
    /// A glob without / is matched against the file name, one with / against the path below the input.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Skip files that match a glob; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Read more inputs from a file, one path per line; - for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// Clip of files with several: its name, its number from 0, or all [default: the first]
    ///
    /// moves.glb#walk names a clip of one input. Formats that hold several clips per file get all of them by default.
    #[arg(long, value_name = "NAME|N|all")]
    pub(crate) clip: Option<String>,
    /// Parallel jobs [1 or more; default: number of CPU cores]
    ///
    /// Results do not depend on it.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Process one part of the inputs, such as 1/3
    ///
    /// For machines that share the work: a hash of the path below the common folder determines the part of each file.
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Time limit per input [s, above 0; default: none]
    ///
    /// An input that exceeds it counts as failed.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Stop at the first input that fails
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Continue with the other inputs after one fails; the default
    #[arg(long, conflicts_with = "fail_fast")]
    pub(crate) keep_going: bool,
}

/// Where results go.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Outputs {
    /// File, directory (ends in / or exists), or - for stdout
    ///
    /// A directory mirrors the tree of the inputs.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace existing outputs
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Skip inputs whose output exists
    #[arg(long, conflicts_with = "overwrite")]
    pub(crate) skip_existing: bool,
    /// Continue an earlier run: skip clips that its manifest lists as done
    ///
    /// Clips that have changed since are processed again; with --overwrite also clips that were made with other options.
    #[arg(long, conflicts_with = "skip_existing")]
    pub(crate) resume: bool,
    /// Record the run in a file [default with --resume: .mocap-manifest.jsonl]
    ///
    /// One JSON object per line. The default is in the output directory; without --resume no manifest is written.
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Print the plan without reading or writing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Outputs {
    /// For a directory as input, the output is a directory, even if it does not exist yet. An output name with
    /// an extension may be a mistake, and is left as it is.
    pub(crate) fn settle(&mut self, inputs: &[PathBuf]) {
        let is_new =
            |output: &&PathBuf| output.extension().is_none() && !output.exists() && *output != Path::new("-");
        if let Some(output) = self.output.as_ref().filter(is_new)
            && inputs.iter().any(|input| input.is_dir())
        {
            self.output = Some(output.join(""));
        }
    }

    /// Whether the result goes to stdout.
    pub(crate) fn to_stdout(&self) -> bool {
        self.output.as_deref() == Some(Path::new("-"))
    }
}

/// Reads a time in seconds above 0.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|time| !time.is_zero()).ok_or_else(|| "a time is a number of seconds above 0".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for wrong in ["0", "-1", "nan", "inf", "1s", ""] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
