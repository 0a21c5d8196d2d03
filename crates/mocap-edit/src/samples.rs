//! The tracks of a clip as one value per frame, and back.

use std::sync::Arc;

use mocap_model::{
    Annotations, Clip, Event, FrameRate, JointTracks, ModelError, Skeleton, UnitQuaternion, Vector3,
};

use crate::frame_values::{collapsed, expanded};
use crate::{EditError, numbers};

/// A clip whose every frame is sampled: for edits that mix frames.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) rate: FrameRate,
    pub(crate) frames: usize,
    /// By joint, one per frame.
    pub(crate) rotations: Vec<Vec<UnitQuaternion<f64>>>,
    /// By joint, one per frame; `None` where the joint stays at its offset.
    pub(crate) translations: Vec<Option<Vec<Vector3<f64>>>>,
    /// By joint, one per frame; `None` where nothing is scaled.
    pub(crate) scales: Vec<Option<Vec<Vector3<f64>>>>,
    /// Name, events and scalar tracks; dropped where they no longer fit the frames.
    pub(crate) annotations: Annotations,
}

impl Samples {
    pub(crate) fn of(clip: &Clip) -> Samples {
        Samples::taken(clip.clone())
    }

    /// As [`Samples::of`], in the memory of the clip where no other one shares it.
    pub(crate) fn taken(clip: Clip) -> Samples {
        let (skeleton, rate, frames) = (clip.skeleton().clone(), clip.rate(), clip.frames());
        let annotations = clip.annotations().clone();
        let (mut rotations, mut translations, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for JointTracks { rotation, translation, scale } in clip.into_tracks() {
            rotations.push(expanded(rotation, frames));
            translations.push(translation.map(|track| expanded(track, frames)));
            scales.push(scale.map(|track| expanded(track, frames)));
        }
        Samples { skeleton, rate, frames, rotations, translations, scales, annotations }
    }

    pub(crate) fn into_clip(self, edit: &'static str) -> Result<Clip, EditError> {
        let Samples { skeleton, rate, frames, rotations, translations, scales, annotations } = self;
        let joints = skeleton.joints().iter().zip(rotations).zip(translations.into_iter().zip(scales));
        let tracks = joints.map(|((joint, rotations), (translations, scales))| JointTracks {
            rotation: collapsed(rotations, joint.rest_rotation),
            translation: translations.map(|values| collapsed(values, joint.offset)),
            scale: scales.map(|values| collapsed(values, Vector3::repeat(1.0))),
        });
        let tracks = tracks.collect();
        Clip::new(skeleton, rate, frames, tracks)
            .and_then(|clip| clip.with_annotations(annotations))
            .map_err(|error| EditError::model(edit, error))
    }

    /// Adds the frames of another motion of the same joints.
    pub(crate) fn append(&mut self, next: Samples) {
        let (a, b) = (self.frames, next.frames);
        let scalars = numbers::joined((&self.annotations.scalars, a), (&next.annotations.scalars, b));
        self.set_frames(a);
        self.annotations.scalars = scalars;
        let start = a as f64 * self.rate.frame_time();
        // One time code tells the time of every frame.
        let is_code = |event: &Event| event.name.starts_with(Event::TIMECODE);
        let has_code = self.annotations.events.iter().any(is_code);
        let events = next.annotations.events.into_iter().filter(|event| !(has_code && is_code(event)));
        self.annotations.events.extend(events.map(|event| Event { time: event.time + start, ..event }));
        for (values, more) in self.rotations.iter_mut().zip(next.rotations) {
            values.extend(more);
        }
        let join =
            |all: &mut Option<Vec<Vector3<f64>>>, more: Option<Vec<Vector3<f64>>>, rest: Vector3<f64>| {
                if all.is_some() || more.is_some() {
                    all.get_or_insert_with(|| vec![rest; a]).extend(more.unwrap_or_else(|| vec![rest; b]));
                }
            };
        let offsets: Vec<Vector3<f64>> = self.skeleton.joints().iter().map(|joint| joint.offset).collect();
        for (joint, more) in next.translations.into_iter().enumerate() {
            join(&mut self.translations[joint], more, offsets[joint]);
        }
        for (joint, more) in next.scales.into_iter().enumerate() {
            join(&mut self.scales[joint], more, Vector3::repeat(1.0));
        }
        self.frames = a + b;
    }

    /// Keeps a range of frames, with the events and scalar tracks in it.
    pub(crate) fn cut(&mut self, range: std::ops::Range<usize>) {
        self.rotations.iter_mut().for_each(|values| *values = values[range.clone()].to_vec());
        for values in self.translations.iter_mut().chain(&mut self.scales).flatten() {
            *values = values[range.clone()].to_vec();
        }
        let events = Event::cut(&self.annotations.events, &range, self.rate);
        let scalars = numbers::cut(&self.annotations.scalars, range.clone());
        self.set_frames(range.len());
        self.annotations.scalars = scalars;
        self.annotations.events = events;
    }

    /// Sets the number of frames: scalar tracks no longer fit and are dropped, as are events after the end.
    pub(crate) fn set_frames(&mut self, frames: usize) {
        // The time of an event on the first frame after the end may be rounded.
        let end = (frames as f64 - 1e-6) * self.rate.frame_time();
        self.frames = frames;
        self.annotations.scalars.clear();
        self.annotations.events.retain(|event| event.time < end);
    }
}

impl EditError {
    pub(crate) fn model(edit: &'static str, error: ModelError) -> EditError {
        EditError::Model { edit, error }
    }
}
