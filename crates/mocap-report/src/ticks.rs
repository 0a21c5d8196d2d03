//! Round numbers along an axis.

/// The smallest of 1, 2, 5 × 10ⁿ that is at least `least` (above 0).
pub(crate) fn nice_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    // A small tolerance: 0.2 must not become 0.5 because of rounding.
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * power >= least * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

/// The spacing of floor lines for a body of some size: half a metre for humans.
pub(crate) fn grid(size: f64, known: bool) -> f64 {
    if known && (1.0..8.0).contains(&size) { 0.5 } else { nice_step(size / 4.0) }
}

/// The multiples of a nice step from `from` to `to`, about `count` of them, and the decimals they need.
pub(crate) fn ticks(from: f64, to: f64, count: usize) -> (Vec<f64>, usize) {
    let step = nice_step(((to - from) / count.max(1) as f64).max(f64::MIN_POSITIVE * 1e6));
    let first = (from / step - 1e-6).ceil() as i64;
    let last = (to / step + 1e-6).floor() as i64;
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    ((first..=last).map(|i| i as f64 * step).collect(), decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_two_five() {
        for (least, step) in [(0.3, 0.5), (0.2, 0.2), (1.0, 1.0), (1.01, 2.0), (6.0, 10.0), (0.0007, 0.001)] {
            assert!((nice_step(least) / step - 1.0).abs() < 1e-9, "{least}");
        }
    }

    #[test]
    fn ticks_lie_within_the_axis() {
        let (found, decimals) = ticks(-0.31, 0.72, 5);
        assert_eq!(decimals, 1);
        let text: Vec<String> = found.iter().map(|tick| format!("{tick:.decimals$}")).collect();
        assert_eq!(text, ["-0.0", "0.5"].map(|t| t.replace("-0.0", "0.0")));
    }
}
