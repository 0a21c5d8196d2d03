//! What a motion *is*, apart from any file: skeletons, clips, poses, rotations, space and units.
//!
//! Column vectors, right-handed axes, radians, `f64`. A joint's local transform is its translation in the
//! parent's frame followed by its rotation; `object = object(parent) · local`. Object space is the space of
//! the clip's roots (other tools say model, global or world space).
//!
//! The crate does no I/O and prints nothing.

mod axis;
mod clip;
mod dofs;
mod edit;
mod euler;
mod pose;
mod rate;
mod role;
mod rotation;
mod skeleton;
mod space;
mod track;

pub use axis::{Axis, SignedAxis};
pub use clip::{Clip, ClipError, JointTracks};
pub use dofs::{Dofs, Limit};
pub use euler::{Angles, EulerOrder};
pub use nalgebra::{Isometry3, UnitQuaternion, Vector3};
pub use pose::Pose;
pub use rate::FrameRate;
pub use role::{Role, Side};
pub use rotation::{angle_between, exp, lerp, log, nlerp, rotation_between, slerp, swing_twist};
pub use skeleton::{Chain, Joint, JointId, Skeleton, SkeletonError};
pub use space::{Space, Unit, UnitSource};
pub use track::Track;
