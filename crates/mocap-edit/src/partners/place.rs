//! Where two people stand to each other, and where their hands meet.

use mocap_model::{Clip, ForwardKinematics, Isometry3, Vector3};

use super::contact::{Arm, Contact, Part, Person};
use crate::EditError;
use crate::body::Body;
use crate::carrier::Carrier;
use crate::samples::Samples;
use crate::smoothing::gaussian;

/// Arms are stretched to this share of their length at most to reach, unless they are already.
const REACH: f64 = 0.985;
/// People stay at one distance where arms make up for a difference of this share of an arm.
const BY_ARMS: f64 = 0.3;
/// Where they must move to each other in time, they do so smoothly \[s\].
const SMOOTH: f64 = 0.4;
/// Rounds of drawing a meeting place to where both reach.
const ROUNDS: usize = 60;
/// Rounds of drawing people together until all contacts are within reach.
const DRAWN: usize = 12;

/// Contacts of two bodies, and how their distances scale.
pub(super) struct Goals<'a> {
    pub contacts: &'a [Contact],
    pub scale: f64,
    pub people: &'a [Person; 2],
}

impl Goals<'_> {
    /// The vector that is to be between the points of a contact.
    fn wanted(&self, contact: &Contact, frame: usize) -> Vector3<f64> {
        contact.offsets[frame] * self.scale
    }

    fn points(&self, contact: &Contact, placed: &[ForwardKinematics<'_>; 2]) -> [Vector3<f64>; 2] {
        [0, 1].map(|i| self.people[i].point(&placed[i], contact.parts[i], contact.points[i]))
    }

    /// By contact and frame in contact: how far its points are from where they are to be \[m\].
    pub(super) fn errors(&self, clips: &[Clip; 2]) -> Vec<f64> {
        let mut placed = clips.each_ref().map(ForwardKinematics::new);
        let mut errors = Vec::new();
        for frame in 0..clips[0].frames() {
            let touching = || self.contacts.iter().filter(|contact| contact.frames.contains(&frame));
            if touching().next().is_none() {
                continue;
            }
            placed.iter_mut().for_each(|one| one.place(frame));
            for contact in touching() {
                let [a, b] = self.points(contact, &placed);
                errors.push((a - b - self.wanted(contact, frame)).norm());
            }
        }
        errors
    }
}

/// A contact in a frame: what is missing between its points, and from where the arms of both reach how far.
struct Seen {
    frame: usize,
    missing: Vector3<f64>,
    /// From the shoulder (of a trunk: the point) of the second to that of the first, less what is to be between them.
    between: Vector3<f64>,
    reach: f64,
}

/// Where an arm hangs, moved as the hand is to the point of its contact, and how far it reaches.
fn base(person: &Person, contact: (&Part, usize), placed: &ForwardKinematics<'_>) -> (Vector3<f64>, f64) {
    let point = person.point(placed, *contact.0, contact.1);
    match contact.0 {
        Part::Trunk(_) => (point, 0.0),
        Part::Hand(side) => {
            let Arm { shoulder, wrist, length, .. } = person.arms[*side].expect("parts are there");
            let to_point = point - placed.position(wrist);
            (placed.position(shoulder) + to_point, length * REACH)
        }
    }
}

