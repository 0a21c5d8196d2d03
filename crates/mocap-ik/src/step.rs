//! The best turn of one joint, all others held still.
//!
//! Free joints turn by the shortest rotation that takes the arm onto the goal; hinges, and the single axes of
//! a joint with Euler ranges, by the angle that minimises the weighted squared distance of position and axes.
//!
//! Based on: L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics
//! problem of mechanical manipulators", IEEE Transactions on Robotics and Automation, 1991.

use crate::constraint::{clamp, euler_within, twist_angle};
use crate::dofs::euler_axes;
use crate::{Constraint, Freedom, Goal, IkChain, Quat, SolveOptions, Vec3};
use mocap_model::{exp, log, renormalised, rotation_between};
use nalgebra::{Matrix3, Quaternion, Unit};
use std::f64::consts::PI;

/// The target of one joint's turn: an arm from the joint to the effector, and where the arm should end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointTarget {
    /// From the joint to the effector, object space.
    pub(crate) arm: Vec3,
    /// From the joint to the goal.
    pub(crate) to: Vec3,
    /// Weight of the squared distance of `arm` and `to`.
    pub(crate) position: f64,
    /// Orientation of the effector and of the goal.
    pub(crate) frame: Quat,
    pub(crate) goal_frame: Quat,
    /// Weight of the squared distances of their axes [units²].
    pub(crate) orientation: f64,
}

impl JointTarget {
    #[inline]
    pub(crate) fn new(goal: &Goal, length: f64, joint: &Vec3, tip: &Vec3, frame: &Quat) -> JointTarget {
        JointTarget {
            arm: tip - joint,
            to: goal.position - joint,
            position: goal.position_weight,
            frame: *frame,
            goal_frame: goal.orientation,
            orientation: goal.orientation_weight * length * length,
        }
    }

    /// A position without an orientation.
    pub(crate) fn position_only(arm: Vec3, to: Vec3) -> JointTarget {
        let frame = Quat::identity();
        JointTarget { arm, to, position: 1.0, frame, goal_frame: frame, orientation: 0.0 }
    }

    #[inline]
    pub(crate) fn turn(&mut self, by: &Quat) {
        self.arm = by * self.arm;
        if self.orientation > 0.0 {
            self.frame = by * self.frame;
        }
    }

    /// The weighted squared distance that remains.
    pub(crate) fn cost(&self) -> f64 {
        let mut cost = self.position * (self.to - self.arm).norm_squared();
        if self.orientation > 0.0 {
            for axis in axes() {
                cost += self.orientation * (self.frame * axis - self.goal_frame * axis).norm_squared();
            }
        }
        cost
    }

    /// The angle about `axis` (unit, through the joint) that minimises the cost.
    fn best_angle(&self, axis: &Vec3) -> f64 {
        let (mut along, mut cosine, mut sine) = (0.0, 0.0, 0.0);
        let mut add = |from: &Vec3, to: &Vec3, weight: f64| {
            along += weight * from.dot(axis) * to.dot(axis);
            cosine += weight * from.dot(to);
            sine += weight * axis.dot(&from.cross(to));
        };
        add(&self.arm, &self.to, self.position);
        if self.orientation > 0.0 {
            for unit in axes() {
                add(&(self.frame * unit), &(self.goal_frame * unit), self.orientation);
            }
        }
        let across = cosine - along;
        // The arm lies along the axis: all angles are equally good.
        if across == 0.0 && sine == 0.0 { 0.0 } else { sine.atan2(across) }
    }
}

/// The two axes that make up an orientation goal.
fn axes() -> [Vec3; 2] {
    [Vec3::x(), Vec3::y()]
}

/// The new local rotation of a joint within its constraint; `None` if no turn helps. `target` turns with the
/// joint.
#[inline]
pub(crate) fn turn(
    chain: &IkChain,
    joint: usize,
    target: &mut JointTarget,
    options: &SolveOptions,
) -> Option<Quat> {
    let constraint = &chain.constraint[joint];
    let share = options.damping * (1.0 - constraint.stiffness);
    let parent = chain.parent_frame(joint);
    let frame = &chain.frame[joint];
    let local = &chain.local[joint];
    if constraint.is_free() || !options.limits {
        let by = free_turn(target, share, options.max_turn);
        target.turn(&by);
        return Some(renormalised(parent.inverse() * (by * frame)));
    }
    match &constraint.freedom {
        Freedom::Free | Freedom::Locked => None,
        Freedom::Hinge { .. } => {
            Some(hinge_turn(constraint, &parent, local, target, share, options.max_turn))
        }
        Freedom::Ball { .. } | Freedom::Euler { .. } => {
            let by = free_turn(target, share, options.max_turn);
            let unclamped = renormalised(parent.inverse() * (by * frame));
            let (allowed, clamped) = constraint.project(&unclamped);
            let mut turned = *target;
            turned.turn(&if clamped { parent * allowed * frame.inverse() } else { by });
            if !clamped || turned.cost() < target.cost() {
                *target = turned;
                return Some(allowed);
            }
            match constraint.freedom {
                Freedom::Euler { .. } => {
                    Some(euler_turn(constraint, &parent, local, target, share, options.max_turn))
                }
                _ => None,
            }
        }
    }
}

