//! The sole of a robot's foot: the rectangle around the points on which its collision shapes stand.

use mocap_model::{Isometry3, Primitive, Robot, RobotShape, UnitQuaternion, Vector3};
use nalgebra::Point3;

use crate::convex::Form;
use crate::reference_leg::LEG;

/// Points within this height above the lowest belong to the sole, as a share of the leg.
const THICKNESS: f64 = 0.01 / LEG;
/// Soles steeper than this are not levelled \[rad\].
const STEEPEST: f64 = 0.6;
/// What is lowest on a shank without an ankle is its foot, if it is at most this share of the shank above the end.
const NEAR_END: f64 = 0.2;
/// A shorter edge does not determine the slope, as a share of the leg.
const LEAST_EDGE: f64 = 0.02 / LEG;

/// A point of a shape that may stand on the floor: the centre of a ball in the world, and its radius \[m\]; 0 for a
/// corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LowPoint {
    pub(crate) centre: Point3<f64>,
    pub(crate) radius: f64,
}

impl LowPoint {
    /// Its lowest point.
    pub(crate) fn lowest(&self) -> Point3<f64> {
        self.centre - Vector3::z() * self.radius
    }
}

/// A sole in the world, with the robot at rest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RestSole {
    /// The rotation about the ankle that levels it.
    pub(crate) level: UnitQuaternion<f64>,
    /// Front left, front right, back left, back right: centres of balls that stand on the floor.
    pub(crate) corners: [Point3<f64>; 4],
    /// Radii of these balls; 0 if the sole has edges.
    pub(crate) radii: [f64; 4],
    /// Height of the ankle above the levelled sole \[m\].
    pub(crate) ankle_height: f64,
}

impl RestSole {
    /// Default without collision shapes below the ankle: a sole of two fifths of the shank's length and one
    /// fifth of it in width, one fifth below the ankle. A `stiff` foot has no ankle: where nothing is below the frame at
    /// its end, it stands on what is lowest, if that is near the end.
    pub(crate) fn of(
        robot: &Robot,
        placed: &[Isometry3<f64>],
        foot: usize,
        ankle: Point3<f64>,
        (leg, stiff): ([f64; 2], bool),
    ) -> RestSole {
        let [shank, leg] = [leg[1], leg.iter().sum::<f64>()];
        let points = foot_shapes(robot, foot).flat_map(|shape| low_points(shape, &placed[shape.body]));
        let mut points: Vec<LowPoint> = points.collect();
        let is_below = |point: &LowPoint| point.lowest().z < ankle.z;
        let end = if stiff && !points.iter().any(is_below) { ankle.z + NEAR_END * shank } else { ankle.z };
        points.retain(|point| point.lowest().z < end);
        if points.is_empty() {
            let [forward, half, down] = [0.4, 0.1, 0.2].map(|share| share * shank);
            let corner = |x: f64, y: f64| ankle + Vector3::new(x, y, -down);
            let [front, back] = [forward * 0.7, -forward * 0.3];
            let corners =
                [corner(front, half), corner(front, -half), corner(back, half), corner(back, -half)];
            return RestSole {
                level: UnitQuaternion::identity(),
                corners,
                radii: [0.0; 4],
                ankle_height: down,
            };
        }
        let level = level(&points, ankle, leg);
        let turned: Vec<LowPoint> = points.iter().map(|point| turn(point, ankle, &level)).collect();
        let lowest = turned.iter().map(|point| point.lowest().z).fold(f64::INFINITY, f64::min);
        let sole = || turned.iter().filter(|point| point.lowest().z < lowest + THICKNESS * leg);
        let furthest = |axis: usize, sign: f64| {
            let along = |point: &&LowPoint| sign * point.centre[axis];
            let end = sole().max_by(|a, b| along(a).total_cmp(&along(b))).expect("the lowest point is one");
            (end.centre[axis], end.radius)
        };
        let [front, back] = [1.0, -1.0].map(|sign| furthest(0, sign));
        let [left, right] = [1.0, -1.0].map(|sign| furthest(1, sign));
        let back_turn = level.inverse();
        let ends = [(front, left), (front, right), (back, left), (back, right)];
        RestSole {
            corners: ends.map(|((x, radius), (y, _))| {
                let flat = Point3::new(x, y, lowest + radius);
                ankle + back_turn * (flat - ankle)
            }),
            radii: ends.map(|((_, radius), _)| radius),
            ankle_height: ankle.z - lowest,
            level,
        }
    }
}

