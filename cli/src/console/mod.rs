//! Prints results to stdout, messages and progress to stderr. No other module prints.

mod progress;

use std::collections::BTreeMap;
use std::io::{self, Write};

use mocap_commands::{
    ColorWhen, Detail, Diagnostic, Exit, Global, JobResult, Meter, Output, Progress as Event, ProgressWhen,
};
use mocap_diagnostics::Renderer;

use crate::interrupt;
use progress::{Bar, Progress};

/// The two streams of the process.
pub(crate) struct Console {
    renderer: Renderer,
    quiet: bool,
    /// Whether text results are suppressed.
    silent: bool,
    json: bool,
    blocks: bool,
    progress_when: ProgressWhen,
    /// Progress of the current run.
    progress: Progress,
    /// How much is shown of each warning of the run.
    detail: Detail,
    repeated: Repeated,
    /// Whether the reader of stdout has closed it, which is not an error: `mocap info *.bvh | head` succeeds.
    closed: bool,
    /// Whether a result could not be written.
    lost: bool,
}

/// Counts the warnings of a run by code: of many with one code, only the first are shown.
#[derive(Debug, Default)]
struct Repeated(BTreeMap<&'static str, usize>);

impl Repeated {
    /// Number of warnings of one code that are shown.
    const SHOWN: usize = 3;

    fn is_shown(&mut self, code: &'static str) -> bool {
        let count = self.0.entry(code).or_default();
        *count += 1;
        *count <= Repeated::SHOWN
    }

    /// A line with the number of warnings that were not shown.
    fn line(&self) -> Option<String> {
        let others = self.0.iter().filter(|(_, count)| **count > Repeated::SHOWN);
        let others: Vec<String> =
            others.map(|(code, count)| format!("{} {code}", count - Repeated::SHOWN)).collect();
        (!others.is_empty()).then(|| format!("more warnings: {}; --json shows all", others.join(", ")))
    }
}

impl Console {
    /// A console with the options of the common flags.
    pub(crate) fn new(global: &Global) -> Console {
        let colored = match global.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
        };
        Console {
            renderer: Renderer::new(colored).listed_by("mocap validate"),
            quiet: global.quiet > 0,
            silent: global.quiet > 1,
            json: global.json,
            blocks: global.blocks,
            progress_when: global.progress,
            progress: Progress::nothing(),
            detail: Detail::Full,
            repeated: Repeated::default(),
            closed: false,
            lost: false,
        }
    }

    /// The exit code of the process: a run fails if its results could not be written.
    pub(crate) fn ended(&self, exit: Exit) -> Exit {
        if self.lost && exit == Exit::Success { Exit::ClipFailed } else { exit }
    }

    /// Prints an error about the arguments; returns its exit code.
    pub(crate) fn usage_error(&self, error: &Diagnostic) -> Exit {
        self.error(None, error);
        Exit::Usage
    }

    fn stdout(&mut self, bytes: &[u8]) {
        if self.closed || bytes.is_empty() {
            return;
        }
        let written = self.progress.suspend(|| {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush())
        });
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.closed = true,
            Err(error) => {
                (self.closed, self.lost) = (true, true);
                self.error(None, &Diagnostic::new("io::error", format!("cannot write to stdout: {error}")));
            }
        }
    }

    /// Prints a message. Failures are ignored: there is no other place to report them.
    fn say(&self, text: &str) {
        if !text.is_empty() {
            let _ = self.progress.suspend(|| io::stderr().lock().write_all(text.as_bytes()));
        }
    }

    /// Text of an error about a file or about the arguments.
    fn error_text(&self, about: Option<&str>, error: &Diagnostic) -> String {
        format!("{}\n\n", self.renderer.error(about, error))
    }

    /// Text of warnings about a file.
    fn warnings_text(&self, about: &str, warnings: &[Diagnostic], detail: Detail) -> String {
        if self.quiet {
            return String::new();
        }
        // Full warnings have several lines; an empty line separates them from the next text.
        let end = if detail == Detail::Full { "\n\n" } else { "\n" };
        let text = |warning: &Diagnostic| self.renderer.warning(about, warning, detail) + end;
        warnings.iter().map(text).collect()
    }

    /// Text of the warnings of a job. With many jobs, only the first ones of a code are shown; JSON rows
    /// contain all.
    fn job_warnings(&mut self, result: &JobResult) -> String {
        let (path, detail) = (&result.path, self.detail);
        if self.json || detail == Detail::Full {
            return if self.json {
                String::new()
            } else {
                self.warnings_text(path, &result.warnings, detail)
            };
        }
        let shown = result.warnings.iter().filter(|warning| self.repeated.is_shown(warning.code));
        let shown: Vec<Diagnostic> = shown.cloned().collect();
        self.warnings_text(path, &shown, detail)
    }
}

impl Output for Console {
    fn is_json(&self) -> bool {
        self.json
    }

    fn shows_blocks(&self) -> bool {
        self.blocks
    }

    fn is_closed(&self) -> bool {
        self.closed
    }

    fn row(&mut self, json: &str, text: &str) {
        let row = match if self.json { json } else { text } {
            "" => return,
            _ if self.silent && !self.json => return,
            row if self.json => format!("{row}\n"),
            row => mocap_diagnostics::visible(format!("{row}\n")),
        };
        self.stdout(row.as_bytes());
    }

    fn result(&mut self, result: &JobResult) {
        let path = Some(result.path.as_str());
        let errors =
            |all: &[Diagnostic]| all.iter().map(|error| self.error_text(path, error)).collect::<String>();
        let (errors, missed) = (errors(&result.errors), errors(&result.missed));
        let plan = self.warnings_text(&result.path, result.plan_warning.as_slice(), Detail::Line);
        let warnings = self.job_warnings(result);
        // Full warnings are printed before errors, one-line warnings after them.
        self.say(&match self.detail {
            Detail::Full => plan + &warnings + &errors,
            Detail::Line => plan + &errors + &warnings,
        });
        self.row(&result.json, &result.text);
        self.say(&missed);
    }

    fn error(&self, about: Option<&str>, error: &Diagnostic) {
        self.say(&self.error_text(about, error));
    }

    fn warnings(&self, about: &str, warnings: &[Diagnostic], detail: Detail) {
        self.say(&self.warnings_text(about, warnings, detail));
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            self.say(&format!("{text}\n"));
        }
    }

    fn summary(&mut self, json: &str, text: &str) {
        if let Some(line) = std::mem::take(&mut self.repeated).line() {
            self.note(&line);
        }
        if self.json { self.row(json, "") } else { self.note(text) }
    }

    fn progress(&mut self, event: Event<'_>) {
        match event {
            Event::Begins { jobs, own_meter, detail } => {
                self.detail = detail;
                self.progress = Progress::new(self.progress_when, if own_meter { &[] } else { jobs });
            }
            Event::JobEnded { job, tally, state } => self.progress.advance(job, tally, state),
            Event::Tick => {
                if let Some(line) = self.progress.due_line() {
                    self.say(&line);
                }
            }
            Event::Interrupted => {}
            Event::Ends => self.progress.finish(),
        }
    }

    fn meter(&self, doing: &'static str) -> Box<dyn Meter> {
        Box::new(Bar::new(self.progress_when, doing))
    }

    fn leaves_when_stuck(&self) -> bool {
        true
    }

    fn leave(&mut self, exit: Exit) {
        interrupt::leave(self.ended(exit));
    }
}
