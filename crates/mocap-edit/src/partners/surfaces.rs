//! The surfaces of two people: distances between contact points at which the surfaces touch, and distances between
//! people at which trunks do not interpenetrate.

use mocap_model::{Clip, ForwardKinematics, Pose, Vector3};
use mocap_retarget::{BodyBeside, BodyPart, PeopleMeter, PosedBeside, apart_along, nearest};
use std::cell::RefCell;
use std::ops::{Add, Mul, Sub};

use super::contact::{Contact, Line, Part, Person, side};
use super::goals::{Approach, Goals};
use crate::smoothing::gaussian;

/// Target distance of surfaces in contact \[m\].
const GAP: f64 = 0.002;
/// Rate at which surfaces are evaluated \[1/s\].
const KEYS: f64 = 30.0;
/// Number of frames of a contact that are evaluated to choose its direction.
const CHOSEN_BY: usize = 10;
/// Largest distance that is searched for touching surfaces, as a share of an arm's length.
const FAR: f64 = 0.9;
/// The cost of a direction in which surfaces do not meet \[m\].
const MISSED: f64 = 0.2;
/// Smoothing of the corrections over time \[s\].
const SMOOTH: f64 = 0.06;
/// Allowed penetration of the forearm by a hand in contact \[m\].
const DEEP: f64 = 0.005;
/// Largest gap between hands that is accepted to reduce this penetration \[m\].
const APART: f64 = 0.006;
/// Surfaces further apart than this are not corrected \[m\].
const SEEN: f64 = 0.25;
/// Penetration of a trunk by arms in contact, from which people are moved apart \[m\].
const ROOM: f64 = 0.002;
/// The same for forearms in each other, whose distance fields are coarser.
const IN_ARM: f64 = 0.008;
/// Number of candidate directions of a contact.
const DIRECTIONS: usize = 10;

/// Two bodies with surfaces, in metres.
pub(super) struct Bodies<'a> {
    pub besides: [&'a BodyBeside; 2],
    pub clips: &'a [Clip; 2],
    pub meter: RefCell<Option<PeopleMeter>>,
}

/// Both bodies in a frame.
pub(super) struct Placed<'a> {
    pub kinematics: [ForwardKinematics<'a>; 2],
    poses: [Pose; 2],
}

