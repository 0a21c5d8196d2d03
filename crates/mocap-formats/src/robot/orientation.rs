//! Orientations as robot files state them.

use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Quaternion, Rotation3, Unit};

use super::element::Element;
use crate::Finding;

/// The convention of angles in an MJCF.
#[derive(Clone, Debug)]
pub(super) struct Angles {
    /// Radians per unit.
    pub(super) unit: f64,
    /// Three letters; lower case turns with the frame, upper case about fixed axes.
    pub(super) sequence: [u8; 3],
}

/// The attributes for an orientation, of which an element has at most one.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// The orientation of an MJCF element; the identity without one.
pub(super) fn mjcf_orientation(element: &Element, angles: &Angles) -> Result<UnitQuaternion<f64>, Finding> {
    if let Some([w, x, y, z]) = element.numbers("quat")? {
        return normalized(element, "quat", Quaternion::new(w, x, y, z));
    }
    if let Some([x, y, z, angle]) = element.numbers("axisangle")? {
        let axis = direction(element, "axisangle", Vector3::new(x, y, z))?;
        return Ok(UnitQuaternion::from_axis_angle(&axis, angle * angles.unit));
    }
    if let Some([x0, x1, x2, y0, y1, y2]) = element.numbers("xyaxes")? {
        let x = direction(element, "xyaxes", Vector3::new(x0, x1, x2))?.into_inner();
        let y = Vector3::new(y0, y1, y2);
        let y = direction(element, "xyaxes", y)?.into_inner();
        let y = direction(element, "xyaxes", y - x * x.dot(&y))?.into_inner();
        let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
        return Ok(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix)));
    }
    if let Some(z) = element.numbers::<3>("zaxis")? {
        return Ok(z_onto(&*direction(element, "zaxis", z.into())?));
    }
    if let Some(turns) = element.numbers::<3>("euler")? {
        let mut rotation = UnitQuaternion::identity();
        for (letter, turn) in angles.sequence.into_iter().zip(turns) {
            let axis = match letter.to_ascii_lowercase() {
                b'x' => Vector3::x_axis(),
                b'y' => Vector3::y_axis(),
                _ => Vector3::z_axis(),
            };
            let turn = UnitQuaternion::from_axis_angle(&axis, turn * angles.unit);
            rotation = if letter.is_ascii_lowercase() { rotation * turn } else { turn * rotation };
        }
        return Ok(rotation);
    }
    Ok(UnitQuaternion::identity())
}

/// The rotation of a URDF's `rpy`: about fixed X, then Y, then Z \[rad\].
pub(super) fn roll_pitch_yaw([roll, pitch, yaw]: [f64; 3]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_euler_angles(roll, pitch, yaw)
}

/// The shortest rotation of Z onto a direction.
pub(super) fn z_onto(direction: &Vector3<f64>) -> UnitQuaternion<f64> {
    mocap_model::rotation_between(&Vector3::z(), direction)
}

fn normalized(
    element: &Element,
    attribute: &str,
    q: Quaternion<f64>,
) -> Result<UnitQuaternion<f64>, Finding> {
    let wrong =
        || element.wrong_value(attribute, element.get(attribute).unwrap_or(""), "a quaternion of length 1");
    let length = q.norm();
    let sound = (1e-6..1e6).contains(&length);
    sound.then(|| UnitQuaternion::new_normalize(q)).ok_or_else(wrong)
}

fn direction(element: &Element, attribute: &str, v: Vector3<f64>) -> Result<Unit<Vector3<f64>>, Finding> {
    let wrong = || {
        let expected = "directions with a length, not along each other";
        element.wrong_value(attribute, element.get(attribute).unwrap_or(""), expected)
    };
    unit(&v).map(Unit::new_unchecked).ok_or_else(wrong)
}

/// A direction as a unit vector; `None` if its length is near 0 or not finite.
pub(super) fn unit(v: &Vector3<f64>) -> Option<Vector3<f64>> {
    let length = v.norm();
    (1e-6..1e100).contains(&length).then(|| v / length)
}
