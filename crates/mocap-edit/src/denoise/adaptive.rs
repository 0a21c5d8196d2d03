//! Smoothing splines whose stiffness follows the motion: stiff where it is still, soft where it is fast.
//!
//! The second or third differences of the true curve are taken as normally distributed with a variance that changes
//! slowly in time; the variance is estimated from the curve itself, by the fixed point of its marginal likelihood. Plain
//! generalised cross-validation has one stiffness for all frames: it leaves noise where the body stands, and rounds off
//! kicks and steps. The mean of two such splines is nearer to the truth than either.
//!
//! Based on: D. MacKay, "Bayesian Interpolation", 1992 (the fixed point); P. Craven, G. Wahba, "Smoothing noisy data
//! with spline functions", 1979.

use super::banded::{Fit, Four, SECOND, THIRD, differences, noise_gain};

/// How fast the variance of second differences may change: its estimate looks this far to both sides \[s\].
const SECOND_WINDOW: f64 = 0.2;
/// How fast the variance of third differences may change \[s\].
const THIRD_WINDOW: f64 = 0.1;
/// The stiffness of the spline of second order over that of the least error: an estimate with the least error has less
/// jerk than the motion. Half of it costs about 1 % of error.
const SOFTER: f64 = 0.5;
/// Rounds of the fixed point.
const ROUNDS: usize = 10;
/// The stiffest spline, as penalty over weight: a kernel of about a hundred frames.
const STIFFEST: f64 = 1e12;
/// The softest: the value itself.
const SOFTEST: f64 = 1e-6;

/// Room for a fit, used again for every curve.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    fit: Fit,
    penalties: Vec<Four>,
    energies: Vec<Four>,
    certain: Vec<Four>,
    sums: Vec<(Four, f64)>,
}

/// Smooths four curves in place. `noise` is the variance of the noise of each; values of weight 0 are not known.
pub(super) fn smooth(values: &mut [Four], weights: &[f64], noise: &Four, fps: f64, room: &mut Workspace) {
    if values.len() < 8 || noise.max() <= 0.0 {
        return;
    }
    // At high rates accelerations jump from frame to frame, at low rates they are blurred.
    let share = ((fps - 25.0) / 35.0).clamp(0.0, 1.0);
    let mut mean = vec![Four::zeros(); values.len()];
    let splines = [(SECOND, SECOND_WINDOW, SOFTER, share), (THIRD, THIRD_WINDOW, 1.0, 1.0 - share)];
    for (difference, window, stiffness, share) in splines {
        if share > 0.0 {
            let reach = (window * fps).max(1.0);
            let curve = fitted(values, weights, noise, (&difference, reach, stiffness), room);
            mean.iter_mut().zip(curve).for_each(|(mean, value)| *mean += value * share);
        }
    }
    values.copy_from_slice(&mean);
}

/// One spline through the values; its stiffness looks `reach` frames to both sides, and is `stiffness` times the best.
fn fitted(
    values: &[Four],
    weights: &[f64],
    noise: &Four,
    (difference, reach, stiffness): (&[f64; 4], f64, f64),
    room: &mut Workspace,
) -> Vec<Four> {
    let Workspace { fit, penalties, energies, certain, sums } = room;
    let penalty = |variance: Four| {
        variance.zip_map(noise, |variance, noise| {
            (noise / variance.max(f64::MIN_POSITIVE)).clamp(SOFTEST, STIFFEST)
        })
    };
    energies.clear();
    energies.extend(differences(values, difference).map(|d| d.component_mul(&d)));
    average(energies, reach, sums);
    let of_noise = noise * noise_gain(difference);
    penalties.clear();
    penalties.extend(energies.iter().map(|energy| penalty((energy - of_noise).sup(&(energy * 0.05)))));
    let mut curve: Vec<Four> = Vec::with_capacity(values.len());
    for round in 0..=ROUNDS {
        if round == ROUNDS {
            penalties.iter_mut().for_each(|penalty| *penalty *= stiffness);
        }
        fit.factor(weights, difference, penalties);
        curve.clear();
        curve.extend(values.iter().zip(weights).map(|(value, weight)| value * *weight));
        fit.solve(&mut curve);
        if round == ROUNDS {
            break;
        }
        fit.invert();
        energies.clear();
        energies.extend(differences(&curve, difference).map(|d| d.component_mul(&d)));
        certain.clear();
        // How far each difference is known from the values rather than assumed: 0 to 1.
        certain.extend(penalties.iter().enumerate().map(|(i, penalty)| {
            penalty.component_mul(&fit.variance(difference, i)).map(|share| (1.0 - share).clamp(1e-9, 1.0))
        }));
        average(energies, reach, sums);
        average(certain, reach, sums);
        for (now, (energy, certain)) in penalties.iter_mut().zip(energies.iter().zip(certain.iter())) {
            // A longer step: the fixed point is near after half as many rounds.
            let aim = penalty(energy.component_div(certain));
            *now = aim.zip_map(now, |aim, now| (aim * (aim / now).sqrt()).clamp(SOFTEST, STIFFEST));
        }
    }
    curve
}

