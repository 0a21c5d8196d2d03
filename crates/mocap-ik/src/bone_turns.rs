//! Two bones whose joints turn freely, in closed form and without a chain: for callers that solve the same limb in
//! millions of frames.

use crate::bend::{can_span, free_bend_turn};
use crate::step::shortest;
use crate::{Quat, Vec3};
use nalgebra::Unit;

/// The turns in object space that bring the tip of a limb of two bones to a goal.
///
/// ```
/// use mocap_ik::BoneTurns;
/// use mocap_model::Vector3;
///
/// // A leg that hangs down is to lift its ankle; the knee bends about X.
/// let (upper, lower) = (Vector3::new(0.0, -0.45, 0.0), Vector3::new(0.0, -0.42, 0.0));
/// let goal = Vector3::new(0.1, -0.6, 0.2);
/// let turns = BoneTurns::to_goal(&upper, &lower, &goal, Vector3::x_axis()).unwrap();
/// let tip = turns.first * (upper + turns.bent);
/// assert!((tip - goal).norm() < 1e-12);
/// // No leg is a metre long here.
/// assert!(BoneTurns::to_goal(&upper, &lower, &(goal * 2.0), Vector3::x_axis()).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneTurns {
    /// The turn of the joint between the bones, which comes first.
    pub middle: Quat,
    /// The turn of the first joint, which carries both bones.
    pub first: Quat,
    /// The lower bone after the turn of the middle joint.
    pub bent: Vec3,
}

impl BoneTurns {
    /// The solution of [`TwoBone`](crate::TwoBone) for the bones `upper` and `lower` (from each joint to the next) and a
    /// goal as seen from the first joint, with an axis for the bend; `None` if the bones cannot span the distance to the
    /// goal, or have no length across the axis.
    #[inline]
    pub fn to_goal(upper: &Vec3, lower: &Vec3, goal: &Vec3, axis: Unit<Vec3>) -> Option<BoneTurns> {
        let (back, square) = (-upper, goal.norm_squared());
        if !can_span(&back, lower, square) {
            return None;
        }
        let middle = free_bend_turn(axis, &back, lower, square)?;
        let bent = middle * lower;
        Some(BoneTurns { middle, first: shortest(&(upper + bent), goal), bent })
    }
}
