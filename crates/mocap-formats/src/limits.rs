//! Bounds on what an input can make the program allocate.

/// The largest input that is read. Everything a reader allocates is bounded by these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a file.
    pub bytes: usize,
    /// Joints and end sites of a skeleton.
    pub joints: usize,
    /// Joints from a root down to a leaf.
    pub depth: usize,
    /// Frames of a clip.
    pub frames: usize,
}

impl Default for Limits {
    /// 4 GiB, 100,000 joints, 50,000 levels, 50 million frames.
    fn default() -> Limits {
        Limits { bytes: 4 << 30, joints: 100_000, depth: 50_000, frames: 50_000_000 }
    }
}

/// A bound of [`Limits`] that an input passes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the file has {found} {what}, more than the limit of {limit}")]
pub struct LimitExceeded {
    /// What there is too much of, such as `bytes`, `joints`, `levels`, `frames` or `channels`.
    pub what: &'static str,
    /// How much there is.
    pub found: usize,
    /// How much is allowed.
    pub limit: usize,
}

impl crate::Problem for LimitExceeded {
    fn code(&self) -> &'static str {
        "limit"
    }
}
