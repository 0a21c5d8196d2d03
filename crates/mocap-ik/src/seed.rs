//! Other poses to start from, where limits hold a solve back from a goal within reach: the middle of the ranges, the
//! start mirrored about it, then poses spread over the ranges. The same on every run.

use crate::constraint::{clamp, euler_within, twist_angle};
use crate::{Chain, Constraint, Freedom, Quat, Vec3, two_bone};
use mocap_model::{Limit, exp, swing_twist};
use nalgebra::Unit;
use std::f64::consts::{PI, TAU};

/// How far a joint without limits is turned about each axis \[rad\].
const TURN: f64 = 1.0;

/// SplitMix64, of S. Vigna.
pub(crate) struct Spread(pub(crate) u64);

impl Spread {
    /// A number from 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Puts a chain into its `attempt`-th other pose; `start` is the pose that the solve began with.
pub(crate) fn pose(chain: &mut Chain, start: &[Quat], attempt: u32, spread: &mut Spread) {
    for joint in 0..chain.len() {
        let constraint = chain.constraint[joint];
        if !constraint.is_locked() {
            chain.local[joint] = other(&constraint, &start[joint], attempt, spread);
        }
    }
    chain.update();
}

fn other(constraint: &Constraint, start: &Quat, attempt: u32, spread: &mut Spread) -> Quat {
    let mut angle = |now: f64, range: &Limit| {
        let (min, max) = if range.max - range.min >= TAU { (-PI, PI) } else { (range.min, range.max) };
        match attempt {
            0 => (min + max) / 2.0,
            1 => min + max - now,
            _ => min + (max - min) * spread.next(),
        }
    };
    let free = constraint.to_free(start);
    let made = match &constraint.freedom {
        Freedom::Locked => return *start,
        Freedom::Free => {
            let turn = Vec3::from_fn(|_, _| (2.0 * spread.next() - 1.0) * TURN);
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
                    let across = Quat::from_axis_angle(axis, TAU * spread.next()) * *two_bone::across(axis);
                    Quat::from_axis_angle(&Unit::new_normalize(across), swing * spread.next())
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
    fn every_pose_is_allowed() {
        let limit = |min, max| Limit { min, max };
        let constraints = [
            Constraint::hinge(Vec3::x_axis(), -0.3, 2.0),
            Constraint::new(Freedom::Ball { axis: Vec3::y_axis(), swing: 1.0, twist: limit(-0.5, 1.5) }),
            Constraint::new(Freedom::Euler {
                order: EulerOrder::ZXY,
                ranges: [limit(0.5, 1.0), limit(-1.0, 0.2), limit(-2.0, 2.0)],
            }),
        ];
        let mut spread = Spread(1);
        for constraint in constraints {
            let start = constraint.project(&exp(&Vec3::new(0.4, -0.8, 0.3))).0;
            for attempt in 0..20 {
                let other = other(&constraint, &start, attempt, &mut spread);
                assert!(constraint.excess(&other) < 1e-9, "{attempt}: {constraint:?}");
            }
        }
    }
}
