//! Restores the contacts between two people after retargeting.
//!
//! Each person was retargeted separately. Their contacts in the source become goals. First both people are shifted
//! along the ground, each by half, so that they can reach each other; then inverse kinematics moves the hands of a
//! contact to a common point, half-way or nearer to the person with the shorter reach. Headings stay. People without
//! contacts keep their distance. If both have a surface, contacts are between surfaces, trunks are kept apart, and arms
//! are kept out of both bodies.
//!
//! Simpler than E. Ho, T. Komura, C. Tai, "Spatial relationship preserving character motion adaptation", 2010: it
//! preserves contacts instead of an interaction mesh over all joints.

mod aside;
mod clear_path;
mod contact;
mod distance;
mod goals;
mod guard;
mod in_step;
mod keys;
mod limits;
mod measure;
mod own_frame;
mod own_scene;
mod place;
mod report;
mod shared;
mod shift;
mod surfaces;
#[cfg(test)]
mod tests;

use mocap_model::{Clip, Space, Vector3};
use mocap_retarget::{BodyBeside, PeopleMeter, TargetSurface};
use std::cell::RefCell;

use crate::EditError;
use crate::arms::{ArmJoints, HandGoals, place_hand};
use crate::held_feet::held_after_shift;
use crate::root_motion::shifted;
use aside::Way;
use clear_path::ClearPath;
use contact::{Contact, Person, find, time_inside};
pub use distance::keep_distances;
use distance::spaced;
use goals::Goals;
use guard::Guard;
pub use in_step::{InStep, bring_in_step};
use keys::{at_keys, between_keys, stride};
pub use limits::limits_are_symmetric;
pub use measure::{BetweenPeople, between_people, moved_on_ground};
use own_frame::{OwnFrame, is_exchanged};
pub use own_scene::OwnScene;
use place::{meet, placed, separated};
pub use report::{PartnerReport, PartnerTouch};
use shift::is_constant;
use surfaces::{Bodies, beyond, corrected, is_near, room_for_arms};

const NAME: &str = "partners";
/// Most rounds in which people are moved apart to make room for arms between them.
const WIDENED: usize = 4;
/// The largest distance of these rounds together \[m\].
const WIDEST: f64 = 0.4;
/// A round is kept if it reduces the penetration of arms to this share.
const HELPS: f64 = 0.85;
/// Most rounds of correcting contacts by distances between meshes.
const CORRECTED: usize = 6;
/// The same after arms were moved out of bodies.
const TOUCHED: usize = 3;
/// Most rounds of moving hands further around the arm of the other.
const ASIDE: usize = 4;
/// Most rounds of looking for a path around the arm of the other.
const PATHS: usize = 10;
/// They end after so many rounds in a row without progress.
const IDLE: usize = 3;
/// Corrections below this are skipped \[m\].
const OFF: f64 = 0.003;
/// The time before and after a contact in which a hand approaches and leaves \[s\].
const AROUND: f64 = 0.15;
/// Rounds continue while the correction shrinks to at most this share of the one before.
const LESS: f64 = 0.9;
/// A contact counts as kept within this distance \[m\].
const KEPT: f64 = 0.01;

/// Options of [`keep_partners`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeepOptions {
    /// Number of lead-in frames at the start, which are a rest pose and have no contacts.
    pub lead_in: usize,
    /// Whether arms keep the joint limits of their skeletons when they are moved out of bodies.
    pub limits: bool,
    /// Whether people without contacts keep the distance of the source, scaled to the bodies. Among more than two people,
    /// [`keep_distances`] does this for all at once.
    pub distances: bool,
}

