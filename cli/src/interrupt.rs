//! Ctrl-C and SIGTERM: temporary files are removed, and the process ends with exit code 130.

use mocap_batch::interrupt::{remove_temporary_files, request};

use crate::exit::Exit;

/// From here on, Ctrl-C ends the process in order.
pub(crate) fn install() {
    let signal = || {
        if !request() {
            leave(Exit::Interrupted);
        }
    };
    // Where a signal is ignored (nohup), or no handler can be set, signals act as on any other process: a manifest
    // survives that as well.
    let _ = ctrlc::try_set_handler(signal);
}

/// Removes temporary files and ends the process, whatever other threads do.
pub(crate) fn leave(exit: Exit) -> ! {
    // Held to the end: no other thread starts a file that nobody would remove.
    let _held = remove_temporary_files();
    std::process::exit(exit.code().into());
}
