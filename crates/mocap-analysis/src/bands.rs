//! Least squares of values by frame, where each residual is of a few consecutive frames.

use nalgebra::Vector2;

use crate::kernel::Row;

/// A symmetric matrix with bands beside its diagonal: the sum of squares of rows.
pub(crate) struct Bands {
    /// Columns of a row: the diagonal, and the entries to its left, the nearer first.
    width: usize,
    entries: Vec<f64>,
}

impl Bands {
    /// For rows of at most `longest` frames.
    pub(crate) fn new(size: usize, longest: usize) -> Bands {
        let width = longest.max(1);
        Bands { width, entries: vec![0.0; size * width] }
    }

    pub(crate) fn add(&mut self, row: &Row, weight: f64) {
        for (a, first) in row.weights.iter().enumerate() {
            let start = (row.first + a) * self.width;
            for (b, second) in row.weights[..=a].iter().enumerate() {
                self.entries[start + a - b] += weight * first * second;
            }
        }
    }

    /// Replaces the matrix by its Cholesky factor, a lower triangle.
    pub(crate) fn factor(&mut self) {
        /// Diagonal entries are kept above this share of their value: less is rounding.
        const LEAST: f64 = 1e-15;
        let width = self.width;
        for row in 0..self.entries.len() / width {
            let (above, own) = self.entries.split_at_mut(row * width);
            for left in (0..width.min(row + 1)).rev() {
                let column = row - left;
                let known = (width - left).min(column + 1);
                if left == 0 {
                    let squares: f64 = own[1..known].iter().map(|entry| entry * entry).sum();
                    own[0] = (own[0] - squares).max(LEAST * own[0]).sqrt();
                } else {
                    let other = &above[column * width..][..width];
                    let products = own[left + 1..left + known].iter().zip(&other[1..known]);
                    let sum: f64 = products.map(|(own, other)| own * other).sum();
                    own[left] = (own[left] - sum) / other[0];
                }
            }
        }
    }

    /// Solves with the triangle that [`Bands::factor`] made.
    pub(crate) fn solve(&self, right: &mut [Vector2<f64>]) {
        let entries = |row: usize| &self.entries[row * self.width..][..self.width.min(row + 1)];
        for row in 0..right.len() {
            let own = entries(row);
            let known = own[1..].iter().zip(right[..row].iter().rev());
            let sum: Vector2<f64> = known.map(|(entry, value)| value * *entry).sum();
            right[row] = (right[row] - sum) / own[0];
        }
        for row in (0..right.len()).rev() {
            let own = entries(row);
            right[row] /= own[0];
            let value = right[row];
            for (entry, before) in own[1..].iter().zip(right[..row].iter_mut().rev()) {
                *before -= value * *entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn the_solution_of_least_squares_is_found() {
        let kernel = Kernel::new(vec![2.0, -0.7, 0.3, 0.1]);
        let wanted: Vec<Vector2<f64>> =
            (0..12).map(f64::from).map(|at| Vector2::new(at.sin(), at * at)).collect();
        let mut system = Bands::new(12, 7);
        let mut right = vec![Vector2::zeros(); 12];
        for frame in 0..12 {
            let row = kernel.row(frame, 12);
            system.add(&row, 0.5);
            row.add_to(&mut right, &(row.apply(&wanted) * 0.5));
        }
        system.factor();
        system.solve(&mut right);
        for (found, wanted) in right.iter().zip(&wanted) {
            assert!((found - wanted).norm() < 1e-8, "{found} {wanted}");
        }
    }
}
