//! Ridge regression with radial basis functions and a linear part.
//!
//! `y(x) = Σ wᵢ k(|x − cᵢ|) + A x + b`, with Matérn's kernel `k(r) = (1 + √3 r / s) exp(−√3 r / s)`: smooth enough for
//! continuous velocities over time, but not too smooth to follow the examples. Centres are some of the examples.
//!
//! Based on: T. Poggio, F. Girosi, "Networks for approximation and learning", 1990; C. Rasmussen, C. Williams, "Gaussian
//! Processes for Machine Learning", 2006, chapter 8 (a subset of regressors).

/// Most centres.
const CENTRES: usize = 192;
/// The most examples that are fitted; more add little but cost time.
const FITTED: usize = 2400;
/// The length of the kernel, in units of the features.
const SCALE: f64 = 3.0;
/// Ridge penalty of the weights of the kernel.
const RIDGE: f64 = 0.1;
/// Ridge penalty of the linear part.
const LINEAR_RIDGE: f64 = 0.1;

/// A fitted regression.
#[derive(Clone, Debug)]
pub(crate) struct Regression {
    inputs: usize,
    outputs: usize,
    centres: Vec<f64>,
    /// `(centres + inputs + 1) × outputs`
    weights: Vec<f64>,
    /// Variance of the residuals of the examples, by output.
    pub(crate) variance: Vec<f64>,
}

/// The numbers of a fitted regression, without its centres.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Weights {
    pub(crate) weights: Vec<f32>,
    pub(crate) variance: Vec<f32>,
}

/// The indices of the examples that are centres.
pub(crate) fn centre_rows(examples: usize) -> impl Iterator<Item = usize> {
    let fitted = examples.min(FITTED);
    evenly_spaced(fitted, CENTRES).map(move |at| at * examples / fitted.max(1))
}

fn kernel(square: f64) -> f64 {
    let r = (3.0 * square).sqrt() / SCALE;
    (1.0 + r) * (-r).exp()
}

fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

impl Regression {
    /// Fits `y` (`rows × outputs`) to `x` (`rows × inputs`).
    pub(crate) fn fit(x: &[f64], y: &[f64], (inputs, outputs): (usize, usize)) -> Regression {
        let all = y.len().checked_div(outputs).unwrap_or(0);
        let fitted: Vec<usize> = evenly_spaced(all, FITTED).collect();
        let row = |at: usize| &x[at * inputs..(at + 1) * inputs];
        let centres: Vec<f64> = centre_rows(all).flat_map(|at| row(at).iter().copied()).collect();
        let mut made =
            Regression { inputs, outputs, centres, weights: Vec::new(), variance: vec![0.0; outputs] };
        let count = made.centres();
        let size = count + inputs + 1;
        let mut normal = Normal::new(size, outputs);
        let mut basis = vec![0.0; size * Normal::ROWS];
        for group in fitted.chunks(Normal::ROWS) {
            for (place, at) in group.iter().enumerate() {
                made.basis(row(*at), &mut basis[place * size..(place + 1) * size]);
            }
            let targets: Vec<&[f64]> = group.iter().map(|at| &y[at * outputs..(at + 1) * outputs]).collect();
            normal.add(&basis[..group.len() * size], &targets);
        }
        for i in 0..count {
            for j in 0..=i {
                let near = kernel(square_distance(
                    &made.centres[i * inputs..(i + 1) * inputs],
                    &made.centres[j * inputs..(j + 1) * inputs],
                ));
                normal.matrix[i * size + j] += RIDGE * near;
            }
            normal.matrix[i * size + i] += 1e-6;
        }
        (count..size).for_each(|i| normal.matrix[i * size + i] += LINEAR_RIDGE);
        made.weights = normal.solve();
        let mut predicted = vec![0.0; outputs];
        let mut scratch = vec![0.0; size];
        let checked: Vec<usize> = evenly_spaced(all, 400).collect();
        for at in &checked {
            made.predict(row(*at), &mut scratch, &mut predicted);
            for (o, value) in predicted.iter().enumerate() {
                made.variance[o] += (value - y[at * outputs + o]).powi(2) / checked.len() as f64;
            }
        }
        made
    }

