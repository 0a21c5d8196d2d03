//! Verifies outputs against manifests.

use std::fmt;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};

use schemars::JsonSchema;
use serde::Serialize;

use super::find::NamedManifest;
use super::line::FileFact;
use crate::counted;
use crate::portable::PathText;

/// What is wrong with a clip or an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
pub struct ManifestProblem {
    /// The manifest that records the clip.
    pub manifest: String,
    /// The clip.
    pub path: String,
    /// The output that is missing or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What is wrong.
    pub problem: ProblemKind,
    /// The code of the error of a clip that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProblemKind {
    /// The clip failed.
    Failed,
    /// The clip was started and not finished.
    Unfinished,
    /// An output does not exist.
    Missing,
    /// An output is not what was written.
    Changed,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProblemKind::Failed => "failed",
            ProblemKind::Unfinished => "unfinished",
            ProblemKind::Missing => "missing",
            ProblemKind::Changed => "changed",
        })
    }
}

impl ManifestProblem {
    /// The problem as columns of text: kind, clip, and output or code.
    pub fn columns(&self) -> [String; 3] {
        let about = self.output.as_ref().or(self.code.as_ref()).cloned().unwrap_or_default();
        [self.problem.to_string(), self.path.clone(), about]
    }
}

impl VerifySummary {
    /// The counts in one line for people.
    pub fn text(&self) -> String {
        let counts = [
            (self.failed, "failed"),
            (self.unfinished, "unfinished"),
            (self.not_started, "not started: the run was interrupted, --resume continues it"),
            (self.missing, "outputs missing"),
            (self.changed, "outputs changed"),
        ];
        let others = counts.into_iter().filter(|(count, _)| *count > 0);
        let others: String = others.map(|(count, name)| format!(", {count} {name}")).collect();
        format!("{}: {} whole{others}", counted(self.clips, "clip"), self.ok)
    }
}

/// The counts of a verification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename = "summary")]
#[schemars(rename = "Summary")]
pub struct VerifySummary {
    /// Clips that were finished.
    pub clips: usize,
    /// Clips that are done and whose outputs are as written.
    pub ok: usize,
    /// Clips that failed.
    pub failed: usize,
    /// Clips that were started and not finished.
    pub unfinished: usize,
    /// Clips of the run that were never started: it was interrupted, and the manifest does not name them.
    pub not_started: usize,
    /// Outputs that were checked.
    pub outputs: usize,
    /// Outputs that do not exist.
    pub missing: usize,
    /// Outputs that are not what was written.
    pub changed: usize,
    /// Recorded size of all outputs (bytes).
    pub bytes: u64,
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// What is wrong, by manifest and clip.
    pub problems: Vec<ManifestProblem>,
    /// The counts.
    pub summary: VerifySummary,
}

/// Compares outputs with the hashes in manifests. Every output is read, `threads` at a time (0: one per CPU core);
/// outputs lie in the given directory, or where each manifest lies.
pub fn verify(manifests: &[NamedManifest], outputs: Option<&Path>, threads: usize) -> VerifyReport {
    let mut report = VerifyReport::default();
    for named in manifests {
        let directory = outputs.or(named.path.parent()).unwrap_or(Path::new(""));
        report.add(named, directory, threads);
    }
    report
}

impl VerifyReport {
    /// Whether all clips of the runs are done, and all outputs have the content that was written.
    pub fn is_whole(&self) -> bool {
        self.problems.is_empty() && self.summary.not_started == 0
    }

    fn add(&mut self, NamedManifest { path, manifest }: &NamedManifest, directory: &Path, threads: usize) {
        let VerifyReport { problems, summary } = self;
        let files: Vec<&FileFact> = manifest.clips.values().flat_map(|clip| &clip.outputs).collect();
        let mut found = check(directory, &files, threads).into_iter();
        let problem = |clip: &PathText, problem| ManifestProblem {
            manifest: path.display().to_string(),
            path: clip.shown(),
            problem,
            output: None,
            code: None,
        };
        for clip in manifest.clips.values() {
            let mut whole = clip.is_ok();
            if !whole {
                summary.failed += 1;
                let code = clip.error.as_ref().map(|error| error.code.clone());
                problems.push(ManifestProblem { code, ..problem(&clip.path, ProblemKind::Failed) });
            }
            for file in &clip.outputs {
                if let Some(kind) = found.next().flatten() {
                    whole = false;
                    summary.missing += usize::from(kind == ProblemKind::Missing);
                    summary.changed += usize::from(kind == ProblemKind::Changed);
                    let output = Some(directory.join(file.path.path()).display().to_string());
                    problems.push(ManifestProblem { output, ..problem(&clip.path, kind) });
                }
                summary.bytes = summary.bytes.saturating_add(file.content.bytes);
            }
            summary.ok += usize::from(whole);
        }
        summary.clips += manifest.clips.len();
        summary.outputs += files.len();
        for clip in manifest.incomplete() {
            summary.unfinished += 1;
            problems.push(problem(clip, ProblemKind::Unfinished));
        }
        summary.not_started += manifest.not_started();
    }
}

/// The problem of each file, in order; `None` if it is as written.
fn check(directory: &Path, files: &[&FileFact], threads: usize) -> Vec<Option<ProblemKind>> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let mut problems = vec![None; files.len()];
    let check_next = |sender: Sender<_>| {
        while let Some((at, file)) = take(files, &next) {
            if sender.send((at, check_file(directory, file))).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        // This thread takes part: if the system has no more threads, fewer are enough.
        for _ in 1..threads.min(files.len()) {
            let sender = sender.clone();
            if std::thread::Builder::new().spawn_scoped(scope, || check_next(sender)).is_err() {
                break;
            }
        }
        check_next(sender);
        for (at, problem) in results {
            problems[at] = problem;
        }
    });
    problems
}

fn take<'a>(files: &[&'a FileFact], next: &AtomicUsize) -> Option<(usize, &'a FileFact)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, files.get(at)?))
}

fn check_file(directory: &Path, file: &FileFact) -> Option<ProblemKind> {
    let path = directory.join(file.path.path());
    match file.content.is_of(&path) {
        true => None,
        false if path.symlink_metadata().is_ok() => Some(ProblemKind::Changed),
        false => Some(ProblemKind::Missing),
    }
}
