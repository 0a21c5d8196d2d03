//! Goals of the touching points on an arm in a frame.

use super::arm::{Change, PosedArm};
use super::body_surface::{BodySurface, Touched};
use super::contacts::{ArmContacts, Touch};
use super::push::Goal;
use mocap_model::Vector3;
use mocap_skin::{Affine, Part};

/// A touching arm keeps at least this distance from what it touches, for a person of 1.7 m \[m\].
const LEAST: f64 = 0.005;
/// Weight of a forearm's contacts relative to a hand's.
const FOREARM: f64 = 0.2;

/// Weight of contacts between arms while both hands rest on the body: the contacts with the body
/// have priority.
const ARM_AT_REST: f64 = 0.35;

/// Goals of both arms in a pose after the changes `base`. Two arms that touch each other meet halfway.
pub(crate) fn goals(
    body: &BodySurface,
    contacts: &[ArmContacts<Touch>],
    frame: usize,
    palette: &[Affine],
    arms: [Option<&PosedArm>; 2],
    base: &[Change; 2],
) -> [Vec<Goal>; 2] {
    let mut goals = [Vec::new(), Vec::new()];
    let touching = || contacts.iter().filter(|contact| !contact.at(frame).is_empty());
    if touching().next().is_none() {
        return goals;
    }
    let moved = [0, 1].map(|arm| arms[arm].map(|posed| posed.moved(&base[arm])));
    let is_hand = |touch: &Touch| segment(body, touch.own.corner()) == 2;
    let rests = |arm: usize| {
        let mut own = touching().filter(|it| it.arm == arm && it.touched == Touched::Core);
        own.any(|it| it.at(frame).iter().any(is_hand))
    };
    let both_rest = rests(0) && rests(1);
    for contact in touching() {
        let (own, other) = (contact.arm, 1 - contact.arm);
        let Some(by) = &moved[own] else { continue };
        let total: f64 = contact.at(frame).iter().map(|touch| touch.weight).sum();
        let back = |it: &ArmContacts<Touch>| it.arm == other && it.touched == Touched::Arm;
        let share = if touching().any(back) { 0.5 } else { 1.0 };
        for touch in contact.at(frame) {
            let at = touch.own.posed(&body.surface, palette);
            let segment = segment(body, touch.own.corner());
            let (place, normal) = touch.posed(body, palette);
            let away = |normal: Vector3<f64>| normal * body.person(touch.gap.max(LEAST));
            let to = match (contact.touched, &moved[other]) {
                (Touched::Core, _) => place + away(normal),
                (Touched::Arm, Some(moved)) => {
                    let on = self::segment(body, touch.on_corner());
                    let to = moved.place(on, &place) + away(moved.rotations[on] * normal);
                    let now = by.place(segment, &at);
                    now + (to - now) * share
                }
                (Touched::Arm, None) => continue,
            };
            let hand = if segment == 2 { 1.0 } else { FOREARM };
            let counts = if both_rest && contact.touched == Touched::Arm { ARM_AT_REST * hand } else { hand };
            goals[own].push(Goal { at, segment, to, weight: counts * touch.weight / total });
        }
    }
    goals
}

/// The segment of an arm that moves a vertex: 0 upper arm, 1 forearm, 2 hand.
fn segment(body: &BodySurface, vertex: usize) -> usize {
    match body.parts[vertex] {
        Part::Hand(_) => 2,
        Part::Forearm(_) => 1,
        _ => 0,
    }
}
