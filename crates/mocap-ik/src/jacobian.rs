//! The Jacobian family: joint turns from a linear model of how the effectors move.
//!
//! Column of a degree of freedom with axis `a` through `r`: `a × (e − r)` for the position `e` of an
//! effector, `a` for its orientation; a ball joint is three hinges. Lengths count as shares of the chain's
//! length.
//!
//! - transpose: `α Jᵀ e` with the α that serves the linear model best;
//! - pseudo-inverse: `Jᵀ (J Jᵀ)⁻¹ e`, which at full column rank is `(Jᵀ J)⁻¹ Jᵀ e`: both are the limit of the
//!   damped form for a damping of 0, which is how it is computed here (1e-12 of the trace);
//! - damped least squares: `Jᵀ (J Jᵀ + λ I)⁻¹ e`, with half the squared error added to λ: short
//!   steps far from the goal, quadratic convergence near it;
//! - weighted: `(Jᵀ J + λ W)⁻¹ Jᵀ e`, where W is larger for stiffer joints.
//!
//! Goals of a later priority, and the posture, act in the null space of the ones before. The posture adds
//! `(J⁺ J − I) z` with `z = 2 α (θ − θ_c)`, the gradient of its cost. Angles at the end of their range are
//! held, and the others solved again.
//!
//! Based on: S. R. Buss, "Introduction to Inverse Kinematics with Jacobian Transpose, Pseudoinverse and
//! Damped Least Squares methods", 2009; T. Sugihara, "Solvability-Unconcerned Inverse Kinematics by the
//! Levenberg-Marquardt Method", IEEE Transactions on Robotics, 2011; P. Baerlocher, R. Boulic, "An inverse
//! kinematics architecture enforcing an arbitrary number of strict priority levels", The Visual Computer,
//! 2004.

use crate::{
    Goal, IkChain, IkError, Quat, SolveOptions, SolveOutcome, Solver, dofs, iteration, linear, unconstrained,
};
use mocap_model::log;

/// How the linear model is inverted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JacobianInverse {
    /// The gradient, at the best length: cheap and slow to converge.
    Transpose,
    /// The least turns that meet the linear model exactly; large where the chain is nearly straight.
    PseudoInverse,
    /// Least squares with this damping, as a share of the squared length of the chain.
    Damped(f64),
    /// The same, with stiff joints turning less.
    Weighted(f64),
}

/// A preferred pose, for the freedom that the goals leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Posture {
    /// The local rotations preferred, by joint.
    pub rotations: Vec<Quat>,
    /// The gain of each joint: 0 ignores the posture, 0.5 reaches it in one iteration.
    pub gains: Vec<f64>,
}

/// Solver on the Jacobian, for one effector or several, with priorities and a posture.
///
/// ```
/// use mocap_ik::{Constraint, Goal, IkChain, Link, SolveOptions, SolveStatus, Solver, Jacobian};
/// use mocap_model::{Isometry3, Vector3, exp};
///
/// let link = |y: f64| Link {
///     offset: Vector3::new(0.0, y, 0.0),
///     rotation: exp(&Vector3::new(0.2, 0.0, 0.0)),
///     constraint: Constraint::free(),
/// };
/// let links = vec![link(0.0), link(-0.45), link(-0.42)];
/// let mut chain = IkChain::serial(Isometry3::identity(), links, Vector3::new(0.0, -0.1, 0.0))?;
/// let goal = Goal::at(Vector3::new(0.1, -0.6, 0.2));
/// let outcome = Jacobian::default().solve(&mut chain, &[goal], &SolveOptions::default())?;
/// assert_eq!(outcome.status, SolveStatus::Reached);
/// # Ok::<(), mocap_ik::IkError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// How the linear model is inverted.
    pub inverse: JacobianInverse,
    /// The pose preferred in the null space of the goals; default none.
    pub posture: Option<Posture>,
}

impl Default for Jacobian {
    /// Damped least squares with λ = 1e-6.
    fn default() -> Jacobian {
        Jacobian { inverse: JacobianInverse::Damped(1e-6), posture: None }
    }
}

/// The greatest turn of one degree of freedom in an iteration \[rad\]: the linear model is not valid beyond.
const MAX_TURN: f64 = 1.0;
/// The damping of an undamped solve, as a share of the trace.
const UNDAMPED: f64 = 1e-12;
/// Greatest number of rounds per iteration that hold degrees of freedom at their limits.
const ROUNDS: usize = 4;
/// Number of slow steps after which an unconstrained chain is solved by the general iteration.
const UNCONSTRAINED_STALLS: u32 = 12;
/// A posture step whose turns are all below this \[rad\] has converged.
const POSTURE_REACHED: f64 = 1e-7;

