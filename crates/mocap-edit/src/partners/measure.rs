//! What is between two people, measured: contacts by points and on meshes, and how deep one is inside of the other.

use mocap_model::{Clip, JointId, Vector3};
use mocap_retarget::{PeopleMeter, TargetSurface};
use schemars::JsonSchema;
use serde::Serialize;

use super::contact::{Person, find};
use super::goals::Goals;
use super::report::PartnerReport;
use super::surfaces::{Placed, surface_of};
use super::{KEPT, in_metres, percentile};
use crate::EditError;

/// Frames in which meshes are measured: of each contact, and of the motion.
const MEASURED: usize = 12;
const IN_ALL: usize = 24;
/// Hands of people whose hips are further apart than so many arms of both do not touch.
const APART: f64 = 3.0;
/// Surfaces further apart are as far as this \[m\].
const FAR: f64 = 0.5;

/// So many of a range of frames, evenly spaced.
fn some(frames: std::ops::Range<usize>, count: usize) -> Vec<usize> {
    let step = frames.len().div_ceil(count).max(1);
    frames.step_by(step).collect()
}

/// What meshes show of the contacts and of people inside of each other.
struct OnMeshes {
    gaps: Vec<f64>,
    deepest: f64,
}

/// Measures both motions before and after they were brought together.
pub(super) fn report(
    goals: &Goals<'_>,
    (alone, result): (&[Clip; 2], &[Clip; 2]),
    surfaces: [Option<&TargetSurface>; 2],
    report: &mut PartnerReport,
) {
    report.alone_p95 = percentile(&goals.errors(alone), 0.95);
    let errors = goals.errors(result);
    report.error_mean = (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64);
    report.error_p95 = percentile(&errors, 0.95);
    report.error_max = percentile(&errors, 1.0);
    report.within_1cm = share_within(&errors);
    let [Some(a), Some(b)] = surfaces else { return };
    let Some(mut meter) = PeopleMeter::new(a, b) else { return };
    let before = on_meshes(goals, alone, &mut meter);
    let after = on_meshes(goals, result, &mut meter);
    (report.touching_alone, report.deepest_alone) = (share_within(&before.gaps), Some(before.deepest));
    (report.touching, report.deepest) = (share_within(&after.gaps), Some(after.deepest));
    report.gap_p95 = percentile(&after.gaps, 0.95);
}

fn share_within(errors: &[f64]) -> Option<f64> {
    let within = errors.iter().filter(|error| **error <= KEPT).count();
    (!errors.is_empty()).then(|| within as f64 / errors.len() as f64)
}

fn on_meshes(goals: &Goals<'_>, clips: &[Clip; 2], meter: &mut PeopleMeter) -> OnMeshes {
    let mut placed = Placed::new(clips);
    let mut found = OnMeshes { gaps: Vec::new(), deepest: 0.0 };
    let mut looked: Vec<usize> = some(0..clips[0].frames(), IN_ALL);
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
        found.deepest = found.deepest.max(meter.deepest(placed.poses()));
    }
    found
}

/// What two motions of two people have between them, in comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct BetweenPeople {
    /// Contacts of the reference: hands on hands, upper arms, trunk and thighs.
    pub contacts: usize,
    /// Frames in contact, each contact counted.
    pub contact_frames: usize,
    /// How far the points of contacts are from where they are to each other in the reference: mean \[m\]. `null` without a
    /// contact.
    pub contact_mean: Option<f64>,
    /// The 95th percentile \[m\].
    pub contact_p95: Option<f64>,
    /// The largest \[m\].
    pub contact_max: Option<f64>,
    /// The difference of the distance between the hips of both from that of the reference: mean \[m\].
    pub distance_mean: f64,
    /// The largest \[m\].
    pub distance_max: f64,
    /// The turn of the direction from the hips of one to those of the other, about the up axis, against the reference: mean
    /// \[degrees\]. `null` where they are never apart.
    pub direction_mean: Option<f64>,
}

/// Compares what is between two people in two motions of the same length: `reference` and `other` are both people of each,
/// in one order.
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
    // Hips are no further than that from hands.
    let is_near = were.iter().any(|way| way.norm() < APART * reach);
    let contacts = match is_near {
        true => find(&people, [&reference[0], &reference[1]], 0).0,
        false => Vec::new(),
    };
    let contacts: Vec<_> = contacts.into_iter().filter(|contact| contact.is_on(&bodies)).collect();
    let goals = Goals { people: &bodies, contacts: &contacts, scale: 1.0, limits: false, beyond: Vec::new() };
    let errors = goals.errors(&other);
    let up = people[0].body.up;
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

/// By frame: from the hips of the second to those of the first.
fn apart(clips: &[Clip; 2], hips: [JointId; 2]) -> Vec<Vector3<f64>> {
    let mut placed = Placed::new(clips);
    let at = |frame: usize| {
        placed.kinematics.iter_mut().for_each(|one| one.place(frame));
        placed.kinematics[0].position(hips[0]) - placed.kinematics[1].position(hips[1])
    };
    (0..clips[0].frames()).map(at).collect()
}
