//! Retargets captured motion to humanoid robots, without tables of robots: joint limits hold, and feet stay in
//! place.

/// The program of the README, compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod anatomy;
mod anchors;
mod balance;
mod by_design;
mod convex;
mod cost;
mod envelope;
mod error;
mod explain;
mod facing;
mod first_fit;
mod fit;
mod free_fall;
mod goals;
mod hand_contacts;
mod hand_pins;
mod head;
mod highest;
mod hinge_names;
mod hinges;
mod joint_turns;
mod kinematics;
mod landmarks;
mod limb;
mod limb_pairs;
mod lowest;
mod masses;
mod measure;
mod mirror;
mod normal;
mod on_pelvis;
mod own_motion;
mod plan;
mod planted;
mod raise;
mod read_source;
mod reference_leg;
mod reference_size;
mod report;
mod rest;
mod resting;
mod retarget;
mod smoothness;
mod sole;
mod solids;
mod solve;
mod source;
mod source_points;
mod speed_limits;

pub use balance::{Balance, robot_balance};
pub use error::RobotError;
pub use explain::{DrivenPart, Follows, OtherJoint, RobotMap};
pub use head::Head;
pub use hinges::{UnknownRobot, may_be_robot, unknown_robot};
pub use landmarks::{Humanoid, Sole};
pub use limb::{Bends, BodyPoint, Limb};
pub use own_motion::{OffHinge, own_roles};
pub use report::{Excess, Follow, RobotGate, RobotHand, RobotReport, Skate};
pub use rest::rest_values;
pub use retarget::{RobotOptions, retarget};
