//! `mocap manifest merge`: merges the manifests of shards.

use mocap_batch::counted;
use mocap_batch::manifest::{MergeSummary, default_name, merge};
use serde::Serialize;

use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;
use crate::options::MergeArgs as Args;
use crate::output::Output;
use crate::rows::json;

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row {
    output: String,
    #[serde(flatten)]
    summary: MergeSummary,
}

/// Runs the command.
pub(super) fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
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
    let (manifests, clips) = (counted(manifests, "manifest"), counted(clips, "clip"));
    let text = format!("{manifests} -> {output}: {clips}, {ok} ok, {failed} failed");
    console.row(&json(&Row { output, summary: merged.summary }), &text);
    Ok(Exit::Success)
}
