//! USD as text (`.usda`), written only: a `SkelRoot` with a `Skeleton`, a `SkelAnimation` per clip, and a skinned body.
//!
//! Based on: Pixar, "UsdSkel: schemas for skinned characters", OpenUSD documentation, 2024. Metres, Y up; one time code
//! per frame.

mod document;
mod format;
mod from_clip;
mod write;

pub use document::{Animation, Document};
pub use from_clip::from_clips;
pub use write::write;

pub(crate) use format::FORMAT;
pub(crate) use from_clip::identifier;
