//! Two rigid bones: one joint bends until the distance fits, the first joint aims.
//!
//! The joint that bends turns about one axis (its hinge, an axis given for the limb, or the normal of the
//! current pose), so the angle follows from the law of cosines in the plane across that axis; what lies along
//! the axis stays. Joints between the two that turn are held still. A longer chain is solved the same way, as
//! two rigid pieces.

use crate::bend::bend_turn;
use crate::step::{JointTarget, shortest, turn};
use crate::{Freedom, Goal, IkChain, IkError, Quat, SolveOptions, SolveOutcome, Solver, Vec3, unconstrained};
use nalgebra::Unit;
use std::f64::consts::{PI, TAU};

/// The two-bone solution, for chains with one effector. Respects limits; ignores stiffness, damping and
/// orientation goals.
///
/// ```
/// use mocap_ik::{Constraint, Goal, IkChain, Link, SolveOptions, SolveStatus, Solver, TwoBone};
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
/// let outcome = TwoBone.solve(&mut chain, &[goal], &SolveOptions::default())?;
/// assert_eq!(outcome.status, SolveStatus::Reached);
/// # Ok::<(), mocap_ik::IkError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TwoBone;

/// Greatest number of rounds of bending and aiming; several are needed only if limits of the first joint
/// interfere.
const ROUNDS: u32 = 8;

impl Solver for TwoBone {
    fn solve(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        options: &SolveOptions,
    ) -> Result<SolveOutcome, IkError> {
        if chain.effectors.len() != 1 {
            return Err(IkError::SeveralEffectors { method: "two-bone", effectors: chain.effectors.len() });
        }
        let no_bend = IkError::NoBend { method: "two-bone" };
        let first = chain.first_turning(0).ok_or(no_bend.clone())?;
        let bend = chain.bend_at.ok_or(no_bend)?;
        chain.begin(goals, options)?;
        let goal = &goals[0];
        if unconstrained::applies(chain, goals, options) {
            let step = |chain: &mut IkChain, _| _ = unconstrained::bend_to_goal(chain, goal, options);
            if let Some(outcome) = unconstrained::solve(chain, goal, options, 1, step) {
                swivel_to_pole(chain, goal, options);
                return Ok(outcome);
            }
        }
        let mut iterations = 0;
        while iterations < ROUNDS.min(options.iterations) && !chain.reached(goals, options) {
            iterations += 1;
            let before = (goal.position - chain.tip(0).0).norm();
            bend_either_side(chain, first, bend, goal, options);
            let after = (goal.position - chain.tip(0).0).norm();
            if iterations > 1 && after > 0.999 * before {
                break;
            }
        }
        swivel_to_pole(chain, goal, options);
        Ok(chain.outcome(goals, options, iterations))
    }
}

impl TwoBone {
    /// The number of swivels that [`TwoBone::swivel_distances`] evaluates.
    pub const SWIVELS: usize = 48;

    /// How far the effector stays from the goal \[units of the skeleton\] at each of [`TwoBone::SWIVELS`]
    /// equal steps of a whole turn of the two-bone solution about the line from the first joint to the goal,
    /// with the first joint held within its limits; the first is the solution with the shortest turn from the
    /// pose of the chain. The chain is left bent.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn swivel_distances(
        &self,
        chain: &mut IkChain,
        goal: &Goal,
        options: &SolveOptions,
    ) -> Result<[f64; TwoBone::SWIVELS], IkError> {
        let (first, aim) = bend_for(chain, goal, options)?;
        let (at, frame) = (chain.position[first], chain.frame[first]);
        let arm = frame.inverse() * (chain.tips[0] - at);
        let parent = chain.parent_frame(first);
        let constraint = chain.constraint[first];
        let step = TAU / TwoBone::SWIVELS as f64;
        let miss = |k: usize| {
            let local = constraint.project(&aim.local(k as f64 * step)).0;
            (at + parent * (local * arm) - goal.position).norm()
        };
        Ok(std::array::from_fn(miss))
    }

    /// Poses the chain as the two-bone solution at a swivel \[rad\], as near as the limits of the first joint
    /// allow: a pose to solve from.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn set_swivel(
        &self,
        chain: &mut IkChain,
        goal: &Goal,
        options: &SolveOptions,
        swivel: f64,
    ) -> Result<(), IkError> {
        let (first, aim) = bend_for(chain, goal, options)?;
        let local = aim.local(swivel);
        let allowed = if options.limits { chain.constraint[first].project(&local).0 } else { local };
        chain.set_rotation(first, allowed);
        Ok(())
    }
}

