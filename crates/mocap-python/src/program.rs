//! The program `mocap` that comes with the package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// The program `mocap` with these words, the first of which is its name; ends the process.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| mocap_cli::main(&words))
}