/// Brings two people who were retargeted alone together again. `sources` are in one space and time, and so are the results
/// as far as their units are known; each keeps the unit and axes of its own skeleton. `surfaces` are those of the targets,
/// bound to their skeletons. `things` are beside the sources, in the space and unit of the first: what both hold keeps its
/// size.
///
/// # Errors
/// Where frames or rates differ, or a unit is not known.
pub fn keep_partners(
    sources: [&Clip; 2],
    targets: [Clip; 2],
    surfaces: [Option<&TargetSurface>; 2],
    things: &[&Clip],
    KeepOptions { lead_in, limits, distances }: KeepOptions,
) -> Result<([Clip; 2], PartnerReport), EditError> {
    let space = |clip: &Clip| Ok((*clip.skeleton().space(), metres_of(clip)?));
    let spaces = [space(&targets[0])?, space(&targets[1])?];
    let [a, b] = sources;
    let metres = metres_of(a)?;
    let sources = [in_metres(a)?, in_metres(b)?];
    let given = targets;
    let targets = [in_metres(&given[0])?, in_metres(&given[1])?];
    in_step(&sources, &targets)?;
    let stride = stride(targets[0].rate());
    let whole = targets;
    let sources = [at_keys(&sources[0], stride)?, at_keys(&sources[1], stride)?];
    let targets = [at_keys(&whole[0], stride)?, at_keys(&whole[1], stride)?];
    let thing = |thing: &&Clip| at_keys(&crate::metric::in_metres(thing, metres, NAME)?, stride);
    let things = things.iter().map(thing).collect::<Result<Vec<Clip>, EditError>>()?;
    let lead_in = lead_in.div_ceil(stride);
    let surfaces = [0, 1].map(|i| surfaces[i]?.in_metres(spaces[i].1));
    let options = KeepOptions { lead_in, limits, distances };
    let (result, mut report) = match is_exchanged(&sources, &targets) {
        true => {
            let exchanged = |[a, b]: [Clip; 2]| [b, a];
            let [first, second] = surfaces;
            let (result, mut report) =
                kept(exchanged(sources), exchanged(targets.clone()), [second, first], &things, options)?;
            report.exchange();
            (exchanged(result), report)
        }
        false => kept(sources, targets.clone(), surfaces, &things, options)?,
    };
    report.in_frames(stride, given[0].frames());
    report.warn();
    if !report.changed {
        // An unchanged clip keeps every bit.
        return Ok((given, report));
    }
    let [a, b] = [0, 1].map(|i| between_keys(&whole[i], [&targets[i], &result[i]], stride));
    Ok((back([a?, b?], spaces)?, report))
}

/// As [`keep_partners`], in metres.
fn kept(
    sources: [Clip; 2],
    targets: [Clip; 2],
    surfaces: [Option<TargetSurface>; 2],
    things: &[Clip],
    KeepOptions { lead_in, limits, distances }: KeepOptions,
) -> Result<([Clip; 2], PartnerReport), EditError> {
    let frame = OwnFrame::of(&[Person::of(&sources[0]), Person::of(&sources[1])], &sources);
    let sources = [frame.put(&sources[0])?, frame.put(&sources[1])?];
    let targets = [frame.put(&targets[0])?, frame.put(&targets[1])?];
    let things = things.iter().map(|thing| frame.put(thing)).collect::<Result<Vec<Clip>, EditError>>()?;
    let people = [Person::of(&sources[0]), Person::of(&sources[1])];
    let bodies = [Person::of(&targets[0]), Person::of(&targets[1])];
    let both = [&sources[0], &sources[1]];
    let inside = time_inside(&people, both, lead_in);
    if let Some(inside) = inside {
        return Ok((targets, PartnerReport::inside_each_other(inside)));
    }
    let (mut contacts, nearest) = find(&people, both, lead_in);
    contacts.extend(shared::shared(&people, both, &things));
    let contacts: Vec<Contact> = contacts.into_iter().filter(|contact| contact.is_on(&bodies)).collect();
    let mut report = PartnerReport::of(&contacts, nearest);
    let alone = targets;
    let mut targets = alone.clone();
    if contacts.is_empty() && distances {
        spaced(&both, &mut targets, lead_in)?;
    }
    let scale = scale(&people, &bodies).unwrap_or(1.0);
    let mut goals =
        Goals { people: &bodies, contacts: &contacts, scale, limits, beyond: Vec::new(), aside: Vec::new() };
    let besides = surfaces.each_ref().map(|surface| BodyBeside::new(surface.as_ref()?));
    let result = match &besides {
        [Some(a), Some(b)] => {
            let meter = surfaces[0].as_ref().zip(surfaces[1].as_ref());
            let meter = meter.and_then(|(a, b)| PeopleMeter::new(a, b));
            let with = Bodies { besides: [a, b], clips: &targets, meter: RefCell::new(meter) };
            goals.beyond = beyond(&goals, &with);
            let met = together(&mut goals, &targets, Some(&with), &mut report)?;
            match met == targets && !is_near(&with, &bodies) {
                true => met,
                false => apart(&mut goals, met, surfaces.each_ref().map(Option::as_ref), &with)?,
            }
        }
        _ => together(&mut goals, &targets, None, &mut report)?,
    };
    report.changed = result != alone;
    measure::report(&goals, (&alone, &result), surfaces.each_ref().map(Option::as_ref), lead_in, &mut report);
    let frame = frame.inverse();
    Ok(([frame.put(&result[0])?, frame.put(&result[1])?], report))
}

