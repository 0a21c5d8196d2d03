//! The sole of a robot's foot: the rectangle about the lowest points of its collision shapes.

use mocap_model::{Isometry3, Primitive, Robot, RobotShape, Vector3};
use nalgebra::Point3;

/// Points within this height above the lowest belong to the sole \[m\].
const THICKNESS: f64 = 0.01;

/// Corners of the sole in the world, with the robot at rest: front left, front right, back left, back right.
///
/// Without collision shapes on the foot: a sole two fifths of a shank long and one fifth wide, one fifth below the ankle.
pub(crate) fn sole_points(
    robot: &Robot,
    placed: &[Isometry3<f64>],
    foot: usize,
    ankle: Point3<f64>,
    shank: f64,
) -> [Point3<f64>; 4] {
    let points = foot_shapes(robot, foot).flat_map(|shape| lowest_points(shape, &placed[shape.body]));
    let points: Vec<Point3<f64>> = points.collect();
    let Some(lowest) = points.iter().map(|point| point.z).min_by(f64::total_cmp) else {
        let [forward, half, down] = [0.4, 0.1, 0.2].map(|share| share * shank);
        let corner = |x: f64, y: f64| ankle + Vector3::new(x, y, -down);
        let [front, back] = [forward * 0.7, -forward * 0.3];
        return [corner(front, half), corner(front, -half), corner(back, half), corner(back, -half)];
    };
    let sole = || points.iter().filter(|point| point.z < lowest + THICKNESS);
    let range = |axis: usize| {
        let values = || sole().map(|point| point[axis]);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let ((back, front), (right, left)) = (range(0), range(1));
    let corner = |x: f64, y: f64| Point3::new(x, y, lowest);
    [corner(front, left), corner(front, right), corner(back, left), corner(back, right)]
}

/// The shapes of a foot: of its body, and of those on it, such as toes.
pub(crate) fn foot_shapes(robot: &Robot, foot: usize) -> impl Iterator<Item = &RobotShape> {
    let on_foot = move |body: usize| {
        std::iter::successors(Some(body), |body| robot.bodies()[*body].parent).any(|body| body == foot)
    };
    robot.shapes().iter().filter(move |shape| on_foot(shape.body))
}

/// Points of a shape among which its lowest is, or is nearly.
pub(crate) fn lowest_points(shape: &RobotShape, body: &Isometry3<f64>) -> Vec<Point3<f64>> {
    let placed = body * shape.placement;
    let down = |centre: Point3<f64>, radius: f64| centre - Vector3::z() * radius;
    match shape.primitive {
        Primitive::Sphere { radius } => vec![down(placed * Point3::origin(), radius)],
        Primitive::Capsule { radius, half_length } => {
            [-1.0, 1.0].map(|end| down(placed * Point3::new(0.0, 0.0, end * half_length), radius)).to_vec()
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
            points
        }
        Primitive::Box { half_sizes: h } | Primitive::Ellipsoid { radii: h } => {
            let mut points = Vec::with_capacity(8);
            for corner in 0..8 {
                let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                points.push(placed * Point3::new(sign(0) * h.x, sign(1) * h.y, sign(2) * h.z));
            }
            points
        }
    }
}
