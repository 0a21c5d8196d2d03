//! A smoothing spline whose stiffness follows the motion: stiff where it is still, soft where it is fast.
//!
//! The third differences of the true curve are taken as normally distributed with a variance that changes slowly in
//! time; the variance is estimated from the curve itself, by the fixed point of its marginal likelihood. Plain
//! generalised cross-validation has one stiffness for all frames: it leaves noise where the body stands, and rounds off
//! kicks and steps.
//!
//! Based on: D. MacKay, "Bayesian Interpolation", 1992 (the fixed point); P. Craven, G. Wahba, "Smoothing noisy data
//! with spline functions", 1979.

use super::banded::{Fit, NOISE_GAIN, third_differences};

/// How fast the variance may change: its estimate looks this far to both sides \[s\].
const WINDOW: f64 = 0.1;
/// Rounds of the fixed point.
const ROUNDS: usize = 20;
/// The stiffest spline, as penalty over weight: a kernel of about a hundred frames.
const STIFFEST: f64 = 1e12;
/// The softest: the value itself.
const SOFTEST: f64 = 1e-6;

/// Room for a fit, used again for every curve.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    fit: Fit,
    penalties: Vec<f64>,
    energies: Vec<f64>,
    certain: Vec<f64>,
}

/// Smooths a curve in place. `noise` is the variance of the noise; values of weight 0 are not known.
pub(super) fn smooth(values: &mut [f64], weights: &[f64], noise: f64, fps: f64, room: &mut Workspace) {
    if values.len() < 8 || noise <= 0.0 {
        return;
    }
    let Workspace { fit, penalties, energies, certain } = room;
    let reach = (WINDOW * fps).max(1.0);
    energies.clear();
    energies.extend(third_differences(values).map(|d| d * d));
    average(energies, reach);
    let penalty = |variance: f64| (noise / variance.max(0.0)).clamp(SOFTEST, STIFFEST);
    penalties.clear();
    penalties.extend(energies.iter().map(|energy| penalty((energy - NOISE_GAIN * noise).max(0.05 * energy))));
    let mut curve = Vec::with_capacity(values.len());
    for round in 0..=ROUNDS {
        fit.factor(weights, penalties);
        curve.clear();
        curve.extend(values.iter().zip(weights).map(|(value, weight)| value * weight));
        fit.solve(&mut curve);
        if round == ROUNDS {
            break;
        }
        fit.invert();
        energies.clear();
        energies.extend(third_differences(&curve).map(|d| d * d));
        certain.clear();
        // How far each third difference is known from the values rather than assumed: 0 to 1.
        certain.extend(
            penalties
                .iter()
                .enumerate()
                .map(|(i, penalty)| (1.0 - penalty * fit.third_variance(i)).clamp(0.0, 1.0)),
        );
        average(energies, reach);
        average(certain, reach);
        for (penalty_now, (energy, certain)) in penalties.iter_mut().zip(energies.iter().zip(certain.iter()))
        {
            *penalty_now = penalty(energy / certain.max(1e-9));
        }
    }
    values.copy_from_slice(&curve);
}

/// A running mean with weights that fall by half within `reach` · ln 2 frames to both sides.
fn average(values: &mut [f64], reach: f64) {
    let keep = (-1.0 / reach).exp();
    let n = values.len();
    let (mut forward, mut count) = (0.0, 0.0);
    let mut sums = Vec::with_capacity(n);
    for value in values.iter() {
        forward = forward * keep + value;
        count = count * keep + 1.0;
        sums.push((forward, count));
    }
    let (mut backward, mut count) = (0.0, 0.0);
    for i in (0..n).rev() {
        let value = values[i];
        let (sum, weight) = sums[i];
        values[i] = (sum + backward) / (weight + count);
        backward = (backward + value) * keep;
        count = (count + 1.0) * keep;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_mean_keeps_constants_and_the_place_of_a_peak() {
        let mut flat = vec![2.0; 20];
        average(&mut flat, 4.0);
        assert!(flat.iter().all(|value| (value - 2.0).abs() < 1e-12));
        let mut peak = vec![0.0; 21];
        peak[10] = 1.0;
        average(&mut peak, 3.0);
        assert!((peak[8] - peak[12]).abs() < 1e-12 && peak[10] > peak[9]);
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
        let mut noisy: Vec<f64> = (0..300).map(|i| truth(i) + size * 12f64.sqrt() * uniform()).collect();
        let rms = |values: &[f64]| {
            let squares = values.iter().enumerate().map(|(i, v)| (v - truth(i)).powi(2));
            (squares.sum::<f64>() / 300.0).sqrt()
        };
        let before = rms(&noisy);
        smooth(&mut noisy, &[1.0; 300], size * size, 60.0, &mut Workspace::default());
        assert!(rms(&noisy) < 0.55 * before, "{} of {before}", rms(&noisy));
        assert!((noisy[149] - 0.0).abs() < 0.1 && (noisy[150] - 1.0).abs() < 0.1);
    }
}
