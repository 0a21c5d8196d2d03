//! The iteration that CCD, FABRIK, Jacobian and objective solvers share: sweeps until the goals are reached,
//! and the remedies for a stall (two-bone finish, escape from straight chains, restart from another pose).

use crate::bend::across;
use crate::restart::{self, Random};
use crate::{Constraint, Freedom, Goal, IkChain, Quat, SolveOptions, reach, two_bone};
use mocap_model::angle_between;

/// A sweep that leaves more than this share of the distance counts as slow.
const STALL_RATIO: f64 = 0.5;
/// Within this share of the chain's length, the two-bone finish runs immediately, since no joint has to rotate
/// far.
pub(crate) const NEAR: f64 = 0.01;
/// A sweep that gains less than this share of the chain's length counts as idle.
const NO_GAIN: f64 = 1e-7;
/// Idle sweeps after which a solve ends.
const PATIENCE: u32 = 8;
/// With restarts, a start pose is abandoned if the distance exceeds `RESTART_RATIO` times the
/// distance `RESTART_SWEEPS` sweeps earlier (half as many for two bones).
const RESTART_SWEEPS: u32 = 4;
const RESTART_RATIO: f64 = 0.5;
/// The turn that bends a straight chain \[rad\].
const ESCAPE: f64 = 0.2;

/// Repeats `sweep` until the effectors reach their goals. If a goal is out of reach, stretches or folds the
/// chain instead. Returns the iterations used.
pub(crate) fn solve(
    chain: &mut IkChain,
    goals: &[Goal],
    options: &SolveOptions,
    mut sweep: impl FnMut(&mut IkChain),
) -> u32 {
    if chain.reached(goals, options) {
        return 0;
    }
    let [goal] = goals else { return repeat(chain, goals, options, options.iterations, &mut sweep) };
    let out_of_reach = chain.out_of_reach(0, goal, options);
    if out_of_reach && reach::align(chain, 0, goal, options) {
        return 1;
    }
    if out_of_reach || !can_restart(chain, options) {
        return repeat(chain, goals, options, options.iterations, &mut sweep);
    }
    solve_with_restarts(chain, goals, options, &mut sweep)
}

/// Whether a solve may restart from other poses: only limits make that useful.
fn can_restart(chain: &IkChain, options: &SolveOptions) -> bool {
    let limited = |constraint: &Constraint| !constraint.is_free() && !constraint.is_locked();
    options.restart && options.limits && chain.constraint.iter().any(limited)
}

/// Restarts from other poses after a stall and keeps the best pose found.
fn solve_with_restarts(
    chain: &mut IkChain,
    goals: &[Goal],
    options: &SolveOptions,
    sweep: &mut impl FnMut(&mut IkChain),
) -> u32 {
    let mut first = std::mem::take(&mut chain.scratch.first);
    let mut best = std::mem::take(&mut chain.scratch.best);
    first.copy_from_slice(&chain.local);
    let length = chain.length(0);
    let mut used = repeat(chain, goals, options, options.iterations, sweep);
    let (mut attempt, mut random) = (0, Random(1));
    let mut least = f64::INFINITY;
    while !chain.reached(goals, options) {
        let remaining = distance(chain, goals, length);
        if remaining < least {
            least = remaining;
            best.copy_from_slice(&chain.local);
        }
        if used >= options.iterations {
            chain.local.copy_from_slice(&best);
            chain.update();
            break;
        }
        restart::set_pose(chain, &first, attempt, &mut random);
        attempt += 1;
        // Each start pose costs at least one iteration, which bounds the number of restarts.
        used += repeat(chain, goals, options, options.iterations - used, sweep).max(1);
    }
    chain.scratch.first = first;
    chain.scratch.best = best;
    used
}

