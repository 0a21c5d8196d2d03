//! Spikes: single frames in which a joint is far from where both sides of the motion predict it.
//!
//! A median filter would find them too, but it rounds off fast motion at 30 Hz.

use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::Quaternion;

use super::noise::median;

/// A spike of a rotation is larger than this \[rad\] ...
pub(super) const SMALLEST: f64 = 0.05;
/// ... and one of a translation than this share of the longest chain of bones ...
pub(super) const SMALLEST_SHARE: f64 = 0.02;
/// ... and larger than the usual residual around it by this factor ...
const UNUSUAL: f64 = 8.0;
/// ... and than the residuals that its joint reaches again and again by this one: a foot that touches down is quick in
/// each of its steps ...
const STANDS_OUT: f64 = 2.5;
/// ... and larger than the residuals beside it after it is replaced. A step leaves a third of its size there.
const RESTORES: f64 = 4.0;
/// ... and goes away from both sides: the way over it is longer by this share of its size than the way past it. The last
/// frame before a sudden start lies on the way.
const DETOUR: f64 = 0.5;
/// The frames to each side that show usual values.
const AROUND: usize = 12;
/// The share of frames that may be spikes, and their number in a short motion: more frequent peaks are motion.
const RARE: f64 = 0.01;
const FEW: usize = 2;
/// Spikes of one curve are looked for again after each round of repairs, at most this often.
const ROUNDS: usize = 4;

/// What a curve is made of.
pub(super) trait Value: Copy {
    /// The distance of two values.
    fn apart(&self, other: &Self) -> f64;
    /// The value between `near` by the cubic through `far[0]`, `near[0]`, `near[1]` and `far[1]`, which follow each other.
    fn between(near: [&Self; 2], far: [&Self; 2]) -> Self;
}

impl Value for UnitQuaternion<f64> {
    /// Twice the chord: the angle \[rad\], less 10 % at half a turn, at a tenth of its cost.
    fn apart(&self, other: &Self) -> f64 {
        let (a, b) = (self.coords, other.coords);
        2.0 * (a - b).norm_squared().min((a + b).norm_squared()).sqrt()
    }

    fn between([before, after]: [&Self; 2], far: [&Self; 2]) -> Self {
        let before = before.coords;
        // Quaternions of one hemisphere: an even turn is predicted exactly, as both sides mirror each other.
        let [after, first, last] = [after, far[0], far[1]].map(|value| {
            let value = value.coords;
            if value.dot(&before) < 0.0 { -value } else { value }
        });
        UnitQuaternion::new_normalize(Quaternion::from((before + after) * 4.0 - first - last))
    }
}

impl Value for Vector3<f64> {
    fn apart(&self, other: &Self) -> f64 {
        (self - other).norm()
    }

    fn between([before, after]: [&Self; 2], far: [&Self; 2]) -> Self {
        ((before + after) * 4.0 - far[0] - far[1]) / 6.0
    }
}

/// Frames that are spikes of more than `smallest`, most of a run of at most two frames, with the value that both sides
/// predict.
pub(super) fn spikes<T: Value>(values: &[T], smallest: f64) -> Vec<(usize, T)> {
    let n = values.len();
    if n < 7 {
        return Vec::new();
    }
    let mut repaired = values.to_vec();
    let mut found: Vec<(usize, T)> = Vec::new();
    let mut residuals: Vec<f64> = (0..n).map(|frame| residual(&repaired, frame)).collect();
    // The largest come first: they hide smaller ones beside them.
    for _ in 0..ROUNDS {
        let common = common(&residuals);
        let mut peaks: Vec<usize> = (2..n - 2)
            .filter(|frame| residuals[*frame] >= smallest)
            .filter(|frame| found.iter().all(|(other, _)| other != frame))
            .filter(|frame| residuals[*frame] >= residuals[frame - 1].max(residuals[frame + 1]))
            .collect();
        peaks.sort_by(|a, b| residuals[*b].total_cmp(&residuals[*a]).then(a.cmp(b)));
        let before = found.len();
        for frame in peaks {
            let size = residuals[frame];
            let unusual = size >= STANDS_OUT * common && size >= UNUSUAL * usual(&residuals, frame);
            if !unusual || detour(&repaired, frame) < DETOUR * size {
                continue;
            }
            let spiked = repaired[frame];
            repaired[frame] = predicted(&repaired, frame).expect("two frames to each side");
            let beside = [frame - 2, frame - 1, frame + 1, frame + 2];
            let left = beside.map(|other| residual(&repaired, other));
            if size < RESTORES * left.into_iter().fold(0.0, f64::max) {
                repaired[frame] = spiked;
                continue;
            }
            residuals[frame] = 0.0;
            beside.into_iter().zip(left).for_each(|(other, value)| residuals[other] = value);
            found.push((frame, repaired[frame]));
        }
        if found.len() == before {
            break;
        }
    }
    found.sort_by_key(|(frame, _)| *frame);
    found
}

