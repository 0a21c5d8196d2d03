//! Symmetric matrices whose numbers are 0 wherever two degrees of freedom are on different branches of a tree.
//!
//! Based on: R. Featherstone, "Efficient Factorization of the Joint-Space Inertia Matrix for Branched Kinematic
//! Trees", International Journal of Robotics Research, 2005: `H = Lᵀ L` keeps these zeros.

/// A matrix stored by rows; row `i` has numbers in the columns of the ancestors of `i`.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeMatrix {
    pub(crate) values: Vec<f64>,
    above: Vec<usize>,
    size: usize,
}

/// What stands for the ancestor of a first one.
const NONE: usize = usize::MAX;

impl TreeMatrix {
    /// Zeros; `above` names the ancestor of each degree of freedom.
    pub(crate) fn new(above: impl Iterator<Item = Option<usize>>) -> TreeMatrix {
        let above: Vec<usize> = above.map(|above| above.unwrap_or(NONE)).collect();
        let size = above.len();
        TreeMatrix { values: vec![0.0; size * size], above, size }
    }

    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds to the number of a degree of freedom and one of its ancestors (or itself).
    #[inline]
    pub(crate) fn add(&mut self, below: usize, above: usize, value: f64) {
        self.values[below * self.size + above] += value;
    }

    pub(crate) fn diagonal(&self, at: usize) -> f64 {
        self.values[at * self.size + at]
    }

    /// Factors the matrix in place; false where it is not positive definite.
    pub(crate) fn factor(&mut self) -> bool {
        let n = self.size;
        for k in (0..n).rev() {
            let pivot = self.values[k * n + k];
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            let root = pivot.sqrt();
            self.values[k * n + k] = root;
            let mut i = self.above[k];
            while i != NONE {
                self.values[k * n + i] /= root;
                i = self.above[i];
            }
            let mut i = self.above[k];
            while i != NONE {
                let left = self.values[k * n + i];
                let mut j = i;
                while j != NONE {
                    self.values[i * n + j] -= left * self.values[k * n + j];
                    j = self.above[j];
                }
                i = self.above[i];
            }
        }
        true
    }

    /// Solves `Lᵀ x = b` in place, the first half of a solution.
    pub(crate) fn solve_transposed(&self, x: &mut [f64]) {
        let n = self.size;
        for k in (0..n).rev() {
            x[k] /= self.values[k * n + k];
            let value = x[k];
            if value == 0.0 {
                continue;
            }
            let mut i = self.above[k];
            while i != NONE {
                x[i] -= self.values[k * n + i] * value;
                i = self.above[i];
            }
        }
    }

    /// Solves `L x = b` in place, the second half.
    pub(crate) fn solve_lower(&self, x: &mut [f64]) {
        let n = self.size;
        for k in 0..n {
            let mut i = self.above[k];
            let mut value = x[k];
            while i != NONE {
                value -= self.values[k * n + i] * x[i];
                i = self.above[i];
            }
            x[k] = value / self.values[k * n + k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branched_system_is_solved() {
        // 0 is above 1 and 2; 2 is above 3.
        let above = [None, Some(0), Some(0), Some(2)];
        let mut matrix = TreeMatrix::new(above.into_iter());
        let full = [[9.0, 1.0, 2.0, 0.5], [1.0, 5.0, 0.0, 0.0], [2.0, 0.0, 7.0, 1.5], [0.5, 0.0, 1.5, 4.0]];
        for (i, row) in full.iter().enumerate() {
            for (j, value) in row.iter().enumerate().take(i + 1) {
                matrix.add(i, j, *value);
            }
        }
        let wanted = [1.0, -2.0, 3.0, 0.25];
        let mut x: Vec<f64> =
            full.iter().map(|row| row.iter().zip(wanted).map(|(a, b)| a * b).sum()).collect();
        assert!(matrix.factor());
        matrix.solve_transposed(&mut x);
        matrix.solve_lower(&mut x);
        for (found, wanted) in x.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-12, "{x:?}");
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let mut matrix = TreeMatrix::new([None, Some(0)].into_iter());
        matrix.add(0, 0, 1.0);
        matrix.add(1, 1, -1.0);
        assert!(!matrix.factor());
    }
}
