//! A pose prior: a mixture of Gaussians over the rotations of joints, as a cost for solvers.
//!
//! A pose is a vector `z` of rotation vectors `log(mᵢ⁻¹ qᵢ)` about the mean `mᵢ` of each joint below the hips.
//! Components share one covariance, that of the examples about their nearest component. `−log p(z)` is smooth: between
//! components it is weighted by their responsibilities. Position and rotation of the hips have no cost.
//!
//! Based on: K. Grochow, S. Martin, A. Hertzmann, Z. Popović, "Style-based inverse kinematics", 2004 (the likelihood of a
//! pose as a term beside its goals; here a mixture of Gaussians, which is cheaper and follows examples more closely);
//! C. Bishop, "Pattern Recognition and Machine Learning", 2006, section 9.2.

use crate::examples::Examples;
use crate::learn::mean_rotation;
use crate::regression::evenly_spaced;
use crate::{Quat, Vec3};
use mocap_ik::PoseCost;
use mocap_model::{JointId, log};
use nalgebra::{DMatrix, DVector, Matrix3};

/// Components of the mixture.
const COMPONENTS: usize = 48;
/// Rounds of k-means for the components.
const ROUNDS: usize = 12;
/// Least standard deviation of rotations \[rad\]: 3°.
const LEAST: f64 = 0.05;

/// The probability density of poses of a skeleton, from examples.
#[derive(Clone, Debug)]
pub struct PoseDensity {
    /// The joints of the pose vector.
    joints: Vec<JointId>,
    mean: Vec<Quat>,
    /// The inverse of the Cholesky factor of the covariance: `|W (z − c)|²` is the squared Mahalanobis distance.
    whitening: DMatrix<f64>,
    precision: DMatrix<f64>,
    /// Whitened centres, one per column.
    centres: DMatrix<f64>,
    weights: Vec<f64>,
}

impl PoseDensity {
    /// The density of example poses.
    pub fn of(examples: &Examples) -> PoseDensity {
        let body = &examples.body;
        let joints: Vec<JointId> = body.joints.iter().copied().filter(|id| *id != body.hips).collect();
        let local =
            |at: &[crate::Placed]| joints.iter().map(|joint| body.local(at, *joint)).collect::<Vec<Quat>>();
        let poses: Vec<Vec<Quat>> = examples.all().map(local).collect();
        PoseDensity::fit(joints, &poses)
    }

    fn fit(joints: Vec<JointId>, poses: &[Vec<Quat>]) -> PoseDensity {
        let mean: Vec<Quat> =
            (0..joints.len()).map(|j| mean_rotation(poses.iter().map(|pose| &pose[j]))).collect();
        let size = 3 * joints.len();
        let vectors: Vec<DVector<f64>> = poses.iter().map(|pose| vector(&mean, pose)).collect();
        let mut centres: Vec<DVector<f64>> =
            evenly_spaced(vectors.len(), COMPONENTS).map(|at| vectors[at].clone()).collect();
        let mut nearest = vec![0; vectors.len()];
        let mut counts = vec![0usize; centres.len()];
        for _ in 0..ROUNDS {
            for (own, z) in nearest.iter_mut().zip(&vectors) {
                let off = |k: &usize| (&centres[*k] - z).norm_squared();
                *own = (0..centres.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
            }
            let mut sums = vec![DVector::zeros(size); centres.len()];
            counts.fill(0);
            for (own, z) in nearest.iter().zip(&vectors) {
                sums[*own] += z;
                counts[*own] += 1;
            }
            for ((centre, sum), count) in centres.iter_mut().zip(sums).zip(&counts) {
                if *count > 0 {
                    *centre = sum / *count as f64;
                }
            }
        }
        let mut covariance = DMatrix::identity(size, size) * (LEAST * LEAST);
        for (own, z) in nearest.iter().zip(&vectors) {
            let off = z - &centres[*own];
            covariance += &off * off.transpose() / vectors.len().max(1) as f64;
        }
        let precision = covariance.clone().cholesky().map(|factor| factor.inverse());
        let whitening = covariance.cholesky().and_then(|factor| factor.l().try_inverse());
        // A covariance with a minimum deviation on its diagonal is positive definite, so both exist.
        let unit = || DMatrix::identity(size, size);
        let (precision, whitening) = (precision.unwrap_or_else(unit), whitening.unwrap_or_else(unit));
        let kept: Vec<usize> = (0..centres.len()).filter(|k| counts[*k] > 0).collect();
        let columns: Vec<DVector<f64>> = kept.iter().map(|k| &whitening * &centres[*k]).collect();
        let weight = |k: &usize| (counts[*k] as f64 / vectors.len() as f64).ln();
        let weights = kept.iter().map(weight).collect();
        let centres = DMatrix::from_columns(&columns);
        PoseDensity { joints, mean, whitening, precision, centres, weights }
    }

    /// The cost for a chain with these joints; joints that the examples lack cost nothing.
    pub fn on_chain(&self, joints: &[JointId]) -> ChainDensity<'_> {
        let place = |joint: &JointId| joints.iter().position(|other| other == joint);
        ChainDensity { density: self, places: self.joints.iter().map(place).collect() }
    }

