//! Balance: moves the hips and leans the trunk as little as needed to bring the centre of mass over the support polygon
//! where the body stands still, and into free fall in flight. Feet stay in place. Frames in which the body sits, kneels,
//! lies or leans on its hands are not moved: its soles do not carry it.
//!
//! The trajectory of the centre of mass is planned for all frames at once (`mocap_analysis::horizontal_displacement`). The hips
//! make most of the shift. Since the mass of the legs moves less than the hips, the shift is found by iteration.

use std::ops::Range;

use mocap_analysis::{
    BodyBalance, ContactOptions, FootMotion, JointHeights, OverSoles, Polygon, Support, body_balance,
    floor_of, horizontal_displacement, off_free_fall, placements, rests_off_feet, runs,
    vertical_displacement,
};
use mocap_model::{Clip, Isometry3, JointId, Role, UnitQuaternion, Vector3};
use nalgebra::{Translation3, Unit};

use crate::body::Body;
use crate::held_feet::hips_rises;
use crate::legs::{Plane, hips_raised, place_ankles};
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::{EditError, EditReport};

const NAME: &str = "balance";

/// Iterations of the shift of the hips.
const ROUNDS: usize = 5;
/// A body that is moved stands still and flies in more frames than before, so it is planned for those too.
const PLANS: usize = 3;
/// Lean of the trunk per horizontal shift of the centre of mass \[rad/m\]. This and [`HIPS`] minimise the squares of
/// both, with 4 cm of the hips weighted as 4° of the trunk, for a body with seven tenths of its mass in trunk, head and
/// arms, a third of a leg's length above the hips.
const LEAN: f64 = 0.5;
/// Shift of the hips per horizontal shift of the centre of mass.
const HIPS: f64 = 0.9;
/// Least distance of the centre of mass from the edge of the support polygon \[m\], as people have it when they stand.
const INSIDE: f64 = 0.04;
/// Largest shift of the hips along the floor \[m\]: what is missing then, the trunk leans.
const FURTHEST_HIPS: f64 = 0.04;
/// Lean of the trunk per missing shift of the hips \[rad/m\].
const LEAN_INSTEAD: f64 = 2.0;
/// Largest shift of the centre of mass, as a share of a leg: a body further out of balance is falling, not standing.
const FURTHEST: f64 = 0.15;
/// A flight whose acceleration differs by this share of gravity from free fall is skipped: the rate or unit is wrong, or something
/// carries the body.
const NO_FLIGHT: f64 = 1.0;
/// It is not skipped where this way of the body makes it a free fall \[m\]: the acceleration of a few frames is not exact.
const SHORT_WAY: f64 = 0.04;
/// Flights that are measured as further off than this share of gravity are planned again.
const OFF_AGAIN: f64 = 0.03;
/// Warn of a centre of mass this far outside the support polygon \[m\].
const OUTSIDE: f64 = 0.01;
/// Warn of flights whose acceleration differs by this ratio from free fall.
const OFF_FALL: f64 = 0.05;

/// Brings the centre of mass over the support polygon where the body stands still, and into free fall in flight.
///
/// Masses are those of an average body ([`body_balance`]). Feet stay in place except in flights, where they move up and
/// down with the body. Frames that move on the floor change only by smoothing from their neighbours: a walk is not
/// statically balanced most of the time.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // A body of an arm and nothing else has no balance.
/// assert_eq!(mocap_edit::balance(&clip).unwrap_err().code(), "edit::body");
/// ```
///
/// # Errors
/// [`EditError::NoFeet`] where no joint is recognised as a foot, [`EditError::NoUnit`] where the unit is unknown,
/// [`EditError::Unlabelled`] where legs, arms or the head are not found, and so masses are unknown.
pub fn balance(clip: &Clip) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    if body.feet.is_empty() {
        return Err(EditError::NoFeet { edit: NAME });
    }
    let metres = body.metres.ok_or(EditError::NoUnit { edit: NAME })?;
    let found = measured(clip, &body).ok_or_else(|| EditError::Unlabelled {
        edit: NAME,
        reason:
            "masses are known of bodies with two legs, two arms and a head, and not all of them were found"
                .into(),
    })?;
    let mut planned_for = found.clone();
    let mut way = Plan::planned(clip, &body, &planned_for, metres);
    let mut shift = vec![Vector3::zeros(); clip.frames()];
    let (mut balanced, mut now) = (clip.clone(), found.clone());
    for plan in 1..=PLANS {
        if !way.moves(&found) {
            break;
        }
        for _ in 0..ROUNDS {
            let missing = way.goal.iter().zip(Plan::centre(&now)).map(|(goal, now)| goal - now);
            shift.iter_mut().zip(missing).for_each(|(shift, missing)| *shift += missing);
            balanced = way.moved(clip, &body, &shift)?;
            now = measured(&balanced, &body).unwrap_or(now);
        }
        let mut wider = planned_for.clone();
        if plan == PLANS || !widen(&mut wider, &now) {
            break;
        }
        let next = Plan::planned(clip, &body, &wider, metres);
        // What is reported belongs to the plan of the motion.
        if !next.moves(&found) {
            break;
        }
        (planned_for, way) = (wider, next);
    }
    let report = report((clip, &found), (&balanced, &now), &body, &planned_for, &way);
    Ok((balanced, report))
}

