//! Cyclic coordinate descent: from the effector to the base, each joint turns so that the effector points at
//! the goal.
//!
//! Supports limits per joint, under-damping, tolerance regions and an escape from straight chains. The
//! two-bone solution finishes a stalled chain: on nearly straight limbs sweeps gain almost nothing. A
//! least-squares step finishes a longer chain without limits and distributes the turn over all joints.
//!
//! Based on: L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics
//! problem of mechanical manipulators", 1991; J. Lander, "Making Kine More Flexible", Game Developer, 1998.

use crate::step::{JointTarget, turn};
use crate::{Goal, IkChain, IkError, SolveOptions, SolveOutcome, Solver, iteration, two_bone, unconstrained};
use mocap_model::renormalised;

/// Cyclic coordinate descent, for chains with one effector.
///
/// ```
/// use mocap_ik::{Constraint, Goal, IkChain, Link, SolveOptions, SolveStatus, Solver, Ccd};
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
/// let outcome = Ccd.solve(&mut chain, &[goal], &SolveOptions::default())?;
/// assert_eq!(outcome.status, SolveStatus::Reached);
/// # Ok::<(), mocap_ik::IkError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ccd;

/// Damping of the least-squares step that finishes a long chain near its goal.
const POLISH: f64 = 1e-6;
/// Number of slow sweeps after which the chain counts as stalled.
const STALLS: u32 = 8;

impl Solver for Ccd {
    fn solve(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        options: &SolveOptions,
    ) -> Result<SolveOutcome, IkError> {
        if chain.effectors.len() != 1 {
            return Err(IkError::SeveralEffectors { method: "ccd", effectors: chain.effectors.len() });
        }
        chain.begin(goals, options)?;
        let goal = &goals[0];
        if unconstrained::applies(chain, goals, options)
            && let Some(outcome) = unconstrained_sweeps(chain, goal, options)
        {
            two_bone::swivel_to_pole(chain, goal, options);
            return Ok(outcome);
        }
        let length = chain.length(0);
        let iterations = iteration::solve(chain, goals, options, |chain| sweep(chain, goal, length, options));
        two_bone::swivel_to_pole(chain, goal, options);
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// Sweeps of an unconstrained chain. Near the goal two bones take the two-bone solution, and a longer chain
/// takes a least-squares step. A chain that stalls far from the goal takes the two-bone solution too, if it
/// can.
fn unconstrained_sweeps(chain: &mut IkChain, goal: &Goal, options: &SolveOptions) -> Option<SolveOutcome> {
    let reach = chain.reach(0).max;
    let (near, reached) = ((iteration::NEAR * reach).powi(2), (options.position_tolerance * reach).powi(2));
    let two_bones = chain.len() == 2;
    let patience = if two_bones { 1 } else { 3 };
    unconstrained::solve(chain, goal, options, STALLS, |chain, slow_sweeps| {
        unconstrained::ccd_sweep(chain, goal);
        let distance = unconstrained::squared_distance(chain, goal);
        if !options.finish || distance <= reached {
            return;
        }
        if slow_sweeps >= patience || (two_bones && distance < near) {
            unconstrained::bend_to_goal(chain, goal, options);
        } else if distance < near {
            unconstrained::damped_step(chain, goal, POLISH);
        }
    })
}

/// Turns each joint once, from the effector to the base.
///
/// A free last joint takes over the orientation, and the other joints bring it to the position that follows
/// from it. Otherwise every joint turns towards both.
pub(crate) fn sweep(chain: &mut IkChain, goal: &Goal, length: f64, options: &SolveOptions) {
    let path = chain.path_len(0);
    let last = chain.path_joint(0, path - 1);
    let wrist =
        path > 1 && goal.wants_orientation() && goal.wants_position() && chain.turns_freely(last, options);
    let (mut tip, mut orientation) = chain.tip(0);
    let (mut goal, mut from) = (*goal, path);
    if wrist {
        let arm = chain.frame[last].inverse() * (tip - chain.position[last]);
        let goal_frame = goal.orientation * chain.effectors[0].rotation.inverse();
        goal = Goal { position: goal.position - goal_frame * arm, orientation_weight: 0.0, ..goal };
        (tip, from) = (chain.position[last], path - 1);
    }
    for k in (0..from).rev() {
        let joint = chain.path_joint(0, k);
        let constraint = &chain.constraint[joint];
        if constraint.is_locked() {
            continue;
        }
        if constraint.tolerance > 0.0 && (goal.position - tip).norm() <= constraint.tolerance * length {
            continue;
        }
        let at = chain.position[joint];
        let mut target = JointTarget::new(&goal, length, &at, &tip, &orientation);
        if let Some(local) = turn(chain, joint, &mut target, options) {
            chain.local[joint] = local;
            (tip, orientation) = (at + target.arm, target.frame);
        }
    }
    if wrist {
        chain.update();
        let goal_frame = goal.orientation * chain.effectors[0].rotation.inverse();
        chain.local[last] = renormalised(chain.parent_frame(last).inverse() * goal_frame);
    }
}
