//! Goal of a foot: the middle between ankle and ball is placed where the source has it, and the ball at the
//! same height above the floor.
//!
//! Lengths scale with the leg, but feet have proportions of their own. If the ankle were the goal, the ball of
//! a longer foot would penetrate the floor; if the ball were, the heel would be far from the body. The middle
//! of the foot is as far from the hip as the source's, scaled; its height follows from the ball above the
//! floor.

use crate::standing_heights::StandingHeights;
use mocap_analysis::{Foot, SoleHeights};
use mocap_model::{JointId, Role, RotationLanes, Side, Skeleton, UnitQuaternion, Vector3, VectorLanes};

/// Blends between two rules for the height of a foot, by the cosine between the direction in which it faces and
/// down. Above the second value the foot stands or could stand, and its height follows from the floor. Below
/// the first, as in a handstand, its height follows from the hip.
const FACES_DOWN: (f64, f64) = (-0.7, -0.2);

/// Constants of one foot of the target, from which its goals are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FootGoal {
    /// Index of the leg in the limbs of the pair.
    pub limb: usize,
    /// The ball of the source's foot; its ankle if one of the two skeletons has no joint there.
    pub ball: JointId,
    /// From the target's ankle to its ball, in the frame of the ankle.
    to_ball: Vector3<f64>,
    /// Up while the target's foot is flat, in the frame of its ankle.
    flat_up: Vector3<f64>,
    /// Heights of the ball above the floor while the foot is flat: source, target.
    heights: [f64; 2],
}

/// Positions of hip, ankle and ball of the source in a block of frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedFoot<'a> {
    pub hip: &'a VectorLanes,
    pub ankle: &'a VectorLanes,
    pub ball: &'a VectorLanes,
}

impl FootGoal {
    /// `to_ball` and `flat` (the orientation of the ankle while the foot is flat) are of the target.
    pub(crate) fn new(
        limb: usize,
        [(source_skeleton, source), (target_skeleton, target)]: [(&Skeleton, &Foot); 2],
        [source_heights, target_heights]: [&SoleHeights; 2],
        to_ball: Vector3<f64>,
        flat: &UnitQuaternion<f64>,
        up: &Vector3<f64>,
    ) -> FootGoal {
        let has_ball = |skeleton: &Skeleton, foot: &Foot| {
            let toes = if foot.side == Side::Left { Role::LeftToes } else { Role::RightToes };
            skeleton.with_role(toes) == Some(foot.toe) && foot.toe != foot.ankle
        };
        let flat_up = flat.inverse() * up;
        if has_ball(source_skeleton, source) && has_ball(target_skeleton, target) {
            let heights = [source_heights.toe, target_heights.toe];
            return FootGoal { limb, ball: source.toe, to_ball, flat_up, heights };
        }
        let heights = [source_heights.ankle, target_heights.ankle];
        FootGoal { limb, ball: source.ankle, to_ball: Vector3::zeros(), flat_up, heights }
    }

    /// The goals of the target's ankle, whose hip joint is at `hip` and whose foot has the orientation `foot`. `scale` is
    /// the ratio of leg lengths.
    pub(crate) fn ankles(
        &self,
        source: &PlacedFoot,
        hip: &VectorLanes,
        foot: &RotationLanes,
        scale: f64,
        heights: &StandingHeights,
        up: &Vector3<f64>,
    ) -> VectorLanes {
        let (to_balls, flat_ups) = (foot.turn(&self.to_ball), foot.turn(&self.flat_up));
        VectorLanes::each(|lane| {
            let (ball, to_ball) = (source.ball.at(lane), to_balls.at(lane));
            let middle = (source.ankle.at(lane) + ball) / 2.0 - source.hip.at(lane);
            let goal = hip.at(lane) + middle * scale - to_ball / 2.0;
            let above_floor = ball.dot(up) - heights.source_floor - self.heights[0];
            let ball = heights.target_floor + self.heights[1] + above_floor * scale;
            let share = smooth_step(FACES_DOWN, flat_ups.at(lane).dot(up));
            goal + up * ((ball - (goal + to_ball).dot(up)) * share)
        })
    }
}

/// Smoothstep: 0 at `from`, 1 at `to`, with zero slope at both.
fn smooth_step((from, to): (f64, f64), value: f64) -> f64 {
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: Vector3<f64> = Vector3::new(0.0, 1.0, 0.0);

    /// A foot whose ball is 0.2 ahead of the ankle and 0.1 below it.
    fn goal(scale: f64) -> FootGoal {
        FootGoal {
            limb: 0,
            ball: JointId(0),
            to_ball: Vector3::new(0.0, -0.1, 0.2),
            flat_up: UP,
            heights: [0.02, 0.02 * scale],
        }
    }

    fn heights(scale: f64) -> StandingHeights {
        StandingHeights {
            source_floor: 0.5,
            source_ankle: 0.12,
            target_floor: 0.5 * scale,
            target_ankle: 0.12,
        }
    }

    /// The goal of the ankle if the hip is at a position.
    fn ankle([hip, ankle, ball]: [Vector3<f64>; 3], foot: &UnitQuaternion<f64>) -> Vector3<f64> {
        let [hip, ankle, ball] = [hip, ankle, ball].map(|at| VectorLanes::same(&at));
        let source = PlacedFoot { hip: &hip, ankle: &ankle, ball: &ball };
        goal(1.0).ankles(&source, &hip, &RotationLanes::same(foot), 1.0, &heights(1.0), &UP).at(0)
    }

    #[test]
    fn on_its_own_body_a_foot_is_where_it_was() {
        for turn in [0.0, 0.6, 1.5, 3.0] {
            let foot = UnitQuaternion::new(Vector3::new(turn, 0.2 * turn, 0.0));
            let at = Vector3::new(0.1, 0.7, 0.3);
            let found = ankle([Vector3::new(0.1, 1.4, 0.2), at, at + foot * goal(1.0).to_ball], &foot);
            assert!((found - at).norm() < 1e-12, "{turn}: {found}");
        }
    }

    #[test]
    fn the_ball_of_a_long_foot_stands_on_the_floor() {
        // A source with a foot half as long, flat on the floor.
        let at = Vector3::new(0.1, 0.57, 0.3);
        let source_ball = at + Vector3::new(0.0, -0.05, 0.1);
        let hip = Vector3::new(0.1, 1.4, 0.3);
        let found = ankle([hip, at, source_ball], &UnitQuaternion::identity());
        let ball = found + goal(1.0).to_ball;
        assert!((ball.y - source_ball.y).abs() < 1e-12, "{ball}");
        // The middles of both feet coincide.
        assert!(((found + ball) / 2.0 - (at + source_ball) / 2.0).z.abs() < 1e-12);
    }
}
