//! Hands that touch are tilted such that neither is in the forearm of the other: a forearm is thicker than a hand, so flat hands
//! that touch bring fingers into wrists, and forearms side by side into each other.
//!
//! One angle for a contact, by which both hands tilt out of each other (or, below 0, their wrists do), so that nothing jumps.

use mocap_model::{Clip, ForwardKinematics, JointId, Pose, Skeleton, UnitQuaternion, Vector3};
use mocap_retarget::{BodyPart, PeopleMeter};

use super::contact::{Contact, Part, side};
use super::goals::Goals;
use super::surfaces::Placed;

/// Angles that are tried \[degrees\], smaller ones first.
const ANGLES: [f64; 7] = [0.0, 8.0, -8.0, 16.0, -16.0, 24.0, -24.0];
/// Frames of a contact that are looked at.
const FRAMES: usize = 6;
/// Forearms may be this deep in what hands touch \[m\].
const MET: f64 = 0.006;
/// A larger angle is worth it from this on \[m\].
const WORTH: f64 = 0.002;
/// Surfaces further apart are as far as this \[m\].
const FAR: f64 = 0.1;

/// By contact, the angle by which its hands tilt \[rad\].
pub(super) fn tilts(goals: &Goals<'_>, meter: &mut PeopleMeter, clips: &[Clip; 2]) -> Vec<f64> {
    let mut placed = Placed::new(clips);
    (0..goals.contacts.len()).map(|at| of_contact(goals, at, (&mut *meter, &mut placed), clips)).collect()
}

fn of_contact(
    goals: &Goals<'_>,
    at: usize,
    (meter, placed): (&mut PeopleMeter, &mut Placed<'_>),
    clips: &[Clip; 2],
) -> f64 {
    let contact = &goals.contacts[at];
    if contact.thing || !contact.parts.iter().all(|part| part.is_hand()) {
        return 0.0;
    }
    let step = contact.frames.len().div_ceil(FRAMES).max(1);
    let mut worst = [f64::INFINITY; ANGLES.len()];
    for frame in contact.frames.clone().step_by(step) {
        placed.place(clips, frame);
        for (worst, angle) in worst.iter_mut().zip(ANGLES) {
            let turns = turns(goals, at, &placed.kinematics, frame, angle.to_radians());
            let poses = [0, 1].map(|i| {
                let arm = goals.people[i].arms[hand(contact, i)?]?;
                Some(tilted(placed.poses()[i], clips[i].skeleton(), arm.wrist, &turns[i]?))
            });
            let [Some(a), Some(b)] = &poses else { return 0.0 };
            *worst = worst.min(room(contact, meter, [a, b]));
        }
    }
    let mut best = 0;
    for (at, room) in worst.iter().enumerate() {
        if worst[best] < -MET && *room > worst[best] + WORTH {
            best = at;
        }
    }
    ANGLES[best].to_radians()
}

/// The arm of a hand of a contact.
fn hand(contact: &Contact, person: usize) -> Option<usize> {
    match contact.parts[person] {
        Part::Hand(hand) => Some(hand),
        Part::Line(_) => None,
    }
}

/// How far arms are from hands and arms of the other where hands are brought together along the contact; below 0 they are inside.
fn room(contact: &Contact, meter: &mut PeopleMeter, poses: [&Pose; 2]) -> f64 {
    let (Some(one), Some(other)) = (hand(contact, 0), hand(contact, 1)) else { return 0.0 };
    let [one, other] = [one, other].map(side);
    let mut gap = |parts: [BodyPart; 2]| meter.gap(parts, poses, FAR).unwrap_or(FAR);
    let hands = gap([BodyPart::Hand(one), BodyPart::Hand(other)]);
    let arms = [
        [BodyPart::Hand(one), BodyPart::Arm(other)],
        [BodyPart::Arm(one), BodyPart::Hand(other)],
        [BodyPart::Arm(one), BodyPart::Arm(other)],
    ];
    arms.map(&mut gap).into_iter().fold(f64::INFINITY, f64::min) - hands
}

/// By person, the turn of a hand in object space that tilts it out of the other by an angle; `None` where it points there.
pub(super) fn turns(
    goals: &Goals<'_>,
    contact: usize,
    placed: &[ForwardKinematics<'_>; 2],
    frame: usize,
    angle: f64,
) -> [Option<UnitQuaternion<f64>>; 2] {
    let Some(approach) = goals.beyond.get(contact) else { return [None; 2] };
    let apart = approach.directions[frame];
    [0, 1].map(|i| {
        let arm = goals.people[i].arms[hand(&goals.contacts[contact], i)?]?;
        let palm = placed[i].at(arm.wrist).rotation * arm.palm;
        let out = if i == 0 { apart } else { -apart };
        let axis = palm.cross(&out);
        // The lesser part of a palm that points to the other tilts no finger out.
        let axis = (axis.norm() > 0.3 * palm.norm() * out.norm()).then(|| axis.normalize())?;
        Some(UnitQuaternion::from_scaled_axis(axis * angle))
    })
}

/// A pose in object space with what is below a joint turned about it.
fn tilted(pose: &Pose, skeleton: &Skeleton, joint: JointId, turn: &UnitQuaternion<f64>) -> Pose {
    let mut tilted = pose.clone();
    let about: Vector3<f64> = pose.joints[joint.index()].translation.vector;
    for below in skeleton.subtree(joint) {
        let place = &mut tilted.joints[below.index()];
        place.translation.vector = about + turn * (place.translation.vector - about);
        place.rotation = turn * place.rotation;
    }
    tilted
}
