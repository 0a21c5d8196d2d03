//! Consecutive frames of a clip, without a copy of them.

use crate::{Clip, FrameRate, JointId, ModelError, Skeleton, UnitQuaternion};
use std::ops::Range;
use std::sync::Arc;

/// Some consecutive frames of a clip, counted from their first.
///
/// ```
/// use mocap_model::*;
/// use std::sync::Arc;
///
/// let skeleton = Arc::new(Skeleton::new("", Space::default(), vec![Joint::new("hips", None, Vector3::y())])?);
/// let turns = (0..5).map(|i| exp(&(Vector3::y() * f64::from(i)))).collect();
/// let tracks = vec![JointTracks::new(Track::Sampled(turns), None)];
/// let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 5, tracks)?;
///
/// let last = ClipFrames::from(&clip).within(2..5);
/// assert_eq!((last.frames(), last.rotation(JointId(0), 0)), (3, clip.track(JointId(0)).rotation.at(2)));
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ClipFrames<'a> {
    clip: &'a Clip,
    skeleton: &'a Arc<Skeleton>,
    start: usize,
    end: usize,
}

impl<'a> From<&'a Clip> for ClipFrames<'a> {
    fn from(clip: &'a Clip) -> ClipFrames<'a> {
        ClipFrames { clip, skeleton: clip.skeleton(), start: 0, end: clip.frames() }
    }
}

impl<'a> ClipFrames<'a> {
    /// Some of these frames.
    ///
    /// # Panics
    /// If the range is not within these frames.
    pub fn within(self, range: Range<usize>) -> ClipFrames<'a> {
        assert!(
            range.start <= range.end && range.end <= self.frames(),
            "frames {range:?} of {}",
            self.frames()
        );
        ClipFrames { start: self.start + range.start, end: self.start + range.end, ..self }
    }

    /// The same frames on another skeleton of the same length, as [`Clip::with_skeleton`].
    ///
    /// # Errors
    /// [`ModelError::TrackCount`] if the lengths differ.
    pub fn on(self, skeleton: &'a Arc<Skeleton>) -> Result<ClipFrames<'a>, ModelError> {
        let (tracks, joints) = (self.clip.tracks().len(), skeleton.len());
        if tracks != joints {
            return Err(ModelError::TrackCount { tracks, joints });
        }
        Ok(ClipFrames { skeleton, ..self })
    }

    /// The clip that these are frames of.
    pub fn whole(self) -> &'a Clip {
        self.clip
    }

    /// The skeleton.
    pub fn skeleton(self) -> &'a Arc<Skeleton> {
        self.skeleton
    }

    /// Frames per second.
    pub fn rate(self) -> FrameRate {
        self.clip.rate()
    }

    /// The number of frames.
    pub fn frames(self) -> usize {
        self.end - self.start
    }

    /// The place of these frames in the clip.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The local rotations of a joint: one if it keeps it in the whole clip, else one per frame.
    pub fn rotations(self, joint: JointId) -> &'a [UnitQuaternion<f64>] {
        self.clip.track(joint).rotation.within(self.range())
    }

    /// The local rotation of a joint in a frame.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn rotation(self, joint: JointId, frame: usize) -> UnitQuaternion<f64> {
        self.clip.track(joint).rotation.at(self.start + frame)
    }

    /// A clip of these frames.
    ///
    /// # Errors
    /// As [`Clip::trimmed`].
    pub fn to_clip(self) -> Result<Clip, ModelError> {
        self.clip.trimmed(self.range())?.with_skeleton(Arc::clone(self.skeleton))
    }
}
