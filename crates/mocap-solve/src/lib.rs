//! Solves recordings of optical markers onto skeletons.
//!
//! - [`MarkerSets`]: what labels mean, from a table that anyone can extend.
//! - [`solve()`]: from [`mocap_model::Markers`] to a [`mocap_model::Clip`], on a given skeleton or on one that is made of
//!   the subject.
//! - [`SolveReport`]: residuals by marker and segment, how well attachments are determined, doubtful frames.
//! - [`Calibration`]: bone lengths and attachments, for other takes of the subject.
//!
//! # How it works
//! 1. Labels are looked up: each is a landmark with a usual place on the body.
//! 2. Some frames are solved with the usual places, from nothing.
//! 3. Attachments, lengths and the poses of sixty frames that differ most are solved together; the table is the prior.
//!    Markers that end far from their place are left out and named.
//! 4. Every frame is solved from its neighbour; exchanged labels are found by where the poses expect them.
//! 5. Where markers of a joint are missing, the frame is solved again with the joint held to the poses before and after.
//!
//! Nothing depends on which axis is up, on the order of markers, or on chance. The crate reads no files and prints nothing.

mod assign;
mod body;
mod bridge;
mod calibrate;
mod calibrated;
mod calibration;
mod error;
mod exchange;
mod fit;
mod frame;
mod geometry;
mod identify;
mod join;
mod label;
mod marker_set;
mod measure;
mod pelvis;
mod presence;
mod props;
mod repair;
mod report;
mod rigid;
mod solve;
#[cfg(test)]
mod solve_tests;
mod start;
mod subject;
mod subject_prefix;
mod take;
mod template;
mod tree_matrix;
mod unseen;
mod virtual_markers;
mod warnings;

pub use calibration::{Attachment, Bone, Calibration};
pub use error::{SolveError, SolveWarning};
pub use marker_set::{Landmark, MarkerSets, Segment};
pub use props::Prop;
pub use report::{
    BoneLength, DoubtfulFrames, MarkerResidual, PropReport, Repairs, Residual, SegmentResidual, SolveReport,
};
pub use solve::{SolveOptions, Solved, solve};
pub use subject_prefix::subject_prefix;
pub use unseen::Unseen;
pub use virtual_markers::{VirtualMarkers, virtual_markers};
