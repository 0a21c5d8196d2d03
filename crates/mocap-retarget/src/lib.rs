//! Retargets motions from one skeleton to another.
//!
//! ```
//! use mocap_formats::bvh;
//! use mocap_retarget::{RetargetOptions, Retargeter};
//!
//! # let walk = include_bytes!("../../../fixtures/clips/alex_walk.bvh");
//! # let robin = include_bytes!("../../../fixtures/clips/robin_walk.bvh");
//! let read = |bytes: &[u8]| -> Result<mocap_retarget::Clip, Box<dyn std::error::Error>> {
//!     let document = bvh::parse(bytes, &Default::default())?.value;
//!     Ok(bvh::to_clip(&document, &Default::default())?.value)
//! };
//! let (walk, robin) = (read(walk)?, read(robin)?);
//! let retargeter = Retargeter::new(walk.skeleton(), robin.skeleton(), &RetargetOptions::default())?;
//! let (motion, report) = retargeter.retarget(&walk)?;
//! assert_eq!(motion.frames(), walk.frames());
//! for foot in &report.feet {
//!     println!("{}: skate {:?} m/s, penetration {:?} m", foot.role, foot.slide, foot.penetration_max);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//! Before the first frame, the *pair* of skeletons is prepared once: roles of joints (which joint is the left knee),
//! a reference pose of each (a T-pose made from its rest pose), ratios of limb lengths, and joint limits. A clip then
//! passes through stages, each a function on data:
//!
//! 1. **Clip context**: floor, foot contacts, and what the motion shows of the source's reference pose.
//! 2. **Transfer**: each joint rotates as its partner does relative to the reference pose; the root is scaled by the
//!    leg ratio; hands and feet get their goals.
//! 3. **Foot lock** (optional): toes stay in place during contacts.
//! 4. **Self-contacts** (optional): hands keep touching each other, the hips or the head.
//! 5. **Limbs**: inverse kinematics of legs and arms, with joint limits.
//! 6. **Surface** (optional): forearms and hands are kept out of trunk, head and legs.
//! 7. **Report** (optional): goal errors, foot skate, penetration, limits, angles, jerk.
//!
//! The method is based on C.-Y. Yang, T.-Y. Chang, M.-H. Chao, "Motion Retargeting with Geometry Scaling", 2002. Lengths
//! scale about the middle of the hips here, feet are locked to the floor, and two-bone limbs are solved in closed form.
//!
//! # Where to go next
//! - [`RetargetOptions`]: methods, hands, foot lock, floor, solvers, limits.
//! - [`map_roles`], [`Retargeter::explain`]: which joint is what, and why; [`RoleMap::given`] to say it yourself.
//! - [`estimate_rest_pose`]: for a target whose rest pose is not a T- or A-pose.
//! - [`retarget_joint_pairs`]: skeletons that are not bipeds.
//! - [`RetargetFigures`], [`MapFigures`]: the JSON form of a report and of a map; `Display` of
//!   [`RetargetReport`] and [`MapExplanation`] is the text for people.
//! - [`RetargetMetric`], [`RetargetGate`]: the figures of a report by name, and limits on them.

mod arm_reach;
mod body;
mod clip_context;
mod error;
mod explain;
mod figures;
mod fitted_body;
#[cfg(test)]
mod fixtures;
mod folding;
mod foot_geometry;
mod foot_goal;
mod foot_lock;
mod free_limb;
mod hand_measure;
mod hand_on_floor;
mod hand_placing;
mod hand_support;
mod head;
mod hinge_limits;
mod in_place;
mod joint_pairs;
mod joint_transfer;
mod largest_steps;
mod limb_bend;
mod limb_curves;
mod limb_map;
mod limb_solving;
mod map_figures;
mod map_text;
mod mean_roll;
mod measure;
mod metric;
mod options;
mod pair;
mod pose_estimation;
mod reference_feet;
mod reference_pose;
mod report;
mod report_text;
mod rest_choice;
mod rest_pose;
mod retargeter;
mod roles;
mod self_contact;
mod smoothing;
mod source_clip;
mod standing_heights;
mod surface;
mod swivel_plan;
mod text;
mod trajectories;
mod transfer;
mod transfer_rules;
mod translations;
mod velocity_limiter;

pub use mocap_ik::IkMethod;
pub use mocap_model::{Clip, JointId, Pose, Role, Side, Skeleton};

pub use error::{RetargetError, RetargetWarning, SourceOrTarget};
pub use explain::{
    ExplainedTransfer, FoundJoint, JointKind, MapExplanation, RolePair, UnmappedJoint, explain_roles,
};
pub use figures::RetargetFigures;
pub use fitted_body::fitted_body;
pub use hinge_limits::with_hinge_limits;
pub use joint_pairs::retarget_joint_pairs;
pub use map_figures::MapFigures;
pub use metric::{RetargetGate, RetargetMetric};
pub use mocap_analysis::{GateResult, MissedGate, ParseGateError};
pub use options::{Floor, FootLock, Hands, LimbSolver, RetargetMethod, RetargetOptions};
pub use pair::LimbRatios;
pub use report::{
    AngleReport, EffectorReport, FootReport, HandReport, LimitReport, MappingRow, OwnContacts,
    PartnerFigures, RetargetReport, SelfContactReport, SoleReport, StepReport,
};
pub use rest_choice::{RestChoice, RestPoseError, RestSource, frame_pose, rest_pose_of, with_rest_pose};
pub use rest_pose::{estimate_rest_pose, estimate_rest_pose_with_source};
pub use retargeter::Retargeter;
pub use roles::{REQUIRED_ROLES, RoleMap, RoleReason, RoleRow, map_roles, map_roles_in};
pub use surface::{
    BodyBeside, BodyPart, ForearmInside, LegsInside, PeopleMeter, PosedBeside, PosedParts,
    SurfaceContactReport, SurfaceFrames, SurfaceReport, SurfaceShape, TargetSurface, apart_along, nearest,
};