/// The median of the residuals around a frame.
fn usual(residuals: &[f64], frame: usize) -> f64 {
    let (from, to) = (frame.saturating_sub(AROUND), (frame + AROUND + 1).min(residuals.len()));
    let others = (from..to).filter(|other| other.abs_diff(frame) > 2).map(|other| residuals[other]);
    median(&mut others.collect::<Vec<_>>())
}

/// The size of the largest peaks without the rare ones.
fn common(residuals: &[f64]) -> f64 {
    let mut peaks: Vec<f64> = (1..residuals.len() - 1)
        .filter(|at| residuals[*at] >= residuals[at - 1] && residuals[*at] > residuals[at + 1])
        .map(|at| residuals[at])
        .collect();
    peaks.sort_by(|a, b| b.total_cmp(a));
    let rare = ((RARE * residuals.len() as f64).ceil() as usize).max(FEW);
    peaks.get(rare).copied().unwrap_or(0.0)
}

/// How far a frame is from where both sides predict it.
fn residual<T: Value>(values: &[T], frame: usize) -> f64 {
    predicted(values, frame).map_or(0.0, |value| value.apart(&values[frame]))
}

/// How much longer the way from the frame before to the frame after is through a frame.
fn detour<T: Value>(values: &[T], frame: usize) -> f64 {
    let [before, own, after] = [frame - 1, frame, frame + 1].map(|at| &values[at]);
    before.apart(own) + own.apart(after) - before.apart(after)
}

/// The value of a frame by the cubic through two frames on each side.
fn predicted<T: Value>(values: &[T], frame: usize) -> Option<T> {
    let near = [values.get(frame.checked_sub(1)?)?, values.get(frame + 1)?];
    let far = [values.get(frame.checked_sub(2)?)?, values.get(frame + 2)?];
    Some(T::between(near, far))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Vector3, angle_between, exp};

    #[test]
    fn spikes_are_found_and_fast_motion_and_steps_are_not() {
        let turn = |angle: f64| exp(&Vector3::new(angle, 0.0, 0.0));
        let swing: Vec<_> = (0..60).map(|i| turn((f64::from(i) * 0.15).sin())).collect();
        assert_eq!(spikes(&swing, SMALLEST), []);
        let mut step = swing.clone();
        step[30..].iter_mut().for_each(|rotation| *rotation *= turn(1.5));
        assert_eq!(spikes(&step, SMALLEST), []);
        // A knee that is stretched, and bends all of a sudden.
        let start: Vec<_> = (0..60).map(|i| turn(0.3 * f64::from(i - 30).max(0.0).sqrt())).collect();
        assert_eq!(spikes(&start, SMALLEST), []);
        let mut spiked = swing.clone();
        spiked[20] *= turn(0.6);
        spiked[40] *= turn(-0.6);
        let found = spikes(&spiked, SMALLEST);
        assert_eq!(found.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [20, 40]);
        assert!(found.iter().all(|(frame, value)| angle_between(value, &swing[*frame]) < 0.02));
    }
    #[test]
    fn a_joint_that_flips_for_a_frame_and_a_root_that_jumps_away_are_spikes() {
        let turn = |angle: f64| exp(&Vector3::new(angle, 0.0, 0.0));
        let swing: Vec<_> = (0..60).map(|i| turn((f64::from(i) * 0.15).sin())).collect();
        for flip in [1.6, 2.2, 3.0] {
            let mut spiked = swing.clone();
            spiked[31] *= exp(&Vector3::new(0.0, flip, 0.0));
            let found = spikes(&spiked, SMALLEST);
            let [(31, value)] = found[..] else { panic!("{flip}: {found:?}") };
            assert!(angle_between(&value, &swing[31]) < 0.02);
        }
        let way: Vec<_> = (0..60).map(|i| Vector3::new(f64::from(i) * 0.02, 0.9, 0.0)).collect();
        assert_eq!(spikes(&way, 0.02), []);
        let mut cut = way.clone();
        cut[30..].iter_mut().for_each(|place| place.z += 5.0);
        assert_eq!(spikes(&cut, 0.02), []);
        for jump in [0.03, 5.0] {
            let mut spiked = way.clone();
            spiked[30].y -= jump;
            let found = spikes(&spiked, 0.02);
            let [(30, value)] = found[..] else { panic!("{jump}: {found:?}") };
            assert!((value - way[30]).norm() < 1e-9);
        }
    }
}
