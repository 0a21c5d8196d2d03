//! Smoothing splines whose stiffness follows the motion: stiff where it is still, soft where it is fast.
//!
//! The second or third differences of the true curve are taken as normally distributed with a variance that changes
//! slowly in time; the variance is estimated from the curve itself, by the fixed point of its marginal likelihood under a
//! prior that prefers stillness. Plain generalised cross-validation has one stiffness for all frames: it leaves noise
//! where the body stands, and rounds off kicks and steps.
//!
//! Based on: D. MacKay, "Bayesian Interpolation", 1992 (the fixed point); P. Craven, G. Wahba, "Smoothing noisy data
//! with spline functions", 1979.

use super::banded::{Fit, Four, differences, noise_gain};

/// Up to this rate third differences are smoothed, above it second ones \[1/s\]: limbs are struck and stopped within
/// about 20 ms, so accelerations jump from frame to frame at high rates and are blurred at low ones.
const BLURRED: f64 = 45.0;
/// How fast the variance of second differences may change: its estimate looks this far to both sides \[s\].
const SECOND_WINDOW: f64 = 0.2;
/// How fast the variance of third differences may change \[s\].
const THIRD_WINDOW: f64 = 0.1;
/// The stiffness of the spline of second order over that of the least error: an estimate with the least error has less
/// jerk than the motion. Half of it costs about 1 % of error.
const SOFTER: f64 = 0.5;
/// The weight of the prior, in values that are known to be still: a few values of noise look like motion.
const STILL: f64 = 0.5;
/// Rounds of the fixed point.
const ROUNDS: usize = 8;
/// The stiffest spline, as penalty over weight: a kernel of about a hundred frames.
const STIFFEST: f64 = 1e12;
/// The softest: the value itself.
const SOFTEST: f64 = 1e-6;

/// Room for a fit, used again for every curve.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    second: Room<2>,
    third: Room<3>,
}

#[derive(Debug, Default)]
struct Room<const N: usize> {
    fit: Fit<N>,
    penalties: Vec<Four>,
    energies: Vec<Four>,
    certain: Vec<Four>,
    curve: Vec<Four>,
}

/// Smooths four curves in place. `noise` is the variance of the noise of each; values of weight 0 are not known.
pub(super) fn smooth(values: &mut [Four], weights: &[f64], noise: &Four, fps: f64, room: &mut Workspace) {
    if values.len() < 8 || noise.max() <= 0.0 {
        return;
    }
    let curve = match fps <= BLURRED {
        true => room.third.fitted(values, weights, noise, THIRD_WINDOW * fps, 1.0),
        false => room.second.fitted(values, weights, noise, SECOND_WINDOW * fps, SOFTER),
    };
    values.copy_from_slice(curve);
}

impl<const N: usize> Room<N> {
    /// A spline through the values; its stiffness looks `reach` frames to both sides, and is `stiffness` times the best.
    fn fitted(
        &mut self,
        values: &[Four],
        weights: &[f64],
        noise: &Four,
        reach: f64,
        stiffness: f64,
    ) -> &[Four] {
        let Room { fit, penalties, energies, certain, curve } = self;
        let keep = (-1.0 / reach.max(1.0)).exp();
        let count = values.len() - N;
        let energies_of = |values: &[Four], energies: &mut Vec<Four>| {
            energies.clear();
            energies.extend(differences::<N>(values).map(|d| d.component_mul(&d)));
        };
        energies_of(values, energies);
        certain.clear();
        certain.resize(count, Four::repeat(1.0));
        penalties.clear();
        penalties.resize(count, Four::zeros());
        let of_noise = noise * noise_gain(N);
        sum_around(energies, certain, keep, |i, energy, values| {
            let variance = (energy - values.component_mul(&of_noise)).sup(&(energy * 0.05));
            penalties[i] = penalty(noise, &values, &variance);
        });
        for round in 0..=ROUNDS {
            if round == ROUNDS {
                penalties.iter_mut().for_each(|penalty| *penalty *= stiffness);
            }
            fit.factor(weights, penalties);
            curve.clear();
            curve.extend(values.iter().zip(weights).map(|(value, weight)| value * *weight));
            fit.solve(curve);
            if round == ROUNDS {
                break;
            }
            energies_of(curve, energies);
            // How far each difference is known from the values rather than assumed: 0 to 1.
            fit.variances(|i, variance| {
                certain[i] =
                    penalties[i].zip_map(&variance, |penalty, variance| (1.0 - penalty * variance).max(1e-9));
            });
            sum_around(energies, certain, keep, |i, energy, certain| {
                let aim = penalty(noise, &certain.add_scalar(STILL), &energy);
                // A longer step, as the fixed point is near after half as many rounds: towards stiff ones the most,
                // as these take the longest.
                penalties[i] = aim.zip_map(&penalties[i], |aim, now| {
                    let ratio = aim / now;
                    (aim * if ratio > 1.0 { ratio } else { ratio.sqrt() }).clamp(SOFTEST, STIFFEST)
                });
            });
        }
        curve
    }
}

/// The penalty of a variance that is `energy` over `count`.
fn penalty(noise: &Four, count: &Four, energy: &Four) -> Four {
    let penalty = noise.component_mul(count).zip_map(energy, |a, energy| a / energy.max(f64::MIN_POSITIVE));
    penalty.map(|penalty| penalty.clamp(SOFTEST, STIFFEST))
}

/// Hands over, for every place, the sums of two rows of values around it, with weights that fall by `keep` per step to
/// both sides. The first row is used up.
fn sum_around(
    energies: &mut [Four],
    certain: &mut [Four],
    keep: f64,
    mut take: impl FnMut(usize, Four, Four),
) {
    let zero = Four::zeros();
    let mut before = (zero, zero);
    for (a, b) in energies.iter_mut().zip(certain.iter_mut()) {
        before = (before.0 * keep + *a, before.1 * keep + *b);
        (*a, *b) = before;
    }
    // A value is the sum up to it without that before it.
    let mut after = (zero, zero);
    for i in (0..energies.len()).rev() {
        let (a, b) = (energies[i], certain[i]);
        take(i, a + after.0, b + after.1);
        let (a0, b0) = match i {
            0 => (zero, zero),
            _ => (energies[i - 1] * keep, certain[i - 1] * keep),
        };
        after = ((after.0 + (a - a0)) * keep, (after.1 + (b - b0)) * keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_fall_to_both_sides_of_a_peak() {
        let mut peak = vec![Four::zeros(); 21];
        peak[10][1] = 1.0;
        let mut sums = vec![0.0; 21];
        let mut flat = vec![Four::repeat(1.0); 21];
        sum_around(&mut peak, &mut flat, 0.5, |i, peak, flat| {
            sums[i] = peak[1];
            assert_eq!(peak[0], 0.0);
            let exact = 3.0 - 0.5f64.powi(i as i32) - 0.5f64.powi(20 - i as i32);
            assert!((flat[0] - exact).abs() < 1e-12);
        });
        let exact = |i: usize| 0.5f64.powi(i.abs_diff(10) as i32);
        assert!((0..21).all(|i| (sums[i] - exact(i)).abs() < 1e-12));
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
