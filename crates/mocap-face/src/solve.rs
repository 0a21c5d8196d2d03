//! Solves the weights of shapes from the motion of all or some vertices.
//!
//! Minimises Σ‖V₀ + D w − V‖² + Σ λᵢ (w_t − w_{t−1})² + Σ μᵢ w over 0 ≤ w ≤ 1 in all frames. λ and μ are estimated from
//! the data, alternating with w: λᵢ is the variance of the noise over that of the steps of weight i, μᵢ twice the
//! variance of the noise over the mean of weight i. So weights that the vertices determine follow them, undetermined
//! ones stay smooth, and unused ones stay at 0.

use nalgebra::{DMatrix, DVector};

use crate::quadratic::minimise;

/// Rounds that alternate between weights and the estimates of noise and steps.
const ROUNDS: usize = 4;
/// The most passes over all frames per round.
const PASSES: usize = 40;
/// Passes end where no weight moves by more.
const CONVERGED: f64 = 1e-6;
/// Floor of the estimated step of a weight.
const LEAST_STEP: f64 = 2e-3;
/// Floor of the estimated mean of a weight.
const LEAST_MEAN: f64 = 5e-3;
/// Added to the diagonal, relative to its mean, so that equivalent shapes share the weight.
const RIDGE: f64 = 1e-10;

/// A neutral face and the displacements of its shapes, at all vertices or at some \[m\].
#[derive(Clone, Debug, Default)]
pub struct FaceBasis {
    /// Positions of the points in the neutral face.
    pub neutral: Vec<[f64; 3]>,
    /// By shape: the displacement of each point at weight 1.
    pub shapes: Vec<Vec<[f64; 3]>>,
}

/// Why weights cannot be found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The face has no shapes.
    #[error("the face has no shapes")]
    NoShapes,
    /// No point is moved by a shape.
    #[error("no shape moves any of the {points} points")]
    Unmoved {
        /// How many points there are.
        points: usize,
    },
    /// A frame has another number of points.
    #[error("frame {frame} has {found} points, the face has {expected}")]
    Points {
        /// From 0.
        frame: usize,
        /// In the frame.
        found: usize,
        /// Of the face.
        expected: usize,
    },
    /// Frames with different gaps take too much memory.
    #[error(
        "{frames} frames have gaps, and each takes {shapes} × {shapes} numbers: fewer frames or shapes are needed"
    )]
    TooMany {
        /// With gaps.
        frames: usize,
        /// Of the face.
        shapes: usize,
    },
    /// A frame has no point.
    #[error("frame {frame} has no points")]
    Empty {
        /// From 0.
        frame: usize,
    },
}

/// Weights over time, and how well they fit.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    /// `frames × shapes`.
    pub weights: Vec<Vec<f64>>,
    /// By frame: the root mean square distance of points \[m\].
    pub residual: Vec<f64>,
    /// Shapes that move no point: their weights are 0.
    pub unseen: Vec<usize>,
}

/// The normal equations of a frame.
struct Frame {
    /// Dᵀ D of its points; `None`: of all points.
    own: Option<DMatrix<f64>>,
    /// Dᵀ (V − V₀).
    linear: DVector<f64>,
    /// ‖V − V₀‖².
    square: f64,
    /// Number of coordinates of visible points.
    count: usize,
}

