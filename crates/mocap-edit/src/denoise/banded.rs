//! The penalised least-squares fit behind smoothing splines, in time proportional to its length.
//!
//! A curve `f` minimises `Σ w (y - f)² + Σ λ (Df)²`, where D are second or third differences. The matrix
//! `W + Dᵀ Λ D` has two or three bands below its diagonal. Four curves with one set of weights are fitted at once.
//! Based on: P. Eilers, "A Perfect Smoother", 2003; the covariance of differences follows from the bands of the
//! inverse: K. Takahashi, J. Fagan, M. Chin, "Formation of a sparse bus impedance matrix", 1973.

use nalgebra::Vector4;

/// One number for each of four curves.
pub(super) type Four = Vector4<f64>;

/// Weights of a second difference.
pub(super) const SECOND: [f64; 4] = [1.0, -2.0, 1.0, 0.0];
/// Weights of a third difference.
pub(super) const THIRD: [f64; 4] = [-1.0, 3.0, -3.0, 1.0];

/// The order of a difference, from its weights.
pub(super) fn order(difference: &[f64; 4]) -> usize {
    if difference[3] == 0.0 { 2 } else { 3 }
}

/// The variance of a difference of white noise, over that of the noise.
pub(super) fn noise_gain(difference: &[f64; 4]) -> f64 {
    difference.iter().map(|weight| weight * weight).sum()
}

/// The factors `L · diag(d) · Lᵀ` of the matrix, with room for what follows from them.
#[derive(Clone, Debug, Default)]
pub(super) struct Fit {
    /// Bands of the matrix by row: the diagonal and what is below it.
    bands: Vec<[Four; 4]>,
    /// By row: 1 over the diagonal.
    inverse_diagonal: Vec<Four>,
    /// By row i: `L[i + 1, i]`, `L[i + 2, i]`, `L[i + 3, i]`.
    lower: Vec<[Four; 3]>,
    /// Bands of the inverse by row i: `[i, i]` to `[i, i + 3]`.
    inverse: Vec<[Four; 4]>,
}

impl Fit {
    /// Factors the matrix of `weights` (one per value) and `penalties` (one per difference).
    pub(super) fn factor(&mut self, weights: &[f64], difference: &[f64; 4], penalties: &[Four]) {
        let n = weights.len();
        let zero = Four::zeros();
        let order = order(difference);
        self.bands.clear();
        self.bands.extend(weights.iter().map(|weight| [Four::repeat(*weight), zero, zero, zero]));
        for (start, penalty) in penalties.iter().enumerate() {
            for a in 0..=order {
                for b in a..=order {
                    self.bands[start + a][b - a] += penalty * (difference[a] * difference[b]);
                }
            }
        }
        self.inverse_diagonal.clear();
        self.lower.clear();
        // The last three rows: their diagonal, and L below it.
        let mut before = [(zero, [zero; 3]); 3];
        for i in 0..n {
            let [mut d, mut a, mut b, c] = self.bands[i];
            let [(d1, [l11, l12, l13]), (d2, [_, l22, l23]), (d3, [_, _, l33])] = before;
            let (m1, m2, m3) = (l11.component_mul(&d1), l22.component_mul(&d2), l33.component_mul(&d3));
            d -= l11.component_mul(&m1) + l22.component_mul(&m2) + l33.component_mul(&m3);
            a -= l12.component_mul(&m1) + l23.component_mul(&m2);
            b -= l13.component_mul(&m1);
            let d = d.map(|d| d.max(f64::MIN_POSITIVE));
            let inverse = d.map(|d| 1.0 / d);
            let row = [a, b, c].map(|value| value.component_mul(&inverse));
            self.inverse_diagonal.push(inverse);
            self.lower.push(row);
            before = [(d, row), before[0], before[1]];
        }
    }

    /// The fit to values that are multiplied with their weights already.
    pub(super) fn solve(&self, weighted: &mut [Four]) {
        let n = weighted.len();
        for i in 0..n {
            let value = weighted[i];
            for (below, l) in weighted[i + 1..].iter_mut().zip(&self.lower[i]) {
                *below -= l.component_mul(&value);
            }
        }
        for i in (0..n).rev() {
            let mut value = weighted[i].component_mul(&self.inverse_diagonal[i]);
            for (below, l) in weighted[i + 1..].iter().zip(&self.lower[i]) {
                value -= l.component_mul(below);
            }
            weighted[i] = value;
        }
    }

