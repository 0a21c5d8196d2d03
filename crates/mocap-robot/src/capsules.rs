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

/// A capsule in the world, with a ball around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    pub(crate) ends: [Point3<f64>; 2],
    middle: Point3<f64>,
    /// Of the ball \[m\].
    reach: f64,
}

/// Capsules of a robot, and which pairs may not touch.
pub(crate) struct Capsules {
    pub(crate) all: Vec<Capsule>,
    pub(crate) pairs: Vec<[usize; 2]>,
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
        let mut capsules = Capsules { all, pairs: Vec::new() };
        let mut placed = Vec::new();
        capsules.place(at_rest, &mut placed);
        for first in 0..capsules.all.len() {
            for second in first + 1..capsules.all.len() {
                let bodies = [first, second].map(|index| capsules.all[index].body);
                let near = capsules.near([first, second], &placed, 0.0);
                let apart = near.is_none_or(|near| near.distance > -0.01);
                if apart && !may_touch(bodies[0], bodies[1]) {
                    capsules.pairs.push([first, second]);
                }
            }
        }
        capsules
    }

    /// Where all of them are.
    pub(crate) fn place(&self, bodies: &[Isometry3<f64>], out: &mut Vec<Placed>) {
        out.clear();
        out.extend(self.all.iter().map(|capsule| {
            let ends = capsule.placed(bodies);
            let half = (ends[1] - ends[0]) / 2.0;
            Placed { ends, middle: ends[0] + half, reach: half.norm() + capsule.radius }
        }));
    }

    /// How near the two of a pair are, where they may be nearer than `within` \[m\].
    pub(crate) fn near(&self, [first, second]: [usize; 2], placed: &[Placed], within: f64) -> Option<Near> {
        let (a, b) = (&placed[first], &placed[second]);
        let reach = a.reach + b.reach + within;
        if (b.middle - a.middle).norm_squared() > reach * reach {
            return None;
        }
        let points = closest(a.ends, b.ends);
        let apart = points[1] - points[0];
        let length = apart.norm();
        let direction = if length > 1e-9 { apart / length } else { Vector3::x() };
        let [a, b] = [first, second].map(|index| &self.all[index]);
        Some(Near { bodies: [a.body, b.body], points, direction, distance: length - a.radius - b.radius })
    }
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
