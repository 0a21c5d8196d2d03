//! Hands of the source on the floor: whether they carry the body, and whether they stay in place.

use crate::body::LimbKind;
use crate::self_contact::{MovingHands, falling};
use mocap_model::{PlacedJoints, Vector3};

/// Hips, knees or ankles below the first value may rest on the floor; if all are above the second, only hands carry the
/// body \[leg lengths\].
const RAISED: (f64, f64) = (0.15, 0.35);
/// An arm carries if its shoulder is above the palm by more than the second value, and not if it is by less than the
/// first: arms of somebody who lies \[arm lengths\].
const ABOVE: (f64, f64) = (0.3, 0.6);
/// A hand that moves along the floor slower than this stays in place: 0.15 m/s of a person \[arm lengths/s\].
const STILL: f64 = 0.27;

/// A hand of the source in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandOnFloor {
    palm: Vector3<f64>,
    /// How far it would carry the body if it were on the floor, 0 to 1.
    pub carries: f64,
}

impl MovingHands<'_> {
    /// The hand of an arm in a frame.
    pub(crate) fn on_floor(
        &self,
        arm: usize,
        palm: Vector3<f64>,
        placed: &PlacedJoints,
        block: usize,
        lane: usize,
    ) -> HandOnFloor {
        let up = &self.up;
        let joints = |limb: usize| {
            let limb = self.limbs[limb];
            [limb.base, limb.middle, limb.tip].map(|joint| placed.lanes(joint, block).position.at(lane))
        };
        let length = |[base, middle, tip]: &[Vector3<f64>; 3]| {
            ((base - middle).norm() + (middle - tip).norm()).max(f64::MIN_POSITIVE)
        };
        let legs = (0..self.limbs.len()).filter(|limb| self.limbs[*limb].kind == LimbKind::Leg).map(joints);
        let lowest = legs.map(|leg| {
            let lowest = leg.iter().map(|joint| joint.dot(up)).fold(f64::INFINITY, f64::min);
            (lowest - self.floor) / length(&leg)
        });
        let raised = 1.0 - falling(RAISED, lowest.fold(f64::INFINITY, f64::min));
        let arm = joints(arm);
        let above = 1.0 - falling(ABOVE, (arm[0] - palm).dot(up) / length(&arm));
        HandOnFloor { palm, carries: raised * above }
    }
}

/// By frame: whether a hand stays in place along the floor; `length` is that of its arm.
pub(crate) fn still_hands(hands: &[HandOnFloor], length: f64, up: &Vector3<f64>, fps: f64) -> Vec<bool> {
    let moved = |from: usize, to: usize| {
        let way = hands[to].palm - hands[from].palm;
        (way - up * way.dot(up)).norm() * fps / (to - from).max(1) as f64
    };
    let last = hands.len().saturating_sub(1);
    (0..hands.len()).map(|at| moved(at.saturating_sub(1), (at + 1).min(last)) < STILL * length).collect()
}