    /// A regression from stored weights and recomputed centres; `None` if the sizes do not match.
    pub(crate) fn of_weights(
        centres: Vec<f64>,
        weights: &Weights,
        (inputs, outputs): (usize, usize),
    ) -> Option<Regression> {
        let Weights { weights, variance } = weights;
        let [weights, variance] =
            [weights, variance].map(|values| values.iter().copied().map(f64::from).collect::<Vec<f64>>());
        let made = Regression { inputs, outputs, centres, weights, variance };
        let fits = made.weights.len() == made.scratch() * outputs && made.variance.len() == outputs;
        fits.then_some(made)
    }

    /// The numbers that [`Regression::of_weights`] takes.
    pub(crate) fn weights(&self) -> Weights {
        let [weights, variance] =
            [&self.weights, &self.variance].map(|values| values.iter().map(|value| *value as f32).collect());
        Weights { weights, variance }
    }

    fn centres(&self) -> usize {
        self.centres.len().checked_div(self.inputs).unwrap_or(0)
    }

    /// The length of the scratch buffer for [`Regression::predict`].
    pub(crate) fn scratch(&self) -> usize {
        self.centres() + self.inputs + 1
    }

    fn basis(&self, x: &[f64], out: &mut [f64]) {
        let count = self.centres();
        for (centre, out) in self.centres.chunks_exact(self.inputs.max(1)).zip(out.iter_mut()) {
            *out = kernel(square_distance(centre, x));
        }
        out[count..count + self.inputs].copy_from_slice(x);
        out[count + self.inputs] = 1.0;
    }

    /// The prediction at `x`.
    pub(crate) fn predict(&self, x: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        let basis = &mut scratch[..self.scratch()];
        self.basis(x, basis);
        out.fill(0.0);
        for (value, weights) in basis.iter().zip(self.weights.chunks_exact(self.outputs.max(1))) {
            for (out, weight) in out.iter_mut().zip(weights) {
                *out += value * weight;
            }
        }
    }
}

/// At most `most` of `count` indices, evenly spaced.
pub(crate) fn evenly_spaced(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(most);
    (0..taken).map(move |at| at * count / taken.max(1))
}

/// Normal equations `(BᵀB) w = BᵀY`; of the matrix only the lower triangle is filled.
struct Normal {
    size: usize,
    outputs: usize,
    matrix: Vec<f64>,
    right: Vec<f64>,
}

impl Normal {
    /// Number of rows that are added in one pass over the matrix.
    const ROWS: usize = 8;

    fn new(size: usize, outputs: usize) -> Normal {
        Normal { size, outputs, matrix: vec![0.0; size * size], right: vec![0.0; size * outputs] }
    }

    fn add(&mut self, basis: &[f64], targets: &[&[f64]]) {
        let size = self.size;
        let rows: Vec<&[f64]> = basis.chunks_exact(size).collect();
        for i in 0..size {
            let line = &mut self.matrix[i * size..i * size + i + 1];
            if let [a, b, c, d, e, f, g, h] = rows[..] {
                let [va, vb, vc, vd] = [a[i], b[i], c[i], d[i]];
                let [ve, vf, vg, vh] = [e[i], f[i], g[i], h[i]];
                let (a, b, c, d) = (&a[..=i], &b[..=i], &c[..=i], &d[..=i]);
                let (e, f, g, h) = (&e[..=i], &f[..=i], &g[..=i], &h[..=i]);
                for j in 0..=i {
                    let first = va * a[j] + vb * b[j] + (vc * c[j] + vd * d[j]);
                    let second = ve * e[j] + vf * f[j] + (vg * g[j] + vh * h[j]);
                    line[j] += first + second;
                }
            } else {
                for row in &rows {
                    line.iter_mut().zip(*row).for_each(|(sum, value)| *sum += row[i] * value);
                }
            }
            let right = &mut self.right[i * self.outputs..(i + 1) * self.outputs];
            for (row, target) in rows.iter().zip(targets) {
                right.iter_mut().zip(*target).for_each(|(sum, value)| *sum += row[i] * value);
            }
        }
    }

