//! Converters that put the rest pose before the motion: the CMU database is mostly used in such a form.

use super::Problem;
use crate::Finding;
use mocap_model::{Clip, Track, angle_between};

/// Joints that turn this fast on average [rad/s] from the first frame to the second...
const FAST: f64 = std::f64::consts::PI;

/// ...and this many times as far as in any step of the second that follows, have jumped.
const TIMES: f64 = 4.0;

/// Warns where no body could come from the first frame to the second.
pub(super) fn rest_first_frame(clip: &Clip) -> Option<Finding> {
    let later = (clip.rate().fps().ceil() as usize).clamp(2, 1000).min(clip.frames().saturating_sub(2));
    if later == 0 {
        return None;
    }
    let jump = mean_turn(clip, 0);
    let largest = (1..=later).map(|frame| mean_turn(clip, frame)).fold(0.0, f64::max);
    if jump * clip.rate().fps() < FAST || jump < TIMES * largest {
        return None;
    }
    let (degrees, later) = (jump.to_degrees(), largest.to_degrees());
    Some(Finding::new(Problem::RestFirstFrame { degrees, later }).in_frame(0))
}

/// The angle [rad] by which the joints turn from a frame to the next, on average over those that ever do.
fn mean_turn(clip: &Clip, frame: usize) -> f64 {
    let (mut sum, mut joints) = (0.0, 0);
    for tracks in clip.tracks() {
        if let Track::Sampled(rotations) = &tracks.rotation {
            sum += angle_between(&rotations[frame], &rotations[frame + 1]);
            joints += 1;
        }
    }
    sum / f64::from(joints.max(1))
}