/// Finds the weights of a face in frames of points; a point that is not finite is a gap.
///
/// ```
/// use mocap_face::{FaceBasis, solve};
///
/// let basis = FaceBasis { neutral: vec![[0.0; 3]; 2], shapes: vec![vec![[0.01, 0.0, 0.0], [0.0; 3]]] };
/// let frames = [[[0.005, 0.0, 0.0], [0.0; 3]], [[0.01, 0.0, 0.0], [0.0; 3]]];
/// let solved = solve(&basis, frames.iter().map(|frame| frame.as_slice()))?;
/// assert!((solved.weights[0][0] - 0.5).abs() < 1e-4);
/// # Ok::<(), mocap_face::SolveError>(())
/// ```
///
/// # Errors
/// Where the face has no shapes, no shape moves a point, a frame has another number of points or
/// only gaps, or too many frames have gaps.
pub fn solve<'f>(
    basis: &FaceBasis,
    frames: impl Iterator<Item = &'f [[f64; 3]]>,
) -> Result<Solved, SolveError> {
    let shapes = basis.shapes.len();
    if shapes == 0 {
        return Err(SolveError::NoShapes);
    }
    let all = gram(basis, |_| true);
    let scale = all.diagonal().amax();
    if scale <= 0.0 {
        return Err(SolveError::Unmoved { points: basis.neutral.len() });
    }
    let unseen: Vec<usize> = (0..shapes).filter(|at| all[(*at, *at)] <= scale * 1e-8).collect();
    let frames = read_frames(basis, frames)?;
    let ridge = RIDGE * all.trace() / shapes as f64;
    let mut weights = vec![DVector::zeros(shapes); frames.len()];
    let (mut smooth, mut sparse) = (vec![0.0; shapes], vec![0.0; shapes]);
    for turn in 0..ROUNDS {
        relax(&frames, &all, ridge, (&smooth, &sparse), &mut weights);
        if turn + 1 < ROUNDS {
            (smooth, sparse) = priors(&frames, &all, &weights);
        }
    }
    for weights in &mut weights {
        unseen.iter().for_each(|at| weights[*at] = 0.0);
    }
    let residual = frames.iter().zip(&weights);
    let residual = residual
        .map(|(frame, weights)| (3.0 * misfit(frame, &all, weights) / frame.count as f64).sqrt())
        .collect();
    let weights = weights.iter().map(|weights| weights.iter().copied().collect()).collect();
    Ok(Solved { weights, residual, unseen })
}

/// The most numbers for Dᵀ D of frames with gaps: 1 GB.
const MOST_NUMBERS: usize = 1 << 27;

/// Builds the normal equations of the frames.
fn read_frames<'f>(
    basis: &FaceBasis,
    frames: impl Iterator<Item = &'f [[f64; 3]]>,
) -> Result<Vec<Frame>, SolveError> {
    let shapes = basis.shapes.len();
    let mut with_gaps = 0;
    let mut all = Vec::new();
    for (at, points) in frames.enumerate() {
        let read = frame(basis, at, points)?;
        with_gaps += usize::from(read.own.is_some());
        if with_gaps.saturating_mul(shapes * shapes) > MOST_NUMBERS {
            return Err(SolveError::TooMany { frames: with_gaps, shapes });
        }
        all.push(read);
    }
    Ok(all)
}

/// Dᵀ D over the visible points.
fn gram(basis: &FaceBasis, there: impl Fn(usize) -> bool) -> DMatrix<f64> {
    let shapes = basis.shapes.len();
    let mut matrix = DMatrix::zeros(shapes, shapes);
    for row in 0..shapes {
        for column in row..shapes {
            let pairs = basis.shapes[row].iter().zip(&basis.shapes[column]).enumerate();
            let sum: f64 = pairs
                .filter(|(at, _)| there(*at))
                .map(|(_, (a, b))| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>())
                .sum();
            matrix[(row, column)] = sum;
            matrix[(column, row)] = sum;
        }
    }
    matrix
}

