//! The penalised least-squares fit behind smoothing splines, in time proportional to its length.
//!
//! A curve `f` minimises `Σ w (y - f)² + Σ λ (Df)²`, where D are the differences of order N. The matrix `W + Dᵀ Λ D` has
//! N bands below its diagonal. Several curves are fitted at once.
//! Based on: P. Eilers, "A Perfect Smoother", 2003; the covariance of differences follows from the bands of the
//! inverse: K. Takahashi, J. Fagan, M. Chin, "Formation of a sparse bus impedance matrix", 1973.

use nalgebra::{ArrayStorage, SVector};

/// Curves that are fitted at once: each step of a fit depends on the one before, so several are interleaved.
pub(super) const LANES: usize = 8;
/// One number for each curve.
pub(super) type Lanes = SVector<f64, LANES>;

/// The weights of a difference of order 1 to 3, from its first value to its last.
const fn weights_of(order: usize) -> [f64; 4] {
    match order {
        1 => [-1.0, 1.0, 0.0, 0.0],
        2 => [1.0, -2.0, 1.0, 0.0],
        _ => [-1.0, 3.0, -3.0, 1.0],
    }
}

/// The variance of a difference of white noise, over that of the noise.
pub(super) fn noise_gain(order: usize) -> f64 {
    weights_of(order).iter().map(|weight| weight * weight).sum()
}

/// The differences of order N, by the frame at which they start.
pub(super) fn differences<const N: usize>(values: &[Lanes]) -> impl Iterator<Item = Lanes> + '_ {
    let weights = weights_of(N);
    values.windows(N + 1).map(move |part| {
        let mut sum = part[0] * weights[0];
        for a in 1..=N {
            sum += part[a] * weights[a];
        }
        sum
    })
}

/// The factors `L · diag(d) · Lᵀ` of the matrix, by row.
#[derive(Clone, Debug, Default)]
pub(super) struct Fit<const N: usize> {
    rows: Vec<Row<N>>,
}

/// A row of the factors. Rows are kept from fit to fit and written in place: copies of them would cost as much as the
/// numbers.
#[derive(Clone, Debug)]
struct Row<const N: usize> {
    /// 1 over the diagonal.
    inverse: Lanes,
    /// Of row i: `L[i + 1, i]` to `L[i + N, i]`.
    lower: [Lanes; N],
}

impl<const N: usize> Row<N> {
    const ZERO: Row<N> = {
        let zero = Lanes::from_array_storage(ArrayStorage([[0.0; LANES]]));
        Row { inverse: zero, lower: [zero; N] }
    };
}

impl<const N: usize> Fit<N> {
    const WEIGHTS: [f64; 4] = weights_of(N);

    /// Factors the matrix of `weights` (one per value) and `penalties` (one per difference).
    pub(super) fn factor(&mut self, weights: &[Lanes], penalties: &[Lanes]) {
        self.rows.resize(weights.len(), Row::ZERO);
        // Of the last N rows, in turns: `lower` times the diagonal.
        let mut scaled = [[Lanes::zeros(); N]; N];
        for (i, weight) in weights.iter().enumerate() {
            // The bands of the matrix: the diagonal and those below it.
            let mut bands = [Lanes::zeros(); 4];
            bands[0] = *weight;
            for a in 0..=N.min(i) {
                let Some(penalty) = penalties.get(i - a) else { continue };
                for k in 0..=N - a {
                    bands[k] += penalty * (Self::WEIGHTS[a] * Self::WEIGHTS[a + k]);
                }
            }
            let (before, rest) = self.rows.split_at_mut(i);
            for (k, above) in before.iter().rev().take(N).enumerate() {
                for r in k..N {
                    bands[r - k] -= above.lower[r].component_mul(&scaled[(i - 1 - k) % N][k]);
                }
            }
            let row = &mut rest[0];
            row.inverse = bands[0].map(|d| 1.0 / d.max(f64::MIN_POSITIVE));
            for k in 0..N {
                scaled[i % N][k] = bands[k + 1];
                row.lower[k] = bands[k + 1].component_mul(&row.inverse);
            }
        }
    }

