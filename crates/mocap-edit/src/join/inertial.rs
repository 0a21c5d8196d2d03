//! Inertial transitions: the offset from the motion that was left dies away by a polynomial of fifth degree.

use mocap_model::{UnitQuaternion, Vector3, exp, log};

use crate::samples::Samples;

/// An offset along its axis over time: x(t) from `x0` at speed `v0` to 0 at rest, within `time` \[s\].
struct Decay {
    coefficients: [f64; 6],
    time: f64,
}

impl Decay {
    /// `x0` is not negative. Based on: D. Bollo, "Inertialization", 2018: x = At⁵ + Bt⁴ + Ct³ + a₀t²/2 + v₀t + x₀ with a₀
    /// not below 0; an offset that shrinks already ends sooner. One that grows overshoots, unless that is clamped.
    fn new(x0: f64, v0: f64, time: f64, no_overshoot: bool) -> Decay {
        let v0 = if no_overshoot { v0.min(0.0) } else { v0 };
        let time = if v0 < 0.0 && x0 > 0.0 { time.min(-5.0 * x0 / v0) } else { time };
        if time <= 0.0 || x0 <= 0.0 && v0 == 0.0 {
            return Decay { coefficients: [0.0; 6], time: 0.0 };
        }
        let (t2, t3, t4, t5) = (time.powi(2), time.powi(3), time.powi(4), time.powi(5));
        let a0 = ((-8.0 * v0 * time - 20.0 * x0) / t2).max(0.0);
        let a = -(a0 * t2 + 6.0 * v0 * time + 12.0 * x0) / (2.0 * t5);
        let b = (3.0 * a0 * t2 + 16.0 * v0 * time + 30.0 * x0) / (2.0 * t4);
        let c = -(3.0 * a0 * t2 + 12.0 * v0 * time + 20.0 * x0) / (2.0 * t3);
        Decay { coefficients: [x0, v0, a0 / 2.0, c, b, a], time }
    }

    fn at(&self, t: f64) -> f64 {
        if t >= self.time {
            return 0.0;
        }
        self.coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * t + coefficient)
    }
}

/// The frames of `x` up to `leave`, then `y` from `enter` with the offset that dies away.
pub(super) fn join(
    mut x: Samples,
    y: &Samples,
    (leave, enter): (usize, usize),
    steps: usize,
    no_overshoot: bool,
) -> Samples {
    let fps = x.rate.fps();
    let time = steps as f64 / fps;
    let mut rest = y.clone();
    rest.cut(enter..y.frames);
    let before = leave.saturating_sub(1);
    for joint in 0..x.rotations.len() {
        let offset = |own: usize, other: usize| -> Vector3<f64> {
            log(&(y.rotations[joint][other].inverse() * x.rotations[joint][own]))
        };
        let decayed =
            decaying(offset(leave, enter), offset(before, enter.saturating_sub(1)), fps, time, no_overshoot);
        for (frame, rotation) in rest.rotations[joint].iter_mut().enumerate().take(steps + 1) {
            let turn: UnitQuaternion<f64> = exp(&decayed(frame as f64 / fps));
            *rotation *= turn;
        }
        let rest_offset = x.skeleton.joints()[joint].offset;
        let place = |samples: &Samples, frame: usize| {
            samples.translations[joint].as_ref().map_or(rest_offset, |values| values[frame])
        };
        if x.translations[joint].is_none() && y.translations[joint].is_none() {
            continue;
        }
        let offset = |own: usize, other: usize| place(&x, own) - place(y, other);
        let decayed =
            decaying(offset(leave, enter), offset(before, enter.saturating_sub(1)), fps, time, no_overshoot);
        let frames = rest.frames;
        let values = rest.translations[joint].get_or_insert_with(|| vec![rest_offset; frames]);
        for (frame, value) in values.iter_mut().enumerate().take(steps + 1) {
            *value += decayed(frame as f64 / fps);
        }
    }
    x.cut(0..leave);
    x.append(rest);
    x
}

/// The offset over time, along its axis.
fn decaying(
    now: Vector3<f64>,
    before: Vector3<f64>,
    fps: f64,
    time: f64,
    no_overshoot: bool,
) -> impl Fn(f64) -> Vector3<f64> {
    let size = now.norm();
    let axis = if size > 0.0 { now / size } else { Vector3::zeros() };
    let speed = (size - before.dot(&axis)) * fps;
    let decay = Decay::new(size, speed, time, no_overshoot);
    move |t| axis * decay.at(t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_start_as_they_are_and_end_at_rest() {
        for (x0, v0) in [(1.0, 0.0), (1.0, -3.0), (0.5, 4.0), (1.0, -40.0)] {
            let decay = Decay::new(x0, v0, 0.4, false);
            let speed = |t: f64| (decay.at(t + 1e-6) - decay.at(t - 1e-6)) / 2e-6;
            assert!((decay.at(0.0) - x0).abs() < 1e-12 && (speed(1e-5) - v0).abs() < 0.05 * (1.0 + v0.abs()));
            assert!(decay.at(decay.time - 1e-9).abs() < 1e-6 && speed(decay.time - 1e-4).abs() < 1e-2);
            // An offset that does not grow never turns to the other side.
            let negative = (0..400).any(|i| decay.at(f64::from(i) * 1e-3) < -1e-9);
            assert!(!negative, "{x0} {v0}");
        }
        let clamped = Decay::new(0.5, 4.0, 0.4, true);
        assert!((0..400).all(|i| clamped.at(f64::from(i) * 1e-3) <= 0.5 + 1e-12));
    }
}
