//! Offsets that decay by a polynomial of fifth degree.

use mocap_model::Vector3;

/// An offset along its axis over time: x(t) from `x0` at speed `v0` to 0 at rest, within `time` \[s\].
#[derive(Clone, Debug)]
struct Decay {
    coefficients: [f64; 6],
    time: f64,
}

impl Decay {
    /// `x0` is not negative. Based on: D. Bollo, "Inertialization", 2018: x = At⁵ + Bt⁴ + Ct³ + a₀t²/2 + v₀t + x₀ with
    /// a₀ ≥ 0. An offset that already shrinks ends sooner; one that grows overshoots first, unless `no_overshoot`
    /// clamps its speed.
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

/// An offset that decays along its axis.
#[derive(Clone, Debug)]
pub(crate) struct Decaying {
    axis: Vector3<f64>,
    decay: Decay,
}

impl Decaying {
    /// From an offset, the one a frame earlier, and the time it takes \[s\].
    pub(crate) fn new(
        now: Vector3<f64>,
        before: Vector3<f64>,
        fps: f64,
        time: f64,
        no_overshoot: bool,
    ) -> Decaying {
        let size = now.norm();
        let axis = if size > 0.0 { now / size } else { Vector3::zeros() };
        let speed = (size - before.dot(&axis)) * fps;
        Decaying { axis, decay: Decay::new(size, speed, time, no_overshoot) }
    }

    /// The offset that is left after a time \[s\].
    pub(crate) fn at(&self, time: f64) -> Vector3<f64> {
        self.axis * self.decay.at(time)
    }
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
            // No offset changes its sign, not even one that grows first.
            let negative = (0..400).any(|i| decay.at(f64::from(i) * 1e-3) < -1e-9);
            assert!(!negative, "{x0} {v0}");
        }
        let clamped = Decay::new(0.5, 4.0, 0.4, true);
        assert!((0..400).all(|i| clamped.at(f64::from(i) * 1e-3) <= 0.5 + 1e-12));
    }
}
