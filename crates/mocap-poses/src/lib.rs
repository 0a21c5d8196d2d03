//! Poses by example: predicts the pose of a body from a few points and a database of motions.
//!
//! Plain functions on clips; they read no files and print nothing.
//!
//! - [`learn`]: chooses example poses from clips, a [`PosePrior`], which [`PosePrior::to_bytes`] writes to a small
//!   file.
//! - [`Goals`]: positions and orientations of some joints over time, with gaps; [`read_table`] reads them from CSV.
//! - [`solve`]: from goals to a motion. Goals are met exactly, the examples determine the rest.
//! - [`follow`]: moves the whole body with some of its joints; [`reach`]: the same without examples.
//! - [`fill`]: fills gaps of joints.
//! - [`PoseDensity`]: the probability density of poses with exact gradients, as a term of the objective solver of
//!   `mocap-ik`.
//! - [`unusual`]: the distance of each frame of a motion from the examples.
//!
//! The examples are retargeted to the skeleton that is solved, and a [`Predictor`] is fitted to them for the known
//! goals: the trunk from all goals, then each limb in the frame of the trunk from its own goals. So any set of goals,
//! also one that changes over time, and any human skeleton are handled alike.

mod body;
mod chain;
mod density;
mod error;
mod examples;
mod features;
mod file;
mod fill;
mod fitted;
mod follow;
mod goals;
mod heading;
mod learn;
mod limb;
mod nearest;
mod predict;
mod project;
mod regression;
mod report;
mod solve;
mod table;
mod unusual;

pub use body::{Body, Limb};
pub use chain::BodySolver;
pub use density::{ChainDensity, PoseDensity};
pub use error::PosesError;
pub use examples::Examples;
pub use file::{MAGIC, MAX_BYTES, VERSION};
pub use fill::{Filled, Lost, fill};
pub use follow::{Followed, Moved, follow, reach};
pub use goals::{Goal, Goals};
pub use learn::{JointTurn, LearnReport, LeftOut, Sampled, learn};
pub use nearest::nearest_poses;
pub use predict::Predictor;
pub use report::{GoalReport, PointLeftOut, PoseReport};
pub use solve::{Mounting, PoseOptions, Solved, solve, solve_with};
pub use table::{TableOptions, is_table, read_table};
pub use unusual::{FarFrames, Unusual, unusual};

pub use examples::PosePrior;

pub(crate) type Quat = mocap_model::UnitQuaternion<f64>;
pub(crate) type Vec3 = mocap_model::Vector3<f64>;
pub(crate) type Placed = mocap_model::Isometry3<f64>;
