//! `mocap manifest merge`: the shards of a run as one.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_batch::manifest::{MergeSummary, default_name, merge};
use serde::Serialize;

use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;
use crate::rows::json;

/// Put the manifests of shards together into that of a whole run
///
/// One line a clip, sorted by path; a clip that is done in any of them is done. The result stands for a run without
/// --shard: --resume goes on with it.
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Manifests, or a directory of outputs with the manifests of its shards
    #[arg(value_name = "MANIFEST", required = true)]
    manifests: Vec<PathBuf>,
    /// File to write [default: .mocap-manifest.jsonl beside the first of them]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace an output that exists
    #[arg(long)]
    overwrite: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row {
    output: String,
    #[serde(flatten)]
    summary: MergeSummary,
}

/// Runs the command.
pub(super) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let manifests = super::read(&args.manifests, true, console)?;
    let merged = merge(&manifests)?;
    let beside = || manifests[0].path.with_file_name(default_name(None));
    let path = args.output.clone().unwrap_or_else(beside);
    if !args.overwrite && path.exists() {
        let message = format!("'{}' exists already", path.display());
        return Err(Diagnostic::new("usage::output-exists", message).help("--overwrite replaces it"));
    }
    let output = path.display().to_string();
    let warnings: Vec<Diagnostic> = merged.warnings.iter().map(Diagnostic::from).collect();
    console.warnings(&output, &warnings, Detail::Line);
    merged.write(&path, args.overwrite)?;
    let MergeSummary { manifests, clips, ok, failed, .. } = merged.summary;
    let text = format!("{manifests} manifests -> {output}: {clips} clips, {ok} ok, {failed} failed");
    console.row(&json(&Row { output, summary: merged.summary }), &text);
    Ok(Exit::Success)
}
