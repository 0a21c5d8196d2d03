//! Values of edits that are more than a text or a number: motions, arrays, dictionaries of options.

use mocap::edit::{
    Characteristic, Edit, Fourier, HeightField, Layer, LayerSpace, Mask, OnTerrain, Steps, Terrain,
    TerrainMesh, TerrainOrigin, Warp, WarpChange, WarpKey, WarpMode,
};
use mocap::{Clip as Motion, Vector3};
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::arrays::numbers;
use crate::clip::Clip;
use crate::options::{Keywords, of_blend, of_join};
use crate::raise::{of_error, of_option};

/// The distance of heights \[m\].
const CELL: f64 = 0.1;

/// The motion that an edit takes, without a rest pose before it.
fn motion(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Motion> {
    match value.cast::<Clip>() {
        Ok(clip) => Ok(clip.get().motion()),
        Err(_) => Err(of_option(value.py(), format!("{name} must be a Clip"))),
    }
}

/// A motion, or a motion and a dictionary of options.
fn motion_with<'py>(
    name: &str,
    value: &Bound<'py, PyAny>,
    known: &[&str],
) -> PyResult<(Motion, Keywords<'py>)> {
    match value.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>() {
        Ok((clip, options)) => Ok((motion(name, &clip)?, Keywords::known(name, &options, known)?)),
        Err(_) => Ok((motion(name, value)?, Keywords::new(None, value.py()))),
    }
}

