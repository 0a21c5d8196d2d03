//! Spikes: single frames in which a joint is far from where both sides of the motion predict it.
//!
//! A median filter would find them too, but it rounds off fast motion at 30 Hz.

use mocap_model::{UnitQuaternion, angle_between, exp, log};

use super::noise::median;

/// A spike is larger than this \[rad\] ...
const SMALLEST: f64 = 0.05;
/// ... and larger than the usual residual around it by this factor ...
const UNUSUAL: f64 = 8.0;
/// ... and than the gap between both sides of the motion by this one: after a step they do not meet.
const RETURN: f64 = 1.5;
/// What is larger is a flip of the rig and not noise [rad].
const LARGEST: f64 = 1.5;
/// The frames to each side that show usual values.
const AROUND: usize = 12;

/// Frames that are spikes, most of a run of at most two frames, with the rotation that both sides predict.
pub(super) fn spikes(rotations: &[UnitQuaternion<f64>], noise: f64) -> Vec<(usize, UnitQuaternion<f64>)> {
    let n = rotations.len();
    if n < 7 {
        return Vec::new();
    }
    let mut repaired = rotations.to_vec();
    let mut found: Vec<(usize, UnitQuaternion<f64>)> = Vec::new();
    // A second round finds the second of two neighbours, hidden by the first.
    for _ in 0..2 {
        let residuals: Vec<f64> = (0..n)
            .map(|frame| predicted(&repaired, frame).map_or(0.0, |p| angle_between(&p, &repaired[frame])))
            .collect();
        let mut again = false;
        for frame in 2..n - 2 {
            let size = residuals[frame];
            let peak = size >= residuals[frame - 1] && size >= residuals[frame + 1];
            if !peak || size < SMALLEST.max(5.0 * noise) {
                continue;
            }
            if size > LARGEST || size < RETURN * gap(&repaired, frame) {
                continue;
            }
            let (from, to) = (frame.saturating_sub(AROUND), (frame + AROUND + 1).min(n));
            let mut usual: Vec<f64> =
                (from..to).filter(|other| other.abs_diff(frame) > 2).map(|other| residuals[other]).collect();
            if size > UNUSUAL * median(&mut usual) {
                let value = predicted(&repaired, frame).expect("two frames to each side");
                repaired[frame] = value;
                found.retain(|(other, _)| *other != frame);
                found.push((frame, value));
                again = true;
            }
        }
        if !again {
            break;
        }
    }
    found.sort_by_key(|(frame, _)| *frame);
    found
}

/// How far apart the neighbours of a frame are [rad]: of a step, twice the residual on either side of it.
fn gap(rotations: &[UnitQuaternion<f64>], frame: usize) -> f64 {
    angle_between(&rotations[frame - 1], &rotations[frame + 1])
}

/// The rotation of a frame by the cubic through two frames on each side.
fn predicted(rotations: &[UnitQuaternion<f64>], frame: usize) -> Option<UnitQuaternion<f64>> {
    let base = rotations[frame.checked_sub(1)?];
    let vector = |at: usize| rotations.get(at).map(|rotation| log(&(base.inverse() * rotation)));
    let [far, next, after] = [vector(frame.checked_sub(2)?)?, vector(frame + 1)?, vector(frame + 2)?];
    Some(base * exp(&((next * 4.0 - far - after) / 6.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Vector3;

    #[test]
    fn spikes_are_found_and_fast_motion_and_steps_are_not() {
        let turn = |angle: f64| exp(&Vector3::new(angle, 0.0, 0.0));
        let swing: Vec<_> = (0..60).map(|i| turn((f64::from(i) * 0.15).sin())).collect();
        assert_eq!(spikes(&swing, 0.0), []);
        let mut step = swing.clone();
        step[30..].iter_mut().for_each(|rotation| *rotation *= turn(1.5));
        assert_eq!(spikes(&step, 0.0), []);
        let mut spiked = swing.clone();
        spiked[20] *= turn(0.6);
        spiked[40] *= turn(-0.6);
        let found = spikes(&spiked, 0.0);
        assert_eq!(found.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [20, 40]);
        assert!(found.iter().all(|(frame, value)| angle_between(value, &swing[*frame]) < 0.02));
    }
}
