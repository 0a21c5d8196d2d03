//! Recordings of markers as arrays.

use super::array::push;
use super::of_clip::of_events;
use super::problem::index;
use super::to_clip::{Source, events, space};
use super::{Array, Arrays, Precision, Problem};
use crate::names::Unique;
use crate::text::quote;
use crate::{Finding, LimitExceeded, Limits, Parsed, Warnings};
use mocap_model::{FrameRate, Markers, SignedAxis, Space, Vector3};

/// The arrays of a recording: `marker_positions` (frames, markers, 3) in metres where the unit is known, NaN in gaps;
/// `marker_names` (markers,); `marker_residuals` (frames, markers) where there are any; `event_times`,
/// `event_names` (events,) where there are any; `fps`, `up`, `forward`, `metres_per_unit`.
pub fn of_markers(markers: &Markers, precision: Precision) -> Arrays {
    let (frames, width) = (markers.frames(), markers.names().len());
    let metres = markers.space().metres();
    let scale = metres.unwrap_or(1.0);
    let mut positions = precision.floats(frames * width * 3);
    let mut residuals = precision.floats(frames * width);
    let mut measured = false;
    for frame in 0..frames {
        for marker in 0..width {
            let place = markers.position(frame, marker);
            let place = place.map_or(Vector3::repeat(f64::NAN), |place| place * scale);
            push(&mut positions, place.as_slice());
            let residual = markers.residual(frame, marker);
            measured |= residual.is_some();
            push(&mut residuals, &[residual.map_or(f64::NAN, |residual| residual * scale)]);
        }
    }
    let mut arrays = Arrays::default();
    arrays.insert("marker_positions", Array::new([frames, width, 3], positions));
    if measured {
        arrays.insert("marker_residuals", Array::new([frames, width], residuals));
    }
    arrays.insert("marker_names", Array::texts(markers.names().to_vec()));
    for (name, array) in of_events(markers.events()).into_iter().flatten() {
        arrays.insert(name, array);
    }
    arrays.insert("up", Array::text(markers.space().up.to_string()));
    arrays.insert("forward", Array::text(markers.space().forward.to_string()));
    arrays.insert("fps", Array::scalar(markers.rate().fps()));
    arrays.insert("metres_per_unit", Array::scalar(metres.unwrap_or(f64::NAN)));
    arrays
}

/// Whether the numbers of a recording fit into the floats of its arrays.
///
/// # Errors
/// With the marker and the frame of one that does not.
pub(crate) fn check_fits(markers: &Markers, precision: Precision, suffix: &str) -> Result<(), Finding> {
    let scale = markers.space().metres().unwrap_or(1.0);
    let fits = |value: f64| match precision {
        Precision::F32 => (value as f32).is_finite(),
        Precision::F64 => value.is_finite(),
    };
    for frame in 0..markers.frames() {
        for (marker, name) in markers.names().iter().enumerate() {
            let refuse = |array: &str, index: Vec<usize>, value: f64| {
                let path = format!("{array}{suffix}");
                let index = format!("{index:?}");
                let found = Finding::new(Problem::TooLarge { path, index, value });
                Err(found.in_joint(name).in_frame(frame))
            };
            let place = markers.position(frame, marker).unwrap_or_default() * scale;
            if let Some(axis) = (0..3).find(|axis| !fits(place[*axis])) {
                return refuse("marker_positions", vec![frame, marker, axis], place[axis]);
            }
            let residual = markers.residual(frame, marker).unwrap_or(0.0) * scale;
            if !fits(residual) {
                return refuse("marker_residuals", vec![frame, marker], residual);
            }
        }
    }
    Ok(())
}

