//! Ctrl-C and SIGTERM: what is half written is taken away, and the process ends with exit code 130.
//!
//! A run over many clips ends in order: it starts none after the first signal, drops those at hand at their next
//! check and completes its manifest. The second signal ends it at once, as the first one ends everything else.
//!
//! Signals reach a process and no function of it, so this is the one place with global state.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::exit::Exit;

/// Files that are being written under a temporary name.
static PARTIAL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Whether a run looks after signals itself.
static ORDERLY: AtomicBool = AtomicBool::new(false);
/// Whether there was a signal.
static REQUESTED: AtomicBool = AtomicBool::new(false);

fn partial() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, Ctrl-C ends the process in order.
pub(crate) fn install() {
    let signal = || {
        let first = !REQUESTED.swap(true, Ordering::SeqCst);
        if !(first && ORDERLY.load(Ordering::SeqCst)) {
            leave(Exit::Interrupted);
        }
    };
    // Where one of the signals is ignored (nohup), or no handler can be set, signals do what they do to any other
    // process: a manifest survives that as well.
    let _ = ctrlc::try_set_handler(signal);
}

/// Takes away what is half written and ends the process, whatever other threads do.
pub(crate) fn leave(exit: Exit) -> ! {
    // The lock is kept to the end: no other thread starts a file that nobody would take away.
    let files = partial();
    for file in files.iter() {
        let _ = std::fs::remove_file(file);
    }
    std::process::exit(exit.code().into());
}

/// Whether the run is to end.
pub(crate) fn requested() -> bool {
    ORDERLY.load(Ordering::SeqCst) && REQUESTED.load(Ordering::SeqCst)
}

/// While it lives, the first signal is left to the run, which asks for it.
pub(crate) struct Orderly(());

impl Orderly {
    pub(crate) fn begin() -> Orderly {
        ORDERLY.store(true, Ordering::SeqCst);
        Orderly(())
    }
}

impl Drop for Orderly {
    fn drop(&mut self) {
        ORDERLY.store(false, Ordering::SeqCst);
    }
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
