//! A low-pass filter without delay.

use std::f64::consts::{PI, SQRT_2};

use crate::kernel::Kernel;

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
    let Some(tangent) = tangent(cutoff, fps) else { return values.to_vec() };
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

/// tan(π f_a / f_s); `None` if the cutoff is near half the rate or above it, where the filter
/// leaves values unchanged.
fn tangent(cutoff: f64, fps: f64) -> Option<f64> {
    (cutoff < 0.49 * fps).then(|| (PI * cutoff / fps).tan() / (SQRT_2 - 1.0).powf(0.25))
}

/// The filter as a quotient of two kernels, the numerator first: it turns the denominator's output
/// for any curve into the numerator's output. With c = cos²(ω/2), s = sin²(ω/2) and t the tangent,
/// both passes together have the gain c² / (c² + s² / t⁴) at the angular frequency ω.
pub(crate) fn low_pass_kernels(cutoff: f64, fps: f64) -> [Kernel; 2] {
    let Some(tangent) = tangent(cutoff, fps) else { return [Kernel::one(), Kernel::one()] };
    let c = Kernel::new(vec![0.5, 0.25]);
    let s = Kernel::new(vec![0.5, -0.25]);
    let above = c.then(&c);
    let below = above.plus(&s.then(&s), tangent.powi(-4));
    [above, below]
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector2;
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

    #[test]
    fn kernels_are_the_filter_to_the_ends() {
        for fps in [10.0, 30.0, 120.0] {
            let [above, below] = low_pass_kernels(6.0, fps);
            let at = |frame: i32| f64::from(frame * frame % 17) * 0.1 + f64::from(frame) * 0.02;
            let curve: Vec<Vector2<f64>> = (0..80).map(|frame| Vector2::new(at(frame), 0.0)).collect();
            let rows = |kernel: &Kernel| -> Vec<f64> {
                (0..80).map(|frame| kernel.row(frame, 80).apply(&curve).x).collect()
            };
            let below = rows(&below);
            let largest = below.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
            let out = low_pass(&below, 6.0, fps);
            for (frame, (found, wanted)) in out.iter().zip(rows(&above)).enumerate() {
                assert!((found - wanted).abs() < 1e-7 * largest, "{fps}: {frame}: {found} {wanted}");
            }
        }
    }
}