/// Both people, shifted to each other and with their hands at the contacts.
fn together(
    goals: &mut Goals<'_>,
    targets: &[Clip; 2],
    bodies: Option<&Bodies<'_>>,
    report: &mut PartnerReport,
) -> Result<[Clip; 2], EditError> {
    let mut ways = placed(goals, targets);
    if let Some(bodies) = bodies {
        ways = separated(goals.people, bodies, ways);
    }
    let mut result = moved(goals, targets, &ways)?;
    let Some(bodies) = bodies.filter(|_| !goals.contacts.is_empty()) else {
        report.moved = ways.iter().map(Vector3::norm).reduce(f64::max);
        return Ok(result);
    };
    let (mut wider, mut room) = (Vector3::zeros(), room_for_arms(goals, bodies, &result));
    for _ in 0..WIDENED {
        // Makes room for arms that meet between the bodies.
        let Some((depth, more)) = room else { break };
        if (wider + more).norm() > WIDEST {
            break;
        }
        let wide: Vec<Vector3<f64>> = ways.iter().map(|way| way + more).collect();
        let next = moved(goals, targets, &wide)?;
        room = room_for_arms(goals, bodies, &next);
        if room.is_some_and(|(left, _)| left > depth * HELPS) {
            break;
        }
        wider += more;
        (ways, result) = (wide, next);
    }
    let mut before = f64::INFINITY;
    for round in 0..CORRECTED {
        let mut meter = bodies.meter.borrow_mut();
        let Some(meter) = meter.as_mut() else { break };
        let most = corrected(goals, meter, &result, 2 * round < CORRECTED);
        if most < OFF {
            break;
        }
        result = moved(goals, targets, &ways)?;
        if most > before * LESS {
            break;
        }
        before = most;
    }
    report.moved = ways.iter().map(Vector3::norm).reduce(f64::max);
    Ok(result)
}

/// Both people, shifted by half of `ways` each, with their hands at the contacts.
fn moved(goals: &Goals<'_>, targets: &[Clip; 2], ways: &[Vector3<f64>]) -> Result<[Clip; 2], EditError> {
    let mut result = targets.clone();
    if ways.iter().any(|way| way.norm() > 1e-9) {
        for (clip, share) in result.iter_mut().zip([0.5, -0.5]) {
            let ways: Vec<Vector3<f64>> = ways.iter().map(|way| way * share).collect();
            let body = crate::body::Body::of(clip);
            let shifted = shifted(clip, &body, &ways, NAME)?;
            *clip = if is_constant(&ways) { shifted } else { held_after_shift(clip, shifted, NAME)?.0 };
        }
    }
    reached(goals, result)
}

