//! Ranges of samples in which a condition holds.

use std::ops::Range;

/// Ranges in which `holds` is true: gaps of at most `gap` samples are closed, then ranges shorter
/// than `least` are dropped.
pub(super) fn runs(holds: &[bool], gap: usize, least: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in holds.iter().enumerate().filter(|(_, holds)| **holds) {
        match found.last_mut().filter(|last| at - last.end <= gap) {
            Some(last) => last.end = at + 1,
            None => found.push(at..at + 1),
        }
    }
    found.retain(|range| range.len() >= least.max(1));
    found
}

/// Means over `radius` samples to either side; fewer at the ends.
pub(super) fn smoothed(values: &[f64], radius: usize) -> Vec<f64> {
    (0..values.len())
        .map(|at| {
            let near = at.saturating_sub(radius)..(at + radius + 1).min(values.len());
            let count = near.len() as f64;
            values[near].iter().sum::<f64>() / count
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_closed_and_short_ranges_dropped() {
        let holds: Vec<bool> = "..xx.xx....x..xxx".chars().map(|c| c == 'x').collect();
        assert_eq!(runs(&holds, 0, 1), [2..4, 5..7, 11..12, 14..17]);
        assert_eq!(runs(&holds, 1, 2), [2..7, 14..17]);
        assert_eq!(smoothed(&[0.0, 3.0, 0.0], 1), [1.5, 1.0, 1.5]);
    }
}
