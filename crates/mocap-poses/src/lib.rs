//! Poses by example: what a database of motions says about a body of which only a few points are known.
//!
//! Plain functions on clips; they read no files and print nothing.
//!
//! - [`learn`]: clips become a [`PosePrior`], a set of example poses that [`PosePrior::to_bytes`] makes a small file of.
//! - [`Goals`]: positions and orientations of some joints over time, with gaps; [`read_table`] reads them from CSV.
//! - [`solve`]: goals become a motion. Goals are met exactly, the examples decide what they leave open.
//! - [`follow`]: how a body follows where some of its joints are moved; [`reach`]: the same without examples.
//! - [`fill`]: how joints that are lost for some time move.
//! - [`PoseDensity`]: how likely a pose is, with exact gradients, as a term of the objective solver of `mocap-ik`.
//! - [`unusual`]: how far each frame of a motion is from the examples.
//!
//! The examples are put on the skeleton that is solved, and a [`Predictor`] is fitted to them for the goals that are
//! known: the trunk from all goals, then each limb in the frame of the trunk from its own goals. So any set of goals,
//! any skeleton of a human body and any change of both over time take the same path.

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
