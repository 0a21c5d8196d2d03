//! Measures contacts between two people, by points and on meshes, and their interpenetration.

use mocap_model::{Clip, JointId, Vector3};
use mocap_retarget::{PeopleMeter, TargetSurface};
use schemars::JsonSchema;
use serde::Serialize;

use super::contact::{Person, find, time_inside};
use super::distance::hips;
use super::goals::Goals;
use super::own_frame::OwnFrame;
use super::report::PartnerReport;
use super::surfaces::{Placed, surface_of};
use super::{KEPT, NAME, in_metres, percentile};
use crate::EditError;
use crate::body::Body;

/// Number of frames per contact in which the distance of surfaces is measured.
const MEASURED: usize = 12;
/// The most evenly spaced frames of a motion in which depth is measured, beside those of contacts: all of a minute or two.
const MOST: usize = 2400;
/// People whose hips are further apart than this multiple of their arms' lengths are not measured: their hands cannot
/// touch.
const APART: f64 = 3.0;
/// Distances of surfaces are clamped to this \[m\].
const FAR: f64 = 0.5;

/// `count` evenly spaced frames of a range.
fn some(frames: std::ops::Range<usize>, count: usize) -> Vec<usize> {
    let step = frames.len().div_ceil(count).max(1);
    frames.step_by(step).collect()
}

/// Contacts and interpenetration measured on the meshes.
struct OnMeshes {
    gaps: Vec<f64>,
    deepest: f64,
    /// The frame, the person and the part of its body that is deepest inside of the other.
    place: Option<(usize, usize, &'static str)>,
}

/// How far a motion was moved along the ground by its hips, at most \[m\].
///
/// # Errors
/// Where frames differ, or the unit is not known.
pub fn moved_on_ground(before: &Clip, after: &Clip) -> Result<f64, EditError> {
    if before.frames() != after.frames() {
        let reason = format!("one has {} frames, the other {}", before.frames(), after.frames());
        return Err(EditError::Usage { edit: NAME, reason });
    }
    let [before, after] = [in_metres(before)?, in_metres(after)?];
    Ok(moved(&before, &after))
}

/// As [`moved_on_ground`], in metres.
fn moved(before: &Clip, after: &Clip) -> f64 {
    let body = Body::of(before);
    let each = hips(before, &body).into_iter().zip(hips(after, &body));
    each.map(|(before, after)| (after - before).norm()).fold(0.0, f64::max)
}

/// Measures both motions before and after contacts were restored.
pub(super) fn report(
    goals: &Goals<'_>,
    (alone, result): (&[Clip; 2], &[Clip; 2]),
    surfaces: [Option<&TargetSurface>; 2],
    lead_in: usize,
    report: &mut PartnerReport,
) {
    report.alone_p95 = percentile(&goals.errors(alone), 0.95);
    let errors = goals.errors(result);
    report.error_mean = (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64);
    report.error_p95 = percentile(&errors, 0.95);
    report.error_max = percentile(&errors, 1.0);
    report.within_1cm = share_within(&errors);
    report.moved_each = [0, 1].map(|i| moved(&alone[i], &result[i]));
    let meter = surfaces[0].zip(surfaces[1]).and_then(|(a, b)| PeopleMeter::new(a, b));
    let Some(mut meter) = meter else {
        report.through = time_inside(goals.people, [&result[0], &result[1]], lead_in);
        return;
    };
    let before = on_meshes(goals, alone, &mut meter);
    let after = on_meshes(goals, result, &mut meter);
    (report.touching_alone, report.deepest_alone) = (share_within(&before.gaps), Some(before.deepest));
    (report.touching, report.deepest) = (share_within(&after.gaps), Some(after.deepest));
    report.gap_p95 = percentile(&after.gaps, 0.95);
    if let Some((frame, person, part)) = after.place {
        report.deepest_frame = Some(frame);
        report.deepest_person = Some(person);
        report.deepest_part = Some(part);
    }
}

fn share_within(errors: &[f64]) -> Option<f64> {
    let within = errors.iter().filter(|error| **error <= KEPT).count();
    (!errors.is_empty()).then(|| within as f64 / errors.len() as f64)
}

fn on_meshes(goals: &Goals<'_>, clips: &[Clip; 2], meter: &mut PeopleMeter) -> OnMeshes {
    let mut placed = Placed::new(clips);
    let mut found = OnMeshes { gaps: Vec::new(), deepest: 0.0, place: None };
    let mut looked = some(0..clips[0].frames(), MOST);
    for contact in goals.contacts.iter().filter(|contact| !contact.thing) {
        for frame in some(contact.frames.clone(), MEASURED) {
            placed.place(clips, frame);
            let parts = contact.parts.map(surface_of);
            let gap = meter.gap(parts, placed.poses(), FAR).unwrap_or(FAR);
            found.gaps.push(gap.abs());
            looked.push(frame);
        }
    }
    looked.sort_unstable();
    looked.dedup();
    for frame in looked {
        placed.place(clips, frame);
        let Some((depth, person, part)) = meter.deepest_part(placed.poses()) else { continue };
        if depth > found.deepest {
            (found.deepest, found.place) = (depth, Some((frame, person, part.name())));
        }
    }
    found
}

/// A comparison of the contacts and relative placement of two people in two motions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct BetweenPeople {
    /// Contacts of the reference: hands on hands, upper arms, trunk and thighs.
    pub contacts: usize,
    /// Frames in contact, each contact counted.
    pub contact_frames: usize,
    /// The difference of the offset between the points of contacts from that in the reference, without the turn of the pair
    /// as a whole: mean \[m\]. `null` without a contact.
    pub contact_mean: Option<f64>,
    /// The 95th percentile \[m\].
    pub contact_p95: Option<f64>,
    /// The largest \[m\].
    pub contact_max: Option<f64>,
    /// The difference of the distance between the hips of both from that of the reference: mean \[m\].
    pub distance_mean: f64,
    /// The largest \[m\].
    pub distance_max: f64,
    /// The difference of the direction from the hips of one to those of the other, about the up axis, from that in the
    /// reference: mean \[degrees\]. `null` where the hips always coincide.
    pub direction_mean: Option<f64>,
}

