//! Stage 3, hands: their goals are moved to where the contacts of the source's hands are kept.
//!
//! A contact is worth some change of the arm, not any: an arm that is pulled straight, or turned far from how the source
//! holds it, looks wrong in a way that a missed contact does not. So the pull of contacts is bounded, and one towards a
//! place out of reach fades.

use crate::limb_map::LimbMap;
use crate::pair::Pair;
use crate::self_contact::{ContactOffset, SelfContacts, Touched, palm_offset};
use crate::standing_heights::StandingHeights;
use crate::trajectories::{BodyTargets, place_of};
use mocap_model::Vector3;

/// Contacts turn no bone of an arm by more than this \[rad\].
const MOST_TURN: f64 = 25.0 * std::f64::consts::PI / 180.0;
/// An arm is straight where the wrist is this far from the shoulder, as a share of its length.
const STRAIGHT: f64 = 0.98;
/// A contact that would leave the hand this far off is let go, as a share of the arm's length: 2 cm of an adult.
const OFF: f64 = 0.036;

/// Moves the goals of hands to where their contacts are kept. Feet are locked already.
pub(crate) fn keep_self_contacts(
    pair: &Pair,
    contacts: &SelfContacts,
    heights: &StandingHeights,
    body: &mut BodyTargets,
) {
    if !contacts.any() {
        return;
    }
    let up = pair.directions.up;
    let palms: Vec<Vector3<f64>> =
        pair.limbs.iter().map(|limb| palm_offset(&pair.target, &limb.target)).collect();
    let arms: Vec<ArmLengths> = pair.limbs.iter().map(|limb| ArmLengths::of(pair, limb)).collect();
    // All read the goals from before: the order of two hands must not matter.
    let mut moves = vec![(Vector3::zeros(), 0.0f64); pair.limbs.len()];
    for frame in 0..body.frames {
        let (block, lane) = place_of(frame);
        moves.fill((Vector3::zeros(), 0.0));
        for (contact, offsets) in contacts.pairs.iter().zip(&contacts.offsets) {
            let Some(ContactOffset { offset, weight }) = offsets.get(frame).copied() else { continue };
            if weight == 0.0 || body.limbs[contact.arm].is_empty() {
                continue;
            }
            let palm = |arm: usize| {
                let targets = &body.limbs[arm][block];
                targets.goal.at(lane) + targets.tip.at(lane) * palms[arm]
            };
            let at = palm(contact.arm);
            let place = match contact.on {
                Touched::Hand(other) => (at + palm(other) + offset) / 2.0,
                Touched::Hip(leg) => body.limbs[leg][block].from.at(lane) + offset,
                Touched::Head => body.head[block].at(lane) + offset,
                Touched::Floor => at + offset + up * (heights.target_floor - at.dot(&up)),
            };
            let sum = &mut moves[contact.arm];
            sum.0 += (place - at) * weight;
            sum.1 += weight;
        }
        for ((targets, (moved, weight)), arm) in body.limbs.iter_mut().zip(&moves).zip(&arms) {
            if *weight > 0.0 {
                let (from, goal) = (targets[block].from.at(lane), targets[block].goal.at(lane));
                let pull = arm.bounded(goal - from, moved / weight.max(1.0));
                targets[block].goal.set(lane, &(goal + pull));
            }
        }
    }
}

/// The lengths of the bones of an arm.
struct ArmLengths {
    upper: f64,
    lower: f64,
}

impl ArmLengths {
    fn of(pair: &Pair, limb: &LimbMap) -> ArmLengths {
        let [base, middle, tip] = limb.target.joints();
        let reference = &pair.target.reference;
        ArmLengths { upper: reference.distance(base, middle), lower: reference.distance(middle, tip) }
    }

    /// The part of a pull on the wrist that the arm can follow without being turned too far or held straight; the wrist
    /// is at `wrist` from the shoulder.
    fn bounded(&self, wrist: Vector3<f64>, pull: Vector3<f64>) -> Vector3<f64> {
        let length = self.upper + self.lower;
        let pulled = wrist + pull;
        let beyond = pulled.norm() - wrist.norm().max(STRAIGHT * length);
        let reached = (1.0 - beyond / (OFF * length)).clamp(0.0, 1.0);
        let share = if self.turn(&wrist, &pulled) > MOST_TURN { self.share(&wrist, &pull) } else { 1.0 };
        if reached * share == 1.0 { pull } else { pull * (reached * share) }
    }

    /// The part of a pull that turns the arm as far as it may be, by bisection.
    fn share(&self, wrist: &Vector3<f64>, pull: &Vector3<f64>) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..16 {
            let middle = (low + high) / 2.0;
            match self.turn(wrist, &(wrist + pull * middle)) > MOST_TURN {
                true => high = middle,
                false => low = middle,
            }
        }
        low
    }

    /// How far the bones turn at most where the wrist moves from one place to another, both seen from the shoulder.
    fn turn(&self, from: &Vector3<f64>, to: &Vector3<f64>) -> f64 {
        let angle = |a: f64, b: f64, opposite: f64| {
            let cosine = (a * a + b * b - opposite * opposite) / (2.0 * a * b);
            if cosine.is_finite() { cosine.clamp(-1.0, 1.0).acos() } else { 0.0 }
        };
        let [near, far] = [from, to].map(|wrist| {
            let distance = wrist.norm();
            [angle(self.upper, distance, self.lower), angle(self.lower, distance, self.upper)]
        });
        let swung = from.angle(to);
        swung + (near[0] - far[0]).abs().max((near[1] - far[1]).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: ArmLengths = ArmLengths { upper: 0.3, lower: 0.25 };

    #[test]
    fn a_small_pull_is_followed_to_the_last_bit() {
        let (wrist, pull) = (Vector3::new(0.3, 0.2, 0.0), Vector3::new(0.02, -0.05, 0.03));
        assert_eq!(ARM.bounded(wrist, pull), pull);
    }

    #[test]
    fn a_pull_out_of_reach_is_let_go() {
        let wrist = Vector3::new(0.4, 0.0, 0.0);
        assert_eq!(ARM.bounded(wrist, Vector3::new(0.3, 0.0, 0.0)).norm(), 0.0);
        // An arm that is straight already stays so.
        let straight = Vector3::new(0.548, 0.0, 0.0);
        assert_eq!(ARM.bounded(straight, Vector3::zeros()), Vector3::zeros());
    }

    #[test]
    fn no_pull_turns_the_arm_far() {
        for (wrist, pull) in [
            (Vector3::new(0.4, 0.0, 0.0), Vector3::new(-0.3, 0.4, 0.0)),
            (Vector3::new(0.3, 0.1, 0.2), Vector3::new(-0.5, -0.1, -0.2)),
            (Vector3::new(0.5, 0.0, 0.0), Vector3::new(-0.35, 0.0, 0.0)),
        ] {
            let bounded = ARM.bounded(wrist, pull);
            assert!(bounded.norm() < pull.norm());
            assert!(ARM.turn(&wrist, &(wrist + bounded)) <= MOST_TURN);
        }
    }

    #[test]
    fn pulls_change_without_a_jump() {
        let wrist = Vector3::new(0.35, 0.1, 0.0);
        let mut before = Vector3::zeros();
        for step in 1..4000 {
            let pull = ARM.bounded(wrist, Vector3::new(0.2, -0.3, 0.1) * (f64::from(step) / 2000.0));
            assert!((pull - before).norm() < 2e-3, "{step}: {pull:?} {before:?}");
            before = pull;
        }
    }
}
