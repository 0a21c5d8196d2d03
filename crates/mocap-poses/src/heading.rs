//! Estimates the heading of a body from a few of its points if the hips are unknown.

use crate::fitted::Known;
use crate::{Examples, Placed, Quat, Vec3};
use mocap_model::{JointId, exp};

/// Cues for the heading: each line between two points, and each axis of an orientation, has a horizontal direction; the
/// examples give its mean angle to the heading of the body, and its reliability.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    cues: Vec<Cue>,
    known: Vec<Known>,
}

#[derive(Clone, Copy, Debug)]
struct Cue {
    direction: Direction,
    /// The mean unit direction in the examples, times its weight.
    turn: [f64; 2],
}

#[derive(Clone, Copy, Debug)]
enum Direction {
    Between(JointId, JointId),
    Axis(JointId, usize),
}

impl Direction {
    fn seen(self, at: &[Placed], [across, along]: [Vec3; 2], leg: f64) -> [f64; 2] {
        let v = match self {
            Direction::Between(a, b) => {
                (at[b.index()].translation.vector - at[a.index()].translation.vector) / leg
            }
            Direction::Axis(joint, axis) => at[joint.index()].rotation * Vec3::ith(axis, 1.0),
        };
        [v.dot(&across), v.dot(&along)]
    }
}

/// Two directions on the floor; with up, which is a coordinate axis of either sign, they are
/// right-handed.
pub(crate) fn floor_axes(up: &Vec3) -> [Vec3; 2] {
    let across = Vec3::new(up.y.abs(), up.z.abs(), up.x.abs());
    [across, up.cross(&across)]
}

impl Heading {
    pub(crate) fn fit(examples: &Examples, known: &[Known]) -> Heading {
        let mut directions = Vec::new();
        let points: Vec<JointId> = known.iter().filter(|k| k.position).map(|k| k.joint).collect();
        for (place, a) in points.iter().enumerate() {
            directions.extend(points[place + 1..].iter().map(|b| Direction::Between(*a, *b)));
        }
        for known in known.iter().filter(|known| known.orientation) {
            directions.extend((0..3).map(|axis| Direction::Axis(known.joint, axis)));
        }
        let (axes, leg) = (floor_axes(&examples.body.up()), examples.body.leg);
        let cues = directions.into_iter().filter_map(|direction| {
            let (mut sum, mut length) = ([0.0, 0.0], 0.0);
            for at in examples.all() {
                let seen = direction.seen(at, axes, leg);
                (0..2).for_each(|axis| sum[axis] += seen[axis]);
                length += seen[0].hypot(seen[1]);
            }
            let size = sum[0].hypot(sum[1]);
            let share = (size / length.max(1e-12)).min(1.0);
            let counts = share * share / (1.02 - share * share);
            (size > 0.0).then(|| Cue { direction, turn: sum.map(|value| value / size * counts) })
        });
        Heading { cues: cues.collect(), known: known.to_vec() }
    }

    /// The upright frame at the known points.
    pub(crate) fn frame(&self, at: &[Placed], up: &Vec3, leg: f64) -> Placed {
        let axes = floor_axes(up);
        let (mut cosine, mut sine) = (0.0, 0.0);
        for cue in &self.cues {
            let seen = cue.direction.seen(at, axes, leg);
            cosine += seen[0] * cue.turn[0] + seen[1] * cue.turn[1];
            sine += seen[1] * cue.turn[0] - seen[0] * cue.turn[1];
        }
        let points = self.known.iter().filter(|known| known.position);
        let count = points.clone().count().max(1) as f64;
        let middle: Vec3 =
            points.map(|known| at[known.joint.index()].translation.vector).sum::<Vec3>() / count;
        let turn: Quat = exp(&(up * sine.atan2(cosine)));
        Placed::from_parts(middle.into(), turn)
    }
}
