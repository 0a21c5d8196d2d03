//! The source's motion as the stages read it: in the axes of the target, with a separate lead-in.

use crate::error::RetargetError;
use crate::pair::Pair;
use mocap_model::{Clip, FrameRate, Joint, PlacedJoints, Skeleton, Space};
use std::sync::Arc;

/// A clip in segments: lead-in frames (if there are any), then the motion.
///
/// Segments are independent: velocity limits, plans and smoothing start anew in each.
#[derive(Clone, Debug)]
pub(crate) struct SourceClip {
    /// One or two; the motion is the last.
    segments: Vec<Segment>,
}

/// Consecutive frames of a clip.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// The first frame, counted in the whole clip.
    pub start: usize,
    pub clip: Clip,
    /// The joints that the stages read, in object space.
    pub placed: PlacedJoints,
}

impl SourceClip {
    /// Prepares a clip of the source's skeleton. At least one frame stays motion, however long the lead-in.
    pub(crate) fn new(clip: &Clip, pair: &Pair, lead_in: usize) -> Result<SourceClip, RetargetError> {
        let skeleton = &pair.source.skeleton;
        check_joints(clip.skeleton().joints(), skeleton.joints())?;
        let rigid = clip.without_scale()?;
        let clip = in_axes_of(&rigid, skeleton)?.with_skeleton(Arc::clone(skeleton))?;
        let segment = |start: usize, clip: Clip| {
            let placed =
                PlacedJoints::with_turned(&clip, pair.placed.iter().copied(), pair.turned.iter().copied());
            Segment { start, clip, placed }
        };
        let lead_in = lead_in.min(clip.frames().saturating_sub(1));
        if lead_in == 0 {
            return Ok(SourceClip { segments: vec![segment(0, clip)] });
        }
        let motion = segment(lead_in, clip.trimmed(lead_in..clip.frames())?);
        Ok(SourceClip { segments: vec![segment(0, clip.trimmed(0..lead_in)?), motion] })
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The frames after the lead-in.
    pub(crate) fn last(&self) -> &Segment {
        self.segments.last().expect("a clip has a motion")
    }

    /// The clip of the frames after the lead-in.
    pub(crate) fn motion(&self) -> &Clip {
        &self.last().clip
    }

    /// The clip of the frames after the lead-in; its placed joints are dropped.
    pub(crate) fn into_motion(mut self) -> Clip {
        self.segments.pop().expect("a clip has a motion").clip
    }

    /// The number of frames before the motion.
    pub(crate) fn lead_in(&self) -> usize {
        self.last().start
    }

    /// The number of all frames.
    pub(crate) fn frames(&self) -> usize {
        self.last().start + self.last().clip.frames()
    }

    pub(crate) fn rate(&self) -> FrameRate {
        self.motion().rate()
    }
}

/// A clip in the axes of a skeleton; it keeps its unit.
fn in_axes_of(clip: &Clip, skeleton: &Skeleton) -> Result<Clip, RetargetError> {
    let (axes, space) = (skeleton.space(), clip.skeleton().space());
    if (space.up, space.forward) == (axes.up, axes.forward) {
        return Ok(clip.clone());
    }
    Ok(clip.in_space(Space { unit: space.unit, ..*axes })?)
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
