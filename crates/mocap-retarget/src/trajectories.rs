//! The target's motion as the stages build it: local rotations, root, and the goals of its limbs.

use crate::in_place::InPlace;
use crate::source_clip::SourceClip;
use mocap_model::{
    Clip, FrameRate, JointId, JointTracks, LANES, ModelError, PlacedLanes, Pose, RotationLanes, Skeleton,
    Track, UnitQuaternion, Vector3, VectorLanes,
};
use std::sync::Arc;

/// Local rotations and translations by frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointTrajectories {
    /// By joint, then by frame: one value if the rotation is constant, none if the joint keeps its start pose.
    pub rotations: Vec<Vec<UnitQuaternion<f64>>>,
    /// Of the joints that move.
    pub translations: Vec<(JointId, Vec<Vector3<f64>>)>,
}

/// The motion of a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyTrajectories {
    pub joints: JointTrajectories,
    /// Local translations of the hips.
    pub hips: Vec<Vector3<f64>>,
    /// The number of frames that are transferred at once.
    pub window: usize,
    /// Where rotations are kept until all frames are transferred, if not here.
    pub in_place: Option<InPlace>,
}

/// Goals of a body in the frames of a segment, before its limbs are solved. In object space, by block of eight
/// frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyTargets {
    /// The first frame of the segment, counted in the whole clip.
    pub start: usize,
    pub frames: usize,
    /// Orientations of the joint above the hips, the frame of their translations.
    pub above_hips: Vec<RotationLanes>,
    /// By limb of the pair, then by block; no blocks if the limb is not solved.
    pub limbs: Vec<Vec<LimbTargets>>,
    /// By limb of the pair: whether it needs no solver, because the transfer brings its tip to its goal.
    pub rests: Vec<bool>,
    /// By limb of the pair: the largest steps of the source's limb; 0 of one that is not solved.
    pub steps: Vec<[f64; 3]>,
    /// By limb of the pair: whether the transfer leaves its local rotations to its solver; they are then
    /// [`LimbTargets::transferred`].
    pub left: Vec<bool>,
    /// Positions of the head; empty if no stage reads them.
    pub head: Vec<VectorLanes>,
}

/// The inputs of one limb's solver in a block of frames, in object space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimbTargets {
    /// Transform of the joint above the limb.
    pub base: PlacedLanes,
    /// Position of the limb's first joint: hip or shoulder.
    pub from: VectorLanes,
    /// Target position of its tip.
    pub goal: VectorLanes,
    /// Orientations of its first joint and of knee or elbow, as transferred.
    pub frames: [RotationLanes; 2],
    /// Orientation of its tip.
    pub tip: RotationLanes,
    /// The axis about which the source's limb bends.
    pub bend: VectorLanes,
}

impl LimbTargets {
    /// Transferred local rotations of first joint and knee or elbow, for a limb whose joints follow the source's.
    pub(crate) fn transferred(&self) -> [RotationLanes; 2] {
        let [base, middle] = &self.frames;
        let mut local = self.frames;
        local[0].set_seen_from(&self.base.rotation, base);
        local[1].set_seen_from(base, middle);
        local
    }
}

/// Block and lane of a frame.
pub(crate) fn place_of(frame: usize) -> (usize, usize) {
    (frame / LANES, frame % LANES)
}

impl JointTrajectories {
    /// Makes a clip. Joints without samples keep their rotation in `start` and the offset of the skeleton.
    pub(crate) fn into_clip(
        self,
        skeleton: Arc<Skeleton>,
        start: &Pose,
        rate: FrameRate,
        frames: usize,
    ) -> Result<Clip, ModelError> {
        let mut translations: Vec<Option<Track<Vector3<f64>>>> = vec![None; skeleton.len()];
        for (joint, samples) in self.translations {
            translations[joint.index()] = Track::from_samples(samples);
        }
        let tracks = self.rotations.into_iter().zip(translations).zip(&start.joints);
        let tracks = tracks.map(|((rotation, translation), start)| JointTracks {
            rotation: Track::from_samples(rotation).unwrap_or(Track::Constant(start.rotation)),
            translation,
            scale: None,
        });
        let tracks = tracks.collect();
        Clip::new(skeleton, rate, frames, tracks)
    }
}

impl BodyTrajectories {
    /// Keeps a window of frames that was appended.
    pub(crate) fn keep(&mut self, frames: usize, source: &mut SourceClip) {
        if let (Some(in_place), Some(clip)) = (&mut self.in_place, source.own()) {
            in_place.keep(frames, clip, &mut self.joints.rotations);
        }
    }

    /// Takes the rotations of all frames from where they are kept.
    pub(crate) fn finish(&mut self, source: &mut SourceClip) {
        if let (Some(in_place), Some(clip)) = (self.in_place.take(), source.own()) {
            in_place.finish(clip, &mut self.joints.rotations);
        }
    }

    /// Makes a clip of the target, whose hips are `hips`.
    pub(crate) fn into_clip(
        mut self,
        skeleton: &Arc<Skeleton>,
        hips: JointId,
        rate: FrameRate,
    ) -> Result<Clip, ModelError> {
        let frames = self.hips.len();
        self.joints.translations.push((hips, self.hips));
        self.joints.into_clip(Arc::clone(skeleton), &Pose::rest(skeleton), rate, frames)
    }
}
