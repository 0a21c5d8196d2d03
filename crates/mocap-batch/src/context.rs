//! The interface of a job: reads, writes, and checks whether it may continue.
//!
//! A job that exceeds its time limit, or whose run was interrupted, ends at its next check: after each read,
//! during and after each write, and wherever the work calls [`JobContext::check`]. Threads cannot be stopped from
//! outside, so the watchdog of the run abandons a job that reaches no check; what its thread produces later is
//! discarded.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::BatchError;
use crate::hash::Content;
use crate::input::{Input, Source};
use crate::interrupt;
use crate::read::read_content;
use crate::write::{Staging, WriteContent, stage};

/// All reads and writes of a job go through its context, which records them for the manifest.
///
/// It is shared by the worker and the watchdog of a run.
#[derive(Debug, Default)]
pub struct JobContext(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    limit: Option<Limit>,
    /// Part of the names of temporary files, by which a later run recognises them.
    tag: String,
    files: JobFiles,
    /// Files that [`JobContext::undo`] removes; devices and pipes are not among them.
    placed: Vec<PathBuf>,
    end: Option<End>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    started: Instant,
    time: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The worker finished the job.
    Finished,
    /// The watchdog reported the job; the worker's result is discarded.
    Abandoned,
}

/// A file and its content when it was read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// The file.
    pub path: PathBuf,
    /// Its content.
    pub content: Content,
}

/// The files of a job, in the order in which it read and wrote them.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobFiles {
    pub(crate) read: Vec<FileRecord>,
    pub(crate) written: Vec<FileRecord>,
}