/// Repeats a sweep until the goals are reached, the iterations are used up, or the sweeps stay idle. A
/// stalled chain gets the two-bone finish, or is bent if it is straight. Returns the iterations used.
fn repeat(
    chain: &mut IkChain,
    goals: &[Goal],
    options: &SolveOptions,
    iterations: u32,
    sweep: &mut impl FnMut(&mut IkChain),
) -> u32 {
    let length = (0..goals.len()).map(|e| chain.length(e)).fold(0.0, f64::max);
    // The weighted distance to all goals, and whether they are reached.
    let state = |chain: &IkChain| (distance(chain, goals, length), chain.reached(goals, options));
    let reachable = (0..goals.len()).all(|e| !chain.out_of_reach(e, &goals[e], options));
    let only_place = |goal: &Goal| goal.wants_position() && !goal.wants_orientation() && goal.aim.is_none();
    let can_finish =
        options.finish && goals.len() == 1 && only_place(&goals[0]) && chain.couplings.is_empty();
    // A two-bone chain can be finished immediately; in a longer chain, one joint would take the whole rotation.
    let two_bones = chain.turning(0) == 2;
    let first_finish = if two_bones { 1 } else { 3 };
    let patience = if reachable || goals.len() > 1 { PATIENCE } else { 1 };
    let (mut before, _) = state(chain);
    let (mut slow, mut next_finish, mut idle, mut escapes) = (0, first_finish, 0, 0);
    let mut polish = two_bones;
    let restarts = reachable && goals.len() == 1 && can_restart(chain, options);
    let mut checked = before;
    for iteration in 1..=iterations {
        sweep(chain);
        chain.update();
        let (mut after, reached) = state(chain);
        if reached {
            return iteration;
        }
        slow += u32::from(after > STALL_RATIO * before);
        if can_finish && (slow == next_finish || (polish && after < NEAR * length)) {
            next_finish = next_finish.max(2 * slow);
            if two_bone::finish(chain, &goals[0], options) {
                return iteration;
            }
            (after, polish) = (state(chain).0, false);
        }
        if restarts && iteration.is_multiple_of(if two_bones { RESTART_SWEEPS / 2 } else { RESTART_SWEEPS }) {
            if after > RESTART_RATIO * checked {
                return iteration;
            }
            checked = after;
        }
        idle = if before - after < NO_GAIN * length { idle + 1 } else { 0 };
        before = after;
        if idle == 1 && escapes < 2 && options.escape && reachable {
            escapes += 1;
            escape(chain, options, escapes);
            (before, _) = state(chain);
        } else if idle > patience {
            return iteration;
        }
    }
    iterations
}

/// Distance of the effectors from their goals, by weight and priority.
pub(crate) fn distance(chain: &IkChain, goals: &[Goal], length: f64) -> f64 {
    let residuals = goals.iter().enumerate().map(|(e, goal)| {
        let (tip, orientation) = chain.tip(e);
        let position = goal.position_weight * (goal.position - tip).norm();
        let aim = goal.wanted_aim().map_or(0.0, |aim| aim.weight * length * aim.angle(&tip, &orientation));
        let turn = || goal.orientation_weight * length * angle_between(&orientation, &goal.orientation);
        goal.priority_weight() * (position + aim + if goal.wants_orientation() { turn() } else { 0.0 })
    });
    residuals.sum()
}

/// Bends every joint a little (the second attempt in the other direction) to move the arms off the line to
/// the goal.
pub(crate) fn escape(chain: &mut IkChain, options: &SolveOptions, attempt: u32) {
    for joint in 0..chain.len() {
        let constraint = chain.constraint[joint];
        if constraint.is_locked() {
            continue;
        }
        let sign = if (joint as u32 + attempt).is_multiple_of(2) { 1.0 } else { -1.0 };
        let axis = match constraint.freedom {
            Freedom::Hinge { axis, .. } => constraint.outer() * axis,
            _ => chain.local[joint] * across(&chain.some_bone(joint)),
        };
        let bent = Quat::from_axis_angle(&axis, sign * ESCAPE) * chain.local[joint];
        chain.local[joint] = if options.limits { constraint.project(&bent).0 } else { bent };
    }
    chain.update();
}
