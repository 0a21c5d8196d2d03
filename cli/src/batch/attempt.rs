//! One attempt at a clip: what it reads and writes, and whether it may still go on.
//!
//! A clip whose time is up, or whose run was interrupted, ends at the next check: between reading and working,
//! between working and writing, and all along while it writes. Work itself cannot be broken off from outside, so
//! the watchdog of the run takes a clip that comes to no check from its thread: what that thread makes later is
//! dropped.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::hash::Content;
use crate::diagnostic::Diagnostic;
use crate::interrupt;
use crate::write::{self, Staging};

/// The code of a clip that was given up because its time was up.
pub(crate) const TIMEOUT: &str = "batch::timeout";
/// The code of a clip that was dropped because the run was interrupted.
pub(crate) const INTERRUPTED: &str = "batch::interrupted";

/// The state of work on one input, shared between the thread that works and the one that watches.
#[derive(Debug, Default)]
pub(crate) struct Attempt(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    limit: Option<Limit>,
    /// Part of the names of temporary files, by which a later run knows them again.
    tag: String,
    read: Vec<Piece>,
    written: Vec<Piece>,
    /// What `undo` takes away: of what was written the files, not devices and pipes.
    placed: Vec<PathBuf>,
    end: Option<End>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    started: Instant,
    most: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The thread that worked has told what came of it.
    Told,
    /// Somebody else has: the thread has nothing to say any more.
    Lost,
}

/// A file that was read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) path: PathBuf,
    pub(crate) content: Content,
}

impl Attempt {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the clock.
    pub(crate) fn begin(&self, most: Option<Duration>, tag: &str) {
        let mut state = self.state();
        state.limit = most.map(|most| Limit { started: Instant::now(), most });
        tag.clone_into(&mut state.tag);
    }

    /// Whether the work may go on.
    ///
    /// # Errors
    /// Where the time is up or the run was interrupted.
    pub(crate) fn check(&self) -> Result<(), Diagnostic> {
        self.state().check()
    }

    /// Takes note of a file that was read.
    pub(crate) fn read(&self, path: &Path, bytes: &[u8]) {
        let content = Content::of(bytes);
        self.state().read.push(Piece { path: path.to_owned(), content });
    }

    /// Writes files, all of them or none, and takes note of them; gives their size [bytes].
    pub(crate) fn write(
        &self,
        files: &[(&Path, write::Content<'_>)],
        replace: bool,
    ) -> Result<u64, Diagnostic> {
        let tag = self.state().tag.clone();
        let may_go_on = || self.check().is_ok();
        let staging = Staging { replace, tag: &tag, may_go_on: &may_go_on };
        let mut staged = Vec::with_capacity(files.len());
        for (path, content) in files {
            // A write that was broken off has a better reason than its own.
            staged.push(
                write::staged(path, staging, *content)
                    .map_err(|error| self.check().err().unwrap_or(error))?,
            );
        }
        // Under the lock: a clip that is given up in this moment is given up before or after, not half-way.
        let mut state = self.state();
        state.check()?;
        let mut bytes = 0;
        for ((path, _), staged) in files.iter().zip(staged) {
            let is_file = staged.is_file();
            let content = staged.commit()?;
            bytes += content.bytes;
            if is_file {
                state.placed.push(path.to_path_buf());
            }
            state.written.push(Piece { path: path.to_path_buf(), content });
        }
        Ok(bytes)
    }

    /// Takes away what was written: a clip that failed leaves no part of its outputs.
    pub(crate) fn undo(&self) {
        let mut state = self.state();
        state.written.clear();
        for path in state.placed.drain(..) {
            let _ = std::fs::remove_file(path);
        }
    }

    /// The files read and written, in order.
    pub(crate) fn take(&self) -> (Vec<Piece>, Vec<Piece>) {
        let mut state = self.state();
        state.placed.clear();
        (std::mem::take(&mut state.read), std::mem::take(&mut state.written))
    }

    /// Ends the attempt; false where somebody else did so before.
    pub(crate) fn tell(&self) -> bool {
        self.end(End::Told)
    }

    /// Takes the attempt from the thread that works on it; false where that has ended it before.
    pub(crate) fn lose(&self) -> bool {
        self.end(End::Lost)
    }

    fn end(&self, end: End) -> bool {
        let mut state = self.state();
        let first = state.end.is_none();
        state.end.get_or_insert(end);
        first
    }
}

impl State {
    fn check(&self) -> Result<(), Diagnostic> {
        if let Some(Limit { started, most }) = self.limit
            && (self.end == Some(End::Lost) || started.elapsed() >= most)
        {
            return Err(timeout(most));
        }
        if interrupt::requested() {
            return Err(Diagnostic::new(INTERRUPTED, "the run was interrupted"));
        }
        Ok(())
    }
}

/// What is said about a clip whose time is up.
pub(crate) fn timeout(most: Duration) -> Diagnostic {
    let message = format!("not done within {} s", most.as_secs_f64());
    Diagnostic::new(TIMEOUT, message).help("--timeout allows more; a later run with --resume tries it again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_ends_once_and_writes_nothing_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let attempt = Attempt::default();
        attempt.begin(Some(Duration::from_secs(3600)), "tag");
        assert_eq!(attempt.write(&[(&path, &|out| out.write_all(b"one"))], false), Ok(3));
        let (_, written) = attempt.take();
        assert_eq!((written[0].path.as_path(), written[0].content), (path.as_path(), Content::of(b"one")));
        assert!(attempt.lose() && !attempt.tell());
        let late = attempt.write(&[(&path, &|out| out.write_all(b"two"))], true);
        assert_eq!(late.unwrap_err().code, TIMEOUT);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_clip_whose_time_is_up_ends_while_it_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let attempt = Attempt::default();
        attempt.begin(Some(Duration::from_millis(20)), "tag");
        let endless = attempt.write(
            &[(&path, &|out| loop {
                out.write_all(&[0; 4096])?;
            })],
            false,
        );
        assert_eq!(endless.unwrap_err().code, TIMEOUT);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_clip_whose_time_is_up_stops_at_its_next_check() {
        let folder = tempfile::tempdir().unwrap();
        let attempt = Attempt::default();
        attempt.begin(Some(Duration::ZERO), "tag");
        assert_eq!(attempt.check().unwrap_err().code, TIMEOUT);
        let write = attempt.write(&[(&folder.path().join("x"), &|out| out.write_all(b"one"))], false);
        assert_eq!(write.unwrap_err().code, TIMEOUT);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_not_taken_away() {
        use std::io::Read;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let attempt = Attempt::default();
        attempt.begin(None, "tag");
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || {
                let mut text = String::new();
                std::fs::File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
                text
            }
        });
        attempt.write(&[(&pipe, &|out| out.write_all(b"one"))], true).unwrap();
        assert_eq!(reader.join().unwrap(), "one");
        attempt.undo();
        assert!(pipe.exists());
    }

    #[test]
    fn of_several_files_all_are_written_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("1"), folder.path().join("2"));
        let attempt = Attempt::default();
        attempt.begin(None, "tag");
        let broken = || std::io::Error::from(std::io::ErrorKind::StorageFull);
        let half = attempt.write(&[(&one, &|out| out.write_all(b"one")), (&two, &|_| Err(broken()))], false);
        assert_eq!(half.unwrap_err().code, "io::disk-full");
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        attempt.write(&[(&one, &|out| out.write_all(b"one"))], false).unwrap();
        attempt.undo();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
