//! The last correction: no part is below the floor.

use mocap_model::{FrameRate, Robot, RobotPose};

use crate::landmarks::Humanoid;
use crate::lowest::lowest;

/// Raises the base while a part penetrates the floor; the correction fades over the frames around it.
pub(crate) fn raise(robot: &Robot, humanoid: &Humanoid, poses: &mut [RobotPose], fps: FrameRate) {
    /// The fade time of a correction \[s\].
    const FADE: f64 = 1.0 / 6.0;
    let fade = (FADE * fps.fps()).round().max(1.0) as usize;
    let mut placed = Vec::new();
    let mut depths = Vec::with_capacity(poses.len());
    for pose in poses.iter() {
        robot.place_into(&pose.base, &pose.values, &mut placed);
        depths.push(-lowest(robot, humanoid, &placed).min(0.0));
    }
    for (frame, pose) in poses.iter_mut().enumerate() {
        let around = frame.saturating_sub(fade)..(frame + fade + 1).min(depths.len());
        let fading = |other: usize| {
            let away = frame.abs_diff(other) as f64 / (fade + 1) as f64;
            depths[other] * 0.5 * (1.0 + (std::f64::consts::PI * away).cos())
        };
        pose.base.translation.vector.z += around.map(fading).fold(0.0, f64::max);
    }
}