impl JobContext {
    /// A context outside of a run, without a time limit; it records files as well.
    pub fn standalone() -> JobContext {
        JobContext::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the time limit.
    pub(crate) fn begin(&self, time: Option<Duration>, tag: &str) {
        let mut state = self.state();
        state.limit = time.map(|time| Limit { started: Instant::now(), time });
        tag.clone_into(&mut state.tag);
    }

    /// Checks whether the job may continue. Long work calls it between its steps.
    ///
    /// # Errors
    /// If the time limit is exceeded or the run was interrupted.
    pub fn check(&self) -> Result<(), BatchError> {
        self.state().check()
    }

    /// Reads an input of at most `limit` bytes and records its hash; stdin is recorded as the file `-`.
    ///
    /// # Errors
    /// If it cannot be read, is larger, or the job may not continue.
    pub fn read(&self, input: &Input, limit: u64) -> Result<Vec<u8>, BatchError> {
        match &input.source {
            Source::Stdin => self.read_checked(input, limit, |_, _| Ok(())),
            Source::File(path) => self.read_file(path, limit),
            Source::Unreadable(_, error) => Err(error.as_ref().clone()),
        }
    }

    /// Like [`JobContext::read`], but `judge` may reject the input early. For an input with a known
    /// size, it gets the first 4 KiB and then 64 KiB, if there are more, and the size \[bytes\].
    /// For an input without a known size, it is called again as the input grows, with the start and
    /// the size so far.
    ///
    /// # Errors
    /// Those of [`JobContext::read`], and what `judge` returns.
    pub fn read_checked<E: From<BatchError>>(
        &self,
        input: &Input,
        limit: u64,
        judge: impl Fn(&[u8], Option<u64>) -> Result<(), E>,
    ) -> Result<Vec<u8>, E> {
        let mut refused = None;
        let mut accepts = |start: &[u8], size: Option<u64>| {
            refused = judge(start, size).err();
            refused.is_none()
        };
        let (path, read) = match &input.source {
            Source::Stdin => (Path::new("-"), read_content(None, limit, &mut accepts)?),
            Source::File(path) => (path.as_path(), read_content(Some(path), limit, &mut accepts)?),
            Source::Unreadable(_, error) => return Err(error.as_ref().clone().into()),
        };
        match (refused, read) {
            (Some(error), _) => Err(error),
            (None, Some(read)) => Ok(self.record(path, read)?),
            (None, None) => unreachable!("what is not read was refused"),
        }
    }

    /// Like [`JobContext::read`], for another file that the output depends on.
    ///
    /// # Errors
    /// Those of [`JobContext::read`].
    pub fn read_file(&self, path: &Path, limit: u64) -> Result<Vec<u8>, BatchError> {
        let read = read_content(Some(path), limit, &mut |_, _| true)?;
        self.record(path, read.expect("nothing is refused"))
    }

    fn record(&self, path: &Path, (bytes, content): (Vec<u8>, Content)) -> Result<Vec<u8>, BatchError> {
        self.state().files.read.push(FileRecord { path: path.to_owned(), content });
        self.check()?;
        Ok(bytes)
    }

    /// The files read so far.
    pub fn files_read(&self) -> Vec<FileRecord> {
        self.state().files.read.clone()
    }

    /// Writes files atomically, all of them or none, and records them; returns their total size (bytes).
    ///
    /// # Errors
    /// Where a file cannot be written, exists and `replace` is false, or the job may not continue.
    pub fn write(&self, files: &[(&Path, WriteContent<'_>)], replace: bool) -> Result<u64, BatchError> {
        let tag = self.state().tag.clone();
        let may_continue = || self.check().is_ok();
        let staging = Staging { replace, tag: &tag, may_continue: &may_continue };
        let mut staged = Vec::with_capacity(files.len());
        for (path, content) in files {
            // If the check aborted the write, the check has the reason.
            let file = stage(path, staging, *content);
            staged.push(file.map_err(|error| self.check().err().unwrap_or(error))?);
        }
        // Under the lock, so that the watchdog abandons the job before or after, never between two files.
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
            state.files.written.push(FileRecord { path: path.to_path_buf(), content });
        }
        Ok(bytes)
    }

    /// Removes written files: a failed job leaves no part of its outputs.
    pub(crate) fn undo(&self) {
        let mut state = self.state();
        state.files.written.clear();
        for path in state.placed.drain(..) {
            let _ = std::fs::remove_file(path);
        }
    }

    /// Takes the list of files read and written; [`JobContext::undo`] does not remove them any more.
    pub(crate) fn take_files(&self) -> JobFiles {
        let mut state = self.state();
        state.placed.clear();
        std::mem::take(&mut state.files)
    }

    /// Marks the job as finished by its worker; false if the watchdog has abandoned it.
    pub(crate) fn finish(&self) -> bool {
        self.end(End::Finished)
    }

    /// Marks the job as abandoned; false if its worker has finished it.
    pub(crate) fn abandon(&self) -> bool {
        self.end(End::Abandoned)
    }

    fn end(&self, end: End) -> bool {
        let mut state = self.state();
        let first = state.end.is_none();
        state.end.get_or_insert(end);
        first
    }
}

impl State {
    fn check(&self) -> Result<(), BatchError> {
        if let Some(Limit { started, time }) = self.limit
            && (self.end == Some(End::Abandoned) || started.elapsed() >= time)
        {
            return Err(BatchError::TimedOut(time));
        }
        if interrupt::requested() {
            return Err(BatchError::Interrupted);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: &str = "batch::timeout";

    #[test]
    fn a_job_ends_once_and_writes_nothing_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let context = JobContext::default();
        context.begin(Some(Duration::from_secs(3600)), "tag");
        assert_eq!(context.write(&[(&path, &|out| out.write_all(b"one"))], false), Ok(3));
        let written = context.take_files().written;
        assert_eq!((written[0].path.as_path(), written[0].content), (path.as_path(), Content::of(b"one")));
        assert!(context.abandon() && !context.finish());
        let late = context.write(&[(&path, &|out| out.write_all(b"two"))], true);
        assert_eq!(late.unwrap_err().code(), TIMEOUT);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_job_whose_time_is_up_ends_while_it_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let context = JobContext::default();
        context.begin(Some(Duration::from_millis(20)), "tag");
        let endless = context.write(
            &[(&path, &|out| loop {
                out.write_all(&[0; 4096])?;
            })],
            false,
        );
        assert_eq!(endless.unwrap_err().code(), TIMEOUT);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_job_whose_time_is_up_stops_at_its_next_check() {
        let folder = tempfile::tempdir().unwrap();
        let context = JobContext::default();
        context.begin(Some(Duration::ZERO), "tag");
        assert_eq!(context.check().unwrap_err().code(), TIMEOUT);
        let write = context.write(&[(&folder.path().join("x"), &|out| out.write_all(b"one"))], false);
        assert_eq!(write.unwrap_err().code(), TIMEOUT);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_not_removed() {
        use std::io::Read;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let context = JobContext::default();
        context.begin(None, "tag");
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || {
                let mut text = String::new();
                std::fs::File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
                text
            }
        });
        context.write(&[(&pipe, &|out| out.write_all(b"one"))], true).unwrap();
        assert_eq!(reader.join().unwrap(), "one");
        context.undo();
        assert!(pipe.exists());
    }

    #[test]
    fn of_several_files_all_are_written_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("1"), folder.path().join("2"));
        let context = JobContext::default();
        context.begin(None, "tag");
        let broken = || std::io::Error::from(std::io::ErrorKind::StorageFull);
        let half = context.write(&[(&one, &|out| out.write_all(b"one")), (&two, &|_| Err(broken()))], false);
        assert_eq!(half.unwrap_err().code(), "io::disk-full");
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        context.write(&[(&one, &|out| out.write_all(b"one"))], false).unwrap();
        context.undo();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
