//! The `direct` profile: any pose straight from the bytes, in the same short time anywhere in a clip.
//!
//! The first frame of every segment of 16 is stored in rows of fixed width, as in the `runtime` profile. Between two of
//! them a track follows a *path*, the shortest way, and three numbers of each frame say how far it is off. These are
//! predicted level by level, and what is left has a fixed width in the segment: a frame is a weighted sum of at most
//! six numbers whose places are known. Nothing else of the segment is read.

mod kernels;
mod layout;
mod phases;
mod read;
#[cfg(feature = "encode")]
mod write;

pub(crate) use read::Reader;
#[cfg(feature = "encode")]
pub(crate) use write::encode;

/// Frames of a segment.
pub(crate) const SEGMENT: usize = 16;
/// Levels of the frames, with those at the ends of segments.
const LEVELS: usize = SEGMENT.trailing_zeros() as usize + 1;

/// The frames from the start of a segment to its end.
fn length(segment: usize, last: usize) -> usize {
    (last - segment * SEGMENT).min(SEGMENT)
}

/// How many numbers of a level a segment of this length has: one for each frame of the level before its end.
#[inline(always)]
fn stored(level: usize, length: usize) -> usize {
    let stride = SEGMENT >> level;
    (length + stride - 1) / (2 * stride)
}
