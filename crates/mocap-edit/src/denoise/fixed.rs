//! Filters with a fixed width: Butterworth, Savitzky–Golay, Gaussian, One Euro.

use std::f64::consts::TAU;

use mocap_analysis::low_pass;
use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::{Quaternion, Vector4};

use super::Denoise;
use crate::smoothing::gaussian;

pub(super) fn filter_rotations(rotations: &mut [UnitQuaternion<f64>], method: Denoise, fps: f64) {
    let mut curve: Vec<Vector4<f64>> = rotations.iter().map(|q| q.coords).collect();
    for frame in 1..curve.len() {
        if curve[frame - 1].dot(&curve[frame]) < 0.0 {
            curve[frame] = -curve[frame];
        }
    }
    if let Denoise::OneEuro { cutoff, beta } = method {
        let mut rest = curve[0];
        let mut speed = 0.0;
        for frame in 1..curve.len() {
            let way = 2.0 * (curve[frame] - curve[frame - 1]).norm() * fps;
            speed += share(1.0, fps) * (way - speed);
            rest += (curve[frame] - rest) * share(cutoff + beta * speed, fps);
            curve[frame] = rest;
        }
    } else {
        let columns: [Vec<f64>; 4] =
            std::array::from_fn(|axis| filtered(curve.iter().map(|q| q[axis]).collect(), method, fps));
        for (frame, value) in curve.iter_mut().enumerate() {
            *value = Vector4::from_fn(|axis, _| columns[axis][frame]);
        }
    }
    for (rotation, value) in rotations.iter_mut().zip(curve) {
        *rotation = UnitQuaternion::new_normalize(Quaternion::from(value));
    }
}

pub(super) fn filter_translations(translations: &mut [Vector3<f64>], method: Denoise, fps: f64) {
    if let Denoise::OneEuro { cutoff, .. } = method {
        // `beta` is for angular speeds. For translations only the cutoff at rest counts, raised to suit walking pace.
        let mut rest = translations[0];
        for value in translations.iter_mut() {
            rest += (*value - rest) * share(6.0 * cutoff, fps);
            *value = rest;
        }
        return;
    }
    let columns: [Vec<f64>; 3] =
        std::array::from_fn(|axis| filtered(translations.iter().map(|v| v[axis]).collect(), method, fps));
    for (frame, value) in translations.iter_mut().enumerate() {
        *value = Vector3::from_fn(|axis, _| columns[axis][frame]);
    }
}

/// Filters numbers from 0 to 1; speeds are in units of that range per second.
pub(super) fn filter_numbers(values: &mut [f64], method: Denoise, fps: f64) {
    let Denoise::OneEuro { cutoff, beta } = method else {
        let smooth = filtered(values.to_vec(), method, fps);
        values.copy_from_slice(&smooth);
        return;
    };
    let (mut rest, mut before, mut speed) = (values[0], values[0], 0.0);
    for value in values.iter_mut() {
        speed += share(1.0, fps) * ((*value - before).abs() * fps - speed);
        before = *value;
        rest += (*value - rest) * share(cutoff + beta * speed, fps);
        *value = rest;
    }
}

/// The smoothing factor of a first-order low-pass. Based on: G. Casiez, N. Roussel, D. Vogel, "1€ Filter", 2012.
fn share(cutoff: f64, fps: f64) -> f64 {
    let tau = 1.0 / (TAU * cutoff);
    1.0 / (1.0 + tau * fps)
}

fn filtered(values: Vec<f64>, method: Denoise, fps: f64) -> Vec<f64> {
    match method {
        Denoise::Butterworth { cutoff } => low_pass(&values, cutoff, fps),
        Denoise::SavitzkyGolay { width } => {
            savitzky_golay(&values, ((width * fps) / 2.0).round().max(2.0) as usize)
        }
        Denoise::Gaussian { sigma } => gaussian(&values, sigma * fps),
        Denoise::Auto | Denoise::OneEuro { .. } => values,
    }
}

/// The central value of the least-squares cubic through `reach` frames on each side; symmetrically fewer near the ends.
///
/// Based on: A. Savitzky, M. Golay, "Smoothing and Differentiation of Data by Simplified Least Squares Procedures", 1964.
fn savitzky_golay(values: &[f64], reach: usize) -> Vec<f64> {
    let last = values.len() - 1;
    let smooth = |frame: usize| {
        let reach = reach.min(frame).min(last - frame);
        if reach < 2 {
            return values[frame];
        }
        let m = reach as f64;
        // Weights of the central value of a quadratic or cubic fit.
        let (mut sum, mut total) = (0.0, 0.0);
        for offset in -(reach as isize)..=reach as isize {
            let weight = 3.0 * m * (m + 1.0) - 1.0 - 5.0 * (offset * offset) as f64;
            sum += weight * values[frame.wrapping_add_signed(offset)];
            total += weight;
        }
        sum / total
    };
    (0..values.len()).map(smooth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(hz: f64, fps: f64) -> Vec<f64> {
        (0..1200).map(|i| (TAU * hz * f64::from(i) / fps).sin()).collect()
    }

    fn gain(hz: f64, filter: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
        let wave = sine(hz, 120.0);
        let out = filter(&wave);
        let size = |v: &[f64]| (v[400..800].iter().map(|x| x * x).sum::<f64>() / 400.0).sqrt();
        size(&out) / size(&wave)
    }

    #[test]
    fn a_local_cubic_keeps_cubics() {
        let cubic: Vec<f64> = (0..60).map(|i| (f64::from(i) / 20.0 - 1.0).powi(3)).collect();
        let out = savitzky_golay(&cubic, 6);
        assert!(cubic.iter().zip(&out).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(gain(30.0, |values| savitzky_golay(values, 8)) < 0.35);
    }
}