fn turn(point: &LowPoint, ankle: Point3<f64>, turn: &UnitQuaternion<f64>) -> LowPoint {
    LowPoint { centre: ankle + turn * (point.centre - ankle), radius: point.radius }
}

/// The rotation that levels a foot loaded at its middle: pitch and roll alternately, each by the edge below the
/// middle. A foot that stands on one point or steeply is not rotated.
fn level(points: &[LowPoint], ankle: Point3<f64>, leg: f64) -> UnitQuaternion<f64> {
    /// Pitch and roll affect each other a little.
    const ROUNDS: usize = 4;
    let mut whole = UnitQuaternion::identity();
    for round in 0..2 * ROUNDS {
        let turned: Vec<Point3<f64>> =
            points.iter().map(|point| turn(point, ankle, &whole).lowest()).collect();
        let (axis, about) = if round % 2 == 0 { (0, Vector3::y_axis()) } else { (1, Vector3::x_axis()) };
        let lowest = turned.iter().map(|point| point.z).fold(f64::INFINITY, f64::min);
        // Points high above the floor belong to the instep.
        let middle = |axis: usize| {
            let values = || turned.iter().map(|point| point[axis]);
            (values().fold(f64::INFINITY, f64::min) + values().fold(f64::NEG_INFINITY, f64::max)) / 2.0
        };
        // The lateral tilt is measured near the lowest points only, after the longitudinal tilt is removed.
        let near = |point: &&Point3<f64>| axis == 0 || point.z < lowest + 2.0 * THICKNESS * leg;
        let flat: Vec<(f64, f64)> = turned.iter().filter(near).map(|point| (point[axis], point.z)).collect();
        let slope = slope_below(&flat, middle(axis), LEAST_EDGE * leg);
        let sign = if axis == 0 { 1.0 } else { -1.0 };
        whole = UnitQuaternion::from_axis_angle(&about, sign * slope.atan()) * whole;
    }
    if whole.angle() > STEEPEST { UnitQuaternion::identity() } else { whole }
}

