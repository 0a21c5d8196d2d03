//! The only place that prints: results to stdout, messages to stderr.

use std::io::{self, Write};
use std::sync::mpsc::Sender;

use mocap_batch::{WriteContent, write_stream};

use crate::args::{ColorWhen, Global, ProgressWhen};
use crate::diagnostic::{Detail, Diagnostic, Renderer};
use crate::exit::Exit;

/// How messages look.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    renderer: Renderer,
    quiet: bool,
    /// Results for people are not printed.
    silent: bool,
}

impl Style {
    /// A result with its line break, as JSON or text; empty where nothing is printed.
    pub(crate) fn row(&self, as_json: bool, json: &str, text: &str) -> String {
        match if as_json { json } else { text } {
            "" => String::new(),
            _ if self.silent && !as_json => String::new(),
            row if as_json => format!("{row}\n"),
            row => mocap_diagnostics::visible(format!("{row}\n")),
        }
    }

    /// The text of an error, about a file or about the arguments.
    pub(crate) fn error(&self, path: Option<&str>, error: &Diagnostic) -> String {
        format!("{}\n\n", self.renderer.error(path, error))
    }

    /// The text of warnings about a file.
    pub(crate) fn warnings(&self, path: &str, warnings: &[Diagnostic], detail: Detail) -> String {
        if self.quiet {
            return String::new();
        }
        // What has several lines is set apart from what follows.
        let end = if detail == Detail::Full { "\n\n" } else { "\n" };
        let text = |warning: &Diagnostic| self.renderer.warning(path, warning, detail) + end;
        warnings.iter().map(text).collect()
    }
}

/// The two streams of the process.
pub(crate) struct Console {
    style: Style,
    json: bool,
    progress: ProgressWhen,
    /// The reader of stdout has gone away: `mocap info *.bvh | head` succeeds.
    closed: bool,
    /// A result could not be written.
    lost: bool,
    /// Where rows go instead of stdout; messages then go nowhere.
    rows: Option<Sender<String>>,
}

impl Console {
    /// As the flags of every command say.
    pub(crate) fn new(global: &Global) -> Console {
        let colored = match global.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
        };
        let renderer = Renderer::new(colored).listed_by("mocap validate");
        let style = Style { renderer, quiet: global.quiet > 0, silent: global.quiet > 1 };
        let Global { json, progress, .. } = *global;
        Console { style, json, progress, closed: false, lost: false, rows: None }
    }

    /// A console that sends rows and prints nothing: rows are JSON and have all messages about their inputs.
    pub(crate) fn sending(global: &Global, rows: Sender<String>) -> Console {
        Console { rows: Some(rows), ..Console::new(global) }
    }

    /// Whether it runs inside another program.
    pub(crate) fn is_embedded(&self) -> bool {
        self.rows.is_some()
    }

    /// How messages look, for texts that are printed later.
    pub(crate) fn style(&self) -> Style {
        self.style.clone()
    }

    /// Whether results are printed as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// When progress is shown.
    pub(crate) fn progress(&self) -> ProgressWhen {
        self.progress
    }

    /// One result, as JSON or text. Text may have several lines, or none.
    pub(crate) fn row(&mut self, json: &str, text: &str) {
        let row = self.style.row(self.json, json, text);
        if !row.is_empty() {
            self.stdout(row.as_bytes());
        }
    }

    /// Bytes of a file that goes to stdout.
    pub(crate) fn stdout(&mut self, bytes: &[u8]) {
        if self.closed {
            return;
        }
        if let Some(rows) = &self.rows {
            let text = String::from_utf8_lossy(bytes);
            self.closed = text.lines().any(|row| rows.send(row.to_owned()).is_err());
            return;
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.closed = true,
            Err(error) => {
                (self.closed, self.lost) = (true, true);
                self.error(None, &Diagnostic::new("io::error", format!("cannot write to stdout: {error}")));
            }
        }
    }

    /// Whether nobody reads stdout any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// How the process ends: a run whose results were lost has failed.
    pub(crate) fn ended(&self, exit: Exit) -> Exit {
        if self.lost && exit == Exit::Success { Exit::ClipFailed } else { exit }
    }

    /// An error, about a file or about the arguments.
    pub(crate) fn error(&self, path: Option<&str>, error: &Diagnostic) {
        self.say(&self.style.error(path, error));
    }

    /// An error of the arguments, and the exit code of one.
    pub(crate) fn usage_error(&self, error: &Diagnostic) -> Exit {
        self.error(None, error);
        Exit::Usage
    }

    /// Warnings about a file.
    pub(crate) fn warnings(&self, path: &str, warnings: &[Diagnostic], detail: Detail) {
        self.say(&self.style.warnings(path, warnings, detail));
    }

    /// Messages as they are. What cannot be written has nowhere else to go.
    pub(crate) fn say(&self, text: &str) {
        if self.is_embedded() {
            return;
        }
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// A line about the run.
    pub(crate) fn note(&self, text: &str) {
        if !self.style.quiet {
            self.say(&format!("{text}\n"));
        }
    }
}

/// Writes a file to stdout; returns its size [bytes]. A closed pipe counts as success.
pub(crate) fn put_stdout(content: WriteContent<'_>) -> Result<u64, Diagnostic> {
    match write_stream(io::stdout().lock(), content) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(Diagnostic::new("io::error", format!("cannot write to stdout: {error}"))),
    }
}
