//! The data of motion capture, independent of any file: skeletons, clips, poses, markers, rotations, axes and
//! units.
//!
//! Build a skeleton and a clip, and ask where a joint is:
//!
//! ```
//! use mocap_model::*;
//! use std::sync::Arc;
//!
//! let joints = vec![
//!     Joint::new("shoulder", None, Vector3::new(0.0, 1.4, 0.0)),
//!     Joint::new("elbow", Some(JointId(0)), Vector3::new(0.3, 0.0, 0.0)),
//! ];
//! let skeleton = Arc::new(Skeleton::new("arm", Space::default(), joints)?);
//! let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
//! // The arm rises by a quarter turn about Z in one second.
//! let raise = |frame: usize| exp(&Vector3::new(0.0, 0.0, 1.5708 * frame as f64 / 60.0));
//! tracks[0].rotation = Track::Sampled((0..61).map(raise).collect());
//! let clip = Clip::new(skeleton, FrameRate::new(60.0).unwrap(), 61, tracks)?;
//!
//! let mut kinematics = ForwardKinematics::new(&clip);
//! kinematics.place(60);
//! assert!((kinematics.position(JointId(1)) - Vector3::new(0.0, 1.7, 0.0)).norm() < 1e-4);
//! # Ok::<(), ModelError>(())
//! ```
//!
//! - [`Skeleton`] is a tree of [`Joint`]s; [`Clip`] adds a [`FrameRate`] and one set of [`JointTracks`] per
//!   joint.
//! - [`Annotations`] are what a clip holds besides: its name, [`Event`]s, numbers over time.
//! - [`Pose`] is one frame; [`ForwardKinematics`] places the joints of a clip in object space,
//!   [`PlacedJoints`] those of many frames, eight at a time ([`RotationLanes`]), [`PlacedWindows`] those of long clips in
//!   little memory.
//! - [`ClipFrames`] are some frames of a clip, without a copy.
//! - [`Body`] is the surface of a character: meshes that follow the joints of a skeleton.
//! - [`Scene`] is who and what is in one space and time: [`Character`]s, props, [`MarkerSet`]s. A clip is a scene of one.
//! - [`Markers`] are recorded points with gaps, before a skeleton exists.
//! - [`Space`] states axes and unit, [`Role`] what a joint is in a body, [`Dofs`] how it may move.
//! - [`Length`], [`UnitLength`], [`FrameRange`] read what people type: `1mm`, `cm`, `0.5s:2s`.
//! - [`EulerOrder`], [`slerp`], [`exp`], [`log`], [`swing_twist`]: rotations.
//!
//! Conventions: column vectors, right-handed axes, radians, `f64`. The local transform of a joint is its
//! translation in the frame of its parent, followed by its rotation and, where it has a scale track, by its
//! scale; `object = object(parent) · local`.
//! Object space is the space of the clip's roots (other tools say model, global or world space).
//!
//! Errors are [`ModelError`]s. The crate does no I/O and prints nothing.
//!
//! Where next: `mocap-formats` reads and writes files, `mocap-analysis` measures clips, `mocap-retarget`
//! moves them to another skeleton.

mod annotations;
mod axis;
mod body;
mod clip;
mod clip_frames;
mod coupling;
mod dofs;
mod edit;
mod error;
mod euler;
mod events;
mod face;
mod facing;
mod frame_range;
mod hull;
mod kinematics;
mod lanes;
mod limb_names;
mod markers;
mod nearest_name;
mod placed_joints;
mod placed_windows;
mod pose;
mod quantity;
mod rate;
mod robot;
mod robot_mass;
mod robot_motion;
mod robot_scaled;
mod robot_shape;
mod role;
mod rotation;
mod scene;
mod selection;
mod skeleton;
mod space;
mod stretch;
#[cfg(feature = "serde")]
mod text_value;
mod track;

pub use annotations::{Annotations, ScalarTrack};
pub use axis::{Axis, SignedAxis};
pub use body::{Body, Bone, BoundBody, Image, Influence, Material, Mesh, Parts, Shape, Skin, StatedSkin};
pub use clip::{Clip, JointTracks};
pub use clip_frames::ClipFrames;
pub use coupling::{CoupledAngle, Coupling, Relation};
pub use dofs::{Dofs, Limit};
pub use error::ModelError;
pub use euler::{Angles, EulerOrder};
pub use events::Event;
pub use face::{
    ARKIT_SHAPES, Expression, InBetween, Override, in_between_weight, mirrored_shape, words_of_name,
};
pub use facing::facing_across;
pub use frame_range::FrameRange;
pub use hull::Hull;
pub use kinematics::ForwardKinematics;
pub use lanes::{LANES, RotationLanes, VectorLanes};
pub use limb_names::NamedLimb;
pub use markers::Markers;
pub use nalgebra::{Isometry3, UnitQuaternion, Vector3};
pub use nearest_name::nearest_name;
pub use placed_joints::{PlacedJoints, PlacedLanes};
pub use placed_windows::PlacedWindows;
pub use pose::Pose;
pub use quantity::{Factor, Finite, Length, LengthAboveZero, Seconds, UnitLength};
pub use rate::{FrameRate, last_digit};
pub use robot::{Mimic, Robot, RobotBody, RobotJoint, RobotJointKind, RobotParts};
pub use robot_motion::{RobotMotion, RobotPose};
pub use robot_shape::{ContactMask, Primitive, RobotShape};
pub use role::{Role, Side};
pub use rotation::{
    angle_between, exp, lerp, log, mean_rotation, nearest_quarter_turn, nlerp, renormalised,
    rotation_between, slerp, swing_twist, turn_about,
};
pub use scene::{Character, MarkerSet, Part, Scene, name_of_tree};
pub use skeleton::{Chain, Joint, JointId, Skeleton};
pub use space::{Space, Unit, UnitSource};
#[cfg(feature = "serde")]
pub use text_value::from_text;
pub use track::Track;
