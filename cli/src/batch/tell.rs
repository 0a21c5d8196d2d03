//! What is said about jobs: made where the work is done, printed when it is due.

use serde::Serialize;

use super::manifest::Known;
use super::run::{Failure, Outcome, Tally};
use super::{Destination, Job};
use crate::args::Global;
use crate::console::{Console, Voice};
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;
use crate::interrupt;

/// What one job has to say, as text: it may wait for its turn.
pub(super) struct Told {
    /// For stdout.
    pub(super) row: String,
    /// For stderr.
    pub(super) messages: String,
    pub(super) verdict: Verdict,
    pub(super) tally: Tally,
}

/// How a job counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok,
    Failed,
    /// It only came out worse than was allowed.
    Missed,
    Skipped,
    /// The run ended first.
    NotBegun,
}

/// How texts are made.
pub(super) struct Teller {
    pub(super) voice: Voice,
    pub(super) json: bool,
    pub(super) detail: Detail,
}

/// The last row where there was more than one input.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(crate) struct Summary {
    r#type: &'static str,
    clips: usize,
    ok: usize,
    pub(super) failed: usize,
    skipped: usize,
    /// Those that the run did not come to before it ended, or had to drop: a later run begins them.
    not_begun: usize,
    frames: usize,
    bytes_in: u64,
    bytes_out: u64,
    pub(super) seconds: f64,
    /// Of the failed ones.
    #[serde(skip)]
    missed: usize,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct ErrorRow<'a> {
    /// The input; not there where the command line itself is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    error: &'a Diagnostic,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [Diagnostic],
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct PlanRow<'a> {
    path: &'a str,
    output: String,
    action: &'static str,
}

impl<'a> ErrorRow<'a> {
    /// The row of what is wrong with the arguments.
    pub(crate) fn misuse(error: &'a Diagnostic) -> ErrorRow<'a> {
        ErrorRow { path: None, error, warnings: &[] }
    }
}

/// Tells that a command with one result failed; warnings were shown when they were found.
pub(crate) fn fail(
    path: &str,
    error: &Diagnostic,
    warnings: &[Diagnostic],
    global: &Global,
    console: &mut Console,
) -> Exit {
    if global.json {
        console.row(&json(&ErrorRow { path: Some(path), error, warnings }), "");
    }
    console.error(Some(path), error);
    Exit::ClipFailed
}

impl Told {
    /// That of a job about which nothing could be told.
    pub(super) fn lost() -> Told {
        Told {
            row: String::new(),
            messages: String::new(),
            verdict: Verdict::Failed,
            tally: Tally::default(),
        }
    }

    /// The memory that it takes while it waits [bytes].
    pub(super) fn size(&self) -> usize {
        self.row.len() + self.messages.len()
    }

    /// Prints it.
    pub(super) fn print(&self, console: &mut Console) {
        if !self.messages.is_empty() {
            console.say(&self.messages);
        }
        if !self.row.is_empty() {
            console.stdout(self.row.as_bytes());
        }
    }
}

impl Teller {
    /// What became of a job, as text.
    pub(super) fn tell(&self, job: &Job, outcome: &Outcome) -> Told {
        let path = job.input.shown();
        let (row, messages, verdict, tally) = match outcome {
            Outcome::Skipped => (self.skipped(&path, job), String::new(), Verdict::Skipped, Tally::default()),
            Outcome::NotBegun => (String::new(), String::new(), Verdict::NotBegun, Tally::default()),
            Outcome::Known => (self.known(&path, job), String::new(), Verdict::Skipped, Tally::default()),
            Outcome::Failed(Failure { error, warnings }) => {
                let row = self.row(&json(&ErrorRow { path: Some(&path), error, warnings }), "");
                let shown = if self.json { "" } else { &self.voice.warnings(&path, warnings, self.detail) };
                (
                    row,
                    format!("{shown}{}", self.voice.error(Some(&path), error)),
                    Verdict::Failed,
                    Tally::default(),
                )
            }
            Outcome::Done(report) => {
                let mut messages = String::new();
                if !self.json {
                    messages += &self.voice.warnings(&path, &report.warnings, self.detail);
                }
                for error in &report.errors {
                    messages += &self.voice.error(Some(&path), error);
                }
                let row = match job.destination {
                    Destination::Stdout => String::new(),
                    _ => self.row(&report.json, &report.text),
                };
                (row, messages, report.verdict(), report.tally)
            }
        };
        // The rows of commands know nothing of it: it is said on stderr, whatever they look like.
        let warning = match verdict {
            Verdict::Skipped | Verdict::NotBegun => String::new(),
            _ => self.voice.warnings(&path, job.warning.as_slice(), Detail::Line),
        };
        Told { row, messages: warning + &messages, verdict, tally }
    }

