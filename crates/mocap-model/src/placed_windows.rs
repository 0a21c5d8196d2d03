//! Passes over the joints of a clip in object space, a window of frames at a time.

use crate::{ClipFrames, JointId, LANES, PlacedJoints};
use std::ops::Range;

/// Places the joints of a clip window by window, reusing the memory: a long clip in object space
/// takes more memory than its tracks. Each pass places them anew, but a clip that fits into one
/// window is placed once.
///
/// ```
/// use mocap_model::*;
/// use std::sync::Arc;
///
/// let skeleton = Arc::new(Skeleton::new("", Space::default(), vec![Joint::new("hips", None, Vector3::y())])?);
/// let tracks = vec![JointTracks::at_rest(skeleton.joint(JointId(0)))];
/// let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 5000, tracks)?;
///
/// let mut places = Vec::new();
/// let mut windows = PlacedWindows::new((&clip).into(), [JointId(0)], []);
/// windows.each(|placed| placed.append_positions(JointId(0), &mut places));
/// assert_eq!(places, vec![Vector3::y(); 5000]);
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlacedWindows<'a> {
    clip: ClipFrames<'a>,
    window: usize,
    placed: PlacedJoints,
}

impl<'a> PlacedWindows<'a> {
    /// The usual number of frames of a window: their joints stay in the cache of a core.
    pub const WINDOW: usize = 2048;

    /// Only the positions of `placed` and the orientations of `turned` are computed; others are
    /// undefined.
    ///
    /// # Panics
    /// If a joint does not exist.
    pub fn new(
        clip: ClipFrames<'a>,
        placed: impl IntoIterator<Item = JointId>,
        turned: impl IntoIterator<Item = JointId>,
    ) -> PlacedWindows<'a> {
        let placed = PlacedJoints::unplaced(clip.skeleton(), placed, turned);
        PlacedWindows { clip, window: PlacedWindows::WINDOW, placed }
    }

    /// The same with windows of so many frames, rounded up to whole blocks.
    #[must_use]
    pub fn of_length(self, frames: usize) -> PlacedWindows<'a> {
        PlacedWindows { window: frames.max(1).next_multiple_of(LANES), ..self }
    }

    /// The joints with the window that was placed last; without one, no frames.
    pub fn into_joints(self) -> PlacedJoints {
        self.placed
    }

    /// Calls `pass` with one window after the other.
    pub fn each(&mut self, mut pass: impl FnMut(&PlacedJoints)) {
        let frames = self.clip.frames();
        for start in (0..frames).step_by(self.window) {
            let range: Range<usize> = start..frames.min(start + self.window);
            if self.placed.range() != range {
                self.placed.place(self.clip, range);
            }
            pass(&self.placed);
        }
    }
}