/// The slope of the lower hull of points below `at`; 0 if its edge there is shorter than `least`.
fn slope_below(points: &[(f64, f64)], at: f64, least: f64) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for point in sorted {
        while let [.., a, b] = hull[..] {
            let turns = (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0);
            if turns > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    let edge = hull.windows(2).find(|edge| edge[1].0 >= at);
    edge.filter(|edge| edge[1].0 - edge[0].0 > least)
        .map_or(0.0, |edge| (edge[1].1 - edge[0].1) / (edge[1].0 - edge[0].0))
}

/// Whether a body is a foot or attached to it, such as toes.
pub(crate) fn is_on(robot: &Robot, foot: usize, body: usize) -> bool {
    std::iter::successors(Some(body), |body| robot.bodies()[*body].parent).any(|body| body == foot)
}

/// The shapes of a foot and of the bodies attached to it, such as toes.
pub(crate) fn foot_shapes(robot: &Robot, foot: usize) -> impl Iterator<Item = &RobotShape> {
    robot.shapes().iter().filter(move |shape| is_on(robot, foot, shape.body))
}

/// Points on which a shape of a robot at reference size may stand, few enough to weigh each: of a mesh, the outermost of
/// those that are about as low as its lowest.
pub(crate) fn footing(shape: &RobotShape, body: &Isometry3<f64>) -> Vec<LowPoint> {
    /// Horizontal ways in which the outermost are looked for.
    const WAYS: usize = 8;
    let mut points = low_points(shape, body);
    if !matches!(shape.primitive, Primitive::Hull(_)) {
        return points;
    }
    let lowest = points.iter().map(|point| point.centre.z).fold(f64::INFINITY, f64::min);
    points.retain(|point| point.centre.z < lowest + THICKNESS * LEG);
    let mut outermost: Vec<usize> = (0..WAYS)
        .filter_map(|way| {
            let (y, x) = (std::f64::consts::TAU * way as f64 / WAYS as f64).sin_cos();
            let along = |index: &usize| points[*index].centre.x * x + points[*index].centre.y * y;
            (0..points.len()).max_by(|a, b| along(a).total_cmp(&along(b)))
        })
        .collect();
    // The lowest one too.
    let height = |index: &usize| points[*index].centre.z;
    outermost.extend((0..points.len()).min_by(|a, b| height(a).total_cmp(&height(b))));
    outermost.sort_unstable();
    outermost.dedup();
    outermost.into_iter().map(|index| points[index]).collect()
}

/// Points of a shape that include its lowest point, at least nearly.
pub(crate) fn low_points(shape: &RobotShape, body: &Isometry3<f64>) -> Vec<LowPoint> {
    let placed = body * shape.placement;
    let ball = |at: f64, radius: f64| LowPoint { centre: placed * Point3::new(0.0, 0.0, at), radius };
    let corner = |centre: Point3<f64>| LowPoint { centre, radius: 0.0 };
    match shape.primitive {
        Primitive::Sphere { radius } => vec![ball(0.0, radius)],
        Primitive::Capsule { radius, half_length } => {
            [-1.0, 1.0].map(|end| ball(end * half_length, radius)).to_vec()
        }
        Primitive::Cylinder { radius, half_length } => {
            let axis = placed.rotation * Vector3::z();
            let across = (-Vector3::z() + axis * axis.z).try_normalize(1e-9).unwrap_or_else(Vector3::zeros);
            let rim = |end: f64| placed * Point3::new(0.0, 0.0, end * half_length);
            let mut points: Vec<_> = [-1.0, 1.0].map(|end| rim(end) + across * radius).to_vec();
            if axis.z.abs() > 0.9 {
                // Upright: the rim is the sole.
                let [x, y] = [Vector3::x(), Vector3::y()].map(|axis| placed.rotation * axis * radius);
                points.extend([x, -x, y, -y].map(|side| rim(-axis.z.signum()) + side));
            }
            points.into_iter().map(corner).collect()
        }
        Primitive::Box { half_sizes: h } => {
            let mut points = Vec::with_capacity(8);
            for index in 0..8 {
                let sign = |bit: usize| if index >> bit & 1 == 0 { -1.0 } else { 1.0 };
                points.push(corner(placed * Point3::new(sign(0) * h.x, sign(1) * h.y, sign(2) * h.z)));
            }
            points
        }
        Primitive::Ellipsoid { radii } => {
            let down = placed.rotation.inverse_transform_vector(&-Vector3::z());
            vec![corner(placed * Point3::from(Form::Ellipsoid(radii).furthest(&down)))]
        }
        Primitive::Hull(ref hull) => {
            hull.corners().iter().map(|at| corner(placed * Point3::from(*at))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_below_the_middle_says_how_steep_a_foot_is() {
        // A higher heel, and an instep that is ignored.
        let points = [(0.0, 0.02), (0.2, 0.0), (0.1, 0.09), (0.22, 0.005)];
        assert!((slope_below(&points, 0.11, 0.02) + 0.1).abs() < 1e-12);
        // One point, and toes that bend up.
        assert_eq!(slope_below(&[(0.1, 0.0)], 0.1, 0.02), 0.0);
        let toes = [(0.0, 0.0), (0.15, 0.0), (0.2, 0.02)];
        assert_eq!(slope_below(&toes, 0.1, 0.02), 0.0);
    }
}
