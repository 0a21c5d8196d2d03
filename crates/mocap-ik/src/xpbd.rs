//! Extended position-based dynamics: constraints are met one after the other, each by the joints that it depends on.
//!
//! A constraint `C(q)` with compliance α and multiplier λ changes the pose by `Δλ = (−C − α λ) / (∇C W ∇Cᵀ + α)` and
//! `Δq = W ∇Cᵀ Δλ`. The solve is static: time steps are one, and there is no velocity. Many rounds come to the least of
//! `|q − q₀|²` in the metric `W⁻¹` plus `C² / α`: constraints without compliance are met exactly, what they leave open
//! changes as little as possible.
//!
//! In order: springs that hold joints to the start; position, orientation and aim of each goal;
//! capsules that overlap; couplings. Angles at the end of their range do not move outwards.
//!
//! Where it departs from the papers: `q` are turns of the joints and a move of the base, instead of places of bodies that
//! joints hold together. Bones keep their lengths in every round, and a goal moves all joints above it at once.
//!
//! Based on: M. Macklin, M. Müller, N. Chentanez, "XPBD: position-based simulation of compliant constrained dynamics",
//! 2016; M. Müller, M. Macklin, N. Chentanez, S. Jeschke, T.-Y. Kim, "Detailed rigid body simulation with extended position
//! based dynamics", 2020 (compliance of angles, limits).

use crate::capsule::{Near, Pair};
use crate::{
    Goal, IkChain, IkError, Quat, SolveOptions, SolveOutcome, Solver, Vec3, dofs, iteration, jacobian,
};
use mocap_model::log;
use nalgebra::Matrix3;

/// Solver that satisfies constraints one after the other, for whole bodies: limits, couplings, aims, capsules,
/// a moving base.
///
/// The mobility of a joint is 1 less its stiffness; joints of stiffness 1 do not rotate.
///
/// ```
/// use mocap_ik::{Constraint, Goal, IkChain, Link, SolveOptions, SolveStatus, Solver, Xpbd};
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
/// let outcome = Xpbd::default().solve(&mut chain, &[goal], &SolveOptions::default())?;
/// assert_eq!(outcome.status, SolveStatus::Reached);
/// # Ok::<(), mocap_ik::IkError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Xpbd {
    /// Compliance of goals, from 0; a goal of weight w has 1/w of it. Default: 0, goals are met where they can be.
    pub goal_compliance: f64,
    /// Compliance of the springs that hold the joints to the start pose, multiplied by the mobility of each
    /// joint. Default: infinite, which means no springs.
    pub joint_compliance: f64,
    /// Depth up to which capsules may overlap, as a share of the length of the chain; default 1e-4.
    pub depth: f64,
}

impl Default for Xpbd {
    fn default() -> Xpbd {
        Xpbd { goal_compliance: 0.0, joint_compliance: f64::INFINITY, depth: 1e-4 }
    }
}

/// Compliance in addition to the inverse mass: a straight chain cannot move along itself.
const LEAST: f64 = 1e-9;
/// Compliance of a goal of a later priority, over its share of the weight.
const LATER: f64 = 1e-3;
/// Greatest turn of a joint for one constraint \[rad\].
const MOST_TURN: f64 = 0.5;
/// The solve ends when rounds that gain less than this share of the chain's length ...
const NO_GAIN: f64 = 1e-7;
/// ... have occurred this many times.
const PATIENCE: u32 = 8;

