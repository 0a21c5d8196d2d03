//! What a clip holds besides the motion of its joints: a name, events, and single numbers over time.

use crate::{Event, ModelError, Track};
use std::collections::HashSet;

/// What a clip holds besides the motion of its joints. Empty by default.
///
/// ```
/// use mocap_model::*;
/// use std::sync::Arc;
///
/// let skeleton = Skeleton::new("", Space::default(), vec![Joint::new("head", None, Vector3::zeros())])?;
/// let clip = Clip::at_rest(Arc::new(skeleton), FrameRate::new(30.0).unwrap());
/// let clip = clip.with_annotations(Annotations {
///     name: "wave".into(),
///     scalars: vec![ScalarTrack { name: "smile".into(), values: Track::Constant(0.5) }],
///     events: vec![Event { time: 0.2, name: "step left".into() }],
/// })?;
/// assert_eq!(clip.name(), "wave");
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// The name of the clip, such as that of an animation in a file of several; may be empty.
    pub name: String,
    /// Numbers over time, such as the weights of morph targets. Names are unique.
    pub scalars: Vec<ScalarTrack>,
    /// Moments with a name, in any order.
    pub events: Vec<Event>,
}

/// A number over the frames of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarTrack {
    /// Unique in the clip.
    pub name: String,
    /// One value for all frames, or one per frame.
    pub values: Track<f64>,
}

impl Annotations {
    /// Checks that names are unique, lengths fit and numbers are finite.
    pub(crate) fn check(&self, frames: usize) -> Result<(), ModelError> {
        let mut names = HashSet::with_capacity(self.scalars.len());
        for ScalarTrack { name, values } in &self.scalars {
            if !names.insert(name.as_str()) {
                return Err(ModelError::DuplicateScalar { name: name.clone() });
            }
            if let Track::Sampled(values) = values
                && values.len() != frames
            {
                let (name, found) = (name.clone(), values.len());
                return Err(ModelError::ScalarLength { name, found, expected: frames });
            }
            if let Some(frame) = values.values().iter().position(|value| !value.is_finite()) {
                return Err(ModelError::ScalarNotFinite { name: name.clone(), frame });
            }
        }
        Event::check(&self.events)
    }

    /// Whether there are no events and no numbers over time.
    pub fn is_only_a_name(&self) -> bool {
        self.scalars.is_empty() && self.events.is_empty()
    }

    /// The same name with other events, and with scalar tracks replaced by `scalar`.
    pub(crate) fn map(&self, scalar: impl Fn(&Track<f64>) -> Track<f64>, events: Vec<Event>) -> Annotations {
        let track =
            |track: &ScalarTrack| ScalarTrack { name: track.name.clone(), values: scalar(&track.values) };
        Annotations { name: self.name.clone(), scalars: self.scalars.iter().map(track).collect(), events }
    }
}