impl Solver for Jacobian {
    fn solve(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        options: &SolveOptions,
    ) -> Result<SolveOutcome, IkError> {
        if let Some(posture) = &self.posture {
            let found = posture.rotations.len().min(posture.gains.len());
            if found < chain.len() {
                return Err(IkError::PostureLength { found, expected: chain.len() });
            }
        }
        chain.begin(goals, options)?;
        if let (JacobianInverse::Damped(lambda), None) = (self.inverse, &self.posture)
            && unconstrained::applies(chain, goals, options)
        {
            let step = |chain: &mut IkChain, _| unconstrained::damped_step(chain, &goals[0], lambda);
            if let Some(outcome) = unconstrained::solve(chain, &goals[0], options, UNCONSTRAINED_STALLS, step)
            {
                return Ok(outcome);
            }
        }
        let length = longest(chain, goals);
        let mut numbers = std::mem::take(&mut chain.scratch.numbers);
        let mut caution = 1.0;
        let mut iterations = iteration::solve(chain, goals, options, |chain| {
            let before = iteration::distance(chain, goals, length);
            let mut pose = std::mem::take(&mut chain.scratch.pose);
            pose.copy_from_slice(&chain.local);
            self.step(chain, goals, length, caution, options, &mut numbers);
            // The linear model overshoots if goals cannot be met: such a step is undone.
            if iteration::distance(chain, goals, length) > before {
                chain.local.copy_from_slice(&pose);
                chain.update();
                caution *= 4.0;
            } else {
                caution = (caution * 0.5f64).max(1.0);
            }
            chain.scratch.pose = pose;
        });
        if self.posture.is_some() && chain.reached(goals, options) {
            while iterations < options.iterations {
                iterations += 1;
                let turn = self.step(chain, goals, length, 1.0, options, &mut numbers);
                if turn < POSTURE_REACHED && chain.reached(goals, options) {
                    break;
                }
            }
        }
        chain.scratch.numbers = numbers;
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// The length of the longest path to an effector; 1 if all are 0.
pub(crate) fn longest(chain: &IkChain, goals: &[Goal]) -> f64 {
    let length = (0..goals.len()).map(|e| chain.length(e)).fold(0.0, f64::max);
    if length > 0.0 { length } else { 1.0 }
}

/// Matrices and vectors, views of one buffer.
struct Work<'a> {
    /// The Jacobian of one priority, and the same in the null space of the ones before (m × n).
    j: &'a mut [f64],
    jn: &'a mut [f64],
    /// `J Jᵀ` and its factor (m × m).
    gram: &'a mut [f64],
    error: &'a mut [f64],
    y: &'a mut [f64],
    delta: &'a mut [f64],
    /// Turns that hold a degree of freedom at a limit; NaN if it is not held.
    held: &'a mut [f64],
    z: &'a mut [f64],
    /// The share of each degree of freedom, the root of its inverse weight.
    share: &'a mut [f64],
    /// The projection into the null space (n × n).
    null: &'a mut [f64],
}

impl Work<'_> {
    fn split(numbers: &mut [f64], effectors: usize, n: usize) -> Work<'_> {
        let m = 9 * effectors;
        let (j, rest) = numbers.split_at_mut(m * n);
        let (jn, rest) = rest.split_at_mut(m * n);
        let (gram, rest) = rest.split_at_mut(m * m);
        let (error, rest) = rest.split_at_mut(m);
        let (y, rest) = rest.split_at_mut(m);
        let (delta, rest) = rest.split_at_mut(n);
        let (held, rest) = rest.split_at_mut(n);
        let (z, rest) = rest.split_at_mut(n);
        let (share, rest) = rest.split_at_mut(n);
        Work { j, jn, gram, error, y, delta, held, z, share, null: &mut rest[..n * n] }
    }
}

