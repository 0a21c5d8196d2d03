//! A low-pass filter without delay.

use std::f64::consts::{PI, SQRT_2};

/// A second-order Butterworth filter, applied forwards and backwards. The cutoff f_a of one pass is raised so
/// that both passes together have their -3 dB point at the requested f_c: tan(π f_a / f_s) = tan(π f_c / f_s) /
/// (√2 − 1)^(1/2n), n = 2.
///
/// A cutoff \[Hz\] near half the sample rate `fps` or above leaves the values unchanged. Beyond the ends, values
/// are continued by point reflection.
///
/// Based on: D. Winter, "Biomechanics and Motor Control of Human Movement", 2009.
pub fn low_pass(values: &[f64], cutoff: f64, fps: f64) -> Vec<f64> {
    let Some(last) = values.len().checked_sub(1) else { return Vec::new() };
    // Values contain no frequencies above half the rate.
    if cutoff >= 0.49 * fps {
        return values.to_vec();
    }
    let tangent = (PI * cutoff / fps).tan() / (SQRT_2 - 1.0).powf(0.25);
    let (k, root) = (tangent * tangent, SQRT_2 * tangent);
    let scale = 1.0 / (1.0 + root + k);
    let b = [k * scale, 2.0 * k * scale, k * scale];
    let a = [2.0 * (k - 1.0) * scale, (1.0 - root + k) * scale];
    // Point reflection beyond both ends, long enough for the filter to settle.
    let pad = ((3.0 * fps / cutoff) as usize).clamp(8, 10_000);
    let before = (1..=pad).rev().map(|i| 2.0 * values[0] - values[i.min(last)]);
    let after = (1..=pad).map(|i| 2.0 * values[last] - values[last - i.min(last)]);
    let mut padded: Vec<f64> = before.chain(values.iter().copied()).chain(after).collect();
    for _ in 0..2 {
        let start = padded[0];
        let (mut x1, mut x2, mut y1, mut y2) = (start, start, start, start);
        for value in padded.iter_mut() {
            let y = b[0] * *value + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2;
            (x2, x1, y2, y1) = (x1, *value, y1, y);
            *value = y;
        }
        padded.reverse();
    }
    padded[pad..pad + values.len()].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn gain(hz: f64, filter: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
        let wave: Vec<f64> = (0..1200).map(|i| (TAU * hz * f64::from(i) / 120.0).sin()).collect();
        let out = filter(&wave);
        let size = |v: &[f64]| (v[400..800].iter().map(|x| x * x).sum::<f64>() / 400.0).sqrt();
        size(&out) / size(&wave)
    }

    #[test]
    fn both_passes_halve_the_power_at_the_cutoff() {
        let at = |hz| gain(hz, |values| low_pass(values, 6.0, 120.0));
        assert!((at(6.0) - 0.5f64.sqrt()).abs() < 0.005, "{}", at(6.0));
        assert!(at(1.0) > 0.995 && at(20.0) < 0.02);
        // Ends and straight lines stay.
        let line: Vec<f64> = (0..200).map(f64::from).collect();
        let out = low_pass(&line, 6.0, 120.0);
        assert!(line.iter().zip(&out).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
