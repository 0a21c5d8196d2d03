//! The source's motion as the stages read it: in the axes of the target, with a separate lead-in.

use crate::error::RetargetError;
use crate::pair::Pair;
use mocap_model::{Clip, ClipFrames, FrameRate, Joint, LANES, PlacedJoints, PlacedWindows, Skeleton, Space};
use std::borrow::Cow;
use std::ops::Range;
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

/// A segment that does not borrow the clip: frames that were read may be overwritten.
pub(crate) struct SegmentFrames {
    /// The first frame, counted in the whole clip.
    pub start: usize,
    pub frames: usize,
    /// As [`Segment::placed`], the window that was placed last.
    pub placed: PlacedJoints,
}

impl Segment<'_> {
    /// Gives the clip back.
    pub(crate) fn release(self) -> SegmentFrames {
        SegmentFrames { start: self.start, frames: self.clip.frames(), placed: self.placed.into_joints() }
    }
}

impl SegmentFrames {
    /// The frames of each window; `length` is rounded up to whole blocks.
    pub(crate) fn windows(&self, length: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let (frames, length) = (self.frames, length.max(1).next_multiple_of(LANES));
        (0..frames).step_by(length).map(move |start| start..frames.min(start + length))
    }

    /// Places a window, unless it is placed already.
    pub(crate) fn place(&mut self, source: &SourceClip, window: Range<usize>) {
        if self.placed.range() != window {
            self.placed.place(source.frames_of(self), window);
        }
    }
}

impl<'a> SourceClip<'a> {
    /// Prepares a clip of the source's skeleton. At least one frame stays motion, however long the lead-in.
    pub(crate) fn new(
        clip: Cow<'a, Clip>,
        pair: &'a Pair,
        lead_in: usize,
    ) -> Result<SourceClip<'a>, RetargetError> {
        let skeleton = &pair.source.skeleton;
        check_joints(clip.skeleton().joints(), skeleton.joints())?;
        let clip = in_axes_of(without_scale(clip)?, skeleton)?;
        Ok(SourceClip { lead_in: lead_in.min(clip.frames().saturating_sub(1)), clip, skeleton })
    }

    fn all(&self) -> ClipFrames<'_> {
        ClipFrames::from(&*self.clip).on(self.skeleton).expect("the joints were checked")
    }

    /// The frames of a segment.
    pub(crate) fn frames_of(&self, segment: &SegmentFrames) -> ClipFrames<'_> {
        self.all().within(segment.start..segment.start + segment.frames)
    }

    /// The clip if it is owned; a clip that is only borrowed may not be overwritten.
    pub(crate) fn own(&mut self) -> Option<&mut Clip> {
        match &mut self.clip {
            Cow::Owned(clip) => Some(clip),
            Cow::Borrowed(_) => None,
        }
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

fn without_scale(clip: Cow<Clip>) -> Result<Cow<Clip>, RetargetError> {
    Ok(match clip {
        Cow::Borrowed(clip) => clip.without_scale()?,
        Cow::Owned(clip) if clip.has_scale() => Cow::Owned(clip.without_scale()?.into_owned()),
        owned => owned,
    })
}

/// A clip in the axes of a skeleton; it keeps its unit.
fn in_axes_of<'a>(clip: Cow<'a, Clip>, skeleton: &Skeleton) -> Result<Cow<'a, Clip>, RetargetError> {
    let (axes, space) = (skeleton.space(), *clip.skeleton().space());
    if (space.up, space.forward) == (axes.up, axes.forward) {
        return Ok(clip);
    }
    Ok(Cow::Owned(clip.into_owned().into_space(Space { unit: space.unit, ..*axes })?))
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
