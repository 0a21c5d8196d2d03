//! Hands that touch go around the arm of the other.
//!
//! A hand lies on hand, wrist and forearm of the other at once, and comes to a contact past them. So both hands of a
//! contact are moved relative to each other, as little as it takes: in each frame the shortest offset after which no vertex
//! is deeper inside the other arm than a touch presses, and, in a contact, after which hands touch. Frames are solved
//! outwards from the one in the contact that needs least, each from the offset of its neighbour, in steps so short that an
//! arm does not come through the other: so hands stay on the side on which they touch.

use mocap_model::{Clip, Isometry3, Pose, Vector3, slerp};
use mocap_retarget::{BodyPart, PeopleMeter, PosedParts};

use super::contact::{Contact, Part, Person, side};
use super::goals::Goals;
use super::surfaces::Placed;
use super::{LESS, OFF};
use crate::smoothing::{gaussian, smooth_step};

/// Hands are brought as near as this in a contact, and no nearer \[m\].
const TOUCHES: f64 = 0.002;
/// Hands nearer than this touch \[m\].
const NEAR_ENOUGH: f64 = 0.003;
/// Skin yields by this in a touch \[m\].
const YIELDS: f64 = 0.006;
/// Vertices within this distance keep out of the other arm while others are brought out \[m\].
pub(super) const AROUND: f64 = 0.02;
/// The greatest depth that is brought out, and the greatest distance of hands that are brought together \[m\].
const DEPTH: f64 = 0.1;
const FAR: f64 = 0.25;
/// Hands move by at most this relative to each other from one step of the search to the next \[m\].
const STEP: f64 = 0.025;
/// Most steps between two frames.
const STEPS: f64 = 6.0;
/// Most evaluations of a step, the furthest that one goes, and the change that counts as none \[m\].
const ROUNDS: usize = 10;
const FURTHEST: f64 = 0.015;
pub(super) const NONE: f64 = 0.0005;
/// A search ends after so many evaluations in a row without progress.
const IDLE: usize = 3;
/// How far beside the other arm hands begin where nothing nearer leads out: about as far as a hand and a forearm are thick
/// together \[m\].
const BESIDE: f64 = 0.06;
/// The number of frames of a contact of which the one is chosen that needs least.
const CHOSEN_BY: usize = 12;
/// Passes over all demands, and how far these yield to each other.
const SWEEPS: usize = 60;
const SOFT: f64 = 1e-3;
/// An offset from another start is taken if it costs less than this share.
const THROUGH: f64 = 0.7;
/// The cost of what is left to do, as a multiple of its length.
const LEFT: f64 = 5.0;
/// No other start is tried below this cost \[m\].
const CHEAP: f64 = 0.03;
/// Smoothing of the offsets over time \[s\].
const SMOOTH: f64 = 0.04;

/// The arms of a contact of two hands.
pub(super) struct Arms {
    pub hands: [BodyPart; 2],
    pub arms: [BodyPart; 2],
}

impl Arms {
    pub(super) fn of(contact: &Contact) -> Option<Arms> {
        let [Part::Hand(one), Part::Hand(other)] = contact.parts else { return None };
        let sides = [side(one), side(other)];
        Some(Arms { hands: sides.map(BodyPart::Hand), arms: sides.map(BodyPart::Arm) })
    }

    /// The shortest offset of the first hand relative to the second, from each of `starts`, after which arms are apart and, if
    /// they touch, hands together. Of several, the one that leaves less to do, if it is not much longer. Where none leads
    /// out and hands may change their side (`anywhere`), the shortest one that begins beside the other arm.
    fn offset(
        &self,
        meter: &mut PeopleMeter,
        poses: [&Pose; 2],
        (starts, anywhere): (&[Vector3<f64>], bool),
        touch: bool,
    ) -> Detour {
        let [hands, arms] = meter.posed_parts([self.hands, self.arms], poses);
        let mut best: Option<Detour> = None;
        for start in starts {
            let found = self.from(&hands, &arms, *start, touch);
            // The first counts, unless another is clearly better.
            if best.is_none_or(|best| found.cost() < THROUGH * best.cost()) {
                best = Some(found);
            }
            if found.cost() < CHEAP {
                break;
            }
        }
        if anywhere && best.is_none_or(|best| best.residual > YIELDS) {
            // All six, so that mirrored people choose the mirror image.
            for start in (0..3).flat_map(|axis| [BESIDE, -BESIDE].map(|far| Vector3::ith(axis, far))) {
                let found = self.from(&hands, &arms, start, touch);
                if best.is_none_or(|best| found.cost() < best.cost()) {
                    best = Some(found);
                }
            }
        }
        best.unwrap_or(Detour { offset: Vector3::zeros(), residual: 0.0 })
    }

