//! One objective for all goals, lowered step by step until none lowers it any more.
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

use crate::{Chain, Goal, IkError, Options, Outcome, Solver, Vec3, descend, dofs, jacobian, linear};

/// The solver of this module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// ω: the share of positions beside orientations, from 0 to 1; default 0.5.
    pub balance: f64,
    /// λ: how strongly the pose at the start is kept; default 1e-9, which only settles what the goals leave
    /// open.
    pub keep: f64,
}

impl Default for Objective {
    fn default() -> Objective {
        Objective { balance: 0.5, keep: 1e-9 }
    }
}

impl Solver for Objective {
    fn solve(&self, chain: &mut Chain, goals: &[Goal], options: &Options) -> Result<Outcome, IkError> {
        chain.begin(goals, options)?;
        if chain.reached(goals, options) {
            return Ok(chain.outcome(goals, options, 0));
        }
        let length = jacobian::longest(chain, goals);
        let mut numbers = std::mem::take(&mut chain.scratch.numbers);
        let mut start = std::mem::take(&mut chain.scratch.start);
        start.copy_from_slice(&chain.local);
        let mut descent = Descent { objective: *self, goals, length, options, start: &start, damping: 1e-3 };
        let iterations = descend::solve(chain, goals, options, |chain| descent.step(chain, &mut numbers));
        chain.scratch.start = start;
        chain.scratch.numbers = numbers;
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// How many numbers the solver needs for so many degrees of freedom.
pub(crate) fn numbers(n: usize) -> usize {
    2 * n * n + 2 * n
}

struct Descent<'a> {
    objective: Objective,
    goals: &'a [Goal],
    length: f64,
    options: &'a Options,
    start: &'a [crate::Quat],
    damping: f64,
}

/// Steps tried with more and more damping before an iteration gives up.
const TRIES: u32 = 6;

impl Descent<'_> {
    /// One step that lowers the objective, or none.
    fn step(&mut self, chain: &mut Chain, numbers: &mut [f64]) {
        let limits = self.options.limits;
        dofs::collect(chain, limits);
        let n = chain.scratch.dofs.len();
        let (hessian, rest) = numbers.split_at_mut(n * n);
        let (factor, rest) = rest.split_at_mut(n * n);
        let (gradient, rest) = rest.split_at_mut(n);
        let (off, delta) = rest.split_at_mut(n);
        let before = self.linear(chain, hessian, gradient, off);
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

    /// The turns of one damped step within the limits: what would be pushed out of its range is held there.
    fn turns(&self, chain: &Chain, factor: &mut [f64], gradient: &[f64], delta: &mut [f64]) {
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

    /// The objective of the pose, its Gauss-Newton Hessian and its falling gradient.
    fn linear(&self, chain: &Chain, hessian: &mut [f64], gradient: &mut [f64], off: &mut [f64]) -> f64 {
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
            self.terms(chain, e, goal, |arm, missing, is_point, weight| {
                cost += weight * missing.norm_squared();
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
                    gradient[k] += weight * left.dot(&missing);
                    for l in 0..=k {
                        hessian[k * n + l] += weight * left.dot(&column(l));
                    }
                }
            });
        }
        cost
    }

    fn cost(&self, chain: &mut Chain, off: &mut [f64]) -> f64 {
        let mut cost = 0.0;
        for (e, goal) in self.goals.iter().enumerate() {
            self.terms(chain, e, goal, |_, missing, _, weight| cost += weight * missing.norm_squared());
        }
        if self.objective.keep > 0.0 {
            dofs::collect(chain, self.options.limits);
            dofs::distance(chain, self.options.limits, self.start, off);
            cost += self.objective.keep * off.iter().map(|off| off * off).sum::<f64>();
        }
        cost
    }

    /// Calls `term(vector, what it misses, whether it is a point, weight)` for the position and the two axes.
    fn terms(&self, chain: &Chain, e: usize, goal: &Goal, mut term: impl FnMut(Vec3, Vec3, bool, f64)) {
        let (tip, orientation) = chain.tip(e);
        let balance = self.objective.balance;
        if goal.wants_position() {
            let scale = self.length * self.length;
            term(tip, goal.position - tip, true, balance * goal.position_weight * goal.share() / scale);
        }
        if goal.wants_orientation() {
            for axis in [Vec3::x(), Vec3::y()] {
                let (now, wished) = (orientation * axis, goal.orientation * axis);
                term(now, wished - now, false, (1.0 - balance) * goal.orientation_weight * goal.share());
            }
        }
    }
}