/// Adds the frames in which the body stands still or flies `now`, with their soles. Returns whether there were any.
fn widen(planned_for: &mut BodyBalance, now: &BodyBalance) -> bool {
    let before = (planned_for.still.clone(), planned_for.flights.clone());
    for frame in (0..now.still.len()).filter(|frame| now.still[*frame] && !before.0[*frame]) {
        planned_for.still[frame] = true;
        planned_for.soles[frame] = now.soles[frame].clone();
    }
    if off_free_fall(&now.centre, &now.flights, now.fps).is_some_and(|off| off > OFF_AGAIN) {
        let mut flies = vec![false; planned_for.still.len()];
        for flight in planned_for.flights.iter().chain(&now.flights) {
            flies[flight.clone()].fill(true);
        }
        planned_for.flights = runs(&flies);
    }
    before != (planned_for.still.clone(), planned_for.flights.clone())
}

fn measured(clip: &Clip, body: &Body) -> Option<BodyBalance> {
    body_balance(&body.named(clip))
}

/// The planned trajectory of the centre of mass, in metres, Z up.
struct Plan {
    /// By frame.
    goal: Vec<Vector3<f64>>,
    /// Frames in flight.
    flights: Vec<Range<usize>>,
    /// Number of flights that are skipped.
    left: usize,
    /// By frame: whether the body rests on other parts than feet.
    rests: Vec<bool>,
    /// By frame: whether it is in a flight, where feet go up and down with the body.
    flies: Vec<bool>,
    /// From the axes of the clip to Z up.
    upright: UnitQuaternion<f64>,
    metres: f64,
}

impl Plan {
    fn planned(clip: &Clip, body: &Body, found: &BodyBalance, metres: f64) -> Plan {
        let fps = clip.rate().fps();
        let motions = FootMotion::of(&body.named(clip), &body.feet);
        let rests = resting(clip, body, &motions);
        let sole = |frame: usize| match found.still[frame] && !rests[frame] {
            true => found.soles[frame].clone(),
            false => Polygon::default(),
        };
        let soles = (0..clip.frames()).map(sole).collect();
        // Horizontally, a flight keeps the velocity of its take-off.
        let support = Support { soles, over: OverSoles::Centre, inside: INSIDE, flights: Vec::new() };
        let aside = horizontal_displacement(&found.curves, &found.centre, &support, fps);
        let is_flight = |flight: &Range<usize>| {
            let only = std::slice::from_ref(flight);
            let off = off_free_fall(&found.centre, only, fps);
            let way = vertical_displacement(&found.centre, only, fps);
            off.is_none_or(|off| off < NO_FLIGHT) || way.iter().all(|way| way.abs() < SHORT_WAY)
        };
        let off_feet = |flight: &&Range<usize>| !rests[(*flight).clone()].contains(&true);
        let (flights, left): (Vec<_>, Vec<_>) =
            found.flights.iter().filter(off_feet).cloned().partition(is_flight);
        let higher = vertical_displacement(&found.centre, &flights, fps);
        let furthest = FURTHEST * motions.iter().map(|foot| foot.leg).fold(0.0, f64::max) * metres;
        let clearance = clearances(&motions, metres);
        let mut flies = vec![false; clip.frames()];
        flights.iter().for_each(|flight| flies[flight.clone()].fill(true));
        let goal = (0..clip.frames()).map(|frame| {
            let aside = aside[frame] * (furthest / aside[frame].norm().max(furthest));
            // The body sinks at most as far as its lower foot is above the floor.
            let up = higher[frame].max(-clearance[frame]);
            let moved = if rests[frame] { Vector3::zeros() } else { Vector3::new(aside.x, aside.y, up) };
            Plan::between(&found.curves.centre[frame], &found.centre[frame]) + moved
        });
        let upright = mocap_model::rotation_between(&body.up, &Vector3::z());
        let goal = goal.collect();
        Plan { goal, flights, left: left.len(), rests, flies, upright, metres }
    }

