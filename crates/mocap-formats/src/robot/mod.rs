//! Robots: URDF, and MJCF as MuJoCo reads it. Bodies, joints of one degree of freedom, limits and collision
//! shapes are read; sensors, actuators and looks are not.

mod element;
mod format;
mod from_mjcf;
mod from_urdf;
mod inertial;
mod mesh;
mod mjcf_assets;
mod mjcf_ties;
mod orientation;
mod parse;
mod problem;

pub(crate) use inertial::symmetric;

pub use element::Include;
pub use parse::{RobotFile, files_beside, parse};
pub use problem::Problem;

/// URDF in the table of formats.
pub(crate) mod urdf {
    pub(crate) use super::format::URDF as FORMAT;
}

/// MJCF in the table of formats.
pub(crate) mod mjcf {
    pub(crate) use super::format::MJCF as FORMAT;
}
