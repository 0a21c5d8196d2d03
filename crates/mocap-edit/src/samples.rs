//! The tracks of a clip as one value per frame, and back.

use std::sync::Arc;

use mocap_model::{Clip, FrameRate, JointTracks, ModelError, Skeleton, Track, UnitQuaternion, Vector3};

use crate::EditError;

/// The values of a track, one per frame.
pub(crate) fn expanded<T: Copy>(track: &Track<T>, frames: usize) -> Vec<T> {
    match track {
        Track::Constant(value) => vec![*value; frames],
        Track::Sampled(values) => values.clone(),
    }
}

/// A track that is constant where all values are equal.
pub(crate) fn collapsed<T: Copy + PartialEq>(values: Vec<T>, otherwise: T) -> Track<T> {
    Track::from_samples(values).unwrap_or(Track::Constant(otherwise))
}

/// A clip whose every frame is sampled: for edits that mix frames.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) rate: FrameRate,
    pub(crate) frames: usize,
    /// By joint, one per frame.
    pub(crate) rotations: Vec<Vec<UnitQuaternion<f64>>>,
    /// By joint, one per frame; `None` where the offset holds.
    pub(crate) translations: Vec<Option<Vec<Vector3<f64>>>>,
}

impl Samples {
    pub(crate) fn of(clip: &Clip) -> Samples {
        let frames = clip.frames();
        let rotations = clip.tracks().iter().map(|tracks| expanded(&tracks.rotation, frames));
        let translations =
            clip.tracks().iter().map(|tracks| tracks.translation.as_ref().map(|track| expanded(track, frames)));
        Samples {
            skeleton: clip.skeleton().clone(),
            rate: clip.rate(),
            frames,
            rotations: rotations.collect(),
            translations: translations.collect(),
        }
    }

    pub(crate) fn into_clip(self, edit: &'static str) -> Result<Clip, EditError> {
        let Samples { skeleton, rate, frames, rotations, translations } = self;
        let joints = skeleton.joints().iter().zip(rotations).zip(translations);
        let tracks = joints.map(|((joint, rotations), translations)| JointTracks {
            rotation: collapsed(rotations, joint.rest_rotation),
            translation: translations.map(|values| collapsed(values, joint.offset)),
        });
        let tracks = tracks.collect();
        Clip::new(skeleton, rate, frames, tracks).map_err(|error| EditError::model(edit, error))
    }
}

impl EditError {
    pub(crate) fn model(edit: &'static str, error: ModelError) -> EditError {
        EditError::Model { edit, error }
    }
}