    /// Solves by Cholesky factorisation, row by row.
    fn solve(mut self) -> Vec<f64> {
        let (n, o) = (self.size, self.outputs);
        for i in 0..n {
            let (above, rest) = self.matrix.split_at_mut(i * n);
            let line = &mut rest[..=i];
            for j in 0..i {
                let other = &above[j * n..j * n + j + 1];
                let dot: f64 = line[..j].iter().zip(&other[..j]).map(|(a, b)| a * b).sum();
                line[j] = (line[j] - dot) / other[j];
            }
            let dot: f64 = line[..i].iter().map(|a| a * a).sum();
            // Rounding may give a value below zero although the ridge makes the matrix positive definite.
            line[i] = (line[i] - dot).max(1e-9).sqrt();
        }
        for i in 0..n {
            let (before, at) = self.right.split_at_mut(i * o);
            let at = &mut at[..o];
            for j in 0..i {
                let factor = self.matrix[i * n + j];
                at.iter_mut().zip(&before[j * o..(j + 1) * o]).for_each(|(a, b)| *a -= factor * b);
            }
            at.iter_mut().for_each(|value| *value /= self.matrix[i * n + i]);
        }
        for i in (0..n).rev() {
            let (at, after) = self.right.split_at_mut((i + 1) * o);
            let at = &mut at[i * o..];
            for j in i + 1..n {
                let factor = self.matrix[j * n + i];
                at.iter_mut().zip(&after[(j - i - 1) * o..(j - i) * o]).for_each(|(a, b)| *a -= factor * b);
            }
            at.iter_mut().for_each(|value| *value /= self.matrix[i * n + i]);
        }
        self.right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smooth_function_is_found_again_between_its_examples() {
        let truth = |a: f64, b: f64| [(a * 1.5).sin() + 0.3 * b, a * b];
        let points: Vec<(f64, f64)> =
            (0..400).map(|i| (f64::from(i % 20) / 10.0, f64::from(i / 20) / 10.0)).collect();
        // Over some lengths of the kernel: it is smooth below that.
        let x: Vec<f64> = points.iter().flat_map(|(a, b)| [*a * 5.0, *b * 5.0]).collect();
        let y: Vec<f64> = points.iter().flat_map(|(a, b)| truth(*a, *b)).collect();
        let fitted = Regression::fit(&x, &y, (2, 2));
        let (mut scratch, mut out) = (vec![0.0; fitted.scratch()], [0.0; 2]);
        for (a, b) in [(0.33, 0.71), (1.05, 1.55), (1.5, 0.4)] {
            fitted.predict(&[a * 5.0, b * 5.0], &mut scratch, &mut out);
            let wanted = truth(a, b);
            assert!(
                (out[0] - wanted[0]).abs() < 0.05 && (out[1] - wanted[1]).abs() < 0.05,
                "{out:?} {wanted:?}"
            );
        }
        assert!(fitted.variance.iter().all(|variance| *variance < 1e-3));
    }

    #[test]
    fn without_inputs_the_mean_is_expected() {
        let fitted = Regression::fit(&[], &[1.0, 3.0, 2.0, 2.0], (0, 1));
        let mut out = [0.0];
        fitted.predict(&[], &mut vec![0.0; fitted.scratch()], &mut out);
        assert!((out[0] - 2.0).abs() < 0.1, "{out:?}");
    }
}