    /// `−log p`, and the responsibility of each component.
    fn likelihood(&self, whitened: &DVector<f64>) -> (f64, Vec<f64>) {
        let log_of = |(centre, weight): (nalgebra::DVectorView<'_, f64>, &f64)| {
            weight - 0.5 * (whitened - centre).norm_squared()
        };
        let mut shares: Vec<f64> = self.centres.column_iter().zip(&self.weights).map(log_of).collect();
        let most = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        shares.iter_mut().for_each(|share| *share = (*share - most).exp());
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        (-(most + sum.ln()), shares)
    }
}

fn vector(mean: &[Quat], pose: &[Quat]) -> DVector<f64> {
    let parts = mean.iter().zip(pose).map(|(mean, own)| log(&(mean.inverse() * own)));
    DVector::from_iterator(3 * mean.len(), parts.flat_map(|part| [part.x, part.y, part.z]))
}

/// The density of poses, by the joints of a chain.
#[derive(Clone, Debug)]
pub struct ChainDensity<'a> {
    density: &'a PoseDensity,
    /// The joint of the chain, by joint of the density.
    places: Vec<Option<usize>>,
}

impl ChainDensity<'_> {
    fn whitened(&self, rotations: &[Quat]) -> (DVector<f64>, DVector<f64>) {
        // Joints outside the chain get their mean rotation.
        let own = self.places.iter().zip(&self.density.mean);
        let own: Vec<Quat> = own.map(|(place, mean)| place.map_or(*mean, |place| rotations[place])).collect();
        let z = vector(&self.density.mean, &own);
        (&self.density.whitening * &z, z)
    }
}

impl PoseCost for ChainDensity<'_> {
    fn cost(&self, rotations: &[Quat]) -> f64 {
        self.density.likelihood(&self.whitened(rotations).0).0
    }

    fn derivatives(&self, rotations: &[Quat], gradient: &mut [f64], second: &mut [f64]) -> f64 {
        let density = self.density;
        let (whitened, z) = self.whitened(rotations);
        let (cost, shares) = density.likelihood(&whitened);
        let expected = &density.centres * DVector::from_vec(shares);
        let slope = density.whitening.transpose() * (whitened - expected);
        // The change of the pose vector with a rotation of the joint in the frame of its parent.
        let turned = |j: usize| {
            let part = Vec3::new(z[3 * j], z[3 * j + 1], z[3 * j + 2]);
            inverse_jacobian(&part) * density.mean[j].inverse().to_rotation_matrix().into_inner()
        };
        let by_turn: Vec<Matrix3<f64>> = (0..self.places.len()).map(turned).collect();
        let count = gradient.len();
        gradient.fill(0.0);
        second.fill(0.0);
        for (i, own) in self.places.iter().enumerate() {
            let Some(own) = *own else { continue };
            let part = by_turn[i].transpose() * slope.fixed_rows::<3>(3 * i);
            gradient[3 * own..3 * own + 3].copy_from_slice(part.as_slice());
            for (j, other) in self.places.iter().enumerate() {
                let Some(other) = *other else { continue };
                let block =
                    by_turn[i].transpose() * density.precision.fixed_view::<3, 3>(3 * i, 3 * j) * by_turn[j];
                for (row, column) in (0..9).map(|at| (at / 3, at % 3)) {
                    second[(3 * own + row) * count + 3 * other + column] = block[(row, column)];
                }
            }
        }
        cost
    }
}

