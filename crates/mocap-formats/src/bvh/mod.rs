//! BVH (Biovision Hierarchy): read, written, turned into clips and back.
//!
//! Column vectors, degrees in the file. The rotation channels of a joint multiply from left to right in the
//! order in which they are listed, its translation stands before all of them:
//! `local = T · R(c1) · R(c2) · R(c3)`, `world = world(parent) · local`. The format states neither unit nor
//! axes: lengths are kept as they are.

mod commas;
mod document;
mod grammar;
mod hierarchy;
mod lower;
mod names;
mod positions;
mod problem;
mod raise;
mod read;
mod repair;
mod rest_frame;
mod rows;
mod write;

pub use document::{Channel, Document, FrameTime, Motion, Node, NodeKind};
pub use lower::{ClipOptions, to_clip, to_clip_start};
pub use positions::{PositionChannels, PositionDecision, PositionMode, position_mode};
pub use problem::Problem;
pub use raise::{WriteOptions, from_clip};
pub use read::parse;
pub use rest_frame::rest_first_frame;
