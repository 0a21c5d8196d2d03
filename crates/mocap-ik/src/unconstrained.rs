//! The fast path: serial chains of unconstrained joints with a position goal.
//!
//! A solve turns frames and positions in object space and computes the local rotations once at its end. A
//! step lists the turns of the joints from the effector to the base, each in the frames before the step. The
//! frame of a joint is then turned by the product of all turns from the base down to its own.

use crate::bend::{bend_turn, can_span};
use crate::step::shortest;
use crate::{Goal, IkChain, Quat, SolveOptions, SolveOutcome, SolveStatus, Vec3};
use mocap_model::{exp, renormalised};
use nalgebra::{Matrix3, Quaternion};
use std::f64::consts::PI;

/// Whether the fast path applies: no limits, no stiffness, full steps, a position goal only.
#[inline]
pub(crate) fn applies(chain: &IkChain, goals: &[Goal], options: &SolveOptions) -> bool {
    chain.unconstrained
        && goals.len() == 1
        && goals[0].wants_position()
        && !goals[0].wants_orientation()
        && options.damping == 1.0
        && options.max_turn >= PI
}

/// Squared distance from the effector to the goal.
#[inline]
pub(crate) fn squared_distance(chain: &IkChain, goal: &Goal) -> f64 {
    (goal.position - chain.tips[0]).norm_squared()
}

/// One sweep of cyclic coordinate descent.
pub(crate) fn ccd_sweep(chain: &mut IkChain, goal: &Goal) {
    let mut tip = chain.tips[0];
    for k in (0..chain.position.len()).rev() {
        let at = chain.position[k];
        let (arm, to) = (tip - at, goal.position - at);
        let (arm_square, to_square) = (arm.norm_squared(), to.norm_squared());
        let product = (arm_square * to_square).sqrt();
        chain.scratch.turns[k] = shortest(&arm, &to);
        if product > 0.0 {
            tip = at + to * (product / to_square);
        }
    }
    apply_turns(chain);
}

/// One step of damped least squares, with the damping of the Jacobian solver. `J Jᵀ` of ball joints is the
/// sum of `|r|² − r rᵀ` over their arms `r`, and the turn of a joint is `r × y`.
pub(crate) fn damped_step(chain: &mut IkChain, goal: &Goal, lambda: f64) {
    let tip = chain.tips[0];
    let scale = 1.0 / chain.length(0);
    let error = (goal.position - tip) * scale;
    let [mut xx, mut yy, mut zz, mut xy, mut xz, mut yz] = [lambda + error.norm_squared() / 2.0; 6];
    (xy, xz, yz) = (xy * 0.0, xz * 0.0, yz * 0.0);
    for at in &chain.position {
        let r = (tip - at) * scale;
        let [x, y, z] = [r.x * r.x, r.y * r.y, r.z * r.z];
        (xx, yy, zz) = (xx + y + z, yy + x + z, zz + x + y);
        (xy, xz, yz) = (xy - r.x * r.y, xz - r.x * r.z, yz - r.y * r.z);
    }
    let gram = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let y = solve_symmetric(&gram, &error);
    let mut greatest = 0.0f64;
    let turn = |at: &Vec3| ((tip - at) * scale).cross(&y);
    for at in &chain.position {
        greatest = greatest.max(turn(at).amax());
    }
    let share = if greatest > 1.0 { 1.0 / greatest } else { 1.0 };
    for k in 0..chain.position.len() {
        chain.scratch.turns[k] = small_exp(&(turn(&chain.position[k]) * share));
    }
    apply_turns(chain);
}

/// The solution of a symmetric positive definite system, by its adjugate.
#[inline]
fn solve_symmetric(a: &Matrix3<f64>, b: &Vec3) -> Vec3 {
    let (c0, c1, c2) = (a.column(0).into_owned(), a.column(1).into_owned(), a.column(2).into_owned());
    let (r0, r1, r2) = (c1.cross(&c2), c2.cross(&c0), c0.cross(&c1));
    Vec3::new(r0.dot(b), r1.dot(b), r2.dot(b)) / c0.dot(&r0)
}

