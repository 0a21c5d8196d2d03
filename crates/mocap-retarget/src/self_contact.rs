//! Stage 3, self-contacts: hands that touch each other, the hips or the head.
//!
//! A hand whose goal scales with the arm misses what it touched if shoulders, head or hips have other proportions.
//! While the source's palm is near one of these, the target's palm is placed at the same vector from its own, scaled
//! like the body. The weight of this fades in and out.

use crate::body::LimbKind;
use crate::limb_map::LimbMap;
use crate::pair::{Character, Pair};
use crate::smoothing::fade_out;
use crate::source_clip::{Segment, SourceClip};
use crate::trajectories::BodyTrajectories;
use mocap_analysis::runs;
use mocap_model::{Clip, ForwardKinematics, JointId, Skeleton, Vector3};

/// A hand is in contact within this distance of the other hand, as a share of the arm's length;
const HANDS: f64 = 0.2;
/// of a hip joint (a hand on the hip is a hand's width from it);
const HIPS: f64 = 0.3;
/// of the head's joint (in the middle of the head or below).
const HEAD: f64 = 0.4;
/// A hand in contact is slower than this relative to what it touches [m/s]: an arm that swings past a hip does not
/// touch it.
const SPEED: f64 = 0.4;
/// The shortest contact \[s\].
const SHORTEST: f64 = 0.1;
/// The time over which a contact fades in and out \[s\].
const FADE: f64 = 0.25;
/// Position of the palm between wrist and knuckles or fingertips, as a share.
const PALM: f64 = 0.5;

/// A hand and what it may touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPair {
    /// Index of the arm in the limbs of the pair.
    pub arm: usize,
    pub on: Touched,
    /// Greatest distance, as a share of the arm's length.
    near: f64,
}

/// What a hand touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Touched {
    /// The hand of another limb.
    Hand(usize),
    /// The hip joint of a limb.
    Hip(usize),
    Head,
}

/// The self-contacts of the source's hands.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelfContacts {
    pub pairs: Vec<ContactPair>,
    /// By pair, then by frame.
    pub offsets: Vec<Vec<ContactOffset>>,
}

/// The vector from what is touched to the palm in one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactOffset {
    /// Of the source, scaled to the target.
    pub offset: Vector3<f64>,
    /// 1 during a contact, fading to 0 before and after.
    pub weight: f64,
}

/// Moves the goals of hands to where their contacts are kept. Feet are locked already.
pub(crate) fn keep_self_contacts(
    pair: &Pair,
    source: &SourceClip,
    body: &mut BodyTrajectories,
) -> SelfContacts {
    let contacts = find_contacts(pair, source);
    let palms: Vec<Vector3<f64>> =
        pair.limbs.iter().map(|limb| palm_offset(&pair.target.skeleton, limb.target.tip)).collect();
    for frame in 0..source.frames() {
        // All read the goals from before: the order of two hands must not matter.
        let mut moves = vec![(Vector3::zeros(), 0.0f64); pair.limbs.len()];
        for (contact, offsets) in contacts.pairs.iter().zip(&contacts.offsets) {
            let ContactOffset { offset, weight } = offsets[frame];
            if weight == 0.0 || body.limbs[contact.arm].goal.is_empty() {
                continue;
            }
            let palm = |arm: usize| {
                let targets = &body.limbs[arm];
                targets.goal[frame] + targets.tip[frame] * palms[arm]
            };
            let place = match contact.on {
                Touched::Hand(other) => (palm(contact.arm) + palm(other) + offset) / 2.0,
                Touched::Hip(leg) => body.limbs[leg].from[frame] + offset,
                Touched::Head => body.head[frame] + offset,
            };
            let sum = &mut moves[contact.arm];
            sum.0 += (place - palm(contact.arm)) * weight;
            sum.1 += weight;
        }
        for (targets, (moved, weight)) in body.limbs.iter_mut().zip(moves) {
            if weight > 0.0 {
                targets.goal[frame] += moved / weight.max(1.0);
            }
        }
    }
    contacts
}

/// All pairs that may touch, and the source's contacts, segment by segment.
fn find_contacts(pair: &Pair, source: &SourceClip) -> SelfContacts {
    let pairs = contact_pairs(pair);
    let mut offsets = vec![Vec::with_capacity(source.frames()); pairs.len()];
    for Segment { clip, .. } in source.segments() {
        let found =
            palm_offsets(&pair.source, &pair.limbs, |limb| [limb.source.base, limb.source.tip], &pairs, clip);
        let fps = clip.rate().fps();
        for ((vectors, contact), offsets) in found.into_iter().zip(&pairs).zip(&mut offsets) {
            let near = contact.near * pair.source.reference.limb_length(&pair.limbs[contact.arm].source);
            let weights = weights(&vectors, near, SPEED / (fps * pair.source.metres), fps);
            offsets.extend(
                vectors
                    .into_iter()
                    .zip(weights)
                    .map(|(vector, weight)| ContactOffset { offset: vector * pair.ratios.leg, weight }),
            );
        }
    }
    SelfContacts { pairs, offsets }
}