/// Moves arms out of the own body and the other's; each person is corrected against the uncorrected other.
fn apart(
    goals: &mut Goals<'_>,
    clips: [Clip; 2],
    surfaces: [Option<&TargetSurface>; 2],
    bodies: &Bodies<'_>,
) -> Result<[Clip; 2], EditError> {
    let [Some(a), Some(b)] = surfaces else { return Ok(clips) };
    let failed = |error| EditError::model(NAME, error);
    let around = (AROUND * clips[0].rate().fps()).round() as usize;
    let holds = goals.holds(clips[0].frames(), around);
    let of = |i: usize| [holds[i][0].as_slice(), holds[i][1].as_slice()];
    let limits = goals.limits;
    let first = a.apart_from(clips[0].clone(), (b, &clips[1]), of(0), limits).map_err(failed)?;
    let second = b.apart_from(clips[1].clone(), (a, &clips[0]), of(1), limits).map_err(failed)?;
    let both = [first, second];
    // Moving arms out of bodies may have broken contacts.
    let is_off = both != clips && goals.errors(&both).iter().any(|error| *error > OFF);
    let mut meter = bodies.meter.borrow_mut();
    let Some(meter) = meter.as_mut() else {
        return if is_off { reached(goals, both) } else { Ok(both) };
    };
    let mut result = both.clone();
    let mut used = goals.beyond.clone();
    if is_off {
        result = reached(goals, both.clone())?;
        // The wrists have rotated, which moved the contact surfaces.
        for _ in 0..TOUCHED {
            if corrected(goals, meter, &result, false) < OFF {
                break;
            }
            result = reached(goals, both.clone())?;
            used.clone_from(&goals.beyond);
        }
    }
    let last = std::mem::replace(&mut goals.beyond, used);
    result = around_arms(goals, meter, &both, result)?;
    goals.beyond = last;
    Ok(result)
}

/// Hands go around the arm of the other, where meshes show that it is better: on the side on which they touch, else on any, at
/// last frame by frame. `alone` is the motion before hands were brought to their contacts, `met` after.
fn around_arms(
    goals: &mut Goals<'_>,
    meter: &mut PeopleMeter,
    alone: &[Clip; 2],
    met: [Clip; 2],
) -> Result<[Clip; 2], EditError> {
    let mut guard = Guard::of(&met);
    let mut result = met.clone();
    for way in [Some(Way::OneSide), Some(Way::Through), None] {
        let proposed = match way {
            Some(way) => in_one_path(goals, meter, (alone, &met), way)?,
            None => aside(goals, meter, alone, &met)?,
        };
        let Some(proposed) = proposed else { continue };
        let is_clear;
        (result, is_clear) = guard.better(goals, meter, result, proposed)?;
        if is_clear {
            break;
        }
    }
    Ok(result)
}

/// Two people, and the offsets with which their hands go around the arm of the other, by contact and frame.
type Proposed = ([Clip; 2], Vec<Vec<Vector3<f64>>>);

/// As [`aside`], on one side of the arm and as slowly as it allows.
fn in_one_path(
    goals: &mut Goals<'_>,
    meter: &mut PeopleMeter,
    (alone, met): (&[Clip; 2], &[Clip; 2]),
    way: Way,
) -> Result<Option<Proposed>, EditError> {
    let count = goals.contacts.len();
    let kept = std::mem::take(&mut goals.aside);
    let started: Vec<_> = (0..count).map(|at| aside::offsets(goals, at, meter, met, way)).collect();
    goals.aside = kept;
    if largest(&started) < OFF {
        return Ok(None);
    }
    let frames = alone[0].frames();
    let mut paths = ClearPath::all(goals, frames);
    let kept = std::mem::replace(&mut goals.aside, started);
    let mut best: Option<(f64, Proposed)> = None;
    let mut idle = 0;
    // Round 0 only starts the paths: its offsets are not smooth in time, so it is never the best.
    for round in 0..=PATHS {
        let result = reached(goals, alone.clone())?;
        let mut missed = 0.0f64;
        let mut next = goals.aside.clone();
        for path in &mut paths {
            missed = missed.max(path.next(goals, meter, &result, &mut next));
        }
        let offsets = std::mem::replace(&mut goals.aside, next);
        let is_better = best.as_ref().is_none_or(|(least, _)| missed < *least * LESS);
        idle = if is_better { 0 } else { idle + 1 };
        if round > 0 && is_better {
            best = Some((missed, (result, offsets)));
        }
        if missed < OFF / 2.0 || idle == IDLE {
            break;
        }
    }
    goals.aside = kept;
    Ok(best.map(|(_, proposed)| proposed))
}

