//! Two people on other bodies: what is between them stays.
//!
//! Each was retargeted alone. Their contacts of the source become goals: first both are placed so that they can meet
//! (each gives half of the way, along the ground), then both hands of a contact go to where they meet: half-way, or nearer
//! to who reaches less far. Facing and the order along the way stay: nobody is turned.
//!
//! Simpler than E. Ho, T. Komura, C. Tai, "Spatial relationship preserving character motion adaptation", 2010: their
//! mesh over all joints is not kept, only what touches.

mod contact;
mod place;
#[cfg(test)]
mod tests;

use mocap_model::{Clip, Isometry3, JointId, Space, Unit, UnitSource, Vector3};
use schemars::JsonSchema;
use serde::Serialize;

use crate::EditError;
use crate::held_feet::held;
use crate::legs::{Plane, place_ankles};
use contact::{Contact, Person, find};
use place::{Goals, meet, placed, shifted};

const NAME: &str = "partners";
/// Goals of hands fade over this time before and after a contact \[s\].
const FADE: f64 = 0.3;
/// A contact is kept within this distance \[m\].
const KEPT: f64 = 0.01;

/// What became of what is between two people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PartnerReport {
    /// Contacts of the source: hands on hands, shoulders and hips.
    pub contacts: usize,
    /// Frames in contact, each contact counted.
    pub contact_frames: usize,
    /// How far the points of contacts are from where they were to each other, scaled to the bodies: mean \[m\].
    pub error_mean: Option<f64>,
    /// The 95th percentile \[m\].
    pub error_p95: Option<f64>,
    /// The largest \[m\].
    pub error_max: Option<f64>,
    /// The share of contact frames within 1 cm.
    pub within_1cm: Option<f64>,
    /// The same of both as they were retargeted alone: 95th percentile \[m\].
    pub alone_p95: Option<f64>,
    /// How far they were moved to each other, along the ground: the largest over time \[m\].
    pub moved: Option<f64>,
    /// How near hands and what they may touch come in the source, as a share of an arm's length.
    pub nearest: Option<f64>,
    /// Where it may look wrong.
    pub warnings: Vec<String>,
}

/// Brings two people who were retargeted alone together again. `sources` are in one space and time, and so are the results
/// as far as their units are known; each keeps the unit and axes of its own skeleton.
///
/// # Errors
/// Where frames or rates differ, or a unit is not known.
pub fn keep_partners(
    sources: [&Clip; 2],
    targets: [Clip; 2],
) -> Result<([Clip; 2], PartnerReport), EditError> {
    let space = |clip: &Clip| Ok((*clip.skeleton().space(), metres_of(clip)?));
    let spaces = [space(&targets[0])?, space(&targets[1])?];
    let [a, b] = sources;
    let sources = [in_metres(a)?, in_metres(b)?];
    let targets = [in_metres(&targets[0])?, in_metres(&targets[1])?];
    let frames = sources[0].frames();
    for clip in [&sources[1], &targets[0], &targets[1]] {
        if clip.frames() != frames || (clip.rate().fps() / sources[0].rate().fps() - 1.0).abs() > 1e-6 {
            let (expected, found) = (frames.to_string(), clip.frames().to_string());
            let reason = format!(
                "one has {expected} frames at {} /s, the other {found} at {} /s",
                sources[0].rate().fps(),
                clip.rate().fps()
            );
            return Err(EditError::Usage { edit: NAME, reason });
        }
    }
    let people = [Person::of(&sources[0]), Person::of(&sources[1])];
    let bodies = [Person::of(&targets[0]), Person::of(&targets[1])];
    let (contacts, nearest) = find(&people, [&sources[0], &sources[1]]);
    let mut report = PartnerReport {
        contacts: contacts.len(),
        contact_frames: contacts.iter().map(|contact| contact.frames.len()).sum(),
        nearest: nearest.is_finite().then_some(nearest),
        ..PartnerReport::default()
    };
    let Some(scale) = scale(&people, &bodies).filter(|_| !contacts.is_empty()) else {
        report.warnings.push(format!(
            "they never touch (hands come within {nearest:.1} arm lengths): each is retargeted alone"
        ));
        return Ok((back(targets, spaces)?, report));
    };
    let on_bodies: Vec<Contact> =
        contacts.iter().filter_map(|contact| on_bodies(contact, &people, &bodies)).collect();
    let goals = Goals { contacts: &on_bodies, scale, people: &bodies };
    report.alone_p95 = percentile(&goals.errors(&targets), 0.95);
    let ways = placed(&goals, &targets);
    report.moved = ways.iter().map(Vector3::norm).reduce(f64::max);
    let moved = [0.5, -0.5];
    let mut result = targets;
    for (i, clip) in result.iter_mut().enumerate() {
        let ways: Vec<Vector3<f64>> = ways.iter().map(|way| way * moved[i]).collect();
        let still = ways.iter().all(|way| (way - ways[0]).norm() < 1e-9);
        let shifted = shifted(clip, &bodies[i].body, &ways)?;
        *clip = if still { shifted } else { held(clip, shifted, NAME)?.0 };
    }
    let result = reached(&goals, result)?;
    let errors = goals.errors(&result);
    report.error_mean = (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64);
    report.error_p95 = percentile(&errors, 0.95);
    report.error_max = percentile(&errors, 1.0);
    let within = errors.iter().filter(|error| **error <= KEPT).count();
    report.within_1cm = (!errors.is_empty()).then(|| within as f64 / errors.len() as f64);
    if report.within_1cm.is_some_and(|share| share < 0.95) {
        report.warnings.push(format!(
            "{} of {} contact frames are more than 1 cm off, {:.0} mm at most: arms are too short",
            errors.len() - within,
            errors.len(),
            report.error_max.unwrap_or_default() * 1000.0
        ));
    }
    Ok((back(result, spaces)?, report))
}

