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
    match (rotations, weights) {
        ([only], _) => *only,
        ([a, b], [_, weight]) => slerp(a, b, *weight),
        _ => unit(&signed_sum(rotations.iter().map(|rotation| rotation.coords), weights)),
    }
}

/// The weighted sum of quaternions in the hemisphere of the one with the largest weight.
fn signed_sum(parts: impl Iterator<Item = Vector4<f64>> + Clone, weights: &[f64]) -> Vector4<f64> {
    let largest = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]).then(b.cmp(a)));
    let largest = largest.and_then(|at| parts.clone().nth(at)).expect("at least one rotation");
    let signed = |(part, weight): (Vector4<f64>, &f64)| {
        part * if part.dot(&largest) < 0.0 { -weight } else { *weight }
    };
    let sum: Vector4<f64> = parts.zip(weights).map(signed).sum();
    if sum.norm() > 1e-9 { sum } else { largest }
}

fn unit(coords: &Vector4<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::from(*coords))
}

/// The average of many sets of rotations, with the same weights for all: as [`average_rotation`], but faster.
pub(super) struct Average<'w> {
    weights: &'w [f64],
    pair: Slerp,
}

impl Average<'_> {
    /// Weights sum to 1.
    pub(super) fn new(weights: &[f64]) -> Average<'_> {
        Average { weights, pair: Slerp::new(weights.get(1).copied().unwrap_or(0.0)) }
    }

    /// The average of quaternions near unit length.
    pub(super) fn of(&self, parts: &[Vector4<f64>]) -> UnitQuaternion<f64> {
        match parts {
            [only] => unit(only),
            [a, b] => self.pair.between(a, b),
            _ => unit(&signed_sum(parts.iter().map(Vector4::normalize), self.weights)),
        }
    }
}

/// Terms of the series of a slerp: within [`WIDE`], the error is below the rounding error.
const TERMS: usize = 16;
/// The series is used where the cosine of half the angle is above 1 less this.
const WIDE: f64 = 0.2;

/// Slerp at a fixed parameter, by a polynomial.
///
/// sin(t θ) / sin θ is a power series in cos θ - 1 with coefficients that depend on t only. Based on: D. Eberly, "A Fast and
/// Accurate Algorithm for Computing SLERP", 2011.
struct Slerp {
    share: f64,
    /// Of both rotations, by power.
    series: [[f64; 2]; TERMS],
}

impl Slerp {
    fn new(share: f64) -> Slerp {
        let shares = [1.0 - share, share];
        let mut series = [shares; TERMS];
        for i in 1..TERMS {
            let n = i as f64;
            let (before, factor) = (series[i - 1], |t: f64| (t * t - n * n) / (n * (2.0 * n + 1.0)));
            series[i] = [before[0] * factor(shares[0]), before[1] * factor(shares[1])];
        }
        Slerp { share, series }
    }

    /// Between quaternions near unit length.
    fn between(&self, a: &Vector4<f64>, b: &Vector4<f64>) -> UnitQuaternion<f64> {
        let scales = [1.0 / a.norm(), 1.0 / b.norm()];
        let dot = a.dot(b) * scales[0] * scales[1];
        let x = dot.abs() - 1.0;
        if x < -WIDE {
            return slerp(&unit(a), &unit(b), self.share);
        }
        let [c, d] = self.series.iter().rev().fold([0.0; 2], |[c, d], [e, f]| [c * x + e, d * x + f]);
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        let sum = a * (c * scales[0]) + b * (d * scales[1] * sign);
        // One Newton step renormalises.
        let sum = sum * (1.5 - 0.5 * sum.norm_squared());
        UnitQuaternion::new_unchecked(Quaternion::from(sum))
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
        fn averages_with_fixed_weights_are_the_same(all in prop::collection::vec(rotation(), 1..4), size in 0.9..1.1f64, share in 0.0..=1.0f64) {
            let weights = match all.len() {
                1 => vec![1.0],
                2 => vec![1.0 - share, share],
                _ => vec![0.6 - 0.6 * share, 0.6 * share, 0.4],
            };
            let flipped: Vec<Vector4<f64>> = all.iter().enumerate().map(|(i, q)| q.coords * if i == 1 { -size } else { size }).collect();
            let found = Average::new(&weights).of(&flipped).coords;
            let expected = average_rotation(&all, &weights).coords;
            prop_assert!((found - expected).norm().min((found + expected).norm()) < 2e-15);
            prop_assert!((found.norm() - 1.0).abs() < 4e-16);
        }

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
