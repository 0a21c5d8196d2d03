//! Measures motions: the error between two of them, foot contacts, foot skate, float height, penetration, the
//! floor, smoothness, capture artifacts, and the unit of a skeleton.
//!
//! Plain functions on a [`Clip`] and on trajectories; they change no motion. Lengths are metres where a function
//! says so, units of the clip elsewhere.
//!
//! ```
//! use mocap_analysis::{ContactOptions, object_error, quality};
//! # let reference = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
//! # let decoded = reference.clone();
//! // How far are two motions of one skeleton apart? Measured 3 cm from each joint.
//! let error = object_error(&reference, &decoded, 0.03)?;
//! println!("at most {:.3} mm, 99 % below {:.3} mm", error.max * 1e3, error.p99 * 1e3);
//!
//! // How good is one motion?
//! let quality = quality(&reference, &ContactOptions::default());
//! for foot in &quality.feet {
//!     // A figure that no frame shows is `None`.
//!     println!("{:?} foot: skate {:?} m/s", foot.side, foot.measure.skate);
//! }
//! for artifact in &quality.artifacts {
//!     println!("{} in frames {:?}", artifact.kind.name(), artifact.frames);
//! }
//! # Ok::<(), mocap_analysis::AnalysisError>(())
//! ```
//!
//! Where next:
//! - two motions: [`object_error`] sums up, [`error_map`] has every joint in every frame, [`shell_distance`] is the
//!   definition that both use (and the encoder of `mocap-compress`);
//! - feet: [`feet_of`], [`contacts`], [`foot_measure`], [`floor_height`];
//! - one motion: [`quality`], its JSON and text [`QualitySummary`], limits on its figures ([`Gate`]),
//!   [`largest_step`], [`mean_jerk`]; several motions of a database: [`FloorVote`];
//! - balance: [`BalanceCurves`] of rigid [`Segment`]s, a support [`Polygon`], [`flights`], people ([`body_balance`]);
//!   frames that [rest on other parts](rests_off_feet) than feet;
//!   where the centre of mass should go: [`horizontal_displacement`], [`vertical_displacement`];
//! - where joints are: [`trajectory`], [`trajectories`], [`placements`];
//! - a skeleton: [`guess_unit`], [`metres_per_unit`], [`stature`], [`tree_diameter`], [`upright`].

mod artifacts;
mod balance;
mod balance_plan;
mod bands;
mod beside_joints;
mod body_balance;
mod contacts;
mod error;
mod error_text;
mod feet;
mod flight;
mod floor;
mod floor_vote;
mod foot_motion;
mod frame_poses;
mod gate;
mod ground;
mod height;
mod kernel;
mod lengths;
mod low_pass;
mod marker_swaps;
mod object_error;
mod off_balance;
mod percentile;
mod polygon;
mod quality;
mod quality_summary;
mod resting;
mod shell;
mod smoothness;
mod trajectory;
mod unit;
mod up;
mod verdict;

pub use artifacts::{Artifact, ArtifactKind, find_artifacts};
pub use balance::{BalanceCurves, GRAVITY, Segment};
pub use balance_plan::{OverSoles, Support, horizontal_displacement, vertical_displacement};
pub use beside_joints::BesideJoints;
pub use body_balance::{
    BALANCE_CUTOFF, BESIDE_SOLES, BalanceSummary, BodyBalance, STANDING_SPEED, body_balance,
};
pub use contacts::{ContactOptions, Foot, FootContacts, contacts, feet_of, runs, runs_within};
pub use error::AnalysisError;
pub use error_text::millimetres;
pub use feet::{FootMeasure, SoleHeights, foot_measure};
pub use flight::{flights, off_free_fall};
pub use floor::{floor_height, floor_of, floor_under};
pub use floor_vote::{FloorVote, floor_in_legs};
pub use foot_motion::{FootMotion, FootMotions};
pub use frame_poses::FramePoses;
pub use gate::{Gate, GateResult, Gated, Metric, MissedGate, ParseGateError, limit_of, measured};
pub use height::body_height;
pub use lengths::{LengthUnit, Lengths};
pub use low_pass::low_pass;
pub use marker_swaps::{MarkerSwap, marker_swaps};
pub use mocap_model::{Clip, JointId, Pose, Side, Skeleton, Unit};
pub use object_error::{ErrorMap, ErrorSummary, WorstSample, error_map, object_error};
pub use off_balance::{OffBalance, OffBalanceKind, off_balance};
pub use percentile::{percentile, percentile_rank};
pub use polygon::Polygon;
pub use quality::{FootQuality, Quality, quality};
pub use quality_summary::{ArtifactSummary, FootSummary, QualitySummary, StepSummary};
pub use resting::{JointHeights, rests_off_feet};
pub use shell::{larger_error, shell_distance};
pub use smoothness::{LargestStep, correlation, largest_step, mean_jerk, rms_difference};
pub use trajectory::{Trajectory, placements, trajectories, trajectory};
pub use unit::{UnitGuess, guess_unit, leg_length, metres_per_unit, stature, tree_diameter, unit_guess};
pub use up::{upright, upright_by};
pub use verdict::{
    LimbMatch, Verdict, always_in_contact, body_size, hips_speed, limb_direction, limb_lengths, limb_matches,
    may_be_too_fast, may_have_two_lengths, trunk_direction,
};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
