//! Forward and backward reaching: positions are moved along the bones, from the effectors to the base and
//! back.
//!
//! Rotations keep the lengths: the forward pass from the base turns each joint towards its target position,
//! as far as its constraint allows, and places the next joint where that rotation puts it. A joint with
//! several bones (a pelvis, a chest) takes the weighted mean of their targets; with different priorities the
//! first one dominates. Chains of free joints skip the rotations until the end.
//!
//! Based on: A. Aristidou, J. Lasenby, "FABRIK: A fast, iterative solver for the Inverse Kinematics problem",
//! Graphical Models, 2011. Constraints are applied to rotations on the way back only.

use crate::chain::NONE;
use crate::step::{self, JointTarget, shortest};
use crate::{
    Goal, IkChain, IkError, Quat, SolveOptions, SolveOutcome, Solver, Vec3, ccd, iteration, two_bone,
    unconstrained,
};
use nalgebra::Matrix3;

/// Forward and backward reaching, for one effector or several.
///
/// ```
/// use mocap_ik::{Constraint, Goal, IkChain, Link, SolveOptions, SolveStatus, Solver, Fabrik};
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
/// let outcome = Fabrik.solve(&mut chain, &[goal], &SolveOptions::default())?;
/// assert_eq!(outcome.status, SolveStatus::Reached);
/// # Ok::<(), mocap_ik::IkError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fabrik;

impl Solver for Fabrik {
    fn solve(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        options: &SolveOptions,
    ) -> Result<SolveOutcome, IkError> {
        chain.begin(goals, options)?;
        if unconstrained::applies(chain, goals, options) {
            let mut used = 0;
            let step = |chain: &mut IkChain, _| used = positions_only(chain, &goals[0], options);
            if let Some(outcome) = unconstrained::solve(chain, &goals[0], options, 0, step) {
                two_bone::swivel_to_pole(chain, &goals[0], options);
                return Ok(SolveOutcome { iterations: used, ..outcome });
            }
        }
        let mut distance = f64::INFINITY;
        let iterations = iteration::solve(chain, goals, options, |chain| {
            backward(chain, goals);
            forward(chain, goals, options);
            chain.update();
            let position = chain.residual(goals, options).position;
            // Hinges and limits can stall the positions where a CCD sweep still helps.
            if goals.len() == 1 && position > 0.9 * distance {
                ccd::sweep(chain, &goals[0], chain.length(0), options);
                chain.update();
                distance = chain.residual(goals, options).position;
            } else {
                distance = position;
            }
        });
        if let [goal] = goals {
            two_bone::swivel_to_pole(chain, goal, options);
        }
        Ok(chain.outcome(goals, options, iterations))
    }
}

/// Solves an unconstrained chain on positions, then turns the frames to match. Returns the iterations used.
fn positions_only(chain: &mut IkChain, goal: &Goal, options: &SolveOptions) -> u32 {
    let n = chain.len();
    let mut points = std::mem::take(&mut chain.scratch.points);
    points.copy_from_slice(&chain.position);
    // A little less than the tolerance: the rotations add some rounding.
    let near = 0.99 * options.position_tolerance * chain.length(0);
    let used = positions(&mut points, &chain.bone_length, &goal.position, near, options.iterations);
    let mut parent = chain.base.rotation;
    let mut at = chain.position[0];
    for k in 0..n {
        // The last bone points at the goal.
        let to = if k + 1 < n { points[k + 1] } else { goal.position } - points[k];
        let frame = parent * chain.local[k];
        let bone = frame * chain.bones[k];
        let turn = shortest(&bone, &to);
        chain.position[k] = at;
        chain.frame[k] = turn * frame;
        parent = chain.frame[k];
        at += turn * bone;
    }
    chain.tips[0] = at;
    chain.scratch.points = points;
    used.unwrap_or(options.iterations)
}

/// Forward and backward reaching on joint positions, without rotations: `points` from the base to the last
/// joint, `lengths` of the bones that start there, the last one ending in the effector. Moves the points
/// until the effector, at the end of the last bone towards the goal, is within `near` of it, and returns the
/// iterations used; `None` after `iterations`, or where an iteration leaves more than nine tenths of the
/// distance.
///
/// ```
/// use mocap_ik::fabrik;
/// use mocap_model::Vector3;
///
/// let mut points = [Vector3::zeros(), Vector3::new(0.0, 1.0, 0.0)];
/// let goal = Vector3::new(1.0, 1.0, 0.0);
/// assert!(fabrik::positions(&mut points, &[1.0, 1.0], &goal, 1e-6, 50).is_some());
/// assert!(((goal - points[1]).norm() - 1.0).abs() < 1e-5);
/// ```
///
/// # Panics
/// If there are no points, or not as many lengths.
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
            // If only the first bone has a wrong length, and by no more than the tolerance, all other points
            // are moved with it.
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
fn turned_local(frame: &Quat, turn: &Quat, local: &Quat) -> Quat {
    local * (frame.inverse() * (turn * frame))
}

