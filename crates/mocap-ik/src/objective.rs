//! Minimises one objective for all goals.
//!
//! `Σ ω |p_g − p_e|² + (1 − ω)(|x_g − x_e|² + |y_g − y_e|²) + λ |θ − θ₀|²` over all effectors, with their
//! weights; `x` and `y` are two axes of the effector, lengths count as shares of the chain's length, and `θ₀`
//! is the pose at the start. Levenberg-Marquardt steps; angles at the end of their range are held while the
//! objective pushes them outwards. Every accepted step lowers the objective. A later priority counts a
//! thousandth of the one before it.
//!
//! Based on: J. Zhao, N. I. Badler, "Inverse kinematics positioning using nonlinear programming for highly
//! articulated figures", ACM Transactions on Graphics, 1994 (the objective); K. Levenberg, 1944, and
//! D. W. Marquardt, 1963 (the steps, in place of a quasi-Newton method).

use crate::{
    Goal, IkChain, IkError, SolveOptions, SolveOutcome, Solver, Vec3, dofs, iteration, jacobian, linear,
};

/// Solver of one weighted objective, for one effector or several.
///
/// ```
/// use mocap_ik::{Constraint, Goal, IkChain, Link, SolveOptions, SolveStatus, Solver, Objective};
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
/// let outcome = Objective::default().solve(&mut chain, &[goal], &SolveOptions::default())?;
/// assert_eq!(outcome.status, SolveStatus::Reached);
/// # Ok::<(), mocap_ik::IkError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// ω: the share of positions beside orientations, from 0 to 1; default 0.5.
    pub balance: f64,
    /// λ: the weight of the start pose; default 1e-9, which decides only what the goals leave open.
    pub keep: f64,
}

impl Default for Objective {
    fn default() -> Objective {
        Objective { balance: 0.5, keep: 1e-9 }
    }
}

impl Solver for Objective {
    fn solve(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        options: &SolveOptions,
    ) -> Result<SolveOutcome, IkError> {
        chain.begin(goals, options)?;
        if chain.reached(goals, options) {
            return Ok(chain.outcome(goals, options, 0));
        }
        let length = jacobian::longest(chain, goals);
        let mut numbers = std::mem::take(&mut chain.scratch.numbers);
        let mut start = std::mem::take(&mut chain.scratch.start);
        start.copy_from_slice(&chain.local);
        let mut descent = Descent { objective: *self, goals, length, options, start: &start, damping: 1e-3 };
        let iterations = iteration::solve(chain, goals, options, |chain| descent.step(chain, &mut numbers));
        chain.scratch.start = start;
        chain.scratch.numbers = numbers;
        Ok(chain.outcome(goals, options, iterations))
    }
}

struct Descent<'a> {
    objective: Objective,
    goals: &'a [Goal],
    length: f64,
    options: &'a SolveOptions,
    start: &'a [crate::Quat],
    damping: f64,
}

/// Most steps, each with more damping, that one iteration tries.
const TRIES: u32 = 6;

