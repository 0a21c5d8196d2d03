//! Two rigid bones: one joint bends until the distance is right, the first joint aims.
//!
//! The joint that bends turns about one axis (its hinge, an axis given for the limb, or the normal of the
//! current pose), so the angle follows from the law of cosines in the plane across that axis; what lies along
//! the axis stays. Joints between the two that turn are held still. A longer chain is solved the same way, as
//! two rigid pieces.

use crate::constraint::{clamp, twist_angle};
use crate::step::{Pull, shortest, turn};
use crate::{Chain, Freedom, Goal, IkError, Options, Outcome, Quat, Solver, Vec3, plain};
use nalgebra::{Quaternion, Unit};
use std::f64::consts::{PI, TAU};

/// The solver of this module, for chains with one effector. Stiffness, damping and orientation goals do not
/// count; limits do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TwoBone;

/// Aiming and bending alternate so often at most where limits of the first joint stand in the way.
const ROUNDS: u32 = 8;

impl Solver for TwoBone {
    fn solve(&self, chain: &mut Chain, goals: &[Goal], options: &Options) -> Result<Outcome, IkError> {
        if chain.effectors.len() != 1 {
            return Err(IkError::SeveralEffectors { method: "two-bone", effectors: chain.effectors.len() });
        }
        let no_bend = IkError::NoBend { method: "two-bone" };
        let first = chain.first_turning(0).ok_or(no_bend.clone())?;
        let bend = chain.bend_at.ok_or(no_bend)?;
        chain.begin(goals, options)?;
        let goal = &goals[0];
        if plain::is_plain(chain, goals, options) {
            let step = |chain: &mut Chain, _| _ = plain::close(chain, goal, options);
            if let Some(outcome) = plain::solve(chain, goal, options, 1, step) {
                swivel_to_pole(chain, goal, options);
                return Ok(outcome);
            }
        }
        let mut iterations = 0;
        while iterations < ROUNDS.min(options.iterations) && !chain.reached(goals, options) {
            iterations += 1;
            let before = (goal.position - chain.tip(0).0).norm();
            close_either(chain, first, bend, goal, options);
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
    /// How many swivels [`TwoBone::swivels`] looks at.
    pub const SWIVELS: usize = 48;

    /// How far the effector stays from the goal \[units of the skeleton\] at each of [`TwoBone::SWIVELS`] equal steps
    /// of a whole turn of the two-bone solution about the line from the first joint to the goal, with the first joint
    /// held within its limits; the first is the solution with the shortest turn from the pose of the chain. The chain
    /// is left bent.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn swivels(
        &self,
        chain: &mut Chain,
        goal: &Goal,
        options: &Options,
    ) -> Result<[f64; TwoBone::SWIVELS], IkError> {
        let (first, swivelled) = bent(chain, goal, options)?;
        let (at, frame) = (chain.position[first], chain.frame[first]);
        let arm = frame.inverse() * (chain.tips[0] - at);
        let parent = chain.parent_frame(first);
        let constraint = chain.constraint[first];
        let step = TAU / TwoBone::SWIVELS as f64;
        let miss = |k: usize| {
            let local = constraint.project(&swivelled.local(k as f64 * step)).0;
            (at + parent * (local * arm) - goal.position).norm()
        };
        Ok(std::array::from_fn(miss))
    }

    /// Poses the chain as the two-bone solution has it at a swivel \[rad\], as near as the limits of the first joint
    /// allow: a pose to solve from.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn pose_swivelled(
        &self,
        chain: &mut Chain,
        goal: &Goal,
        options: &Options,
        swivel: f64,
    ) -> Result<(), IkError> {
        let (first, swivelled) = bent(chain, goal, options)?;
        let local = swivelled.local(swivel);
        let allowed = if options.limits { chain.constraint[first].project(&local).0 } else { local };
        chain.set_rotation(first, allowed);
        Ok(())
    }
}