    /// Whether anything moves.
    fn moves(&self, found: &BodyBalance) -> bool {
        self.goal.iter().zip(Plan::centre(found)).any(|(goal, centre)| (goal - centre).norm() > 1e-5)
    }

    /// The centre of mass that is shifted: smoothed along the floor, with its exact height.
    fn centre(found: &BodyBalance) -> Vec<Vector3<f64>> {
        let centres = found.curves.centre.iter().zip(&found.centre);
        centres.map(|(smooth, exact)| Plan::between(smooth, exact)).collect()
    }

    fn between(smooth: &Vector3<f64>, exact: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(smooth.x, smooth.y, exact.z)
    }

    /// The motion with its centre of mass shifted by approximately `shift` \[m\].
    fn moved(&self, clip: &Clip, body: &Body, shift: &[Vector3<f64>]) -> Result<Clip, EditError> {
        let (mut samples, root_motion) = (Samples::of(clip), RootMotionJoint::hips(clip, body));
        let back = self.upright.inverse();
        let trunk = trunk(body);
        let share = |shift: &Vector3<f64>| match trunk {
            Some(_) => HIPS.min(FURTHEST_HIPS / shift.xy().norm()),
            None => 1.0,
        };
        for (frame, shift) in shift.iter().enumerate() {
            // Outside flights, the legs determine the height.
            let up = if self.flies[frame] { shift.z } else { 0.0 };
            let mut place = root_motion.at(&samples, frame);
            let aside = shift.xy() * share(shift);
            let by = Vector3::new(aside.x, aside.y, up);
            place.translation.vector += back * by / self.metres;
            root_motion.put(&mut samples, frame, &place);
        }
        if let Some((joint, above)) = trunk {
            let placed = &placements(clip, &[above])[0];
            for (frame, shift) in shift.iter().enumerate() {
                let axis = back * Vector3::new(-shift.y, shift.x, 0.0);
                let Some((axis, size)) = Unit::try_new_and_get(axis, 1e-12) else { continue };
                let lean = LEAN + LEAN_INSTEAD * (HIPS - share(shift));
                let lean = UnitQuaternion::from_axis_angle(&axis, lean * size);
                let parent = placed[frame].rotation;
                let local = &mut samples.rotations[joint.index()][frame];
                *local = parent.inverse() * lean * parent * *local;
            }
        }
        let leaned = samples.into_clip(NAME)?;
        let mut ankles: Vec<(JointId, Vec<Option<Isometry3<f64>>>)> = Vec::new();
        for foot in &body.feet {
            let places = placements(clip, &[foot.ankle]).remove(0);
            let moved = places.into_iter().zip(shift).zip(&self.flies);
            let places = moved.map(|((mut place, shift), flies)| {
                let up = Vector3::z() * if *flies { shift.z } else { 0.0 };
                place.translation = Translation3::from(place.translation.vector + back * up / self.metres);
                (shift.norm() > 0.0).then_some(place)
            });
            ankles.push((foot.ankle, places.collect()));
        }
        let rises = hips_rises(&leaned, body, &ankles, NAME)?;
        let lowered = hips_raised(&leaned, body, &rises, NAME)?;
        // Where the hips are lowered, feet without a target keep their placement.
        for (ankle, places) in &mut ankles {
            let own = &placements(clip, &[*ankle])[0];
            let low = places.iter_mut().zip(own).zip(&rises).filter(|(_, rise)| **rise != 0.0);
            low.for_each(|((place, own), _)| *place = place.or(Some(*own)));
        }
        Ok(place_ankles(&lowered, body, &ankles, Plane::Own, NAME)?.0)
    }
}

