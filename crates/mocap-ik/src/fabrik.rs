//! Forward and backward reaching: positions are moved along the bones, from the effectors to the base and back.
//!
//! Lengths are kept by rotations: the way back from the base turns each joint onto the position wished for, as
//! far as its constraint allows, and places the next joint where that rotation puts it. A joint with several
//! bones (a pelvis, a chest) takes the weighted mean of what its bones wish for, or, where priorities differ,
//! the wish of the first. Chains of free joints skip the rotations until the end.
//!
//! Based on: A. Aristidou, J. Lasenby, "FABRIK: A fast, iterative solver for the Inverse Kinematics problem",
//! Graphical Models, 2011. Constraints are applied to rotations on the way back only.

use crate::chain::NONE;
use crate::step::{self, Pull, shortest};
use crate::{Chain, Goal, IkError, Options, Outcome, Quat, Solver, Vec3, ccd, descend, plain, two_bone};
use nalgebra::Matrix3;

/// The solver of this module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fabrik;

impl Solver for Fabrik {
    fn solve(&self, chain: &mut Chain, goals: &[Goal], options: &Options) -> Result<Outcome, IkError> {
        chain.begin(goals, options)?;
        if plain::is_plain(chain, goals, options) {
            let mut used = 0;
            let step = |chain: &mut Chain, _| used = positions_only(chain, &goals[0], options);
            if let Some(outcome) = plain::solve(chain, &goals[0], options, 0, step) {
                two_bone::swivel_to_pole(chain, &goals[0], options);
                return Ok(Outcome { iterations: used, ..outcome });
            }
        }
        let mut missing = f64::INFINITY;
        let iterations = descend::solve(chain, goals, options, |chain| {
            backward(chain, goals);
            forward(chain, goals, options);
            chain.update();
            let position = chain.miss(goals, options).position;
            // Hinges and limits can stop the positions where a turn of the joints themselves still helps.
            if goals.len() == 1 && position > 0.9 * missing {
                ccd::sweep(chain, &goals[0], chain.length(0), options);
                chain.update();
                missing = chain.miss(goals, options).position;
            } else {
                missing = position;
            }
        });
        if let [goal] = goals {
            two_bone::swivel_to_pole(chain, goal, options);
        }
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// Solves a plain chain by its positions, and turns the frames after them. Returns the iterations used.
fn positions_only(chain: &mut Chain, goal: &Goal, options: &Options) -> u32 {
    let n = chain.len();
    let mut points = std::mem::take(&mut chain.scratch.points);
    points.copy_from_slice(&chain.position);
    // A little less than the tolerance: the rotations add some rounding.
    let near = 0.99 * options.position_tolerance * chain.length(0);
    let used = positions(&mut points, &chain.bone_length, &goal.position, near, options.iterations);
    let mut parent = chain.base.rotation;
    let mut at = chain.position[0];
    for k in 0..n {
        // The last bone looks at the goal.
        let wished = if k + 1 < n { points[k + 1] } else { goal.position } - points[k];
        let frame = parent * chain.local[k];
        let bone = frame * chain.bones[k];
        let turn = shortest(&bone, &wished);
        chain.position[k] = at;
        chain.frame[k] = turn * frame;
        parent = chain.frame[k];
        at += turn * bone;
    }
    chain.tips[0] = at;
    chain.scratch.points = points;
    used.unwrap_or(options.iterations)
}

/// Forward and backward reaching on the joints' positions alone: `points` from the base to the last joint,
/// `lengths` of the bones that start there, the last one ending in the effector. Moves the points until the
/// effector, at the end of the last bone towards the goal, is within `near` of it, and returns the iterations
/// used; `None` after `iterations`, or where an iteration leaves more than nine tenths of the distance.
///
/// # Panics
/// Where there are no points or not as many lengths.
pub fn positions(
    points: &mut [Vec3],
    lengths: &[f64],
    goal: &Vec3,
    near: f64,
    iterations: u32,
) -> Option<u32> {
    assert!(!points.is_empty() && points.len() == lengths.len(), "a length for each point");
    let last = points.len() - 1;
    let mut before = f64::INFINITY;
    for iteration in 1..=iterations {
        let mut target = *goal;
        for k in (1..=last).rev() {
            target = along(&target, &points[k], lengths[k]);
            points[k] = target;
        }
        let mut from = points[0];
        if last > 0 {
            // Where only the first bone is off, and by no more than is allowed, all others may come along.
            let fitted = along(&from, &points[1], lengths[0]);
            let shift = fitted - points[1];
            if shift.norm_squared() <= near * near {
                points[1..].iter_mut().for_each(|point| *point += shift);
                return Some(iteration);
            }
            from = fitted;
            points[1] = from;
        }
        for k in 2..=last {
            from = along(&from, &points[k], lengths[k - 1]);
            points[k] = from;
        }
        let left = ((goal - points[last]).norm() - lengths[last]).abs();
        if left <= near {
            return Some(iteration);
        }
        if left > 0.9 * before {
            return None;
        }
        before = left;
    }
    None
}

/// The local rotation after a turn in object space: `parent⁻¹ · turn · parent · local`, with `frame` the
/// orientation before the turn.
fn turn_into(frame: &Quat, turn: &Quat, local: &Quat) -> Quat {
    local * (frame.inverse() * (turn * frame))
}

/// The point at `length` from `from` towards `to`; where they coincide, `from` itself.
#[inline]
fn along(from: &Vec3, to: &Vec3, length: f64) -> Vec3 {
    let arm = to - from;
    let distance = arm.norm();
    if distance == 0.0 { *from } else { from + arm * (length / distance) }
}

/// From the effectors to the base: where each turning joint would have to be.
fn backward(chain: &mut Chain, goals: &[Goal]) {
    let mut points = std::mem::take(&mut chain.scratch.points);
    let mut weights = std::mem::take(&mut chain.scratch.weights);
    weights.fill(0.0);
    for (e, goal) in goals.iter().enumerate() {
        let effector = chain.effectors[e];
        let joint = chain.turning_from(effector.joint);
        if joint != NONE {
            let joint = joint as usize;
            let wish = wish(chain, e, joint, goal);
            add(&mut points[joint], &mut weights[joint], &wish, share(goal));
        }
    }
    for joint in (0..chain.len()).rev() {
        if weights[joint] == 0.0 {
            continue;
        }
        points[joint] /= weights[joint];
        let above = chain.above[joint];
        if above != NONE {
            let above = above as usize;
            let length = (chain.position[joint] - chain.position[above]).norm();
            let wish = along(&points[joint], &chain.position[above], length);
            let weight = weights[joint];
            add(&mut points[above], &mut weights[above], &wish, weight);
        }
    }
    chain.scratch.points = points;
    chain.scratch.weights = weights;
}

/// Where the joint that carries an effector would have to be.
fn wish(chain: &Chain, e: usize, joint: usize, goal: &Goal) -> Vec3 {
    let (tip, frame) = chain.tip(e);
    let arm = tip - chain.position[joint];
    let position = if goal.wants_position() { goal.position } else { tip };
    if goal.wants_orientation() {
        return position - goal.orientation * (frame.inverse() * arm);
    }
    along(&position, &chain.position[joint], arm.norm())
}

/// What a goal counts where several meet in a joint.
fn share(goal: &Goal) -> f64 {
    goal.position_weight.max(goal.orientation_weight).max(f64::MIN_POSITIVE.sqrt()) * goal.share()
}

fn add(point: &mut Vec3, sum: &mut f64, wish: &Vec3, weight: f64) {
    if *sum == 0.0 {
        *point = Vec3::zeros();
    }
    *point += wish * weight;
    *sum += weight;
}

/// From the base to the effectors: each joint turns its bones towards the positions wished for.
fn forward(chain: &mut Chain, goals: &[Goal], options: &Options) {
    for joint in 0..chain.len() {
        chain.update_joint(joint);
        if chain.constraint[joint].is_locked() || chain.scratch.weights[joint] == 0.0 {
            continue;
        }
        let constraint = chain.constraint[joint];
        let turn = match wished(chain, joint, goals) {
            Wish::None => continue,
            Wish::Turn(turn) => turn,
            Wish::Arm(arm, to) => {
                // One bone: the best turn that the joint's constraint allows.
                let mut pull = Pull::arm(arm, to);
                if let Some(local) = step::turn(chain, joint, &mut pull, options) {
                    chain.local[joint] = local;
                    chain.update_joint(joint);
                }
                continue;
            }
        };
        let share = options.damping * (1.0 - constraint.stiffness);
        let turn = step::shortened(turn, share, options.max_turn);
        let local = turn_into(&chain.frame[joint], &turn, &chain.local[joint]);
        let local = Quat::new_normalize(local.into_inner());
        chain.local[joint] = if options.limits { constraint.project(&local).0 } else { local };
        chain.update_joint(joint);
    }
}

/// What the bones of a joint wish for.
enum Wish {
    /// It carries none that matters.
    None,
    /// It carries one: an arm, and where it is to be.
    Arm(Vec3, Vec3),
    /// A turn in object space that brings all of them as near as they get.
    Turn(Quat),
}

fn wished(chain: &Chain, joint: usize, goals: &[Goal]) -> Wish {
    let at = chain.position[joint];
    let frame = &chain.frame[joint];
    let mut single = None;
    let mut count = 0;
    let mut moments = Matrix3::zeros();
    let mut pull = |arm: Vec3, wished: Vec3, weight: f64| {
        count += 1;
        single = Some((arm, wished));
        moments += wished * arm.transpose() * weight;
    };
    for (e, goal) in goals.iter().enumerate() {
        let effector = &chain.effectors[e];
        if chain.turning_from(effector.joint) != joint as u32 {
            continue;
        }
        // The pose of joints below is the old one: what is rigid to this joint is seen from its old frame.
        let (tip, orientation) = chain.rigid_tip(e, joint);
        if goal.wants_orientation() {
            return Wish::Turn(goal.orientation * (frame * orientation).inverse());
        }
        if goal.wants_position() {
            pull(frame * tip, goal.position - at, share(goal));
        }
    }
    for child in joint + 1..chain.len() {
        if chain.above[child] == joint as u32 && chain.scratch.weights[child] > 0.0 {
            let arm = frame * chain.rigid_arm(child, joint);
            pull(arm, chain.scratch.points[child] - at, chain.scratch.weights[child]);
        }
    }
    match (count, single) {
        (1, Some((arm, to))) => Wish::Arm(arm, to),
        (0, _) | (_, None) => Wish::None,
        _ => Wish::Turn(step::best_rotation(&moments)),
    }
}