impl Jacobian {
    /// One iteration; returns the greatest turn of a degree of freedom. `caution`, from 1, multiplies the
    /// damping by the error: greater values give shorter steps.
    fn step(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        length: f64,
        caution: f64,
        options: &SolveOptions,
        numbers: &mut [f64],
    ) -> f64 {
        dofs::collect(chain, options.limits);
        let n = chain.scratch.dofs.len();
        let mut work = Work::split(numbers, goals.len(), n);
        for (share, dof) in work.share.iter_mut().zip(&chain.scratch.dofs) {
            let free = 1.0 - chain.constraint[dof.joint as usize].stiffness;
            *share = if matches!(self.inverse, JacobianInverse::Weighted(_)) { free.sqrt() } else { 1.0 };
        }
        work.held.fill(f64::NAN);
        for _ in 0..ROUNDS {
            self.turns(chain, goals, length, caution, options, &mut work);
            if !hold_at_limits(chain, &mut work) {
                break;
            }
        }
        let mut greatest = 0.0f64;
        for (delta, dof) in work.delta.iter_mut().zip(&chain.scratch.dofs) {
            let share = match self.inverse {
                JacobianInverse::Weighted(_) => options.damping,
                _ => options.damping * (1.0 - chain.constraint[dof.joint as usize].stiffness),
            };
            *delta *= share;
            greatest = greatest.max(delta.abs());
        }
        let allowed = MAX_TURN.min(options.max_turn);
        if greatest > allowed {
            work.delta.iter_mut().for_each(|delta| *delta *= allowed / greatest);
        }
        dofs::apply(chain, options.limits, work.delta);
        greatest
    }

    /// Solves the linear model for the turns, with some degrees of freedom held.
    fn turns(
        &self,
        chain: &IkChain,
        goals: &[Goal],
        length: f64,
        caution: f64,
        options: &SolveOptions,
        work: &mut Work<'_>,
    ) {
        let n = chain.scratch.dofs.len();
        for i in 0..n {
            work.delta[i] = if work.held[i].is_nan() { 0.0 } else { work.held[i] };
        }
        let last = goals.iter().map(|goal| goal.priority).max().unwrap_or(0);
        let first = goals.iter().map(|goal| goal.priority).min().unwrap_or(0);
        let needs_null = first != last || self.posture.is_some();
        if needs_null {
            identity(work.null, n);
        }
        for priority in first..=last {
            let m = rows(chain, goals, priority, length, work.j, work.error);
            if m == 0 {
                continue;
            }
            for i in 0..m {
                for k in 0..n {
                    // Held degrees of freedom still move the effectors.
                    work.error[i] -= work.j[i * n + k] * work.delta[k];
                    let free = if work.held[k].is_nan() { work.share[k] } else { 0.0 };
                    work.jn[i * n + k] = work.j[i * n + k] * free;
                }
            }
            if priority > first {
                project_rows(work.jn, work.null, work.j, m, n);
            }
            self.invert(work, m, n, caution);
            for k in 0..n {
                let turn: f64 = (0..m).map(|i| work.jn[i * n + k] * work.y[i]).sum();
                work.delta[k] += work.share[k] * turn;
            }
            if needs_null {
                remove_from_null(work, m, n);
            }
        }
        if let Some(posture) = &self.posture {
            dofs::distance(chain, options.limits, &posture.rotations, work.z);
            for k in 0..n {
                work.z[k] *= 2.0 * posture.gains[chain.scratch.dofs[k].joint as usize] * work.share[k];
                if !work.held[k].is_nan() {
                    work.z[k] = 0.0;
                }
            }
            add_null_space(work.null, work.z, work.share, work.held, work.delta);
        }
    }

    /// `y` such that `jnᵀ · y` are the turns for `error`.
    fn invert(&self, work: &mut Work<'_>, m: usize, n: usize, caution: f64) {
        linear::times_transpose(work.jn, m, n, work.gram);
        work.y[..m].copy_from_slice(&work.error[..m]);
        let square: f64 = work.error[..m].iter().map(|e| e * e).sum();
        let trace: f64 = (0..m).map(|i| work.gram[i * m + i]).sum();
        let damping = match self.inverse {
            JacobianInverse::Transpose => {
                // α = e · (J Jᵀ e) / |J Jᵀ e|²
                let (mut along, mut norm) = (0.0, 0.0);
                for i in 0..m {
                    let row = |k: usize| if k <= i { work.gram[i * m + k] } else { work.gram[k * m + i] };
                    let value: f64 = (0..m).map(|k| row(k) * work.error[k]).sum();
                    along += value * work.error[i];
                    norm += value * value;
                }
                let best = if norm > 0.0 { along / norm / caution } else { 0.0 };
                work.y[..m].iter_mut().for_each(|y| *y *= best);
                return;
            }
            JacobianInverse::PseudoInverse => (caution - 1.0) * square / 2.0,
            JacobianInverse::Damped(lambda) | JacobianInverse::Weighted(lambda) => {
                lambda + caution * square / 2.0
            }
        };
        for i in 0..m {
            work.gram[i * m + i] += damping + UNDAMPED * trace + f64::MIN_POSITIVE;
        }
        match linear::cholesky(work.gram, m) {
            true => linear::solve(work.gram, m, work.y),
            false => work.y[..m].fill(0.0),
        }
    }
}

