//! Spikes: one or two frames in which a joint is far from where both sides of the motion predict it; and a first or last
//! frame that is far from where its only side predicts it.
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
/// ... and larger by this factor than the residuals that recur in its joint: a foot that strikes the floor has one in
/// each step ...
const STANDS_OUT: f64 = 2.5;
/// ... and larger than the residuals beside it after it is replaced. A step leaves a third of its size there.
const RESTORES: f64 = 4.0;
/// ... and departs from both sides: the path through it is longer than the path past it by this share of its size. The
/// last frame before a sudden start does not.
const DETOUR: f64 = 0.5;
/// Number of frames on each side that give the usual residual.
const AROUND: usize = 12;
/// The share of frames that may be spikes, and their number in a short motion: more frequent peaks are motion.
const RARE: f64 = 0.01;
const FEW: usize = 2;
/// A spike above this multiple of the smallest one is never taken for a recurring peak.
const LARGE: f64 = 14.0;
/// Most rounds of detection and repair per curve.
const ROUNDS: usize = 4;

/// A value of a curve.
pub(super) trait Value: Copy {
    /// The distance of two values.
    fn apart(&self, other: &Self) -> f64;
    /// The value between `near` by the cubic through `far[0]`, `near[0]`, `near[1]` and `far[1]`, which follow each other.
    fn between(near: [&Self; 2], far: [&Self; 2]) -> Self {
        Self::bridge(near, far, 1, 1)
    }
    /// As [`Value::between`], of `count` values that are missing the one of number `step`, from 1.
    fn bridge(near: [&Self; 2], far: [&Self; 2], count: usize, step: usize) -> Self;
    /// Extrapolations to the frame before three consecutive values: by a line through two, and by a parabola through
    /// all.
    fn ahead(values: [&Self; 3]) -> [Self; 2];
}

/// The weights of the cubic through two values on each side of `count` missing ones, at the missing one of number `step`:
/// of the near values, then of the far ones.
fn weights(count: usize, step: usize) -> [f64; 4] {
    let (far, near) = (-1.0, 0.0);
    let (other, last) = ((count + 1) as f64, (count + 2) as f64);
    let at = step as f64;
    let weight = |own: f64, others: [f64; 3]| {
        others.into_iter().map(|other| (at - other) / (own - other)).product::<f64>()
    };
    [
        weight(near, [far, other, last]),
        weight(other, [far, near, last]),
        weight(far, [near, other, last]),
        weight(last, [far, near, other]),
    ]
}

impl Value for UnitQuaternion<f64> {
    /// Twice the chord: the angle \[rad\], less 10 % at half a turn, at a tenth of its cost.
    fn apart(&self, other: &Self) -> f64 {
        let (a, b) = (self.coords, other.coords);
        2.0 * (a - b).norm_squared().min((a + b).norm_squared()).sqrt()
    }

    fn bridge([before, after]: [&Self; 2], far: [&Self; 2], count: usize, step: usize) -> Self {
        let before = before.coords;
        // Quaternions of one hemisphere: an even turn is predicted exactly, as both sides mirror each other.
        let [after, first, last] = [after, far[0], far[1]].map(|value| {
            let value = value.coords;
            if value.dot(&before) < 0.0 { -value } else { value }
        });
        let sum = match count {
            1 => (before + after) * 4.0 - first - last,
            _ => {
                let [a, b, c, d] = weights(count, step);
                before * a + after * b + first * c + last * d
            }
        };
        UnitQuaternion::new_normalize(Quaternion::from(sum))
    }

    fn ahead([first, second, third]: [&Self; 3]) -> [Self; 2] {
        let step = first * second.inverse();
        let before = second * third.inverse();
        [step * first, step * (step * before.inverse()) * first]
    }
}

impl Value for Vector3<f64> {
    fn apart(&self, other: &Self) -> f64 {
        (self - other).norm()
    }

    fn bridge([before, after]: [&Self; 2], far: [&Self; 2], count: usize, step: usize) -> Self {
        match count {
            1 => ((before + after) * 4.0 - far[0] - far[1]) / 6.0,
            _ => {
                let [a, b, c, d] = weights(count, step);
                before * a + after * b + far[0] * c + far[1] * d
            }
        }
    }

    fn ahead([first, second, third]: [&Self; 3]) -> [Self; 2] {
        [first * 2.0 - second, (first - second) * 3.0 + third]
    }
}

