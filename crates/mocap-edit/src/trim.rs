//! Trim and resample: the frames that are kept, and the rate.

use mocap_model::{Clip, FrameRange, FrameRate};

use crate::EditError;
use crate::samples::Samples;

/// Keeps a range of frames, end excluded.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let start = mocap_edit::trim(&clip, &"0:5".parse().unwrap())?;
/// assert_eq!(start.frames(), 5);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::NoFrameLeft`] where the range is outside the clip.
pub fn trim(clip: &Clip, range: &FrameRange) -> Result<Clip, EditError> {
    let frames = clip.frames();
    let range = range.frames(frames, clip.rate().fps()).ok_or(EditError::NoFrameLeft {
        edit: "trim",
        frames,
        seconds: clip.duration(),
    })?;
    clip.trimmed(range).map_err(|error| EditError::model("trim", error))
}

/// Drops the first frame: in BVH conversions of the CMU database it is a rest pose.
///
/// # Errors
/// [`EditError::NoFrameLeft`] if the clip has no other frame.
pub fn drop_first_frame(clip: &Clip) -> Result<Clip, EditError> {
    let frames = clip.frames();
    if frames < 2 {
        return Err(EditError::NoFrameLeft { edit: "drop-first-frame", frames, seconds: clip.duration() });
    }
    clip.trimmed(1..frames).map_err(|error| EditError::model("drop-first-frame", error))
}

/// Samples the motion at another rate; the duration stays.
///
/// # Errors
/// Where the clip would have too many frames.
pub fn resample(clip: &Clip, rate: FrameRate) -> Result<Clip, EditError> {
    clip.resampled(rate).map_err(|error| EditError::model("fps", error))
}

/// A motion cut or extended to a number of frames, by repeating the last one; without events and scalar tracks.
pub(crate) fn of_length(clip: &Clip, frames: usize, edit: &'static str) -> Result<Clip, EditError> {
    let mut samples = Samples::of(clip);
    fn fit<T: Clone>(values: &mut Vec<T>, frames: usize) {
        if let Some(last) = values.last().cloned() {
            values.resize(frames, last);
        }
    }
    samples.rotations.iter_mut().for_each(|values| fit(values, frames));
    samples.translations.iter_mut().flatten().for_each(|values| fit(values, frames));
    samples.scales.iter_mut().flatten().for_each(|values| fit(values, frames));
    samples.annotations = mocap_model::Annotations::default();
    samples.frames = frames;
    samples.into_clip(edit)
}
