//! Smoothing of values over time.

/// Values are smoothed over at most this many frames to each side: 0.1 s at 10,000 frames per second, which no
/// camera exceeds. A larger stated rate would take unbounded time.
const MOST_FRAMES: usize = 1000;

/// A smooth curve that is nowhere below `needed`: the maximum within `ahead` frames to each side, averaged over the
/// same span.
pub(crate) fn envelope(needed: &[f64], ahead: usize) -> Vec<f64> {
    if needed.iter().all(|need| *need == 0.0) {
        return needed.to_vec();
    }
    let ahead = ahead.min(MOST_FRAMES);
    smooth(&sliding_max(needed, ahead), ahead)
}

/// The lowest curve that is nowhere below `needed` and changes by at most `step` per value.
pub(crate) fn ramped(needed: &[f64], step: f64) -> Vec<f64> {
    let mut ramped = needed.to_vec();
    let mut last = f64::NEG_INFINITY;
    for value in &mut ramped {
        last = larger(*value, last - step);
        *value = last;
    }
    for value in ramped.iter_mut().rev() {
        last = larger(*value, last - step);
        *value = last;
    }
    ramped
}

/// Weighted mean over `reach` values to each side (Hann window), at most [`MOST_FRAMES`]. The first and last
/// value are repeated beyond the ends.
pub(crate) fn smooth(values: &[f64], reach: usize) -> Vec<f64> {
    let reach = reach.min(MOST_FRAMES);
    let weight = |offset: usize| {
        let t = offset as f64 / (reach as f64 + 1.0);
        (1.0 + (std::f64::consts::PI * t).cos()) / 2.0
    };
    let total = 1.0 + 2.0 * (1..=reach).map(weight).sum::<f64>();
    let weights: Vec<f64> = (0..=reach).map(|offset| weight(offset) / total).collect();
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return Vec::new() };
    let mut continued = vec![*first; reach];
    continued.extend_from_slice(values);
    continued.resize(values.len() + 2 * reach, *last);
    let mut smoothed: Vec<f64> = values.iter().map(|value| *value * weights[0]).collect();
    for (offset, weight) in weights.iter().enumerate().skip(1) {
        let (before, after) = (&continued[reach - offset..], &continued[reach + offset..]);
        for ((sum, before), after) in smoothed.iter_mut().zip(before).zip(after) {
            *sum += (*before + *after) * *weight;
        }
    }
    smoothed
}

/// Inverse smoothstep: 1 at `from`, 0 at `to`, with zero slope at both.
pub(crate) fn falling((from, to): (f64, f64), value: f64) -> f64 {
    let share = ((to - value) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// A weight that falls smoothly from 1 to 0 over `length` frames after an event. `step` is the frame after the
/// event, from 1.
pub(crate) fn fade_out(step: usize, length: usize) -> f64 {
    let left = 1.0 - step as f64 / (length as f64 + 1.0);
    left * left * (3.0 - 2.0 * left)
}

/// Maximum within `reach` values to each side.
///
/// Based on: M. van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal
/// kernels", 1992. Each window consists of the end of one block of its width and the start of the next.
pub(crate) fn sliding_max(values: &[f64], reach: usize) -> Vec<f64> {
    let reach = reach.min(values.len());
    let width = 2 * reach + 1;
    let mut starts = vec![f64::NEG_INFINITY; values.len() + 2 * reach];
    starts[reach..reach + values.len()].copy_from_slice(values);
    let mut ends = starts.clone();
    for (starts, ends) in starts.chunks_mut(width).zip(ends.chunks_mut(width)) {
        let mut most = f64::NEG_INFINITY;
        for start in starts {
            most = larger(*start, most);
            *start = most;
        }
        most = f64::NEG_INFINITY;
        for end in ends.iter_mut().rev() {
            most = larger(*end, most);
            *end = most;
        }
    }
    ends.iter().zip(&starts[2 * reach..]).map(|(end, start)| larger(*end, *start)).collect()
}

/// The larger number in one instruction; [`f64::max`] also handles NaN.
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_is_smooth_and_nowhere_below_what_is_needed() {
        let mut needed = vec![0.0; 60];
        needed[30] = 1.0;
        needed[31] = 0.4;
        let drop = envelope(&needed, 8);
        assert!(needed.iter().zip(&drop).all(|(need, drop)| *drop >= *need - 1e-12));
        assert!(drop.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.2), "{drop:?}");
        assert_eq!((drop[0], drop[59]), (0.0, 0.0));
        assert!(envelope(&[0.0; 4], 2).iter().all(|drop| *drop == 0.0));
    }

    #[test]
    fn ramps_are_nowhere_steeper_than_their_step() {
        let needed = [0.0, 0.0, 0.0, 1.0, 0.2, 0.0];
        assert_eq!(ramped(&needed, 0.5), [0.0, 0.0, 0.5, 1.0, 0.5, 0.0]);
        assert!(ramped(&[], 0.5).is_empty());
    }

    #[test]
    fn no_rate_makes_smoothing_endless() {
        let mut needed = vec![0.0; 300];
        needed[150] = 1.0;
        for reach in [100_000_000, usize::MAX] {
            let drop = envelope(&needed, reach);
            assert!(drop.iter().all(|drop| (drop - 1.0).abs() < 1e-9), "{reach}");
            assert_eq!(smooth(&needed, reach), smooth(&needed, MOST_FRAMES));
        }
    }

    #[test]
    fn sliding_maxima_are_those_of_the_windows() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        for reach in 0..5 {
            let expected: Vec<f64> = (0..values.len())
                .map(|i| {
                    values[i.saturating_sub(reach)..(i + reach + 1).min(8)]
                        .iter()
                        .copied()
                        .fold(0.0, f64::max)
                })
                .collect();
            assert_eq!(sliding_max(&values, reach), expected);
        }
    }
}
