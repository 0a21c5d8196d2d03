//! The height of the floor under a motion.

use crate::error::percentile;
use crate::{Foot, trajectories};
use mocap_model::Clip;

/// This share of the frames may have a foot below the floor: noise, a toe that presses in.
const BELOW: f64 = 0.05;

/// The height along the up axis [units of the clip] on which the feet come to stand: that of the lowest joint
/// or end site of any foot, where 5 % of the frames are lower. `None` without feet or frames.
///
/// It is the height of joints, not of soles: a sole that is thicker than that of another skeleton lies lower.
pub fn floor_height(clip: &Clip, feet: &[Foot]) -> Option<f64> {
    let up = clip.skeleton().space().up.vector();
    let points: Vec<_> = feet.iter().flat_map(|foot| foot.points.iter().copied()).collect();
    if points.is_empty() || clip.frames() == 0 {
        return None;
    }
    let trajectories = trajectories(clip, &points);
    let lowest = |frame: usize| trajectories.iter().map(|t| t[frame].dot(&up)).fold(f64::INFINITY, f64::min);
    let mut lowest: Vec<f64> = (0..clip.frames()).map(lowest).collect();
    Some(percentile(&mut lowest, BELOW))
}
