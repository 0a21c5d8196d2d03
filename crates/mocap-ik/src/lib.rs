//! Inverse kinematics: turns the joints of a chain until its effectors reach their goals.
//!
//! Take a limb from a skeleton, solve it for a position, and write the pose back:
//!
//! ```
//! use mocap_ik::{Goal, IkMethod, PosedChain, SolveOptions, SolveStatus, Solver};
//! use mocap_model::{Joint, JointId, Pose, Skeleton, Space, Vector3};
//!
//! let joint = |name: &str, parent: Option<u32>, y: f64| {
//!     Joint::new(name, parent.map(JointId), Vector3::new(0.0, y, 0.0))
//! };
//! let [thigh, knee] = [joint("thigh", None, 0.9), joint("knee", Some(0), -0.45)];
//! let joints = vec![thigh, knee, joint("ankle", Some(1), -0.42)];
//! let skeleton = Skeleton::new("leg", Space::default(), joints)?;
//! let [thigh, ankle] = ["thigh", "ankle"].map(|name| skeleton.find(name).unwrap());
//!
//! let mut pose = Pose::rest(&skeleton);
//! let mut leg = PosedChain::limb(&skeleton, thigh, ankle)?;
//! leg.read(&skeleton, &pose)?;
//! let goal = Goal::at(Vector3::new(0.1, 0.2, 0.2));
//! let outcome = IkMethod::TwoBone.solve(&mut leg.chain, &[goal], &SolveOptions::default())?;
//! assert_eq!(outcome.status, SolveStatus::Reached);
//! leg.write(&mut pose)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`PosedChain`] builds a chain from a skeleton, reads a pose and writes it back; [`IkChain`] is the chain
//!   itself and can be built without a skeleton.
//! - [`Goal`] is the target of one effector: position, orientation, weights, pole, priority.
//! - [`Constraint`] limits a joint: hinge, cone and twist, ranges of Euler angles, stiffness.
//! - [`SolveOptions`] holds tolerances and behaviour, [`SolveOutcome`] the result.
//! - [`BoneTurns`] is the two-bone solution of a free limb without a chain.
//! - [`IkMethod`] selects a solver by name. All of them implement [`Solver`]: [`TwoBone`], [`Ccd`],
//!   [`Fabrik`], [`Jacobian`], [`Objective`].
//! - [`Xpbd`] and [`Objective`] solve whole bodies: a base that travels ([`IkChain::set_travel`]), angles that move
//!   together ([`ChainCoupling`]), effectors that point at something ([`Aim`]); [`Xpbd`] keeps [`Capsule`]s apart, and
//!   [`Informed`] adds the cost of unlikely poses ([`PoseCost`]). [`look_at`] turns head, neck and spine by shares.
//!
//! A solve starts from the pose that the chain holds, keeps every joint within its [`Constraint`],
//! and gives the same bits on every run. It allocates nothing, except in [`Xpbd`], in [`Informed`],
//! and for couplings. Lengths are in the units of the skeleton, angles in radians, positions and
//! goals in object space. The crate does no I/O and prints nothing.
//!
//! Where next: the examples `leg` (a limb of a skeleton, hips over a planted foot) and `hands` (two
//! effectors, by weight and by priority).

mod aim;
mod bend;
mod bone_turns;
mod capsule;
pub mod ccd;
mod chain;
mod constrained_slerp;
mod constraint;
mod coupling;
mod dofs;
mod error;
mod evaluate;
pub mod fabrik;
mod goal;
mod iteration;
pub mod jacobian;
mod linear;
mod method;
pub mod objective;
mod options;
mod outcome;
mod pose_cost;
mod posed_chain;
mod reach;
mod restart;
mod scratch;
mod solver;
mod step;
pub mod two_bone;
mod unconstrained;
pub mod xpbd;

pub use aim::{Aim, Look, LookJoint, look_at};
pub use bone_turns::BoneTurns;
pub use capsule::Capsule;
pub use ccd::Ccd;
pub use chain::{Effector, IkChain, Link};
pub use constraint::{Constraint, Freedom};
pub use coupling::ChainCoupling;
pub use error::IkError;
pub use fabrik::Fabrik;
pub use goal::Goal;
pub use jacobian::{Jacobian, JacobianInverse, Posture};
pub use method::IkMethod;
pub use objective::{Informed, Objective};
pub use options::{SolveOptions, SolveStart};
pub use outcome::{SolveOutcome, SolveStatus};
pub use pose_cost::PoseCost;
pub use posed_chain::{PosedChain, Tip};
pub use solver::Solver;
pub use two_bone::TwoBone;
pub use xpbd::Xpbd;

type Quat = nalgebra::UnitQuaternion<f64>;
type Vec3 = nalgebra::Vector3<f64>;