/// A running mean with weights that fall by half within `reach` · ln 2 frames to both sides.
fn average(values: &mut [Four], reach: f64, sums: &mut Vec<(Four, f64)>) {
    let keep = (-1.0 / reach).exp();
    let (mut forward, mut count) = (Four::zeros(), 0.0);
    sums.clear();
    for value in values.iter() {
        forward = forward * keep + value;
        count = count * keep + 1.0;
        sums.push((forward, count));
    }
    let (mut backward, mut count) = (Four::zeros(), 0.0);
    for (value, (sum, weight)) in values.iter_mut().zip(sums.iter()).rev() {
        let own = *value;
        *value = (sum + backward) / (weight + count);
        backward = (backward + own) * keep;
        count = (count + 1.0) * keep;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_mean_keeps_constants_and_the_place_of_a_peak() {
        let mut sums = Vec::new();
        let mut flat = vec![Four::repeat(2.0); 20];
        average(&mut flat, 4.0, &mut sums);
        assert!(flat.iter().all(|value| (value[0] - 2.0).abs() < 1e-12));
        let mut peak = vec![Four::zeros(); 21];
        peak[10][1] = 1.0;
        average(&mut peak, 3.0, &mut sums);
        assert!((peak[8][1] - peak[12][1]).abs() < 1e-12 && peak[10][1] > peak[9][1]);
        assert_eq!(peak[10][0], 0.0);
    }

    #[test]
    fn noise_goes_and_a_step_stays() {
        // White noise of known size on a curve that stands, jumps and stands.
        let truth = |i: usize| if i < 150 { 0.0 } else { 1.0 };
        let mut state = 1u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let size = 0.02;
        let noise = Four::new(size * size, 0.0, 0.0, 0.0);
        let mut noisy: Vec<Four> = (0..300)
            .map(|i| Four::new(truth(i) + size * 12f64.sqrt() * uniform(), truth(i), 0.0, 0.0))
            .collect();
        let rms = |values: &[Four]| {
            let squares = values.iter().enumerate().map(|(i, v)| (v[0] - truth(i)).powi(2));
            (squares.sum::<f64>() / 300.0).sqrt()
        };
        let before = rms(&noisy);
        for fps in [30.0, 120.0] {
            let mut smoothed = noisy.clone();
            smooth(&mut smoothed, &[1.0; 300], &noise, fps, &mut Workspace::default());
            // At the high rate the spline is softer by design, and its stiffness changes within fewer of all frames.
            let most = if fps > 60.0 { 0.85 } else { 0.55 };
            assert!(rms(&smoothed) < most * before, "{} of {before}", rms(&smoothed));
            assert!((smoothed[149][0] - 0.0).abs() < 0.1 && (smoothed[150][0] - 1.0).abs() < 0.1);
            // A curve without noise stays.
            assert!(smoothed.iter().enumerate().all(|(i, v)| (v[1] - truth(i)).abs() < 1e-5));
        }
        noisy.truncate(7);
        let few = noisy.clone();
        smooth(&mut noisy, &[1.0; 7], &noise, 30.0, &mut Workspace::default());
        assert_eq!(noisy, few);
    }
}