/// The Jacobian `J` of a rotation vector for a small rotation `a` applied after it: `log(exp(a) exp(z)) = z + J a`.
///
/// Based on: T. Barfoot, "State Estimation for Robotics", 2017, section 7.1.
fn inverse_jacobian(z: &Vec3) -> Matrix3<f64> {
    let angle = z.norm();
    let square = if angle < 1e-4 {
        1.0 / 12.0 + angle * angle / 720.0
    } else {
        1.0 / (angle * angle) - (1.0 + angle.cos()) / (2.0 * angle * angle.sin())
    };
    let cross = z.cross_matrix();
    Matrix3::identity() - cross * 0.5 + cross * cross * square
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_ik::{Constraint, Goal, IkChain, Informed, Link, Objective, SolveOptions, Solver};
    use mocap_model::{Isometry3, exp};

    /// Poses of an arm of three joints that bend together, with two modes.
    fn density() -> PoseDensity {
        let pose = |i: usize| {
            let t = i as f64 / 200.0;
            let side = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            let small = |seed: usize| (((i * 7919 + seed * 104_729) % 1000) as f64 / 1000.0 - 0.5) * 0.1;
            (0..3)
                .map(|j| {
                    let bend = Vec3::new(0.2 + small(j), side * (0.3 + t), 0.5 * t + small(j + 3));
                    exp(&(bend * (1.0 + 0.2 * j as f64)))
                })
                .collect()
        };
        let poses: Vec<Vec<Quat>> = (0..200).map(pose).collect();
        PoseDensity::fit((0..3).map(JointId).collect(), &poses)
    }

    fn rotations(seed: f64) -> Vec<Quat> {
        (0..4).map(|j| exp(&Vec3::new(0.3 + seed, 0.4 * f64::from(j) - seed, 0.2))).collect()
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let density = density();
        // A chain with a joint that the examples do not have, and another order.
        let cost = density.on_chain(&[JointId(9), JointId(2), JointId(0), JointId(1)]);
        for seed in [-0.8, -0.1, 0.3, 0.9] {
            let pose = rotations(seed);
            let (mut gradient, mut second) = (vec![0.0; 12], vec![0.0; 144]);
            let value = cost.derivatives(&pose, &mut gradient, &mut second);
            assert_eq!(value, cost.cost(&pose));
            for k in 0..12 {
                let moved = |step: f64| {
                    let mut other = pose.clone();
                    let turn = Vec3::ith(k % 3, step);
                    other[k / 3] = exp(&turn) * other[k / 3];
                    cost.cost(&other)
                };
                let step = 1e-5;
                let found = (moved(step) - moved(-step)) / (2.0 * step);
                let scale = 1.0 + gradient[k].abs();
                assert!((found - gradient[k]).abs() < 1e-5 * scale, "{seed} {k}: {found} {}", gradient[k]);
                assert!((second[k * 12 + k]) >= 0.0);
            }
            assert_eq!(gradient[..3], [0.0; 3]);
        }
    }

    #[test]
    fn the_prior_decides_what_goals_leave_open_and_goals_are_met() {
        let density = density();
        let joints: Vec<JointId> = (0..3).map(JointId).collect();
        let cost = density.on_chain(&joints);
        let chain = || {
            let link = |y: f64| Link {
                offset: Vec3::new(0.0, y, 0.0),
                rotation: exp(&Vec3::new(0.1, 0.05, 0.0)),
                constraint: Constraint::free(),
            };
            let links = vec![link(0.0), link(0.3), link(0.3)];
            IkChain::serial(Isometry3::identity(), links, Vec3::new(0.0, 0.2, 0.0)).unwrap()
        };
        let mut likely = chain();
        likely.set_rotations(
            &(0..3).map(|j| exp(&Vec3::new(0.2, 0.5 + 0.1 * f64::from(j), 0.2))).collect::<Vec<_>>(),
        );
        let goal = Goal::at(likely.tip_position(0));
        let options = SolveOptions::default();
        let mut plain = chain();
        Objective::default().solve(&mut plain, &[goal], &options).unwrap();
        let mut informed = chain();
        let solver = Informed { objective: Objective::default(), cost: &cost, weight: 1e-4, meet: true };
        let outcome = solver.solve(&mut informed, &[goal], &options).unwrap();
        assert!(outcome.position < 1e-3, "{outcome:?}");
        let [plain, informed] = [plain, informed].map(|chain| cost.cost(chain.rotations()));
        assert!(informed < plain - 1.0, "{informed} {plain}");
    }
}
