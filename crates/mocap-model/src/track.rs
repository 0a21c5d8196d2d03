//! The values of one quantity over the frames of a clip.

/// Values over time: one for all frames, or one per frame.
///
/// ```
/// use mocap_model::Track;
///
/// assert_eq!(Track::from_samples(vec![2, 2, 2]), Some(Track::Constant(2)));
/// assert_eq!(Track::from_samples(vec![2, 3]).unwrap().at(1), 3);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Track<T> {
    /// The same value in every frame.
    Constant(T),
    /// One value per frame.
    Sampled(Vec<T>),
}

impl<T: Copy + PartialEq> Track<T> {
    /// A track of these values, constant if they are all equal; `None` without values.
    pub fn from_samples(samples: Vec<T>) -> Option<Track<T>> {
        let first = *samples.first()?;
        let constant = samples.iter().all(|sample| *sample == first);
        Some(if constant { Track::Constant(first) } else { Track::Sampled(samples) })
    }

    /// The value in a frame.
    ///
    /// # Panics
    /// If a sampled track has no such frame.
    pub fn at(&self, frame: usize) -> T {
        match self {
            Track::Constant(value) => *value,
            Track::Sampled(values) => values[frame],
        }
    }

    /// The stored values: one of a constant track, one per frame of a sampled one.
    pub fn values(&self) -> &[T] {
        match self {
            Track::Constant(value) => std::slice::from_ref(value),
            Track::Sampled(values) => values,
        }
    }

    /// A track of the same shape with every value replaced.
    pub fn map<U>(&self, mut change: impl FnMut(&T) -> U) -> Track<U> {
        match self {
            Track::Constant(value) => Track::Constant(change(value)),
            Track::Sampled(values) => Track::Sampled(values.iter().map(change).collect()),
        }
    }

    /// A track of `frames` frames whose frame `i` is `pick(i)` of this one's frames; constant tracks stay.
    pub(crate) fn resample(&self, frames: usize, mut pick: impl FnMut(&[T], usize) -> T) -> Track<T> {
        match self {
            Track::Constant(value) => Track::Constant(*value),
            Track::Sampled(values) => Track::Sampled((0..frames).map(|i| pick(values, i)).collect()),
        }
    }
}
