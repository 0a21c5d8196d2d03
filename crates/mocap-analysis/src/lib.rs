//! What can be measured on motions: how far two of them are apart, where the floor is, when feet stand on it,
//! how much they slide, float or sink, and how smooth the joints move.
//!
//! Plain functions on clips and on trajectories. Lengths that come out are metres where a function says so;
//! everything else is in the units of the clip. Nothing here changes a motion.

mod contacts;
mod error;
mod feet;
mod floor;
mod foot_motion;
mod quality;
mod smoothness;
mod trajectory;
mod unit;
mod up;

pub use contacts::{ContactOptions, Foot, FootContacts, contacts, feet_of, runs};
pub use error::{CompareError, ErrorMap, ErrorSummary, Worst, error_map, object_error};
pub use feet::{FootMeasure, SoleHeights, foot_measure, sole_heights};
pub use floor::{floor_height, floor_of};
pub use foot_motion::FootMotion;
pub use quality::{FootQuality, Quality, Suspect, Suspicion, quality};
pub use smoothness::{LargestStep, correlation, largest_step, mean_jerk, rms_difference};
pub use trajectory::{Trajectory, local_rotations, placements, trajectories, trajectory};
pub use unit::{guess_unit, metres_per_unit, tree_diameter};
pub use up::{up_axis, upright};
