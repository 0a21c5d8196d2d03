//! The `runtime` profile: segments of 32 frames that are decoded independently, without entropy coding.
//!
//! The first frame of every segment is stored in rows of fixed width, so any of them can be read at once. The
//! frames between are residuals in Rice codes, whose lengths are chosen for each track, level and axis, and
//! shifted for each segment. Based on: R. F. Rice, "Some practical universal noiseless coding techniques", 1979.

mod layout;
mod read;
mod shape;
#[cfg(feature = "encode")]
mod write;

pub(crate) use read::Reader;
#[cfg(feature = "encode")]
pub(crate) use write::encode;

/// Frames of a segment.
pub(crate) const SEGMENT: usize = 32;
/// Levels of the frames between.
const LEVELS: usize = 6;
/// Number of anchors from which a segment is predicted.
const AROUND: usize = 4;
/// Number of decoded values held: the frames of a segment, the first of the next, and anchors outside.
const SLOTS: usize = SEGMENT + 1 + AROUND;

/// The anchors that a segment uses, and its position among them, given the number of anchors.
fn around(segment: usize, anchors: usize) -> (usize, usize) {
    let first = segment.saturating_sub(1).min(anchors.saturating_sub(AROUND));
    (first, (first + AROUND).min(anchors))
}
