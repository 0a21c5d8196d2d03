//! Minimises one objective for all goals.
//!
//! `Σ ω |p_g − p_e|² + (1 − ω)(|x_g − x_e|² + |y_g − y_e|²) + λ |θ − θ₀|²` over all effectors, with their
//! weights; `x` and `y` are two axes of the effector, lengths count as shares of the chain's length, and `θ₀`
//! is the pose at the start. Levenberg-Marquardt steps; angles at the end of their range are held while the
//! objective pushes them outwards. Every accepted step lowers the objective. A later priority counts a
//! thousandth of the one before it. A direction that aims counts as one axis. Couplings are kept in every step: it is
//! solved with them as equations, and its end is moved onto them.
//!
//! Based on: J. Zhao, N. I. Badler, "Inverse kinematics positioning using nonlinear programming for highly
//! articulated figures", ACM Transactions on Graphics, 1994 (the objective); K. Levenberg, 1944, and
//! D. W. Marquardt, 1963 (the steps, in place of a quasi-Newton method).

use crate::{
    Goal, IkChain, IkError, PoseCost, SolveOptions, SolveOutcome, SolveStart, Solver, Vec3, dofs, iteration,
    jacobian, linear,
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
    /// λ: the weight of the start pose; default 1e-9, which affects only what the goals leave open.
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
        chain.begin_body(goals, options)?;
        let mut numbers = std::mem::take(&mut chain.scratch.numbers);
        chain.keep_couplings(&mut numbers);
        let reached = chain.reached(goals, options);
        let mut iterations = 0;
        if !reached {
            let mut start = std::mem::take(&mut chain.scratch.start);
            start.copy_from_slice(&chain.local);
            let mut descent = Descent::new(*self, chain, goals, options, &start);
            iterations = iteration::solve(chain, goals, options, |chain| {
                descent.step(chain, &mut numbers);
            });
            // The last change to the chain may not have been a descent step.
            chain.keep_couplings(&mut numbers);
            chain.scratch.start = start;
        }
        chain.scratch.numbers = numbers;
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// The objective with a cost of poses: finds the most likely pose that meets the goals as well as the weights
/// demand. With [`Informed::meet`], the pose is finally moved onto the goals by the least change, so that the
/// cost affects only what the goals leave open.
///
/// It allocates memory for the second derivative of the cost.
#[derive(Clone, Copy)]
pub struct Informed<'a> {
    /// The objective of the goals.
    pub objective: Objective,
    /// The cost of poses.
    pub cost: &'a dyn PoseCost,
    /// Its weight relative to the goals, above 0: a cost of 1 counts as much as a goal of weight 1 that is
    /// missed by the square root of this weight, in chain lengths.
    pub weight: f64,
    /// Whether goals are met exactly at the end.
    pub meet: bool,
}

/// The solve ends when a step lowers the objective by less than this share.
const CONVERGED: f64 = 1e-9;

impl Solver for Informed<'_> {
    fn solve(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        options: &SolveOptions,
    ) -> Result<SolveOutcome, IkError> {
        chain.begin_body(goals, options)?;
        let count = 3 * chain.len();
        let (mut gradient, mut second) = (vec![0.0; count], vec![0.0; count * count]);
        let mut numbers = std::mem::take(&mut chain.scratch.numbers);
        chain.keep_couplings(&mut numbers);
        let start = chain.local.clone();
        let mut descent = Descent::new(self.objective, chain, goals, options, &start);
        descent.term = Some(Term {
            cost: self.cost,
            weight: self.weight.max(0.0),
            gradient: &mut gradient,
            second: &mut second,
        });
        let mut iterations = 0;
        while iterations < options.iterations {
            iterations += 1;
            let (before, after) = descent.step(chain, &mut numbers);
            if before - after <= CONVERGED * before.abs() {
                break;
            }
        }
        chain.scratch.numbers = numbers;
        if self.meet {
            let met =
                self.objective.solve(chain, goals, &SolveOptions { start: SolveStart::Warm, ..*options })?;
            return Ok(SolveOutcome { iterations: iterations + met.iterations, ..met });
        }
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// A cost of poses in a descent.
struct Term<'a> {
    cost: &'a dyn PoseCost,
    weight: f64,
    gradient: &'a mut [f64],
    second: &'a mut [f64],
}

struct Descent<'a> {
    objective: Objective,
    goals: &'a [Goal],
    length: f64,
    options: &'a SolveOptions,
    start: &'a [crate::Quat],
    /// Position of the base at the start.
    origin: Vec3,
    damping: f64,
    term: Option<Term<'a>>,
}

/// Greatest number of steps, with growing damping, that one iteration tries.
const TRIES: u32 = 6;