    /// The same from one start. The search ends early where it makes no progress.
    fn from(
        &self,
        hands: &PosedParts<'_>,
        arms: &PosedParts<'_>,
        start: Vector3<f64>,
        touch: bool,
    ) -> Detour {
        let look = |offset: Vector3<f64>| {
            let demands = demands(hands, arms, &offset, touch);
            let residual = residual(&demands, &offset);
            (demands, Detour { offset, residual })
        };
        let (mut all, mut found) = look(start);
        let (mut best, mut idle) = (found, 0);
        for _ in 0..ROUNDS {
            let step = shortest(&all) - found.offset;
            let far = step.norm();
            (all, found) = look(found.offset + step * (FURTHEST / far.max(FURTHEST)));
            let nearer =
                found.residual <= best.residual * LESS || found.residual <= best.residual - FURTHEST / 2.0;
            idle = if nearer || found.residual < NONE { 0 } else { idle + 1 };
            if found.cost() < best.cost() {
                best = found;
            }
            if idle == IDLE || far < NONE {
                break;
            }
        }
        best
    }
}

/// What a search found.
#[derive(Clone, Copy, Debug)]
struct Detour {
    offset: Vector3<f64>,
    /// By how much it misses the demand that it misses most \[m\].
    residual: f64,
}

impl Detour {
    fn cost(&self) -> f64 {
        self.offset.norm() + LEFT * self.residual
    }
}

/// The least length of an offset along a direction.
pub(super) struct Demand {
    pub direction: Vector3<f64>,
    pub least: f64,
}

pub(super) fn demands(
    hands: &PosedParts<'_>,
    arms: &PosedParts<'_>,
    offset: &Vector3<f64>,
    touch: bool,
) -> Vec<Demand> {
    let mut demands = Vec::new();
    for (parts, gap) in [(hands, TOUCHES), (arms, -YIELDS)] {
        demands.extend(
            parts.near(offset, AROUND, DEPTH).into_iter().map(|near| Demand {
                direction: near.away,
                least: near.away.dot(offset) + gap - near.distance,
            }),
        );
    }
    // Also where hands touch already, so that they stay.
    if let Some(near) = hands.nearest(offset, FAR, DEPTH).filter(|_| touch) {
        let least = near.distance - NEAR_ENOUGH - near.away.dot(offset);
        demands.push(Demand { direction: -near.away, least });
    }
    demands
}

/// By how much an offset misses the demand that it misses most \[m\].
fn residual(demands: &[Demand], offset: &Vector3<f64>) -> f64 {
    demands.iter().map(|demand| demand.least - demand.direction.dot(offset)).fold(0.0, f64::max)
}