/// By frame: whether the body rests on other parts than feet. Without the roles of knees and wrists, nothing says so.
fn resting(clip: &Clip, body: &Body, motions: &[FootMotion]) -> Vec<bool> {
    let role = |role: Role| body.skeleton.with_role(role);
    let knees = [Role::LeftLowerLeg, Role::RightLowerLeg].map(role);
    let legs = [Role::LeftUpperLeg, Role::RightUpperLeg].map(role);
    let ([Some(left_knee), Some(right_knee)], [Some(left), Some(right)]) = (knees, legs) else {
        return vec![false; clip.frames()];
    };
    let contacts: Vec<_> = motions.iter().map(|motion| motion.contacts(&ContactOptions::default())).collect();
    let lowest = || motions.iter().flat_map(|foot| &foot.lowest).copied().fold(f64::INFINITY, f64::min);
    let floor = floor_of(motions, &contacts).unwrap_or_else(lowest);
    let leg = motions.iter().map(|foot| foot.leg).fold(0.0, f64::max);
    let places = placements(clip, &[left, right, left_knee, right_knee]);
    let hands = [Role::LeftHand, Role::RightHand]
        .map(|hand| role(hand).map(|joint| placements(clip, &[joint]).remove(0)));
    let ground = |frame: usize| motions.iter().map(|foot| foot.ground[frame]).fold(0.0, f64::max);
    let rests = |frame: usize| {
        let height = |place: &Isometry3<f64>| place.translation.vector.dot(&body.up) - floor - ground(frame);
        let [left, right, left_knee, right_knee] =
            [0, 1, 2, 3].map(|joint: usize| height(&places[joint][frame]));
        let hand = |places: &Option<Vec<Isometry3<f64>>>| {
            places.as_ref().map_or(f64::INFINITY, |places| height(&places[frame]))
        };
        let hips = (left + right) / 2.0;
        let heights =
            JointHeights { hips, knees: [left_knee, right_knee], hands: hands.each_ref().map(hand) };
        rests_off_feet(&heights, leg)
    };
    (0..clip.frames()).map(rests).collect()
}

/// The first joint above the hips that carries both arms, and its parent: the trunk leans there.
fn trunk(body: &Body) -> Option<(JointId, JointId)> {
    let skeleton = &body.skeleton;
    let arms = [Role::LeftUpperArm, Role::RightUpperArm].map(|role| skeleton.with_role(role));
    let [Some(left), Some(right)] = arms else { return None };
    let carries = |joint: JointId| {
        [left, right].into_iter().all(|arm| arm != joint && skeleton.is_in_subtree(arm, joint))
            && body.feet.iter().all(|foot| !skeleton.is_in_subtree(foot.ankle, joint))
    };
    let (joint, _) = skeleton.iter().find(|(id, _)| carries(*id))?;
    Some((joint, skeleton.joint(joint).parent?))
}

/// The height of the lower foot above its contact height, by frame \[m\].
fn clearances(motions: &[FootMotion], metres: f64) -> Vec<f64> {
    let frames = motions.first().map_or(0, |foot| foot.lowest.len());
    let least = |foot: &FootMotion| foot.lowest.iter().copied().fold(f64::INFINITY, f64::min);
    let least: Vec<f64> = motions.iter().map(least).collect();
    let above = |frame: usize| {
        let heights = motions.iter().zip(&least).map(|(foot, least)| foot.lowest[frame] - least);
        heights.fold(f64::INFINITY, f64::min) * metres
    };
    (0..frames).map(above).collect()
}

