//! Ctrl-C and SIGTERM: temporary files are removed, and the process ends with exit code 130.

use mocap_batch::interrupt::{remove_temporary_files, request};

use mocap_commands::Exit;

/// Installs handlers: from here on, Ctrl-C and SIGTERM end the process cleanly.
///
/// Ignored signals stay ignored: shells start background jobs with SIGINT ignored, and `nohup` ignores SIGHUP.
pub(crate) fn install() {
    let all = ctrlc::try_set_handler(on_signal);
    // No handler was set where one of the signals is ignored.
    #[cfg(unix)]
    if all.is_err() {
        handle_others();
    }
    #[cfg(not(unix))]
    let _ = all;
}

fn on_signal() {
    if !request() {
        leave(Exit::Interrupted);
    }
}

/// Handles the signals that are not ignored; if the system does not tell which are ignored, only SIGTERM.
#[cfg(unix)]
fn handle_others() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let ignored = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    let handled = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(move |signal| match ignored {
        Some(mask) => mask & 1 << (signal - 1) == 0,
        None => *signal == SIGTERM,
    });
    // The handlers are installed here and not in the thread, which may start late. Without a thread or a
    // handler, signals have their default effect; manifests survive that as well.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(handled) else { return };
    let _ = std::thread::Builder::new().spawn(move || signals.forever().for_each(|_| on_signal()));
}

/// Removes temporary files and ends the process, whatever other threads do.
pub(crate) fn leave(exit: Exit) -> ! {
    // Held until the process ends, so that no other thread creates a temporary file that would be left behind.
    let _held = remove_temporary_files();
    std::process::exit(exit.code().into());
}
