//! Ctrl-C: what is half written is taken away, and the process ends with exit code 130.
//!
//! Signals reach a process and no function of it, so this is the one place with global state.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// Files that are being written under a temporary name.
static PARTIAL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The exit code of an interrupted process, as shells have it: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

fn partial() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, Ctrl-C ends the process in order.
pub(crate) fn install() {
    let end = || {
        // The lock is kept to the end: no other thread starts a file that nobody would take away.
        let files = partial();
        for file in files.iter() {
            let _ = std::fs::remove_file(file);
        }
        std::process::exit(INTERRUPTED);
    };
    // Where no handler can be set, Ctrl-C ends the process as it ends any other.
    let _ = ctrlc::set_handler(end);
}

/// A temporary file that goes away with the process as long as the guard lives.
pub(crate) fn watched(
    create: impl FnOnce() -> io::Result<NamedTempFile>,
) -> io::Result<(NamedTempFile, Watched)> {
    let mut files = partial();
    let file = create()?;
    files.insert(file.path().to_owned());
    let watched = Watched(file.path().to_owned());
    Ok((file, watched))
}

/// Ends the watch when it is dropped.
pub(crate) struct Watched(PathBuf);

impl Drop for Watched {
    fn drop(&mut self) {
        partial().remove(&self.0);
    }
}
