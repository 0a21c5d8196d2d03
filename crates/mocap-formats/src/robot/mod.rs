//! Robots: URDF, and MJCF as MuJoCo reads it. Bodies, joints of one degree of freedom, limits and collision
//! primitives are read; meshes, sensors, actuators and looks are not.

mod element;
mod mjcf;
mod orientation;
mod parse;
mod problem;
mod urdf;

pub use element::Include;
pub use parse::{RobotFile, parse};
pub use problem::Problem;
