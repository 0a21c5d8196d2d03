//! Symmetric matrices that are zero wherever two degrees of freedom are on different branches of a tree.
//!
//! Based on: R. Featherstone, "Efficient Factorization of the Joint-Space Inertia Matrix for Branched Kinematic
//! Trees", International Journal of Robotics Research, 2005: `H = Lᵀ L` preserves these zeros.

/// A matrix stored by rows: row `i` holds the numbers of `i` and of its ancestors, from itself to the first one, so that
/// the row of an ancestor continues that of `i`.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeMatrix {
    values: Vec<f64>,
    /// Where rows begin, and where the last one ends.
    first: Vec<usize>,
    above: Vec<usize>,
}

/// Index of a missing ancestor.
const NONE: usize = usize::MAX;

impl TreeMatrix {
    /// Zeros; `above` names the ancestor of each degree of freedom, which comes before it.
    pub(crate) fn new(above: impl Iterator<Item = Option<usize>>) -> TreeMatrix {
        let above: Vec<usize> = above.map(|above| above.unwrap_or(NONE)).collect();
        let mut first = vec![0usize];
        for (at, above) in above.iter().enumerate() {
            let length = if *above == NONE { 1 } else { first[*above + 1] - first[*above] + 1 };
            first.push(first[at] + length);
        }
        TreeMatrix { values: vec![0.0; first[above.len()]], first, above }
    }

    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Copies the numbers of a matrix of the same tree.
    pub(crate) fn copy_from(&mut self, other: &TreeMatrix) {
        self.values.copy_from_slice(&other.values);
    }

    /// The numbers of a degree of freedom and of its ancestors, from itself to the first one.
    #[inline]
    pub(crate) fn row_mut(&mut self, at: usize) -> &mut [f64] {
        &mut self.values[self.first[at]..self.first[at + 1]]
    }

    /// Adds to the number of a degree of freedom and one of its ancestors (or itself).
    #[inline]
    pub(crate) fn add(&mut self, below: usize, above: usize, value: f64) {
        let depth = |at: usize| self.first[at + 1] - self.first[at];
        let place = self.first[below] + depth(below) - depth(above);
        self.values[place] += value;
    }

    pub(crate) fn diagonal(&self, at: usize) -> f64 {
        self.values[self.first[at]]
    }

    /// Factors the matrix in place; false where it is not positive definite.
    pub(crate) fn factor(&mut self) -> bool {
        for k in (0..self.above.len()).rev() {
            let (before, own) = self.values.split_at_mut(self.first[k]);
            let own = &mut own[..self.first[k + 1] - self.first[k]];
            let pivot = own[0];
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            let root = pivot.sqrt();
            own[0] = root;
            own[1..].iter_mut().for_each(|value| *value /= root);
            let mut i = self.above[k];
            for at in 1..own.len() {
                let left = own[at];
                let row = &mut before[self.first[i]..self.first[i + 1]];
                row.iter_mut().zip(&own[at..]).for_each(|(value, right)| *value -= left * right);
                i = self.above[i];
            }
        }
        true
    }

    /// Solves `Lᵀ x = b` in place, the first half of a solution.
    pub(crate) fn solve_transposed(&self, x: &mut [f64]) {
        for k in (0..self.above.len()).rev() {
            if x[k] == 0.0 {
                continue;
            }
            let row = &self.values[self.first[k]..self.first[k + 1]];
            x[k] /= row[0];
            let value = x[k];
            let mut i = self.above[k];
            for share in &row[1..] {
                x[i] -= share * value;
                i = self.above[i];
            }
        }
    }

    /// Solves `L x = b` in place, the second half.
    pub(crate) fn solve_lower(&self, x: &mut [f64]) {
        for k in 0..self.above.len() {
            let row = &self.values[self.first[k]..self.first[k + 1]];
            let mut i = self.above[k];
            let mut value = x[k];
            for share in &row[1..] {
                value -= share * x[i];
                i = self.above[i];
            }
            x[k] = value / row[0];
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
