//! A canonical frame, order and handedness of people, so that results do not depend on their placement, heading, order or
//! side, up to rounding.

use mocap_model::{Clip, ForwardKinematics, Role, Track, UnitQuaternion, Vector3};

use super::NAME;
use super::contact::Person;
use crate::EditError;
use crate::body::Body;

/// Distances that decide are compared in steps of this \[m\], so that rounding does not.
const STEP: f64 = 1.0 / 131_072.0;

/// A rotation about the up axis, followed by a translation along the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnFrame {
    turn: UnitQuaternion<f64>,
    way: Vector3<f64>,
}

impl OwnFrame {
    /// The frame in which, on average, the first is ahead of the second, and the origin is in the middle between them.
    pub(super) fn of(people: &[Person; 2], clips: &[Clip; 2]) -> OwnFrame {
        let mut placed = clips.each_ref().map(ForwardKinematics::new);
        let (mut apart, mut sum) = (Vector3::zeros(), Vector3::zeros());
        for frame in 0..clips[0].frames() {
            placed.iter_mut().for_each(|one| one.place(frame));
            let [a, b] = [0, 1].map(|i| placed[i].position(people[i].body.hips));
            apart += a - b;
            sum += a + b;
        }
        let body = &people[0].body;
        let turn = body.turn(-body.heading_of(&apart).unwrap_or_default());
        let middle = body.on_ground(&sum) / (2.0 * clips[0].frames().max(1) as f64);
        OwnFrame { turn, way: -(turn * middle) }
    }

    /// A frame that is only turned.
    pub(super) fn turning(turn: UnitQuaternion<f64>) -> OwnFrame {
        OwnFrame::turned_and_moved(turn, Vector3::zeros())
    }

    pub(super) fn turned_and_moved(turn: UnitQuaternion<f64>, way: Vector3<f64>) -> OwnFrame {
        OwnFrame { turn, way }
    }

    pub(super) fn inverse(&self) -> OwnFrame {
        let turn = self.turn.inverse();
        OwnFrame { turn, way: -(turn * self.way) }
    }

    /// A motion in the frame.
    pub(super) fn put(&self, clip: &Clip) -> Result<Clip, EditError> {
        let skeleton = clip.skeleton();
        let mut tracks = clip.tracks().to_vec();
        for (root, joint) in skeleton.iter().filter(|(_, joint)| joint.parent.is_none()) {
            let own = &mut tracks[root.index()];
            own.rotation = own.rotation.map(|rotation| self.turn * rotation);
            let places = own.translation.clone().unwrap_or(Track::Constant(joint.offset));
            own.translation = Some(places.map(|place| self.turn * place + self.way));
        }
        let failed = |error| EditError::model(NAME, error);
        let put = Clip::new(skeleton.clone(), clip.rate(), clip.frames(), tracks).map_err(failed)?;
        put.with_annotations(clip.annotations().clone()).map_err(failed)
    }
}

/// What orders people, whatever the order in which they are given.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Rank {
    /// The sums of the lengths of all bones of target and source, in steps.
    sizes: [i64; 2],
    /// The mean distances of both wrists from the hips of others: their sum, and the size of their difference.
    far: [i64; 2],
    /// The distance of the right wrist less that of the left one: positive where the left hand is nearer.
    pub side: i64,
}

/// The ranks of people. All share one rate and length.
pub(super) fn ranks(sources: &[&Clip], targets: &[&Clip]) -> Vec<Rank> {
    let bodies: Vec<Body> = sources.iter().map(|clip| Body::of(clip)).collect();
    let far = wrists_from_others(sources, &bodies);
    let size = |clip: &Clip| {
        let bones = clip.skeleton().joints().iter().map(|joint| joint.offset.norm());
        (bones.sum::<f64>() * Body::of(clip).metres_or_one() / STEP).round() as i64
    };
    let each = sources.iter().zip(targets).zip(far);
    each.map(|((source, target), [left, right])| Rank {
        sizes: [size(target), size(source)],
        far: [left + right, (right - left).abs()],
        side: right - left,
    })
    .collect()
}

/// By person: the mean distances of the left and the right wrist from the hips of the others, in steps.
fn wrists_from_others(clips: &[&Clip], bodies: &[Body]) -> Vec<[i64; 2]> {
    let mut placed: Vec<ForwardKinematics<'_>> =
        clips.iter().map(|clip| ForwardKinematics::new(clip)).collect();
    let frames = clips.iter().map(|clip| clip.frames()).min().unwrap_or_default();
    let mut sums = vec![[0.0; 2]; clips.len()];
    let wrists: Vec<_> = bodies
        .iter()
        .map(|body| [Role::LeftHand, Role::RightHand].map(|role| body.skeleton.with_role(role)))
        .collect();
    for frame in 0..frames {
        placed.iter_mut().for_each(|one| one.place(frame));
        let at = |i: usize, joint| placed[i].position(joint) * bodies[i].metres_or_one();
        for i in 0..clips.len() {
            for (sum, wrist) in sums[i].iter_mut().zip(wrists[i]) {
                let Some(wrist) = wrist.map(|wrist| at(i, wrist)) else { continue };
                let others = (0..clips.len()).filter(|other| *other != i);
                *sum += others.map(|other| (at(other, bodies[other].hips) - wrist).norm()).sum::<f64>();
            }
        }
    }
    let steps = |sum: f64| (sum / frames.max(1) as f64 / STEP).round() as i64;
    sums.into_iter().map(|sums| sums.map(steps)).collect()
}

/// Whether to exchange two people, so that the lower rank comes first.
pub(super) fn is_exchanged(sources: &[Clip; 2], targets: &[Clip; 2]) -> bool {
    let ranks = ranks(&[&sources[0], &sources[1]], &[&targets[0], &targets[1]]);
    ranks[0].partial_cmp(&ranks[1]).is_some_and(std::cmp::Ordering::is_gt)
}