/// Lengths between both bodies over those between the people of the source: by arms.
fn scale(people: &[Person; 2], bodies: &[Person; 2]) -> Option<f64> {
    let ratio = |i: usize| Some(bodies[i].arm_length()? / people[i].arm_length()?);
    Some((ratio(0)? + ratio(1)?) / 2.0)
}

fn on_bodies(contact: &Contact, people: &[Person; 2], bodies: &[Person; 2]) -> Option<Contact> {
    let part = |i: usize| bodies[i].counterpart(&people[i], contact.parts[i]);
    Some(Contact { parts: [part(0)?, part(1)?], ..contact.clone() })
}

/// Hands at where they meet.
fn reached(goals: &Goals<'_>, clips: [Clip; 2]) -> Result<[Clip; 2], EditError> {
    let fade = (FADE * clips[0].rate().fps()).round() as usize;
    let asked = meet(goals, &clips, fade);
    let mut result = clips;
    for (i, clip) in result.iter_mut().enumerate() {
        let hands: Vec<(JointId, Vec<Option<Isometry3<f64>>>)> = (0..2)
            .filter(|side| asked[i][*side].iter().any(Option::is_some))
            .filter_map(|side| Some((goals.people[i].arms[side]?.wrist, asked[i][side].clone())))
            .collect();
        if !hands.is_empty() {
            *clip = place_ankles(clip, &goals.people[i].body, &hands, Plane::Usual, NAME)?.0;
        }
    }
    Ok(result)
}

/// Metres per unit.
fn metres_of(clip: &Clip) -> Result<f64, EditError> {
    crate::body::Body::of(clip).metres.ok_or(EditError::NoUnit { edit: NAME })
}

/// A motion in metres with Y up and Z forward.
fn in_metres(clip: &Clip) -> Result<Clip, EditError> {
    let metres = metres_of(clip)?;
    let failed = |error| EditError::model(NAME, error);
    let unit = Some(Unit { metres, source: UnitSource::Flag });
    let stated = clip.skeleton().with_space(Space { unit, ..*clip.skeleton().space() });
    let clip = clip.clone().with_skeleton(stated.into()).map_err(failed)?;
    let unit = Some(Unit { metres: 1.0, source: UnitSource::Flag });
    clip.in_space(Space { unit, ..Space::default() }).map_err(failed)
}

/// Both in their own spaces again, whose units have so many metres.
fn back(clips: [Clip; 2], spaces: [(Space, f64); 2]) -> Result<[Clip; 2], EditError> {
    let [a, b] = clips;
    let one = |clip: Clip, (space, metres): (Space, f64)| {
        let failed = |error| EditError::model(NAME, error);
        let unit = Some(Unit { metres, source: UnitSource::Flag });
        let clip = clip.in_space(Space { unit, ..space }).map_err(failed)?;
        let skeleton = clip.skeleton().with_space(space);
        clip.with_skeleton(skeleton.into()).map_err(failed)
    };
    Ok([one(a, spaces[0])?, one(b, spaces[1])?])
}

fn percentile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(at).copied()
}
