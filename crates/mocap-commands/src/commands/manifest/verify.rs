//! `mocap manifest verify`: compares outputs with the hashes in manifests.

use mocap_batch::manifest::{ManifestProblem, verify};

use super::table;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::VerifyArgs as Args;
use crate::output::Output;
use crate::rows::json;

/// Runs the command.
pub(super) fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let manifests = super::read(&args.manifests, false, console)?;
    let report = verify(&manifests, args.outputs.as_deref(), args.jobs.map_or(0, usize::from));
    if console.is_json() {
        report.problems.iter().for_each(|problem| console.row(&json(problem), ""));
        console.row(&json(&report.summary), "");
    } else {
        let columns: Vec<Vec<String>> =
            report.problems.iter().map(ManifestProblem::columns).map(Vec::from).collect();
        console.row("", &table(&columns));
        console.row("", &report.summary.text());
    }
    Ok(if report.is_whole() { Exit::Success } else { Exit::ClipFailed })
}
