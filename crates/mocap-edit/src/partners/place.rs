//! Relative placement of two people, and targets for their hands.

use mocap_model::{Clip, ForwardKinematics, Isometry3, Vector3};

use super::contact::{Arm, Contact, Part, Person};
use super::goals::Goals;
use super::shift::{Wanted, is_constant, smoothest};
use super::surfaces::{Bodies, needed, stride, through};
use crate::smoothing::{lower_envelope, smooth_step};

/// Arms are stretched to at most this share of their length, unless they already are.
const REACH: f64 = 0.985;
/// Arms make up for this share of their length, so that the shift changes as little as possible over time.
const BY_ARMS: f64 = 0.3;
/// Penetration depth from which trunks are moved apart \[m\].
const INSIDE: f64 = 0.002;
/// Rate at which trunks are checked \[1/s\].
const LOOKED: f64 = 15.0;
/// People are moved apart by a constant distance if it is at most this \[m\] ...
const TOGETHER: f64 = 0.2;
/// ... else around the penetration, for this time to both sides \[s\], or longer ...
const AHEAD: f64 = 0.5;
/// ... such that they do not move apart faster than this \[m/s\].
const SLOWLY: f64 = 0.15;
/// Most rounds of moving trunks apart where the distance changes.
const ROUNDS_APART: usize = 3;
/// Targets of hands fade over this time before and after a contact \[s\].
const FADE: f64 = 0.3;
/// Hands that are moved far fade longer, so that this adds at most this speed \[m/s\].
const FASTEST: f64 = 1.0;
/// The longest fade \[s\].
const LONGEST: f64 = 1.2;
/// Most iterations to bring a common point into the reach of both.
const ROUNDS: usize = 60;
/// Most iterations to bring all contacts into reach by shifting people.
const DRAWN: usize = 12;

/// A contact in a frame: the error of the offset between its points, and the bases and reach of both arms.
struct ContactReach {
    frame: usize,
    missing: Vector3<f64>,
    /// From the shoulder (for a line: the point) of the second to that of the first, minus the target offset.
    between: Vector3<f64>,
    reach: f64,
}

/// The shoulder of an arm, shifted by the vector from the wrist to the contact point, and the reach of the arm; for a
/// line, the point itself and 0.
fn base(
    person: &Person,
    part: Part,
    point: &Vector3<f64>,
    placed: &ForwardKinematics<'_>,
) -> (Vector3<f64>, f64) {
    let arm = match part {
        Part::Hand(side) => person.arms[side].as_ref(),
        Part::Line(_) => None,
    };
    let Some(Arm { shoulder, wrist, length, .. }) = arm else { return (*point, 0.0) };
    (placed.position(*shoulder) + point - placed.position(*wrist), length * REACH)
}

/// By frame: the shift of the first person along the ground relative to the second \[m\].
pub(super) fn placed(goals: &Goals<'_>, clips: &[Clip; 2]) -> Vec<Vector3<f64>> {
    let up = goals.people[0].body.up;
    let frames = clips[0].frames();
    let mut kinematics = clips.each_ref().map(ForwardKinematics::new);
    let mut seen: Vec<ContactReach> = Vec::new();
    for frame in 0..frames {
        if goals.touching(frame).next().is_none() {
            continue;
        }
        kinematics.iter_mut().for_each(|one| one.place(frame));
        for at in goals.touching(frame) {
            let (contact, wanted) = (&goals.contacts[at], goals.wanted(at, frame));
            let places = contact.places(goals.people, &kinematics, frame);
            let bases = [0, 1].map(|i| base(&goals.people[i], contact.parts[i], &places[i], &kinematics[i]));
            let missing = wanted - (places[0] - places[1]);
            let between = bases[0].0 - bases[1].0 - wanted;
            seen.push(ContactReach { frame, missing, between, reach: bases[0].1 + bases[1].1 });
        }
    }
    let level = |way: Vector3<f64>| way - up * way.dot(&up);
    let arm = goals.people.iter().filter_map(Person::arm_length).fold(f64::INFINITY, f64::min);
    let wanted =
        |one: &ContactReach| Wanted { frame: one.frame, shift: level(one.missing), within: BY_ARMS * arm };
    let wanted: Vec<Wanted> = seen.iter().map(wanted).collect();
    let mut ways = smoothest(&wanted, frames, clips[0].rate().fps());
    // Shifts people together until arms reach.
    for _ in 0..DRAWN {
        let mut furthest: Option<(f64, Vector3<f64>)> = None;
        for one in &seen {
            let way = one.between + ways[one.frame];
            let (height, flat) = (way.dot(&up), level(way));
            let room = (one.reach * one.reach - height * height).max(0.0).sqrt();
            let over = flat.norm() - room;
            if over > 1e-6 && furthest.is_none_or(|(most, _)| over > most) {
                furthest = flat.try_normalize(1e-12).map(|along| (over, -along * over));
            }
        }
        let Some((_, draw)) = furthest else { break };
        ways.iter_mut().for_each(|way| *way += draw);
    }
    ways
}