/// The largest distance of the centre of mass outside the support polygon over frames that stood still on their feet
/// before \[m\] (negative inside), and its frame.
fn worst(before: &BodyBalance, now: &BodyBalance, rests: &[bool]) -> Option<(f64, usize)> {
    let outside = |frame: usize| -before.soles[frame].margin(&now.curves.centre[frame].xy());
    let still = (0..before.still.len()).filter(|frame| before.still[*frame] && !rests[*frame]);
    still.map(|frame| (outside(frame), frame)).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Compares two motions and their balance; frames stand still as in `planned_for`.
fn report(
    (clip, found): (&Clip, &BodyBalance),
    (balanced, now): (&Clip, &BodyBalance),
    body: &Body,
    planned_for: &BodyBalance,
    way: &Plan,
) -> EditReport {
    let mut report = EditReport::measured(NAME, clip, balanced);
    let (was, is) = (worst(found, found, &way.rests), worst(planned_for, now, &way.rests));
    let fall = |of: &BodyBalance| off_free_fall(&of.centre, &way.flights, of.fps);
    let hips = [clip, balanced].map(|clip| placements(clip, &[body.hips]).remove(0));
    let moved =
        hips[0].iter().zip(&hips[1]).map(|(a, b)| (a.translation.vector - b.translation.vector).norm());
    let share = |frames: usize| 100.0 * frames as f64 / clip.frames().max(1) as f64;
    let still = found.still.iter().zip(&way.rests).filter(|(still, rests)| **still && !**rests).count();
    let resting = way.rests.iter().filter(|rests| **rests).count();
    let flying: usize = way.flights.iter().map(Range::len).sum();
    report = report
        .figure("balance-margin", is.map(|(outside, _)| outside.max(0.0)), "m")
        .figure("off-fall", fall(now), "")
        .figure("hips-moved", moved.fold(0.0, f64::max) * way.metres, "m");
    let inside = |worst: Option<(f64, usize)>| worst.map_or(0.0, |(outside, _)| -outside * 1000.0);
    report = match is {
        Some(_) => report.note(format!(
            "still {:.0} % of frames, centre of mass at least {:.0} mm inside the soles, before {:.0} mm",
            share(still),
            inside(is),
            inside(was)
        )),
        None => report.note("no frame stands still on both feet"),
    };
    if resting > 0 {
        report = report.note(format!("not repaired: {resting} frames rest on other parts than feet"));
    }
    if let (Some(before), Some(after)) = (fall(found), fall(now)) {
        report = report.note(format!(
            "flight {:.0} % of frames, {:.1} % off free fall, before {:.1} %",
            share(flying),
            after * 100.0,
            before * 100.0
        ));
        if after > OFF_FALL {
            let message = format!(
                "flights stay {:.0} % off free fall: feet have no room above the floor for a deeper fall",
                after * 100.0
            );
            report.warn("edit::flight", message);
        }
    }
    if way.left > 0 {
        let message = format!(
            "flights whose acceleration is {:.0} % or more off free fall are left as they are: {}; is the rate of {} frames per second right, and the unit?",
            NO_FLIGHT * 100.0,
            way.left,
            found.fps
        );
        report.warn("edit::flight", message);
    }
    if let Some((outside, frame)) = is.filter(|(outside, _)| *outside > OUTSIDE) {
        let message = format!(
            "the centre of mass stays {:.0} mm outside the soles in frame {frame}, where the body stands still: it would have to go further than a body that stands can; something else may carry it",
            outside * 1000.0
        );
        report.warn("edit::balance", message);
    }
    report.warn_of_skate();
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    /// A body that stands and waves, its trunk bent back by an angle.
    fn bent_back(angle: f64) -> Clip {
        let wave = clip("alex_wave.bvh");
        let body = Body::of(&wave);
        let (trunk, _) = trunk(&body).unwrap();
        let mut samples = Samples::of(&wave);
        let lean = UnitQuaternion::from_scaled_axis(body.lateral * -angle);
        samples.rotations[trunk.index()].iter_mut().for_each(|rotation| *rotation = lean * *rotation);
        samples.into_clip("test").unwrap()
    }

    fn margin(clip: &Clip) -> f64 {
        measured(clip, &Body::of(clip)).unwrap().summary().margin.unwrap()
    }

    fn largest_change(a: &Clip, b: &Clip, joints: &[JointId]) -> f64 {
        let places = [a, b].map(|clip| placements(clip, joints));
        let pairs = places[0].iter().flatten().zip(places[1].iter().flatten());
        pairs.map(|(a, b)| (a.translation.vector - b.translation.vector).norm()).fold(0.0, f64::max)
    }

    #[test]
    fn who_falls_back_is_brought_over_the_soles_and_feet_stay() {
        let bent = bent_back(0.9);
        assert!(margin(&bent) < -0.01, "{}", margin(&bent));
        let (balanced, report) = balance(&bent).unwrap();
        assert!(margin(&balanced) > 0.01, "{} {report}", margin(&balanced));
        let feet: Vec<JointId> = Body::of(&bent).feet.iter().flat_map(|foot| foot.points.clone()).collect();
        assert!(largest_change(&bent, &balanced, &feet) < 1e-5);
        assert!(report.warnings.is_empty(), "{report}");
    }

    #[test]
    fn who_stands_stays_to_the_bit() {
        let wave = clip("alex_wave.bvh");
        assert!(margin(&wave) > 0.02, "{}", margin(&wave));
        assert_eq!(balance(&wave).unwrap().0, wave);
    }

    #[test]
    fn who_lies_stays_to_the_bit_and_the_report_says_so() {
        let wave = clip("alex_wave.bvh");
        let turn = Isometry3::rotation(Body::of(&wave).lateral * -std::f64::consts::FRAC_PI_2);
        let lies = crate::root::place_roots(&wave, "test", |_| turn).unwrap();
        let (balanced, report) = balance(&lies).unwrap();
        assert_eq!(balanced, lies);
        let said = format!("not repaired: {} frames rest on other parts than feet", wave.frames());
        assert!(report.to_string().contains(&said), "{report}");
    }

    #[test]
    fn balance_turns_and_grows_with_the_body() {
        let bent = bent_back(0.9);
        let hips = [Body::of(&bent).hips];
        let balanced = balance(&bent).unwrap().0;
        let turned = |clip: &Clip| {
            let turn = Isometry3::rotation(Body::of(clip).up * 1.3);
            crate::root::place_roots(clip, "test", |_| turn).unwrap()
        };
        let both = [balance(&turned(&bent)).unwrap().0, turned(&balanced)];
        assert!(largest_change(&both[0], &both[1], &hips) < 1e-4);
        let metres = Body::of(&bent).metres.unwrap();
        let mirrored = |clip: &Clip| crate::mirror(clip).unwrap().0;
        let both = [balance(&mirrored(&bent)).unwrap().0, mirrored(&balanced)];
        assert!(largest_change(&both[0], &both[1], &hips) * metres < 2e-3);
    }

    #[test]
    fn a_jump_falls_freely() {
        let jump = clip("alex_jump.bvh");
        let off = |clip: &Clip| measured(clip, &Body::of(clip)).unwrap().summary().off_fall;
        let (balanced, report) = balance(&jump).unwrap();
        assert!(off(&jump).unwrap() > 0.05, "{:?}", off(&jump));
        assert!(off(&balanced).unwrap() < 0.03, "{:?} {report}", off(&balanced));
    }

    #[test]
    fn flights_far_off_free_fall_are_left_and_the_reason_is_said() {
        let jump = clip("alex_jump.bvh");
        let rate = mocap_model::FrameRate::new(2.0 * jump.rate().fps()).unwrap();
        let (_, report) = balance(&jump.with_rate(rate)).unwrap();
        let said = |text: &str| report.warnings.iter().any(|warning| warning.message.contains(text));
        assert!(said("is 100 % or more off free fall"), "{report}");
    }

    #[test]
    fn bodies_without_known_masses_are_refused() {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let head = body.skeleton.with_role(Role::Head).unwrap();
        let skeleton = walk.skeleton().clone();
        let joints = skeleton.iter().map(|(id, joint)| {
            let name = if skeleton.is_in_subtree(id, head) {
                format!("extra{}", id.index())
            } else {
                joint.name.clone()
            };
            mocap_model::Joint { name, role: None, ..joint.clone() }
        });
        let named = mocap_model::Skeleton::new("body", *skeleton.space(), joints.collect()).unwrap();
        let headless = walk.with_skeleton(named.into()).unwrap();
        let error = balance(&headless).map(|(_, report)| report.to_string());
        assert_eq!(error.unwrap_err().code(), "edit::body");
    }
}
