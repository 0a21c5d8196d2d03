//! Puts captured motion on humanoid robots: no table of offsets, joint limits that hold, feet that stay.

mod anchors;
mod band;
mod capsules;
mod cost;
mod error;
mod kinematics;
mod landmarks;
mod motion;
mod report;
mod retarget;
mod sole;
mod solve;
mod source;

pub use error::RobotError;
pub use kinematics::RobotPose;
pub use landmarks::{BodyPoint, Humanoid, Limb, Sole, rest_values};
pub use motion::RobotMotion;
pub use report::RobotReport;
pub use retarget::{RobotOptions, retarget};
