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
    /// Frames × joints (with end sites) of a clip that is read or written: a small file can state a motion that takes
    /// gigabytes. A sample of a rotating joint takes 32 bytes in memory.
    pub samples: usize,
}

impl Default for Limits {
    /// 1 GiB, 100,000 joints, 50,000 levels, 50 million frames, 64 million frames × joints: 2 GB of rotations, or an
    /// hour of 148 joints at 120 frames per second.
    fn default() -> Limits {
        Limits { bytes: 1 << 30, joints: 100_000, depth: 50_000, frames: 50_000_000, samples: 64_000_000 }
    }
}

impl Limits {
    /// The [`LimitExceeded::what`] of [`Limits::samples`].
    pub const SAMPLES: &str = "samples (frames × joints)";

    /// Checks the size of a clip of so many frames and joints.
    ///
    /// # Errors
    /// Where frames × joints are more than [`Limits::samples`].
    pub fn check_samples(&self, frames: usize, joints: usize) -> Result<(), LimitExceeded> {
        let found = frames.saturating_mul(joints);
        if found > self.samples {
            return Err(LimitExceeded { what: Limits::SAMPLES, found, limit: self.samples });
        }
        Ok(())
    }
}

/// A bound of [`Limits`] that an input passes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the file has {found} {what}, more than the limit of {limit}")]
pub struct LimitExceeded {
    /// The quantity that exceeds its limit, such as `bytes`, `joints`, `levels`, `frames` or `channels`.
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
