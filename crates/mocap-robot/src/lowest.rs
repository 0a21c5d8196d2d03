//! The lowest point of a robot.

use mocap_model::{Isometry3, Robot, Vector3};

use crate::landmarks::Humanoid;
use crate::sole::foot_shapes;

/// The height of the lowest point of a robot: of its shapes, and of soles without shapes \[m\].
pub(crate) fn lowest(robot: &Robot, humanoid: &Humanoid, placed: &[Isometry3<f64>]) -> f64 {
    let shapes = robot.shapes().iter().map(|shape| shape.lowest(&placed[shape.body], &Vector3::z()));
    let bare = humanoid.soles.iter().filter(|sole| foot_shapes(robot, sole.body).next().is_none());
    shapes.chain(bare.flat_map(|sole| sole.heights(placed))).fold(f64::INFINITY, f64::min)
}
