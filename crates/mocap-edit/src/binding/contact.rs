//! Contacts of hands with things, and carriers of things.

use std::ops::Range;

use mocap_analysis::runs_within;
use mocap_model::{Character, Clip, ForwardKinematics, Isometry3, JointId, Scene};

use super::bind_point::{Place, everyone};

/// A hand without fingers extends beyond its joint by this share of the bone above it.
const HAND: f64 = 0.75;
/// Contacts that are interrupted for at most this time are one \[s\].
const GAP: f64 = 0.1;
/// Shortest grasp \[s\]: in a shorter contact, the hand only passes by.
const HOLDS: f64 = 0.25;
/// A thing is carried if its position relative to the carrier varies by at most this share of the scene's size: the
/// rounding of single precision and text files.
const RIGID: f64 = 2e-5;
/// The same for its rotation \[rad\].
const RIGID_TURN: f64 = 2e-4;

/// Where a joint is in object space, by frame.
pub(crate) fn places(clip: &Clip, joint: JointId) -> Vec<Isometry3<f64>> {
    let mut kinematics = ForwardKinematics::of_joints(clip, &[joint]);
    let place = |frame: usize| {
        kinematics.place(frame);
        *kinematics.at(joint)
    };
    (0..clip.frames()).map(place).collect()
}

/// The size of a bind point \[units\]: the distance to the furthest joint below it, else a share of the bone above.
fn reach(character: &Character, joint: JointId) -> f64 {
    let skeleton = character.skeleton();
    let mut furthest = 0.0f64;
    for below in skeleton.subtree(joint) {
        let path = skeleton.path(joint, below).unwrap_or_default();
        let length: f64 = path.iter().skip(1).map(|id| skeleton.joint(*id).offset.norm()).sum();
        furthest = furthest.max(length);
    }
    if furthest > 0.0 { furthest } else { HAND * skeleton.joint(joint).offset.norm() }
}

/// Why no grasp was found.
pub(super) enum NoGrasp {
    /// They are never in contact: the least distance as a ratio of the reach, and its frame.
    Apart { distance: f64, frame: usize },
    /// The longest contact is too short: its duration \[s\], and its first frame.
    Short { seconds: f64, frame: usize },
}

/// The longest range in which the child's bind point is within reach of the parent's, of those that are long enough for a
/// grasp; a child that does not move by itself is held to the end.
pub(super) fn time_of_contact(scene: &Scene, child: &Place, parent: &Place) -> Result<Range<usize>, NoGrasp> {
    let one = |place: &Place| everyone(scene).nth(place.owner).expect("it was found there");
    let within = reach(one(parent), parent.joint).max(f64::MIN_POSITIVE);
    let [own, hand] = [child, parent].map(|place| places(&one(place).clip, place.joint));
    let distances: Vec<f64> = own
        .iter()
        .zip(&hand)
        .map(|(own, hand)| (own.translation.vector - hand.translation.vector).norm() / within)
        .collect();
    let fps = one(child).clip.rate().fps();
    let gap = (GAP * fps).round() as usize;
    let touches: Vec<bool> = distances.iter().map(|distance| *distance <= 1.0).collect();
    let longest = runs_within(&touches, gap).into_iter().rev().max_by_key(|run| run.len());
    let Some(range) = longest else {
        let nearest = distances.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let (frame, distance) = nearest.map_or((0, f64::INFINITY), |(frame, distance)| (frame, *distance));
        return Err(NoGrasp::Apart { distance, frame });
    };
    let frames = own.len();
    if range.len() < frames && (range.len() as f64) < HOLDS * fps {
        return Err(NoGrasp::Short { seconds: range.len() as f64 / fps, frame: range.start });
    }
    Ok(if moves(&own, 0..frames, size(scene)) { range } else { range.start..frames })
}

/// The largest extent of a skeleton at rest \[units\].
pub(super) fn size(scene: &Scene) -> f64 {
    let extent = |one: &Character| -> f64 {
        one.skeleton()
            .iter()
            .filter(|(_, joint)| joint.parent.is_some())
            .map(|(_, joint)| joint.offset.norm())
            .sum()
    };
    everyone(scene).map(extent).fold(0.0, f64::max)
}

/// Whether a place changes in some frames.
pub(super) fn moves(places: &[Isometry3<f64>], range: Range<usize>, size: f64) -> bool {
    let first = places[range.start];
    !places[range].iter().all(|place| alike(&first, place, size))
}

fn alike(one: &Isometry3<f64>, other: &Isometry3<f64>, size: f64) -> bool {
    (one.translation.vector - other.translation.vector).norm() <= RIGID * size
        && one.rotation.angle_to(&other.rotation) <= RIGID_TURN
}

/// The nearest joint of another tree, other than `except`, that carries the child in all frames of a range.
pub(super) fn carrier(scene: &Scene, child: &Place, range: &Range<usize>, except: &Place) -> Option<Place> {
    let size = size(scene);
    let owner = everyone(scene).nth(child.owner)?;
    let own = places(&owner.clip, child.top);
    if range.len() < 2 || !moves(&own, range.clone(), size) {
        return None;
    }
    let mut nearest: Option<(f64, Place)> = None;
    let mut carried_by_it = false;
    for (at, one) in everyone(scene).enumerate() {
        let skeleton = one.skeleton();
        let is_other = |id: JointId| at != child.owner || !skeleton.is_in_subtree(id, child.top);
        let others: Vec<JointId> = skeleton.iter().map(|(id, _)| id).filter(|id| is_other(*id)).collect();
        let mut kinematics = ForwardKinematics::of_joints(&one.clip, &others);
        kinematics.place(range.start);
        let seen = |kinematics: &ForwardKinematics<'_>, id: JointId, frame: usize| {
            kinematics.at(id).inverse() * own[frame]
        };
        let mut left: Vec<(JointId, Isometry3<f64>)> =
            others.iter().map(|id| (*id, seen(&kinematics, *id, range.start))).collect();
        for frame in range.clone().skip(1) {
            if left.is_empty() {
                break;
            }
            kinematics.place(frame);
            left.retain(|(id, first)| alike(first, &seen(&kinematics, *id, frame), size));
        }
        for (id, offset) in left {
            carried_by_it |= at == except.owner && id == except.joint;
            let distance = offset.translation.vector.norm();
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, Place { owner: at, top: id, joint: id }));
            }
        }
    }
    nearest.filter(|_| !carried_by_it).map(|(_, place)| place)
}