impl<'a> Descent<'a> {
    fn new(
        objective: Objective,
        chain: &IkChain,
        goals: &'a [Goal],
        options: &'a SolveOptions,
        start: &'a [crate::Quat],
    ) -> Descent<'a> {
        let length = jacobian::longest(chain, goals);
        let origin = chain.base.translation.vector;
        Descent { objective, goals, length, options, start, origin, damping: 1e-3, term: None }
    }

    /// Whether angles are limited. Couplings relate angles, so they need it.
    fn limits(&self, chain: &IkChain) -> bool {
        self.options.limits || !chain.couplings.is_empty()
    }

    /// Takes one step that lowers the objective, or none. Returns the objective before and after.
    fn step(&mut self, chain: &mut IkChain, numbers: &mut [f64]) -> (f64, f64) {
        let limits = self.limits(chain);
        dofs::collect(chain, limits);
        let turning = chain.scratch.dofs.len();
        let n = turning + if chain.travel > 0.0 { 3 } else { 0 };
        let (hessian, rest) = numbers.split_at_mut(n * n);
        let (factor, rest) = rest.split_at_mut(n * n);
        let (gradient, rest) = rest.split_at_mut(n);
        let (off, delta) = rest.split_at_mut(n);
        let before = self.linearise(chain, hessian, gradient, off);
        let mut after = before;
        let mut pose = std::mem::take(&mut chain.scratch.pose);
        pose.copy_from_slice(&chain.local);
        let base = chain.base.translation.vector;
        for _ in 0..TRIES {
            factor.copy_from_slice(hessian);
            self.turns(chain, factor, gradient, &mut delta[..n]);
            dofs::apply(chain, limits, &delta[..turning]);
            if n > turning {
                let moved = Vec3::new(delta[turning], delta[turning + 1], delta[turning + 2]);
                chain.base.translation.vector += moved * self.length;
                chain.update();
            }
            chain.keep_couplings(off);
            let cost = self.cost(chain, off);
            if cost < before {
                after = cost;
                self.damping = (self.damping * 0.1).max(1e-12);
                break;
            }
            chain.local.copy_from_slice(&pose);
            chain.base.translation.vector = base;
            chain.update();
            dofs::collect(chain, limits);
            self.damping = (self.damping * 8.0).max(1e-8);
        }
        chain.scratch.pose = pose;
        (before, after)
    }

    /// The turns of one damped step; holds angles that would leave their range.
    fn turns(&self, chain: &mut IkChain, factor: &mut [f64], gradient: &[f64], delta: &mut [f64]) {
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
        for k in chain.scratch.dofs.len()..n {
            factor[k * n + k] += self.damping / chain.travel + 1e-14;
        }
        match linear::cholesky(factor, n) {
            true => {
                linear::solve(factor, n, delta);
                chain.coupled_step(factor, delta);
            }
            false => delta.fill(0.0),
        }
        let allowed = self.options.max_turn.min(1.0);
        let greatest = delta.iter().fold(0.0f64, |most, turn| most.max(turn.abs()));
        let share = self.options.damping * if greatest > allowed { allowed / greatest } else { 1.0 };
        delta.iter_mut().for_each(|turn| *turn *= share);
    }

    /// Evaluates the objective, its Gauss-Newton Hessian and its negative gradient, both halved.
    fn linearise(
        &mut self,
        chain: &IkChain,
        hessian: &mut [f64],
        gradient: &mut [f64],
        off: &mut [f64],
    ) -> f64 {
        let dofs = &chain.scratch.dofs;
        let n = gradient.len();
        let keep = self.objective.keep;
        self.distance(chain, off);
        hessian.fill(0.0);
        let mut cost = 0.0;
        for k in 0..n {
            hessian[k * n + k] = keep;
            gradient[k] = -keep * off[k];
            cost += keep * off[k] * off[k];
        }
        for (e, goal) in self.goals.iter().enumerate() {
            self.terms(chain, e, goal, |term| {
                cost += term.weight * term.residual.norm_squared();
                let column = |k: usize| -> Vec3 {
                    let Some(dof) = dofs.get(k) else {
                        return term.moved(&(Vec3::ith(k - dofs.len(), 1.0) * self.length));
                    };
                    let joint = dof.joint as usize;
                    if !chain.carries(joint, e) {
                        return Vec3::zeros();
                    }
                    let turned = dof.axis.cross(&term.arm);
                    turned + term.moved(&dof.axis.cross(&(chain.tips[e] - chain.position[joint])))
                };
                for k in 0..n {
                    let left = column(k);
                    if left == Vec3::zeros() {
                        continue;
                    }
                    gradient[k] += term.weight * left.dot(&term.residual);
                    for l in 0..=k {
                        hessian[k * n + l] += term.weight * left.dot(&column(l));
                    }
                }
            });
        }
        cost + self.likeliness(chain, hessian, gradient)
    }

    /// Adds the cost of poses.
    fn likeliness(&mut self, chain: &IkChain, hessian: &mut [f64], gradient: &mut [f64]) -> f64 {
        let n = gradient.len();
        let Some(term) = &mut self.term else { return 0.0 };
        let cost = term.cost.derivatives(&chain.local, term.gradient, term.second);
        let count = 3 * chain.len();
        let half = 0.5 * term.weight;
        let seen = |k: usize| {
            let dof = &chain.scratch.dofs[k];
            (3 * dof.joint as usize, chain.parent_frame(dof.joint as usize).inverse() * dof.axis)
        };
        for k in 0..chain.scratch.dofs.len() {
            let (row, axis) = seen(k);
            gradient[k] -= half * (0..3).map(|i| axis[i] * term.gradient[row + i]).sum::<f64>();
            for l in 0..=k {
                let (column, other) = seen(l);
                let block = |i: usize, j: usize| term.second[(row + i) * count + column + j];
                let sum = (0..3).map(|i| axis[i] * (0..3).map(|j| block(i, j) * other[j]).sum::<f64>());
                hessian[k * n + l] += half * sum.sum::<f64>();
            }
        }
        term.weight * cost
    }

    /// Distance of the pose from the start pose [rad, chain lengths].
    fn distance(&self, chain: &IkChain, off: &mut [f64]) {
        dofs::distance(chain, self.limits(chain), self.start, off);
        if chain.travel > 0.0 {
            let moved = (chain.base.translation.vector - self.origin) / self.length;
            let turning = chain.scratch.dofs.len();
            off[turning..turning + 3].copy_from_slice(moved.as_slice());
        }
    }

    fn cost(&self, chain: &mut IkChain, off: &mut [f64]) -> f64 {
        let mut cost = 0.0;
        for (e, goal) in self.goals.iter().enumerate() {
            self.terms(chain, e, goal, |term| cost += term.weight * term.residual.norm_squared());
        }
        if self.objective.keep > 0.0 {
            dofs::collect(chain, self.limits(chain));
            self.distance(chain, off);
            cost += self.objective.keep * off.iter().map(|off| off * off).sum::<f64>();
        }
        let likeliness = self.term.as_ref().map_or(0.0, |term| term.weight * term.cost.cost(&chain.local));
        cost + likeliness
    }

    /// Calls `take` for the position, the two axes of the orientation, and the direction of the aim.
    fn terms(&self, chain: &IkChain, e: usize, goal: &Goal, mut take: impl FnMut(&Residual)) {
        let (tip, orientation) = chain.tip(e);
        let balance = self.objective.balance;
        let priority = goal.priority_weight();
        if goal.wants_position() {
            let weight = balance * goal.position_weight * priority / (self.length * self.length);
            take(&Residual {
                arm: Vec3::zeros(),
                moves: Moves::Itself,
                residual: goal.position - tip,
                weight,
            });
        }
        let directions = (1.0 - balance) * priority;
        if goal.wants_orientation() {
            for axis in [Vec3::x(), Vec3::y()] {
                let (now, target) = (orientation * axis, goal.orientation * axis);
                let weight = directions * goal.orientation_weight;
                take(&Residual { arm: now, moves: Moves::Not, residual: target - now, weight });
            }
        }
        if let Some(aim) = goal.wanted_aim()
            && let Some((now, wanted, distance)) = aim.directions(&tip, &orientation)
        {
            let moves = Moves::Aims { wanted, distance };
            take(&Residual { arm: now, moves, residual: wanted - now, weight: directions * aim.weight });
        }
    }
}

/// A residual `target − value` that should vanish, and its dependence on rotations; the derivative is that of
/// the value.
struct Residual {
    /// A direction that turns with the effector.
    arm: Vec3,
    /// Its dependence on the position of the effector.
    moves: Moves,
    residual: Vec3,
    weight: f64,
}

enum Moves {
    Itself,
    Not,
    /// The direction to the target of an aim, which rotates the opposite way.
    Aims {
        wanted: Vec3,
        distance: f64,
    },
}

impl Residual {
    /// The change by a move of the effector.
    fn moved(&self, by: &Vec3) -> Vec3 {
        match self.moves {
            Moves::Itself => *by,
            Moves::Not => Vec3::zeros(),
            Moves::Aims { wanted, distance } => (by - wanted * wanted.dot(by)) / distance,
        }
    }
}