fn identity(matrix: &mut [f64], n: usize) {
    matrix[..n * n].fill(0.0);
    (0..n).for_each(|i| matrix[i * n + i] = 1.0);
}

/// `rows ← rows · null`, by way of `buffer`.
fn project_rows(rows: &mut [f64], null: &[f64], buffer: &mut [f64], m: usize, n: usize) {
    for i in 0..m {
        linear::transpose_times(null, n, n, &rows[i * n..(i + 1) * n], &mut buffer[i * n..(i + 1) * n]);
    }
    rows[..m * n].copy_from_slice(&buffer[..m * n]);
}

/// `null ← null − (J N)⁺ (J N)`: removes what this priority uses from the null space of later ones.
fn remove_from_null(work: &mut Work<'_>, m: usize, n: usize) {
    linear::times_transpose(work.jn, m, n, work.gram);
    let trace: f64 = (0..m).map(|i| work.gram[i * m + i]).sum();
    for i in 0..m {
        work.gram[i * m + i] += UNDAMPED * trace + f64::MIN_POSITIVE;
    }
    if !linear::cholesky(work.gram, m) {
        return;
    }
    for k in 0..n {
        for i in 0..m {
            work.y[i] = work.jn[i * n + k];
        }
        linear::solve(work.gram, m, work.y);
        for l in 0..n {
            let part: f64 = (0..m).map(|i| work.jn[i * n + l] * work.y[i]).sum();
            work.null[k * n + l] -= part;
        }
    }
}

/// `delta += (J⁺ J − I) z`, which is `−N z`, for the degrees of freedom that are not held.
fn add_null_space(null: &[f64], z: &[f64], share: &[f64], held: &[f64], delta: &mut [f64]) {
    let n = z.len();
    for k in 0..n {
        if held[k].is_nan() {
            let part: f64 = (0..n).map(|l| null[k * n + l] * z[l]).sum();
            delta[k] -= share[k] * part;
        }
    }
}

/// Holds degrees of freedom that would leave their range at its end; `true` if there are new ones.
fn hold_at_limits(chain: &IkChain, work: &mut Work<'_>) -> bool {
    let mut new = false;
    for (k, dof) in chain.scratch.dofs.iter().enumerate() {
        if work.held[k].is_nan() && !(dof.min..=dof.max).contains(&(dof.angle + work.delta[k])) {
            let end = if work.delta[k] < 0.0 { dof.min } else { dof.max };
            work.held[k] = end - dof.angle;
            new = true;
        }
    }
    new
}

/// Fills the rows of the goals of one priority and their errors; returns the number of rows.
fn rows(
    chain: &IkChain,
    goals: &[Goal],
    priority: u8,
    length: f64,
    j: &mut [f64],
    error: &mut [f64],
) -> usize {
    let dofs = &chain.scratch.dofs;
    let n = dofs.len();
    let mut m = 0;
    for (e, goal) in goals.iter().enumerate().filter(|(_, goal)| goal.priority == priority) {
        let (tip, orientation) = chain.tip(e);
        if goal.wants_position() {
            let weight = goal.position_weight.sqrt() / length;
            let error_part = (goal.position - tip) * weight;
            error[m..m + 3].copy_from_slice(error_part.as_slice());
            for (k, dof) in dofs.iter().enumerate() {
                let moves = chain.carries(dof.joint as usize, e);
                let arm = (tip - chain.position[dof.joint as usize]) * if moves { weight } else { 0.0 };
                let column = dof.axis.cross(&arm);
                (0..3).for_each(|i| j[(m + i) * n + k] = column[i]);
            }
            m += 3;
        }
        if goal.wants_orientation() {
            let weight = goal.orientation_weight.sqrt();
            let error_part = log(&(goal.orientation * orientation.inverse())) * weight;
            error[m..m + 3].copy_from_slice(error_part.as_slice());
            for (k, dof) in dofs.iter().enumerate() {
                let weight = if chain.carries(dof.joint as usize, e) { weight } else { 0.0 };
                (0..3).for_each(|i| j[(m + i) * n + k] = dof.axis[i] * weight);
            }
            m += 3;
        }
    }
    m
}

