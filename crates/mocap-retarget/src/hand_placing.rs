//! Stage 3, hands: their goals are moved to where the contacts of the source's hands are kept.

use crate::pair::Pair;
use crate::self_contact::{ContactOffset, SelfContacts, Touched, palm_offset};
use crate::standing_heights::StandingHeights;
use crate::trajectories::{BodyTargets, place_of};
use mocap_model::Vector3;

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
        for (targets, (moved, weight)) in body.limbs.iter_mut().zip(&moves) {
            if *weight > 0.0 {
                let goal = &mut targets[block].goal;
                goal.set(lane, &(goal.at(lane) + moved / weight.max(1.0)));
            }
        }
    }
}