/// The shifts, enlarged so that trunks do not interpenetrate: by a constant distance if that is small, so that feet
/// stay planted, else by a distance that varies over time.
pub(super) fn separated(
    people: &[Person; 2],
    bodies: &Bodies<'_>,
    mut ways: Vec<Vector3<f64>>,
) -> Vec<Vector3<f64>> {
    let (frames, fps) = (ways.len(), bodies.clips[0].rate().fps());
    let stride = stride(&bodies.clips[0], LOOKED);
    let keys = || (0..frames).step_by(stride);
    let first = needed(bodies, people, &ways, keys());
    let is_inside = |found: &[(usize, Vector3<f64>, f64)]| found.iter().any(|(.., way)| *way > INSIDE);
    if !is_inside(&first) {
        return ways;
    }
    let worst = |found: &[(usize, Vector3<f64>, f64)]| {
        let worst = found.iter().reduce(|worst, next| if next.2 > worst.2 { next } else { worst });
        worst.map(|(_, direction, way)| direction * *way)
    };
    let (mut found, mut more) = (first.clone(), Vector3::zeros());
    for _ in 0..if is_constant(&ways) { DRAWN } else { 0 } {
        let Some(way) = worst(&found) else { break };
        more += way;
        let all: Vec<Vector3<f64>> = ways.iter().map(|way| way + more).collect();
        found = needed(bodies, people, &all, keys());
        if !is_inside(&found) && more.norm() < TOGETHER {
            return all;
        }
    }
    let mut found = first;
    for _ in 0..ROUNDS_APART {
        moved_apart(&mut ways, &found, fps, stride);
        found = needed(bodies, people, &ways, keys());
        if !is_inside(&found) {
            break;
        }
    }
    ways
}

/// Enlarges shifts by the distances that are needed in every `stride`-th frame, as slowly as they allow.
fn moved_apart(ways: &mut [Vector3<f64>], needed: &[(usize, Vector3<f64>, f64)], fps: f64, stride: usize) {
    let frames = ways.len();
    let most = needed.iter().map(|(.., way)| *way).fold(0.0, f64::max);
    let reach = (AHEAD.max(most / SLOWLY) * fps).ceil() as usize;
    let directions: Vec<(usize, Vector3<f64>)> = needed.iter().map(|(at, way, _)| (*at, *way)).collect();
    let directions = through(&directions, frames, Vector3::zeros());
    // In the order of frames.
    let at_key = |frame: usize| {
        let found = needed.binary_search_by_key(&frame, |(at, ..)| *at);
        found.map_or(0.0, |found| needed[found].2.max(0.0))
    };
    let known: Vec<(usize, f64)> = (0..frames).step_by(stride).map(|frame| (frame, -at_key(frame))).collect();
    let more = lower_envelope(&through(&known, frames, 0.0), reach);
    ways.iter_mut().zip(directions.iter().zip(more)).for_each(|(way, (direction, more))| {
        *way -= direction.try_normalize(1e-6).unwrap_or_default() * more;
    });
}

/// Targets of a wrist and their weights, by frame.
#[derive(Clone, Debug)]
pub(super) struct WristTargets {
    pub places: Vec<Option<Isometry3<f64>>>,
    pub weights: Vec<f64>,
}

/// How a contact comes and goes.
struct Fade {
    /// Over so many frames before and after it.
    frames: usize,
    /// How far the points of both move in its first frame and in its last one: from there the hands go back to their own
    /// motion. What would bring them together when they are far away is not looked at.
    ways: [[Vector3<f64>; 2]; 2],
}

/// By contact: hands that go far take longer.
fn fades(goals: &Goals<'_>, clips: &[Clip; 2]) -> Vec<Fade> {
    let mut kinematics = clips.each_ref().map(ForwardKinematics::new);
    let mut fades = Vec::with_capacity(goals.contacts.len());
    for (at, contact) in goals.contacts.iter().enumerate() {
        let ways = [contact.frames.start, contact.frames.end - 1].map(|frame| {
            kinematics.iter_mut().for_each(|one| one.place(frame));
            meeting(goals, at, goals.straight(at, frame), &kinematics, frame)
        });
        let hands = ways.iter().flat_map(|ways| ways.iter().zip(contact.parts));
        let far = hands.filter(|(_, part)| part.is_hand()).map(|(way, _)| way.norm()).fold(0.0, f64::max);
        // The largest slope of the weight is 1.5 times the mean.
        let seconds = (1.5 * far / FASTEST).clamp(FADE, LONGEST);
        fades.push(Fade { frames: (seconds * clips[0].rate().fps()).round() as usize, ways });
    }
    fades
}

