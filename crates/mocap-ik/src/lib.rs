//! Inverse kinematics: turning the joints of a chain so that its effectors meet their goals.
//!
//! One data type, [`Chain`] (joints in flat arrays, one effector or several), one input ([`Goal`]), one set of
//! [`Options`], one result ([`Outcome`]), and a family of solvers behind one trait, [`Solver`]. A solve starts
//! from the pose the chain holds, keeps every joint within its [`Constraint`], and allocates nothing.
//!
//! Lengths are in the units of the skeleton, angles in radians; positions and goals are in object space.
//!
//! ```
//! use mocap_ik::{Chain, Constraint, Goal, Link, Method, Options, Solver, Status};
//! use mocap_model::{Isometry3, UnitQuaternion, Vector3};
//!
//! let bone = |length: f64| Link {
//!     offset: Vector3::new(0.0, -length, 0.0),
//!     rotation: UnitQuaternion::identity(),
//!     constraint: Constraint::free(),
//! };
//! let hip = Link { offset: Vector3::zeros(), ..bone(0.0) };
//! let mut leg = Chain::serial(Isometry3::identity(), vec![hip, bone(0.45)], Vector3::new(0.0, -0.42, 0.0))?;
//! let outcome = Method::TwoBone.solve(&mut leg, &[Goal::at(Vector3::new(0.1, -0.7, 0.2))], &Options::default())?;
//! assert_eq!(outcome.status, Status::Reached);
//! # Ok::<(), mocap_ik::IkError>(())
//! ```

mod approach;
pub mod blocked;
pub mod ccd;
mod chain;
mod constraint;
mod descend;
mod dofs;
mod error;
pub mod fabrik;
mod gather;
mod goal;
pub mod jacobian;
mod linear;
mod method;
pub mod objective;
mod plain;
mod reach;
mod seed;
mod solve;
mod step;
pub mod two_bone;

pub use ccd::Ccd;
pub use chain::{Chain, Effector, Link};
pub use constraint::{Constraint, Freedom};
pub use error::IkError;
pub use fabrik::Fabrik;
pub use gather::{PosedChain, Tip};
pub use goal::Goal;
pub use jacobian::{Inverse, Jacobian, Posture};
pub use method::Method;
pub use objective::Objective;
pub use solve::{Options, Outcome, Solver, Start, Status};
pub use two_bone::TwoBone;

type Quat = nalgebra::UnitQuaternion<f64>;
type Vec3 = nalgebra::Vector3<f64>;