/// The point at `length` from `from` towards `to`; `from` itself if both coincide.
#[inline]
fn along(from: &Vec3, to: &Vec3, length: f64) -> Vec3 {
    let arm = to - from;
    let distance = arm.norm();
    if distance == 0.0 { *from } else { from + arm * (length / distance) }
}

/// Backward pass, from the effectors to the base: the target position of each turning joint.
fn backward(chain: &mut IkChain, goals: &[Goal]) {
    let mut points = std::mem::take(&mut chain.scratch.points);
    let mut weights = std::mem::take(&mut chain.scratch.weights);
    weights.fill(0.0);
    for (e, goal) in goals.iter().enumerate() {
        let effector = chain.effectors[e];
        let joint = chain.turning_from(effector.joint);
        if joint != NONE {
            let joint = joint as usize;
            let position = effector_target(chain, e, joint, goal);
            add(&mut points[joint], &mut weights[joint], &position, goal_weight(goal));
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
            let position = along(&points[joint], &chain.position[above], length);
            let weight = weights[joint];
            add(&mut points[above], &mut weights[above], &position, weight);
        }
    }
    chain.scratch.points = points;
    chain.scratch.weights = weights;
}

/// The target position of the joint that carries an effector.
fn effector_target(chain: &IkChain, e: usize, joint: usize, goal: &Goal) -> Vec3 {
    let (tip, frame) = chain.tip(e);
    let arm = tip - chain.position[joint];
    let position = if goal.wants_position() { goal.position } else { tip };
    if goal.wants_orientation() {
        return position - goal.orientation * (frame.inverse() * arm);
    }
    along(&position, &chain.position[joint], arm.norm())
}

/// The weight of a goal where several meet in a joint.
fn goal_weight(goal: &Goal) -> f64 {
    goal.position_weight.max(goal.orientation_weight).max(f64::MIN_POSITIVE.sqrt()) * goal.priority_weight()
}

fn add(point: &mut Vec3, sum: &mut f64, target: &Vec3, weight: f64) {
    if *sum == 0.0 {
        *point = Vec3::zeros();
    }
    *point += target * weight;
    *sum += weight;
}

/// Forward pass, from the base to the effectors: each joint turns its bones towards their target positions.
fn forward(chain: &mut IkChain, goals: &[Goal], options: &SolveOptions) {
    for joint in 0..chain.len() {
        chain.update_joint(joint);
        if chain.constraint[joint].is_locked() || chain.scratch.weights[joint] == 0.0 {
            continue;
        }
        let constraint = chain.constraint[joint];
        let turn = match bone_target(chain, joint, goals) {
            BoneTarget::None => continue,
            BoneTarget::Turn(turn) => turn,
            BoneTarget::Arm(arm, to) => {
                // One bone: the best turn that the joint's constraint allows.
                let mut target = JointTarget::position_only(arm, to);
                if let Some(local) = step::turn(chain, joint, &mut target, options) {
                    chain.local[joint] = local;
                    chain.update_joint(joint);
                }
                continue;
            }
        };
        let share = options.damping * (1.0 - constraint.stiffness);
        let turn = step::shortened(turn, share, options.max_turn);
        let local = turned_local(&chain.frame[joint], &turn, &chain.local[joint]);
        let local = Quat::new_normalize(local.into_inner());
        chain.local[joint] = if options.limits { constraint.project(&local).0 } else { local };
        chain.update_joint(joint);
    }
}

/// The target of the bones that a joint carries.
enum BoneTarget {
    /// No bone with a target.
    None,
    /// One bone: its arm, and where the arm should end.
    Arm(Vec3, Vec3),
    /// The turn in object space that fits all bones best.
    Turn(Quat),
}

fn bone_target(chain: &IkChain, joint: usize, goals: &[Goal]) -> BoneTarget {
    let at = chain.position[joint];
    let frame = &chain.frame[joint];
    let mut single = None;
    let mut count = 0;
    let mut moments = Matrix3::zeros();
    let mut add_bone = |arm: Vec3, to: Vec3, weight: f64| {
        count += 1;
        single = Some((arm, to));
        moments += to * arm.transpose() * weight;
    };
    for (e, goal) in goals.iter().enumerate() {
        let effector = &chain.effectors[e];
        if chain.turning_from(effector.joint) != joint as u32 {
            continue;
        }
        // Joints below still hold the old pose: rigid parts are seen from the old frame of this joint.
        let (tip, orientation) = chain.rigid_tip(e, joint);
        if goal.wants_orientation() {
            return BoneTarget::Turn(goal.orientation * (frame * orientation).inverse());
        }
        if goal.wants_position() {
            add_bone(frame * tip, goal.position - at, goal_weight(goal));
        }
    }
    for child in joint + 1..chain.len() {
        if chain.above[child] == joint as u32 && chain.scratch.weights[child] > 0.0 {
            let arm = frame * chain.rigid_arm(child, joint);
            add_bone(arm, chain.scratch.points[child] - at, chain.scratch.weights[child]);
        }
    }
    match (count, single) {
        (1, Some((arm, to))) => BoneTarget::Arm(arm, to),
        (0, _) | (_, None) => BoneTarget::None,
        _ => BoneTarget::Turn(step::best_rotation(&moments)),
    }
}
