//! The source's motion as the stages read it: in the axes of the target, with a separate lead-in.

use crate::error::RetargetError;
use crate::pair::Pair;
use mocap_model::{Clip, ClipFrames, FrameRate, Joint, PlacedWindows, Skeleton, Space};
use std::borrow::Cow;
use std::sync::Arc;

/// A clip in segments: lead-in frames (if there are any), then the motion.
///
/// Segments are independent: velocity limits, plans and smoothing start anew in each.
#[derive(Clone, Debug)]
pub(crate) struct SourceClip<'a> {
    clip: Cow<'a, Clip>,
    skeleton: &'a Arc<Skeleton>,
    /// The number of frames before the motion.
    pub lead_in: usize,
}

/// Consecutive frames of a clip.
pub(crate) struct Segment<'a> {
    /// The first frame, counted in the whole clip.
    pub start: usize,
    pub clip: ClipFrames<'a>,
    /// The joints that the stages read, in object space.
    pub placed: PlacedWindows<'a>,
}

impl<'a> SourceClip<'a> {
    /// Prepares a clip of the source's skeleton. At least one frame stays motion, however long the lead-in.
    pub(crate) fn new(
        clip: &'a Clip,
        pair: &'a Pair,
        lead_in: usize,
    ) -> Result<SourceClip<'a>, RetargetError> {
        let skeleton = &pair.source.skeleton;
        check_joints(clip.skeleton().joints(), skeleton.joints())?;
        let clip = in_axes_of(clip.without_scale()?, skeleton)?;
        Ok(SourceClip { lead_in: lead_in.min(clip.frames().saturating_sub(1)), clip, skeleton })
    }

    fn all(&self) -> ClipFrames<'_> {
        ClipFrames::from(&*self.clip).on(self.skeleton).expect("the joints were checked")
    }

    /// All frames, with the lead-in.
    pub(crate) fn whole(&self) -> &Clip {
        &self.clip
    }

    /// One or two segments; the motion is the last. `window` frames are placed at once.
    pub(crate) fn segments(&self, pair: &Pair, window: usize) -> Vec<Segment<'_>> {
        let segment = |start: usize, clip| {
            let (placed, turned) = (pair.placed.iter().copied(), pair.turned.iter().copied());
            Segment { start, clip, placed: PlacedWindows::new(clip, placed, turned).of_length(window) }
        };
        let lead_in = (self.lead_in > 0).then(|| segment(0, self.all().within(0..self.lead_in)));
        lead_in.into_iter().chain([segment(self.lead_in, self.motion())]).collect()
    }

    /// The frames after the lead-in.
    pub(crate) fn motion(&self) -> ClipFrames<'_> {
        self.all().within(self.lead_in..self.clip.frames())
    }

    /// The number of all frames.
    pub(crate) fn frames(&self) -> usize {
        self.clip.frames()
    }

    pub(crate) fn rate(&self) -> FrameRate {
        self.clip.rate()
    }
}

/// A clip in the axes of a skeleton; it keeps its unit.
fn in_axes_of<'a>(clip: Cow<'a, Clip>, skeleton: &Skeleton) -> Result<Cow<'a, Clip>, RetargetError> {
    let (axes, space) = (skeleton.space(), clip.skeleton().space());
    if (space.up, space.forward) == (axes.up, axes.forward) {
        return Ok(clip);
    }
    Ok(Cow::Owned(clip.in_space(Space { unit: space.unit, ..*axes })?))
}

/// Checks that a clip has the joints of the source.
fn check_joints(found: &[Joint], expected: &[Joint]) -> Result<(), RetargetError> {
    for index in 0..found.len().max(expected.len()) {
        let same = match (found.get(index), expected.get(index)) {
            (Some(a), Some(b)) => a.name == b.name && a.parent == b.parent,
            _ => false,
        };
        if !same {
            let name =
                |joints: &[Joint]| joints.get(index).map_or("(none)".into(), |joint| joint.name.clone());
            return Err(RetargetError::OtherSource { index, found: name(found), expected: name(expected) });
        }
    }
    Ok(())
}
