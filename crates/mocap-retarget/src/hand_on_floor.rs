//! Hands of the source on the floor: whether they carry the body, and whether they stay in place.

use crate::body::{Limb, LimbKind};
use crate::smoothing::falling;
use mocap_model::{PlacedJoints, Vector3};

/// What is below the first value may rest on the floor, what is above the second does not \[leg lengths\].
const RAISED: (f64, f64) = (0.15, 0.35);
/// An arm presses on the floor if its shoulder is above the palm by more than the second value, and not if it is by
/// less than the first: arms of somebody who lies \[arm lengths\].
const ABOVE: (f64, f64) = (0.3, 0.6);
/// A hand that moves along the floor slower than this stays in place: 0.15 m/s of a person \[arm lengths/s\].
const STILL: f64 = 0.27;

/// A hand of the source in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandOnFloor {
    palm: Vector3<f64>,
    /// How far it would press on the floor if it were there, 0 to 1: the shoulder is above, and no hip or knee is
    /// near the floor.
    pub presses: f64,
    /// How far it would carry the body, 0 to 1: it presses, and no foot is near the floor.
    pub carries: f64,
}

impl HandOnFloor {
    /// The hand of an arm in a frame, of a body with some limbs, an up axis and a floor.
    pub(crate) fn of(
        (limbs, up, floor): (&[&Limb], &Vector3<f64>, f64),
        arm: usize,
        palm: Vector3<f64>,
        placed: &PlacedJoints,
        (block, lane): (usize, usize),
    ) -> HandOnFloor {
        let joints = |limb: usize| {
            let limb = limbs[limb];
            [limb.base, limb.middle, limb.tip].map(|joint| placed.lanes(joint, block).position.at(lane))
        };
        let length = |[base, middle, tip]: &[Vector3<f64>; 3]| {
            ((base - middle).norm() + (middle - tip).norm()).max(f64::MIN_POSITIVE)
        };
        let (mut knees, mut feet) = (f64::INFINITY, f64::INFINITY);
        for leg in (0..limbs.len()).filter(|limb| limbs[*limb].kind == LimbKind::Leg).map(joints) {
            let [hip, knee, ankle] = leg.map(|joint| (joint.dot(up) - floor) / length(&leg));
            (knees, feet) = (knees.min(hip).min(knee), feet.min(ankle));
        }
        let raised = |height: f64| 1.0 - falling(RAISED, height);
        let arm = joints(arm);
        let above = 1.0 - falling(ABOVE, (arm[0] - palm).dot(up) / length(&arm));
        let presses = raised(knees) * above;
        HandOnFloor { palm, presses, carries: presses * raised(feet) }
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
