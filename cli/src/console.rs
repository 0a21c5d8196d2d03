//! The only place that prints: results to stdout, messages to stderr.

use std::io::{self, Write};

use crate::args::{ColorWhen, Global};
use crate::diagnostic::{Detail, Diagnostic, Renderer};
use crate::exit::Exit;
use crate::write::{Content, counted};

/// The two streams of the process.
pub(crate) struct Console {
    renderer: Renderer,
    quiet: bool,
    /// The reader of stdout has gone away: `mocap info *.bvh | head` is no failure.
    closed: bool,
    /// A result could not be written.
    lost: bool,
}

impl Console {
    /// As the flags of every command say.
    pub(crate) fn new(global: &Global) -> Console {
        let colored = match global.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
        };
        Console { renderer: Renderer::new(colored), quiet: global.quiet, closed: false, lost: false }
    }

    /// One result, in the form that was asked for. Text may have several lines, or none.
    pub(crate) fn row(&mut self, global: &Global, json: &str, text: &str) {
        let row = if global.json { json } else { text };
        if !row.is_empty() {
            self.stdout(format!("{row}\n").as_bytes());
        }
    }

    /// Bytes of a file that goes to stdout.
    pub(crate) fn stdout(&mut self, bytes: &[u8]) {
        if self.closed {
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

    /// How the process ends: a run whose results were lost is no success.
    pub(crate) fn ended(&self, exit: Exit) -> Exit {
        if self.lost && exit == Exit::Success { Exit::ClipFailed } else { exit }
    }

    /// An error, about a file or about the arguments.
    pub(crate) fn error(&self, path: Option<&str>, error: &Diagnostic) {
        stderr(&format!("{}\n", self.renderer.error(path, error)));
    }

    /// An error of the arguments, and the exit code of one.
    pub(crate) fn usage_error(&self, error: &Diagnostic) -> Exit {
        self.error(None, error);
        Exit::Usage
    }

    /// Warnings about a file.
    pub(crate) fn warnings(&self, path: &str, warnings: &[Diagnostic], detail: Detail) {
        if !self.quiet {
            for warning in warnings {
                let text = self.renderer.warning(path, warning, detail);
                // What has several lines is set apart from what follows.
                stderr(&if detail == Detail::Full { text + "\n" } else { text });
            }
        }
    }

    /// A line about the run.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            stderr(text);
        }
    }
}

/// The content of a file that goes to stdout; gives its size [bytes]. A closed pipe is no failure.
pub(crate) fn put_stdout(content: Content<'_>) -> Result<u64, Diagnostic> {
    let failed = |error: io::Error| Diagnostic::new("io::error", format!("cannot write to stdout: {error}"));
    match counted(io::stdout().lock(), content) {
        Ok((_, bytes)) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(failed(error)),
    }
}

/// A message that cannot be written has nowhere else to go.
fn stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
