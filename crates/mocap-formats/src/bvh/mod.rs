//! BVH (Biovision Hierarchy): read, written, turned into clips and back.
//!
//! Column vectors, degrees in the file. The rotation channels of a joint multiply from left to right in the
//! order in which they are listed, its translation stands before all of them:
//! `local = T · R(c1) · R(c2) · R(c3)`, `world = world(parent) · local`. The format states neither unit nor
//! axes: lengths are kept as they are.

mod channels;
mod commas;
mod document;
mod edit;
mod floor_test;
mod format;
mod from_clip;
mod grammar;
mod hierarchy;
mod motion;
mod names;
mod normalise;
mod parse;
mod positions;
mod problem;
mod reader;
mod reading;
mod repair;
mod rest_frame;
mod row;
mod rows;
mod straight_rest;
mod to_clip;
mod write;
mod written_names;

pub use document::{Channel, Document, Node, NodeKind};
pub use from_clip::{WriteOptions, from_clip};
pub use motion::{FrameTime, Motion};
pub use normalise::normalise;
pub(crate) use parse::check_start;
pub use parse::{parse, parse_shared};
pub use positions::{PositionChannels, position_mode};
pub use problem::Problem;
pub use reading::{LowestPoints, PositionDecision, PositionMode};
pub use rest_frame::rest_first_frame;
pub use to_clip::{ClipOptions, to_clip, to_clip_start};
pub use written_names::NameStyle;

pub(crate) use format::FORMAT;
