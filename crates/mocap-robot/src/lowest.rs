//! The lowest point of a robot.

use mocap_model::{Isometry3, Robot};

use crate::landmarks::Humanoid;
use crate::sole::{foot_shapes, low_points};

/// The height of the lowest point of a robot: of its shapes, and of soles without shapes \[m\].
pub(crate) fn lowest(robot: &Robot, humanoid: &Humanoid, placed: &[Isometry3<f64>]) -> f64 {
    let shapes = robot.shapes().iter().flat_map(|shape| low_points(shape, &placed[shape.body]));
    let bare = humanoid.soles.iter().filter(|sole| foot_shapes(robot, sole.body).next().is_none());
    let heights = shapes.map(|point| point.lowest().z).chain(bare.flat_map(|sole| sole.heights(placed)));
    heights.fold(f64::INFINITY, f64::min)
}
