//! Symmetric positive definite systems, such as the normal equations of a frame.
//!
//! Each row is used from its first entry on. The columns of a tree of joints, from the tips to the base, keep their
//! zeros: one limb has no entries in the rows of another. Based on: A. George, J. Liu, "Computer Solution of Large
//! Sparse Positive Definite Systems", 1981, chapter 4, and R. Featherstone, "Rigid Body Dynamics Algorithms", 2008,
//! section 6.5.

/// A matrix, row by row, of which only the lower half is used, and a right side.
pub(crate) struct Envelope {
    size: usize,
    matrix: Vec<f64>,
    /// By row: the column of its first entry.
    first: Vec<usize>,
    pub(crate) right: Vec<f64>,
    /// By row of a factor: one over its diagonal entry.
    inverse: Vec<f64>,
}

impl Envelope {
    pub(crate) fn new(size: usize) -> Envelope {
        let zeros = || vec![0.0; size];
        let (right, inverse) = (zeros(), zeros());
        Envelope { size, matrix: vec![0.0; size * size], first: (0..size).collect(), right, inverse }
    }

    pub(crate) fn clear(&mut self) {
        for row in 0..self.size {
            self.matrix[row * self.size + self.first[row]..=row * self.size + row].fill(0.0);
            self.first[row] = row;
        }
        self.right.fill(0.0);
    }

    pub(crate) fn copy_from(&mut self, other: &Envelope) {
        for row in 0..self.size {
            let (own, from) = (row * self.size, other.first[row]);
            // What this had before the first entry is zero again.
            self.matrix[own + self.first[row].min(from)..own + from].fill(0.0);
            self.matrix[own + from..=own + row].copy_from_slice(&other.matrix[own + from..=own + row]);
        }
        self.first.copy_from_slice(&other.first);
        self.right.copy_from_slice(&other.right);
    }

    /// A row up to its diagonal, with entries from `first` on.
    pub(crate) fn row(&mut self, row: usize, first: usize) -> &mut [f64] {
        self.first[row] = self.first[row].min(first);
        &mut self.matrix[row * self.size..=row * self.size + row]
    }

    /// Adds to an entry of the lower half and its mirror image.
    pub(crate) fn add(&mut self, a: usize, b: usize, value: f64) {
        let (row, column) = (a.max(b), a.min(b));
        self.row(row, column)[column] += value;
    }

    /// Fixes an unknown at 0.
    pub(crate) fn fix(&mut self, index: usize) {
        self.row(index, index)[..index].fill(0.0);
        self.first[index] = index;
        for row in index + 1..self.size {
            self.matrix[row * self.size + index] = 0.0;
        }
        self.matrix[index * self.size + index] = 1.0;
        self.right[index] = 0.0;
    }

    /// Solves in place: afterwards `right` holds the solution. False where the matrix is not positive definite.
    pub(crate) fn solve(&mut self) -> bool {
        let Envelope { size, matrix, first, right, inverse } = self;
        let size = *size;
        for row in 0..size {
            let (above, below) = matrix.split_at_mut(row * size);
            let own = &mut below[..=row];
            let from = first[row];
            for column in from..row {
                let other = &above[column * size..=column * size + column];
                let from = from.max(first[column]);
                own[column] = (own[column] - dot(&own[from..column], &other[from..column])) * inverse[column];
            }
            let value = own[row] - dot(&own[from..row], &own[from..row]);
            if value <= 0.0 || value.is_nan() {
                return false;
            }
            own[row] = value.sqrt();
            inverse[row] = own[row].recip();
            right[row] = (right[row] - dot(&own[from..row], &right[from..row])) * inverse[row];
        }
        for row in (0..size).rev() {
            let own = &matrix[row * size..row * size + row];
            let value = right[row] * inverse[row];
            right[row] = value;
            let from = first[row];
            right[from..row]
                .iter_mut()
                .zip(&own[from..row])
                .for_each(|(right, entry)| *right -= entry * value);
        }
        true
    }
}

/// Four independent partial sums; their order is fixed.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, more_a), (b, more_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let more: f64 = more_a.iter().zip(more_b).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + more
}

#[cfg(test)]
mod tests {
    use super::Envelope;

    /// Second differences tied to 1; the last row has entries everywhere if it is `full`.
    fn build(full: bool) -> Envelope {
        let mut system = Envelope::new(9);
        for row in 0..9 {
            system.add(row, row, 3.0);
            system.right[row] = if row == 7 { 3.0 } else { 1.0 };
            if row > 0 {
                system.add(row - 1, row, -1.0);
            }
        }
        if full {
            (0..8).for_each(|column| system.add(8, column, 0.1));
        }
        system
    }

    /// The largest miss of `matrix · x = right`.
    fn miss(system: &Envelope, x: &[f64]) -> f64 {
        let entry = |a: usize, b: usize| system.matrix[a.max(b) * 9 + a.min(b)];
        let miss = |row: usize| (0..9).map(|b| entry(row, b) * x[b]).sum::<f64>() - system.right[row];
        (0..9).map(|row| miss(row).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn a_system_is_solved_and_a_fixed_unknown_stays() {
        for full in [false, true] {
            let mut solved = build(full);
            assert!(solved.solve());
            assert!(miss(&build(full), &solved.right) < 1e-12, "{:?}", solved.right);
            let (mut fixed, mut again) = (build(full), build(full));
            fixed.fix(4);
            again.fix(4);
            assert!(fixed.solve());
            assert!(fixed.right[4] == 0.0 && fixed.right[3] > 0.0);
            assert!(miss(&again, &fixed.right) < 1e-12, "{:?}", fixed.right);
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused_and_cleared() {
        let mut system = build(true);
        system.add(1, 1, -4.0);
        assert!(!system.solve());
        system.clear();
        assert!(system.matrix.iter().all(|entry| *entry == 0.0));
    }
}
