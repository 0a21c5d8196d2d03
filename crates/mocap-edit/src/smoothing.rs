//! Smooth steps, and zero-phase Gaussian smoothing of curves.

use std::ops::{Add, Mul, Sub};

/// From 0 at 0 to 1 at 1, level at both ends.
pub(crate) fn smooth_step(share: f64) -> f64 {
    share * share * (3.0 - 2.0 * share)
}

/// As [`smooth_step`], with second derivatives of zero at both ends.
pub(crate) fn smoother_step(share: f64) -> f64 {
    share * share * share * (10.0 + share * (6.0 * share - 15.0))
}

/// Smooths a curve by a Gaussian of `sigma` frames. Beyond its ends the curve is continued by point reflection, so its
/// first and last value and straight lines are preserved.
pub(crate) fn gaussian<T>(values: &[T], sigma: f64) -> Vec<T>
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    let last = values.len().saturating_sub(1);
    if last == 0 || sigma <= 0.0 {
        return values.to_vec();
    }
    // Further weights are negligible; the second limit bounds the work for a wide Gaussian.
    let reach = ((4.0 * sigma).ceil() as usize).min(4 * values.len());
    let weights: Vec<f64> = (0..=reach).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
    let total = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    // Beyond the reflection, the end value holds.
    let at = |frame: isize| -> T {
        if frame < 0 {
            values[0] * 2.0 - values[frame.unsigned_abs().min(last)]
        } else if frame as usize > last {
            values[last] * 2.0 - values[(2 * last).saturating_sub(frame as usize)]
        } else {
            values[frame as usize]
        }
    };
    let smooth = |frame: usize| {
        let mut sum = values[frame] * weights[0];
        for (k, weight) in weights.iter().enumerate().skip(1) {
            let (k, frame) = (k as isize, frame as isize);
            sum = sum + (at(frame - k) + at(frame + k)) * *weight;
        }
        sum * (1.0 / total)
    };
    (0..values.len()).map(smooth).collect()
}

/// A smooth curve that is nowhere above `values` or 0: the minimum over `reach` frames to both
/// sides, then a weighted mean over the same window.
pub(crate) fn lower_envelope(values: &[f64], reach: usize) -> Vec<f64> {
    let frames = values.len();
    let near = |frame: usize| frame.saturating_sub(reach)..(frame + reach + 1).min(frames);
    let least: Vec<f64> =
        (0..frames).map(|frame| values[near(frame)].iter().copied().fold(0.0, f64::min)).collect();
    let weight = |away: usize| {
        let share = away as f64 / (reach + 1) as f64;
        0.5 + 0.5 * (std::f64::consts::PI * share).cos()
    };
    let smooth = |frame: usize| {
        let (mut sum, mut total) = (0.0, 0.0);
        for other in near(frame) {
            let weight = weight(other.abs_diff(frame));
            (sum, total) = (sum + weight * least[other], total + weight);
        }
        sum / total
    };
    (0..frames).map(smooth).collect()
}

/// Angles [rad] without jumps of a whole turn.
pub(crate) fn unwrapped(angles: &mut [f64]) {
    for frame in 1..angles.len() {
        let turns = ((angles[frame] - angles[frame - 1]) / std::f64::consts::TAU).round();
        angles[frame] -= turns * std::f64::consts::TAU;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_ends_stay() {
        let line: Vec<f64> = (0..40).map(|i| 3.0 - 0.5 * f64::from(i)).collect();
        let smooth = gaussian(&line, 5.0);
        assert!(line.iter().zip(&smooth).all(|(a, b)| (a - b).abs() < 1e-12));
        let noisy: Vec<f64> = (0..40).map(|i| f64::from(i % 3)).collect();
        let smooth = gaussian(&noisy, 3.0);
        assert!((smooth[0] - noisy[0]).abs() < 1e-12 && (smooth[39] - noisy[39]).abs() < 1e-12);
        assert!(smooth.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.5));
        assert_eq!(gaussian(&[1.0], 3.0), [1.0]);
        assert_eq!(gaussian(&noisy, 1e12).len(), 40);
    }

    #[test]
    fn angles_follow_on() {
        let mut angles = [3.0, -3.0, 3.1, 0.0];
        unwrapped(&mut angles);
        assert!(angles.windows(2).all(|pair| (pair[1] - pair[0]).abs() <= std::f64::consts::PI + 1e-12));
    }
}