impl<'a> Placed<'a> {
    pub(super) fn new(clips: &'a [Clip; 2]) -> Placed<'a> {
        Placed {
            kinematics: clips.each_ref().map(ForwardKinematics::new),
            poses: [Pose::default(), Pose::default()],
        }
    }

    pub(super) fn place(&mut self, clips: &[Clip; 2], frame: usize) {
        self.kinematics.iter_mut().for_each(|one| one.place(frame));
        for (pose, (placed, clip)) in self.poses.iter_mut().zip(self.kinematics.iter().zip(clips)) {
            pose.joints.clear();
            pose.joints.extend(clip.skeleton().iter().map(|(joint, _)| *placed.at(joint)));
        }
    }

    pub(super) fn poses(&self) -> [&Pose; 2] {
        [&self.poses[0], &self.poses[1]]
    }
}

/// The surface parts that may be touched at a part of a contact; the first one along the direction counts.
fn surfaces_of(part: Part) -> Vec<BodyPart> {
    match part {
        Part::Hand(hand) => vec![BodyPart::Hand(side(hand))],
        Part::Line(Line::UpperArm(arm)) => vec![BodyPart::Arm(side(arm)), BodyPart::Core],
        Part::Line(Line::Trunk | Line::Thigh(_)) => vec![BodyPart::Core],
    }
}

/// The surface part of a part of a contact.
pub(super) fn surface_of(part: Part) -> BodyPart {
    match part {
        Part::Hand(hand) => BodyPart::Hand(side(hand)),
        Part::Line(Line::UpperArm(arm)) => BodyPart::Arm(side(arm)),
        Part::Line(Line::Trunk | Line::Thigh(_)) => BodyPart::Core,
    }
}

/// The distance from `from` along a direction at which the surfaces of a contact touch \[m\].
fn way(
    contact: &Contact,
    posed: &[PosedBeside<'_>; 2],
    from: &Vector3<f64>,
    direction: &Vector3<f64>,
    most: f64,
) -> Option<f64> {
    let [ours, theirs] = contact.parts.map(surfaces_of);
    let mut first: Option<f64> = None;
    for own in &ours {
        for other in &theirs {
            // The hand's surface points are tested against the distance field of the other part.
            let along = if contact.parts[0].is_hand() {
                apart_along((&posed[0], *own), (&posed[1], *other), from, direction, most, GAP)
            } else {
                let (back, towards) = (-from, -direction);
                apart_along((&posed[1], *other), (&posed[0], *own), &back, &towards, most, GAP)
            };
            first = first.into_iter().chain(along).reduce(f64::max);
        }
    }
    first
}

/// Candidate directions, from the second body to the first, along which a contact may open or close in a frame: that of
/// the source, out of and into the palms, between the bodies, across, up and down. They are relative to the bodies, so
/// that the result does not change if people are rotated, mirrored or exchanged.
fn directions(
    goals: &Goals<'_>,
    contact: usize,
    posed: &[PosedBeside<'_>; 2],
    placed: &[ForwardKinematics<'_>; 2],
    frame: usize,
) -> [Option<Vector3<f64>>; DIRECTIONS] {
    let parts = goals.contacts[contact].parts;
    let up = goals.people[0].body.up;
    let own = goals.wanted(contact, frame).try_normalize(0.01);
    let between = between(goals.people, placed);
    if !parts.iter().all(|part| part.is_hand()) {
        let mut all = [None; DIRECTIONS];
        all[0] = own.or(between);
        return all;
    }
    let thin = |i: usize| match parts[i] {
        Part::Hand(hand) => posed[i].thin(side(hand)),
        Part::Line(_) => None,
    };
    let across = between.map(|between| up.cross(&between));
    let back = |way: Option<Vector3<f64>>| way.map(|way| -way);
    [own, thin(0), back(thin(0)), thin(1), back(thin(1)), between, across, back(across), Some(up), Some(-up)]
}

/// The horizontal direction from the hips of the second to those of the first.
pub(super) fn between(people: &[Person; 2], placed: &[ForwardKinematics<'_>; 2]) -> Option<Vector3<f64>> {
    let [a, b] = [0, 1].map(|i| placed[i].position(people[i].body.hips));
    people[0].body.on_ground(&(a - b)).try_normalize(1e-6)
}

/// By contact: the additional distance between its points that makes the surfaces touch.
pub(super) fn beyond(goals: &Goals<'_>, bodies: &Bodies<'_>) -> Vec<Approach> {
    (0..goals.contacts.len()).map(|contact| of_contact(goals, contact, bodies)).collect()
}

fn of_contact(goals: &Goals<'_>, at: usize, bodies: &Bodies<'_>) -> Approach {
    let contact = &goals.contacts[at];
    let frames = bodies.clips[0].frames();
    if contact.thing {
        return Approach { directions: vec![Vector3::zeros(); frames], ways: vec![0.0; frames] };
    }
    let arm = goals.people.iter().filter_map(Person::arm_length).fold(0.0, f64::max);
    let most = FAR * arm;
    let mut placed = Placed::new(bodies.clips);
    let mut look =
        |frame: usize, which: &dyn Fn(usize) -> bool| -> [Option<(Vector3<f64>, f64)>; DIRECTIONS] {
            placed.place(bodies.clips, frame);
            let poses = placed.poses();
            let posed = [bodies.besides[0].posed(poses[0]), bodies.besides[1].posed(poses[1])];
            let [Some(a), Some(b)] = posed else { return [None; DIRECTIONS] };
            let posed = [a, b];
            let [one, other] = contact.places(goals.people, &placed.kinematics, frame);
            let wanted = goals.wanted(at, frame);
            let ways = directions(goals, at, &posed, &placed.kinematics, frame);
            std::array::from_fn(|i| {
                let direction = ways[i].filter(|_| which(i))?;
                let from = goals.beside(wanted, &direction) - (one - other);
                Some((direction, way(contact, &posed, &from, &direction, most)?))
            })
        };
    // Chooses the direction in which surfaces are nearest over the whole contact.
    let step = contact.frames.len().div_ceil(CHOSEN_BY).max(1);
    let mut costs = [0.0; DIRECTIONS];
    for frame in contact.frames.clone().step_by(step) {
        let found = look(frame, &|_| true);
        costs.iter_mut().zip(found).for_each(|(cost, found)| {
            let way = found.map_or(MISSED, |(_, way)| way);
            *cost += way * way;
        });
    }
    let best = (0..DIRECTIONS).fold(0, |best, next| if costs[next] < costs[best] { next } else { best });
    let (mut directions, mut ways) = (Vec::new(), Vec::new());
    for frame in keys(contact, bodies.clips) {
        if let Some((direction, way)) = look(frame, &|i| i == best)[best] {
            directions.push((frame, direction));
            ways.push((frame, way));
        }
    }
    let sigma = SMOOTH * bodies.clips[0].rate().fps();
    let directions = gaussian(&through(&directions, frames, Vector3::zeros()), sigma);
    let directions = directions.iter().map(|way| way.try_normalize(1e-6).unwrap_or_default()).collect();
    Approach { directions, ways: gaussian(&through(&ways, frames, 0.0), sigma) }
}

/// The step between frames to sample at a rate: it samples the same times at any frame rate.
pub(super) fn stride(clip: &Clip, rate: f64) -> usize {
    (clip.rate().fps() / rate).round().max(1.0) as usize
}

/// The frames of a contact in which surfaces are evaluated.
fn keys(contact: &Contact, clips: &[Clip; 2]) -> Vec<usize> {
    let stride = stride(&clips[0], KEYS);
    let last = contact.frames.end - 1;
    let mut keys: Vec<usize> = contact.frames.clone().step_by(stride).collect();
    keys.extend((keys.last() != Some(&last)).then_some(last));
    keys
}

/// Corrects the distances of contacts by the gaps or penetrations between the meshes of a result. Returns the largest
/// correction \[m\].
pub(super) fn corrected(
    goals: &mut Goals<'_>,
    meter: &mut PeopleMeter,
    clips: &[Clip; 2],
    smoothed: bool,
) -> f64 {
    let mut placed = Placed::new(clips);
    let mut largest = 0.0f64;
    let each = goals.contacts.iter().zip(&mut goals.beyond);
    for (contact, approach) in each.filter(|(contact, _)| !contact.thing) {
        let mut known: Vec<(usize, f64)> = Vec::new();
        for frame in keys(contact, clips) {
            placed.place(clips, frame);
            let parts = contact.parts.map(surfaces_of);
            let mut gap: Option<f64> = None;
            for own in &parts[0] {
                for other in &parts[1] {
                    let found = meter.gap([*own, *other], placed.poses(), SEEN);
                    gap = gap.into_iter().chain(found).reduce(f64::min);
                }
            }
            // Without a gap, the surfaces are too far apart for a correction.
            let Some(gap) = gap else { continue };
            let mut more = GAP - gap;
            if let [Part::Hand(one), Part::Hand(other)] = contact.parts {
                let [one, other] = [side(one), side(other)];
                let pairs = [
                    [BodyPart::Hand(one), BodyPart::Arm(other)],
                    [BodyPart::Arm(one), BodyPart::Hand(other)],
                ];
                let in_arm = pairs.iter().filter_map(|pair| meter.gap(*pair, placed.poses(), APART));
                let in_arm = in_arm.reduce(f64::min).map_or(more, |gap| -DEEP - gap);
                more = more.max(in_arm.min(APART - gap));
            }
            known.push((frame, more.clamp(-SEEN, SEEN)));
        }
        largest = known.iter().map(|(_, more)| more.abs()).fold(largest, f64::max);
        let more = through(&known, clips[0].frames(), 0.0);
        let sigma = if smoothed { SMOOTH / 2.0 * clips[0].rate().fps() } else { 0.0 };
        let more = gaussian(&more, sigma);
        approach.ways.iter_mut().zip(more).for_each(|(way, more)| *way += more);
    }
    largest
}

/// Linear interpolation of known values, constant beyond them; `none` without any.
pub(super) fn through<T>(known: &[(usize, T)], frames: usize, none: T) -> Vec<T>
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    let mut next = 0;
    let at = |frame: usize| {
        while next < known.len() && known[next].0 < frame {
            next += 1;
        }
        match (next.checked_sub(1).map(|before| known[before]), known.get(next)) {
            (_, Some((place, value))) if *place == frame => *value,
            (Some((from, a)), Some((to, b))) => a + (*b - a) * ((frame - from) as f64 / (to - from) as f64),
            (Some((_, value)), None) => value,
            (None, Some((_, value))) => *value,
            (None, None) => none,
        }
    };
    (0..frames).map(at).collect()
}

/// For each frame: its index, the horizontal direction from the second to the first, and the distance to add to `ways`
/// so that trunks just touch; negative if they are further apart.
pub(super) fn needed(
    bodies: &Bodies<'_>,
    people: &[Person; 2],
    ways: &[Vector3<f64>],
    frames: impl Iterator<Item = usize>,
) -> Vec<(usize, Vector3<f64>, f64)> {
    let tall = bodies.besides.iter().map(|beside| beside.height()).fold(0.0, f64::max);
    let mut placed = Placed::new(bodies.clips);
    let mut found = Vec::new();
    for frame in frames {
        placed.place(bodies.clips, frame);
        let [a, b] = [0, 1].map(|i| placed.kinematics[i].position(people[i].body.hips));
        let apart = people[0].body.on_ground(&(a + ways[frame] - b));
        if apart.norm() > tall {
            continue;
        }
        let Some(direction) = apart.try_normalize(1e-6) else { continue };
        let poses = placed.poses();
        let posed = [bodies.besides[0].posed(poses[0]), bodies.besides[1].posed(poses[1])];
        let [Some(a), Some(b)] = posed else { continue };
        let (first, second) = ((&a, BodyPart::Core), (&b, BodyPart::Core));
        if let Some(way) = apart_along(first, second, &ways[frame], &direction, tall, 0.0) {
            found.push((frame, direction, way));
        }
    }
    found
}

/// Whether the arms of one can reach the other in any frame.
pub(super) fn is_near(bodies: &Bodies<'_>, people: &[Person; 2]) -> bool {
    let tall = bodies.besides.iter().map(|beside| beside.height()).sum::<f64>() / 2.0;
    let mut placed = bodies.clips.each_ref().map(ForwardKinematics::new);
    (0..bodies.clips[0].frames()).any(|frame| {
        placed.iter_mut().for_each(|one| one.place(frame));
        let [a, b] = [0, 1].map(|i| placed[i].position(people[i].body.hips));
        people[0].body.on_ground(&(a - b)).norm() < tall
    })
}

/// The largest penetration of the other's trunk or forearm by arms in contact, and the shift of people apart that would
/// resolve it; `None` if there is none.
pub(super) fn room_for_arms(
    goals: &Goals<'_>,
    bodies: &Bodies<'_>,
    clips: &[Clip; 2],
) -> Option<(f64, Vector3<f64>)> {
    let mut placed = Placed::new(clips);
    let mut worst: Option<(f64, Vector3<f64>)> = None;
    let stride = stride(&clips[0], KEYS / 2.0);
    for contact in goals.contacts.iter().filter(|contact| !contact.thing) {
        let [Part::Hand(one), Part::Hand(other)] = contact.parts else { continue };
        for frame in contact.frames.clone().step_by(stride) {
            placed.place(clips, frame);
            let poses = placed.poses();
            let posed = [bodies.besides[0].posed(poses[0]), bodies.besides[1].posed(poses[1])];
            let ([Some(a), Some(b)], Some(direction)) = (posed, between(goals.people, &placed.kinematics))
            else {
                continue;
            };
            let arms = [(&a, BodyPart::Arm(side(one))), (&b, BodyPart::Arm(side(other)))];
            let cores = [(&a, BodyPart::Core), (&b, BodyPart::Core)];
            let in_core = -nearest(arms[0], cores[1]).min(nearest(arms[1], cores[0]));
            let in_arm = -nearest(arms[0], arms[1]).min(nearest(arms[1], arms[0]));
            // Moving people apart by a distance moves the elbows of arms in contact apart by about half of it.
            for (depth, least, times) in [(in_core, ROOM, 2.0), (in_arm, IN_ARM, 3.0)] {
                if depth > least && worst.is_none_or(|(most, _)| depth > most) {
                    worst = Some((depth, direction * (times * depth)));
                }
            }
        }
    }
    worst
}
