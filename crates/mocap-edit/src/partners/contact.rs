//! Detects contacts between two people: hands on hands, and hands on upper arms, trunk and thighs.
//!
//! A contact has the pair of points that is nearest over its whole duration: wrist or palm of a hand, and the nearest
//! point on the line along a bone, or from the hips to the neck.

use std::ops::Range;
use std::sync::Arc;

use mocap_analysis::runs;
use mocap_model::{Clip, ForwardKinematics, JointId, Role, Side, Skeleton, Vector3};

use crate::body::Body;

/// Hands are in contact within this share of an arm's length: 10 cm for an arm of 0.55 m.
const HANDS: f64 = 0.18;
/// The same for a hand and the line inside an upper arm, trunk or thigh: about half of the thickness of that part.
const UPPER_ARM: f64 = 0.17;
const TRUNK: f64 = 0.3;
const THIGH: f64 = 0.2;
/// Hysteresis: a contact ends beyond this multiple of that distance.
const LEAVES: f64 = 1.3;
/// The shortest contact \[s\]: less is passing by. Hands on hands may be shorter, as in clapping.
const SHORTEST: f64 = 0.1;
/// Interruptions shorter than this are ignored \[s\], because distances near the limit flicker.
const LET_GO: f64 = 0.08;
/// The largest relative speed of the points of a contact [arm lengths / s]: hands on hands in some frame, others over
/// at least [`SHORTEST`].
const SLOW: f64 = 1.0;
/// For this time before and after a contact with a hand \[s\], other parts that the hand passes are not contacts.
const ON_ITS_WAY: f64 = 0.3;
/// Bodies interpenetrate by far more than a touch if the lines through their trunks are within this share of an arm's
/// length: 10 cm for an arm of 0.55 m.
const TRUNKS: f64 = 0.18;
/// The same for a hand and the line through a trunk: 4 cm for an arm of 0.55 m.
const THROUGH: f64 = 0.08;
/// Distance from wrist to palm, as a share of the arm's length.
const PALM: f64 = 0.15;

/// A part of a body that may be in contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A hand: 0 left, 1 right.
    Hand(usize),
    /// A line inside of the body.
    Line(Line),
}

/// A line inside of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    UpperArm(usize),
    Trunk,
    Thigh(usize),
}

const LINES: [Line; 5] = [Line::UpperArm(0), Line::UpperArm(1), Line::Trunk, Line::Thigh(0), Line::Thigh(1)];

/// The side of an index of arms or legs.
pub(super) fn side(number: usize) -> Side {
    if number == 0 { Side::Left } else { Side::Right }
}

impl Part {
    pub(super) fn is_hand(self) -> bool {
        matches!(self, Part::Hand(_))
    }

    /// The distance within which it is in contact, as a share of an arm's length.
    fn near(self) -> f64 {
        match self {
            Part::Hand(_) => HANDS,
            Part::Line(Line::UpperArm(_)) => UPPER_ARM,
            Part::Line(Line::Trunk) => TRUNK,
            Part::Line(Line::Thigh(_)) => THIGH,
        }
    }
}

impl Part {
    /// Its name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Hand(0) => "LeftHand",
            Part::Hand(_) => "RightHand",
            Part::Line(Line::UpperArm(0)) => "LeftUpperArm",
            Part::Line(Line::UpperArm(_)) => "RightUpperArm",
            Part::Line(Line::Trunk) => "Trunk",
            Part::Line(Line::Thigh(0)) => "LeftUpperLeg",
            Part::Line(Line::Thigh(_)) => "RightUpperLeg",
        }
    }
}

impl Line {
    /// The joints at its ends.
    fn ends(self, skeleton: &Skeleton) -> Option<[JointId; 2]> {
        let joint = |role: Role| skeleton.with_role(role);
        match self {
            Line::UpperArm(0) => Some([joint(Role::LeftUpperArm)?, joint(Role::LeftLowerArm)?]),
            Line::UpperArm(_) => Some([joint(Role::RightUpperArm)?, joint(Role::RightLowerArm)?]),
            Line::Thigh(0) => Some([joint(Role::LeftUpperLeg)?, joint(Role::LeftLowerLeg)?]),
            Line::Thigh(_) => Some([joint(Role::RightUpperLeg)?, joint(Role::RightLowerLeg)?]),
            Line::Trunk => Some([joint(Role::Hips)?, joint(Role::Neck).or_else(|| joint(Role::Head))?]),
        }
    }
}

