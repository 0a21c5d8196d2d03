//! Edits of motions, from keywords in the order in which they were given. The keywords are those of the table of edits.

use std::path::PathBuf;

use mocap::EditOptions;
use mocap::edit::edits::ExtractRoot;
use mocap::edit::{Applied, ApplyOptions, Edit, EditReport, Keep};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::clip::Clip;
use crate::edit_values::edit_of;
use crate::findings::{Fields, list, listed};
use crate::options::{Keywords, of_edits, parse};
use crate::raise::{of_error, of_finding};

/// How edits of a clip are applied.
fn options_of(clip: &Clip) -> ApplyOptions {
    ApplyOptions { lead_in: clip.lead_in, ..ApplyOptions::default() }
}

/// A clip, the reports of its edits as JSON and text, and their warnings.
pub(crate) type Edited<'py> = (Clip, Vec<(String, String)>, Bound<'py, PyList>);

/// A clip with the reports of what made it.
pub(crate) fn edited<'py>(py: Python<'py>, clip: Clip, reports: &[EditReport]) -> PyResult<Edited<'py>> {
    let warnings = reports.iter().flat_map(|report| &report.warnings);
    let warnings = list(py, warnings.map(|warning| Fields::new(warning.code, &warning.message)))?;
    let json = |report| serde_json::to_string(report).expect("a report has string keys");
    let reports = reports.iter().map(|report| (json(report), report.to_string())).collect();
    Ok((clip, reports, warnings))
}

/// Applies edits in the order given.
#[pyfunction]
pub(crate) fn edit<'py>(
    py: Python<'py>,
    clip: &Clip,
    edits: Vec<(String, Bound<'py, PyAny>)>,
) -> PyResult<Edited<'py>> {
    let mut asked: Vec<Edit> = Vec::new();
    for (name, value) in &edits {
        asked.extend(edit_of(name, value)?);
    }
    let applied = py.detach(|| mocap::edit::apply((*clip.clip).clone(), &asked, &options_of(clip)));
    let Applied { clip: made, reports, lead_in, .. } = applied.map_err(|error| of_error(py, error.into()))?;
    edited(py, Clip { lead_in, ..clip.made(made) }, &reports)
}

/// The edits of `mocap convert`, in their order.
#[pyfunction]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    clip: &Clip,
    options: Bound<'py, PyDict>,
) -> PyResult<(Clip, Bound<'py, PyList>)> {
    let options = EditOptions { lead_in: clip.lead_in, ..of_edits(&Keywords::new(Some(options), py))? };
    let mut warnings = Vec::new();
    let edited = py.detach(|| mocap::edit((*clip.clip).clone(), &options, &mut warnings));
    let edited = edited.map_err(|error| of_finding(py, &error, None))?;
    let lead_in = options.lead_in(&clip.clip, clip.lead_in);
    Ok((Clip { lead_in, ..clip.made(edited) }, listed(py, &warnings, None)?))
}

/// The root motion of a clip as JSON.
#[pyfunction]
pub(crate) fn root_curve(py: Python<'_>, clip: &Clip, keep: &str) -> PyResult<String> {
    let keep: Keep = parse(py, "keep", keep)?;
    let extract = ExtractRoot { file: PathBuf::new(), keep: Some(keep) };
    let applied =
        py.detach(|| mocap::edit::apply((*clip.clip).clone(), &[extract.into()], &options_of(clip)));
    let applied = applied.map_err(|error| of_error(py, error.into()))?;
    Ok(applied.curves[0].to_json())
}
