//! Two people on other bodies: what is between them stays.
//!
//! Each was retargeted alone. Their contacts of the source become goals: first both are placed so that they can meet
//! (each gives half of the way, along the ground), then both hands of a contact go to where they meet: half-way, or nearer
//! to who reaches less far. Facing and the order along the way stay: nobody is turned. Where both have a surface, skin
//! touches skin, nobody stands in the other, and arms are kept out of both bodies.
//!
//! Simpler than E. Ho, T. Komura, C. Tai, "Spatial relationship preserving character motion adaptation", 2010: their
//! mesh over all joints is not kept, only what touches.

mod contact;
mod goals;
mod in_step;
mod measure;
mod place;
mod report;
mod surfaces;
#[cfg(test)]
mod tests;

use mocap_model::{Clip, Isometry3, JointId, Space, Unit, UnitSource, Vector3};
use mocap_retarget::{BodyBeside, TargetSurface};

use crate::EditError;
use crate::held_feet::held;
use crate::legs::{Plane, place_ankles};
use contact::{Contact, Person, find};
use goals::Goals;
pub use in_step::{InStep, bring_in_step};
pub use measure::{BetweenPeople, between_people};
use place::{meet, placed, separated, shifted};
pub use report::PartnerReport;
use surfaces::{Bodies, beyond, is_near};

const NAME: &str = "partners";
/// A contact is kept within this distance \[m\].
const KEPT: f64 = 0.01;

/// How two people are kept together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeepOptions {
    /// In so many frames at the start nobody touches: they are a rest pose.
    pub lead_in: usize,
    /// Whether arms that are kept out of bodies keep the joint limits of their skeletons.
    pub limits: bool,
}

/// Brings two people who were retargeted alone together again. `sources` are in one space and time, and so are the results
/// as far as their units are known; each keeps the unit and axes of its own skeleton. `surfaces` are those of the targets,
/// bound to their skeletons.
///
/// # Errors
/// Where frames or rates differ, or a unit is not known.
pub fn keep_partners(
    sources: [&Clip; 2],
    targets: [Clip; 2],
    surfaces: [Option<&TargetSurface>; 2],
    KeepOptions { lead_in, limits }: KeepOptions,
) -> Result<([Clip; 2], PartnerReport), EditError> {
    let space = |clip: &Clip| Ok((*clip.skeleton().space(), metres_of(clip)?));
    let spaces = [space(&targets[0])?, space(&targets[1])?];
    let [a, b] = sources;
    let sources = [in_metres(a)?, in_metres(b)?];
    let given = targets;
    let targets = [in_metres(&given[0])?, in_metres(&given[1])?];
    in_step(&sources, &targets)?;
    let surfaces = [0, 1].map(|i| surfaces[i]?.in_metres(spaces[i].1));
    let people = [Person::of(&sources[0]), Person::of(&sources[1])];
    let bodies = [Person::of(&targets[0]), Person::of(&targets[1])];
    let (contacts, nearest) = find(&people, [&sources[0], &sources[1]], lead_in);
    let contacts: Vec<Contact> = contacts.into_iter().filter(|contact| contact.is_on(&bodies)).collect();
    let mut report = PartnerReport::of(&contacts, nearest);
    let scale = scale(&people, &bodies).unwrap_or(1.0);
    let mut goals = Goals { people: &bodies, contacts: &contacts, scale, beyond: Vec::new() };
    let besides = surfaces.each_ref().map(|surface| BodyBeside::new(surface.as_ref()?));
    let result = match &besides {
        [Some(a), Some(b)] => {
            let with = Bodies { besides: [a, b], clips: &targets };
            goals.beyond = beyond(&goals, &with);
            let met = together(&goals, &targets, Some(&with), &mut report)?;
            match met == targets && !is_near(&with, &bodies) {
                true => met,
                false => apart(met, surfaces.each_ref().map(Option::as_ref), limits)?,
            }
        }
        _ => together(&goals, &targets, None, &mut report)?,
    };
    report.changed = result != targets;
    measure::report(&goals, (&targets, &result), surfaces.each_ref().map(Option::as_ref), &mut report);
    report.warn(nearest);
    // What did not change keeps every bit.
    let result = if report.changed { back(result, spaces)? } else { given };
    Ok((result, report))
}

/// Both, moved to each other and with their hands where they meet.
fn together(
    goals: &Goals<'_>,
    targets: &[Clip; 2],
    bodies: Option<&Bodies<'_>>,
    report: &mut PartnerReport,
) -> Result<[Clip; 2], EditError> {
    let mut ways = placed(goals, targets);
    if let Some(bodies) = bodies {
        ways = separated(goals.people, bodies, ways);
    }
    report.moved = ways.iter().map(Vector3::norm).reduce(f64::max);
    let mut result = targets.clone();
    if ways.iter().any(|way| way.norm() > 1e-9) {
        for (clip, share) in result.iter_mut().zip([0.5, -0.5]) {
            let ways: Vec<Vector3<f64>> = ways.iter().map(|way| way * share).collect();
            let still = ways.iter().all(|way| (way - ways[0]).norm() < 1e-9);
            let body = crate::body::Body::of(clip);
            let shifted = shifted(clip, &body, &ways)?;
            *clip = if still { shifted } else { held(clip, shifted, NAME)?.0 };
        }
    }
    reached(goals, result)
}

/// Arms that are inside of the own body or of the other one are brought out, by the arms of each as the other was before.
fn apart(
    clips: [Clip; 2],
    surfaces: [Option<&TargetSurface>; 2],
    limits: bool,
) -> Result<[Clip; 2], EditError> {
    let [Some(a), Some(b)] = surfaces else { return Ok(clips) };
    let failed = |error| EditError::model(NAME, error);
    let first = a.apart_from(clips[0].clone(), (b, &clips[1]), limits).map_err(failed)?;
    let second = b.apart_from(clips[1].clone(), (a, &clips[0]), limits).map_err(failed)?;
    Ok([first, second])
}

/// That all motions have one rate and number of frames.
fn in_step(sources: &[Clip; 2], targets: &[Clip; 2]) -> Result<(), EditError> {
    let (frames, fps) = (sources[0].frames(), sources[0].rate().fps());
    for clip in [&sources[1], &targets[0], &targets[1]] {
        if clip.frames() != frames || (clip.rate().fps() / fps - 1.0).abs() > 1e-6 {
            let reason = format!(
                "one has {frames} frames at {fps} /s, the other {} at {} /s",
                clip.frames(),
                clip.rate().fps()
            );
            return Err(EditError::Usage { edit: NAME, reason });
        }
    }
    Ok(())
}

/// Lengths between both bodies over those between the people of the source: by arms.
fn scale(people: &[Person; 2], bodies: &[Person; 2]) -> Option<f64> {
    let ratio = |i: usize| Some(bodies[i].arm_length()? / people[i].arm_length()?);
    Some((ratio(0)? + ratio(1)?) / 2.0)
}

/// Hands at where they meet.
fn reached(goals: &Goals<'_>, clips: [Clip; 2]) -> Result<[Clip; 2], EditError> {
    let asked = meet(goals, &clips);
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
