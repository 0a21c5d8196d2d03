//! Percentiles by nearest rank.

/// The index of a percentile among `count` sorted samples, by nearest rank; `share` from 0 to 1.
///
/// ```
/// let sorted = [1, 2, 3, 4];
/// assert_eq!(sorted[mocap_analysis::percentile_rank(0.5, sorted.len())], 2);
/// ```
///
/// # Panics
/// Without samples.
pub fn percentile_rank(share: f64, count: usize) -> usize {
    ((share * count as f64).ceil() as usize).clamp(1, count) - 1
}

/// The nearest-rank percentile of unsorted samples, which are reordered; `None` without samples. `share` is from 0 to 1.
///
/// ```
/// assert_eq!(mocap_analysis::percentile(&mut [3.0, 1.0, 2.0], 0.5), Some(2.0));
/// assert_eq!(mocap_analysis::percentile(&mut [], 0.5), None);
/// ```
pub fn percentile(samples: &mut [f64], share: f64) -> Option<f64> {
    if samples.is_empty() {
        return None;
    }
    Some(*samples.select_nth_unstable_by(percentile_rank(share, samples.len()), f64::total_cmp).1)
}

/// Like [`percentile`], for a small share: does not reorder the samples, and needs one pass if few
/// samples are below it. 0 without samples.
pub(crate) fn low_percentile(samples: &[f64], share: f64) -> f64 {
    if samples.is_empty() {
        return 0.0;
    }
    let rank = percentile_rank(share, samples.len());
    let mut lowest = [f64::INFINITY; FEW];
    let Some(lowest) = lowest.get_mut(..=rank) else {
        return percentile(&mut samples.to_vec(), share).unwrap_or(0.0);
    };
    for sample in samples {
        if *sample < lowest[rank] {
            let mut at = rank;
            while at > 0 && lowest[at - 1] > *sample {
                lowest[at] = lowest[at - 1];
                at -= 1;
            }
            lowest[at] = *sample;
        }
    }
    lowest[rank]
}

/// Up to this many samples are kept sorted.
const FEW: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_is_that_of_whole_numbers() {
        for count in 1..20_000 {
            assert_eq!(percentile_rank(0.99, count), (count * 99).div_ceil(100) - 1);
        }
        assert_eq!((percentile_rank(0.0, 5), percentile_rank(1.0, 5)), (0, 4));
        assert_eq!(percentile(&mut [3.0, 1.0, 2.0], 0.5), Some(2.0));
        assert_eq!(percentile(&mut [], 0.5), None);
    }

    #[test]
    fn a_low_percentile_is_the_same_in_one_pass() {
        assert_eq!(low_percentile(&[], 0.05), 0.0);
        for count in [1, 2, 19, 20, 21, 301, 1279, 1280, 1281, 5000] {
            let values: Vec<f64> = (0..count).map(|i| ((i * 7919) % 613) as f64 - 300.0).collect();
            for share in [0.0, 0.05, 0.5, 1.0] {
                assert_eq!(
                    Some(low_percentile(&values, share)),
                    percentile(&mut values.clone(), share),
                    "{count}"
                );
            }
        }
    }
}
