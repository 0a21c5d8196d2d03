//! Interface for rows, notes and progress of verbs: the two streams of a terminal, or a channel.

use std::sync::mpsc::Sender;

use mocap_batch::{Job, Tally};

use crate::batch::Figure;
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;

/// Receives the output of a verb, in order.
///
/// Rows are the results that were requested; everything else is about the work. Default implementations discard
/// what they get.
pub trait Output {
    /// Whether rows are JSON. Then they contain all warnings about their input, and nothing else may be written
    /// to stdout.
    fn is_json(&self) -> bool;

    /// Whether the text about an input may have several lines even if there are many inputs.
    fn shows_blocks(&self) -> bool {
        false
    }

    /// Whether the receiver of rows has stopped reading. Verbs that only report end then.
    fn is_closed(&self) -> bool;

    /// Takes one row, as JSON and as text. Text may have several lines. Either is empty if the row has no such
    /// form.
    fn row(&mut self, json: &str, text: &str);

    /// Takes the result of a job: its row, and the messages about it.
    fn result(&mut self, result: &JobResult) {
        self.row(&result.json, &result.text);
    }

    /// Takes an error about a file, or about the options.
    fn error(&self, _about: Option<&str>, _error: &Diagnostic) {}

    /// Takes warnings about a file.
    fn warnings(&self, _about: &str, _warnings: &[Diagnostic], _detail: Detail) {}

    /// Takes a line about the run.
    fn note(&self, _text: &str) {}

    /// Takes the summary of a run, its last row.
    fn summary(&mut self, json: &str, text: &str) {
        if self.is_json() { self.row(json, "") } else { self.note(text) }
    }

    /// Takes the progress of a run over several jobs.
    fn progress(&mut self, _event: Progress<'_>) {}

    /// Makes a progress meter for work on the only input; `doing` names the work, such as `compressing`.
    fn meter(&self, _doing: &'static str) -> Box<dyn Meter> {
        Box::new(NoMeter)
    }

    /// Whether the process exits if worker threads are still stuck after a run. Otherwise the run waits for
    /// them.
    fn leaves_when_stuck(&self) -> bool {
        false
    }

    /// Exits the process; called if [`Output::leaves_when_stuck`] is true.
    fn leave(&mut self, _exit: Exit) {}
}

/// The result of a job: its row, and the messages about it.
#[derive(Debug, Default)]
pub struct JobResult {
    /// The input, as messages name it.
    pub path: String,
    /// A warning about the plan of the job; rows do not contain it.
    pub plan_warning: Option<Diagnostic>,
    /// Warnings about the input; JSON rows contain them.
    pub warnings: Vec<Diagnostic>,
    /// Errors that are shown before the row.
    pub errors: Vec<Diagnostic>,
    /// The row as JSON; empty where the output itself goes to stdout.
    pub json: String,
    /// The row as text for people; may be empty.
    pub text: String,
    /// Errors that are shown after the row: missed gates, or the failure of the job.
    pub missed: Vec<Diagnostic>,
    /// Bytes read and written.
    pub(crate) tally: Tally,
    /// Whether a step left the input out.
    pub(crate) left_out: bool,
    /// Size of the motion without compression [bytes]; 0 where it is not compressed.
    pub(crate) raw_bytes: u64,
    /// Figures for the table of the worst clips.
    pub(crate) figures: Vec<Figure>,
}

/// Progress of a run over several jobs.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// The run begins.
    Begins {
        /// All jobs.
        jobs: &'a [Job],
        /// Whether the verb shows its own progress, with a [`Meter`].
        own_meter: bool,
        /// How much of each warning is shown.
        detail: Detail,
    },
    /// A job has ended; its result follows in input order.
    JobEnded {
        /// The job.
        job: &'a Job,
        /// Bytes read and written.
        tally: Tally,
        /// How it ended.
        state: JobState,
    },
    /// Sent ten times per second.
    Tick,
    /// A signal ends the run; jobs in progress finish.
    Interrupted,
    /// All results were passed on.
    Ends,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// The work was done.
    Done,
    /// The work failed.
    Failed,
    /// There was nothing to do: the output exists, or an earlier run completed the job.
    Skipped,
}

/// Progress meter of a verb with a single input.
pub trait Meter: Send + Sync {
    /// Sets the share that is done [0 to 1].
    fn set(&self, share: f64);

    /// Removes the meter.
    fn finish(&self);
}

struct NoMeter;

impl Meter for NoMeter {
    fn set(&self, _: f64) {}

    fn finish(&self) {}
}

/// An output that sends rows as JSON lines and discards everything else: rows contain all messages about their
/// inputs.
#[derive(Debug)]
pub struct Rows {
    rows: Sender<String>,
    closed: bool,
}

impl Rows {
    /// Sends rows until the receiver is dropped.
    pub fn new(rows: Sender<String>) -> Rows {
        Rows { rows, closed: false }
    }
}

impl Output for Rows {
    fn is_json(&self) -> bool {
        true
    }

    fn is_closed(&self) -> bool {
        self.closed
    }

    fn row(&mut self, json: &str, _: &str) {
        if !json.is_empty() && !self.closed {
            self.closed = self.rows.send(json.to_owned()).is_err();
        }
    }
}
