//! Several motions become one, and one becomes several.

use mocap::edit::{BlendSpace, SpaceKind, SplitBy, speed_and_turn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::clip::Clip;
use crate::edits::{Edited, edited};
use crate::options::{Keywords, of_blend, of_join, parse};
use crate::raise::{of_error, of_option};

/// The motions, without a rest pose before them.
fn motions(py: Python<'_>, clips: &[PyRef<'_, Clip>]) -> PyResult<Vec<mocap::Clip>> {
    if clips.is_empty() {
        return Err(of_option(py, "expected at least one clip"));
    }
    Ok(clips.iter().map(|clip| clip.motion()).collect())
}

/// Motions by weight.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
pub(crate) fn blend<'py>(
    py: Python<'py>,
    clips: Vec<PyRef<'py, Clip>>,
    weights: Vec<f64>,
    options: Bound<'py, PyDict>,
) -> PyResult<Edited<'py>> {
    let (motions, options) = (motions(py, &clips)?, of_blend(&Keywords::new(Some(options), py))?);
    let done = py.detach(|| mocap::edit::blend(&motions, &weights, &options));
    let (blended, report) = done.map_err(|error| of_error(py, error.into()))?;
    edited(py, Clip { lead_in: 0, ..clips[0].made(blended) }, &[report])
}

/// A blend space of samples.
fn space(py: Python<'_>, kind: &str, samples: Vec<Vec<f64>>) -> PyResult<BlendSpace> {
    let kind: SpaceKind = parse(py, "kind", kind)?;
    BlendSpace::new(kind, samples).map_err(|error| of_error(py, error.into()))
}

/// The weights of samples at a place.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
pub(crate) fn space_weights(
    py: Python<'_>,
    kind: &str,
    samples: Vec<Vec<f64>>,
    place: Vec<f64>,
) -> PyResult<Vec<f64>> {
    Ok(space(py, kind, samples)?.weights(&place))
}

/// Motions at a place of a blend space (its kind and samples); `speed` is the number of the parameter that is a speed.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
pub(crate) fn blend_at<'py>(
    py: Python<'py>,
    clips: Vec<PyRef<'py, Clip>>,
    samples: (String, Vec<Vec<f64>>),
    place: Vec<f64>,
    speed: Option<usize>,
    options: Bound<'py, PyDict>,
) -> PyResult<Edited<'py>> {
    let (motions, options) = (motions(py, &clips)?, of_blend(&Keywords::new(Some(options), py))?);
    let space = space(py, &samples.0, samples.1)?;
    let done = py.detach(|| mocap::edit::blend_at(&space, &motions, &place, speed, &options));
    let (blended, report) = done.map_err(|error| of_error(py, error.into()))?;
    edited(py, Clip { lead_in: 0, ..clips[0].made(blended) }, &[report])
}

/// Speed over the ground \[m/s\] and turn to the left \[deg/s\]; `None` where the unit is unknown.
#[pyfunction]
#[pyo3(name = "speed_and_turn")]
pub(crate) fn speed_and_turn_of(py: Python<'_>, clip: &Clip) -> Option<[f64; 2]> {
    py.detach(|| speed_and_turn(&clip.motion()))
}

/// Motions one after the other; one report per transition.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
pub(crate) fn join<'py>(
    py: Python<'py>,
    clips: Vec<PyRef<'py, Clip>>,
    options: Bound<'py, PyDict>,
) -> PyResult<Edited<'py>> {
    let (motions, options) = (motions(py, &clips)?, of_join(&Keywords::new(Some(options), py))?);
    let done = py.detach(|| mocap::edit::join(&motions, &options));
    let (joined, reports) = done.map_err(|error| of_error(py, error.into()))?;
    edited(py, Clip { lead_in: 0, ..clips[0].made(joined) }, &reports)
}

/// The parts of a take: by length, at pauses or at ranges \[s\].
#[pyfunction]
pub(crate) fn split(
    py: Python<'_>,
    clip: &Clip,
    every: Option<f64>,
    still: Option<f64>,
    ranges: Option<Vec<(f64, f64)>>,
) -> PyResult<Vec<Clip>> {
    let by = match (every, still, ranges) {
        (Some(seconds), None, None) => SplitBy::Length(seconds),
        (None, Some(seconds), None) => SplitBy::Stillness(seconds),
        (None, None, Some(ranges)) => SplitBy::Ranges(ranges),
        _ => return Err(of_option(py, "split takes one of every, still and ranges")),
    };
    let parts = py.detach(|| -> Result<Vec<mocap::Clip>, mocap::Error> {
        let take = clip.motion();
        let parts = mocap::edit::split(&take, &by)?;
        parts.into_iter().map(|range| Ok(take.trimmed(range)?)).collect()
    });
    let parts = parts.map_err(|error| of_error(py, error))?;
    let digits = parts.len().to_string().len().max(3);
    let part = |(at, part): (usize, mocap::Clip)| {
        let stem = format!("{}_{:0digits$}", clip.stem, at + 1);
        Clip { lead_in: 0, stem, ..clip.made(part) }
    };
    Ok(parts.into_iter().enumerate().map(part).collect())
}
