//! Rotations: between vectors, between rotations, as vectors, and split into swing and twist.

use nalgebra::{Matrix3, Quaternion, Rotation3, Unit, UnitQuaternion, Vector3};

/// The rotation about the unit vector `axis` that takes the direction of `from`, seen along the axis, onto that of `to`.
/// The identity if one of them lies along the axis.
///
/// ```
/// use mocap_model::{Vector3, turn_about};
///
/// let turn = turn_about(&Vector3::y(), &Vector3::new(0.0, 5.0, 1.0), &Vector3::x());
/// assert!((turn * Vector3::z() - Vector3::x()).norm() < 1e-12);
/// ```
pub fn turn_about(axis: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> UnitQuaternion<f64> {
    let along = from.dot(to) - axis.dot(from) * axis.dot(to);
    UnitQuaternion::new(axis * axis.dot(&from.cross(to)).atan2(along))
}

/// The shortest rotation that takes the direction of `from` onto the direction of `to`.
///
/// Lengths do not matter; if one of them is zero the result is the identity. Opposite directions give half a
/// turn about some perpendicular axis. Small angles are exact.
///
/// Half-vector form, `normalize[u·v + √(|w|² + (u·v)²), w]` with `w = u × v`.
///
/// ```
/// use mocap_model::{Vector3, rotation_between};
///
/// let turn = rotation_between(&Vector3::x(), &(Vector3::y() * 3.0));
/// assert!((turn * Vector3::x() - Vector3::y()).norm() < 1e-12);
/// ```
pub fn rotation_between(from: &Vector3<f64>, to: &Vector3<f64>) -> UnitQuaternion<f64> {
    let cross = from.cross(to);
    let dot = from.dot(to);
    let length = (cross.norm_squared() + dot * dot).sqrt();
    if length == 0.0 {
        return UnitQuaternion::identity();
    }
    // Nearly opposite: `dot + length` loses all its digits, and |w|² / (length - dot) is the same number.
    let w = if dot < 0.0 { cross.norm_squared() / (length - dot) } else { dot + length };
    let q = Quaternion::new(w, cross.x, cross.y, cross.z);
    if q.norm_squared() > 0.0 {
        return UnitQuaternion::new_normalize(q);
    }
    let across = from.cross(&any_across(from));
    UnitQuaternion::from_axis_angle(&Unit::new_normalize(across), std::f64::consts::PI)
}

fn any_across(v: &Vector3<f64>) -> Vector3<f64> {
    let smallest = v.iamin();
    let mut axis = Vector3::zeros();
    axis[smallest] = 1.0;
    axis
}

/// The angle \[rad\] of the shortest rotation from `a` to `b`, exact down to tiny angles.
///
/// ```
/// use mocap_model::{Vector3, angle_between, exp};
///
/// let [a, b] = [0.2, 0.5].map(|angle| exp(&(Vector3::z() * angle)));
/// assert!((angle_between(&a, &b) - 0.3).abs() < 1e-12);
/// ```
pub fn angle_between(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> f64 {
    let between = a.inverse() * b;
    2.0 * between.imag().norm().atan2(between.w.abs())
}

/// Interpolation of rotations at constant angular speed along the shorter arc; `t` from 0 (`a`) to 1 (`b`).
///
/// ```
/// use mocap_model::{Vector3, angle_between, exp, slerp};
///
/// let [a, b, middle] = [0.2, 0.6, 0.4].map(|angle| exp(&Vector3::new(angle, 0.0, 0.0)));
/// assert!(angle_between(&slerp(&a, &b, 0.5), &middle) < 1e-12);
/// ```
pub fn slerp(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>, t: f64) -> UnitQuaternion<f64> {
    a * exp(&(log(&(a.inverse() * b)) * t))
}

/// Normalised linear interpolation along the shorter arc: cheaper than [`slerp`], not of constant speed.
///
/// ```
/// use mocap_model::{Vector3, angle_between, exp, nlerp, slerp};
///
/// let [a, b] = [0.0, 0.4].map(|angle| exp(&(Vector3::x() * angle)));
/// assert!(angle_between(&nlerp(&a, &b, 0.5), &slerp(&a, &b, 0.5)) < 1e-12);
/// assert!(angle_between(&nlerp(&a, &b, 0.3), &slerp(&a, &b, 0.3)) < 1e-3);
/// ```
pub fn nlerp(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>, t: f64) -> UnitQuaternion<f64> {
    let sign = if a.coords.dot(&b.coords) < 0.0 { -1.0 } else { 1.0 };
    UnitQuaternion::new_normalize(Quaternion::from(a.coords * (1.0 - t) + b.coords * (sign * t)))
}

/// Linear interpolation of vectors.
///
/// ```
/// use mocap_model::{Vector3, lerp};
///
/// assert_eq!(lerp(&Vector3::zeros(), &Vector3::x(), 0.25), Vector3::x() * 0.25);
/// ```
pub fn lerp(a: &Vector3<f64>, b: &Vector3<f64>, t: f64) -> Vector3<f64> {
    a + (b - a) * t
}

/// Renormalises a quaternion whose length differs from 1 only by the rounding of some products: one Newton step,
/// without a square root.
///
/// ```
/// use mocap_model::{Vector3, exp, renormalised};
///
/// let turn = exp(&(Vector3::x() * 0.3));
/// assert!((renormalised(turn * turn).norm() - 1.0).abs() < 1e-15);
/// ```
#[inline]
pub fn renormalised(rotation: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let q = rotation.into_inner();
    UnitQuaternion::new_unchecked(q * (1.5 - 0.5 * q.norm_squared()))
}

/// The rotation vector (axis times angle \[rad\], at most π long) of a rotation.
///
/// ```
/// use mocap_model::{Vector3, exp, log};
///
/// let vector = Vector3::new(0.1, -0.2, 0.3);
/// assert!((log(&exp(&vector)) - vector).norm() < 1e-12);
/// ```
pub fn log(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let q = if rotation.w < 0.0 { -rotation.into_inner() } else { rotation.into_inner() };
    let sine = q.imag().norm();
    if sine < 1e-12 {
        return q.imag() * 2.0;
    }
    q.imag() * (2.0 * sine.atan2(q.w) / sine)
}

/// The rotation of a rotation vector (axis times angle \[rad\]).
///
/// ```
/// use mocap_model::{Vector3, exp};
///
/// let quarter = exp(&(Vector3::z() * std::f64::consts::FRAC_PI_2));
/// assert!((quarter * Vector3::x() - Vector3::y()).norm() < 1e-12);
/// ```
pub fn exp(vector: &Vector3<f64>) -> UnitQuaternion<f64> {
    let half = vector.norm() / 2.0;
    let scale = if half < 1e-12 { 0.5 } else { half.sin() / (2.0 * half) };
    let imag = vector * scale;
    UnitQuaternion::new_normalize(Quaternion::new(half.cos(), imag.x, imag.y, imag.z))
}

/// Splits a rotation into `swing · twist`: the twist turns about `axis` (unit), the swing about an axis
/// across it. A half-turn swing leaves the twist undefined: it is then the identity.
///
/// ```
/// use mocap_model::{Vector3, angle_between, exp, swing_twist};
///
/// let (bend, roll) = (exp(&(Vector3::x() * 0.7)), exp(&(Vector3::y() * 0.2)));
/// let (swing, twist) = swing_twist(&(bend * roll), &Vector3::y());
/// assert!(angle_between(&swing, &bend) < 1e-12 && angle_between(&twist, &roll) < 1e-12);
/// ```
pub fn swing_twist(
    rotation: &UnitQuaternion<f64>,
    axis: &Vector3<f64>,
) -> (UnitQuaternion<f64>, UnitQuaternion<f64>) {
    let along = axis * rotation.imag().dot(axis);
    let q = Quaternion::new(rotation.w, along.x, along.y, along.z);
    let twist = if q.norm() < 1e-12 { UnitQuaternion::identity() } else { UnitQuaternion::new_normalize(q) };
    (rotation * twist.inverse(), twist)
}

/// The mean of rotations: the sum of their quaternions, each with the sign nearer to the sum so far. `None` without
/// rotations.
///
/// ```
/// use mocap_model::{Vector3, exp, mean_rotation};
///
/// let mean = mean_rotation([0.1, 0.3].map(|angle| exp(&(Vector3::x() * angle)))).unwrap();
/// assert!((mean.angle() - 0.2).abs() < 1e-12);
/// ```
pub fn mean_rotation(
    rotations: impl IntoIterator<Item = UnitQuaternion<f64>>,
) -> Option<UnitQuaternion<f64>> {
    let sum = rotations.into_iter().fold(Quaternion::default(), |sum, rotation| {
        let sign = if sum.dot(&rotation) < 0.0 { -1.0 } else { 1.0 };
        sum + rotation.into_inner() * sign
    });
    UnitQuaternion::try_new(sum, 1e-9)
}

/// The rotation nearest to another among those that map axes to axes.
///
/// ```
/// use mocap_model::{Vector3, exp, nearest_quarter_turn};
///
/// let quarter = exp(&(Vector3::y() * std::f64::consts::FRAC_PI_2));
/// assert!(nearest_quarter_turn(&(quarter * exp(&Vector3::new(0.2, 0.1, -0.3)))).angle_to(&quarter) < 1e-12);
/// ```
pub fn nearest_quarter_turn(rotation: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let axis = |v: Vector3<f64>| {
        let most = v.iamax();
        let mut axis = Vector3::zeros();
        axis[most] = v[most].signum();
        axis
    };
    let x = axis(rotation * Vector3::x());
    let y = rotation * Vector3::y();
    let y = axis(y - x * y.dot(&x));
    let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vector3<f64>> {
        prop::array::uniform3(-10.0f64..10.0).prop_map(Vector3::from)
    }

    #[test]
    fn small_angles_are_not_swallowed() {
        let to = Vector3::new(1.0, 1e-9, 0.0);
        assert!((rotation_between(&Vector3::x(), &to).angle() - 1e-9).abs() < 1e-18);
        assert!(
            (angle_between(&UnitQuaternion::identity(), &exp(&Vector3::new(0.0, 1e-9, 0.0))) - 1e-9).abs()
                < 1e-18
        );
    }

    #[test]
    fn quarter_turns_are_found_through_noise() {
        let noise = exp(&Vector3::new(0.2, -0.1, 0.25));
        for quarter in [Vector3::zeros(), -Vector3::z(), Vector3::x(), Vector3::y() * 2.0] {
            let quarter = exp(&(quarter * std::f64::consts::FRAC_PI_2));
            assert!(nearest_quarter_turn(&(quarter * noise)).angle_to(&quarter) < 1e-9);
        }
    }

    #[test]
    fn the_sign_of_quaternions_does_not_count() {
        let half = |axis: Vector3<f64>| exp(&(axis * std::f64::consts::PI));
        assert_eq!(mean_rotation([]), None);
        let same = mean_rotation([half(Vector3::x()), half(-Vector3::x())]).unwrap();
        assert!(same.angle_to(&half(Vector3::x())) < 1e-9);
    }

    #[test]
    fn opposite_and_zero_vectors_are_defined() {
        for v in [Vector3::x(), Vector3::y(), Vector3::z(), Vector3::new(1.0, -2.0, 3.0)] {
            assert!((rotation_between(&v, &-v) * v + v).norm() < 1e-12);
            assert_eq!(rotation_between(&v, &Vector3::zeros()), UnitQuaternion::identity());
            // A nanometre off the opposite: the axis is known to seven digits.
            let almost = -v + Vector3::new(1e-9, 2e-9, 0.0);
            assert!((rotation_between(&v, &almost) * v.normalize() - almost.normalize()).norm() < 1e-6);
        }
    }

    #[test]
    fn interpolation_takes_the_shorter_arc() {
        let a = exp(&Vector3::new(0.2, 0.0, 0.0));
        let b = UnitQuaternion::new_unchecked(-exp(&Vector3::new(0.4, 0.0, 0.0)).into_inner());
        for middle in [slerp(&a, &b, 0.5), nlerp(&a, &b, 0.5)] {
            assert!(angle_between(&middle, &exp(&Vector3::new(0.3, 0.0, 0.0))) < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn rotation_between_takes_one_direction_onto_the_other(from in vector(), to in vector()) {
            prop_assume!(from.norm() > 1e-3 && to.norm() > 1e-3);
            let turned = rotation_between(&from, &to) * from.normalize();
            prop_assert!((turned - to.normalize()).norm() < 1e-12);
        }

        #[test]
        fn exp_and_log_are_inverse(v in vector()) {
            let v = v * 0.18; // shorter than half a turn
            prop_assert!((log(&exp(&v)) - v).norm() < 1e-9);
        }

        #[test]
        fn swing_and_twist_make_the_rotation(v in vector(), axis in vector()) {
            prop_assume!(axis.norm() > 1e-3);
            let (rotation, axis) = (exp(&v), axis.normalize());
            let (swing, twist) = swing_twist(&rotation, &axis);
            prop_assert!(angle_between(&(swing * twist), &rotation) < 1e-9);
            prop_assert!((twist * axis - axis).norm() < 1e-9);
            prop_assert!(swing.imag().dot(&axis).abs() < 1e-9);
        }
    }
}
