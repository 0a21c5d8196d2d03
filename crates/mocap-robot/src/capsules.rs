//! Capsules that stand for the collision shapes of a robot, and how near two of them are.
//!
//! Closest points of segments based on: C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.9.

use mocap_model::{Isometry3, Robot, RobotShape, Vector3};
use nalgebra::Point3;

/// A shape as a capsule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capsule {
    pub(crate) body: usize,
    pub(crate) ends: [Point3<f64>; 2],
    pub(crate) radius: f64,
}

impl Capsule {
    pub(crate) fn of(shape: &RobotShape) -> Capsule {
        let (ends, radius) = shape.capsule();
        Capsule { body: shape.body, ends: ends.map(Point3::from), radius }
    }

    fn placed(&self, placed: &[Isometry3<f64>]) -> [Point3<f64>; 2] {
        self.ends.map(|end| placed[self.body] * end)
    }
}

/// A ball around shapes \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ball {
    centre: Point3<f64>,
    radius: f64,
}

impl Ball {
    fn of(ends: &[Point3<f64>; 2], radius: f64) -> Ball {
        let half = (ends[1] - ends[0]) / 2.0;
        Ball { centre: ends[0] + half, radius: half.norm() + radius }
    }

    fn may_meet(&self, other: &Ball, within: f64) -> bool {
        let reach = self.radius + other.radius + within;
        (other.centre - self.centre).norm_squared() <= reach * reach
    }
}

/// Capsules in the world.
#[derive(Default)]
pub(crate) struct Placed {
    pub(crate) ends: Vec<[Point3<f64>; 2]>,
    balls: Vec<Ball>,
    /// By part.
    parts: Vec<Ball>,
}

/// Capsules of a robot, and which pairs may not touch.
pub(crate) struct Capsules {
    pub(crate) all: Vec<Capsule>,
    /// Bodies with capsules, with a ball around all of a body, in its frame.
    parts: Vec<(usize, Ball)>,
    /// Pairs of parts, with the pairs of capsules that belong to them.
    pairs: Vec<([usize; 2], Vec<[usize; 2]>)>,
}

/// Two capsules near each other: a point of each on its middle line, the direction from the first to the second, and
/// the distance of their surfaces \[m\], negative inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) bodies: [usize; 2],
    pub(crate) points: [Point3<f64>; 2],
    pub(crate) direction: Vector3<f64>,
    pub(crate) distance: f64,
}

impl Capsules {
    /// Pairs of bodies that are joined, excluded, or deep inside each other at rest do not count.
    pub(crate) fn of(robot: &Robot, at_rest: &[Isometry3<f64>]) -> Capsules {
        let all: Vec<Capsule> = robot.shapes().iter().map(Capsule::of).collect();
        let welded = |body: usize| {
            let mut body = body;
            while let Some(parent) = robot.bodies()[body].parent
                && robot.joints_of(body).is_empty()
            {
                body = parent;
            }
            body
        };
        let parent = |body: usize| robot.bodies()[body].parent.map(welded);
        let may_touch = |a: usize, b: usize| {
            let (wa, wb) = (welded(a), welded(b));
            let excluded = |pair: &[usize; 2]| {
                let pair = pair.map(welded);
                pair == [wa, wb] || pair == [wb, wa]
            };
            wa == wb
                || parent(wa) == Some(wb)
                || parent(wb) == Some(wa)
                || robot.excluded().iter().any(excluded)
        };
        let parts = (0..robot.bodies().len()).filter_map(|body| Some((body, around(&all, body)?))).collect();
        let capsules = Capsules { all, parts, pairs: Vec::new() };
        let mut placed = Placed::default();
        capsules.place(at_rest, &mut placed);
        let apart =
            |a: usize, b: usize| capsules.near([a, b], &placed, 0.0).is_none_or(|near| near.distance > -0.01);
        let mut pairs = Vec::new();
        for first in 0..capsules.parts.len() {
            for second in first + 1..capsules.parts.len() {
                let bodies = [first, second].map(|part| capsules.parts[part].0);
                if !may_touch(bodies[0], bodies[1]) {
                    let [a, b] = bodies.map(|body| capsules.of_body(body));
                    let of_both = a.iter().flat_map(|a| b.iter().map(move |b| [*a, *b]));
                    pairs.push(([first, second], of_both.filter(|[a, b]| apart(*a, *b)).collect()));
                }
            }
        }
        pairs.retain(|(_, pairs): &(_, Vec<_>)| !pairs.is_empty());
        Capsules { pairs, ..capsules }
    }

    fn of_body(&self, body: usize) -> Vec<usize> {
        (0..self.all.len()).filter(|index| self.all[*index].body == body).collect()
    }

