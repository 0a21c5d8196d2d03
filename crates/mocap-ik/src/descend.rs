//! How iterative solvers go on: sweeps until the goals are reached, and what is done where sweeps gain nothing.

use crate::seed::{self, Spread};
use crate::{Chain, Constraint, Freedom, Goal, Options, Quat, Vec3, reach, two_bone};
use mocap_model::angle_between;

/// A sweep that leaves more than this share of the distance has stalled.
const SLOW: f64 = 0.5;
/// A chain that comes within this share of its length is finished at once: one joint need not turn far.
pub(crate) const NEAR: f64 = 0.01;
/// A sweep that gains less than this share of the chain's length has gained nothing.
const NOTHING: f64 = 1e-7;
/// So many sweeps without gain end a solve.
const PATIENCE: u32 = 8;
/// Where there are other poses to start from, one is given up that in so many sweeps has not come nearer to the goal
/// than this share of the distance.
const HOPE: u32 = 4;
const HOPEFUL: f64 = 0.5;
/// The turn that bends a straight chain \[rad\].
const ESCAPE: f64 = 0.2;

/// Brings the effectors to their goals by repeating `sweep`, or stretches or folds a chain whose goal is out of
/// reach. Returns the iterations used.
pub(crate) fn solve(
    chain: &mut Chain,
    goals: &[Goal],
    options: &Options,
    mut sweep: impl FnMut(&mut Chain),
) -> u32 {
    if chain.reached(goals, options) {
        return 0;
    }
    let [goal] = goals else { return repeat(chain, goals, options, options.iterations, &mut sweep) };
    let out_of_reach = chain.out_of_reach(0, goal, options);
    if out_of_reach && reach::align(chain, 0, goal, options) {
        return 1;
    }
    if out_of_reach || !restarts(chain, options) {
        return repeat(chain, goals, options, options.iterations, &mut sweep);
    }
    restarted(chain, goals, options, &mut sweep)
}

/// Whether a solve may begin again: where there are no limits, it is finished from any pose.
fn restarts(chain: &Chain, options: &Options) -> bool {
    let limited = |constraint: &Constraint| !constraint.is_free() && !constraint.is_locked();
    options.restart && options.limits && chain.constraint.iter().any(limited)
}

/// Begins again from other poses where one leads nowhere; the best that was found is what stays.
fn restarted(
    chain: &mut Chain,
    goals: &[Goal],
    options: &Options,
    sweep: &mut impl FnMut(&mut Chain),
) -> u32 {
    let mut first = std::mem::take(&mut chain.scratch.first);
    let mut best = std::mem::take(&mut chain.scratch.best);
    first.copy_from_slice(&chain.local);
    let length = chain.length(0);
    let mut used = repeat(chain, goals, options, options.iterations, sweep);
    let (mut attempt, mut spread) = (0, Spread(1));
    let mut least = f64::INFINITY;
    while !chain.reached(goals, options) {
        let left = distance(chain, goals, length);
        if left < least {
            least = left;
            best.copy_from_slice(&chain.local);
        }
        if used >= options.iterations {
            chain.local.copy_from_slice(&best);
            chain.update();
            break;
        }
        seed::pose(chain, &first, attempt, &mut spread);
        attempt += 1;
        // Posing counts, so that poses that lead nowhere at once come to an end, too.
        used += repeat(chain, goals, options, options.iterations - used, sweep).max(1);
    }
    chain.scratch.first = first;
    chain.scratch.best = best;
    used
}

