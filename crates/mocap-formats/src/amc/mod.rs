//! Acclaim motions (AMC): the channels of the bones of an ASF file over time.
//!
//! [`parse`] gives a [`Document`]; [`to_clip`] gives what it means together with the skeleton that it moves;
//! [`from_clip`] makes both files of a clip.

mod document;
mod format;
mod from_clip;
mod parse;
mod problem;
mod to_clip;
mod write;

pub use document::{Bone, Document, Irregular};
pub use from_clip::{Pair, from_clip};
pub use parse::parse;
pub use problem::Problem;
pub use to_clip::{ClipOptions, to_clip};

pub(crate) use format::FORMAT;