/// The recording that arrays hold, in the unit of its file.
pub(crate) fn to_markers(
    source: &Source,
    limits: &Limits,
    fps: Option<f64>,
) -> Result<Parsed<Markers>, Finding> {
    let name = "marker_positions";
    let array = source.need(name)?;
    let [frames, width, 3] = *array.shape.as_slice() else {
        let (found, expected) = (array.shape.clone(), "(frames, markers, 3)".into());
        return Err(source.error(name, |path| Problem::Shape { path, found, expected }));
    };
    for (what, found, limit) in [("frames", frames, limits.frames), ("markers", width, limits.joints)] {
        if found > limit {
            return Err(Finding::new(LimitExceeded { what, found, limit }));
        }
    }
    let stated = source.scalar("fps")?;
    let asked = fps.and_then(FrameRate::new);
    let rate = stated.and_then(FrameRate::new).or(asked);
    let rate = rate.ok_or_else(|| source.value("fps", String::new(), "there is no frame rate above 0"))?;
    let space = directions(source)?;
    let unit = space.metres().unwrap_or(1.0);
    source.shaped("marker_names", &[width])?;
    let mut warnings = Warnings::default();
    let names = match source.texts("marker_names")? {
        Some(names) => unique_names(source, names, &mut warnings),
        None => (1..=width).map(|number| format!("marker_{number}")).collect(),
    };
    let mut positions = Vec::with_capacity(frames * width);
    for at in 0..frames * width {
        let mut place = Vector3::zeros();
        for axis in 0..3 {
            let value = array.data.number(3 * at + axis).unwrap_or(f64::NAN);
            if value.is_infinite() {
                let index = index(3 * at + axis, &array.shape);
                return Err(source.error(name, |path| Problem::NotFinite { path, index, value }));
            }
            place[axis] = value / unit;
        }
        positions.push(Some(place).filter(|place| !place.iter().any(|value| value.is_nan())));
    }
    let markers =
        Markers::new(space, rate, frames, names, positions).map_err(|error| source.model(name, error))?;
    let markers = markers.with_events(events(source)?).map_err(|error| source.model("event_times", error))?;
    // Times of events are counted in the rate of the file.
    let markers = with_residuals(source, markers.with_rate(asked.unwrap_or(rate)), unit)?;
    Ok(Parsed { value: markers, warnings: warnings.into_vec() })
}

/// The axes and the unit of the file. Files of earlier versions state no `forward`.
fn directions(source: &Source) -> Result<Space, Finding> {
    let space = space(source)?;
    let Some(forward) = source.texts("forward")?.and_then(<[_]>::first) else { return Ok(space) };
    let wrong = |message: String| source.value("forward", String::new(), message);
    let forward: SignedAxis = forward.parse().map_err(wrong)?;
    if forward.axis == space.up.axis {
        return Err(wrong(format!("{forward} and {}, which is up, are one axis", space.up)));
    }
    Ok(Space { forward, ..space })
}

/// Names, where one is that of an earlier marker with a number and a warning.
fn unique_names(source: &Source, names: &[String], warnings: &mut Warnings) -> Vec<String> {
    let mut unique = Unique::default();
    let name = |(at, name): (usize, &String)| {
        let claimed = unique.claim(name);
        if claimed != *name {
            let [first, second] = [name, &claimed].map(|name| quote(name.as_bytes()));
            let found = source.error("marker_names", |path| Problem::DuplicateName {
                path,
                index: index(at, &[names.len()]),
                name: first,
                unique: second,
            });
            warnings.push(found.in_joint(name));
        }
        claimed
    };
    names.iter().enumerate().map(name).collect()
}

fn with_residuals(source: &Source, markers: Markers, unit: f64) -> Result<Markers, Finding> {
    let (frames, width) = (markers.frames(), markers.names().len());
    let Some(residuals) = source.shaped("marker_residuals", &[frames, width])? else { return Ok(markers) };
    let residuals = (0..frames * width).map(|at| {
        let value = residuals.data.number(at).unwrap_or(0.0) / unit;
        if value.is_finite() { value } else { 0.0 }
    });
    markers.with_residuals(residuals.collect()).map_err(|error| source.model("marker_residuals", error))
}
