//! The rate of a robot's table, by the times of its rows.

use super::Problem;

/// Frames per second, and what to say of rows whose step is not that of the others.
pub(super) struct InTimes {
    pub(super) fps: f64,
    /// How many rows, the first of them, and what it is.
    pub(super) uneven: Option<(usize, usize, Problem)>,
}

/// The rate of rows at such times \[s\]: that of the steps which are the median one up to half of it. `None` for less
/// than two rows.
pub(super) fn in_times(times: &[f64]) -> Option<InTimes> {
    let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut sorted = steps.clone();
    sorted.sort_by(f64::total_cmp);
    let usual = *sorted.get(sorted.len() / 2)?;
    let is_even = |step: &f64| *step > 0.0 && (step - usual).abs() <= usual / 2.0;
    let uneven: Vec<usize> = (0..steps.len()).filter(|index| !is_even(&steps[*index])).collect();
    let Some(first) = uneven.first() else {
        let seconds = times[times.len() - 1] - times[0];
        return Some(InTimes { fps: steps.len() as f64 / seconds, uneven: None });
    };
    let even: Vec<f64> = steps.iter().copied().filter(is_even).collect();
    let fps = even.len() as f64 / even.iter().sum::<f64>();
    let problem = Problem::Uneven { step: steps[*first], usual };
    Some(InTimes { fps, uneven: Some((uneven.len(), first + 1, problem)) })
}