/// By person and arm: the targets of the wrist.
pub(super) fn meet(goals: &Goals<'_>, clips: &[Clip; 2]) -> [[WristTargets; 2]; 2] {
    let frames = clips[0].frames();
    let fades = fades(goals, clips);
    let none = || WristTargets { places: vec![None; frames], weights: vec![0.0; frames] };
    let mut targets: [[WristTargets; 2]; 2] = [[none(), none()], [none(), none()]];
    let mut kinematics = clips.each_ref().map(ForwardKinematics::new);
    for frame in 0..frames {
        let each = goals.contacts.iter().zip(&fades);
        let weights: Vec<f64> = each.map(|(contact, fade)| weight(contact, frame, fade.frames)).collect();
        let aside = asides(goals, frame);
        if weights.iter().all(|weight| *weight == 0.0) && aside == [[Vector3::zeros(); 2]; 2] {
            continue;
        }
        kinematics.iter_mut().for_each(|one| one.place(frame));
        // By person and arm: ways of the hand, their weights, and the largest weight.
        let mut sums = [[(Vector3::zeros(), 0.0f64, 0.0f64); 2]; 2];
        for (at, weight) in weights.into_iter().enumerate().filter(|(_, weight)| *weight > 0.0) {
            let contact = &goals.contacts[at];
            let ways = match frame {
                _ if frame < contact.frames.start => fades[at].ways[0],
                _ if frame >= contact.frames.end => fades[at].ways[1],
                _ => meeting(goals, at, goals.wanted(at, frame), &kinematics, frame),
            };
            for i in 0..2 {
                if let Part::Hand(side) = contact.parts[i] {
                    let (sum, total, most) = &mut sums[i][side];
                    *sum += ways[i] * weight * weight;
                    *total += weight * weight;
                    *most = most.max(weight);
                }
            }
        }
        for i in 0..2 {
            for side in 0..2 {
                let (sum, total, most) = sums[i][side];
                let aside = aside[i][side];
                let moves = total > 0.0 || aside != Vector3::zeros();
                let Some(arm) = goals.people[i].arms[side].filter(|_| moves) else { continue };
                let mut place = *kinematics[i].at(arm.wrist);
                let way = if total > 0.0 { sum / total * most } else { Vector3::zeros() };
                place.translation.vector += way + aside;
                targets[i][side].places[frame] = Some(place);
                targets[i][side].weights[frame] = most;
            }
        }
    }
    targets
}

/// By person and arm: how far a hand goes aside in a frame outside of its contact.
fn asides(goals: &Goals<'_>, frame: usize) -> [[Vector3<f64>; 2]; 2] {
    let mut all = [[Vector3::zeros(); 2]; 2];
    for (at, contact) in goals.contacts.iter().enumerate() {
        if contact.frames.contains(&frame) {
            continue;
        }
        for (i, share) in [0.5, -0.5].into_iter().enumerate() {
            if let Part::Hand(side) = contact.parts[i] {
                all[i][side] += goals.aside_of(at, frame) * share;
            }
        }
    }
    all
}

/// 1 in contact, fading before and after.
fn weight(contact: &Contact, frame: usize, fade: usize) -> f64 {
    let away = if frame < contact.frames.start {
        contact.frames.start - frame
    } else {
        (frame + 1).saturating_sub(contact.frames.end)
    };
    if away > fade {
        return 0.0;
    }
    let left = 1.0 - away as f64 / (fade as f64 + 1.0);
    smooth_step(left)
}

/// The shifts of both points to a common target, where the first is by `offset` from the second: half each, or more by the
/// person with the longer reach.
fn meeting(
    goals: &Goals<'_>,
    at: usize,
    offset: Vector3<f64>,
    kinematics: &[ForwardKinematics<'_>; 2],
    frame: usize,
) -> [Vector3<f64>; 2] {
    let contact = &goals.contacts[at];
    let half = offset / 2.0;
    let points = contact.places(goals.people, kinematics, frame);
    let halves = [half, -half];
    let bases = [0, 1].map(|i| base(&goals.people[i], contact.parts[i], &points[i], &kinematics[i]));
    let is_hand = |i: usize| contact.parts[i].is_hand();
    // An arm that is stretched beyond the limit already keeps its reach.
    let reach =
        [0, 1].map(|i| bases[i].1.max(if is_hand(i) { (points[i] - bases[i].0).norm() } else { 0.0 }));
    let mut middle = match (is_hand(0), is_hand(1)) {
        (true, true) => (points[0] + points[1]) / 2.0,
        (true, false) => points[1] + half,
        _ => points[0] - half,
    };
    for _ in 0..ROUNDS {
        let within = |i: usize| {
            let to = middle + halves[i] - bases[i].0;
            let far = to.norm();
            if is_hand(i) && far > reach[i] { bases[i].0 + to * (reach[i] / far) - halves[i] } else { middle }
        };
        let next = match (is_hand(0), is_hand(1)) {
            (true, true) => (within(0) + within(1)) / 2.0,
            _ => middle,
        };
        if (next - middle).norm() < 1e-7 {
            break;
        }
        middle = next;
    }
    [0, 1].map(|i| middle + halves[i] - points[i])
}
