//! Cyclic coordinate descent: from the effector to the base, each joint turns so that the effector points at
//! the goal.
//!
//! With limits per joint, under-damping, tolerance regions and an escape from straight chains. A chain that
//! stalls is finished by the two-bone solution: on nearly straight limbs sweeps alone gain almost nothing. A
//! longer chain without limits is finished by a step of least squares, which spreads over all joints.
//!
//! Based on: L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics
//! problem of mechanical manipulators", 1991; J. Lander, "Making Kine More Flexible", Game Developer, 1998.

use crate::step::{Pull, normalised, turn};
use crate::{Chain, Goal, IkError, Options, Outcome, Solver, descend, plain, two_bone};

/// The solver of this module, for chains with one effector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ccd;

/// The damping of the step that finishes a long chain near its goal.
const POLISH: f64 = 1e-6;
/// So many sweeps that leave more than half of the distance are a stall.
const STALLS: u32 = 8;

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
        let length = chain.length(0);
        let iterations = descend::solve(chain, goals, options, |chain| sweep(chain, goal, length, options));
        two_bone::swivel_to_pole(chain, goal, options);
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// Sweeps of a plain chain. Near the goal two bones are closed, and the joints of a longer chain share what is
/// left in a step of least squares; one that stalls far away is closed like two bones, as far as it spans.
fn plain_sweeps(chain: &mut Chain, goal: &Goal, options: &Options) -> Option<Outcome> {
    let reach = chain.reach(0).max;
    let (near, reached) = ((descend::NEAR * reach).powi(2), (options.position_tolerance * reach).powi(2));
    let two_bones = chain.len() == 2;
    let patience = if two_bones { 1 } else { 3 };
    plain::solve(chain, goal, options, STALLS, |chain, stalls| {
        plain::ccd_sweep(chain, goal);
        let left = plain::missing(chain, goal);
        if !options.finish || left <= reached {
            return;
        }
        if stalls >= patience || (two_bones && left < near) {
            plain::close(chain, goal, options);
        } else if left < near {
            plain::damped_step(chain, goal, POLISH);
        }
    })
}

/// Turns each joint once, from the effector to the base.
///
/// A free last joint takes the orientation upon itself, and the others bring it to where the position follows;
/// otherwise every joint turns towards both.
pub(crate) fn sweep(chain: &mut Chain, goal: &Goal, length: f64, options: &Options) {
    let path = chain.path_len(0);
    let last = chain.path_joint(0, path - 1);
    let wrist =
        path > 1 && goal.wants_orientation() && goal.wants_position() && chain.turns_freely(last, options);
    let (mut tip, mut orientation) = chain.tip(0);
    let (mut goal, mut from) = (*goal, path);
    if wrist {
        let arm = chain.frame[last].inverse() * (tip - chain.position[last]);
        let wanted = goal.orientation * chain.effectors[0].rotation.inverse();
        goal = Goal { position: goal.position - wanted * arm, orientation_weight: 0.0, ..goal };
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
        let mut pull = Pull::new(&goal, length, &at, &tip, &orientation);
        if let Some(local) = turn(chain, joint, &mut pull, options) {
            chain.local[joint] = local;
            (tip, orientation) = (at + pull.arm, pull.frame);
        }
    }
    if wrist {
        chain.update();
        let wanted = goal.orientation * chain.effectors[0].rotation.inverse();
        chain.local[last] = normalised(chain.parent_frame(last).inverse() * wanted);
    }
}
