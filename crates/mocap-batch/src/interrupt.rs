//! Interrupts (Ctrl-C, SIGTERM): lets a run end cleanly, and removes temporary files.
//!
//! A signal reaches a process, not a function, so this is the only module with global state. It installs no
//! handler and never ends the process: the program does both. Its handler calls [`request`]; if that returns
//! `false`, it calls [`remove_temporary_files`] and exits.
//!
//! A run over many jobs ends cleanly: after the first signal it starts no further job, drops the jobs in flight
//! at their next check, and completes its manifest. A second signal ends the process immediately.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// Temporary files that are being written.
static PARTIAL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Runs that end cleanly, and whether a signal asked them to.
static RUNS: Mutex<Runs> = Mutex::new(Runs { in_progress: 0, requested: false });

struct Runs {
    /// Runs that handle the first signal.
    in_progress: usize,
    /// Whether there was a signal during one of them.
    requested: bool,
}

fn runs() -> MutexGuard<'static, Runs> {
    RUNS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn partial() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers a signal; returns whether a run ends cleanly because of it. If not, the process should end
/// immediately.
pub fn request() -> bool {
    let mut runs = runs();
    runs.in_progress > 0 && !std::mem::replace(&mut runs.requested, true)
}

/// Prevents other threads from creating temporary files.
#[must_use = "hold it until the process ends"]
pub struct NoMoreFiles(
    #[allow(dead_code, reason = "the lock is held, not read")] MutexGuard<'static, BTreeSet<PathBuf>>,
);

/// Removes all temporary files. Keep the result until the process ends: it prevents threads from creating others.
pub fn remove_temporary_files() -> NoMoreFiles {
    let files = partial();
    for file in files.iter() {
        let _ = std::fs::remove_file(file);
    }
    NoMoreFiles(files)
}

/// Whether the run in progress must end.
pub fn requested() -> bool {
    runs().requested
}

/// While it exists, the run handles the first signal: its work checks [`requested`] between pieces and ends
/// early.
#[derive(Debug)]
pub struct GracefulRun(());

impl GracefulRun {
    /// Begins a run.
    pub fn begin() -> GracefulRun {
        runs().in_progress += 1;
        GracefulRun(())
    }

    /// Ends the run; returns whether there was a signal. A later signal ends the process.
    pub fn end(self) -> bool {
        std::mem::forget(self);
        GracefulRun::leave()
    }

    fn leave() -> bool {
        let mut runs = runs();
        runs.in_progress -= 1;
        let requested = runs.requested;
        // The next run begins without a signal.
        runs.requested &= runs.in_progress > 0;
        requested
    }
}

impl Drop for GracefulRun {
    fn drop(&mut self) {
        GracefulRun::leave();
    }
}

/// Registers a temporary file, which [`remove_temporary_files`] removes while the guard exists.
pub(crate) fn watched(
    create: impl FnOnce() -> io::Result<NamedTempFile>,
) -> io::Result<(NamedTempFile, Watched)> {
    let mut files = partial();
    let file = create()?;
    files.insert(file.path().to_owned());
    let watched = Watched(file.path().to_owned());
    Ok((file, watched))
}

/// Unregisters the file when dropped.
pub(crate) struct Watched(PathBuf);

impl Drop for Watched {
    fn drop(&mut self) {
        partial().remove(&self.0);
    }
}