/// Bends the chain until its effector is as far from its first joint as the goal is, within the limits of the
/// joint that bends. Returns the first joint, and its rotations that aim at the goal.
fn bend_for(chain: &mut IkChain, goal: &Goal, options: &SolveOptions) -> Result<(usize, SwivelAim), IkError> {
    if chain.effectors.len() != 1 {
        return Err(IkError::SeveralEffectors { method: "two-bone", effectors: chain.effectors.len() });
    }
    let no_bend = IkError::NoBend { method: "two-bone" };
    let first = chain.first_turning(0).ok_or(no_bend.clone())?;
    let bend = chain.bend_at.ok_or(no_bend)?;
    chain.begin(std::slice::from_ref(goal), &SolveOptions { limits: false, ..*options })?;
    let constraint = chain.constraint[bend];
    chain.local[bend] = constraint.project(&chain.local[bend]).0;
    chain.update();
    let (a, b, c) = (chain.position[first], chain.position[bend], chain.tips[0]);
    let square = (goal.position - a).norm_squared();
    if let Some(by) = bend_turn(chain, bend, [&(a - b), &(c - b)], square, goal, options, false) {
        let local = chain.parent_frame(bend).inverse() * (by * chain.frame[bend]);
        chain.local[bend] = constraint.project(&Quat::new_normalize(local.into_inner())).0;
        chain.update();
    }
    Ok((first, SwivelAim::of(chain, first, goal)))
}

/// The rotations of a joint that aim the effector at a goal.
struct SwivelAim {
    back: Quat,
    line: Unit<Vec3>,
    aimed: Quat,
}

impl SwivelAim {
    fn of(chain: &IkChain, first: usize, goal: &Goal) -> SwivelAim {
        let at = chain.position[first];
        let (arm, to) = (chain.tip(0).0 - at, goal.position - at);
        SwivelAim {
            back: chain.parent_frame(first).inverse(),
            line: Unit::try_new(to, 0.0).unwrap_or(Vec3::x_axis()),
            aimed: shortest(&arm, &to) * chain.frame[first],
        }
    }

    /// The local rotation after a swivel about the line to the goal.
    fn local(&self, swivel: f64) -> Quat {
        let turned = Quat::from_axis_angle(&self.line, swivel) * self.aimed;
        Quat::new_normalize((self.back * turned).into_inner())
    }
}

/// Tries the two-bone solution at each joint that can bend; `true` at the first one that meets the goal. Of
/// the others, keeps those that bring the effector nearer. Finishes iterative solvers.
pub(crate) fn finish(chain: &mut IkChain, goal: &Goal, options: &SolveOptions) -> bool {
    let Some(first) = chain.first_turning(0) else { return false };
    let Some(preferred) = chain.bend_at else { return false };
    for k in 0..=chain.path_len(0) {
        let bend = if k == 0 { preferred } else { chain.path_joint(0, k - 1) };
        let twice = k > 0 && bend == preferred;
        if bend <= first || twice || chain.constraint[bend].is_locked() {
            continue;
        }
        let kept = (chain.local[first], chain.local[bend]);
        let before = (goal.position - chain.tip(0).0).norm_squared();
        bend_either_side(chain, first, bend, goal, options);
        if chain.reached(std::slice::from_ref(goal), options) {
            return true;
        }
        if (goal.position - chain.tip(0).0).norm_squared() >= before {
            (chain.local[first], chain.local[bend]) = kept;
            chain.update();
        }
    }
    false
}

