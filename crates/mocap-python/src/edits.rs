//! Edits of motions, from keywords in the order in which they were given.

use mocap::edit::{
    Applied, ApplyOptions, Edit, JoinOptions, Keep, Layer, LoopOptions, Mask, Path, RootCurve, TimeMap,
};
use mocap::model::Factor;
use mocap::{FrameRange, Vector3};
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::numbers;
use crate::clip::Clip;
use crate::findings::{Fields, list, listed};
use crate::options::{Keywords, of_edits, parse, text};
use crate::raise::{of_error, of_finding, of_option};

/// The keywords, which are the names of the edits.
pub(crate) const NAMES: [&str; 24] = [
    "drop_first_frame",
    "trim",
    "fps",
    "scale",
    "denoise",
    "bands",
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
    if value.is_none() || value.is(pyo3::types::PyBool::new(py, false)) {
        return Ok(None);
    }
    let on = value.is(pyo3::types::PyBool::new(py, true));
    let needs_true = |edit: Edit| match on {
        true => Ok(edit),
        false => Err(of_option(py, format!("{name} takes True or False"))),
    };
    let read = || text(name, value);
    let factor = || parse::<Factor>(py, name, &read()?).map(|factor| factor.0);
    let number = || {
        let number = value.extract::<f64>().ok().filter(|number| number.is_finite() && !on);
        number.ok_or_else(|| of_option(py, format!("{name} must be a finite number")))
    };
    let keep = || if on { Ok(Keep::default()) } else { parse::<Keep>(py, name, &read()?) };
    Ok(Some(match name {
        "drop_first_frame" => needs_true(Edit::DropFirstFrame)?,
        "mirror" => needs_true(Edit::Mirror)?,
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
            Edit::Repeat(times.ok_or_else(|| of_option(py, "repeat must be a whole number from 1".into()))?)
        }
        "duration" => Edit::Duration(number()?),
        "turn" => Edit::Turn(number()?.to_radians()),
        "strip" => Edit::Strip(parse(py, name, &read()?)?),
        "heading" => Edit::Face(parse(py, name, &read()?)?),
        "in_place" => Edit::InPlace(keep()?),
        "root_joint" => Edit::AddRootJoint { name: "root".into(), keep: keep()? },
        "sync" => Edit::Sync(Box::new(other(name, value)?)),
        "join" => join_of(name, value)?,
        "add" => Edit::Add(Box::new(layer_of(name, value)?)),
        "time_map" => {
            let keys = rows::<2>(name, value)?.into_iter().map(|[to, from]| (to, from)).collect();
            Edit::TimeMap(Box::new(TimeMap::new(keys).map_err(|error| of_error(py, error.into()))?))
        }
        "along" => {
            let points: Vec<Vector3<f64>> = rows::<3>(name, value)?.into_iter().map(Vector3::from).collect();
            Edit::Along(Box::new(Path::new(&points).map_err(|error| of_error(py, error.into()))?))
        }
        "apply_root" => {
            let curve = RootCurve::parse(&value.extract::<String>()?);
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

/// The clip that an edit takes.
fn other(name: &str, value: &Bound<'_, PyAny>) -> PyResult<mocap::Clip> {
    match value.cast::<Clip>() {
        // What stands before the motion is no part of it.
        Ok(clip) => Ok(motion_of(clip.get())),
        Err(_) => Err(of_option(value.py(), format!("{name} must be a Clip"))),
    }
}

/// The motion of a clip without a rest pose before it.
fn motion_of(clip: &Clip) -> mocap::Clip {
    match clip.lead_in > 0 && clip.clip.frames() > clip.lead_in {
        true => clip.clip.trimmed(clip.lead_in..clip.clip.frames()).expect("frames are left"),
        false => (*clip.clip).clone(),
    }
}

/// A clip with options, or a clip.
fn with_options<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<(mocap::Clip, Keywords<'py>)> {
    let py = value.py();
    match value.extract::<(Bound<'py, PyAny>, Bound<'py, PyDict>)>() {
        Ok((clip, options)) => Ok((other(name, &clip)?, Keywords::new(Some(options), py))),
        Err(_) => Ok((other(name, value)?, Keywords::new(None, py))),
    }
}

fn layer_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Layer> {
    let (clip, options) = with_options(name, value)?;
    let weight = options.number("weight")?.unwrap_or(1.0);
    Ok(Layer { clip, weight, mask: options.parsed::<Mask>("mask")? })
}

fn join_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Edit> {
    let (clip, options) = with_options(name, value)?;
    let defaults = JoinOptions::default();
    let options = JoinOptions {
        transition: options.number("transition")?.unwrap_or(defaults.transition),
        kind: options.parsed("kind")?.unwrap_or_default(),
        search: options.number("search")?.unwrap_or(defaults.search),
        no_overshoot: options.flag("no_overshoot")?.unwrap_or(defaults.no_overshoot),
        lock_feet: options.flag("lock_feet")?.unwrap_or(defaults.lock_feet),
    };
    Ok(Edit::Join(Box::new(clip), options))
}

/// The rows of an array.
fn rows<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<[f64; N]>> {
    let py = value.py();
    let array = value.extract::<PyReadonlyArrayDyn<'_, f64>>();
    let array = array.map_err(|_| of_option(py, format!("{name} must be an array (rows, {N})")))?;
    let values = numbers(py, name, &array, &[usize::MAX, N])?;
    Ok(values.chunks_exact(N).map(|row| row.try_into().expect("rows are whole")).collect())
}

/// How edits of a clip are applied.
fn options_of(clip: &Clip) -> ApplyOptions {
    ApplyOptions { lead_in: clip.lead_in, ..ApplyOptions::default() }
}

/// A clip, the reports of its edits as JSON and text, and their warnings.
type Edited<'py> = (Clip, Vec<(String, String)>, Bound<'py, PyList>);

/// Applies edits in the order given; their reports as JSON and text, and their warnings.
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
    let Applied { clip: edited, reports, lead_in, .. } =
        applied.map_err(|error| of_error(py, error.into()))?;
    let warnings = reports.iter().flat_map(|report| &report.warnings);
    let warnings = list(py, warnings.map(|warning| Fields::new(warning.code, &warning.message)))?;
    let json = |report| serde_json::to_string(report).expect("a report has string keys");
    let reports = reports.iter().map(|report| (json(report), report.to_string())).collect();
    Ok((Clip { lead_in, ..clip.made(edited) }, reports, warnings))
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
