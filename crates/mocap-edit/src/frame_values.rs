//! Values of a track, one per frame, and back.

use mocap_model::Track;

/// The values of a track, one per frame.
pub(crate) fn expanded<T: Copy>(track: Track<T>, frames: usize) -> Vec<T> {
    match track {
        Track::Constant(value) => vec![value; frames],
        Track::Sampled(values) => values,
    }
}

/// A track of values, constant if they are equal.
pub(crate) fn collapsed<T: Copy + PartialEq>(values: Vec<T>, otherwise: T) -> Track<T> {
    Track::from_samples(values).unwrap_or(Track::Constant(otherwise))
}
