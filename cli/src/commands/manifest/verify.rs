//! `mocap manifest verify`: whether outputs are what manifests say.

use mocap_batch::manifest::{ManifestProblem, VerifySummary, verify};
use serde::Serialize;

use super::table;
use crate::args::VerifyArgs as Args;
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::rows::json;

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row {
    manifest: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    problem: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Summary {
    r#type: &'static str,
    clips: usize,
    ok: usize,
    failed: usize,
    unfinished: usize,
    not_started: usize,
    outputs: usize,
    missing: usize,
    changed: usize,
    bytes: u64,
}

/// Runs the command.
pub(super) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let manifests = super::read(&args.manifests, false, console)?;
    let report = verify(&manifests, args.outputs.as_deref(), args.jobs.map_or(0, usize::from));
    if console.is_json() {
        report.problems.iter().for_each(|problem| console.row(&json(&Row::from(problem)), ""));
        console.row(&json(&Summary::from(report.summary)), "");
    } else {
        let cells: Vec<Vec<String>> = report.problems.iter().map(cells).collect();
        console.row("", &table(&cells));
        console.row("", &text(&report.summary));
    }
    Ok(if report.is_whole() { Exit::Success } else { Exit::ClipFailed })
}

impl From<&ManifestProblem> for Row {
    fn from(problem: &ManifestProblem) -> Row {
        let ManifestProblem { manifest, clip, kind, output, code } = problem;
        Row {
            manifest: manifest.display().to_string(),
            path: clip.clone(),
            output: output.as_ref().map(|output| output.display().to_string()),
            problem: kind.name(),
            code: code.clone(),
        }
    }
}

impl From<VerifySummary> for Summary {
    fn from(summary: VerifySummary) -> Summary {
        let VerifySummary { clips, ok, failed, unfinished, not_started, outputs, missing, changed, bytes } =
            summary;
        let r#type = "summary";
        Summary { r#type, clips, ok, failed, unfinished, not_started, outputs, missing, changed, bytes }
    }
}

/// A problem as columns of text.
fn cells(problem: &ManifestProblem) -> Vec<String> {
    let row = Row::from(problem);
    vec![row.problem.to_owned(), row.path, row.output.or(row.code).unwrap_or_default()]
}

fn text(summary: &VerifySummary) -> String {
    let VerifySummary { clips, ok, failed, unfinished, not_started, missing, changed, .. } = *summary;
    let counts = [
        (failed, "failed"),
        (unfinished, "unfinished"),
        (not_started, "not started: the run was interrupted, --resume continues it"),
        (missing, "outputs missing"),
        (changed, "outputs changed"),
    ];
    let others = counts.into_iter().filter(|(count, _)| *count > 0);
    let others: String = others.map(|(count, name)| format!(", {count} {name}")).collect();
    format!("{clips} clips: {ok} whole{others}")
}
