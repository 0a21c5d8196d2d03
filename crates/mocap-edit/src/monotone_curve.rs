//! Monotone cubic interpolation: between two keys, values stay between those of the keys.
//!
//! Based on: F. Fritsch, R. Carlson, "Monotone Piecewise Cubic Interpolation", 1980.

/// The cubic Hermite curve through keys with these slopes; constant before the first and after the last.
pub(crate) fn hermite(keys: &[(f64, f64)], slopes: &[f64], x: f64) -> f64 {
    let next = keys.partition_point(|key| key.0 <= x).clamp(1, keys.len() - 1);
    let ((x0, y0), (x1, y1)) = (keys[next - 1], keys[next]);
    let width = x1 - x0;
    let t = ((x - x0) / width).clamp(0.0, 1.0);
    let (t2, t3) = (t * t, t * t * t);
    y0 * (2.0 * t3 - 3.0 * t2 + 1.0)
        + width * slopes[next - 1] * (t3 - 2.0 * t2 + t)
        + y1 * (3.0 * t2 - 2.0 * t3)
        + width * slopes[next] * (t3 - t2)
}

/// A smooth curve through two keys or more that stays between neighbours.
pub(crate) fn monotone(keys: Vec<(f64, f64)>) -> impl Fn(f64) -> f64 {
    let slopes = monotone_slopes(&keys);
    move |x| hermite(&keys, &slopes, x)
}

pub(crate) fn monotone_slopes(keys: &[(f64, f64)]) -> Vec<f64> {
    let secants: Vec<f64> = keys.windows(2).map(|k| (k[1].1 - k[0].1) / (k[1].0 - k[0].0)).collect();
    let n = keys.len();
    let mut slopes = vec![0.0; n];
    (slopes[0], slopes[n - 1]) = (secants[0], secants[n - 2]);
    for i in 1..n - 1 {
        slopes[i] =
            if secants[i - 1] * secants[i] <= 0.0 { 0.0 } else { (secants[i - 1] + secants[i]) / 2.0 };
    }
    for (i, secant) in secants.iter().enumerate() {
        if *secant == 0.0 {
            (slopes[i], slopes[i + 1]) = (0.0, 0.0);
            continue;
        }
        let (a, b) = (slopes[i] / secant, slopes[i + 1] / secant);
        let length = a.hypot(b);
        if length > 3.0 {
            (slopes[i], slopes[i + 1]) = (3.0 * a / length * secant, 3.0 * b / length * secant);
        }
    }
    slopes
}
