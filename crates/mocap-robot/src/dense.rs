//! Symmetric positive definite systems, as the normal equations of a frame are.
//!
//! Based on: G. Golub, C. Van Loan, "Matrix Computations", 4th edition, 2013, section 4.2 (Cholesky).

/// A matrix of which only the lower half counts, row by row, and a right side.
pub(crate) struct Dense {
    size: usize,
    pub(crate) matrix: Vec<f64>,
    pub(crate) right: Vec<f64>,
}

impl Dense {
    pub(crate) fn new(size: usize) -> Dense {
        Dense { size, matrix: vec![0.0; size * size], right: vec![0.0; size] }
    }

    /// Adds to an entry of the diagonal.
    pub(crate) fn add(&mut self, at: usize, value: f64) {
        self.matrix[at * self.size + at] += value;
    }

    /// Fixes an unknown at 0.
    pub(crate) fn fix(&mut self, index: usize) {
        let size = self.size;
        self.matrix[index * size..index * size + index].fill(0.0);
        for row in index + 1..size {
            self.matrix[row * size + index] = 0.0;
        }
        self.matrix[index * size + index] = 1.0;
        self.right[index] = 0.0;
    }

    /// Solves in place: afterwards `right` holds the solution. False where the matrix is not positive definite.
    pub(crate) fn solve(&mut self) -> bool {
        let size = self.size;
        for row in 0..size {
            let (above, below) = self.matrix.split_at_mut(row * size);
            let own = &mut below[..size];
            for column in 0..row {
                let other = &above[column * size..column * size + column + 1];
                own[column] = (own[column] - dot(&own[..column], other)) / other[column];
            }
            let value = own[row] - dot(&own[..row], &own[..row]);
            if value <= 0.0 || value.is_nan() {
                return false;
            }
            own[row] = value.sqrt();
        }
        for row in 0..size {
            let own = &self.matrix[row * size..(row + 1) * size];
            self.right[row] = (self.right[row] - dot(&own[..row], &self.right[..row])) / own[row];
        }
        for row in (0..size).rev() {
            let own = &self.matrix[row * size..(row + 1) * size];
            let value = self.right[row] / own[row];
            self.right[row] = value;
            self.right[..row].iter_mut().zip(own).for_each(|(right, entry)| *right -= entry * value);
        }
        true
    }
}

/// Over the shorter of both, in four sums that do not wait for one another; the order is fixed.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let ((a, more_a), (b, more_b)) = (a[..length].as_chunks::<4>(), b[..length].as_chunks::<4>());
    let mut sums = [0.0; 4];
    for at in 0..a.len() {
        for lane in 0..4 {
            sums[lane] += a[at][lane] * b[at][lane];
        }
    }
    let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for at in 0..more_a.len() {
        sum += more_a[at] * more_b[at];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::Dense;

    #[test]
    fn a_system_is_solved_and_a_fixed_unknown_stays() {
        // Second differences tied to 1.
        let build = || {
            let mut dense = Dense::new(9);
            for row in 0..9 {
                dense.add(row, 3.0);
                dense.right[row] = if row == 7 { 3.0 } else { 1.0 };
                if row > 0 {
                    dense.matrix[row * 9 + row - 1] = -1.0;
                }
            }
            dense
        };
        let mut dense = build();
        assert!(dense.solve());
        let x = &dense.right;
        for row in 0..9 {
            let beside = (if row > 0 { x[row - 1] } else { 0.0 }) + (if row < 8 { x[row + 1] } else { 0.0 });
            let right = if row == 7 { 3.0 } else { 1.0 };
            assert!((3.0 * x[row] - beside - right).abs() < 1e-12, "{row}");
        }
        let mut dense = build();
        dense.fix(4);
        assert!(dense.solve());
        assert!(dense.right[4] == 0.0 && dense.right[3] > 0.0);
        assert!(!build_negative().solve());
    }

    fn build_negative() -> Dense {
        let mut dense = Dense::new(2);
        dense.add(0, 1.0);
        dense.add(1, -1.0);
        dense
    }
}