/// As [`bend_and_aim`]; if limits keep that from the goal, also tries a hinge bent to its other side, unless
/// a given axis fixes the side.
fn bend_either_side(chain: &mut IkChain, first: usize, bend: usize, goal: &Goal, options: &SolveOptions) {
    let start = (chain.local[first], chain.local[bend]);
    bend_and_aim(chain, first, bend, goal, options, false);
    let hinge = matches!(chain.constraint[bend].freedom, Freedom::Hinge { .. });
    let has_axis = matches!(chain.bend, Some((joint, Some(_))) if joint == bend);
    if !hinge || has_axis || !options.limits || chain.reached(std::slice::from_ref(goal), options) {
        return;
    }
    let distance = |chain: &IkChain| (goal.position - chain.tips[0]).norm_squared();
    let (kept, left) = ((chain.local[first], chain.local[bend]), distance(chain));
    (chain.local[first], chain.local[bend]) = start;
    chain.update();
    bend_and_aim(chain, first, bend, goal, options, true);
    if distance(chain) >= left {
        (chain.local[first], chain.local[bend]) = kept;
        chain.update();
    }
}

/// Bends `bend` until the effector is as far from `first` as the goal is, then aims `first` at the goal.
/// `flipped`: a hinge bends to its other side.
fn bend_and_aim(
    chain: &mut IkChain,
    first: usize,
    bend: usize,
    goal: &Goal,
    options: &SolveOptions,
    flipped: bool,
) {
    let (a, b, c) = (chain.position[first], chain.position[bend], chain.tip(0).0);
    let square = (goal.position - a).norm_squared();
    let by = bend_turn(chain, bend, [&(a - b), &(c - b)], square, goal, options, flipped);
    if let Some(by) = by {
        let parent = chain.parent_frame(bend);
        let local = parent.inverse() * (by * chain.frame[bend]);
        let local = Quat::new_normalize(local.into_inner());
        let constraint = &chain.constraint[bend];
        chain.local[bend] = if options.limits { constraint.project(&local).0 } else { local };
        chain.update();
    }
    aim(chain, first, goal, options);
}

/// Turns `first` until the effector points at the goal: by the shortest turn, or, if limits forbid it, by the
/// allowed turn with the least swivel about the line to the goal.
fn aim(chain: &mut IkChain, first: usize, goal: &Goal, options: &SolveOptions) {
    let (at, (tip, orientation)) = (chain.position[first], chain.tip(0));
    let goal = Goal { orientation_weight: 0.0, position_weight: 1.0, ..*goal };
    let mut target = JointTarget::new(&goal, chain.length(0), &at, &tip, &orientation);
    let constraint = chain.constraint[first];
    let swivels = matches!(constraint.freedom, Freedom::Ball { .. } | Freedom::Euler { .. });
    if options.limits && swivels {
        let aim = SwivelAim::of(chain, first, &goal);
        let local = |swivel: f64| aim.local(swivel);
        let allowed = |swivel: f64| !constraint.project(&local(swivel)).1;
        if let Some(swivel) = least_swivel(allowed) {
            chain.local[first] = local(swivel);
            chain.update();
            return;
        }
        let arm = chain.frame[first].inverse() * (tip - at);
        let parent = chain.parent_frame(first);
        let nearest = |swivel: f64| constraint.project(&local(swivel)).0;
        let miss = |swivel: f64| (at + parent * (nearest(swivel) * arm) - goal.position).norm();
        chain.local[first] = nearest(nearest_swivel(miss));
        chain.update();
        return;
    }
    let undamped = SolveOptions { damping: 1.0, max_turn: PI, ..*options };
    if let Some(local) = turn(chain, first, &mut target, &undamped) {
        chain.local[first] = local;
        chain.update();
    }
}

