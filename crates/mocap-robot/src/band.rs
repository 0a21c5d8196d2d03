//! Symmetric systems whose entries are near the diagonal, as those of a trajectory are.
//!
//! Based on: G. Golub, C. Van Loan, "Matrix Computations", 4th edition, 2013, section 4.3.5 (band Cholesky).

/// A symmetric matrix with a band, lower half, row by row, and a right side.
pub(crate) struct Band {
    width: usize,
    rows: usize,
    /// `rows × (width + 1)`; the last of a row is its diagonal.
    entries: Vec<f64>,
    pub(crate) right: Vec<f64>,
}

impl Band {
    /// Zero, with `width` entries left of the diagonal.
    pub(crate) fn new(rows: usize, width: usize) -> Band {
        Band { width, rows, entries: vec![0.0; rows * (width + 1)], right: vec![0.0; rows] }
    }

    fn at(&self, row: usize, column: usize) -> usize {
        row * (self.width + 1) + self.width - (row - column)
    }

    /// Adds to an entry of the lower half, inside the band.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        let at = self.at(row, column);
        self.entries[at] += value;
    }

    /// Fixes an unknown at 0.
    pub(crate) fn fix(&mut self, index: usize) {
        for column in index.saturating_sub(self.width)..index {
            let at = self.at(index, column);
            self.entries[at] = 0.0;
        }
        for row in index + 1..(index + self.width + 1).min(self.rows) {
            let at = self.at(row, index);
            self.entries[at] = 0.0;
        }
        let at = self.at(index, index);
        self.entries[at] = 1.0;
        self.right[index] = 0.0;
    }

    /// Solves in place: afterwards `right` holds the solution. `false` where the matrix is not positive definite.
    pub(crate) fn solve(&mut self) -> bool {
        let (width, stride) = (self.width, self.width + 1);
        for row in 0..self.rows {
            let first = row.saturating_sub(width);
            for column in first..=row {
                let start = first.max(column.saturating_sub(width));
                let (a, b) = (self.at(row, start), self.at(column, start));
                let length = column - start;
                let dot: f64 = dot(&self.entries[a..a + length], &self.entries[b..b + length]);
                let at = self.at(row, column);
                let value = self.entries[at] - dot;
                if column < row {
                    self.entries[at] = value / self.entries[column * stride + width];
                } else if value > 0.0 {
                    self.entries[at] = value.sqrt();
                } else {
                    return false;
                }
            }
        }
        for row in 0..self.rows {
            let first = row.saturating_sub(width);
            let at = self.at(row, first);
            let dot = dot(&self.entries[at..at + row - first], &self.right[first..row]);
            self.right[row] = (self.right[row] - dot) / self.entries[row * stride + width];
        }
        for row in (0..self.rows).rev() {
            let value = self.right[row] / self.entries[row * stride + width];
            self.right[row] = value;
            let first = row.saturating_sub(width);
            let at = self.at(row, first);
            for (offset, right) in self.right[first..row].iter_mut().enumerate() {
                *right -= self.entries[at + offset] * value;
            }
        }
        true
    }
}

/// In four sums that do not wait for one another; the order is fixed.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (chunks_a, chunks_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = chunks_a.remainder().iter().zip(chunks_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in chunks_a.zip(chunks_b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::Band;

    #[test]
    fn a_band_system_is_solved() {
        // Second differences of 50 unknowns, tied to 1.
        let mut band = Band::new(50, 2);
        for row in 0..50 {
            band.add(row, row, 1.0);
            band.right[row] = if row == 7 { 3.0 } else { 1.0 };
        }
        for middle in 1..49 {
            for (i, a) in [(middle - 1, 1.0), (middle, -2.0), (middle + 1, 1.0)] {
                for (j, b) in [(middle - 1, 1.0), (middle, -2.0), (middle + 1, 1.0)] {
                    if j <= i {
                        band.add(i, j, a * b);
                    }
                }
            }
        }
        assert!(band.solve());
        let x = &band.right;
        // The gradient at the solution is 0.
        let bend = |i: usize| if (1..49).contains(&i) { x[i - 1] - 2.0 * x[i] + x[i + 1] } else { 0.0 };
        for i in 0..50 {
            let from_bends = (if i > 0 { bend(i - 1) } else { 0.0 }) - 2.0 * bend(i)
                + (if i < 49 { bend(i + 1) } else { 0.0 });
            let right = if i == 7 { 3.0 } else { 1.0 };
            assert!((x[i] - right + from_bends).abs() < 1e-12, "{i}");
        }
    }
}
