//! The rotations of the target in the memory of the source's: a long clip is not in memory twice.
//!
//! A window of frames is written over the source's once it is placed: nothing reads its local rotations again.

use mocap_model::{Clip, JointId, UnitQuaternion};

/// The rotations of the joints of the target, by joint.
type Rotations = [Vec<UnitQuaternion<f64>>];

/// Where the rotations of the target are kept.
#[derive(Clone, Debug)]
pub(crate) struct InPlace {
    /// By joint of the target: the joint of the source whose samples are overwritten.
    over: Vec<Option<JointId>>,
    /// The number of frames that are overwritten.
    frames: usize,
}

impl InPlace {
    /// `sampled` says of each joint of the target whether it has one rotation per frame. `None` if another clip shares
    /// the samples.
    pub(crate) fn new(source: &mut Clip, sampled: impl Iterator<Item = bool>) -> Option<InPlace> {
        let joints: Vec<JointId> = source.skeleton().iter().map(|(joint, _)| joint).collect();
        let mut free = joints.into_iter().filter(|joint| source.rotations_mut(*joint).is_some());
        let over: Vec<Option<JointId>> =
            sampled.map(|sampled| if sampled { free.next() } else { None }).collect();
        over.iter().any(Option::is_some).then_some(InPlace { over, frames: 0 })
    }

    /// Whether the rotations of a joint of the target are kept in the source's memory.
    pub(crate) fn holds(&self, joint: JointId) -> bool {
        self.over[joint.index()].is_some()
    }

    /// Moves rotations that were appended, of `frames` frames, into the memory of the source.
    pub(crate) fn keep(&mut self, frames: usize, source: &mut Clip, rotations: &mut Rotations) {
        let window = self.frames..self.frames + frames;
        for (over, samples) in self.over.iter().zip(rotations) {
            if let Some(kept) = over.and_then(|joint| source.rotations_mut(joint)) {
                kept[window.clone()].copy_from_slice(samples);
                samples.clear();
            }
        }
        self.frames = window.end;
    }

    /// Takes the rotations out of the source, whose other samples are freed.
    pub(crate) fn finish(self, source: &mut Clip, rotations: &mut Rotations) {
        for (over, samples) in self.over.iter().zip(rotations) {
            if let Some(kept) = over.and_then(|joint| source.take_rotations(joint)) {
                *samples = kept;
            }
        }
        for joint in 0..source.skeleton().len() {
            drop(source.take_rotations(JointId::from(joint)));
        }
    }
}