/// Hands go around the arm of the other, `None` where nothing is in their way. `alone` is the motion before hands were brought
/// to their contacts, `met` after.
fn aside(
    goals: &mut Goals<'_>,
    meter: &mut PeopleMeter,
    alone: &[Clip; 2],
    met: &[Clip; 2],
) -> Result<Option<Proposed>, EditError> {
    let (count, fps) = (goals.contacts.len(), alone[0].rate().fps());
    let kept = std::mem::take(&mut goals.aside);
    let wanted: Vec<_> = (0..count).map(|at| aside::offsets(goals, at, meter, met, Way::Through)).collect();
    if largest(&wanted) < OFF {
        goals.aside = kept;
        return Ok(None);
    }
    goals.aside = wanted.iter().map(|ways| aside::smoothed(ways, fps)).collect();
    let mut result = reached(goals, alone.clone())?;
    let mut before = vec![vec![f64::INFINITY; alone[0].frames()]; count];
    // What smoothing took away, and where forearms turned with their hands.
    for _ in 0..ASIDE {
        let each = wanted.iter().zip(&mut before).enumerate();
        let remaining: Vec<_> = each
            .map(|(at, (wanted, before))| aside::remaining(goals, at, meter, &result, wanted, before))
            .collect();
        if largest(&remaining) < OFF {
            break;
        }
        for (ways, more) in goals.aside.iter_mut().zip(remaining) {
            ways.iter_mut().zip(more).for_each(|(way, more)| *way += more);
        }
        result = reached(goals, alone.clone())?;
    }
    let offsets = std::mem::replace(&mut goals.aside, kept);
    Ok(Some((result, offsets)))
}

/// The longest of some offsets \[m\].
fn largest(offsets: &[Vec<Vector3<f64>>]) -> f64 {
    offsets.iter().flatten().map(Vector3::norm).fold(0.0, f64::max)
}

/// Checks that all motions have the same rate and number of frames.
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

/// The size of both bodies relative to the people of the source, by the lengths of arms.
fn scale(people: &[Person; 2], bodies: &[Person; 2]) -> Option<f64> {
    let ratio = |i: usize| Some(bodies[i].arm_length()? / people[i].arm_length()?);
    Some((ratio(0)? + ratio(1)?) / 2.0)
}

/// Moves hands to their contacts.
fn reached(goals: &Goals<'_>, clips: [Clip; 2]) -> Result<[Clip; 2], EditError> {
    let targets = meet(goals, &clips);
    let mut result = clips;
    for (i, clip) in result.iter_mut().enumerate() {
        for (side, wrist) in targets[i].iter().enumerate() {
            let arm = goals.people[i].arms[side].as_ref();
            let Some(arm) = arm.filter(|_| wrist.places.iter().any(Option::is_some)) else { continue };
            let joints = ArmJoints { shoulder: arm.shoulder, elbow: arm.elbow, wrist: arm.wrist };
            let hand = HandGoals { places: &wrist.places, weights: &wrist.weights, steady: None };
            *clip = place_hand(clip, joints, &hand, goals.limits, NAME)?.0;
        }
    }
    Ok(result)
}

/// Metres per unit.
fn metres_of(clip: &Clip) -> Result<f64, EditError> {
    crate::metric::metres_of(clip, NAME)
}

/// A motion in metres with Y up and Z forward.
fn in_metres(clip: &Clip) -> Result<Clip, EditError> {
    crate::metric::in_metres(clip, metres_of(clip)?, NAME)
}

/// Converts both back to their own spaces, given with the length of a unit in metres.
fn back(clips: [Clip; 2], spaces: [(Space, f64); 2]) -> Result<[Clip; 2], EditError> {
    let [a, b] = clips;
    Ok([crate::metric::back(&a, spaces[0], NAME)?, crate::metric::back(&b, spaces[1], NAME)?])
}

fn percentile(values: &[f64], share: f64) -> Option<f64> {
    mocap_analysis::percentile(&mut values.to_vec(), share)
}