fn frame(basis: &FaceBasis, at: usize, points: &[[f64; 3]]) -> Result<Frame, SolveError> {
    if points.len() != basis.neutral.len() {
        return Err(SolveError::Points { frame: at, found: points.len(), expected: basis.neutral.len() });
    }
    let there = |point: usize| points[point].iter().all(|value| value.is_finite());
    let count = (0..points.len()).filter(|point| there(*point)).count();
    if count == 0 {
        return Err(SolveError::Empty { frame: at });
    }
    let moved = |point: usize| -> [f64; 3] {
        match there(point) {
            true => std::array::from_fn(|axis| points[point][axis] - basis.neutral[point][axis]),
            false => [0.0; 3],
        }
    };
    let moves: Vec<[f64; 3]> = (0..points.len()).map(moved).collect();
    let along = |shape: &Vec<[f64; 3]>| -> f64 {
        shape.iter().zip(&moves).map(|(d, m)| d.iter().zip(m).map(|(d, m)| d * m).sum::<f64>()).sum()
    };
    let linear = DVector::from_iterator(basis.shapes.len(), basis.shapes.iter().map(along));
    let square = moves.iter().flatten().map(|value| value * value).sum();
    let own = (count < points.len()).then(|| gram(basis, there));
    Ok(Frame { own, linear, square, count: 3 * count })
}

/// ‖V₀ + D w − V‖².
fn misfit(frame: &Frame, all: &DMatrix<f64>, weights: &DVector<f64>) -> f64 {
    let matrix = frame.own.as_ref().unwrap_or(all);
    (frame.square - 2.0 * frame.linear.dot(weights) + weights.dot(&(matrix * weights))).max(0.0)
}

/// Block coordinate descent: minimises over the weights frame by frame, forwards and backwards.
fn relax(
    frames: &[Frame],
    all: &DMatrix<f64>,
    ridge: f64,
    (smooth, sparse): (&[f64], &[f64]),
    weights: &mut [DVector<f64>],
) {
    for pass in 0..PASSES {
        let mut most: f64 = 0.0;
        for step in 0..frames.len() {
            let at = if pass % 2 == 0 { step } else { frames.len() - 1 - step };
            let mut matrix = frames[at].own.as_ref().unwrap_or(all).clone();
            let mut linear = frames[at].linear.clone();
            let neighbours = [at.checked_sub(1), (at + 1 < frames.len()).then_some(at + 1)];
            for shape in 0..linear.len() {
                matrix[(shape, shape)] += ridge;
                linear[shape] -= 0.5 * sparse[shape];
                for other in neighbours.into_iter().flatten() {
                    matrix[(shape, shape)] += smooth[shape];
                    linear[shape] += smooth[shape] * weights[other][shape];
                }
            }
            let before = weights[at].clone();
            minimise(&matrix, &linear, &mut weights[at]);
            most = most.max((&weights[at] - before).amax());
        }
        if most < CONVERGED {
            return;
        }
    }
}

