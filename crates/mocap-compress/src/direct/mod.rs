//! The `direct` profile: any pose is decoded directly from the bytes, in the same short time anywhere in a
//! clip.
//!
//! The first frame of every segment of 16 is stored in rows of fixed width, as in the `runtime` profile.
//! Between two of them a track follows a *path*, the shortest arc or line, and three numbers per frame give the
//! displacement from it. They are predicted level by level, and the residuals have a fixed width in the
//! segment: a frame is a weighted sum of at most six numbers at known positions. Nothing else of the segment is
//! read.

mod bits_in_lanes;
mod group;
mod kernels;
mod layout;
mod phases;
mod plain;
mod read;
mod sinks;
mod tables;
mod values;
mod weights;
#[cfg(feature = "encode")]
mod write;

pub(crate) use read::{At, Reader};
pub(crate) use tables::Tables;
#[cfg(feature = "encode")]
pub(crate) use write::encode;

/// Frames of a segment.
pub(crate) const SEGMENT: usize = 16;
/// Number of levels, including that of the ends of segments.
const LEVELS: usize = SEGMENT.trailing_zeros() as usize + 1;

/// Number of frames from the start of a segment to its end.
fn length(segment: usize, last: usize) -> usize {
    (last - segment * SEGMENT).min(SEGMENT)
}

/// Number of values that a level of a segment of this length stores: one for each frame of the level before the
/// end.
#[inline(always)]
fn stored(level: usize, length: usize) -> usize {
    // One for each two strides; a power of two, so that nothing is divided.
    let stride = SEGMENT >> level;
    (length + stride - 1) >> (LEVELS - level)
}