/// Repeats a sweep until the goals are reached, the iterations are used up, or nothing is gained any more; on
/// the way a chain that stalls is finished by the two-bone solution, or bent. Returns the iterations used.
fn repeat(
    chain: &mut Chain,
    goals: &[Goal],
    options: &Options,
    iterations: u32,
    sweep: &mut impl FnMut(&mut Chain),
) -> u32 {
    let length = (0..goals.len()).map(|e| chain.length(e)).fold(0.0, f64::max);
    // The distance from all goals by what they count, and whether they are reached.
    let state = |chain: &Chain| (distance(chain, goals, length), chain.reached(goals, options));
    let reachable = (0..goals.len()).all(|e| !chain.out_of_reach(e, &goals[e], options));
    let can_finish = options.finish && goals.len() == 1 && !goals[0].wants_orientation();
    // A limb of two bones loses nothing by being finished at once; in a longer chain one joint would do it all.
    let two_bones = chain.turning(0) == 2;
    let first_finish = if two_bones { 1 } else { 3 };
    let patience = if reachable || goals.len() > 1 { PATIENCE } else { 1 };
    let (mut before, _) = state(chain);
    let (mut slow, mut next_finish, mut idle, mut escapes) = (0, first_finish, 0, 0);
    let mut polish = two_bones;
    let restarts = reachable && goals.len() == 1 && restarts(chain, options);
    let mut hoped = before;
    for iteration in 1..=iterations {
        sweep(chain);
        chain.update();
        let (mut after, reached) = state(chain);
        if reached {
            return iteration;
        }
        slow += u32::from(after > SLOW * before);
        if can_finish && (slow == next_finish || (polish && after < NEAR * length)) {
            next_finish = next_finish.max(2 * slow);
            if two_bone::finish(chain, &goals[0], options) {
                return iteration;
            }
            (after, polish) = (state(chain).0, false);
        }
        if restarts && iteration.is_multiple_of(if two_bones { HOPE / 2 } else { HOPE }) {
            if after > HOPEFUL * hoped {
                return iteration;
            }
            hoped = after;
        }
        idle = if before - after < NOTHING * length { idle + 1 } else { 0 };
        before = after;
        if idle == 1 && escapes < 2 && options.escape && reachable {
            escapes += 1;
            bend(chain, options, escapes);
            (before, _) = state(chain);
        } else if idle > patience {
            return iteration;
        }
    }
    iterations
}

/// What the effectors miss, by weight and priority.
pub(crate) fn distance(chain: &Chain, goals: &[Goal], length: f64) -> f64 {
    let misses = goals.iter().enumerate().map(|(e, goal)| {
        let (tip, orientation) = chain.tip(e);
        let position = goal.position_weight * (goal.position - tip).norm();
        let turn = || goal.orientation_weight * length * angle_between(&orientation, &goal.orientation);
        goal.share() * (position + if goal.wants_orientation() { turn() } else { 0.0 })
    });
    misses.sum()
}

/// Bends every joint a little, the second time the other way, so that no arm lies on the line to the goal.
fn bend(chain: &mut Chain, options: &Options, time: u32) {
    for joint in 0..chain.len() {
        let constraint = chain.constraint[joint];
        if constraint.is_locked() {
            continue;
        }
        let sign = if (joint as u32 + time).is_multiple_of(2) { 1.0 } else { -1.0 };
        let axis = match constraint.freedom {
            Freedom::Hinge { axis, .. } => constraint.outer() * axis,
            _ => chain.local[joint] * two_bone::across(&chain.some_bone(joint)),
        };
        let bent = Quat::from_axis_angle(&axis, sign * ESCAPE) * chain.local[joint];
        chain.local[joint] = if options.limits { constraint.project(&bent).0 } else { bent };
    }
    chain.update();
}

impl Chain {
    /// The vector from a joint of a path to the next joint, or to the effector, in the joint's frame.
    pub(crate) fn bone(&self, effector: usize, place: usize) -> Vec3 {
        match place + 1 < self.path_len(effector) {
            true => self.offset[self.path_joint(effector, place + 1)],
            false => self.effectors[effector].offset,
        }
    }

    /// A bone that a joint carries, in its frame; no vector where it carries none.
    fn some_bone(&self, joint: usize) -> Vec3 {
        let child = (joint + 1..self.len()).find(|&i| self.parent[i] == joint as u32);
        let effector = || self.effectors.iter().find(|effector| effector.joint == joint);
        child.map(|i| self.offset[i]).or_else(|| effector().map(|e| e.offset)).unwrap_or_default()
    }
}
