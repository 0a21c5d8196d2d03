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
    /// A track of these values, constant if they are equal; `None` for no values.
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

    /// The stored values in a range of frames: one of a constant track.
    ///
    /// # Panics
    /// If a sampled track does not have these frames.
    pub fn within(&self, frames: std::ops::Range<usize>) -> &[T] {
        match self {
            Track::Constant(value) => std::slice::from_ref(value),
            Track::Sampled(values) => &values[frames],
        }
    }

    /// A track of the same shape with every value replaced.
    pub fn map<U>(&self, mut change: impl FnMut(&T) -> U) -> Track<U> {
        match self {
            Track::Constant(value) => Track::Constant(change(value)),
            Track::Sampled(values) => Track::Sampled(values.iter().map(change).collect()),
        }
    }

    /// As [`Track::map`], in the memory of this track.
    pub(crate) fn change(&mut self, mut change: impl FnMut(&T) -> T) {
        let values = match self {
            Track::Constant(value) => std::slice::from_mut(value),
            Track::Sampled(values) => values,
        };
        values.iter_mut().for_each(|value| *value = change(value));
    }

    /// Whether there is one value per frame.
    pub fn is_sampled(&self) -> bool {
        matches!(self, Track::Sampled(_))
    }

    /// One value per frame; without a number of frames, one for all.
    pub(crate) fn of_frames(frames: Option<usize>, mut value: impl FnMut(usize) -> T) -> Track<T> {
        match frames {
            Some(frames) => Track::Sampled((0..frames).map(value).collect()),
            None => Track::Constant(value(0)),
        }
    }

    /// The value at a place between frames; `mix` interpolates.
    pub(crate) fn between(&self, place: Between, mix: impl Fn(&T, &T, f64) -> T) -> T {
        match self {
            Track::Constant(value) => *value,
            Track::Sampled(values) if place.share == 0.0 => values[place.from],
            Track::Sampled(values) => mix(&values[place.from], &values[place.from + 1], place.share),
        }
    }

    /// A track of `frames` frames, each at a place of this one; constant tracks stay.
    pub(crate) fn resample(
        &self,
        frames: usize,
        place: impl Fn(usize) -> Between,
        mix: impl Fn(&T, &T, f64) -> T,
    ) -> Track<T> {
        match self {
            Track::Constant(value) => Track::Constant(*value),
            Track::Sampled(_) => {
                Track::Sampled((0..frames).map(|frame| self.between(place(frame), &mix)).collect())
            }
        }
    }
}

/// A place between two frames: `share` of the way from `from` to the next; 0 is the frame itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Between {
    pub(crate) from: usize,
    pub(crate) share: f64,
}

impl Between {
    /// The place of a number of frames, held between the first and the last of `frames`.
    pub(crate) fn of(at: f64, frames: usize) -> Between {
        let at = at.clamp(0.0, frames.saturating_sub(1) as f64);
        Between { from: at.floor() as usize, share: at.fract() }
    }
}
