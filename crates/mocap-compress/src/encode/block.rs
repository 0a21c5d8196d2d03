//! Interface between the encoder and a profile: one block of frames.

use crate::encode::rig::{ObjectPoses, Rig};
use crate::encode::settings::Settings;
use crate::plan::Plan;
use crate::quat::Quat;
use crate::track::Moving;

/// A block of frames to be encoded.
pub(crate) struct Block<'a> {
    pub(crate) frames: usize,
    pub(crate) plan: &'a Plan,
    /// The kinds of the moving tracks, with the rest rotations of their joints.
    pub(crate) kinds: &'a [(Moving, Quat)],
    pub(crate) rig: &'a Rig,
    pub(crate) settings: Settings<'a>,
    pub(crate) original: ObjectPoses,
}

/// The bytes of a block.
pub(crate) struct EncodedBlock {
    pub(crate) bytes: Vec<u8>,
    /// Number of samples that miss their bound.
    pub(crate) failed: usize,
}
