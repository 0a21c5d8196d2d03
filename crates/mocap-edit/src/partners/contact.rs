//! Where two people touch: hands on hands, and hands on shoulders and hips.
//!
//! The nearest pair of points of two parts counts, over the whole time of a contact: wrist or palm of a hand, and the joint
//! of a shoulder or hip.

use mocap_analysis::runs;
use mocap_model::{Clip, ForwardKinematics, JointId, Role, Skeleton, Vector3};

use crate::body::Body;

/// Hands are in contact within this share of an arm's length: 9 cm for an arm of 0.55 m; what a hand touches of a trunk is
/// as far from its joint as flesh is thick.
const HANDS: f64 = 0.16;
const TRUNK: f64 = 0.27;
/// What is shorter only passes \[s\], unless hands meet: they clap.
const SHORTEST: f64 = 0.1;
/// From wrist to palm, as a share of the arm's length.
const PALM: f64 = 0.15;

/// A part of a body that may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Of an arm: 0 left, 1 right.
    Hand(usize),
    /// A shoulder or hip.
    Trunk(JointId),
}

/// An arm from shoulder to wrist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub shoulder: JointId,
    pub wrist: JointId,
    /// Both bones \[m\].
    pub length: f64,
    /// The palm in the frame of the wrist.
    palm: Vector3<f64>,
}

/// What may touch of a body, and its motion in metres.
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

    fn parts(&self) -> Vec<Part> {
        let roles = [Role::LeftUpperArm, Role::RightUpperArm, Role::LeftUpperLeg, Role::RightUpperLeg];
        let hands = (0..2).filter(|side| self.arms[*side].is_some()).map(Part::Hand);
        hands
            .chain(roles.into_iter().filter_map(|role| self.body.skeleton.with_role(role)).map(Part::Trunk))
            .collect()
    }

    /// The counterpart of a part of another body.
    pub(super) fn counterpart(&self, other: &Person, part: Part) -> Option<Part> {
        match part {
            Part::Hand(side) => self.arms[side].map(|_| part),
            Part::Trunk(joint) => {
                let role = other.body.skeleton.joint(joint).role?;
                self.body.skeleton.with_role(role).map(Part::Trunk)
            }
        }
    }

    /// The points of a part: wrist and palm, or the joint.
    fn points(&self, part: Part) -> usize {
        if matches!(part, Part::Hand(_)) { 2 } else { 1 }
    }

    /// A point of a part in a frame that is placed.
    pub(super) fn point(&self, kinematics: &ForwardKinematics<'_>, part: Part, point: usize) -> Vector3<f64> {
        match part {
            Part::Trunk(joint) => kinematics.position(joint),
            Part::Hand(side) => {
                let arm = self.arms[side].as_ref().expect("parts are there");
                let wrist = kinematics.at(arm.wrist);
                if point == 0 {
                    wrist.translation.vector
                } else {
                    (wrist * nalgebra::Point3::from(arm.palm)).coords
                }
            }
        }
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
    // On the way to the middle of all joints below the wrist.
    let mut rest = mocap_model::Pose::default();
    mocap_model::Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let at = |id: JointId| rest.joints[id.index()].translation.vector;
    let sum: Vector3<f64> = skeleton.subtree(wrist).into_iter().map(|id| at(id) - at(wrist)).sum();
    let forearm = at(wrist) - at(elbow);
    let hand = sum.try_normalize(1e-3 * length).or(forearm.try_normalize(0.0))?;
    let palm = rest.joints[wrist.index()].rotation.inverse() * hand * (PALM * length);
    (length > 0.0).then_some(Arm { shoulder, wrist, length, palm })
}

/// A contact of a part of the first person with one of the second.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub parts: [Part; 2],
    /// Which of their points.
    pub points: [usize; 2],
    pub frames: std::ops::Range<usize>,
    /// By frame of the whole motion: the vector from the point of the second to that of the first \[m\].
    pub offsets: std::sync::Arc<Vec<Vector3<f64>>>,
}

/// The contacts of two people, and how near any of their parts come, as a share of an arm.
pub(super) fn find(people: &[Person; 2], clips: [&Clip; 2]) -> (Vec<Contact>, f64) {
    let lengths: Vec<f64> = people.iter().filter_map(Person::arm_length).collect();
    let length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
    let shortest = (SHORTEST * clips[0].rate().fps()).round() as usize;
    let parts = [people[0].parts(), people[1].parts()];
    let pairs: Vec<[Part; 2]> = parts[0]
        .iter()
        .flat_map(|a| parts[1].iter().map(|b| [*a, *b]))
        .filter(|pair| pair.iter().any(|part| matches!(part, Part::Hand(_))))
        .collect();
    // By pair, then by pair of points, then by frame.
    let mut offsets: Vec<Vec<Vec<Vector3<f64>>>> = pairs
        .iter()
        .map(|[a, b]| {
            vec![Vec::with_capacity(clips[0].frames()); people[0].points(*a) * people[1].points(*b)]
        })
        .collect();
    let mut placed = [0, 1].map(|i| ForwardKinematics::new(clips[i]));
    for frame in 0..clips[0].frames() {
        placed.iter_mut().for_each(|one| one.place(frame));
        for ([a, b], offsets) in pairs.iter().zip(&mut offsets) {
            let count = people[1].points(*b);
            for (at, offsets) in offsets.iter_mut().enumerate() {
                let one = people[0].point(&placed[0], *a, at / count);
                offsets.push(one - people[1].point(&placed[1], *b, at % count));
            }
        }
    }
    let mut nearest = f64::INFINITY;
    let mut found = Vec::new();
    for (parts, offsets) in pairs.into_iter().zip(offsets) {
        let count = people[1].points(parts[1]);
        let hands = parts.iter().all(|part| matches!(part, Part::Hand(_)));
        let near = if hands { HANDS } else { TRUNK } * length;
        let least =
            |frame: usize| offsets.iter().map(|points| points[frame].norm()).fold(f64::INFINITY, f64::min);
        let distances: Vec<f64> = (0..clips[0].frames()).map(least).collect();
        nearest = distances.iter().copied().fold(nearest, f64::min);
        let offsets: Vec<std::sync::Arc<Vec<Vector3<f64>>>> = offsets.into_iter().map(Into::into).collect();
        for frames in runs(&distances.iter().map(|distance| *distance <= near).collect::<Vec<_>>()) {
            if !hands && frames.len() < shortest {
                continue;
            }
            let mean = |points: &[Vector3<f64>]| {
                points[frames.clone()].iter().map(|offset| offset.norm()).sum::<f64>()
            };
            let best = (0..offsets.len()).min_by(|a, b| mean(&offsets[*a]).total_cmp(&mean(&offsets[*b])));
            let Some(best) = best else { continue };
            let (points, offsets) = ([best / count, best % count], offsets[best].clone());
            found.push(Contact { parts, points, frames, offsets });
        }
    }
    (found, nearest / length.max(f64::MIN_POSITIVE))
}
