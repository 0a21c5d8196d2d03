//! `mocap manifest`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// Merge, verify and summarise the manifests of runs with --resume or --manifest
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap manifest merge out/\n\
    \x20 mocap manifest verify out/\n\
    \x20 mocap manifest stats out/ --json")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: What,
}

/// What is done with manifests.
#[derive(Debug, Subcommand)]
pub(crate) enum What {
    Merge(MergeArgs),
    Verify(VerifyArgs),
    Stats(StatsArgs),
}

/// Merge the manifests of shards into the manifest of a whole run
///
/// One line per clip, sorted by path; a clip that is done in any of them is done. The result equals that of a run
/// without --shard: --resume continues it.
#[derive(Debug, ClapArgs)]
pub(crate) struct MergeArgs {
    /// Manifests, or a directory of outputs with the manifests of its shards
    #[arg(value_name = "MANIFEST", required = true)]
    pub(crate) manifests: Vec<PathBuf>,
    /// File to write [default: .mocap-manifest.jsonl beside the first of them]
    #[arg(short, long, value_name = "OUT", help_heading = "Manifest")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing output
    #[arg(long, help_heading = "Manifest")]
    pub(crate) overwrite: bool,
}

/// Verify outputs against the hashes in manifests
///
/// Every output of every clip is read. Exit code 1 where one is missing or differs from what was written, or where a
/// clip failed, was not finished or, after an interruption, was never started.
#[derive(Debug, ClapArgs)]
pub(crate) struct VerifyArgs {
    /// Manifests, or directories of outputs with their manifests
    #[arg(value_name = "MANIFEST", required = true)]
    pub(crate) manifests: Vec<PathBuf>,
    /// Directory of the outputs [default: the folder of the manifest]
    #[arg(long, value_name = "DIR", help_heading = "Manifest")]
    pub(crate) outputs: Option<PathBuf>,
    /// Files read at the same time [1 or more; default: number of CPU cores]
    #[arg(
        short,
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..),
        help_heading = "Manifest"
    )]
    pub(crate) jobs: Option<u16>,
}

/// Summarise manifests: clips, bytes, speed, failures and their reasons
#[derive(Debug, ClapArgs)]
pub(crate) struct StatsArgs {
    /// Manifests, or directories of outputs with their manifests
    #[arg(value_name = "MANIFEST", required = true)]
    pub(crate) manifests: Vec<PathBuf>,
    /// Show this many of the slowest clips [0 or more]
    #[arg(long, value_name = "N", default_value = "5", help_heading = "Manifest")]
    pub(crate) slowest: usize,
}
