//! Things that two people hold: a hand of each stays where it holds, so people come as near to each other as a thing is long.

use std::sync::Arc;

use mocap_model::{Clip, ForwardKinematics, JointId, Role, Vector3};

use super::contact::{Contact, Part, Person, Track};
use crate::binding::carried::{Carried, Holder, carried, other_hands};
use crate::binding::extent::Extent;
use crate::binding::places;

/// The wrist of a hand.
const WRIST: usize = 0;

/// By thing, the times in which a hand of the first holds it with one of the second, as contacts at a distance that stays.
pub(super) fn shared(people: &[Person; 2], clips: [&Clip; 2], things: &[Clip]) -> Vec<Contact> {
    if things.is_empty() {
        return Vec::new();
    }
    let holders = clips.map(Holder::of);
    let both = [&holders[0], &holders[1]];
    let fps = clips[0].rate().fps();
    let mut found: Vec<Contact> = Vec::new();
    for thing in things.iter().filter(|thing| thing.frames() == clips[0].frames()) {
        let own = places(thing, JointId(0));
        let extent = Extent::of(thing, None, 1.0);
        for one in carried(&own, &both, fps) {
            for other in other_hands((&own, extent.as_ref()), &both, &one, fps)
                .into_iter()
                .filter(|other| other.by != one.by)
            {
                let (first, second) = if one.by == 0 { (&one, &other) } else { (&other, &one) };
                let (Some(a), Some(b)) = (hand(first), hand(second)) else { continue };
                let parts = [Part::Hand(a), Part::Hand(b)];
                let last = found.iter_mut().rev().find(|known| known.parts == parts);
                match last.filter(|last| last.frames.start >= one.frames.start) {
                    // A hand that lets go for a while while the other carries on comes back to it.
                    Some(last) => last.frames.end = last.frames.end.max(other.frames.end),
                    None => found.extend(contact(people, clips, parts, other.frames.clone())),
                }
            }
        }
    }
    found
}

fn hand(one: &Carried) -> Option<usize> {
    match one.role {
        Role::LeftHand => Some(0),
        Role::RightHand => Some(1),
        _ => None,
    }
}

fn contact(
    people: &[Person; 2],
    clips: [&Clip; 2],
    parts: [Part; 2],
    frames: std::ops::Range<usize>,
) -> Option<Contact> {
    let wrists = [0, 1].map(|i| match parts[i] {
        Part::Hand(side) => people[i].arms[side].map(|arm| arm.wrist),
        Part::Line(_) => None,
    });
    let [Some(one), Some(other)] = wrists else { return None };
    let mut placed = clips.map(ForwardKinematics::new);
    let offset = |frame: usize| {
        placed.iter_mut().for_each(|one| one.place(frame));
        placed[0].position(one) - placed[1].position(other)
    };
    let offsets: Vec<Vector3<f64>> = (0..clips[0].frames()).map(offset).collect();
    let none = vec![[0.0; 2]; offsets.len()];
    let track = Arc::new(Track { offsets, along: none.clone(), ways: none });
    Some(Contact { parts, points: [WRIST; 2], frames, track, thing: true })
}
