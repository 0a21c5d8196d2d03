//! Facing direction of the head in an estimated reference pose.
//!
//! Some rigs give the head a frame of another kind than the spine: bones of the spine along X, the head upright
//! along Y. Bone offsets do not show this, but in most frames a head faces as its chest does.

use crate::body::Body;
use crate::reference_pose::ReferencePose;
use mocap_model::{ClipFrames, mean_rotation, nearest_quarter_turn};

/// Number of frames sampled over the clip.
const FRAMES: usize = 256;
/// A head whose mean orientation is further than this from every quarter turn may be as it is (cosine of half of 35°).
const CLEAR: f64 = 0.954;
/// No neck is turned further than this all the time \[rad\].
const NECK: f64 = std::f64::consts::FRAC_PI_3;

/// Turns the head of a reference pose by the mean of its rotation relative to the neck over a motion, rounded
/// to quarter turns. Smaller rotations belong to the motion.
pub(crate) fn turn_head(reference: &mut ReferencePose, clip: ClipFrames, body: &Body) {
    let Some(head) = body.head else { return };
    let at_reference = reference.local[head.index()].inverse();
    let count = clip.frames().min(FRAMES);
    let turns = (0..count).map(|i| at_reference * clip.rotation(head, i * clip.frames() / count));
    let Some(mean) = mean_rotation(turns) else { return };
    let quarter = nearest_quarter_turn(&mean);
    let is_clear = quarter.coords.dot(&mean.coords).abs() >= CLEAR || mean.angle() > NECK;
    if quarter.angle() < 0.1 || !is_clear {
        return;
    }
    let frame = reference.rotation[head.index()];
    let turn = frame * quarter * frame.inverse();
    let place = reference.position[head.index()];
    for joint in clip.skeleton().subtree(head) {
        let at = joint.index();
        reference.rotation[at] = turn * reference.rotation[at];
        reference.position[at] = place + turn * (reference.position[at] - place);
    }
    reference.local[head.index()] *= quarter;
}