/// An arm from shoulder to wrist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub shoulder: JointId,
    pub elbow: JointId,
    pub wrist: JointId,
    /// The length of both bones \[m\].
    pub length: f64,
    /// The palm in the frame of the wrist.
    palm: Vector3<f64>,
}

/// A body with the parts that may be in contact. Its motion is in metres.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub body: Body,
    /// Left, right.
    pub arms: [Option<Arm>; 2],
}

impl Person {
    pub(super) fn of(clip: &Clip) -> Person {
        let body = Body::of(clip);
        let sides = [
            [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
            [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
        ];
        let arms = sides.map(|roles| arm(&body.skeleton, roles));
        Person { body, arms }
    }

    /// The mean length of its arms \[m\].
    pub(super) fn arm_length(&self) -> Option<f64> {
        let lengths: Vec<f64> = self.arms.iter().flatten().map(|arm| arm.length).collect();
        (!lengths.is_empty()).then(|| lengths.iter().sum::<f64>() / lengths.len() as f64)
    }

    fn has(&self, part: Part) -> bool {
        match part {
            Part::Hand(side) => self.arms[side].is_some(),
            Part::Line(line) => line.ends(&self.body.skeleton).is_some(),
        }
    }

    fn parts(&self) -> Vec<Part> {
        let all = [0, 1].map(Part::Hand).into_iter().chain(LINES.map(Part::Line));
        all.filter(|part| self.has(*part)).collect()
    }

    /// The number of candidate points of a part: wrist and palm, or one on the line.
    fn points(part: Part) -> usize {
        if part.is_hand() { 2 } else { 1 }
    }

    /// The position of the wrist or palm of a hand, or of a point on a line (from 0 to 1), in the placed frame.
    fn point(
        &self,
        kinematics: &ForwardKinematics<'_>,
        part: Part,
        point: usize,
        along: f64,
    ) -> Option<Vector3<f64>> {
        match part {
            Part::Line(line) => {
                let [from, to] = line.ends(&self.body.skeleton)?.map(|joint| kinematics.position(joint));
                Some(from + (to - from) * along)
            }
            Part::Hand(side) => {
                let arm = self.arms[side].as_ref()?;
                let wrist = kinematics.at(arm.wrist);
                Some(match point {
                    0 => wrist.translation.vector,
                    _ => (wrist * nalgebra::Point3::from(arm.palm)).coords,
                })
            }
        }
    }

    /// The vector from one end of a line to the other; zero for a hand.
    fn line(&self, kinematics: &ForwardKinematics<'_>, part: Part) -> Vector3<f64> {
        let Part::Line(line) = part else { return Vector3::zeros() };
        let ends = line.ends(&self.body.skeleton).map(|ends| ends.map(|joint| kinematics.position(joint)));
        ends.map_or_else(Vector3::zeros, |[from, to]| to - from)
    }

    /// The parameter of the point on a line nearest to a given point, from 0 to 1; 0 for a hand.
    fn along(&self, kinematics: &ForwardKinematics<'_>, part: Part, point: &Vector3<f64>) -> f64 {
        let Part::Line(line) = part else { return 0.0 };
        let Some(ends) = line.ends(&self.body.skeleton) else { return 0.0 };
        let [from, to] = ends.map(|joint| kinematics.position(joint));
        let way = to - from;
        ((point - from).dot(&way) / way.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }
}

fn arm(skeleton: &Skeleton, roles: [Role; 3]) -> Option<Arm> {
    let [shoulder, elbow, wrist] = roles.map(|role| skeleton.with_role(role));
    let (shoulder, elbow, wrist) = (shoulder?, elbow?, wrist?);
    let along = |from: JointId, to: JointId| -> Option<f64> {
        let path = skeleton.path(from, to)?;
        Some(path.iter().skip(1).map(|id| skeleton.joint(*id).offset.norm()).sum())
    };
    let length = along(shoulder, elbow)? + along(elbow, wrist)?;
    // In the direction of the centroid of all joints below the wrist.
    let mut rest = mocap_model::Pose::default();
    mocap_model::Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let at = |id: JointId| rest.joints[id.index()].translation.vector;
    let sum: Vector3<f64> = skeleton.subtree(wrist).into_iter().map(|id| at(id) - at(wrist)).sum();
    let forearm = at(wrist) - at(elbow);
    let hand = sum.try_normalize(1e-3 * length).or(forearm.try_normalize(0.0))?;
    let palm = rest.joints[wrist.index()].rotation.inverse() * hand * (PALM * length);
    (length > 0.0).then_some(Arm { shoulder, elbow, wrist, length, palm })
}

/// A contact of a part of the first person with one of the second.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub parts: [Part; 2],
    /// The indices of their points.
    pub(super) points: [usize; 2],
    pub frames: Range<usize>,
    pub(super) track: Arc<Track>,
    /// Whether the hands hold one thing, which keeps its size, and do not touch.
    pub thing: bool,
}

/// A pair of points over all frames of the motion.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    /// From the point of the second to that of the first \[m\].
    pub offsets: Vec<Vector3<f64>>,
    /// The parameters on the line of each, from 0 to 1.
    pub along: Vec<[f64; 2]>,
    /// The same as lengths from the start of the line \[m\].
    pub ways: Vec<[f64; 2]>,
}

impl Track {
    /// The relative speed of the points in a frame, including motion along lines: the slower of the steps before and
    /// after \[m/frame\].
    fn step(&self, frame: usize) -> f64 {
        let step = |from: usize, to: usize| {
            let (Some(a), Some(b)) = (self.offsets.get(from), self.offsets.get(to)) else {
                return f64::INFINITY;
            };
            let along: f64 = (0..2).map(|i| (self.ways[to][i] - self.ways[from][i]).powi(2)).sum();
            ((b - a).norm_squared() + along).sqrt()
        };
        let before = frame.checked_sub(1).map_or(f64::INFINITY, |before| step(before, frame));
        before.min(step(frame, frame + 1))
    }
}

impl Contact {
    /// The positions of its points in the placed frame, for people of any size.
    pub(super) fn places(
        &self,
        people: &[Person; 2],
        placed: &[ForwardKinematics<'_>; 2],
        frame: usize,
    ) -> [Vector3<f64>; 2] {
        let along = self.track.along[frame];
        [0, 1].map(|i| {
            let point = people[i].point(&placed[i], self.parts[i], self.points[i], along[i]);
            point.unwrap_or_default()
        })
    }

    /// The vector from the point of the second to that of the first in the source \[m\].
    pub(super) fn offset(&self, frame: usize) -> Vector3<f64> {
        self.track.offsets[frame]
    }

    /// Whether both bodies have its parts.
    pub(super) fn is_on(&self, bodies: &[Person; 2]) -> bool {
        (0..2).all(|i| bodies[i].has(self.parts[i]))
    }
}

/// The contacts of two people after a lead-in, and the least distance of any of their parts, as a share of an arm's
/// length.
pub(super) fn find(people: &[Person; 2], clips: [&Clip; 2], lead_in: usize) -> (Vec<Contact>, f64) {
    let lengths: Vec<f64> = people.iter().filter_map(Person::arm_length).collect();
    let length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
    let seconds = |time: f64| (time * clips[0].rate().fps()).round() as usize;
    let pairs: Vec<[Part; 2]> = people[0]
        .parts()
        .iter()
        .flat_map(|a| people[1].parts().into_iter().map(|b| [*a, b]))
        .filter(|pair| pair.iter().any(|part| part.is_hand()))
        .collect();
    let tracks = tracks(people, clips, &pairs);
    let mut nearest = f64::INFINITY;
    let mut found = Vec::new();
    for (parts, tracks) in pairs.into_iter().zip(tracks) {
        let count = Person::points(parts[1]);
        let hands = parts.iter().all(|part| part.is_hand());
        let near = parts.map(Part::near).into_iter().fold(0.0, f64::max) * length;
        let least = |frame: usize| {
            if frame < lead_in {
                return f64::INFINITY;
            }
            tracks.iter().map(|track| track.offsets[frame].norm()).fold(f64::INFINITY, f64::min)
        };
        let distances: Vec<f64> = (0..clips[0].frames()).map(least).collect();
        nearest = distances.iter().copied().fold(nearest, f64::min);
        let tracks: Vec<Arc<Track>> = tracks.into_iter().map(Into::into).collect();
        let touching: Vec<bool> = distances.iter().map(|distance| *distance <= near * LEAVES).collect();
        for frames in joined(runs(&touching), seconds(LET_GO)) {
            if !frames.clone().any(|frame| distances[frame] <= near)
                || !hands && frames.len() < seconds(SHORTEST)
            {
                continue;
            }
            let mean =
                |track: &Track| track.offsets[frames.clone()].iter().map(|offset| offset.norm()).sum::<f64>();
            let best = (0..tracks.len()).min_by(|a, b| mean(&tracks[*a]).total_cmp(&mean(&tracks[*b])));
            let Some(best) = best else { continue };
            let slow = SLOW * length / clips[0].rate().fps();
            let slow = frames
                .clone()
                .filter(|frame| distances[*frame] <= near && tracks[best].step(*frame) < slow)
                .count();
            if slow < if hands { 1 } else { seconds(SHORTEST).max(1) } {
                continue;
            }
            let (points, track) = ([best / count, best % count], tracks[best].clone());
            found.push(Contact { parts, points, frames, track, thing: false });
        }
    }
    (without_neighbours(found, seconds(ON_ITS_WAY)), nearest / length.max(f64::MIN_POSITIVE))
}

/// The time in which two people interpenetrate by far more than a touch, after a lead-in \[s\]; `None` if that is less
/// than the shortest contact, as for people who were recorded together.
pub(super) fn time_inside(people: &[Person; 2], clips: [&Clip; 2], lead_in: usize) -> Option<f64> {
    let lengths: Vec<f64> = people.iter().filter_map(Person::arm_length).collect();
    let length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
    let trunks = [0, 1].map(|i| Line::Trunk.ends(&people[i].body.skeleton));
    let [Some(one), Some(other)] = trunks else { return None };
    let mut placed = [0, 1].map(|i| ForwardKinematics::new(clips[i]));
    let mut inside = 0usize;
    for frame in lead_in..clips[0].frames() {
        placed.iter_mut().for_each(|one| one.place(frame));
        let lines =
            [one.map(|joint| placed[0].position(joint)), other.map(|joint| placed[1].position(joint))];
        let through = (0..2).any(|i| {
            let hands = (0..2).filter_map(|hand| people[i].point(&placed[i], Part::Hand(hand), 0, 0.0));
            let [from, to] = lines[1 - i];
            hands.into_iter().any(|hand| between_lines([hand, hand], [from, to]) < THROUGH * length)
        });
        inside += usize::from(through || between_lines(lines[0], lines[1]) < TRUNKS * length);
    }
    let time = inside as f64 / clips[0].rate().fps();
    (inside > 0 && time >= SHORTEST).then_some(time)
}

/// The distance of two line segments.
fn between_lines([a, b]: [Vector3<f64>; 2], [c, d]: [Vector3<f64>; 2]) -> f64 {
    let (one, other, way) = (b - a, d - c, a - c);
    let (size, cross, others) = (one.norm_squared(), one.dot(&other), other.norm_squared());
    let nearest = |along: f64| {
        if others > 0.0 { ((cross * along + other.dot(&way)) / others).clamp(0.0, 1.0) } else { 0.0 }
    };
    let across = size * others - cross * cross;
    let start = if across > 1e-12 * size * others && across > 0.0 {
        ((cross * other.dot(&way) - others * one.dot(&way)) / across).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let along = nearest(start);
    // The parameter on the second line was clamped, so that of the first is recomputed.
    let start = if size > 0.0 { ((cross * along - one.dot(&way)) / size).clamp(0.0, 1.0) } else { 0.0 };
    (way + one * start - other * along).norm()
}

/// The tracks by pair of parts, then by pair of points.
fn tracks(people: &[Person; 2], clips: [&Clip; 2], pairs: &[[Part; 2]]) -> Vec<Vec<Track>> {
    let mut tracks: Vec<Vec<Track>> =
        pairs.iter().map(|[a, b]| vec![Track::default(); Person::points(*a) * Person::points(*b)]).collect();
    let mut placed = [0, 1].map(|i| ForwardKinematics::new(clips[i]));
    for frame in 0..clips[0].frames() {
        placed.iter_mut().for_each(|one| one.place(frame));
        for (parts, tracks) in pairs.iter().zip(&mut tracks) {
            let count = Person::points(parts[1]);
            for (at, track) in tracks.iter_mut().enumerate() {
                let points = [at / count, at % count];
                let (mut along, mut ways) = ([0.0; 2], [0.0; 2]);
                // The point on a line is the one nearest to the other's hand.
                for i in 0..2 {
                    let hand = people[1 - i].point(&placed[1 - i], parts[1 - i], points[1 - i], 0.0);
                    if let Some(hand) = hand.filter(|_| !parts[i].is_hand()) {
                        along[i] = people[i].along(&placed[i], parts[i], &hand);
                        ways[i] = along[i] * people[i].line(&placed[i], parts[i]).norm();
                    }
                }
                let place =
                    |i: usize| people[i].point(&placed[i], parts[i], points[i], along[i]).unwrap_or_default();
                track.offsets.push(place(0) - place(1));
                track.along.push(along);
                track.ways.push(ways);
            }
        }
    }
    tracks
}

/// Merges runs that are at most `gap` frames apart.
fn joined(runs: Vec<Range<usize>>, gap: usize) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for run in runs {
        match joined.last_mut() {
            Some(last) if run.start - last.end <= gap => last.end = run.end,
            _ => joined.push(run),
        }
    }
    joined
}

/// Removes contacts of a hand that are only side effects of being near: contacts with hands take precedence over those
/// with lines, and of lines, the one with the least distance relative to its thickness.
fn without_neighbours(found: Vec<Contact>, way: usize) -> Vec<Contact> {
    let overlap = |a: &Contact, b: &Contact, around: usize| {
        a.frames.start.max(b.frames.start) < a.frames.end.min(b.frames.end) + around
    };
    let hand_of = |contact: &Contact| (0..2).find(|i| contact.parts[*i].is_hand());
    let share = |contact: &Contact| {
        let near = contact.parts.map(Part::near).into_iter().fold(0.0, f64::max);
        let sum: f64 = contact.frames.clone().map(|frame| contact.offset(frame).norm()).sum();
        sum / contact.frames.len() as f64 / near
    };
    let is_hands = |contact: &Contact| contact.parts.iter().all(|part| part.is_hand());
    let keep = |one: &Contact| {
        !found.iter().any(|other| {
            let same = (0..2).any(|i| {
                one.parts[i].is_hand()
                    && one.parts[i] == other.parts[i]
                    && (is_hands(one) || hand_of(one) == Some(i))
            });
            let better = match (is_hands(one), is_hands(other)) {
                (false, true) => true,
                (true, false) => false,
                _ => share(other) < share(one) * (1.0 - 1e-9),
            };
            let differs = one.parts != other.parts;
            let around = if is_hands(other) { way } else { 0 };
            differs && same && better && overlap(one, other, around) && !(is_hands(one) && is_hands(other))
        })
    };
    found.iter().filter(|one| keep(one)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_far_apart_as_their_nearest_places() {
        let at = Vector3::new;
        let up = [at(0.0, 0.0, 0.0), at(0.0, 1.0, 0.0)];
        let across = [at(-1.0, 0.5, 0.2), at(1.0, 0.5, 0.2)];
        assert!((between_lines(up, across) - 0.2).abs() < 1e-12);
        assert!((between_lines(up, [at(0.3, 5.0, 0.0), at(0.3, 1.4, 0.0)]) - 0.5).abs() < 1e-12);
        assert!((between_lines(up, [at(0.3, 0.2, 0.0), at(0.3, 0.9, 0.0)]) - 0.3).abs() < 1e-12);
        assert!((between_lines([at(0.0, 2.0, 0.0); 2], up) - 1.0).abs() < 1e-12);
    }
}
