//! The last correction: no part is below the floor, and what lies touches it.

use mocap_model::{FrameRate, Robot, RobotPose};

use crate::landmarks::Humanoid;
use crate::lowest::lowest;
use crate::source::SourceFrame;

/// The fade time of a correction \[s\].
const FADE: f64 = 1.0 / 6.0;

/// Frames over which a correction fades.
fn fade_of(fps: FrameRate) -> usize {
    (FADE * fps.fps()).round().max(1.0) as usize
}

/// Raises the base while a part penetrates the floor; the correction fades over the frames around it.
pub(crate) fn raise(robot: &Robot, humanoid: &Humanoid, poses: &mut [RobotPose], fps: FrameRate) {
    let fade = fade_of(fps);
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

/// Lowers the base where the source is down on the floor and no foot is held, until a part touches it; the correction
/// fades towards other frames.
pub(crate) fn lower(
    robot: &Robot,
    humanoid: &Humanoid,
    poses: &mut [RobotPose],
    frames: &[SourceFrame],
    fps: FrameRate,
) {
    let lies: Vec<bool> = frames.iter().map(|frame| frame.lies()).collect();
    let fade = fade_of(fps);
    let mut placed = Vec::new();
    for (frame, pose) in poses.iter_mut().enumerate() {
        let around = frame.saturating_sub(fade)..(frame + fade + 1).min(lies.len());
        let nearest = around.filter(|other| !lies[*other]).map(|other| frame.abs_diff(other)).min();
        let away = nearest.map_or(1.0, |nearest| nearest as f64 / (fade + 1) as f64);
        if away > 0.0 {
            robot.place_into(&pose.base, &pose.values, &mut placed);
            let gap = lowest(robot, humanoid, &placed).max(0.0);
            pose.base.translation.vector.z -= gap * 0.5 * (1.0 - (std::f64::consts::PI * away).cos());
        }
    }
}