    fn row(&self, json: &str, text: &str) -> String {
        let row = if self.json { json } else { text };
        if row.is_empty() { String::new() } else { format!("{row}\n") }
    }

    fn skipped(&self, path: &str, job: &Job) -> String {
        let Destination::Exists(output) = &job.destination else { return String::new() };
        let row = PlanRow { path, output: output.display().to_string(), action: "skip" };
        self.row(&json(&row), &format!("{path}: left out, '{}' exists", row.output))
    }

    /// Of what was done before, people read the number alone.
    fn known(&self, path: &str, job: &Job) -> String {
        let Destination::File { path: output, .. } = &job.destination else { return String::new() };
        self.row(&json(&PlanRow { path, output: output.display().to_string(), action: "skip" }), "")
    }
}

impl Summary {
    pub(super) fn of(clips: usize) -> Summary {
        Summary { r#type: "summary", clips, ..Summary::default() }
    }

    pub(super) fn add(&mut self, told: &Told) {
        *match told.verdict {
            Verdict::Ok => &mut self.ok,
            Verdict::Failed | Verdict::Missed => &mut self.failed,
            Verdict::Skipped => &mut self.skipped,
            Verdict::NotBegun => &mut self.not_begun,
        } += 1;
        self.missed += usize::from(told.verdict == Verdict::Missed);
        self.frames += told.tally.frames;
        self.bytes_in += told.tally.bytes_in;
        self.bytes_out += told.tally.bytes_out;
    }

    /// Counts jobs of which nobody has told, because the run ended first.
    pub(super) fn leave_out(&mut self, jobs: usize) {
        self.not_begun += jobs;
    }

    /// How the run ends, as far as its clips are concerned.
    pub(super) fn exit(&self) -> Exit {
        match self.failed {
            0 => Exit::Success,
            failed if failed == self.missed => Exit::Gate,
            _ => Exit::ClipFailed,
        }
    }

    pub(super) fn print(&self, console: &mut Console, global: &Global) {
        if global.json {
            return console.row(&json(self), "");
        }
        let mut parts = vec![format!("{} ok", self.ok)];
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        if self.skipped > 0 {
            parts.push(format!("{} skipped", self.skipped));
        }
        if self.not_begun > 0 {
            parts.push(format!("{} not begun", self.not_begun));
        }
        console.note(&format!(
            "{}{} inputs: {}; {} frames in {:.2} s",
            if interrupt::requested() { "interrupted: " } else { "" },
            self.clips,
            parts.join(", "),
            self.frames,
            self.seconds
        ));
    }
}

/// What would be done.
pub(super) fn print_plan(console: &mut Console, jobs: &[Job], known: Option<&Known>) -> Exit {
    for job in jobs {
        let path = job.input.shown();
        let (output, action) = match &job.destination {
            Destination::Nowhere => (String::new(), "read"),
            Destination::Stdout => ("-".into(), "write"),
            Destination::File { path, .. } if known.is_some_and(|known| known.has_done(job)) => {
                (path.display().to_string(), "skip")
            }
            Destination::File { path, .. } if path.exists() => (path.display().to_string(), "overwrite"),
            Destination::File { path, .. } => (path.display().to_string(), "write"),
            Destination::Exists(path) => (path.display().to_string(), "skip"),
        };
        let along = job.along.iter().map(|along| {
            let action = if action == "write" && along.exists() { "overwrite" } else { action };
            (along.display().to_string(), action)
        });
        for (output, action) in std::iter::once((output, action)).chain(along) {
            let text = format!("{action} {path} -> {output}");
            console.row(&json(&PlanRow { path: &path, output, action }), &text);
        }
    }
    Exit::Success
}

/// A row as one line of JSON.
pub(crate) fn json(row: &impl Serialize) -> String {
    serde_json::to_string(row).expect("rows have string keys")
}
