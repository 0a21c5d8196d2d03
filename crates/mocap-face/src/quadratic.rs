//! Small box-constrained quadratic programs: minimises ½ wᵀ H w − gᵀ w for 0 ≤ w ≤ 1.
//!
//! Projected Newton steps on the weights that are free, as in D. P. Bertsekas, "Projected Newton Methods for
//! Optimization Problems with Simple Constraints", SIAM J. Control and Optimization 20, 1982.

use nalgebra::{Cholesky, DMatrix, DVector};

/// The most steps.
const STEPS: usize = 60;
/// The most halvings of a step.
const HALVINGS: usize = 30;
/// Weights within this of a bound, with a gradient that points beyond it, are fixed at the bound.
const AT_BOUND: f64 = 1e-12;

/// Moves `weights` to the minimum of ½ wᵀ H w − gᵀ w within 0 to 1; `matrix` is positive definite.
pub(crate) fn minimise(matrix: &DMatrix<f64>, linear: &DVector<f64>, weights: &mut DVector<f64>) {
    weights.iter_mut().for_each(|weight| *weight = weight.clamp(0.0, 1.0));
    let value = |weights: &DVector<f64>| 0.5 * weights.dot(&(matrix * weights)) - linear.dot(weights);
    let mut before = value(weights);
    for _ in 0..STEPS {
        let gradient = matrix * &*weights - linear;
        let held = |at: usize| {
            (weights[at] <= AT_BOUND && gradient[at] >= 0.0)
                || (weights[at] >= 1.0 - AT_BOUND && gradient[at] <= 0.0)
        };
        let free: Vec<usize> = (0..weights.len()).filter(|at| !held(*at)).collect();
        if free.is_empty() {
            return;
        }
        let part = DMatrix::from_fn(free.len(), free.len(), |row, column| matrix[(free[row], free[column])]);
        let slope = DVector::from_fn(free.len(), |row, _| gradient[free[row]]);
        // Rounding may make a nearly singular matrix indefinite: then use the gradient as the direction of descent.
        let newton = Cholesky::new(part.clone()).map(|factor| factor.solve(&slope));
        let step = newton.unwrap_or_else(|| {
            let most = (0..free.len()).map(|at| part.row(at).iter().map(|x| x.abs()).sum::<f64>());
            &slope / most.fold(f64::MIN_POSITIVE, f64::max)
        });
        let mut share = 1.0;
        let mut moved = 0.0_f64;
        for _ in 0..HALVINGS {
            let mut tried = weights.clone();
            for (row, at) in free.iter().enumerate() {
                tried[*at] = (weights[*at] - share * step[row]).clamp(0.0, 1.0);
            }
            let now = value(&tried);
            if now < before {
                moved = (&tried - &*weights).amax();
                *weights = tried;
                before = now;
                break;
            }
            share *= 0.5;
        }
        if moved < 1e-13 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The optimality conditions, on many problems with all kinds of matrices.
    #[test]
    fn no_weight_can_be_moved_to_a_smaller_value() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        for size in 1..24 {
            let root = DMatrix::from_fn(size + 2, size, |_, _| random());
            let matrix = root.transpose() * &root + DMatrix::identity(size, size) * 1e-6;
            let linear = DVector::from_fn(size, |_, _| 2.0 * random());
            let mut weights = DVector::from_element(size, 0.5);
            minimise(&matrix, &linear, &mut weights);
            let gradient = &matrix * &weights - &linear;
            for at in 0..size {
                let (weight, slope) = (weights[at], gradient[at]);
                let fits = match weight {
                    0.0 => slope > -1e-8,
                    1.0 => slope < 1e-8,
                    _ => slope.abs() < 1e-8,
                };
                assert!(fits && (0.0..=1.0).contains(&weight), "{size} {at}: {weight} {slope}");
            }
        }
    }
}
