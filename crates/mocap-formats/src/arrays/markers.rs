//! Recordings of markers as arrays.

use super::array::push;
use super::problem::index;
use super::to_clip::{Source, space};
use super::{Array, Arrays, Precision, Problem};
use crate::names::Unique;
use crate::{Finding, LimitExceeded, Limits};
use mocap_model::{FrameRate, Markers, Vector3};

/// The arrays of a recording: `marker_positions` (frames, markers, 3) in metres where the unit is known, NaN in gaps;
/// `marker_names` (markers,); `marker_residuals` (frames, markers) where there are any; `fps`, `up`,
/// `metres_per_unit`.
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
    arrays.insert("up", Array::text(markers.space().up.to_string()));
    arrays.insert("fps", Array::scalar(markers.rate().fps()));
    arrays.insert("metres_per_unit", Array::scalar(metres.unwrap_or(f64::NAN)));
    arrays
}

/// The recording that arrays hold, in the unit of its file.
pub(crate) fn to_markers(source: &Source, limits: &Limits, fps: Option<f64>) -> Result<Markers, Finding> {
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
    let rate = fps.or(stated).and_then(FrameRate::new);
    let rate = rate.ok_or_else(|| source.value("fps", String::new(), "there is no frame rate above 0"))?;
    let space = space(source)?;
    let unit = space.metres().unwrap_or(1.0);
    source.shaped("marker_names", &[width])?;
    let mut unique = Unique::default();
    let names = match source.texts("marker_names")? {
        Some(names) => names.iter().map(|name| unique.claim(name)).collect(),
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
    let Some(residuals) = source.shaped("marker_residuals", &[frames, width])? else { return Ok(markers) };
    let residuals = (0..frames * width).map(|at| {
        let value = residuals.data.number(at).unwrap_or(0.0) / unit;
        if value.is_finite() { value } else { 0.0 }
    });
    markers.with_residuals(residuals.collect()).map_err(|error| source.model("marker_residuals", error))
}
