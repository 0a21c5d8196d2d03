//! Runs commands in the process of the interpreter, and returns their rows one by one.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use mocap_batch::interrupt;
use mocap_commands::Given;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyMapping, PyTuple};

use crate::raise::warn_old_name;

/// Interval at which signals are checked.
const TICK: Duration = Duration::from_millis(50);

/// The rows of a command that runs in a thread.
#[pyclass(frozen, module = "mocap._mocap")]
pub(crate) struct Rows {
    rows: Mutex<Option<Receiver<String>>>,
    work: Mutex<Option<JoinHandle<u8>>>,
}

#[pymethods]
impl Rows {
    /// Starts a command: its name, what it takes without a keyword, and its keywords in their order.
    #[new]
    fn new(command: String, paths: Vec<PathBuf>, keywords: &Bound<'_, PyDict>) -> PyResult<Rows> {
        let mut options: Vec<(String, Given)> = Vec::with_capacity(keywords.len());
        for (name, value) in keywords.iter() {
            let value = given(&value)?;
            options.extend(value.map(|value| Ok::<_, PyErr>((name.extract()?, value))).transpose()?);
        }
        for warning in mocap_commands::old_keywords(&command, options.iter().map(|(name, _)| name.as_str())) {
            warn_old_name(keywords.py(), &warning.message)?;
        }
        let (sender, rows) = channel();
        let work = std::thread::spawn(move || {
            mocap_commands::call(&command, &paths, &options, &mut mocap_commands::Rows::new(sender)).code()
        });
        Ok(Rows { rows: Mutex::new(Some(rows)), work: Mutex::new(Some(work)) })
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

    /// Ends the command cleanly: inputs in flight are dropped, and its manifest is completed.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| {
            *self.rows.lock().expect("no thread panics with it") = None;
            let Some(work) = self.work.lock().expect("no thread panics with it").take() else { return };
            let mut asked = false;
            while !work.is_finished() {
                // A command that is still planning has no run that could be ended.
                asked = asked || interrupt::request();
                std::thread::sleep(Duration::from_millis(10));
            }
            let _ = work.join();
        });
    }
}

/// The value of a keyword; `None` counts as not given.
fn given(value: &Bound<'_, PyAny>) -> PyResult<Option<Given>> {
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(switch) = value.cast::<PyBool>() {
        return Ok(Some(Given::Switch(switch.is_true())));
    }
    if let Ok(pairs) = value.cast::<PyMapping>() {
        let pairs = pairs.items()?.iter().map(|pair| {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            Ok((name.str()?.to_string(), word(&value)?))
        });
        return Ok(Some(Given::Pairs(pairs.collect::<PyResult<_>>()?)));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let values = value.try_iter()?.map(|value| word(&value?));
        return Ok(Some(Given::Many(values.collect::<PyResult<_>>()?)));
    }
    word(value).map(|value| Some(Given::One(value)))
}

/// A value in the syntax of the command line: a path, a text, a number.
fn word(value: &Bound<'_, PyAny>) -> PyResult<OsString> {
    if let Ok(path) = value.extract::<PathBuf>() {
        return Ok(path.into());
    }
    let is_whole = value.cast::<PyFloat>().is_ok_and(|number| number.value().fract() == 0.0);
    let value = if is_whole { value.call_method0("__int__")? } else { value.clone() };
    Ok(value.str()?.to_string().into())
}
