//! The start of a source.

use mocap_model::Pose;

/// What is known about the start of a source.
#[derive(Default)]
pub(crate) struct Opening {
    /// Its rest pose, if a flag names a frame.
    pub(crate) rest: Option<Pose>,
    /// Frames at its start that are a rest pose, not motion.
    pub(crate) lead_in: usize,
}
