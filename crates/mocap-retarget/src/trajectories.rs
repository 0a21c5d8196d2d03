//! The target's motion while the stages make it: local rotations, root, and the goals of its limbs.

use crate::self_contact::PalmTracks;
use mocap_model::{
    Clip, FrameRate, Isometry3, JointId, JointTracks, ModelError, Pose, Skeleton, Track, UnitQuaternion,
    Vector3,
};
use std::sync::Arc;

/// Local rotations and translations by frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointTrajectories {
    /// By joint, then by frame; empty for a joint that keeps its start pose.
    pub rotations: Vec<Vec<UnitQuaternion<f64>>>,
    /// Of the joints that move.
    pub translations: Vec<(JointId, Vec<Vector3<f64>>)>,
}

/// The motion of a body before its limbs are solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyTrajectories {
    pub joints: JointTrajectories,
    /// Local translations of the hips.
    pub hips: Vec<Vector3<f64>>,
    /// Orientations of the joint above the hips, the frame of their translations.
    pub above_hips: Vec<UnitQuaternion<f64>>,
    /// By limb of the pair.
    pub limbs: Vec<LimbTargets>,
    /// Positions of the head; empty if no stage reads them.
    pub head: Vec<Vector3<f64>>,
    /// Where the source's palms are.
    pub palms: PalmTracks,
}

/// The inputs of one limb's solver by frame, in object space; empty if the limb is not solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct LimbTargets {
    /// Transform of the joint above the limb.
    pub base: Vec<Isometry3<f64>>,
    /// Position of the limb's first joint: hip or shoulder.
    pub from: Vec<Vector3<f64>>,
    /// Target position of its tip.
    pub goal: Vec<Vector3<f64>>,
    /// The axis about which it flexes.
    pub bend: Vec<Vector3<f64>>,
    /// Orientations of its first joint and of knee or elbow, as transferred.
    pub frames: Vec<[UnitQuaternion<f64>; 2]>,
    /// Orientation of its tip.
    pub tip: Vec<UnitQuaternion<f64>>,
}

impl LimbTargets {
    pub(crate) fn with_capacity(frames: usize) -> LimbTargets {
        LimbTargets {
            base: Vec::with_capacity(frames),
            from: Vec::with_capacity(frames),
            goal: Vec::with_capacity(frames),
            bend: Vec::with_capacity(frames),
            frames: Vec::with_capacity(frames),
            tip: Vec::with_capacity(frames),
        }
    }
}

impl JointTrajectories {
    /// Without frames yet; `moving` are the joints with translations.
    pub(crate) fn with_capacity(
        joints: usize,
        moving: impl Iterator<Item = JointId>,
        frames: usize,
    ) -> JointTrajectories {
        JointTrajectories {
            rotations: (0..joints).map(|_| Vec::with_capacity(frames)).collect(),
            translations: moving.map(|joint| (joint, Vec::with_capacity(frames))).collect(),
        }
    }

    /// The clip of these trajectories. Joints without samples keep their rotation of `start`, and the offset of the
    /// skeleton.
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
    /// The clip of these trajectories on the target, whose hips are `hips`.
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
