//! The error of one joint: the shell distance.
//!
//! A rotation error of a joint does not show at its origin, but on what it moves. Each joint therefore carries
//! three points at the *shell distance* along its axes, about where the skin is. The error is the largest
//! distance, in object space, between a point in one motion and the same point in the other.
//!
//! Based on: N. Frechette, "Animation Compression: Measuring Accuracy", 2016.

use mocap_model::Isometry3;

/// The error of a joint: the largest distance of its three shell points from where the reference has them
/// [units of the clip]. Both transforms are in object space; `shell` is the distance of the points from the
/// joint [units of the clip].
///
/// Exactly the same value with the two transforms swapped. Where a number overflows or is not a number, the
/// error is infinite: it can never pass for agreement.
///
/// ```
/// use mocap_analysis::shell_distance;
/// use mocap_model::{Isometry3, Vector3};
///
/// let reference = Isometry3::identity();
/// let turned = Isometry3::rotation(Vector3::new(0.0, 0.0, std::f64::consts::PI));
/// // Half a turn takes the points on X and Y to the other side of the joint.
/// assert!((shell_distance(&reference, &turned, 0.03) - 0.06).abs() < 1e-12);
/// ```
#[inline]
pub fn shell_distance(reference: &Isometry3<f64>, other: &Isometry3<f64>, shell: f64) -> f64 {
    let moved = other.translation.vector - reference.translation.vector;
    let [from, to] = [reference, other].map(|joint| joint.rotation.to_rotation_matrix().into_inner());
    let turned = (to - from) * shell;
    let squares = [0, 1, 2].map(|axis| (moved + turned.column(axis)).norm_squared());
    // The root of the largest is the largest root.
    squares.into_iter().fold(0.0, larger_error).sqrt()
}

/// The larger of two errors. An error that is not a number is infinite: `f64::max` would drop it.
///
/// ```
/// assert_eq!(mocap_analysis::larger_error(0.1, f64::NAN), f64::INFINITY);
/// ```
#[inline]
pub fn larger_error(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Vector3, exp};

    fn transform(seed: f64) -> Isometry3<f64> {
        let v =
            |phase: f64| Vector3::new((seed + phase).sin(), (2.0 * seed + phase).cos(), (seed * phase).sin());
        Isometry3::from_parts((v(0.7) * 3.0).into(), exp(&(v(1.9) * 2.0)))
    }

    #[test]
    fn it_is_the_distance_of_the_farthest_shell_point() {
        for i in 0..200 {
            let (a, b, shell) = (transform(f64::from(i)), transform(f64::from(i) * 1.7 + 0.3), 0.03);
            let points = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| axis * shell);
            let apart =
                points.map(|p| ((a * nalgebra::Point3::from(p)) - (b * nalgebra::Point3::from(p))).norm());
            let wanted = apart.into_iter().fold(0.0, f64::max);
            assert!((shell_distance(&a, &b, shell) - wanted).abs() < 1e-13);
            assert_eq!(shell_distance(&a, &b, shell).to_bits(), shell_distance(&b, &a, shell).to_bits());
            assert_eq!(shell_distance(&a, &a, shell), 0.0);
        }
    }

    #[test]
    fn what_is_not_a_number_is_an_infinite_error() {
        let here = Isometry3::identity();
        for axis in 0..3 {
            let mut lost = here;
            lost.translation.vector[axis] = f64::NAN;
            assert_eq!(shell_distance(&here, &lost, 0.03), f64::INFINITY);
            assert_eq!(shell_distance(&lost, &here, 0.03), f64::INFINITY);
            // Both overflow in the same direction: their difference is NaN.
            lost.translation.vector[axis] = f64::INFINITY;
            assert_eq!(shell_distance(&lost, &lost, 0.03), f64::INFINITY);
        }
        let mut lost = here;
        lost.rotation =
            mocap_model::UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(1.0, f64::NAN, 0.0, 0.0));
        assert_eq!(shell_distance(&here, &lost, 0.03), f64::INFINITY);
        assert_eq!([larger_error(f64::NAN, 1.0), larger_error(1.0, f64::NAN)], [f64::INFINITY; 2]);
        assert_eq!(larger_error(1.0, 2.0), 2.0);
    }
}