/// λ and μ of each weight, from the residual noise and the current weights.
fn priors(frames: &[Frame], all: &DMatrix<f64>, weights: &[DVector<f64>]) -> (Vec<f64>, Vec<f64>) {
    let shapes = all.nrows();
    let left: f64 = frames.iter().zip(weights).map(|(frame, weights)| misfit(frame, all, weights)).sum();
    let free: f64 = frames.iter().map(|frame| frame.count as f64 - shapes as f64).sum();
    let count: f64 = frames.iter().map(|frame| frame.count as f64).sum();
    // With fewer points than shapes the residual does not show the noise: a tenth of the number of coordinates bounds
    // the degrees of freedom from below.
    let noise = left / free.max(count / 10.0);
    let of_shape = |shape: usize| {
        let steps = weights.windows(2).map(|pair| (pair[1][shape] - pair[0][shape]).powi(2)).sum::<f64>();
        let step = (steps / weights.len().max(2) as f64).max(LEAST_STEP * LEAST_STEP);
        let mean = weights.iter().map(|weights| weights[shape]).sum::<f64>() / weights.len().max(1) as f64;
        (noise / step, 2.0 * noise / mean.max(LEAST_MEAN))
    };
    (0..shapes).map(of_shape).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    }

    type Weights = Vec<Vec<f64>>;
    type Frames = Vec<Vec<[f64; 3]>>;

    /// A face of points with shapes that overlap, weights over time, and the points that they give.
    fn made(points: usize, shapes: usize, noise: f64) -> (FaceBasis, Weights, Frames) {
        let mut seed = 3;
        let neutral = (0..points).map(|_| std::array::from_fn(|_| random(&mut seed) * 0.1)).collect();
        let shape =
            |seed: &mut u64| (0..points).map(|_| std::array::from_fn(|_| random(seed) * 0.005)).collect();
        let basis = FaceBasis { neutral, shapes: (0..shapes).map(|_| shape(&mut seed)).collect() };
        let weight = |frame: usize, at: usize| {
            if at % 3 == 2 {
                0.0
            } else {
                (0.5 + 0.7 * (frame as f64 * 0.1 + at as f64).sin()).clamp(0.0, 1.0)
            }
        };
        let weights: Vec<Vec<f64>> =
            (0..60).map(|frame| (0..shapes).map(|at| weight(frame, at)).collect()).collect();
        let place = |weights: &Vec<f64>, point: usize, seed: &mut u64| -> [f64; 3] {
            std::array::from_fn(|axis| {
                let moved =
                    basis.shapes.iter().zip(weights).map(|(shape, weight)| weight * shape[point][axis]);
                basis.neutral[point][axis] + moved.sum::<f64>() + random(seed) * noise
            })
        };
        let frames =
            weights.iter().map(|of| (0..points).map(|point| place(of, point, &mut seed)).collect()).collect();
        (basis, weights, frames)
    }

    fn off(found: &Solved, truth: &[Vec<f64>]) -> (f64, f64) {
        let errors: Vec<f64> = found
            .weights
            .iter()
            .flatten()
            .zip(truth.iter().flatten())
            .map(|(found, truth)| (found - truth).abs())
            .collect();
        (errors.iter().sum::<f64>() / errors.len() as f64, errors.iter().copied().fold(0.0, f64::max))
    }

    #[test]
    fn exact_points_give_exact_weights() {
        let (basis, truth, frames) = made(40, 12, 0.0);
        let found = solve(&basis, frames.iter().map(Vec::as_slice)).unwrap();
        let (mean, most) = off(&found, &truth);
        assert!(mean < 1e-6 && most < 1e-5, "{mean} {most}");
        assert!(found.residual.iter().all(|residual| *residual < 1e-7));
    }

    #[test]
    fn noise_and_gaps_cost_little_and_weights_that_are_zero_stay_small() {
        let (basis, truth, mut frames) = made(12, 12, 2e-4);
        for (frame, points) in frames.iter_mut().enumerate() {
            points[frame % 12] = [f64::NAN; 3];
        }
        let found = solve(&basis, frames.iter().map(Vec::as_slice)).unwrap();
        let (mean, most) = off(&found, &truth);
        assert!(mean < 0.01 && most < 0.08, "{mean} {most}");
        let zeros = found.weights.iter().flat_map(|weights| weights.iter().skip(2).step_by(3));
        assert!(zeros.copied().fold(0.0, f64::max) < 0.05);
    }

    #[test]
    fn what_cannot_be_solved_is_said() {
        let (basis, _, frames) = made(4, 2, 0.0);
        let one = |points: &[[f64; 3]]| solve(&basis, [points].into_iter()).unwrap_err();
        assert_eq!(one(&frames[0][..3]), SolveError::Points { frame: 0, found: 3, expected: 4 });
        assert_eq!(one(&[[f64::NAN; 3]; 4]), SolveError::Empty { frame: 0 });
        let none = FaceBasis { shapes: Vec::new(), ..basis.clone() };
        assert_eq!(solve(&none, std::iter::empty()).unwrap_err(), SolveError::NoShapes);
        let still = FaceBasis { shapes: vec![vec![[0.0; 3]; 4]], ..basis };
        assert_eq!(solve(&still, std::iter::empty()).unwrap_err(), SolveError::Unmoved { points: 4 });
    }
}