fn contact_pairs(pair: &Pair) -> Vec<ContactPair> {
    let limbs = &pair.limbs;
    let of_kind = |kind: LimbKind| (0..limbs.len()).filter(move |i| limbs[*i].target.kind == kind);
    let mut pairs = Vec::new();
    for arm in of_kind(LimbKind::Arm) {
        let others = of_kind(LimbKind::Arm).filter(|other| *other != arm);
        pairs.extend(others.map(|other| ContactPair { arm, on: Touched::Hand(other), near: HANDS }));
        let legs = of_kind(LimbKind::Leg);
        pairs.extend(legs.map(|leg| ContactPair { arm, on: Touched::Hip(leg), near: HIPS }));
        if pair.source.body.head.is_some() && pair.target.body.head.is_some() {
            pairs.push(ContactPair { arm, on: Touched::Head, near: HEAD });
        }
    }
    pairs
}

/// The weight of a contact by frame: 1 while the offset is shorter than `near` and changes by less than `slow` per
/// frame, fading before and after.
fn weights(offsets: &[Vector3<f64>], near: f64, slow: f64, fps: f64) -> Vec<f64> {
    let last = offsets.len().saturating_sub(1);
    let speed = |frame: usize| {
        let (from, to) = (frame.saturating_sub(1), (frame + 1).min(last));
        (offsets[to] - offsets[from]).norm() / (to - from).max(1) as f64
    };
    let touching: Vec<bool> =
        (0..offsets.len()).map(|frame| offsets[frame].norm() < near && speed(frame) < slow).collect();
    let (shortest, fade) = ((SHORTEST * fps).ceil() as usize, (FADE * fps).round() as usize);
    let mut weights = vec![0.0f64; offsets.len()];
    for run in runs(&touching).into_iter().filter(|run| run.len() >= shortest) {
        weights[run.clone()].fill(1.0);
        for step in 1..=fade {
            let weight = fade_out(step, fade);
            for frame in [run.start.checked_sub(step), Some(run.end - 1 + step)].into_iter().flatten() {
                if let Some(other) = weights.get_mut(frame) {
                    *other = other.max(weight);
                }
            }
        }
    }
    weights
}

/// By pair and frame, the vector from what may be touched to the palm. `ends` gives base and tip of a limb of the
/// character.
pub(crate) fn palm_offsets(
    character: &Character,
    limbs: &[LimbMap],
    ends: impl Fn(&LimbMap) -> [JointId; 2],
    pairs: &[ContactPair],
    clip: &Clip,
) -> Vec<Vec<Vector3<f64>>> {
    let ends: Vec<[JointId; 2]> = limbs.iter().map(ends).collect();
    let palms: Vec<Vector3<f64>> =
        ends.iter().map(|[_, tip]| palm_offset(&character.skeleton, *tip)).collect();
    let head = character.body.head;
    let joints: Vec<JointId> = ends.iter().flatten().copied().chain(head).collect();
    let mut kinematics = ForwardKinematics::of_joints(clip, &joints);
    let mut offsets = vec![Vec::with_capacity(clip.frames()); pairs.len()];
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        let palm = |i: usize| {
            let wrist = kinematics.at(ends[i][1]);
            wrist.translation.vector + wrist.rotation * palms[i]
        };
        for (pair, offsets) in pairs.iter().zip(&mut offsets) {
            let on = match pair.on {
                Touched::Hand(other) => palm(other),
                Touched::Hip(leg) => kinematics.at(ends[leg][0]).translation.vector,
                Touched::Head => head.map_or(Vector3::zeros(), |head| kinematics.at(head).translation.vector),
            };
            offsets.push(palm(pair.arm) - on);
        }
    }
    offsets
}

/// The palm in the frame of the wrist: on the way to its children.
fn palm_offset(skeleton: &Skeleton, wrist: JointId) -> Vector3<f64> {
    let children = skeleton.children(wrist);
    let sum: Vector3<f64> = children.iter().map(|child| skeleton.joint(*child).offset).sum();
    sum * (PALM / children.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_that_rests_touches_and_one_that_passes_does_not() {
        let at = |x: f64| Vector3::new(x, 0.0, 0.0);
        let rests: Vec<_> =
            (0..60).map(|i| at(if i < 30 { 1.0 - f64::from(i) / 30.0 } else { 0.02 })).collect();
        let found = weights(&rests, 0.1, 0.01, 30.0);
        assert_eq!((found[40], found[10]), (1.0, 0.0));
        assert!(found[28] > 0.0 && found[28] < 1.0, "{found:?}");
        assert!(found.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.3), "{found:?}");
        let passes: Vec<_> = (0..60).map(|i| at(f64::from(i) / 30.0 - 1.0)).collect();
        assert!(weights(&passes, 0.1, 0.01, 30.0).iter().all(|weight| *weight == 0.0));
    }
}
