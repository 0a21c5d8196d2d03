//! The curve below a motion on a page: a value by time, in few bytes.

use crate::stage::evenly_spaced;

/// Greatest number of points of a curve; each is the largest of its neighbours.
pub(crate) const CURVE: usize = 600;

/// The values as bytes. `highest` becomes 255; higher values are clamped.
pub(crate) fn curve(values: &[f32], highest: f32) -> Vec<u8> {
    let highest = highest.max(f32::MIN_POSITIVE);
    let level = |value: f32| (value / highest * 255.0) as u8;
    if values.len() <= CURVE {
        return values.iter().map(|value| level(*value)).collect();
    }
    // The ends of the bins: the last one is behind the last value.
    let bins = evenly_spaced(values.len() + 1, CURVE + 1);
    bins.windows(2).map(|bin| level(largest(&values[bin[0]..bin[1]]))).collect()
}

pub(crate) fn largest(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

/// 99th percentile of the values: a jump in one frame must not flatten the rest of a curve.
pub(crate) fn nearly_largest(values: &[f32]) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() * 99 / 100).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_the_curve() {
        for count in [1, 599, 600, 601, 602, 1199, 1200, 1201, 10_000] {
            for at in [0, count / 3, count - 1] {
                let mut values = vec![0.0; count];
                values[at] = 2.0;
                let curve = curve(&values, 2.0);
                assert_eq!(curve.len(), count.min(CURVE));
                let place = curve.iter().position(|level| *level == 255);
                let place = place.unwrap_or_else(|| panic!("value {at} of {count} is not drawn"));
                let share = (place as f64 + 0.5) / curve.len() as f64 - (at as f64 + 0.5) / count as f64;
                assert!(share.abs() <= 1.0 / curve.len() as f64, "value {at} of {count} is at {place}");
            }
        }
    }
}
