#![doc = include_str!("../README.md")]
//!
//! A face is a neutral mesh V₀ and displacements Dᵢ, its shapes: V = V₀ + Σ wᵢ Dᵢ. Displacements are added. (A mean of
//! key poses, as in some texts, would halve each of two shapes that are both at 1.)

mod correctives;
mod expressions;
mod joint_poses;
mod lids;
mod map;
mod meeting;
mod names;
mod quadratic;
mod quality;
mod solve;
mod transfer;
mod vocabulary;

pub use correctives::{add_correctives, followed};
pub use expressions::with_expressions;
pub use joint_poses::{JointMove, JointPose, pose_joints};
pub use lids::{Lids, close_lids};
pub use map::{FaceMap, Link, Match};
pub use names::{Meaning, meaning};
pub use quality::{FaceArtifact, FaceQuality, face_quality};
pub use solve::{FaceBasis, SolveError, Solved, solve};
pub use transfer::{Neutral, TransferError, Transferred, transfer_shapes};