/// Frames that are spikes of more than `smallest`, mostly in runs of at most two frames, with the value that both sides
/// predict. The first and last frame are not included.
pub(super) fn spikes<T: Value>(values: &[T], smallest: f64) -> Vec<(usize, T)> {
    let n = values.len();
    if n < 7 {
        return Vec::new();
    }
    let mut repaired = values.to_vec();
    let mut found: Vec<(usize, T)> = Vec::new();
    for length in [1, 2] {
        replace_runs(&mut repaired, &mut found, length, smallest);
    }
    found.sort_by_key(|(frame, _)| *frame);
    found
}

/// Replaces spikes of `length` frames, and adds them to `found`.
fn replace_runs<T: Value>(repaired: &mut [T], found: &mut Vec<(usize, T)>, length: usize, smallest: f64) {
    let n = repaired.len();
    let mut residuals: Vec<f64> = (0..n).map(|frame| residual(repaired, frame, length)).collect();
    // The largest first, because they hide smaller ones beside them.
    for _ in 0..ROUNDS {
        let common = common(&residuals);
        let mut peaks: Vec<usize> = (2..(n - 1).saturating_sub(length))
            .filter(|frame| residuals[*frame] >= smallest)
            .filter(|frame| found.iter().all(|(other, _)| !(*frame..frame + length).contains(other)))
            .filter(|frame| residuals[*frame] >= residuals[frame - 1].max(residuals[frame + 1]))
            .collect();
        peaks.sort_by(|a, b| residuals[*b].total_cmp(&residuals[*a]).then(a.cmp(b)));
        let before = found.len();
        for frame in peaks {
            let size = residuals[frame];
            let stands_out = size >= STANDS_OUT * common || size >= LARGE * smallest;
            if !stands_out
                || size < UNUSUAL * usual(&residuals, frame, length)
                || detour(repaired, frame, length) < DETOUR * size
            {
                continue;
            }
            let spiked = repaired[frame..frame + length].to_vec();
            let bridge = predicted(repaired, frame, length).expect("two frames to each side");
            repaired[frame..frame + length].copy_from_slice(&bridge);
            let beside: Vec<usize> = (frame.saturating_sub(2)..(frame + length + 2).min(n))
                .filter(|other| !(frame..frame + length).contains(other))
                .collect();
            let left = beside.iter().map(|other| residual(repaired, *other, 1)).fold(0.0, f64::max);
            if size < RESTORES * left {
                repaired[frame..frame + length].copy_from_slice(&spiked);
                continue;
            }
            for near in (frame + 1).saturating_sub(length + 2)..(frame + length + 2).min(n) {
                residuals[near] = residual(repaired, near, length);
            }
            (frame..frame + length).for_each(|own| residuals[own] = 0.0);
            found.extend((frame..frame + length).zip(bridge));
        }
        if found.len() == before {
            break;
        }
    }
}

/// The extrapolated value of the first frame, if it is a spike of more than `smallest`. With only one side known, it
/// must be far from both a linear and a quadratic extrapolation. Pass the reversed curve for the last frame.
pub(super) fn first_spike<T: Value>(values: impl Iterator<Item = T>, smallest: f64) -> Option<T> {
    let values: Vec<T> = values.take(2 * AROUND).collect();
    let off = |at: usize| -> Option<[f64; 2]> {
        let next = [values.get(at + 1)?, values.get(at + 2)?, values.get(at + 3)?];
        Some(T::ahead(next).map(|value| value.apart(&values[at])))
    };
    let own = off(0)?;
    let size = own[0].min(own[1]);
    let mut others: Vec<f64> = (1..values.len()).filter_map(off).map(|off| off[0].min(off[1])).collect();
    if others.len() < 4 || size < smallest {
        return None;
    }
    let largest = others.iter().copied().fold(0.0, f64::max);
    let steps = values.windows(2).skip(1).take(3).map(|pair| pair[0].apart(&pair[1])).fold(0.0, f64::max);
    let unusual =
        size >= UNUSUAL * median(&mut others) && size >= STANDS_OUT * largest && size >= STANDS_OUT * steps;
    unusual.then(|| T::ahead([&values[1], &values[2], &values[3]])[0])
}

