//! Files as motions, skeletons and markers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mocap::formats::{Remedy, skel};
use mocap::{FileFormat, Finding, Format, Parsed, Target};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::dictionary;
use crate::clip::Clip;
use crate::findings::listed;
use crate::options::{Keywords, of_reading};
use crate::raise::{of_error, of_option};
use crate::skeleton::Skeleton;

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Frames at the start that are a rest pose and not motion, by the warning that says it.
fn lead_in(warnings: &[Finding]) -> usize {
    usize::from(warnings.iter().any(|warning| warning.remedy() == Some(Remedy::DropFirstFrame)))
}

/// The motion of a file, and what was found in it.
#[pyfunction]
pub(crate) fn read<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: Option<Bound<'py, PyDict>>,
) -> PyResult<(Clip, Bound<'py, PyList>)> {
    let options = of_reading(&Keywords::new(options, py))?;
    let read = py.detach(|| mocap::read_kept(&path, &options));
    let Parsed { value: (clip, document), warnings } = read.map_err(|error| of_error(py, error))?;
    let document = document.map(Arc::from);
    let clip = Clip { clip: Arc::new(clip), lead_in: lead_in(&warnings), stem: stem(&path), document };
    Ok((clip, listed(py, &warnings, Some(&path))?))
}

/// All motions of a file that may hold several.
#[pyfunction]
pub(crate) fn read_all<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: Option<Bound<'py, PyDict>>,
) -> PyResult<(Vec<Clip>, Bound<'py, PyList>)> {
    let options = of_reading(&Keywords::new(options, py))?;
    let read = py.detach(|| mocap::read_all(&path, &options));
    let Parsed { value, warnings } = read.map_err(|error| of_error(py, error))?;
    let (lead_in, stem) = (lead_in(&warnings), stem(&path));
    let clips = value.into_iter().map(|clip| Clip { lead_in, stem: stem.clone(), ..Clip::new(clip) });
    Ok((clips.collect(), listed(py, &warnings, Some(&path))?))
}

/// The skeleton of a file, as a target.
#[pyfunction]
pub(crate) fn read_skeleton<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: Option<Bound<'py, PyDict>>,
) -> PyResult<(Skeleton, Bound<'py, PyList>)> {
    let options = of_reading(&Keywords::new(options, py))?;
    let read = py.detach(|| mocap::read_target(&path, &options));
    let Parsed { value, warnings } = read.map_err(|error| of_error(py, error))?;
    Ok((Skeleton { target: value }, listed(py, &warnings, Some(&path))?))
}

/// The arrays of a recording of markers.
#[pyfunction]
pub(crate) fn read_markers<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyList>)> {
    let read = py.detach(|| mocap::read_markers(&path));
    let Parsed { value, warnings } = read.map_err(|error| of_error(py, error))?;
    let precision = mocap::formats::arrays::Precision::F64;
    let arrays = mocap::formats::arrays::of_markers(&value, precision);
    Ok((dictionary(py, arrays)?, listed(py, &warnings, Some(&path))?))
}

/// A skeleton that comes with the library.
#[pyfunction]
pub(crate) fn preset(py: Python<'_>, name: &str) -> PyResult<Skeleton> {
    let preset = skel::preset(name).ok_or_else(|| {
        of_option(py, format!("'{name}' is not a preset; presets are {}", presets().join(", ")))
    })?;
    Ok(Skeleton { target: Target::new(preset.skeleton()) })
}

/// The names of all presets.
#[pyfunction]
pub(crate) fn presets() -> Vec<&'static str> {
    skel::presets().iter().map(|preset| preset.name).collect()
}

/// The formats by name: whether they are read, and whether motions are written in them.
#[pyfunction]
pub(crate) fn formats() -> Vec<(&'static str, bool, bool)> {
    let writes = |format: FileFormat| format.exchange().is_some_and(Format::is_writable);
    FileFormat::all().map(|format| (format.extension(), format.readable().is_ok(), writes(format))).collect()
}