impl Solver for Xpbd {
    fn solve(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        options: &SolveOptions,
    ) -> Result<SolveOutcome, IkError> {
        chain.begin_body(goals, options)?;
        let mut rounds = Rounds {
            xpbd: *self,
            goals,
            limits: options.limits || !chain.couplings.is_empty(),
            length: jacobian::longest(chain, goals),
            most_turn: options.max_turn.min(MOST_TURN),
            damping: options.damping,
            start: std::mem::take(&mut chain.scratch.start),
            delta: std::mem::take(&mut chain.scratch.numbers),
            position: vec![Vec3::zeros(); goals.len()],
            orientation: vec![Vec3::zeros(); goals.len()],
            aim: vec![Vec3::zeros(); goals.len()],
            spring: vec![Vec3::zeros(); chain.len()],
            contact: vec![0.0; chain.pairs.len()],
        };
        rounds.start.copy_from_slice(&chain.local);
        chain.keep_couplings(&mut rounds.delta);
        let iterations = rounds.run(chain, options);
        chain.scratch.start = rounds.start;
        chain.scratch.numbers = rounds.delta;
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// The state of a solve: multipliers by constraint, in object space.
struct Rounds<'a> {
    xpbd: Xpbd,
    goals: &'a [Goal],
    limits: bool,
    length: f64,
    most_turn: f64,
    damping: f64,
    start: Vec<Quat>,
    /// Work buffers: a rotation by degree of freedom, and the displacement of the base.
    delta: Vec<f64>,
    position: Vec<Vec3>,
    orientation: Vec<Vec3>,
    aim: Vec<Vec3>,
    spring: Vec<Vec3>,
    contact: Vec<f64>,
}

impl Rounds<'_> {
    fn run(&mut self, chain: &mut IkChain, options: &SolveOptions) -> u32 {
        let depth = self.xpbd.depth * self.length;
        let done = |chain: &IkChain, goals: &[Goal]| {
            chain.reached(goals, options) && chain.collision_depth() <= depth
        };
        let off = |rounds: &Rounds<'_>, chain: &IkChain| {
            iteration::distance(chain, rounds.goals, rounds.length) + chain.collision_depth()
        };
        if done(chain, self.goals) && self.xpbd.goal_compliance == 0.0 {
            return 0;
        }
        let (mut least, mut idle, mut escapes) = (f64::INFINITY, 0, 0);
        for round in 1..=options.iterations {
            self.round(chain);
            if done(chain, self.goals) {
                return round;
            }
            let now = off(self, chain);
            idle = if least - now < NO_GAIN * self.length { idle + 1 } else { 0 };
            least = least.min(now);
            let can_escape = options.escape && escapes < 2 && self.goals.len() == 1;
            if idle == 1 && can_escape && !chain.out_of_reach(0, &self.goals[0], options) {
                escapes += 1;
                iteration::escape(chain, options, escapes);
                least = f64::INFINITY;
            } else if idle > PATIENCE {
                return round;
            }
        }
        options.iterations
    }

    /// Visits all constraints once.
    fn round(&mut self, chain: &mut IkChain) {
        self.springs(chain);
        for (e, goal) in self.goals.iter().enumerate() {
            // Goals of later priorities yield.
            let (own, length) = (self.xpbd.goal_compliance, self.length);
            let compliance = |weight: f64| {
                let late = if goal.priority > 0 { LATER / goal.priority_weight() } else { 0.0 };
                (own + late) / weight
            };
            if goal.wants_position() {
                let compliance = compliance(goal.position_weight);
                let tip = chain.tips[e];
                let column = |chain: &IkChain, axis: &Vec3, joint: usize| {
                    axis.cross(&(chain.tips[e] - chain.position[joint])) / length
                };
                let error = (goal.position - tip) / length;
                let mut multiplier = self.position[e];
                self.vector(chain, Some(e), (error, compliance, true), &mut multiplier, column);
                self.position[e] = multiplier;
            }
            if goal.wants_orientation() {
                let compliance = compliance(goal.orientation_weight);
                let error = log(&(goal.orientation * chain.tip(e).1.inverse()));
                let mut multiplier = self.orientation[e];
                let column = |_: &IkChain, axis: &Vec3, _: usize| *axis;
                self.vector(chain, Some(e), (error, compliance, false), &mut multiplier, column);
                self.orientation[e] = multiplier;
            }
            if let Some(aim) = goal.wanted_aim() {
                let compliance = compliance(aim.weight);
                let (tip, orientation) = chain.tip(e);
                let Some((now, wanted, distance)) = aim.directions(&tip, &orientation) else { continue };
                let angle = aim.angle(&tip, &orientation);
                let about = now.cross(&wanted);
                let about =
                    about.try_normalize(1e-12).unwrap_or_else(|| crate::bend::across(&now).into_inner());
                // The direction rotates with the effector, and the opposite way when the effector moves.
                let column = |chain: &IkChain, axis: &Vec3, joint: usize| {
                    let moved = axis.cross(&(chain.tips[e] - chain.position[joint]));
                    let turned = axis + wanted.cross(&moved) / distance;
                    about * about.dot(&turned)
                };
                let mut multiplier = self.aim[e];
                self.vector(chain, Some(e), (about * angle, compliance, false), &mut multiplier, column);
                self.aim[e] = multiplier;
            }
        }
        self.contacts(chain);
        chain.keep_couplings(&mut self.delta);
    }

    /// Springs that hold joints to where they started.
    fn springs(&mut self, chain: &mut IkChain) {
        if !self.xpbd.joint_compliance.is_finite() {
            return;
        }
        for joint in 0..chain.len() {
            let ready = mobility(chain, joint);
            if ready <= 0.0 {
                continue;
            }
            let off = log(&(chain.local[joint] * self.start[joint].inverse()));
            let compliance = self.xpbd.joint_compliance * ready;
            let change = (-off - self.spring[joint] * compliance) / (ready + compliance);
            self.spring[joint] += change;
            let turned = mocap_model::exp(&(change * ready)) * chain.local[joint];
            let turned = Quat::new_normalize(turned.into_inner());
            let constraint = &chain.constraint[joint];
            chain.local[joint] = if self.limits { constraint.project(&turned).0 } else { turned };
        }
        chain.update();
    }

    /// Meets a constraint of three numbers: `error` is how far they are off, `column` how they
    /// change with a turn about an axis of a joint that carries the effector.
    fn vector(
        &mut self,
        chain: &mut IkChain,
        effector: Option<usize>,
        (error, compliance, travels): (Vec3, f64, bool),
        multiplier: &mut Vec3,
        column: impl Fn(&IkChain, &Vec3, usize) -> Vec3,
    ) {
        dofs::collect(chain, self.limits);
        let n = chain.scratch.dofs.len();
        let travel = if travels { chain.travel } else { 0.0 };
        self.delta[..n].fill(0.0);
        let right = error - *multiplier * compliance;
        let mut change = Vec3::zeros();
        // The second pass leaves out angles that would leave their range.
        for round in 0..2 {
            let mut matrix = Matrix3::identity() * (compliance + travel);
            let mut held = false;
            for k in 0..n {
                let column = self.column(chain, k, effector, &column);
                let ready = mobility(chain, chain.scratch.dofs[k].joint as usize);
                let dof = &chain.scratch.dofs[k];
                let turn = ready * column.dot(&change);
                let outwards = round > 0 && ((dof.angle + turn < dof.min) || (dof.angle + turn > dof.max));
                held |= outwards;
                if !outwards {
                    matrix += column * column.transpose() * ready;
                }
                self.delta[k] = if outwards { f64::NAN } else { 0.0 };
            }
            if round > 0 && !held {
                break;
            }
            let least = LEAST * matrix.trace().max(1e-9);
            let Some(factor) = (matrix + Matrix3::identity() * least).cholesky() else { return };
            change = factor.solve(&right);
        }
        let mut greatest = 0.0f64;
        for k in 0..n {
            let held = self.delta[k].is_nan();
            let ready = mobility(chain, chain.scratch.dofs[k].joint as usize);
            let turn = ready * self.column(chain, k, effector, &column).dot(&change);
            let dof = &chain.scratch.dofs[k];
            // An angle at a limit stops at the end of its range.
            self.delta[k] = if held { (dof.angle + turn).clamp(dof.min, dof.max) - dof.angle } else { turn };
            greatest = greatest.max(self.delta[k].abs());
        }
        let share = self.damping * if greatest > self.most_turn { self.most_turn / greatest } else { 1.0 };
        self.delta[..n].iter_mut().for_each(|turn| *turn *= share);
        *multiplier += change * share;
        dofs::apply(chain, self.limits, &self.delta[..n]);
        if travel > 0.0 {
            chain.base.translation.vector += change * (travel * share * self.length);
            chain.update();
        }
    }

    fn column(
        &self,
        chain: &IkChain,
        k: usize,
        effector: Option<usize>,
        column: &impl Fn(&IkChain, &Vec3, usize) -> Vec3,
    ) -> Vec3 {
        let dof = &chain.scratch.dofs[k];
        let joint = dof.joint as usize;
        match effector {
            Some(effector) if !chain.carries(joint, effector) => Vec3::zeros(),
            _ => column(chain, &dof.axis, joint),
        }
    }

    /// Pushes apart capsules that penetrate each other.
    fn contacts(&mut self, chain: &mut IkChain) {
        for at in 0..chain.pairs.len() {
            let pair: Pair = chain.pairs[at];
            let Near { points, normal, depth } = chain.near(&pair);
            // Contacts only push.
            let pushed = self.contact[at];
            if depth <= 0.0 && pushed <= 0.0 {
                continue;
            }
            let joints = pair.capsules.map(|capsule| chain.capsules[capsule].joint);
            let length = self.length;
            let column = |chain: &IkChain, axis: &Vec3, joint: usize| {
                let moved = |side: usize| match chain.is_above(joint, joints[side]) {
                    true => axis.cross(&(points[side] - chain.position[joint])),
                    false => Vec3::zeros(),
                };
                normal * normal.dot(&(moved(0) - moved(1))) / length
            };
            let mut multiplier = normal * pushed;
            let error = (depth / length).max(-pushed);
            self.vector(chain, None, (normal * error, 0.0, false), &mut multiplier, column);
            self.contact[at] = multiplier.dot(&normal).max(0.0);
        }
    }
}

