//! Puts the motion of one skeleton on another.
//!
//! ```no_run
//! # use mocap_model::{Clip, Skeleton};
//! # use mocap_retarget::{Options, Retargeter};
//! # fn example(clip: &Clip, target: &Skeleton) -> Result<(), mocap_retarget::RetargetError> {
//! let retargeter = Retargeter::new(clip.skeleton(), target, &Options::default())?;
//! let (motion, report) = retargeter.retarget(clip)?;
//! assert_eq!(motion.frames(), clip.frames());
//! # let _ = report;
//! # Ok(())
//! # }
//! ```

mod body;
mod collar;
mod copy;
mod error;
mod evidence;
mod explain;
mod frames;
mod free;
mod ground;
mod limb;
mod metric;
mod options;
mod plant;
mod report;
mod rest;
mod retargeter;
mod roles;
mod stance;
mod swivel;
mod touch;
mod transfer;

pub use mocap_ik::IkMethod;

pub use error::{RetargetError, Warning, Which};
pub use explain::{Becomes, Explanation, FoundJoint, JointKind, OtherJoint, PairRow, explain_roles};
pub use free::retarget_pairs;
pub use metric::Metric;
pub use options::{Floor, FootLock, Hands, LimbSolver, Method, Options};
pub use report::{
    AngleReport, EffectorReport, FootReport, LimitReport, MappingRow, Report, SoleReport, StepReport,
};
pub use rest::rest_from_motion;
pub use retargeter::{Ratios, Retargeter};
pub use roles::{NEEDED_ROLES, Reason, RoleMap, RoleRow, map_roles, map_roles_in};
pub use touch::TouchReport;
