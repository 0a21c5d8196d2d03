//! Cyclic coordinate descent: from the effector to the base, each joint turns so that the effector points at
//! the goal.
//!
//! With limits per joint, under-damping, tolerance regions and an escape from straight chains. A chain that
//! stalls is finished by the two-bone solution: on nearly straight limbs plain sweeps gain almost nothing.
//!
//! Based on: L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics
//! problem of mechanical manipulators", 1991; J. Lander, "Making Kine More Flexible", Game Developer, 1998.

use crate::step::{Pull, turn};
use crate::{Chain, Freedom, Goal, IkError, Options, Outcome, Quat, Solver, Vec3, plain, reach, two_bone};

/// The solver of this module, for chains with one effector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ccd;

/// A sweep that leaves more than this share of the distance has stalled.
const SLOW: f64 = 0.5;
/// A chain that comes within this share of its length is finished at once: one joint need not turn far.
const NEAR: f64 = 0.01;
/// A sweep that gains less than this share of the chain's length has gained nothing.
const NOTHING: f64 = 1e-7;
/// So many sweeps without gain end a solve.
const PATIENCE: u32 = 8;
/// The turn that bends a straight chain [rad].
const ESCAPE: f64 = 0.2;

impl Solver for Ccd {
    fn solve(&self, chain: &mut Chain, goals: &[Goal], options: &Options) -> Result<Outcome, IkError> {
        if chain.effectors.len() != 1 {
            return Err(IkError::SeveralEffectors { method: "ccd", effectors: chain.effectors.len() });
        }
        chain.begin(goals, options)?;
        let goal = &goals[0];
        if plain::is_plain(chain, goals, options)
            && let Some(outcome) = plain_sweeps(chain, goal, options)
        {
            two_bone::swivel_to_pole(chain, goal, options);
            return Ok(outcome);
        }
        let iterations = match chain.reached(goals, options) {
            true => 0,
            false if chain.out_of_reach(0, goal, options) && reach::align(chain, 0, goal, options) => 1,
            false => {
                let length = chain.length(0);
                descend(chain, goals, options, |chain| sweep(chain, goal, length, options))
            }
        };
        two_bone::swivel_to_pole(chain, goal, options);
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// Sweeps of a plain chain, finished where they come near or stall.
fn plain_sweeps(chain: &mut Chain, goal: &Goal, options: &Options) -> Option<Outcome> {
    let reach = chain.reach(0).max;
    let (near, reached) = ((NEAR * reach).powi(2), (options.position_tolerance * reach).powi(2));
    let patience = if chain.len() == 2 { 1 } else { 3 };
    plain::solve(chain, goal, options, PATIENCE, |chain, stalls| {
        plain::ccd_sweep(chain, goal);
        let left = plain::missing(chain, goal);
        if options.finish && left > reached && (left < near || stalls >= patience) {
            plain::close(chain, goal, options);
        }
    })
}

/// Repeats a sweep until the goals are reached, the iterations are used up, or nothing is gained any more; on
/// the way a chain that stalls is finished by the two-bone solution, or bent. Returns the iterations used.
pub(crate) fn descend(
    chain: &mut Chain,
    goals: &[Goal],
    options: &Options,
    mut sweep: impl FnMut(&mut Chain),
) -> u32 {
    let length = (0..goals.len()).map(|e| chain.length(e)).fold(0.0, f64::max);
    // The distance from all goals, and whether they are reached.
    let state = |chain: &Chain| {
        let miss = chain.miss(goals, options);
        (miss.position + miss.orientation * length, miss.reached)
    };
    let reachable = (0..goals.len()).all(|e| !chain.out_of_reach(e, &goals[e], options));
    let can_finish = options.finish && goals.len() == 1 && !goals[0].wants_orientation();
    // A limb of two bones loses nothing by being finished at once; in a longer chain one joint would do it all.
    let first_finish = if chain.turning(0) == 2 { 1 } else { 3 };
    let patience = if reachable { PATIENCE } else { 1 };
    let (mut before, _) = state(chain);
    let (mut slow, mut next_finish, mut idle, mut escapes) = (0, first_finish, 0, 0);
    let mut polish = true;
    for iteration in 1..=options.iterations {
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
    options.iterations
}

/// Turns each joint once, from the effector to the base.
pub(crate) fn sweep(chain: &mut Chain, goal: &Goal, length: f64, options: &Options) {
    let (mut tip, mut orientation) = chain.tip(0);
    for k in (0..chain.path_len(0)).rev() {
        let joint = chain.path_joint(0, k);
        let constraint = &chain.constraint[joint];
        if constraint.is_locked() {
            continue;
        }
        if constraint.tolerance > 0.0 && (goal.position - tip).norm() <= constraint.tolerance * length {
            continue;
        }
        let at = chain.position[joint];
        let mut pull = Pull::new(goal, length, &at, &tip, &orientation);
        if let Some(local) = turn(chain, joint, &mut pull, options) {
            chain.local[joint] = local;
            (tip, orientation) = (at + pull.arm, pull.frame);
        }
    }
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