/// Mobility of a joint: its inverse mass.
fn mobility(chain: &IkChain, joint: usize) -> f64 {
    (1.0 - chain.constraint[joint].stiffness).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capsule, Constraint, Effector, Link, SolveStatus};
    use mocap_model::{Isometry3, exp};

    fn link(offset: Vec3, turn: Vec3) -> Link {
        Link { offset, rotation: exp(&turn), constraint: Constraint::free() }
    }

    fn arm(links: usize) -> IkChain {
        let links = (0..links).map(|i| {
            let offset = if i == 0 { Vec3::zeros() } else { Vec3::new(0.3, 0.0, 0.0) };
            link(offset, Vec3::new(0.0, 0.0, 0.15))
        });
        IkChain::serial(Isometry3::identity(), links.collect(), Vec3::new(0.3, 0.0, 0.0)).unwrap()
    }

    #[test]
    fn compliance_shares_an_error_between_the_goal_and_the_joints() {
        // One joint at rest, a goal a small turn away: the least of (θ/1)² + (goal − θ)²/α.
        let goal = Goal::at(Vec3::new(0.3 * 0.1f64.cos(), 0.3 * 0.1f64.sin(), 0.0));
        for compliance in [0.0, 0.5, 2.0] {
            let mut chain = arm(1);
            chain.set_rotation(0, Quat::identity());
            let solver = Xpbd { goal_compliance: compliance, ..Xpbd::default() };
            let options = SolveOptions { position_tolerance: 1e-9, ..SolveOptions::default() };
            solver.solve(&mut chain, &[goal], &options).unwrap();
            let turned = chain.rotations()[0].angle();
            assert!((turned - 0.1 / (1.0 + compliance)).abs() < 1e-3, "{compliance}: {turned}");
        }
    }

    #[test]
    fn springs_hold_stiff_joints_more() {
        let goal = Goal::at(Vec3::new(0.5, 0.5, 0.2));
        let turns = |solver: Xpbd, stiffness: f64| {
            let mut chain = arm(3);
            let before = chain.rotations().to_vec();
            chain.set_constraint(0, Constraint { stiffness, ..Constraint::free() });
            solver.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
            chain.rotations().iter().zip(&before).map(|(a, b)| a.angle_to(b)).collect::<Vec<f64>>()
        };
        let (soft, stiff) = (turns(Xpbd::default(), 0.0), turns(Xpbd::default(), 0.9));
        assert!(stiff[0] < 0.5 * soft[0], "{stiff:?} {soft:?}");
        assert!(turns(Xpbd::default(), 1.0)[0] < 1e-12);
        let held = Xpbd { joint_compliance: 0.05, goal_compliance: 0.5, ..Xpbd::default() };
        let sum = |turns: &[f64]| turns.iter().sum::<f64>();
        assert!(sum(&turns(held, 0.0)) < 0.7 * sum(&soft));
    }

    #[test]
    fn capsules_stay_out_of_each_other() {
        // A trunk, and an arm on its side whose goal is inside the trunk.
        let links = vec![
            link(Vec3::zeros(), Vec3::zeros()),
            link(Vec3::new(0.0, 0.5, 0.0), Vec3::zeros()),
            link(Vec3::new(0.2, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.3)),
            link(Vec3::new(0.3, 0.0, 0.0), Vec3::new(0.0, 0.3, 0.0)),
        ];
        let effectors =
            vec![Effector { joint: 3, offset: Vec3::new(0.3, 0.0, 0.0), rotation: Quat::identity() }];
        let parents = vec![None, Some(0), Some(1), Some(2)];
        let mut chain = IkChain::tree(Isometry3::identity(), links, parents, effectors).unwrap();
        [0, 1].iter().for_each(|joint| {
            chain.set_constraint(*joint, Constraint { stiffness: 1.0, ..Constraint::free() });
        });
        let up = Vec3::new(0.0, 0.5, 0.0);
        let trunk = Capsule { joint: 0, from: Vec3::zeros(), to: up, radius: 0.12 };
        let fore = Capsule { joint: 3, from: Vec3::zeros(), to: Vec3::new(0.3, 0.0, 0.0), radius: 0.04 };
        let goal = Goal::at(Vec3::new(0.02, 0.25, 0.02));
        let mut free = chain.clone();
        let outcome = Xpbd::default().solve(&mut free, &[goal], &SolveOptions::default()).unwrap();
        assert_eq!(outcome.status, SolveStatus::Reached);
        chain.set_capsules(&[trunk, fore]).unwrap();
        assert_eq!(chain.collision_depth(), 0.0);
        let outcome = Xpbd::default().solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
        assert!(chain.collision_depth() < 1e-3, "{}", chain.collision_depth());
        // Outside, and no further than necessary.
        assert!((0.1..0.22).contains(&outcome.position), "{outcome:?}");
        let wrong = Capsule { joint: 9, ..trunk };
        assert_eq!(chain.set_capsules(&[trunk, wrong]), Err(IkError::Capsule { capsule: 1 }));
        // Goals may demand an allowed pose in which they overlap.
        chain.set_rotations(free.rotations());
        assert!(chain.collision_depth() > 0.05);
        chain.allow_overlaps();
        assert!(chain.collision_depth() < 1e-12);
        let outcome = Xpbd::default().solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
        assert_eq!(outcome.status, SolveStatus::Reached);
    }

    #[test]
    fn a_base_that_travels_reaches_what_joints_cannot() {
        let goal = Goal::at(Vec3::new(1.5, 0.5, 0.0));
        for solver in [&Xpbd::default() as &dyn Solver, &crate::Objective::default()] {
            let mut chain = arm(3);
            assert_ne!(
                solver.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap().status,
                SolveStatus::Reached
            );
            let mut chain = arm(3);
            chain.set_travel(0.1);
            let outcome = solver.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
            assert_eq!(outcome.status, SolveStatus::Reached, "{outcome:?}");
            assert!(chain.base().translation.vector.norm() > 0.3);
            assert_eq!(
                crate::Ccd.solve(&mut chain, &[goal], &SolveOptions::default()),
                Err(IkError::NeedsBody)
            );
        }
    }

    /// Many joints, one goal and a base that travels: the objective needs more numbers than the Jacobian solvers do.
    #[test]
    fn a_long_chain_whose_base_travels_is_solved_by_both() {
        let goal = Goal::at(Vec3::new(9.0, 0.5, 0.0));
        for solver in [&Xpbd::default() as &dyn Solver, &crate::Objective::default()] {
            let mut chain = arm(24);
            chain.set_travel(0.1);
            let outcome = solver.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
            assert_eq!(outcome.status, SolveStatus::Reached, "{outcome:?}");
        }
    }

    #[test]
    fn an_effector_aims_and_keeps_its_place() {
        let at = Vec3::new(-1.0, 1.5, 0.7);
        for solver in [&Xpbd::default() as &dyn Solver, &crate::Objective::default()] {
            let mut chain = arm(4);
            let place = Vec3::new(0.7, 0.4, 0.1);
            let goal = Goal { aim: Goal::looking(Vec3::y(), at).aim, ..Goal::at(place) };
            let options = SolveOptions { iterations: 300, ..SolveOptions::default() };
            let outcome = solver.solve(&mut chain, &[goal], &options).unwrap();
            assert_eq!(outcome.status, SolveStatus::Reached, "{outcome:?}");
            let (tip, orientation) = chain.tip(0);
            assert!((tip - place).norm() < 1e-3);
            assert!((orientation * Vec3::y()).angle(&(at - tip)) < 2e-3);
        }
    }
}
