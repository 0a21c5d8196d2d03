//! Percentiles by nearest rank.

/// The place of a percentile among `count` sorted samples, by nearest rank; `share` from 0 to 1.
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

/// The nearest-rank percentile of unsorted samples (they are reordered); 0 of none.
pub(crate) fn percentile(samples: &mut [f64], share: f64) -> f64 {
    if samples.is_empty() {
        return 0.0;
    }
    *samples.select_nth_unstable_by(percentile_rank(share, samples.len()), f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_is_that_of_whole_numbers() {
        for count in 1..20_000 {
            assert_eq!(percentile_rank(0.99, count), (count * 99).div_ceil(100) - 1);
        }
        assert_eq!((percentile_rank(0.0, 5), percentile_rank(1.0, 5)), (0, 4));
        assert_eq!(percentile(&mut [3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(percentile(&mut [], 0.5), 0.0);
    }
}
