//! Weighted averages of rotations.

use mocap_model::{UnitQuaternion, Vector3, exp, log, slerp};
use nalgebra::{Quaternion, Vector4};

/// A step below this ends the search for the exact mean [rad].
const CONVERGED: f64 = 1e-14;
const MOST_STEPS: usize = 50;

/// The average of rotations with weights that sum to 1: two by slerp, more by the normalised sum of the quaternions in
/// the hemisphere of the one with the largest weight.
///
/// ```
/// use mocap_edit::average_rotation;
/// use mocap_model::{UnitQuaternion, Vector3};
///
/// let turn = |degrees: f64| UnitQuaternion::new(Vector3::y() * degrees.to_radians());
/// let mean = average_rotation(&[turn(0.0), turn(40.0)], &[0.75, 0.25]);
/// assert!(mean.angle_to(&turn(10.0)) < 1e-12);
/// ```
///
/// # Panics
/// Without rotations, or where the counts differ.
pub fn average_rotation(rotations: &[UnitQuaternion<f64>], weights: &[f64]) -> UnitQuaternion<f64> {
    assert_eq!(rotations.len(), weights.len(), "one weight for each rotation");
    let largest = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]).then(b.cmp(a)));
    let largest = rotations[largest.expect("at least one rotation")];
    match (rotations, weights) {
        ([only], _) => *only,
        ([a, b], [_, weight]) => slerp(a, b, *weight),
        _ => {
            let signed = |(rotation, weight): (&UnitQuaternion<f64>, &f64)| {
                let sign = if rotation.coords.dot(&largest.coords) < 0.0 { -weight } else { *weight };
                rotation.coords * sign
            };
            let sum: Vector4<f64> = rotations.iter().zip(weights).map(signed).sum();
            match sum.norm() > 1e-9 {
                true => UnitQuaternion::new_normalize(Quaternion::from(sum)),
                false => largest,
            }
        }
    }
}

/// The rotation whose weighted squared angles to the others are smallest, by descent on the logarithms.
///
/// Based on: H. Karcher, "Riemannian Center of Mass and Mollifier Smoothing", 1977.
///
/// ```
/// use mocap_edit::{average_rotation, karcher_mean};
/// use mocap_model::{UnitQuaternion, Vector3};
///
/// let turns = [0.1, 0.5, 0.9].map(|angle| UnitQuaternion::new(Vector3::x() * angle));
/// let mean = karcher_mean(&turns, &[0.25, 0.5, 0.25]);
/// assert!(mean.angle_to(&turns[1]) < 1e-12);
/// ```
///
/// # Panics
/// As [`average_rotation`].
pub fn karcher_mean(rotations: &[UnitQuaternion<f64>], weights: &[f64]) -> UnitQuaternion<f64> {
    let mut mean = average_rotation(rotations, weights);
    for _ in 0..MOST_STEPS {
        let step: Vector3<f64> = rotations
            .iter()
            .zip(weights)
            .map(|(rotation, weight)| log(&(mean.inverse() * rotation)) * *weight)
            .sum();
        mean *= exp(&step);
        if step.norm() < CONVERGED {
            break;
        }
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(|v| UnitQuaternion::new(Vector3::from(v)))
    }

    proptest! {
        #[test]
        fn a_weight_of_one_is_the_rotation(all in prop::collection::vec(rotation(), 1..5), at in 0usize..5) {
            let at = at % all.len();
            let weights: Vec<f64> = (0..all.len()).map(|i| f64::from(u8::from(i == at))).collect();
            prop_assert!(average_rotation(&all, &weights).angle_to(&all[at]) < 1e-7);
            prop_assert!(karcher_mean(&all, &weights).angle_to(&all[at]) < 1e-7);
        }

        #[test]
        fn signs_and_turns_of_the_frame_change_nothing(all in prop::collection::vec(rotation(), 3), turn in rotation()) {
            let weights = [0.5, 0.3, 0.2];
            let flipped: Vec<_> = all.iter().enumerate().map(|(i, q)| match i {
                1 => UnitQuaternion::new_unchecked(-q.into_inner()),
                _ => *q,
            }).collect();
            let turned: Vec<_> = all.iter().map(|q| turn * q).collect();
            for mean in [average_rotation, karcher_mean] {
                let reference = mean(&all, &weights);
                prop_assert!(mean(&flipped, &weights).angle_to(&reference) < 1e-7);
                prop_assert!(mean(&turned, &weights).angle_to(&(turn * reference)) < 1e-7);
            }
            // Where the gradient of the squared angles is zero.
            let mean = karcher_mean(&all, &weights);
            let rest: Vector3<f64> = all.iter().zip(weights).map(|(q, w)| log(&(mean.inverse() * q)) * w).sum();
            prop_assert!(rest.norm() < 1e-12);
        }
    }
}
