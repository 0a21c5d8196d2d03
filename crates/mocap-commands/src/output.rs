//! Where rows, notes and progress go: to the two streams of a terminal, to a channel.

use std::sync::mpsc::Sender;

use mocap_batch::{Job, Tally};

use crate::batch::Figure;
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;

/// Takes what a verb has to say, in the order in which it is said.
///
/// Rows are what the verb was asked for; all else is about the work. Methods that are not implemented drop what they
/// get.
pub trait Output {
    /// Whether rows are JSON. They hold all warnings about their input then, and nothing else may be written to
    /// stdout.
    fn is_json(&self) -> bool;

    /// Whether the text about an input may have several lines among many inputs, too.
    fn shows_blocks(&self) -> bool {
        false
    }

    /// Whether nobody takes rows any more: a verb that only reports ends.
    fn is_closed(&self) -> bool;

    /// One row, as JSON and as text for people. Text may have several lines; either is empty where there is no row in
    /// that form.
    fn row(&mut self, json: &str, text: &str);

    /// What became of a job: its row, with what was found on the way.
    fn result(&mut self, result: &JobResult) {
        self.row(&result.json, &result.text);
    }

    /// An error about a file, or about the options.
    fn error(&self, _about: Option<&str>, _error: &Diagnostic) {}

    /// Warnings about a file.
    fn warnings(&self, _about: &str, _warnings: &[Diagnostic], _detail: Detail) {}

    /// A line about the run.
    fn note(&self, _text: &str) {}

    /// The summary of a run, its last row.
    fn summary(&mut self, json: &str, text: &str) {
        if self.is_json() { self.row(json, "") } else { self.note(text) }
    }

    /// How far a run over several jobs is.
    fn progress(&mut self, _event: Progress<'_>) {}

    /// A meter for work on the only input; `doing` is what is done, such as `compressing`.
    fn meter(&self, _doing: &'static str) -> Box<dyn Meter> {
        Box::new(NoMeter)
    }

    /// Whether the process is left where threads cannot be stopped after a run has ended. Else the run waits for them.
    fn leaves_when_stuck(&self) -> bool {
        false
    }

    /// Leaves the process; called where [`Output::leaves_when_stuck`] says so.
    fn leave(&mut self, _exit: Exit) {}
}

/// What became of a job: its row, and what was found on the way.
#[derive(Debug, Default)]
pub struct JobResult {
    /// The input, as messages name it.
    pub path: String,
    /// What is odd about the plan of the job; rows do not contain it.
    pub plan_warning: Option<Diagnostic>,
    /// Warnings about the input; JSON rows contain them.
    pub warnings: Vec<Diagnostic>,
    /// Errors that are told before the row.
    pub errors: Vec<Diagnostic>,
    /// The row as JSON; empty where the output itself goes to stdout.
    pub json: String,
    /// The row as text for people; may be empty.
    pub text: String,
    /// What is told after the row: gates that were missed by what the row says, and why there is no other row.
    pub missed: Vec<Diagnostic>,
    /// What was read and written.
    pub(crate) tally: Tally,
    /// Whether a step left the input out.
    pub(crate) left_out: bool,
    /// Size of the motion without compression [bytes]; 0 where it is not compressed.
    pub(crate) raw_bytes: u64,
    /// What the table of the worst clips shows.
    pub(crate) figures: Vec<Figure>,
}

/// What happens in a run over several jobs.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// It begins.
    Begins {
        /// All jobs.
        jobs: &'a [Job],
        /// Whether the verb shows its own progress, with a [`Meter`].
        own_meter: bool,
        /// How much is shown of each warning.
        detail: Detail,
    },
    /// A job has ended; its result follows when it is its turn.
    JobEnded {
        /// Which.
        job: &'a Job,
        /// What was read and written.
        tally: Tally,
        /// How it ended.
        state: JobState,
    },
    /// Some time has passed: ten times a second.
    Tick,
    /// A signal ends the run in order.
    Interrupted,
    /// All results were given.
    Ends,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// Its work was done.
    Done,
    /// Its work failed.
    Failed,
    /// There was nothing to do: an output exists, or an earlier run completed it.
    Skipped,
}

/// Progress of a verb on its only input.
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

/// An output that sends rows as JSON, one line each, and drops all else: rows have all messages about their inputs.
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