pub(crate) fn sync(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Edit> {
    Ok(Edit::Sync(Box::new(motion(name, value)?)))
}

pub(crate) fn add(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Edit> {
    let (clip, options) = motion_with(name, value, &["weight", "mask", "space"])?;
    let weight = options.number("weight")?.unwrap_or(1.0);
    let space = options.parsed::<LayerSpace>("space")?.unwrap_or_default();
    Ok(Edit::Add(Box::new(Layer { clip, weight, mask: options.parsed::<Mask>("mask")?, space })))
}

pub(crate) fn join(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Edit> {
    let known = ["transition", "kind", "search", "no_overshoot", "lock_feet"];
    let (clip, options) = motion_with(name, value, &known)?;
    Ok(Edit::Join(Box::new(clip), of_join(&options)?))
}

pub(crate) fn blend(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Edit> {
    let known = ["weight", "timing", "repeat", "lock_feet", "duration"];
    let (clip, options) = motion_with(name, value, &known)?;
    let weight = options.number("weight")?.unwrap_or(0.5);
    Ok(Edit::Blend(Box::new(clip), weight, of_blend(&options)?))
}

/// Times are seconds, turns degrees, as in files of keys.
pub(crate) fn warp(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Edit> {
    let py = value.py();
    let options = Keywords::known(name, value, &["from", "to", "keys", "keep_feet", "mode", "times"])?;
    let time = |key: &str| {
        options.number(key)?.ok_or_else(|| of_option(py, format!("{name} needs '{key}', a time [s]")))
    };
    let listed = options.extracted::<Vec<Bound<'_, PyAny>>>("keys", "a list of dictionaries")?;
    let mut keys = Vec::new();
    for key in listed.unwrap_or_default() {
        add_keys(
            &Keywords::known("a key", &key, &["time", "joint", "turn", "at", "by", "pose"])?,
            &mut keys,
        )?;
    }
    let times = options.extracted::<Vec<(f64, f64)>>("times", "a list of pairs of times [s]")?;
    let times = times.unwrap_or_default();
    if keys.is_empty() && times.is_empty() {
        return Err(of_option(py, format!("{name} needs 'keys' or 'times', a list with at least one")));
    }
    let keep_feet = options.flag("keep_feet")?.unwrap_or(true);
    let mode = options.parsed::<WarpMode>("mode")?.unwrap_or_default();
    let (from, to) = (time("from")?, time("to")?);
    Ok(Edit::Warp(Box::new(Warp { from, to, keys, keep_feet, mode, times })))
}

fn add_keys(key: &Keywords<'_>, keys: &mut Vec<WarpKey>) -> PyResult<()> {
    const EXPECTED: &str = "a key has time, joint, and one of turn, at and by; or time and pose";
    let wrong = || of_option(key.py(), EXPECTED);
    let time = key.number("time")?.ok_or_else(wrong)?;
    let vector = |name: &str| key.extracted::<[f64; 3]>(name, "three numbers");
    let changes = [
        vector("turn")?.map(|turn| WarpChange::Turn(Vector3::from(turn).map(f64::to_radians))),
        vector("at")?.map(|at| WarpChange::At(at.into())),
        vector("by")?.map(|by| WarpChange::By(by.into())),
    ];
    let mut changes = changes.into_iter().flatten();
    match (
        key.extracted::<String>("joint", "a name or role")?,
        key.get("pose")?,
        changes.next(),
        changes.next(),
    ) {
        (Some(joint), None, Some(change), None) => keys.push(WarpKey { time, joint, change }),
        (None, Some(pose), None, None) => keys.extend(WarpKey::of_pose(&motion("pose", &pose)?, time)),
        _ => return Err(wrong()),
    }
    Ok(())
}

pub(crate) fn fourier(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Edit> {
    if value.is_instance_of::<PyBool>() {
        return Ok(Edit::Fourier(Box::default()));
    }
    let py = value.py();
    let options = Keywords::known(name, value, &["harmonics", "neutral", "styled", "gain", "lock_feet"])?;
    let named = |key: &str| options.get(key)?.map(|clip| motion(key, &clip)).transpose();
    let gain = options.number("gain")?.unwrap_or(1.0);
    let characteristic = match (named("neutral")?, named("styled")?) {
        (Some(neutral), Some(styled)) => Some(Characteristic { neutral, styled, gain }),
        (None, None) => None,
        _ => return Err(of_option(py, format!("{name}: neutral and styled are given together"))),
    };
    let lock_feet = options.flag("lock_feet")?.unwrap_or(Fourier::default().lock_feet);
    let harmonics = options.count("harmonics")?;
    Ok(Edit::Fourier(Box::new(Fourier { harmonics, characteristic, lock_feet })))
}

/// Heights and triangles are metres.
pub(crate) fn terrain(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Edit> {
    let py = value.py();
    let options = Keywords::known(name, value, &["steps", "heights", "cell", "mesh", "origin"])?;
    let steps = options.parsed::<Steps>("steps")?;
    let (heights, mesh) = (options.get("heights")?, options.get("mesh")?);
    let (terrain, usual) = match (steps, heights, mesh) {
        (Some(steps), None, None) => (Terrain::Steps(steps), TerrainOrigin::Start),
        (None, Some(heights), None) => {
            let rows = array("heights", &heights)?;
            let columns = rows.shape().get(1).copied().unwrap_or(usize::MAX);
            let values = numbers(py, "heights", &rows, &[usize::MAX, columns])?;
            let field = HeightField::new(columns, values, options.number("cell")?.unwrap_or(CELL));
            (Terrain::Heights(field.map_err(|error| of_error(py, error.into()))?), TerrainOrigin::World)
        }
        (None, None, Some(mesh)) => {
            let values = numbers(py, "mesh", &array("mesh", &mesh)?, &[usize::MAX, 3, 3])?;
            // Of X, Y, Z: ahead, left and up.
            let corner = |at: usize| [values[at + 2], values[at], values[at + 1]];
            let triangles =
                (0..values.len()).step_by(9).map(|at| [corner(at), corner(at + 3), corner(at + 6)]);
            let mesh = TerrainMesh::new(triangles.collect()).map_err(|error| of_error(py, error.into()))?;
            (Terrain::Mesh(mesh), TerrainOrigin::World)
        }
        _ => return Err(of_option(py, format!("{name} needs one of steps, heights and mesh"))),
    };
    Ok(Edit::Terrain(Box::new(OnTerrain { terrain, origin: options.parsed("origin")?.unwrap_or(usual) })))
}

fn array<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    value.extract().map_err(|_| of_option(value.py(), format!("{name} must be an array")))
}

/// The rows of an array.
pub(crate) fn rows<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<[f64; N]>> {
    let values = numbers(value.py(), name, &array(name, value)?, &[usize::MAX, N])?;
    Ok(values.chunks_exact(N).map(|row| row.try_into().expect("rows are whole")).collect())
}
