//! How much noise a curve has, and which single values are wrong.

use super::banded::{THIRD, noise_gain};

/// Values in a stretch whose noise is estimated.
const STRETCH: usize = 16;
/// The share of stretches with less noise than the estimate: the others hold motion.
const QUIET: f64 = 0.25;
/// What the estimate of such a stretch is of the true deviation, for white noise.
const QUIET_BIAS: f64 = 0.857;
/// The median of the absolute value of a normal variable of deviation 1.
const MEDIAN_ABSOLUTE: f64 = 0.6745;

/// The standard deviation of white noise on a curve, from the median of third differences in its quietest stretches:
/// motion is smooth, noise is not, and a body is not equally fast everywhere.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = values.windows(4).map(|v| (v[3] - v[0] + 3.0 * (v[1] - v[2])).abs()).collect();
    if sizes.is_empty() {
        return 0.0;
    }
    let mut quiet: Vec<f64> =
        sizes.chunks_mut(STRETCH).filter(|part| part.len() >= STRETCH / 2).map(median).collect();
    if quiet.len() < 4 {
        return median(&mut sizes) / MEDIAN_ABSOLUTE / noise_gain(&THIRD).sqrt();
    }
    let at = ((quiet.len() - 1) as f64 * QUIET) as usize;
    let (_, low, _) = quiet.select_nth_unstable_by(at, f64::total_cmp);
    *low / MEDIAN_ABSOLUTE / noise_gain(&THIRD).sqrt() / QUIET_BIAS
}

pub(super) fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
