//! Passes over the joints of a clip in object space, a window of frames at a time.
//!
//! A long clip in object space takes more memory than its tracks, and each byte of it is touched once by a pass. Windows
//! are placed in one memory, anew in each pass; a clip that fits into one is placed once.

use crate::pair::Pair;
use mocap_model::{ClipFrames, JointId, LANES, PlacedJoints};
use std::ops::Range;

/// The number of frames of a window: their joints fit into the cache of a core.
pub(crate) const WINDOW: usize = 2048;

/// The joints of a clip that a pass reads.
pub(crate) struct PlacedWindows<'a> {
    clip: ClipFrames<'a>,
    window: usize,
    placed: PlacedJoints,
}

impl<'a> PlacedWindows<'a> {
    /// Windows of this many frames, rounded up to whole blocks; only the positions of `placed` and the orientations of
    /// `turned` mean anything.
    pub(crate) fn new(
        clip: ClipFrames<'a>,
        placed: impl IntoIterator<Item = JointId>,
        turned: impl IntoIterator<Item = JointId>,
        window: usize,
    ) -> PlacedWindows<'a> {
        let placed = PlacedJoints::unplaced(clip.skeleton(), placed, turned);
        PlacedWindows { clip, window: window.max(1).next_multiple_of(LANES), placed }
    }

    /// Of a source, with the joints that the stages read.
    pub(crate) fn of_source(clip: ClipFrames<'a>, pair: &Pair, window: usize) -> PlacedWindows<'a> {
        PlacedWindows::new(clip, pair.placed.iter().copied(), pair.turned.iter().copied(), window)
    }

    /// Calls `pass` with one window after the other.
    pub(crate) fn each(&mut self, mut pass: impl FnMut(&PlacedJoints)) {
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