impl Posture {
    /// The cost `Σ α |θ − θ_c|²` \[rad²\] over the degrees of freedom of the chain's pose.
    pub fn cost(&self, chain: &mut IkChain) -> f64 {
        dofs::collect(chain, true);
        let mut off = vec![0.0; chain.scratch.dofs.len()];
        dofs::distance(chain, true, &self.rotations, &mut off);
        let gain = |k: usize| self.gains[chain.scratch.dofs[k].joint as usize];
        off.iter().enumerate().map(|(k, off)| gain(k) * off * off).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::jacobian_numbers;
    use crate::{Constraint, Link, Vec3};
    use nalgebra::{Isometry3, UnitQuaternion};

    /// Four hinges in a plane, bent by `pose`, which is on one side of the posture.
    fn planar(pose: [f64; 4]) -> IkChain {
        let links = pose.iter().enumerate().map(|(i, angle)| Link {
            offset: if i == 0 { Vec3::zeros() } else { Vec3::x() },
            rotation: UnitQuaternion::from_axis_angle(&Vec3::z_axis(), *angle),
            constraint: Constraint::hinge(Vec3::z_axis(), -3.0, 3.0),
        });
        IkChain::serial(Isometry3::identity(), links.collect(), Vec3::x()).unwrap()
    }

    /// The posture's cost after one step in the null space of the effector's position along `z` of a joint's
    /// distance from its posture, and how far the effector moved.
    fn step_along(z: impl Fn(f64) -> f64) -> (f64, f64, f64) {
        let mut chain = planar([0.3, 0.4, 0.5, -0.2]);
        let preferred =
            [0.5, 0.1, 0.9, 0.2].map(|angle| UnitQuaternion::from_axis_angle(&Vec3::z_axis(), angle));
        let posture = Posture { rotations: preferred.to_vec(), gains: vec![0.05; 4] };
        let before = posture.cost(&mut chain);
        let goals = [Goal::at(chain.tip(0).0)];
        dofs::collect(&mut chain, true);
        let mut numbers = vec![0.0; jacobian_numbers(1, 4)];
        let mut work = Work::split(&mut numbers, 1, 4);
        let m = rows(&chain, &goals, 0, 4.0, work.j, work.error);
        work.jn.copy_from_slice(work.j);
        identity(work.null, 4);
        remove_from_null(&mut work, m, 4);
        dofs::distance(&chain, true, &posture.rotations, work.z);
        work.z.iter_mut().for_each(|off| *off = z(*off));
        add_null_space(work.null, work.z, &[1.0; 4], &[f64::NAN; 4], work.delta);
        dofs::apply(&mut chain, true, work.delta);
        let moved = (goals[0].position - chain.tip(0).0).norm();
        (before, posture.cost(&mut chain), moved)
    }

    /// z = 2 α (θ − θ_c) lowers the cost. The form α (θ − θ_c)², found in some publications, has lost the sign:
    /// it pushes joints below their posture further away.
    #[test]
    fn the_gradient_of_the_posture_keeps_its_sign() {
        let alpha = 0.05;
        let (before, after, moved) = step_along(|off| 2.0 * alpha * off);
        assert!(after < 0.98 * before, "{before} {after}");
        assert!(moved < 1e-3, "{moved}");
        let (before, after, _) = step_along(|off| alpha * off * off);
        assert!(after > before, "the printed formula makes it worse: {before} {after}");
    }

    #[test]
    fn the_null_space_moves_nothing_to_first_order() {
        let mut chain = planar([0.3, 0.4, 0.5, -0.2]);
        let goals = [Goal::at(chain.tip(0).0)];
        dofs::collect(&mut chain, true);
        let mut numbers = vec![0.0; jacobian_numbers(1, 4)];
        let mut work = Work::split(&mut numbers, 1, 4);
        let m = rows(&chain, &goals, 0, 4.0, work.j, work.error);
        work.jn.copy_from_slice(work.j);
        identity(work.null, 4);
        remove_from_null(&mut work, m, 4);
        for row in 0..m {
            for k in 0..4 {
                let moved: f64 = (0..4).map(|l| work.j[row * 4 + l] * work.null[l * 4 + k]).sum();
                assert!(moved.abs() < 1e-9, "{moved}");
            }
        }
    }
}
