//! Rotations as numbers, and numbers as rotations.

use super::RotationFormat;
use mocap_model::{Angles, EulerOrder, UnitQuaternion, Vector3, exp, log};
use nalgebra::{Matrix3, Quaternion, Rotation3};

/// A quaternion is not rescaled where its length is this close to 1: its bits survive.
const EXACT: f64 = 1e-12;
/// Lengths further than this from 1 are not rounding: they are a warning.
const ROUNDED: f64 = 1e-3;

/// The numbers of a rotation. Euler angles lie nearest to `previous`, which they replace.
pub(super) fn encode(
    format: RotationFormat,
    rotation: &UnitQuaternion<f64>,
    order: EulerOrder,
    previous: &mut Option<Angles>,
    mut put: impl FnMut(&[f64]),
) {
    match format {
        RotationFormat::Quaternion => put(&[rotation.w, rotation.i, rotation.j, rotation.k]),
        RotationFormat::SixD => {
            put(&rotation.to_rotation_matrix().matrix().as_slice()[..6]);
        }
        RotationFormat::Matrix => put(rotation.to_rotation_matrix().matrix().transpose().as_slice()),
        RotationFormat::AxisAngle => put(log(rotation).as_slice()),
        RotationFormat::Euler => {
            let angles = match previous {
                Some(previous) => order.angles_near(rotation, *previous),
                None => order.angles(rotation),
            };
            *previous = Some(angles);
            put(&angles);
        }
    }
}

/// The rotation of some finite numbers, and the length of a quaternion that was not 1; else the problem.
pub(super) fn decode(
    format: RotationFormat,
    values: &[f64],
    order: EulerOrder,
) -> Result<(UnitQuaternion<f64>, Option<f64>), &'static str> {
    let rotation = match *values {
        [w, x, y, z] if format == RotationFormat::Quaternion => {
            return quaternion([w, x, y, z]).ok_or("four zeros are not a rotation");
        }
        [a, b, c, d, e, f] if format == RotationFormat::SixD => {
            let x = Vector3::new(a, b, c).try_normalize(1e-6);
            let across = |x: Vector3<f64>| {
                let y = Vector3::new(d, e, f);
                (y - x * x.dot(&y)).try_normalize(1e-6)
            };
            let (x, y) = x.and_then(|x| Some((x, across(x)?))).ok_or("two columns are zero or parallel")?;
            turn(Matrix3::from_columns(&[x, y, x.cross(&y)]))
        }
        [_, _, _, _, _, _, _, _, _] => {
            let matrix = Matrix3::from_row_slice(values);
            let unlike = (matrix * matrix.transpose() - Matrix3::identity()).abs().max();
            if unlike > ROUNDED || matrix.determinant() < 0.0 {
                return Err("the matrix is not a rotation");
            }
            turn(matrix)
        }
        [x, y, z] if format == RotationFormat::Euler => order.rotation([x, y, z]),
        [x, y, z] => exp(&Vector3::new(x, y, z)),
        _ => return Err("too few or too many numbers"),
    };
    Ok((rotation, None))
}

/// A quaternion W, X, Y, Z: as it is where it has length 1, else scaled, with its length where that is far from 1.
pub(super) fn quaternion([w, x, y, z]: [f64; 4]) -> Option<(UnitQuaternion<f64>, Option<f64>)> {
    let q = Quaternion::new(w, x, y, z);
    let length = q.norm();
    if !(length > 1e-6 && length.is_finite()) {
        return None;
    }
    if (length - 1.0).abs() < EXACT {
        return Some((UnitQuaternion::new_unchecked(q), None));
    }
    Some((UnitQuaternion::new_normalize(q), Some(length).filter(|length| (length - 1.0).abs() > ROUNDED)))
}

fn turn(matrix: Matrix3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::angle_between;

    #[test]
    fn every_encoding_is_read_back() {
        let rotation = exp(&Vector3::new(0.4, -1.1, 2.0));
        for format in RotationFormat::ALL {
            let mut values = Vec::new();
            encode(format, &rotation, EulerOrder::ZXY, &mut None, |row| values.extend_from_slice(row));
            assert_eq!(values.len(), format.shape().iter().product::<usize>());
            let (decoded, length) = decode(format, &values, EulerOrder::ZXY).unwrap();
            assert!(angle_between(&rotation, &decoded) < 1e-12, "{format}");
            assert_eq!(length, None);
        }
    }

    #[test]
    fn what_is_no_rotation_is_refused() {
        let order = EulerOrder::ZXY;
        assert!(decode(RotationFormat::Quaternion, &[0.0; 4], order).is_err());
        assert!(decode(RotationFormat::SixD, &[1.0, 0.0, 0.0, 2.0, 0.0, 0.0], order).is_err());
        let mirror = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0];
        assert!(decode(RotationFormat::Matrix, &mirror, order).is_err());
        let (_, length) = decode(RotationFormat::Quaternion, &[2.0, 0.0, 0.0, 0.0], order).unwrap();
        assert_eq!(length, Some(2.0));
    }
}