/// Compares the contacts and relative placement of two people in two motions of the same length. `reference` and
/// `other` have both people, in the same order.
///
/// # Errors
/// Where frames or rates differ, or a unit is not known.
pub fn between_people(reference: [&Clip; 2], other: [&Clip; 2]) -> Result<BetweenPeople, EditError> {
    let reference = [in_metres(reference[0])?, in_metres(reference[1])?];
    let other = [in_metres(other[0])?, in_metres(other[1])?];
    super::in_step(&reference, &other)?;
    let people = [Person::of(&reference[0]), Person::of(&reference[1])];
    let bodies = [Person::of(&other[0]), Person::of(&other[1])];
    let hips = |people: &[Person; 2]| [people[0].body.hips, people[1].body.hips];
    let were = apart(&reference, hips(&people));
    let are = apart(&other, hips(&bodies));
    let reach: f64 = people.iter().filter_map(Person::arm_length).sum();
    // Contacts are possible only if the hips are near enough for hands to meet.
    let is_near = were.iter().any(|way| way.norm() < APART * reach);
    let contacts = match is_near {
        true => find(&people, [&reference[0], &reference[1]], 0).0,
        false => Vec::new(),
    };
    let contacts: Vec<_> = contacts.into_iter().filter(|contact| contact.is_on(&bodies)).collect();
    let goals = Goals {
        people: &bodies,
        contacts: &contacts,
        scale: 1.0,
        limits: false,
        beyond: Vec::new(),
        aside: Vec::new(),
    };
    let up = people[0].body.up;
    // Two people who are turned as a whole touch each other as before: contacts are measured without that turn.
    let turned_back = OwnFrame::turning(people[0].body.turn(turn_between(&were, &are, &up)));
    let errors = goals.errors(&[turned_back.put(&other[0])?, turned_back.put(&other[1])?]);
    let level = |way: &Vector3<f64>| (way - up * way.dot(&up)).try_normalize(1e-6);
    let differences: Vec<f64> =
        were.iter().zip(&are).map(|(was, is)| (was.norm() - is.norm()).abs()).collect();
    let turned: Vec<f64> = were
        .iter()
        .zip(&are)
        .filter_map(|(was, is)| Some(level(was)?.angle(&level(is)?).to_degrees()))
        .collect();
    let mean =
        |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    Ok(BetweenPeople {
        contacts: contacts.len(),
        contact_frames: errors.len(),
        contact_mean: mean(&errors),
        contact_p95: percentile(&errors, 0.95),
        contact_max: percentile(&errors, 1.0),
        distance_mean: mean(&differences).unwrap_or_default(),
        distance_max: differences.iter().copied().fold(0.0, f64::max),
        direction_mean: mean(&turned),
    })
}

/// The turn about `up` that brings some ways nearest to others, by least squares \[rad\]: 0 if no way is level.
fn turn_between(to: &[Vector3<f64>], from: &[Vector3<f64>], up: &Vector3<f64>) -> f64 {
    let (mut along, mut across) = (0.0, 0.0);
    for (to, from) in to.iter().zip(from) {
        let [to, from] = [to, from].map(|way| way - up * way.dot(up));
        along += from.dot(&to);
        across += up.dot(&from.cross(&to));
    }
    across.atan2(along)
}

/// By frame: the vector from the hips of the second to those of the first.
fn apart(clips: &[Clip; 2], hips: [JointId; 2]) -> Vec<Vector3<f64>> {
    let mut placed = Placed::new(clips);
    let at = |frame: usize| {
        placed.kinematics.iter_mut().for_each(|one| one.place(frame));
        placed.kinematics[0].position(hips[0]) - placed.kinematics[1].position(hips[1])
    };
    (0..clips[0].frames()).map(at).collect()
}
