//! Activity: the ratio of actual to expected residuals of other tracks in a frame. Noise and fast motion occur
//! in the same frames for many joints.

use crate::lattice::Kind;

/// Weights of the activity of the frame and of the referenced track. Without a reference, half of its weight is
/// added to the frame's.
const FRAME: f32 = 0.35;
const REFERENCE: f32 = 0.45;
/// Rate at which the activity of a frame adapts from track to track.
const RATE: f32 = 0.3;
/// Greatest activity of a track.
const MOST: f32 = 4.0;

/// Activity of the rotations coded so far.
#[derive(Debug)]
pub(crate) struct Activity {
    /// By frame.
    frames: Vec<f32>,
    /// By rotation and frame.
    tracks: Vec<Vec<f32>>,
}

impl Activity {
    pub(crate) fn new(frames: usize) -> Activity {
        Activity { frames: vec![1.0; frames], tracks: Vec::new() }
    }

    /// The activity of all frames, and the number of rotations.
    #[cfg(feature = "encode")]
    pub(crate) fn mark(&self) -> (Vec<f32>, usize) {
        (self.frames.clone(), self.tracks.len())
    }

    /// Forgets the rotations since the mark.
    #[cfg(feature = "encode")]
    pub(crate) fn reset(&mut self, (frames, tracks): &(Vec<f32>, usize)) {
        self.frames.clone_from(frames);
        self.tracks.truncate(*tracks);
    }

    /// Starts a rotation.
    pub(crate) fn begin(&mut self) {
        self.tracks.push(vec![1.0; self.frames.len()]);
    }

    /// Factor for the expected magnitudes of the next rotation.
    #[inline]
    pub(crate) fn factor(&self, frame: usize, reference: Option<usize>) -> f32 {
        match reference {
            Some(track) => {
                1.0 - FRAME - REFERENCE + FRAME * self.frames[frame] + REFERENCE * self.tracks[track][frame]
            }
            None => {
                let weight = FRAME + 0.5 * REFERENCE;
                1.0 - weight + weight * self.frames[frame]
            }
        }
    }

    /// Updates with a frame of the current rotation: magnitudes expected from its own track, and magnitudes
    /// found.
    #[inline]
    pub(crate) fn learn(&mut self, frame: usize, kind: Kind, expected: [f32; 3], found: [f32; 3]) {
        // Keeps the ratio near 1 for residuals near zero.
        let floor = if kind == Kind::BodyCentred { 0.7 } else { 0.5 };
        let [a, b, c] = found;
        let [d, e, f] = expected;
        let ratio = ((a + b + c + floor) / (d + e + f + floor)).min(MOST);
        if let Some(track) = self.tracks.last_mut() {
            track[frame] = ratio;
        }
        self.frames[frame] += (ratio - self.frames[frame]) * RATE;
    }
}
