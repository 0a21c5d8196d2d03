//! Two bones whose joints turn freely, in closed form, without a chain and in eight frames at once:
//! for callers that solve the same limb in millions of frames.

use crate::bend::{can_span, free_bend_turn};
use crate::step::short_turn;
use mocap_model::{LANES, RotationLanes, UnitQuaternion, Vector3, VectorLanes};

/// The turns in object space that bring the tip of a limb of two bones to a goal, by frame.
///
/// ```
/// use mocap_ik::BoneTurns;
/// use mocap_model::{Vector3, VectorLanes};
///
/// // A hanging leg lifts its ankle; the knee bends about X. From frame 1 on, goals are out of
/// // reach.
/// let [upper, lower] = [-0.45, -0.42].map(|y| VectorLanes::same(&Vector3::new(0.0, y, 0.0)));
/// let goals = VectorLanes::each(|frame| Vector3::new(0.1, -0.6, 0.2) * (1.0 + frame as f64));
/// let turns = BoneTurns::to_goals(&upper, &lower, &goals, &VectorLanes::same(&Vector3::x()));
/// let tips = turns.first.turn_each(&upper.plus(&turns.bent));
/// assert!(turns.found[0] && (tips.at(0) - goals.at(0)).norm() < 1e-12);
/// assert!(!turns.found[1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneTurns {
    /// The turn of the joint between the bones, which comes first.
    pub middle: RotationLanes,
    /// The turn of the first joint, which carries both bones.
    pub first: RotationLanes,
    /// The lower bone after the turn of the middle joint.
    pub bent: VectorLanes,
    /// Whether there is a solution; if not, the other fields are undefined. There is none if the bones cannot
    /// span the distance to the goal, or not about the axis, or if the goal is opposite to the tip.
    pub found: [bool; LANES],
}

impl BoneTurns {
    /// The solution of [`TwoBone`](crate::TwoBone) for the bones `upper` and `lower` (from each joint to the next), goals
    /// as seen from the first joint, and axes of length 1 for the bend.
    pub fn to_goals(
        upper: &VectorLanes,
        lower: &VectorLanes,
        goals: &VectorLanes,
        axes: &VectorLanes,
    ) -> BoneTurns {
        let none = RotationLanes::same(&UnitQuaternion::identity());
        let origin = VectorLanes::same(&Vector3::zeros());
        let mut turns = BoneTurns { middle: none, first: none, bent: origin, found: [false; LANES] };
        for lane in 0..LANES {
            let (upper, lower, goal) = (upper.at(lane), lower.at(lane), goals.at(lane));
            let (back, square) = (-upper, goal.norm_squared());
            let (middle, spans) = free_bend_turn(&axes.at(lane), &back, &lower, square);
            let bent = middle * lower;
            let (first, short) = short_turn(&(upper + bent), &goal);
            turns.middle.set(lane, &middle);
            turns.first.set(lane, &first);
            turns.bent.set(lane, &bent);
            turns.found[lane] = can_span(&back, &lower, square) & spans & short;
        }
        turns
    }
}
