//! The penalised least-squares fit behind smoothing splines, in time proportional to its length.
//!
//! A curve `f` minimises `Σ w (y - f)² + Σ λ (D³f)²`, where D³ are third differences. The matrix `W + D³ᵀ Λ D³` has
//! three bands below its diagonal. Based on: P. Eilers, "A Perfect Smoother", 2003; the covariance of third differences
//! follows from the bands of the inverse: K. Takahashi, J. Fagan, M. Chin, "Formation of a sparse bus impedance
//! matrix", 1973.

/// Weights of a third difference.
pub(super) const THIRD: [f64; 4] = [-1.0, 3.0, -3.0, 1.0];
/// The variance of the third difference of white noise, over that of the noise.
pub(super) const NOISE_GAIN: f64 = 20.0;

/// The factors `L · diag(d) · Lᵀ` of the matrix, with room for what follows from them.
#[derive(Clone, Debug, Default)]
pub(super) struct Fit {
    /// By row: the diagonal.
    diagonal: Vec<f64>,
    /// By row i: `L[i + 1, i]`, `L[i + 2, i]`, `L[i + 3, i]`.
    lower: Vec<[f64; 3]>,
    /// Bands of the inverse by row i: `[i, i]` to `[i, i + 3]`.
    inverse: Vec<[f64; 4]>,
}

impl Fit {
    /// Factors the matrix of `weights` (one per value) and `penalties` (one per third difference).
    pub(super) fn factor(&mut self, weights: &[f64], penalties: &[f64]) {
        let n = weights.len();
        // Bands of the matrix, by row: the diagonal and the values below it.
        let mut bands: Vec<[f64; 4]> = weights.iter().map(|w| [*w, 0.0, 0.0, 0.0]).collect();
        for (start, penalty) in penalties.iter().enumerate() {
            for a in 0..4 {
                for b in a..4 {
                    bands[start + a][b - a] += THIRD[a] * THIRD[b] * penalty;
                }
            }
        }
        self.diagonal.clear();
        self.lower.clear();
        for i in 0..n {
            let at = |row: usize| (self.diagonal[row], self.lower[row]);
            let [mut d, mut a, mut b, c] = bands[i];
            if i >= 1 {
                let (pd, [l1, l2, l3]) = at(i - 1);
                d -= l1 * l1 * pd;
                a -= l2 * l1 * pd;
                b -= l3 * l1 * pd;
            }
            if i >= 2 {
                let (pd, [_, l2, l3]) = at(i - 2);
                d -= l2 * l2 * pd;
                a -= l3 * l2 * pd;
            }
            if i >= 3 {
                let (pd, [_, _, l3]) = at(i - 3);
                d -= l3 * l3 * pd;
            }
            let d = d.max(f64::MIN_POSITIVE);
            let inverse = 1.0 / d;
            self.diagonal.push(d);
            self.lower.push([a * inverse, b * inverse, c * inverse]);
        }
    }

    /// The fit to values that are multiplied with their weights already.
    pub(super) fn solve(&self, weighted: &mut [f64]) {
        let n = weighted.len();
        for i in 0..n {
            let value = weighted[i];
            for (k, l) in self.lower[i].iter().enumerate() {
                if let Some(below) = weighted.get_mut(i + k + 1) {
                    *below -= l * value;
                }
            }
        }
        for i in (0..n).rev() {
            let mut value = weighted[i] / self.diagonal[i];
            for (k, l) in self.lower[i].iter().enumerate() {
                if let Some(below) = weighted.get(i + k + 1) {
                    value -= l * below;
                }
            }
            weighted[i] = value;
        }
    }

    /// Computes the bands of the inverse.
    pub(super) fn invert(&mut self) {
        let n = self.diagonal.len();
        self.inverse.clear();
        // Three rows of zeros after the end.
        self.inverse.resize(n + 3, [0.0; 4]);
        for i in (0..n).rev() {
            let [l1, l2, l3] = self.lower[i];
            let [next, after, last] = [self.inverse[i + 1], self.inverse[i + 2], self.inverse[i + 3]];
            let first = -(l1 * next[0] + l2 * next[1] + l3 * next[2]);
            let second = -(l1 * next[1] + l2 * after[0] + l3 * after[1]);
            let third = -(l1 * next[2] + l2 * after[1] + l3 * last[0]);
            let own = 1.0 / self.diagonal[i] - (l1 * first + l2 * second + l3 * third);
            self.inverse[i] = [own, first, second, third];
        }
    }

    /// The variance of the third difference that starts at a frame, over that of the noise; after [`Fit::invert`].
    pub(super) fn third_variance(&self, start: usize) -> f64 {
        let rows = &self.inverse[start..start + 4];
        let square: f64 = (0..4).map(|a| THIRD[a] * THIRD[a] * rows[a][0]).sum();
        let mut cross = 0.0;
        for a in 0..4 {
            for b in a + 1..4 {
                cross += THIRD[a] * THIRD[b] * rows[a][b - a];
            }
        }
        square + 2.0 * cross
    }
}

/// The third difference that starts at each frame.
pub(super) fn third_differences(values: &[f64]) -> impl Iterator<Item = f64> {
    values.windows(4).map(|v| v[3] - v[0] + 3.0 * (v[1] - v[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn the_fit_and_its_variances_are_those_of_the_full_matrix() {
        let n = 12;
        let weights: Vec<f64> = (0..n).map(|i| if i == 4 { 0.0 } else { 1.0 }).collect();
        let penalties: Vec<f64> = (0..n - 3).map(|i| 0.1 * (1 + i * i) as f64).collect();
        let values: Vec<f64> = (0..n).map(|i| ((i * 7) % 5) as f64).collect();
        let mut thirds = DMatrix::zeros(n - 3, n);
        for row in 0..n - 3 {
            (0..4).for_each(|k| thirds[(row, row + k)] = THIRD[k]);
        }
        let full = DMatrix::from_diagonal(&DVector::from_vec(weights.clone()))
            + thirds.transpose() * DMatrix::from_diagonal(&DVector::from_vec(penalties.clone())) * &thirds;
        let inverse = full.try_inverse().unwrap();
        let weighted: Vec<f64> = values.iter().zip(&weights).map(|(y, w)| y * w).collect();
        let expected = &inverse * DVector::from_vec(weighted.clone());
        let mut fit = Fit::default();
        fit.factor(&weights, &penalties);
        let mut found = weighted;
        fit.solve(&mut found);
        assert!(found.iter().zip(expected.iter()).all(|(a, b)| (a - b).abs() < 1e-9));
        fit.invert();
        let variances = &thirds * inverse * thirds.transpose();
        for row in 0..n - 3 {
            assert!((fit.third_variance(row) - variances[(row, row)]).abs() < 1e-9, "row {row}");
        }
    }
}
