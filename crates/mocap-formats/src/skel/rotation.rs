//! Rotations of skeletons as quaternions W, X, Y, Z.

use super::Problem;
use super::source::Source;
use crate::Finding;
use crate::tagged::Step;
use mocap_model::UnitQuaternion;

/// W, X, Y, Z; `None` for the identity.
pub(super) fn quaternion(rotation: &UnitQuaternion<f64>) -> Option<[f64; 4]> {
    let q = [rotation.w, rotation.i, rotation.j, rotation.k];
    (q != [1.0, 0.0, 0.0, 0.0]).then_some(q)
}

/// A quaternion W, X, Y, Z: kept if its length is 1, else scaled with a warning.
pub(crate) fn rotation(
    field: Option<[f64; 4]>,
    at: &[Step],
    source: &mut Source,
) -> Result<UnitQuaternion<f64>, Finding> {
    let Some([w, x, y, z]) = field else { return Ok(UnitQuaternion::identity()) };
    let q = nalgebra::Quaternion::new(w, x, y, z);
    let length = q.norm();
    if !length.is_finite() || length < 1e-6 {
        return Err(source.value(at, "four zeros are not a rotation: expected a quaternion W, X, Y, Z"));
    }
    if (length - 1.0).abs() < 1e-12 {
        return Ok(UnitQuaternion::new_unchecked(q));
    }
    // Rounding to a few digits by hand needs no warning.
    if (length - 1.0).abs() > 1e-3 {
        source.warn(at, |path| Problem::RotationLength { path, length });
    }
    Ok(UnitQuaternion::new_normalize(q))
}
