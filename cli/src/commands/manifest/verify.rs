//! `mocap manifest verify`: whether outputs are what manifests say.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use serde::Serialize;

use super::{Read, table};
use crate::args::VerifyArgs as Args;
use crate::batch::json;
use crate::batch::manifest::FileFact;
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

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

#[derive(Default, Serialize, schemars::JsonSchema)]
pub(crate) struct Summary {
    r#type: &'static str,
    clips: usize,
    ok: usize,
    failed: usize,
    unfinished: usize,
    outputs: usize,
    missing: usize,
    changed: usize,
    bytes: u64,
}

/// Runs the command.
pub(super) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let read = super::read(&args.manifests, false, console)?;
    let mut summary = Summary { r#type: "summary", ..Summary::default() };
    let mut rows = Vec::new();
    for Read { path, book } in &read {
        let folder = args.outputs.as_deref().or(path.parent()).unwrap_or(Path::new(""));
        let clips: Vec<_> = book.clips.values().collect();
        let files: Vec<&FileFact> = clips.iter().flat_map(|clip| &clip.outputs).collect();
        let problems = check(folder, &files, args.jobs.map_or(0, usize::from));
        let mut problems = problems.into_iter();
        let row = |clip: String, problem| Row {
            manifest: path.display().to_string(),
            path: clip,
            output: None,
            problem,
            code: None,
        };
        for clip in clips {
            let mut whole = clip.is_ok();
            if !whole {
                summary.failed += 1;
                let code = clip.error.as_ref().map(|error| error.code.clone());
                rows.push(Row { code, ..row(clip.path.shown(), "failed") });
            }
            for file in &clip.outputs {
                if let Some(problem) = problems.next().flatten() {
                    whole = false;
                    *(if problem == MISSING { &mut summary.missing } else { &mut summary.changed }) += 1;
                    let output = Some(folder.join(file.path.path()).display().to_string());
                    rows.push(Row { output, ..row(clip.path.shown(), problem) });
                }
                summary.bytes += file.content.bytes;
            }
            summary.ok += usize::from(whole);
        }
        summary.clips += book.clips.len();
        summary.outputs += files.len();
        let lost =
            book.unfinished.iter().filter(|&clip| !book.clips.get(clip).is_some_and(|clip| clip.is_ok()));
        rows.extend(lost.map(|clip| {
            summary.unfinished += 1;
            row(clip.shown(), "unfinished")
        }));
    }
    if console.is_json() {
        rows.iter().for_each(|row| console.row(&json(row), ""));
        console.row(&json(&summary), "");
    } else {
        let cells = |row: &Row| {
            let detail = row.output.clone().or_else(|| row.code.clone()).unwrap_or_default();
            vec![row.problem.to_owned(), row.path.clone(), detail]
        };
        console.row("", &table(&rows.iter().map(cells).collect::<Vec<_>>()));
        console.row("", &text(&summary));
    }
    Ok(if rows.is_empty() { Exit::Success } else { Exit::ClipFailed })
}

fn text(summary: &Summary) -> String {
    let Summary { clips, ok, failed, unfinished, missing, changed, .. } = summary;
    let counts = [(failed, "failed"), (unfinished, "unfinished")];
    let files = [(missing, "missing"), (changed, "changed")];
    let named = |counts: [(&usize, &str); 2], of: &str| {
        let some = counts.into_iter().filter(|(count, _)| **count > 0);
        some.map(|(count, name)| format!(", {count} {of}{name}")).collect::<String>()
    };
    format!("{clips} clips: {ok} whole{}{}", named(counts, ""), named(files, "outputs "))
}

const MISSING: &str = "missing";

/// What is wrong with each file, in their order.
fn check(folder: &Path, files: &[&FileFact], threads: usize) -> Vec<Option<&'static str>> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        threads => threads,
    };
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let mut problems = vec![None; files.len()];
    std::thread::scope(|scope| {
        for _ in 0..threads.min(files.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { return };
                    let path = folder.join(file.path.path());
                    let problem = match file.content.is_of(&path) {
                        true => None,
                        false if path.symlink_metadata().is_ok() => Some("changed"),
                        false => Some(MISSING),
                    };
                    if sender.send((at, problem)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (at, problem) in results {
            problems[at] = problem;
        }
    });
    problems
}
