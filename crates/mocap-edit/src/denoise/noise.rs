//! Estimates the noise of curves.

use super::banded::noise_gain;

/// Number of values in a segment whose noise is estimated.
const STRETCH: usize = 16;
/// The quantile of the segments' noise that is used: most segments contain motion.
const QUIET: f64 = 0.25;
/// The bias of this quantile for white noise: estimate over true deviation.
const QUIET_BIAS: f64 = 0.857;
/// The median of the absolute value of a normal variable of deviation 1.
const MEDIAN_ABSOLUTE: f64 = 0.6745;

/// The standard deviation of white noise on a curve, from the median of third differences in its quietest stretches:
/// motion is smooth and noise is not, and some segments have little motion.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = values.windows(4).map(|v| (v[3] - v[0] + 3.0 * (v[1] - v[2])).abs()).collect();
    if sizes.is_empty() {
        return 0.0;
    }
    let mut quiet: Vec<f64> =
        sizes.chunks_mut(STRETCH).filter(|part| part.len() >= STRETCH / 2).map(median).collect();
    if quiet.len() < 4 {
        return median(&mut sizes) / MEDIAN_ABSOLUTE / noise_gain(3).sqrt();
    }
    let at = ((quiet.len() - 1) as f64 * QUIET) as usize;
    let (_, low, _) = quiet.select_nth_unstable_by(at, f64::total_cmp);
    *low / MEDIAN_ABSOLUTE / noise_gain(3).sqrt() / QUIET_BIAS
}

/// The standard error of the logarithm of an estimate from three curves of white noise, times the square root of their
/// length.
const LOG_ERROR: f64 = 1.4;
/// Estimates within this many standard errors of the others count as equal.
const ALIKE: f64 = 2.0;

/// Shrinks the noise estimates of joints from one recording towards their mean: differences within chance vanish,
/// larger ones mostly stay.
///
/// Based on: L. Breiman, "Better subset regression using the nonnegative garrote", 1995.
pub(super) fn share(deviations: &mut [f64], frames: usize) {
    let mut logs: Vec<f64> = deviations.iter().filter(|d| **d > 0.0).map(|d| d.ln()).collect();
    if logs.len() < 3 {
        return;
    }
    let middle = median(&mut logs);
    let chance = (ALIKE * LOG_ERROR).powi(2) / frames as f64;
    for deviation in deviations.iter_mut().filter(|d| **d > 0.0) {
        let off = deviation.ln() - middle;
        *deviation = (middle + off * (1.0 - chance / off.powi(2).max(chance))).exp();
    }
}

pub(super) fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_that_differ_by_chance_become_alike() {
        let mut found = [0.95, 1.0, 1.05, 0.0, 5.0];
        share(&mut found, 600);
        assert!((found[0] - found[2]).abs() < 1e-12 && found[3] == 0.0);
        assert!(found[4] > 4.9 && found[4] < 5.0, "{found:?}");
        let mut two = [1.0, 1.1];
        share(&mut two, 600);
        assert_eq!(two, [1.0, 1.1]);
    }
}