/// By frame: how far the first person is to move along the ground in relation to the second \[m\].
pub(super) fn placed(goals: &Goals<'_>, clips: &[Clip; 2]) -> Vec<Vector3<f64>> {
    let up = goals.people[0].body.up;
    let frames = clips[0].frames();
    let mut kinematics = clips.each_ref().map(ForwardKinematics::new);
    let mut seen: Vec<Seen> = Vec::new();
    for frame in 0..frames {
        let touching = || goals.contacts.iter().filter(|contact| contact.frames.contains(&frame));
        if touching().next().is_none() {
            continue;
        }
        kinematics.iter_mut().for_each(|one| one.place(frame));
        for contact in touching() {
            let wanted = goals.wanted(contact, frame);
            let [a, b] = goals.points(contact, &kinematics);
            let bases = [0, 1]
                .map(|i| base(&goals.people[i], (&contact.parts[i], contact.points[i]), &kinematics[i]));
            let missing = wanted - (a - b);
            let between = bases[0].0 - bases[1].0 - wanted;
            seen.push(Seen { frame, missing, between, reach: bases[0].1 + bases[1].1 });
        }
    }
    let level = |way: Vector3<f64>| way - up * way.dot(&up);
    let mean = level(seen.iter().map(|one| one.missing).sum::<Vector3<f64>>() / seen.len().max(1) as f64);
    let arm = goals.people.iter().filter_map(Person::arm_length).fold(f64::INFINITY, f64::min);
    let most = seen.iter().map(|one| (level(one.missing) - mean).norm()).fold(0.0, f64::max);
    let mut ways = match most <= BY_ARMS * arm {
        true => vec![mean; frames],
        false => over_time(&seen, frames, clips[0].rate().fps(), level),
    };
    // Nearer together until arms reach.
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

/// What is missing in each frame in contact, between contacts in a straight line, smoothed.
fn over_time(
    seen: &[Seen],
    frames: usize,
    fps: f64,
    level: impl Fn(Vector3<f64>) -> Vector3<f64>,
) -> Vec<Vector3<f64>> {
    let mut known: Vec<(usize, Vector3<f64>)> = Vec::new();
    let mut at = 0;
    while at < seen.len() {
        let frame = seen[at].frame;
        let together: Vec<Vector3<f64>> =
            seen[at..].iter().take_while(|one| one.frame == frame).map(|one| level(one.missing)).collect();
        known.push((frame, together.iter().sum::<Vector3<f64>>() / together.len() as f64));
        at += together.len();
    }
    let mut ways = Vec::with_capacity(frames);
    let mut next = 0;
    for frame in 0..frames {
        while next < known.len() && known[next].0 < frame {
            next += 1;
        }
        ways.push(match (next.checked_sub(1).map(|before| known[before]), known.get(next)) {
            (_, Some((place, way))) if *place == frame => *way,
            (Some((from, a)), Some((to, b))) => {
                let share = (frame - from) as f64 / (to - from) as f64;
                a + (b - a) * share
            }
            (Some((_, way)), None) => way,
            (None, Some((_, way))) => *way,
            (None, None) => Vector3::zeros(),
        });
    }
    gaussian(&ways, SMOOTH * fps)
}

/// A body moved by a way in each frame.
pub(super) fn shifted(clip: &Clip, body: &Body, ways: &[Vector3<f64>]) -> Result<Clip, EditError> {
    let (mut samples, carrier) = (Samples::of(clip), Carrier::of(clip, body));
    for (frame, way) in ways.iter().enumerate() {
        let mut place = carrier.at(&samples, frame);
        place.translation.vector += way;
        carrier.put(&mut samples, frame, &place);
    }
    samples.into_clip(super::NAME)
}

/// A wrist and how much it is asked for.
type Asked = Vec<Option<Isometry3<f64>>>;

/// By person, arm and frame: where the wrist is to be.
pub(super) fn meet(goals: &Goals<'_>, clips: &[Clip; 2], fade: usize) -> [[Asked; 2]; 2] {
    let frames = clips[0].frames();
    let mut asked: [[Asked; 2]; 2] =
        [[vec![None; frames], vec![None; frames]], [vec![None; frames], vec![None; frames]]];
    let mut kinematics = clips.each_ref().map(ForwardKinematics::new);
    for frame in 0..frames {
        let weights: Vec<f64> = goals.contacts.iter().map(|contact| weight(contact, frame, fade)).collect();
        if weights.iter().all(|weight| *weight == 0.0) {
            continue;
        }
        kinematics.iter_mut().for_each(|one| one.place(frame));
        // By person and arm: ways of the hand, their weights, and the largest weight.
        let mut sums = [[(Vector3::zeros(), 0.0f64, 0.0f64); 2]; 2];
        for (contact, weight) in goals.contacts.iter().zip(weights).filter(|(_, weight)| *weight > 0.0) {
            let ways = meeting(goals, contact, &kinematics, frame);
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
                let Some(arm) = goals.people[i].arms[side].filter(|_| total > 0.0) else { continue };
                let mut place = *kinematics[i].at(arm.wrist);
                place.translation.vector += sum / total * most;
                asked[i][side][frame] = Some(place);
            }
        }
    }
    asked
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
    left * left * (3.0 - 2.0 * left)
}

/// How far the points of both are to move: half of the way each, or more of it by who reaches further.
fn meeting(
    goals: &Goals<'_>,
    contact: &Contact,
    kinematics: &[ForwardKinematics<'_>; 2],
    frame: usize,
) -> [Vector3<f64>; 2] {
    let half = goals.wanted(contact, frame) / 2.0;
    let points = goals.points(contact, kinematics);
    let halves = [half, -half];
    let bases =
        [0, 1].map(|i| base(&goals.people[i], (&contact.parts[i], contact.points[i]), &kinematics[i]));
    let is_hand = |i: usize| matches!(contact.parts[i], Part::Hand(_));
    // An arm that is stretched already reaches as far as it does.
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
