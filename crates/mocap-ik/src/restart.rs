//! Start poses for restarts, used if limits keep a solve from a goal within reach: the middle of the ranges,
//! the first pose mirrored about the middle, then random poses within the ranges. The sequence is the same on
//! every run.

use crate::bend::across;
use crate::constraint::{clamp, euler_within, twist_angle};
use crate::{Constraint, Freedom, IkChain, Quat, Vec3};
use mocap_model::{Limit, exp, swing_twist};
use nalgebra::Unit;
use std::f64::consts::{PI, TAU};

/// The greatest random turn of a joint without limits about each axis \[rad\].
const TURN: f64 = 1.0;

/// The random generator SplitMix64. Based on: S. Vigna, "splitmix64.c", 2015.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A uniformly distributed number in [0, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Poses a chain for restart number `attempt`; `start` is the pose that the solve started from.
pub(crate) fn set_pose(chain: &mut IkChain, start: &[Quat], attempt: u32, random: &mut Random) {
    for joint in 0..chain.len() {
        let constraint = chain.constraint[joint];
        if !constraint.is_locked() {
            chain.local[joint] = start_rotation(&constraint, &start[joint], attempt, random);
        }
    }
    chain.update();
}

fn start_rotation(constraint: &Constraint, start: &Quat, attempt: u32, random: &mut Random) -> Quat {
    let mut angle = |now: f64, range: &Limit| {
        let (min, max) = if range.max - range.min >= TAU { (-PI, PI) } else { (range.min, range.max) };
        match attempt {
            0 => (min + max) / 2.0,
            1 => min + max - now,
            _ => min + (max - min) * random.next(),
        }
    };
    let free = constraint.to_free(start);
    let made = match &constraint.freedom {
        Freedom::Locked => return *start,
        Freedom::Free => {
            let turn = Vec3::from_fn(|_, _| (2.0 * random.next() - 1.0) * TURN);
            return match attempt {
                0 | 1 => *start,
                _ => Quat::new_normalize((start * exp(&turn)).into_inner()),
            };
        }
        Freedom::Hinge { axis, range } => {
            Quat::from_axis_angle(axis, angle(clamp(twist_angle(&free, axis), range).0, range))
        }
        Freedom::Euler { order, ranges } => {
            let now = euler_within(*order, ranges, &free);
            order.rotation(std::array::from_fn(|i| angle(now[i], &ranges[i])))
        }
        Freedom::Ball { axis, swing, twist } => {
            let (tilt, turn) = swing_twist(&free, axis);
            let twisted = angle(clamp(twist_angle(&turn, axis), twist).0, twist);
            let tilt = match attempt {
                0 => Quat::identity(),
                1 => tilt.inverse(),
                _ => {
                    let tilt_axis = Quat::from_axis_angle(axis, TAU * random.next()) * *across(axis);
                    Quat::from_axis_angle(&Unit::new_normalize(tilt_axis), swing * random.next())
                }
            };
            tilt * Quat::from_axis_angle(axis, twisted)
        }
    };
    constraint.to_local(&made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::EulerOrder;

    #[test]
    fn every_start_pose_is_within_the_limits() {
        let limit = |min, max| Limit { min, max };
        let constraints = [
            Constraint::hinge(Vec3::x_axis(), -0.3, 2.0),
            Constraint::new(Freedom::Ball { axis: Vec3::y_axis(), swing: 1.0, twist: limit(-0.5, 1.5) }),
            Constraint::new(Freedom::Euler {
                order: EulerOrder::ZXY,
                ranges: [limit(0.5, 1.0), limit(-1.0, 0.2), limit(-2.0, 2.0)],
            }),
        ];
        let mut random = Random(1);
        for constraint in constraints {
            let start = constraint.project(&exp(&Vec3::new(0.4, -0.8, 0.3))).0;
            for attempt in 0..20 {
                let rotation = start_rotation(&constraint, &start, attempt, &mut random);
                assert!(constraint.excess(&rotation) < 1e-9, "{attempt}: {constraint:?}");
            }
        }
    }
}
