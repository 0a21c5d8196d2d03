//! The command `mocap` in the process of the interpreter: its rows one by one, or as the program.

use std::ffi::OsString;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use mocap_batch::interrupt;
use pyo3::prelude::*;

/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(50);

/// The rows of a command that runs in a thread.
#[pyclass(frozen, module = "mocap._mocap")]
pub(crate) struct Rows {
    rows: Mutex<Option<Receiver<String>>>,
    work: Mutex<Option<JoinHandle<u8>>>,
}

#[pymethods]
impl Rows {
    /// Starts a command; the first word is its name.
    #[new]
    fn new(words: Vec<OsString>) -> Rows {
        let (sender, rows) = channel();
        let words: Vec<OsString> = std::iter::once("mocap".into()).chain(words).collect();
        let work = std::thread::spawn(move || mocap_cli::rows(words, sender));
        Rows { rows: Mutex::new(Some(rows)), work: Mutex::new(Some(work)) }
    }

    /// The next row as JSON; `None` after the last. Raises `KeyboardInterrupt` on Ctrl-C.
    fn next(&self, py: Python<'_>) -> PyResult<Option<String>> {
        loop {
            let received = py.detach(|| match &*self.rows.lock().expect("no thread panics with it") {
                Some(rows) => rows.recv_timeout(TICK),
                None => Err(RecvTimeoutError::Disconnected),
            });
            match received {
                Ok(row) => return Ok(Some(row)),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Waits for the end; the exit code of the command, 1 where it panicked.
    fn exit_code(&self, py: Python<'_>) -> u8 {
        py.detach(|| {
            let work = self.work.lock().expect("no thread panics with it").take();
            work.map_or(0, |work| work.join().unwrap_or(1))
        })
    }

    /// Ends the command in order: inputs in flight are dropped, its manifest is completed.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| {
            *self.rows.lock().expect("no thread panics with it") = None;
            let Some(work) = self.work.lock().expect("no thread panics with it").take() else { return };
            let mut asked = false;
            while !work.is_finished() {
                // A command that still plans has no run that could end.
                asked = asked || interrupt::request();
                std::thread::sleep(Duration::from_millis(10));
            }
            let _ = work.join();
        });
    }
}

/// The program `mocap` with these words, the first of which is its name; ends the process.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| mocap_cli::main(&words))
}