    /// Whether any pair must stay apart.
    pub(crate) fn can_meet(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Where all of them are.
    pub(crate) fn place(&self, bodies: &[Isometry3<f64>], out: &mut Placed) {
        let Placed { ends, balls, parts } = out;
        ends.clear();
        ends.extend(self.all.iter().map(|capsule| capsule.placed(bodies)));
        balls.clear();
        balls.extend(ends.iter().zip(&self.all).map(|(ends, capsule)| Ball::of(ends, capsule.radius)));
        parts.clear();
        parts.extend(
            self.parts.iter().map(|(body, ball)| Ball { centre: bodies[*body] * ball.centre, ..*ball }),
        );
    }

    /// All pairs that are nearer than `within` \[m\].
    pub(crate) fn all_near<'a>(&'a self, placed: &'a Placed, within: f64) -> impl Iterator<Item = Near> + 'a {
        let meets = move |[a, b]: [usize; 2]| placed.parts[a].may_meet(&placed.parts[b], within);
        let parts = self.pairs.iter().filter(move |(parts, _)| meets(*parts));
        let near =
            parts.flat_map(|(_, pairs)| pairs).filter_map(move |pair| self.near(*pair, placed, within));
        near.filter(move |near| near.distance < within)
    }

    /// How near the two of a pair are, where they may be nearer than `within` \[m\].
    fn near(&self, [first, second]: [usize; 2], placed: &Placed, within: f64) -> Option<Near> {
        if !placed.balls[first].may_meet(&placed.balls[second], within) {
            return None;
        }
        let points = closest(placed.ends[first], placed.ends[second]);
        let apart = points[1] - points[0];
        let length = apart.norm();
        let direction = if length > 1e-9 { apart / length } else { Vector3::x() };
        let [a, b] = [first, second].map(|index| &self.all[index]);
        Some(Near { bodies: [a.body, b.body], points, direction, distance: length - a.radius - b.radius })
    }
}

/// A ball around all capsules of a body, in its frame; `None` if the body has none.
fn around(all: &[Capsule], body: usize) -> Option<Ball> {
    let own = || all.iter().filter(|capsule| capsule.body == body);
    let centres = || own().map(|capsule| Ball::of(&capsule.ends, capsule.radius).centre.coords);
    let count = own().count();
    let centre = Point3::from(centres().sum::<Vector3<f64>>() / count.max(1) as f64);
    let reach = |capsule: &Capsule| {
        capsule.ends.iter().map(|end| (end - centre).norm() + capsule.radius).fold(0.0, f64::max)
    };
    (count > 0).then(|| Ball { centre, radius: own().map(reach).fold(0.0, f64::max) })
}

/// The nearest points of two segments.
fn closest([p1, q1]: [Point3<f64>; 2], [p2, q2]: [Point3<f64>; 2]) -> [Point3<f64>; 2] {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.norm_squared(), d2.norm_squared(), d2.dot(&r));
    let c = d1.dot(&r);
    let tiny = 1e-18;
    let (s, t) = if a <= tiny && e <= tiny {
        (0.0, 0.0)
    } else if a <= tiny {
        (0.0, (f / e).clamp(0.0, 1.0))
    } else if e <= tiny {
        ((-c / a).clamp(0.0, 1.0), 0.0)
    } else {
        let b = d1.dot(&d2);
        let denominator = a * e - b * b;
        let s =
            if denominator > 1e-12 * a * e { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.5 };
        let t = (b * s + f) / e;
        if t < 0.0 {
            ((-c / a).clamp(0.0, 1.0), 0.0)
        } else if t > 1.0 {
            (((b - c) / a).clamp(0.0, 1.0), 1.0)
        } else {
            (s, t)
        }
    };
    [p1 + d1 * s, p2 + d2 * t]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_points_of_segments() {
        let point = |x: f64, y: f64, z: f64| Point3::new(x, y, z);
        let cross = closest(
            [point(-1.0, 0.0, 0.0), point(1.0, 0.0, 0.0)],
            [point(0.2, -1.0, 1.0), point(0.2, 1.0, 1.0)],
        );
        let apart = [point(0.2, 0.0, 0.0) - cross[0], point(0.2, 0.0, 1.0) - cross[1]];
        assert!(apart.iter().all(|apart| apart.norm() < 1e-12), "{cross:?}");
        let ends = closest(
            [point(0.0, 0.0, 0.0), point(1.0, 0.0, 0.0)],
            [point(3.0, 1.0, 0.0), point(2.0, 1.0, 0.0)],
        );
        assert_eq!(ends, [point(1.0, 0.0, 0.0), point(2.0, 1.0, 0.0)]);
    }
}