/// Step of a search for a swivel \[rad\].
const SWIVEL_STEP: f64 = PI / 24.0;

/// The swivel that misses least: searched in steps of 7.5°, the least swivel first, then between its neighbours.
fn nearest_swivel(miss: impl Fn(f64) -> f64) -> f64 {
    /// Steps of the golden section: to 1e-6 of a step.
    const ROUNDS: usize = 29;
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let around = (1..=24).flat_map(|k| [f64::from(k), -f64::from(k)]);
    let tried = std::iter::once(0.0).chain(around).map(|k| (k * SWIVEL_STEP, miss(k * SWIVEL_STEP)));
    let (best, least) = tried.reduce(|best, other| if other.1 < best.1 { other } else { best }).expect("49");
    let (mut low, mut high) = (best - SWIVEL_STEP, best + SWIVEL_STEP);
    let at = |low: f64, high: f64, share: f64| low + (high - low) * share;
    let (mut a, mut b) = (at(low, high, 1.0 - GOLDEN), at(low, high, GOLDEN));
    let (mut miss_a, mut miss_b) = (miss(a), miss(b));
    for _ in 0..ROUNDS {
        if miss_a < miss_b {
            (high, b, miss_b) = (b, a, miss_a);
            a = at(low, high, 1.0 - GOLDEN);
            miss_a = miss(a);
        } else {
            (low, a, miss_a) = (a, b, miss_b);
            b = at(low, high, GOLDEN);
            miss_b = miss(b);
        }
    }
    if miss_a.min(miss_b) < least { if miss_a < miss_b { a } else { b } } else { best }
}

/// The allowed angle nearest to 0: searched in steps of 7.5° to both sides, then bisected. The result changes
/// as smoothly as the goal does.
fn least_swivel(allowed: impl Fn(f64) -> bool) -> Option<f64> {
    if allowed(0.0) {
        return Some(0.0);
    }
    let (k, side) = (1..=24)
        .flat_map(|k| [(k, 1.0), (k, -1.0)])
        .find(|&(k, side)| allowed(f64::from(k) * side * SWIVEL_STEP))?;
    let (mut outside, mut inside) =
        (f64::from(k - 1) * side * SWIVEL_STEP, f64::from(k) * side * SWIVEL_STEP);
    for _ in 0..40 {
        let middle = (outside + inside) / 2.0;
        if allowed(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    Some(inside)
}

/// Turns the whole chain about the line from its first joint to its effector, so the joint that bends
/// points towards the pole. Only if the limits of the first joint allow that turn.
pub(crate) fn swivel_to_pole(chain: &mut IkChain, goal: &Goal, options: &SolveOptions) {
    let Some(pole) = goal.pole else { return };
    let (Some(first), Some(bend)) = (chain.first_turning(0), chain.bend_at) else { return };
    let (origin, tip) = (chain.position[first], chain.tip(0).0);
    let Some(line) = Unit::try_new(tip - origin, 0.0) else { return };
    let side = |point: Vec3| {
        let arm = point - origin;
        arm - *line * arm.dot(&line)
    };
    let (now, target) = (side(chain.position[bend]), side(pole));
    let straight = 1e-6 * chain.length(0);
    if now.norm() < straight || target.norm() < straight {
        return;
    }
    let mut by = shortest(&now, &target);
    if now.dot(&target) < 0.0 {
        // Opposite sides: ensures that the half turn is about the line.
        by = Quat::from_axis_angle(&line, now.cross(&target).dot(&line).atan2(now.dot(&target)));
    }
    let local = chain.parent_frame(first).inverse() * (by * chain.frame[first]);
    let local = Quat::new_normalize(local.into_inner());
    if !options.limits || chain.constraint[first].is_free() || !chain.constraint[first].project(&local).1 {
        chain.local[first] = local;
        chain.update();
    }
}