/// The rotation of a rotation vector, by its series where that is exact to rounding.
#[inline]
fn small_exp(vector: &Vec3) -> Quat {
    let half = vector * 0.5;
    let s = half.norm_squared();
    if s > 0.01 {
        return exp(vector);
    }
    let cosine = 1.0 - s * (0.5 - s * (1.0 / 24.0 - s * (1.0 / 720.0 - s / 40320.0)));
    let sine = 1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s / 362880.0)));
    Quat::new_unchecked(Quaternion::from_parts(cosine, half * sine))
}

/// Applies the turns in the scratch list to the joints and to everything they carry.
fn apply_turns(chain: &mut IkChain) {
    let n = chain.local.len();
    let (turns, bones) = (&chain.scratch.turns[..n], &chain.bones[..n]);
    let (positions, frames) = (&mut chain.position[..n], &mut chain.frame[..n]);
    let mut turn = turns[0];
    let mut at = positions[0];
    for k in 0..n {
        if k > 0 {
            turn *= turns[k];
        }
        positions[k] = at;
        frames[k] = turn * frames[k];
        at += frames[k] * bones[k];
    }
    chain.tips[0] = at;
}

/// Applies the two-bone solution: bends one joint until the distance fits, then aims the first joint. The
/// joint is the preferred one if its two segments can span the distance, otherwise the first one that can.
/// `false` if no joint can.
pub(crate) fn bend_to_goal(chain: &mut IkChain, goal: &Goal, options: &SolveOptions) -> bool {
    let (a, c) = (chain.position[0], chain.tips[0]);
    let to = goal.position - a;
    let square = to.norm_squared();
    let spans = |joint: usize| {
        let b = chain.position[joint];
        can_span(&(a - b), &(c - b), square)
    };
    let preferred = chain.bend_at.filter(|&joint| spans(joint));
    let Some(bend) = preferred.or_else(|| (1..chain.len()).find(|&joint| spans(joint))) else { return false };
    let b = chain.position[bend];
    let Some(bent) = bend_turn(chain, bend, [&(a - b), &(c - b)], square, goal, options, false) else {
        return false;
    };
    chain.scratch.turns.fill(Quat::identity());
    chain.scratch.turns[bend] = bent;
    chain.scratch.turns[0] = shortest(&(b - a + bent * (c - b)), &to);
    apply_turns(chain);
    true
}

/// Computes the local rotations from the frames.
pub(crate) fn write_rotations(chain: &mut IkChain) {
    let n = chain.local.len();
    let (locals, frames) = (&mut chain.local[..n], &mut chain.frame[..n]);
    let mut back = chain.base.rotation.inverse();
    for k in 0..n {
        frames[k] = renormalised(frames[k]);
        locals[k] = back * frames[k];
        back = frames[k].inverse();
    }
}

/// Repeats `step`, which gets the number of slow steps so far, until the goal is reached. `None` if the goal
/// is out of reach, or after more than `max_slow` steps that each leave more than half of the distance.
#[inline]
pub(crate) fn solve(
    chain: &mut IkChain,
    goal: &Goal,
    options: &SolveOptions,
    max_slow: u32,
    mut step: impl FnMut(&mut IkChain, u32),
) -> Option<SolveOutcome> {
    let reach = chain.reach(0);
    let near = options.position_tolerance * reach.max;
    let distance = (goal.position - chain.position[0]).norm_squared();
    let mut left = squared_distance(chain, goal);
    let mut iterations = 0;
    if left > near * near {
        let inner = (reach.min - near).max(0.0);
        if distance > (reach.max + near).powi(2) || distance < inner * inner {
            return None;
        }
        let mut slow_steps = 0;
        while left > near * near {
            if iterations == options.iterations || slow_steps > max_slow {
                write_rotations(chain);
                return None;
            }
            iterations += 1;
            step(chain, slow_steps);
            let before = left;
            left = squared_distance(chain, goal);
            slow_steps += u32::from(left > 0.25 * before);
        }
        write_rotations(chain);
    }
    Some(SolveOutcome {
        status: SolveStatus::Reached,
        iterations,
        position: left.sqrt(),
        orientation: 0.0,
        limit_contacts: 0,
    })
}