    /// Solves for values that are already multiplied by their weights.
    pub(super) fn solve(&self, weighted: &mut [Lanes]) {
        let n = weighted.len();
        for i in 0..n {
            let mut value = weighted[i];
            for k in 0..N.min(i) {
                value -= self.rows[i - 1 - k].lower[k].component_mul(&weighted[i - 1 - k]);
            }
            weighted[i] = value;
        }
        for i in (0..n).rev() {
            let row = &self.rows[i];
            let mut value = weighted[i].component_mul(&row.inverse);
            for k in 0..N.min(n - 1 - i) {
                value -= row.lower[k].component_mul(&weighted[i + 1 + k]);
            }
            weighted[i] = value;
        }
    }

    /// Passes the variance of each difference, relative to that of the noise, to `take`, from the last to the first.
    pub(super) fn variances(&self, mut take: impl FnMut(usize, Lanes)) {
        let zero = Lanes::zeros();
        let n = self.rows.len();
        // Bands of the inverse for this row and the rows below it, as a ring buffer.
        let mut rows = [[zero; 4]; 4];
        for i in (0..n).rev() {
            let Row { inverse, lower, .. } = &self.rows[i];
            let mut own = [zero; 4];
            for r in 1..=N {
                for k in 1..=N {
                    let (a, b) = (k.min(r), k.max(r));
                    own[r] -= lower[k - 1].component_mul(&rows[(i + a) % 4][b - a]);
                }
            }
            own[0] = *inverse;
            for k in 1..=N {
                own[0] -= lower[k - 1].component_mul(&own[k]);
            }
            rows[i % 4] = own;
            if i + N < n {
                let mut sum = zero;
                for a in 0..=N {
                    let row = &rows[(i + a) % 4];
                    sum += row[0] * (Self::WEIGHTS[a] * Self::WEIGHTS[a]);
                    for b in a + 1..=N {
                        sum += row[b - a] * (2.0 * Self::WEIGHTS[a] * Self::WEIGHTS[b]);
                    }
                }
                take(i, sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn check<const N: usize>() {
        let n = 12;
        let weights: Vec<f64> = (0..n).map(|i| if i == 4 { 0.0 } else { 1.0 }).collect();
        let values: Vec<f64> = (0..n).map(|i| ((i * 7) % 5) as f64).collect();
        let penalties: Vec<f64> = (0..n - N).map(|i| 0.1 * (1 + i * i) as f64).collect();
        let mut full = DMatrix::zeros(n - N, n);
        for row in 0..n - N {
            (0..=N).for_each(|k| full[(row, row + k)] = weights_of(N)[k]);
        }
        let matrix = DMatrix::from_diagonal(&DVector::from_vec(weights.clone()))
            + full.transpose() * DMatrix::from_diagonal(&DVector::from_vec(penalties.clone())) * &full;
        let inverse = matrix.try_inverse().unwrap();
        let weighted: Vec<f64> = values.iter().zip(&weights).map(|(y, w)| y * w).collect();
        let expected = &inverse * DVector::from_vec(weighted.clone());
        // The other curves have other penalties.
        let lanes = |value: &f64| Lanes::from_fn(|lane, _| value * [1.0, 2.0, 0.5, 3.0][lane % 4]);
        let mut fit = Fit::<N>::default();
        let wide: Vec<Lanes> = weights.iter().map(|weight| Lanes::repeat(*weight)).collect();
        fit.factor(&wide, &penalties.iter().map(lanes).collect::<Vec<_>>());
        let mut found: Vec<Lanes> = weighted.iter().map(|value| Lanes::repeat(*value)).collect();
        fit.solve(&mut found);
        assert!(found.iter().zip(expected.iter()).all(|(a, b)| (a[0] - b).abs() < 1e-9));
        assert!(found.iter().any(|lanes| (lanes[0] - lanes[1]).abs() > 1e-3));
        let variances = &full * inverse * full.transpose();
        let mut rows = Vec::new();
        fit.variances(|row, variance| {
            assert!((variance[0] - variances[(row, row)]).abs() < 1e-9);
            rows.push(row);
        });
        assert_eq!(rows, (0..n - N).rev().collect::<Vec<_>>());
    }

    #[test]
    fn the_fit_and_its_variances_are_those_of_the_full_matrix() {
        check::<2>();
        check::<3>();
    }
}
