//! Ctrl-C and SIGTERM: temporary files are removed, and the process ends with exit code 130.

use mocap_batch::interrupt::{remove_temporary_files, request};

use mocap_commands::Exit;

/// From here on, Ctrl-C and SIGTERM end the process in order.
///
/// Ignored signals stay ignored: shells start what runs in the background without SIGINT, and `nohup` without SIGHUP.
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

/// Handles the signals that are not ignored; where the system does not tell which those are, SIGTERM.
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
    // Signals are handled from here on, and not from whenever the thread is given time. Without a thread or a handler,
    // they act as on any other process: a manifest survives that as well.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(handled) else { return };
    let _ = std::thread::Builder::new().spawn(move || signals.forever().for_each(|_| on_signal()));
}

/// Removes temporary files and ends the process, whatever other threads do.
pub(crate) fn leave(exit: Exit) -> ! {
    // Held to the end: no other thread starts a file that nobody would remove.
    let _held = remove_temporary_files();
    std::process::exit(exit.code().into());
}