/// The shortest offset that meets all demands, or comes near to it: by successive projection (C. Hildreth, "A quadratic
/// programming procedure", 1957).
pub(super) fn shortest(demands: &[Demand]) -> Vector3<f64> {
    let mut weights = vec![0.0; demands.len()];
    let mut offset = Vector3::zeros();
    for _ in 0..SWEEPS {
        let mut moved = false;
        for (demand, weight) in demands.iter().zip(&mut weights) {
            let left = demand.least - demand.direction.dot(&offset) - SOFT * *weight;
            let next = f64::max(0.0, *weight + left / (1.0 + SOFT));
            if next != *weight {
                offset += demand.direction * (next - *weight);
                *weight = next;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    offset
}

/// The frames around a contact: up to half-way to the next one of the same hands, as hands may be in each other's way before
/// they touch. And how much of the offset counts there.
fn window(goals: &Goals<'_>, at: usize, frames: usize) -> Vec<(usize, f64)> {
    let contact = &goals.contacts[at];
    let others = || goals.contacts.iter().filter(|other| other.parts == contact.parts && !other.thing);
    let before = others().map(|other| other.frames.end).filter(|end| *end <= contact.frames.start).max();
    let after = others().map(|other| other.frames.start).filter(|start| *start >= contact.frames.end).min();
    let first = before.map(|end| (contact.frames.start - end) / 2);
    let end = after.map(|start| (start - contact.frames.end) / 2);
    let range = first.map_or(0, |first| contact.frames.start - first)
        ..end.map_or(frames, |end| contact.frames.end + end);
    let share = |frame: usize| {
        let (away, room) = match frame {
            _ if frame < contact.frames.start => (contact.frames.start - frame, first),
            _ => ((frame + 1).saturating_sub(contact.frames.end), end),
        };
        room.map_or(1.0, |room| smooth_step((2.0 * (1.0 - away as f64 / (room as f64 + 1.0))).min(1.0)))
    };
    range.map(|frame| (frame, share(frame))).collect()
}

/// On which side of an arm hands go around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The one on which they touch.
    OneSide,
    /// Hands that would go far to stay on their side come through instead.
    Through,
}

/// By frame: the offset of the first hand of a contact relative to the second, added to where they are in `clips`, before it is
/// smoothed over time.
pub(super) fn offsets(
    goals: &Goals<'_>,
    at: usize,
    meter: &mut PeopleMeter,
    clips: &[Clip; 2],
    way: Way,
) -> Vec<Vector3<f64>> {
    let contact = &goals.contacts[at];
    let frames = clips[0].frames();
    let mut offsets = vec![Vector3::zeros(); frames];
    let Some(arms) = Arms::of(contact).filter(|_| !contact.thing) else { return offsets };
    let window = window(goals, at, frames);
    let mut placed = Placed::new(clips);
    let wrists = wrists(goals, contact, clips);
    let mut pose = |frame: usize| {
        placed.place(clips, frame);
        placed.poses().map(Clone::clone)
    };
    // Millimetres, so that frames that are alike are: the one in the middle counts then.
    let middle = (contact.frames.start + contact.frames.end) / 2;
    let step = contact.frames.len().div_ceil(CHOSEN_BY).max(1);
    let chosen = contact.frames.clone().step_by(step).map(|frame| {
        let poses = pose(frame);
        let found = arms.offset(meter, [&poses[0], &poses[1]], (&[Vector3::zeros()], false), true);
        ((found.offset.norm() * 1e3) as usize, frame.abs_diff(middle), frame)
    });
    let Some((.., first)) = chosen.min() else { return offsets };
    let (before, after): (Vec<_>, Vec<_>) =
        window.iter().map(|(frame, _)| *frame).partition(|frame| *frame < first);
    for side in [after, before.into_iter().rev().collect()] {
        let (mut last, mut offset) = (first, offsets[first]);
        let mut stuck = false;
        let mut from = pose(first);
        for frame in side {
            let to = pose(frame);
            if !may_meet(goals, contact, &wrists[frame], frame) {
                (offset, last, from) = (Vector3::zeros(), frame, to);
                continue;
            }
            let moved = wrists[frame] - wrists[last];
            // Hands that are not in each other's way may come from anywhere, and an offset that does not lead out has no side to
            // keep.
            let most = if offset.norm() < NONE || stuck { 1.0 } else { STEPS };
            let steps = (moved.norm() / STEP).ceil().clamp(1.0, most);
            for step in 1..=steps as usize {
                let share = step as f64 / steps;
                // In a contact, hands touch at the frame itself.
                let touch = share == 1.0 && contact.frames.contains(&frame);
                let poses = [0, 1].map(|i| between(&from[i], &to[i], share));
                let starts = [offset, Vector3::zeros()];
                let may_change = way == Way::Through && share == 1.0;
                let starts = if may_change { (&starts[..], true) } else { (&starts[..1], false) };
                let found = arms.offset(meter, [&poses[0], &poses[1]], starts, touch);
                (offset, stuck) = (found.offset, found.residual > YIELDS);
            }
            (offsets[frame], last, from) = (offset, frame, to);
        }
    }
    for (frame, share) in window {
        offsets[frame] *= share;
    }
    offsets
}

/// Ways smoothed over time.
pub(super) fn smoothed(offsets: &[Vector3<f64>], fps: f64) -> Vec<Vector3<f64>> {
    gaussian(offsets, SMOOTH * fps)
}

/// What is left to do, frame by frame. `wanted` are offsets from where hands were before they went aside. `before` is how much was
/// left in the round before: a frame in which nothing is left, or little less than before, is not looked at again.
pub(super) fn remaining(
    goals: &Goals<'_>,
    at: usize,
    meter: &mut PeopleMeter,
    clips: &[Clip; 2],
    wanted: &[Vector3<f64>],
    before: &mut [f64],
) -> Vec<Vector3<f64>> {
    let contact = &goals.contacts[at];
    let frames = clips[0].frames();
    let mut offsets = vec![Vector3::zeros(); frames];
    let Some(arms) = Arms::of(contact).filter(|_| !contact.thing) else { return offsets };
    let mut placed = Placed::new(clips);
    let wrists = wrists(goals, contact, clips);
    let window = window(goals, at, frames).into_iter();
    for (frame, share) in window.filter(|(frame, _)| may_meet(goals, contact, &wrists[*frame], *frame)) {
        if before[frame] == 0.0 {
            continue;
        }
        placed.place(clips, frame);
        let touch = contact.frames.contains(&frame);
        let starts = [Vector3::zeros(), wanted[frame] - goals.aside_of(at, frame)];
        let found = arms.offset(meter, placed.poses(), (&starts, true), touch);
        let offset = found.offset * share;
        let far = offset.norm();
        let goes_on = far > NONE && far <= before[frame] * LESS;
        // One round is enough for small distances.
        before[frame] = if goes_on && far > OFF / 2.0 { far } else { 0.0 };
        if goes_on {
            offsets[frame] = offset;
        }
    }
    offsets
}

/// Whether hands and forearms may meet: with wrists further from each other than an arm is long they do not.
pub(super) fn may_meet(goals: &Goals<'_>, contact: &Contact, between: &Vector3<f64>, frame: usize) -> bool {
    let arm = goals.people.iter().filter_map(Person::arm_length).fold(0.0, f64::max);
    contact.frames.contains(&frame) || between.norm() < arm
}

/// By frame: the wrist of the first hand relative to that of the second.
pub(super) fn wrists(goals: &Goals<'_>, contact: &Contact, clips: &[Clip; 2]) -> Vec<Vector3<f64>> {
    let mut placed = Placed::new(clips);
    let at = |frame: usize| {
        placed.place(clips, frame);
        let [a, b] = contact.places(goals.people, &placed.kinematics, frame);
        a - b
    };
    (0..clips[0].frames()).map(at).collect()
}

/// A pose between two.
fn between(from: &Pose, to: &Pose, share: f64) -> Pose {
    let joint = |(a, b): (&Isometry3<f64>, &Isometry3<f64>)| {
        let place = a.translation.vector.lerp(&b.translation.vector, share);
        let turn = slerp(&a.rotation, &b.rotation, share);
        Isometry3::from_parts(place.into(), turn)
    };
    let mut pose = to.clone();
    if share < 1.0 {
        pose.joints = from.joints.iter().zip(&to.joints).map(joint).collect();
    }
    pose
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(direction: Vector3<f64>, least: f64) -> Demand {
        Demand { direction: direction.normalize(), least }
    }

    #[test]
    fn the_shortest_way_meets_all_demands() {
        // Hands that have to stay where they touch go along it, out of an arm that is thicker ahead.
        let stays = [demand(Vector3::x(), 0.0), demand(-Vector3::x(), 0.0)];
        let out = demand(Vector3::new(1.0, 0.0, -1.0), 0.01);
        let least = out.least;
        let all: Vec<Demand> = stays.into_iter().chain([out]).collect();
        let offset = shortest(&all);
        let expected = Vector3::z() * -(least * 2.0f64.sqrt());
        assert!((offset - expected).norm() < 3e-4, "{offset}");
        assert!(residual(&all, &offset) < 3e-4);
        // What is met already moves nothing.
        assert_eq!(shortest(&[demand(Vector3::y(), -0.01)]), Vector3::zeros());
    }

    #[test]
    fn demands_that_contradict_each_other_move_no_further_than_one_of_them() {
        let both = [demand(Vector3::x(), 0.01), demand(-Vector3::x(), 0.01)];
        let offset = shortest(&both);
        assert!(offset.norm() <= 0.01, "{offset}");
        // What is left says that no offset leads out.
        assert!(residual(&both, &offset) >= 0.01);
    }
}
