//! Symmetric kernels: filters and differences without delay, as weights of the frames around each.

use nalgebra::Vector2;

/// The weight of a frame, then those of the frames at distance 1, 2, … to either side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kernel(Vec<f64>);

impl Kernel {
    pub(crate) fn new(weights: Vec<f64>) -> Kernel {
        Kernel(weights)
    }

    /// The identity.
    pub(crate) fn one() -> Kernel {
        Kernel(vec![1.0])
    }

    /// The number of frames to either side that have a weight.
    pub(crate) fn reach(&self) -> usize {
        self.0.len() - 1
    }

    fn weight(&self, by: isize) -> f64 {
        self.0.get(by.unsigned_abs()).copied().unwrap_or(0.0)
    }

    /// This one, then the other: their convolution.
    pub(crate) fn then(&self, other: &Kernel) -> Kernel {
        let reach = self.reach() as isize;
        let all = reach + other.reach() as isize;
        let at = |by: isize| (-reach..=reach).map(|own| self.weight(own) * other.weight(by - own)).sum();
        Kernel((0..=all).map(at).collect())
    }

    /// The sum of this one and `factor` times the other.
    pub(crate) fn plus(&self, other: &Kernel, factor: f64) -> Kernel {
        let reach = self.reach().max(other.reach()) as isize;
        Kernel((0..=reach).map(|by| self.weight(by) + factor * other.weight(by)).collect())
    }

    /// The weights at a frame. Beyond both ends, values are continued by point reflection; a single frame stays. For
    /// clips longer than the reach, that is what the low-pass filter and [`crate::BalanceCurves`] do.
    pub(crate) fn row(&self, frame: usize, frames: usize) -> Row {
        let last = frames - 1;
        let (first, end) = (frame.saturating_sub(self.reach()), (frame + self.reach()).min(last));
        let mut weights = vec![0.0; end + 1 - first];
        let reach = self.reach() as isize;
        for by in -reach..=reach {
            let mut add = |column: usize, weight: f64| weights[column - first] += weight;
            reflect(frame as isize + by, self.weight(by), last as isize, &mut add);
        }
        Row { first, weights }
    }
}

/// Distributes the weight of a frame, also of one beyond the ends, among the frames that there are.
fn reflect(column: isize, weight: f64, last: isize, add: &mut dyn FnMut(usize, f64)) {
    let (end, inner) = match column {
        _ if last == 0 => (0, 0),
        column if column < 0 => (0, -column),
        column if column > last => (last, 2 * last - column),
        column => return add(column as usize, weight),
    };
    if end == inner {
        return add(end as usize, weight);
    }
    add(end as usize, 2.0 * weight);
    reflect(inner, -weight, last, add);
}

/// Weights of consecutive frames.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) first: usize,
    pub(crate) weights: Vec<f64>,
}

impl Row {
    pub(crate) fn apply(&self, values: &[Vector2<f64>]) -> Vector2<f64> {
        self.weights.iter().zip(&values[self.first..]).map(|(weight, value)| value * *weight).sum()
    }

    /// Adds the weighted value to each of its frames.
    pub(crate) fn add_to(&self, values: &mut [Vector2<f64>], value: &Vector2<f64>) {
        for (sum, weight) in values[self.first..].iter_mut().zip(&self.weights) {
            *sum += value * *weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_lines_vanish_up_to_their_ends() {
        let line: Vec<Vector2<f64>> = (0..5).map(|frame| Vector2::new(f64::from(frame), 2.0)).collect();
        let bend = Kernel::new(vec![-2.0, 1.0]);
        let twice = bend.then(&bend);
        assert_eq!(twice, Kernel::new(vec![6.0, -4.0, 1.0]));
        for kernel in [&bend, &twice, &twice.then(&twice)] {
            for frame in 0..5 {
                assert!(kernel.row(frame, 5).apply(&line).norm() < 1e-9, "{kernel:?} {frame}");
            }
        }
        assert_eq!(bend.plus(&Kernel::one(), 2.0), Kernel::new(vec![0.0, 1.0]));
    }

    #[test]
    fn short_motions_have_rows() {
        let wide = Kernel::new(vec![0.5; 7]);
        for frames in 1..8 {
            let same = vec![Vector2::new(3.0, -1.0); frames];
            for frame in 0..frames {
                let row = wide.row(frame, frames);
                assert!(row.first + row.weights.len() <= frames);
                assert!((row.apply(&same) - same[0] * 6.5).norm() < 1e-9, "{frame} of {frames}");
            }
        }
    }
}