/// The median of the residuals around a frame.
fn usual(residuals: &[f64], frame: usize, length: usize) -> f64 {
    let (from, to) = (frame.saturating_sub(AROUND), (frame + AROUND + 1).min(residuals.len()));
    let near = |other: usize| other.abs_diff(frame) < length + 2;
    let others = (from..to).filter(|other| !near(*other)).map(|other| residuals[other]);
    median(&mut others.collect::<Vec<_>>())
}

/// The size of the largest recurring peaks.
fn common(residuals: &[f64]) -> f64 {
    let mut peaks: Vec<f64> = (1..residuals.len() - 1)
        .filter(|at| residuals[*at] >= residuals[at - 1] && residuals[*at] > residuals[at + 1])
        .map(|at| residuals[at])
        .collect();
    peaks.sort_by(|a, b| b.total_cmp(a));
    let rare = ((RARE * residuals.len() as f64).ceil() as usize).max(FEW);
    peaks.get(rare).copied().unwrap_or(0.0)
}

/// The distance of frames from the prediction of both sides; the least of a run.
fn residual<T: Value>(values: &[T], frame: usize, length: usize) -> f64 {
    let apart =
        |bridge: Vec<T>| bridge.iter().zip(&values[frame..]).map(|(a, b)| a.apart(b)).reduce(f64::min);
    predicted(values, frame, length).and_then(apart).unwrap_or(0.0)
}

/// How much longer the path from the frame before to the frame after is through a run of frames than past it.
fn detour<T: Value>(values: &[T], frame: usize, length: usize) -> f64 {
    let [before, first, last, after] =
        [frame - 1, frame, frame + length - 1, frame + length].map(|at| &values[at]);
    before.apart(first) + last.apart(after) - before.apart(after)
}

/// The values of a run of frames by the cubic through two frames on each side.
fn predicted<T: Value>(values: &[T], frame: usize, length: usize) -> Option<Vec<T>> {
    let near = [values.get(frame.checked_sub(1)?)?, values.get(frame + length)?];
    let far = [values.get(frame.checked_sub(2)?)?, values.get(frame + length + 1)?];
    Some(match length {
        1 => vec![T::between(near, far)],
        _ => (1..=length).map(|step| T::bridge(near, far, length, step)).collect(),
    })
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
        // A straight knee that suddenly bends.
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

    #[test]
    fn two_frames_that_jump_away_together_are_a_spike() {
        let turn = |angle: f64| exp(&Vector3::new(angle, 0.0, 0.0));
        let swing: Vec<_> = (0..60).map(|i| turn((f64::from(i) * 0.15).sin())).collect();
        for flip in [0.4, 1.6, 2.9] {
            let mut spiked = swing.clone();
            spiked[30..32].iter_mut().for_each(|value| *value *= exp(&Vector3::new(0.0, flip, 0.0)));
            let found = spikes(&spiked, SMALLEST);
            assert_eq!(found.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [30, 31], "{flip}");
            assert!(found.iter().all(|(frame, value)| angle_between(value, &swing[*frame]) < 0.03));
        }
        let mut way: Vec<_> = (0..60).map(|i| Vector3::new(f64::from(i) * 0.02, 0.9, 0.0)).collect();
        way[30..32].iter_mut().for_each(|place| place.y += 0.4);
        let found = spikes(&way, 0.02);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|(_, place)| (place.y - 0.9).abs() < 1e-9));
    }

    #[test]
    fn the_first_frame_is_a_spike_if_it_is_far_from_what_follows() {
        let turn = |angle: f64| exp(&Vector3::new(angle, 0.0, 0.0));
        let swing: Vec<_> = (0..60).map(|i| turn((f64::from(i) * 0.15).sin())).collect();
        assert!(first_spike(swing.iter().copied(), SMALLEST).is_none());
        assert!(first_spike(swing.iter().rev().copied(), SMALLEST).is_none());
        for size in [0.5, 1.5, 2.8] {
            let mut spiked = swing.clone();
            spiked[0] *= exp(&Vector3::new(0.0, 0.0, size));
            let value = first_spike(spiked.iter().copied(), SMALLEST).expect("a spike");
            assert!(angle_between(&value, &swing[0]) < 0.03, "{size}");
        }
        // A jump after a few frames is not one of the first frame.
        let mut later = swing.clone();
        later[0..2].fill(turn(2.0));
        assert!(first_spike(later.iter().copied(), SMALLEST).is_none());
    }
}