    /// Computes the bands of the inverse.
    pub(super) fn invert(&mut self) {
        let n = self.lower.len();
        self.inverse.clear();
        // Three rows of zeros after the end.
        self.inverse.resize(n + 3, [Four::zeros(); 4]);
        let dot = |l: &[Four; 3], row: [&Four; 3]| {
            -(l[0].component_mul(row[0]) + l[1].component_mul(row[1]) + l[2].component_mul(row[2]))
        };
        for i in (0..n).rev() {
            let lower = &self.lower[i];
            let [next, after, last] = [&self.inverse[i + 1], &self.inverse[i + 2], &self.inverse[i + 3]];
            let first = dot(lower, [&next[0], &next[1], &next[2]]);
            let second = dot(lower, [&next[1], &after[0], &after[1]]);
            let third = dot(lower, [&next[2], &after[1], &last[0]]);
            let own = self.inverse_diagonal[i] + dot(lower, [&first, &second, &third]);
            self.inverse[i] = [own, first, second, third];
        }
    }

    /// The variance of the difference that starts at a frame, over that of the noise; after [`Fit::invert`].
    pub(super) fn variance(&self, difference: &[f64; 4], start: usize) -> Four {
        let order = order(difference);
        let mut sum = Four::zeros();
        for a in 0..=order {
            let row = &self.inverse[start + a];
            sum += row[0] * (difference[a] * difference[a]);
            for b in a + 1..=order {
                sum += row[b - a] * (2.0 * difference[a] * difference[b]);
            }
        }
        sum
    }
}

/// The difference that starts at each frame.
pub(super) fn differences<'a>(
    values: &'a [Four],
    difference: &'a [f64; 4],
) -> impl Iterator<Item = Four> + 'a {
    let order = order(difference);
    values.windows(order + 1).map(move |part| {
        let pairs = part.iter().zip(difference);
        pairs.fold(Four::zeros(), |sum, (value, weight)| sum + value * *weight)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn the_fit_and_its_variances_are_those_of_the_full_matrix() {
        let n = 12;
        let weights: Vec<f64> = (0..n).map(|i| if i == 4 { 0.0 } else { 1.0 }).collect();
        let values: Vec<f64> = (0..n).map(|i| ((i * 7) % 5) as f64).collect();
        for difference in [SECOND, THIRD] {
            let order = order(&difference);
            let penalties: Vec<f64> = (0..n - order).map(|i| 0.1 * (1 + i * i) as f64).collect();
            let mut full = DMatrix::zeros(n - order, n);
            for row in 0..n - order {
                (0..=order).for_each(|k| full[(row, row + k)] = difference[k]);
            }
            let matrix = DMatrix::from_diagonal(&DVector::from_vec(weights.clone()))
                + full.transpose() * DMatrix::from_diagonal(&DVector::from_vec(penalties.clone())) * &full;
            let inverse = matrix.try_inverse().unwrap();
            let weighted: Vec<f64> = values.iter().zip(&weights).map(|(y, w)| y * w).collect();
            let expected = &inverse * DVector::from_vec(weighted.clone());
            // The other curves have other penalties.
            let lanes = |value: &f64| Four::new(*value, 2.0 * value, 0.5 * value, 3.0 * value);
            let mut fit = Fit::default();
            fit.factor(&weights, &difference, &penalties.iter().map(lanes).collect::<Vec<_>>());
            let mut found: Vec<Four> = weighted.iter().map(|value| Four::repeat(*value)).collect();
            fit.solve(&mut found);
            assert!(found.iter().zip(expected.iter()).all(|(a, b)| (a[0] - b).abs() < 1e-9));
            assert!(found.iter().any(|four| (four[0] - four[1]).abs() > 1e-3));
            fit.invert();
            let variances = &full * inverse * full.transpose();
            for row in 0..n - order {
                assert!((fit.variance(&difference, row)[0] - variances[(row, row)]).abs() < 1e-9);
            }
        }
    }
}