/// Bends the chain until its effector is as far from its first joint as the goal is, within the limits of the joint
/// that bends; the first joint, and how it would aim.
fn bent(chain: &mut Chain, goal: &Goal, options: &Options) -> Result<(usize, Swivelled), IkError> {
    if chain.effectors.len() != 1 {
        return Err(IkError::SeveralEffectors { method: "two-bone", effectors: chain.effectors.len() });
    }
    let no_bend = IkError::NoBend { method: "two-bone" };
    let first = chain.first_turning(0).ok_or(no_bend.clone())?;
    let bend = chain.bend_at.ok_or(no_bend)?;
    chain.begin(std::slice::from_ref(goal), &Options { limits: false, ..*options })?;
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
    Ok((first, Swivelled::of(chain, first, goal)))
}

/// The rotations of a joint that aim the effector at a goal.
struct Swivelled {
    back: Quat,
    line: Unit<Vec3>,
    aimed: Quat,
}

impl Swivelled {
    fn of(chain: &Chain, first: usize, goal: &Goal) -> Swivelled {
        let at = chain.position[first];
        let (arm, to) = (chain.tip(0).0 - at, goal.position - at);
        Swivelled {
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

/// A unit vector across `v`; across nothing it is X.
pub(crate) fn across(v: &Vec3) -> Unit<Vec3> {
    let mut axis = Vec3::zeros();
    axis[v.iamin()] = 1.0;
    Unit::try_new(v.cross(&axis), 0.0).unwrap_or(Vec3::x_axis())
}

/// Tries the two-bone solution at each joint that could bend; `true` with the first that meets the goal. Of the
/// others what brings the effector nearer is kept. Used to finish iterative solvers.
pub(crate) fn finish(chain: &mut Chain, goal: &Goal, options: &Options) -> bool {
    let Some(first) = chain.first_turning(0) else { return false };
    let Some(favourite) = chain.bend_at else { return false };
    for k in 0..=chain.path_len(0) {
        let bend = if k == 0 { favourite } else { chain.path_joint(0, k - 1) };
        let twice = k > 0 && bend == favourite;
        if bend <= first || twice || chain.constraint[bend].is_locked() {
            continue;
        }
        let kept = (chain.local[first], chain.local[bend]);
        let before = (goal.position - chain.tip(0).0).norm_squared();
        close_either(chain, first, bend, goal, options);
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

/// [`close`], and where limits keep that from the goal, with a hinge bent to its other side if that is better and
/// no axis says which side is right.
fn close_either(chain: &mut Chain, first: usize, bend: usize, goal: &Goal, options: &Options) {
    let start = (chain.local[first], chain.local[bend]);
    close(chain, first, bend, goal, options, false);
    let hinge = matches!(chain.constraint[bend].freedom, Freedom::Hinge { .. });
    let has_axis = matches!(chain.bend, Some((joint, Some(_))) if joint == bend);
    if !hinge || has_axis || !options.limits || chain.reached(std::slice::from_ref(goal), options) {
        return;
    }
    let missing = |chain: &Chain| (goal.position - chain.tips[0]).norm_squared();
    let (kept, left) = ((chain.local[first], chain.local[bend]), missing(chain));
    (chain.local[first], chain.local[bend]) = start;
    chain.update();
    close(chain, first, bend, goal, options, true);
    if missing(chain) >= left {
        (chain.local[first], chain.local[bend]) = kept;
        chain.update();
    }
}

/// Bends `bend` until the effector is as far from `first` as the goal is, then aims `first` at the goal. `flipped`:
/// a hinge bends to its other side.
fn close(chain: &mut Chain, first: usize, bend: usize, goal: &Goal, options: &Options, flipped: bool) {
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

/// Turns `first` so that the effector points at the goal: by the shortest turn, or where its limits forbid that,
/// by the turn with the least swivel about the line to the goal that they allow.
fn aim(chain: &mut Chain, first: usize, goal: &Goal, options: &Options) {
    let (at, (tip, orientation)) = (chain.position[first], chain.tip(0));
    let goal = Goal { orientation_weight: 0.0, position_weight: 1.0, ..*goal };
    let mut pull = Pull::new(&goal, chain.length(0), &at, &tip, &orientation);
    let constraint = chain.constraint[first];
    let swivels = matches!(constraint.freedom, Freedom::Ball { .. } | Freedom::Euler { .. });
    if options.limits && swivels {
        let swivelled = Swivelled::of(chain, first, &goal);
        let local = |swivel: f64| swivelled.local(swivel);
        let allowed = |swivel: f64| !constraint.project(&local(swivel)).1;
        if let Some(swivel) = least_swivel(allowed) {
            chain.local[first] = local(swivel);
            chain.update();
            return;
        }
    }
    let undamped = Options { damping: 1.0, max_turn: PI, ..*options };
    if let Some(local) = turn(chain, first, &mut pull, &undamped) {
        chain.local[first] = local;
        chain.update();
    }
}

/// The angle nearest to 0 that is allowed: looked for in steps of 7.5° to both sides, then halved down to the
/// border, so that it changes as smoothly as the goal does.
fn least_swivel(allowed: impl Fn(f64) -> bool) -> Option<f64> {
    const STEP: f64 = PI / 24.0;
    if allowed(0.0) {
        return Some(0.0);
    }
    let (k, side) = (1..=24)
        .flat_map(|k| [(k, 1.0), (k, -1.0)])
        .find(|&(k, side)| allowed(f64::from(k) * side * STEP))?;
    let (mut outside, mut inside) = (f64::from(k - 1) * side * STEP, f64::from(k) * side * STEP);
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

/// The turn (object space) of the bending joint, with `u` towards the first joint and `v` towards the effector,
/// after which both are the root of `square` apart. `None` where a bone has no length across the axis.
pub(crate) fn bend_turn(
    chain: &Chain,
    bend: usize,
    [u, v]: [&Vec3; 2],
    square: f64,
    goal: &Goal,
    options: &Options,
    flipped: bool,
) -> Option<Quat> {
    let constraint = &chain.constraint[bend];
    let parent = chain.parent_frame(bend);
    let given = chain.bend.filter(|(joint, _)| *joint == bend).and_then(|(_, axis)| axis);
    let hinge = match &constraint.freedom {
        Freedom::Hinge { axis, range } if options.limits => Some((axis, range)),
        _ => None,
    };
    let axis = match (hinge, given) {
        (Some((axis, _)), _) => parent * constraint.outer() * axis,
        (None, Some(axis)) => spanning(parent * axis, u, v, square),
        (None, None) => normal(chain, bend, u, v, goal),
    };
    let (u_along, v_along) = (u.dot(&axis), v.dot(&axis));
    let (u_across, v_across) = (u - *axis * u_along, v - *axis * v_along);
    let product = (u_across.norm_squared() * v_across.norm_squared()).sqrt();
    if product <= f64::MIN_POSITIVE {
        return None;
    }
    let wished = u.norm_squared() + v.norm_squared() - 2.0 * u_along * v_along - square;
    let cosine = (wished / (2.0 * product)).clamp(-1.0, 1.0);
    let mut sine = (1.0 - cosine * cosine).sqrt();
    // The angle from `v` to `u` about the axis, now and as wished; turning `v` by the difference closes it.
    let (now_cosine, now_sine) =
        (v_across.dot(&u_across) / product, axis.dot(&v_across.cross(&u_across)) / product);
    let Some((hinge_axis, range)) = hinge else {
        let turn = (now_cosine * cosine + now_sine * sine, now_sine * cosine - now_cosine * sine);
        return Some(about(&axis, turn.0, turn.1));
    };
    let sign = constraint.sign();
    let angle = twist_angle(&constraint.to_free(&chain.local[bend]), hinge_axis);
    let turn_to = |sine: f64| {
        let by = (now_sine * cosine - now_cosine * sine).atan2(now_cosine * cosine + now_sine * sine);
        let (clamped, outside) = clamp(angle + sign * by, range);
        (sign * (clamped - angle), outside)
    };
    // The side on which the joint is bent now, unless an axis says which, or only the other side is allowed.
    let flexes = given.map_or(now_sine, |given| given.dot(&(constraint.outer() * hinge_axis)));
    if (flexes < 0.0) != flipped {
        sine = -sine;
    }
    let (mut by, outside) = turn_to(sine);
    if outside {
        let (other, other_outside) = turn_to(-sine);
        if !other_outside {
            by = other;
        }
    }
    Some(Quat::from_axis_angle(&axis, by))
}

/// An axis given for a joint that turns freely; where the bones cannot span the distance about it, because they do
/// not lie across it, the normal of their plane on the same side.
fn spanning(axis: Unit<Vec3>, u: &Vec3, v: &Vec3, square: f64) -> Unit<Vec3> {
    let (u_along, v_along) = (u.dot(&axis), v.dot(&axis));
    let (uu, vv) = (u.norm_squared(), v.norm_squared());
    let wished = uu + vv - 2.0 * u_along * v_along - square;
    if wished * wished <= 4.0 * (uu - u_along * u_along) * (vv - v_along * v_along) {
        return axis;
    }
    let normal = v.cross(u);
    let side = if normal.dot(&axis) < 0.0 { -1.0 } else { 1.0 };
    if normal.norm_squared() > 1e-14 * uu * vv { Unit::new_normalize(normal * side) } else { axis }
}

/// The normal of the plane the limb bends in: of its pose; of its pole where the pose is straight; or else an
/// axis that stays with the bone above.
fn normal(chain: &Chain, bend: usize, u: &Vec3, v: &Vec3, goal: &Goal) -> Unit<Vec3> {
    let straight = 1e-14 * u.norm_squared() * v.norm_squared();
    let unit = |normal: Vec3| (normal.norm_squared() > straight).then(|| Unit::new_normalize(normal));
    let from_pole = || goal.pole.and_then(|pole| unit(u.cross(&(pole - chain.position[bend]))));
    unit(v.cross(u)).or_else(from_pole).unwrap_or_else(|| {
        let parent = chain.parent_frame(bend);
        parent * across(&(parent.inverse() * u))
    })
}

/// The rotation about an axis whose angle has this cosine and sine.
fn about(axis: &Unit<Vec3>, cosine: f64, sine: f64) -> Quat {
    // Half of the larger of the two squares is never lost to rounding.
    let (w, s) =
        if cosine >= 0.0 { (1.0 + cosine, sine) } else { (sine.abs(), (1.0 - cosine).copysign(sine)) };
    Quat::new_normalize(Quaternion::from_parts(w, axis.into_inner() * s))
}

/// Turns the whole chain about the line from its first joint to its effector, so that the joint that bends
/// shows towards the pole. Done where the first joint can make that turn without leaving its limits.
pub(crate) fn swivel_to_pole(chain: &mut Chain, goal: &Goal, options: &Options) {
    let Some(pole) = goal.pole else { return };
    let (Some(first), Some(bend)) = (chain.first_turning(0), chain.bend_at) else { return };
    let (origin, tip) = (chain.position[first], chain.tip(0).0);
    let Some(line) = Unit::try_new(tip - origin, 0.0) else { return };
    let side = |point: Vec3| {
        let arm = point - origin;
        arm - *line * arm.dot(&line)
    };
    let (now, wished) = (side(chain.position[bend]), side(pole));
    let straight = 1e-6 * chain.length(0);
    if now.norm() < straight || wished.norm() < straight {
        return;
    }
    let mut by = shortest(&now, &wished);
    if now.dot(&wished) < 0.0 {
        // Opposite sides: make sure that the half turn is about the line.
        by = Quat::from_axis_angle(&line, now.cross(&wished).dot(&line).atan2(now.dot(&wished)));
    }
    let local = chain.parent_frame(first).inverse() * (by * chain.frame[first]);
    let local = Quat::new_normalize(local.into_inner());
    if !options.limits || chain.constraint[first].is_free() || !chain.constraint[first].project(&local).1 {
        chain.local[first] = local;
        chain.update();
    }
}
