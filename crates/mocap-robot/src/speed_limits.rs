//! Speed limits of joints that hold exactly: a motion is brought within them, and stays there during the fit.

use mocap_model::{Robot, RobotJoint, RobotJointKind, RobotPose};

/// Greatest step of every joint between frames \[rad or m\]; infinite without a limit. Hinges also turn by at most `turn`
/// \[rad\]. A joint that drives others also keeps their limits.
pub(crate) fn highest_steps(robot: &Robot, speeds: &[Option<f64>], frame_time: f64, turn: f64) -> Vec<f64> {
    let of = |(joint, speed): (&RobotJoint, &Option<f64>)| {
        let most = if joint.kind == RobotJointKind::Hinge { turn } else { f64::INFINITY };
        speed.map_or(f64::INFINITY, |speed| speed * frame_time * (1.0 - 1e-9)).min(most)
    };
    let mut steps: Vec<f64> = robot.joints().iter().zip(speeds).map(of).collect();
    for (index, joint) in robot.joints().iter().enumerate().rev() {
        if let Some(mimic) = joint.mimic.filter(|mimic| mimic.factor != 0.0) {
            steps[mimic.joint] = steps[mimic.joint].min(steps[index] / mimic.factor.abs());
        }
    }
    steps
}

/// Whether a joint moves by more than its greatest step in a frame.
pub(crate) fn exceed(poses: &[RobotPose], steps: &[f64]) -> bool {
    poses.windows(2).any(|pair| {
        let values = pair[0].values.iter().zip(&pair[1].values);
        values.zip(steps).any(|((a, b), step)| (a - b).abs() > *step)
    })
}

/// Brings all joints within their greatest steps: each to the mean of the tightest upper and lower envelopes
/// with such steps. Motion within the limits is unchanged; limits of values are kept.
pub(crate) fn hold(poses: &mut [RobotPose], steps: &[f64]) {
    let frames = poses.len();
    for (joint, step) in steps.iter().enumerate().filter(|(_, step)| step.is_finite()) {
        let values: Vec<f64> = poses.iter().map(|pose| pose.values[joint]).collect();
        let (mut below, mut above) = (values.clone(), values);
        let pairs = (1..frames).map(|frame| (frame - 1, frame));
        let back = (1..frames).rev().map(|frame| (frame, frame - 1));
        for (from, to) in pairs.chain(back) {
            below[to] = below[to].min(below[from] + step);
            above[to] = above[to].max(above[from] - step);
        }
        for ((pose, below), above) in poses.iter_mut().zip(below).zip(above) {
            pose.values[joint] = if below == above { below } else { (below + above) / 2.0 };
        }
    }
}

/// Bounds of the values in a frame: joint limits, and what the neighbouring frames allow.
pub(crate) fn bounds_between(
    poses: &[RobotPose],
    frame: usize,
    (limits, steps): (&[[f64; 2]], &[f64]),
    bounds: &mut Vec<[f64; 2]>,
) {
    bounds.clear();
    bounds.extend_from_slice(limits);
    let around = [frame.checked_sub(1), Some(frame + 1).filter(|next| *next < poses.len())];
    for other in around.into_iter().flatten() {
        for ((bound, value), step) in bounds.iter_mut().zip(&poses[other].values).zip(steps) {
            *bound = [bound[0].max(value - step), bound[1].min(value + step)];
        }
    }
    for (bound, value) in bounds.iter_mut().zip(&poses[frame].values) {
        // Rounding can leave an empty range.
        if bound[0] > bound[1] {
            *bound = [*value; 2];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Isometry3;

    fn poses(values: &[f64]) -> Vec<RobotPose> {
        let pose = |value: &f64| RobotPose { base: Isometry3::identity(), values: vec![*value] };
        values.iter().map(pose).collect()
    }

    #[test]
    fn a_jump_is_spread_over_the_frames_around_it() {
        let mut jump = poses(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert!(exceed(&jump, &[0.25]));
        hold(&mut jump, &[0.25]);
        assert!(!exceed(&jump, &[0.25 + 1e-12]));
        let values: Vec<f64> = jump.iter().map(|pose| pose.values[0]).collect();
        assert_eq!(values, [0.125, 0.25, 0.375, 0.625, 0.75, 0.875]);
        // Within bounds, and unchanged where it is slow.
        let slow = poses(&[0.0, 0.2, 0.4, 0.3]);
        let mut held = slow.clone();
        hold(&mut held, &[0.25]);
        assert_eq!(held, slow);
    }

    #[test]
    fn a_frame_keeps_to_its_neighbours() {
        let poses = poses(&[0.0, 0.1, 0.3]);
        let mut bounds = Vec::new();
        bounds_between(&poses, 1, (&[[-1.0, 0.22]], &[0.25]), &mut bounds);
        assert_eq!(bounds, [[0.3 - 0.25, 0.22]]);
        bounds_between(&poses, 1, (&[[-1.0, 1.0]], &[0.1]), &mut bounds);
        assert_eq!(bounds, [[0.1, 0.1]], "nothing is left: the value stays");
    }
}
