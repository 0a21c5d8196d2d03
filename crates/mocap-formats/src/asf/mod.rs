//! Acclaim skeletons (ASF): the bones that an AMC file moves.
//!
//! [`parse`] gives a [`Document`], [`to_skeleton`] its meaning, [`from_skeleton`] the way back.
//!
//! Based on: M. Schafer, "Acclaim Skeleton File Definition V1.10", 1994; where files of the CMU database
//! depart from it (the unit of length), they are followed.

mod document;
mod format;
mod from_skeleton;
mod lex;
mod parse;
mod problem;
mod report;
mod to_skeleton;
mod tree;
mod write;

pub use document::{AngleUnit, AxisAngles, Bone, Document, Dof, Link, Root, Section, Units};
pub use from_skeleton::from_skeleton;
pub use parse::parse;
pub use problem::Problem;
pub use to_skeleton::{AsfUnits, to_skeleton};

pub(crate) use format::{FORMAT, is_skeleton};
pub(crate) use from_skeleton::{Needs, Plan, PlannedBone, file_space, plan};
pub(crate) use lex::not_finite;
pub(crate) use report::Report;
pub(crate) use to_skeleton::{BuiltSkeleton, build};