/// The shortest rotation between two directions, as [`rotation_between`], with one root and one division
/// where they are not nearly opposite.
#[inline]
pub(crate) fn shortest(from: &Vec3, to: &Vec3) -> Quat {
    let (turn, short) = short_turn(from, to);
    if short { turn } else { rotation_between(from, to) }
}

/// The shortest rotation between two directions, and whether it is one: nearly opposite directions have none.
#[inline(always)]
pub(crate) fn short_turn(from: &Vec3, to: &Vec3) -> (Quat, bool) {
    let (cross, dot) = (from.cross(to), from.dot(to));
    let length = (from.norm_squared() * to.norm_squared()).sqrt();
    let w = dot + length;
    // |(w, cross)|² = w² + length² - dot² = 2 · length · w
    let scale = 1.0 / (2.0 * length * w).sqrt();
    (Quat::new_unchecked(Quaternion::from_parts(w * scale, cross * scale)), w > 1e-3 * length)
}

/// The rotation in object space that a joint without limits makes.
#[inline]
fn free_turn(target: &JointTarget, share: f64, max_turn: f64) -> Quat {
    let by = if target.orientation == 0.0 {
        shortest(&target.arm, &target.to)
    } else if target.position == 0.0 {
        target.goal_frame * target.frame.inverse()
    } else {
        let mut moments = target.to * target.arm.transpose() * target.position;
        for axis in axes() {
            moments += target.goal_frame * axis * (target.frame * axis).transpose() * target.orientation;
        }
        best_rotation(&moments)
    };
    shortened(by, share, max_turn)
}

/// A share of a turn, of at most `max_turn` \[rad\].
#[inline]
pub(crate) fn shortened(turn: Quat, share: f64, max_turn: f64) -> Quat {
    if share == 1.0 && max_turn >= PI {
        return turn;
    }
    let vector = log(&turn) * share;
    let angle = vector.norm();
    exp(&(if angle > max_turn { vector * (max_turn / angle) } else { vector }))
}

/// The rotation R with the greatest trace of `Rᵀ · moments`: Horn's quaternion, found by Newton's method on
/// the rotation vector from the identity, since the turns of an iteration are small.
pub(crate) fn best_rotation(moments: &Matrix3<f64>) -> Quat {
    let mut turn = Quat::identity();
    for _ in 0..8 {
        // With S the moments after the turn so far: gradient and Hessian of the trace.
        let s = turn.inverse().to_rotation_matrix().matrix() * moments;
        let gradient = Vec3::new(s[(2, 1)] - s[(1, 2)], s[(0, 2)] - s[(2, 0)], s[(1, 0)] - s[(0, 1)]);
        let scale = s.norm();
        if gradient.norm() <= 1e-12 * scale {
            break;
        }
        let symmetric = (s + s.transpose()) / 2.0;
        let hessian = Matrix3::identity() * (symmetric.trace() + 1e-6 * scale) - symmetric;
        let step = match hessian.cholesky() {
            Some(factor) => factor.solve(&gradient),
            None => gradient / scale,
        };
        let step = if step.norm() > 1.0 { step.normalize() } else { step };
        turn *= exp(&step);
    }
    Quat::new_normalize(Quaternion::from(turn.coords))
}

fn hinge_turn(
    constraint: &Constraint,
    parent: &Quat,
    local: &Quat,
    target: &mut JointTarget,
    share: f64,
    max_turn: f64,
) -> Quat {
    let Freedom::Hinge { axis, range } = &constraint.freedom else { return *local };
    let seen = parent * constraint.outer() * axis;
    let sign = constraint.sign();
    let angle = twist_angle(&constraint.to_free(local), axis);
    let by = (target.best_angle(&seen) * share).clamp(-max_turn, max_turn);
    let (clamped, _) = clamp(angle + sign * by, range);
    target.turn(&Quat::from_axis_angle(&seen, sign * (clamped - angle)));
    constraint.to_local(&Quat::from_axis_angle(axis, clamped))
}

/// One axis after the other, the innermost first: the axes outside of it do not move then.
fn euler_turn(
    constraint: &Constraint,
    parent: &Quat,
    local: &Quat,
    target: &mut JointTarget,
    share: f64,
    max_turn: f64,
) -> Quat {
    let Freedom::Euler { order, ranges } = &constraint.freedom else { return *local };
    let mut angles = euler_within(*order, ranges, &constraint.to_free(local));
    let sign = constraint.sign();
    let sequence = if constraint.inverted { [2, 1, 0] } else { [0, 1, 2] };
    let frame = parent * constraint.outer();
    let seen = euler_axes(*order, angles, constraint.inverted).map(|axis| Unit::new_unchecked(frame * axis));
    for i in sequence.into_iter().rev() {
        let by = (target.best_angle(&seen[i]) * share).clamp(-max_turn, max_turn);
        let (clamped, _) = clamp(angles[i] + sign * by, &ranges[i]);
        target.turn(&Quat::from_axis_angle(&seen[i], sign * (clamped - angles[i])));
        angles[i] = clamped;
    }
    constraint.to_local(&order.rotation(angles))
}
