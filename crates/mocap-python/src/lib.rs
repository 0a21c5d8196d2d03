//! The native part of the Python package `mocap`: `mocap._mocap`.
//!
//! It turns Python values into the options of the library, calls one function of it with the interpreter's lock
//! released, and turns the result into Python values. What users see is in `python/mocap`.

mod arrays;
mod clip;
mod command;
mod compressed;
mod edit_values;
mod edits;
mod features;
mod findings;
mod options;
mod program;
mod raise;
mod read;
mod several;
mod skeleton;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _mocap(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("EDITS", edit_values::edits())?;
    module.add_class::<clip::Clip>()?;
    module.add_class::<skeleton::Skeleton>()?;
    module.add_class::<compressed::Compressed>()?;
    module.add_class::<command::Rows>()?;
    module.add_function(wrap_pyfunction!(read::read, module)?)?;
    module.add_function(wrap_pyfunction!(read::read_all, module)?)?;
    module.add_function(wrap_pyfunction!(read::read_skeleton, module)?)?;
    module.add_function(wrap_pyfunction!(read::read_markers, module)?)?;
    module.add_function(wrap_pyfunction!(read::preset, module)?)?;
    module.add_function(wrap_pyfunction!(read::presets, module)?)?;
    module.add_function(wrap_pyfunction!(read::formats, module)?)?;
    module.add_function(wrap_pyfunction!(clip::clip_from_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(skeleton::skeleton_from_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(work::retarget, module)?)?;
    module.add_function(wrap_pyfunction!(work::explain, module)?)?;
    module.add_function(wrap_pyfunction!(work::compare, module)?)?;
    module.add_function(wrap_pyfunction!(work::quality, module)?)?;
    module.add_function(wrap_pyfunction!(work::view, module)?)?;
    module.add_function(wrap_pyfunction!(edits::edit, module)?)?;
    module.add_function(wrap_pyfunction!(edits::convert, module)?)?;
    module.add_function(wrap_pyfunction!(edits::root_curve, module)?)?;
    module.add_function(wrap_pyfunction!(several::blend, module)?)?;
    module.add_function(wrap_pyfunction!(several::blend_at, module)?)?;
    module.add_function(wrap_pyfunction!(several::space_weights, module)?)?;
    module.add_function(wrap_pyfunction!(several::speed_and_turn_of, module)?)?;
    module.add_function(wrap_pyfunction!(several::join, module)?)?;
    module.add_function(wrap_pyfunction!(several::split, module)?)?;
    module.add_function(wrap_pyfunction!(compressed::compress, module)?)?;
    module.add_function(wrap_pyfunction!(compressed::open_compressed, module)?)?;
    module.add_function(wrap_pyfunction!(program::main, module)?)?;
    Ok(())
}
