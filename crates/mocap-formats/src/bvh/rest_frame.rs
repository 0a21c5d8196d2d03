//! Detects a rest pose as the first frame, as in a widely used conversion of the CMU database.

use super::Problem;
use crate::Finding;
use mocap_model::{Clip, UnitQuaternion, angle_between};

/// The first frame is a rest pose if joints turn this fast on average [rad/s] from it to the second ...
const FAST: f64 = std::f64::consts::PI;

/// ... and this many times as far as in any step of the following second.
const TIMES: f64 = 4.0;

/// Warns if the first frame is a rest pose that does not belong to the motion.
///
/// [`super::to_clip`] gives this warning with its line; this function is for clips from other formats.
pub fn rest_first_frame(clip: &Clip) -> Option<Finding> {
    let later = (clip.rate().fps().ceil() as usize).clamp(2, 1000).min(clip.frames().saturating_sub(2));
    if later == 0 {
        return None;
    }
    // Only the start of the clip is read, so that a trimmed clip gives the same answer.
    let turning: Vec<&[UnitQuaternion<f64>]> = clip
        .tracks()
        .iter()
        .filter_map(|tracks| tracks.rotation.values().get(..later + 2))
        .filter(|rotations| rotations.iter().any(|rotation| *rotation != rotations[0]))
        .collect();
    let jump = mean_turn(&turning, 0);
    let largest = (1..=later).map(|frame| mean_turn(&turning, frame)).fold(0.0, f64::max);
    if jump * clip.rate().fps() < FAST || jump < TIMES * largest {
        return None;
    }
    let (degrees, later) = (jump.to_degrees(), largest.to_degrees());
    Some(Finding::new(Problem::RestFirstFrame { degrees, later }).in_frame(0))
}

/// The angle \[rad\] by which joints turn from a frame to the next, on average.
fn mean_turn(turning: &[&[UnitQuaternion<f64>]], frame: usize) -> f64 {
    let turns = turning.iter().map(|rotations| angle_between(&rotations[frame], &rotations[frame + 1]));
    turns.sum::<f64>() / turning.len().max(1) as f64
}
