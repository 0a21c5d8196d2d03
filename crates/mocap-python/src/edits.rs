//! Edits of motions, from keywords in the order in which they were given.

use mocap::edit::{Applied, ApplyOptions, Edit, EditReport, Keep, LoopOptions, Path, RootCurve, TimeMap};
use mocap::model::Factor;
use mocap::{FrameRange, Vector3};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList};

use crate::clip::Clip;
use crate::edit_values::{add, blend, fourier, join, rows, sync, terrain, warp};
use crate::findings::{Fields, list, listed};
use crate::options::{Keywords, number, of_edits, parse, text};
use crate::raise::{of_error, of_finding, of_option};

/// The keywords, which are the names of the edits.
pub(crate) const NAMES: [&str; 29] = [
    "drop_first_frame",
    "trim",
    "fps",
    "scale",
    "denoise",
    "bands",
    "warp",
    "blend",
    "fourier",
    "terrain",
    "mirror",
    "loop",
    "repeat",
    "speed",
    "duration",
    "time_map",
    "sync",
    "fix_feet",
    "turn",
    "along",
    "add",
    "strip",
    "join",
    "in_place",
    "apply_root",
    "root_joint",
    "heading",
    "start_at_origin",
    "ground",
];

/// One edit.
fn edit_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Edit>> {
    let py = value.py();
    if value.is_none() || value.is(PyBool::new(py, false)) {
        return Ok(None);
    }
    let on = value.is(PyBool::new(py, true));
    let needs_true = |edit: Edit| match on {
        true => Ok(edit),
        false => Err(of_option(py, format!("{name} takes True or False"))),
    };
    let read = || text(name, value);
    let factor = || parse::<Factor>(py, name, &read()?).map(|factor| factor.0);
    let number = || number(name, value);
    let keep = || if on { Ok(Keep::default()) } else { parse::<Keep>(py, name, &read()?) };
    Ok(Some(match name {
        "drop_first_frame" => needs_true(Edit::DropFirstFrame)?,
        "mirror" if on => Edit::Mirror,
        "mirror" => mirror_of(&read()?)
            .ok_or_else(|| of_option(py, "mirror takes True, 'rotations' or 'retarget'"))?,
        "fix_feet" => needs_true(Edit::FixFeet)?,
        "start_at_origin" => needs_true(Edit::StartAtOrigin)?,
        "ground" => needs_true(Edit::Ground)?,
        "trim" => Edit::Trim(parse(py, name, &read()?)?),
        "fps" => Edit::Resample(parse(py, name, &read()?)?),
        "scale" => Edit::Scale(factor()?),
        "speed" => Edit::Speed(factor()?),
        "denoise" if on => Edit::Denoise(parse(py, name, "auto")?),
        "denoise" => Edit::Denoise(parse(py, name, &read()?)?),
        "bands" => Edit::Bands(parse(py, name, &read()?)?),
        "loop" => Edit::Loop(loop_of(if on { None } else { Some(parse(py, name, &read()?)?) })),
        "repeat" => {
            let times = value.extract::<u32>().ok().filter(|times| *times > 0 && !on);
            Edit::Repeat(times.ok_or_else(|| of_option(py, "repeat must be a whole number from 1"))?)
        }
        "duration" => Edit::Duration(number()?),
        "turn" => Edit::Turn(number()?.to_radians()),
        "strip" => Edit::Strip(parse(py, name, &read()?)?),
        "heading" => Edit::Face(parse(py, name, &read()?)?),
        "in_place" => Edit::InPlace(keep()?),
        "root_joint" => Edit::AddRootJoint { name: "root".into(), keep: keep()? },
        "sync" => sync(name, value)?,
        "join" => join(name, value)?,
        "add" => add(name, value)?,
        "warp" => warp(name, value)?,
        "blend" => blend(name, value)?,
        "fourier" => fourier(name, value)?,
        "terrain" => terrain(name, value)?,
        "time_map" => {
            let keys = rows::<2>(name, value)?.into_iter().map(|[to, from]| (to, from)).collect();
            Edit::TimeMap(Box::new(TimeMap::new(keys).map_err(|error| of_error(py, error.into()))?))
        }
        "along" => {
            let points: Vec<Vector3<f64>> = rows::<3>(name, value)?.into_iter().map(Vector3::from).collect();
            Edit::Along(Box::new(Path::new(&points).map_err(|error| of_error(py, error.into()))?))
        }
        "apply_root" => {
            let curve = RootCurve::parse(&read()?);
            Edit::ApplyRoot(Box::new(curve.map_err(|error| of_error(py, error.into()))?))
        }
        _ => {
            let message = format!("'{name}' is not an edit; edits are {}", NAMES.join(", "));
            return Err(of_option(py, message));
        }
    }))
}

fn loop_of(range: Option<FrameRange>) -> LoopOptions {
    LoopOptions { range, ..LoopOptions::default() }
}

/// Swaps left and right by one of two ways.
fn mirror_of(way: &str) -> Option<Edit> {
    match way {
        "rotations" => Some(Edit::Mirror),
        "retarget" => Some(Edit::MirrorRetargeted),
        _ => None,
    }
}

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
    let mut asked = Vec::new();
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
    let options = of_edits(&Keywords::new(Some(options), py))?;
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
    let applied =
        py.detach(|| mocap::edit::apply((*clip.clip).clone(), &[Edit::ExtractRoot(keep)], &options_of(clip)));
    let applied = applied.map_err(|error| of_error(py, error.into()))?;
    Ok(applied.curves[0].to_json())
}