impl Descent<'_> {
    /// Takes one step that lowers the objective, or none.
    fn step(&mut self, chain: &mut IkChain, numbers: &mut [f64]) {
        let limits = self.options.limits;
        dofs::collect(chain, limits);
        let n = chain.scratch.dofs.len();
        let (hessian, rest) = numbers.split_at_mut(n * n);
        let (factor, rest) = rest.split_at_mut(n * n);
        let (gradient, rest) = rest.split_at_mut(n);
        let (off, delta) = rest.split_at_mut(n);
        let before = self.linearise(chain, hessian, gradient, off);
        let mut pose = std::mem::take(&mut chain.scratch.pose);
        pose.copy_from_slice(&chain.local);
        for _ in 0..TRIES {
            factor.copy_from_slice(hessian);
            self.turns(chain, factor, gradient, &mut delta[..n]);
            dofs::apply(chain, limits, &delta[..n]);
            if self.cost(chain, off) < before {
                self.damping = (self.damping * 0.1).max(1e-12);
                break;
            }
            chain.local.copy_from_slice(&pose);
            chain.update();
            self.damping = (self.damping * 8.0).max(1e-8);
        }
        chain.scratch.pose = pose;
    }

    /// The turns of one damped step; holds angles that would leave their range.
    fn turns(&self, chain: &IkChain, factor: &mut [f64], gradient: &[f64], delta: &mut [f64]) {
        let n = delta.len();
        delta.copy_from_slice(gradient);
        for (k, dof) in chain.scratch.dofs.iter().enumerate() {
            let outwards =
                (dof.angle <= dof.min && gradient[k] < 0.0) || (dof.angle >= dof.max && gradient[k] > 0.0);
            if outwards || dof.axis == Vec3::zeros() {
                (0..n).for_each(|l| (factor[k * n + l], factor[l * n + k]) = (0.0, 0.0));
                (factor[k * n + k], delta[k]) = (1.0, 0.0);
            }
            let stiffness = chain.constraint[dof.joint as usize].stiffness;
            factor[k * n + k] += self.damping * (1.0 + stiffness / (1.0 - stiffness)) + 1e-14;
        }
        match linear::cholesky(factor, n) {
            true => linear::solve(factor, n, delta),
            false => delta.fill(0.0),
        }
        let allowed = self.options.max_turn.min(1.0);
        let greatest = delta.iter().fold(0.0f64, |most, turn| most.max(turn.abs()));
        let share = self.options.damping * if greatest > allowed { allowed / greatest } else { 1.0 };
        delta.iter_mut().for_each(|turn| *turn *= share);
    }

    /// Evaluates the objective, its Gauss-Newton Hessian and its negative gradient.
    fn linearise(&self, chain: &IkChain, hessian: &mut [f64], gradient: &mut [f64], off: &mut [f64]) -> f64 {
        let dofs = &chain.scratch.dofs;
        let n = dofs.len();
        let keep = self.objective.keep;
        dofs::distance(chain, self.options.limits, self.start, off);
        hessian.fill(0.0);
        let mut cost = 0.0;
        for k in 0..n {
            hessian[k * n + k] = keep;
            gradient[k] = -keep * off[k];
            cost += keep * off[k] * off[k];
        }
        for (e, goal) in self.goals.iter().enumerate() {
            self.terms(chain, e, goal, |arm, residual, is_point, weight| {
                cost += weight * residual.norm_squared();
                let column = |k: usize| -> Vec3 {
                    let joint = dofs[k].joint as usize;
                    if !chain.carries(joint, e) {
                        return Vec3::zeros();
                    }
                    let from = if is_point { chain.position[joint] } else { Vec3::zeros() };
                    dofs[k].axis.cross(&(arm - from))
                };
                for k in 0..n {
                    let left = column(k);
                    if left == Vec3::zeros() {
                        continue;
                    }
                    gradient[k] += weight * left.dot(&residual);
                    for l in 0..=k {
                        hessian[k * n + l] += weight * left.dot(&column(l));
                    }
                }
            });
        }
        cost
    }

    fn cost(&self, chain: &mut IkChain, off: &mut [f64]) -> f64 {
        let mut cost = 0.0;
        for (e, goal) in self.goals.iter().enumerate() {
            self.terms(chain, e, goal, |_, residual, _, weight| cost += weight * residual.norm_squared());
        }
        if self.objective.keep > 0.0 {
            dofs::collect(chain, self.options.limits);
            dofs::distance(chain, self.options.limits, self.start, off);
            cost += self.objective.keep * off.iter().map(|off| off * off).sum::<f64>();
        }
        cost
    }

    /// Calls `term(vector, residual, is_point, weight)` for the position and the two axes.
    fn terms(&self, chain: &IkChain, e: usize, goal: &Goal, mut term: impl FnMut(Vec3, Vec3, bool, f64)) {
        let (tip, orientation) = chain.tip(e);
        let balance = self.objective.balance;
        if goal.wants_position() {
            let scale = self.length * self.length;
            term(
                tip,
                goal.position - tip,
                true,
                balance * goal.position_weight * goal.priority_weight() / scale,
            );
        }
        if goal.wants_orientation() {
            for axis in [Vec3::x(), Vec3::y()] {
                let (now, target) = (orientation * axis, goal.orientation * axis);
                term(
                    now,
                    target - now,
                    false,
                    (1.0 - balance) * goal.orientation_weight * goal.priority_weight(),
                );
            }
        }
    }
}
