//! The smoothest shift along the ground that comes near enough to the shifts that are wanted.
//!
//! A shift that does not change leaves feet as they are; one that changes slowly changes strides a little; one that
//! changes within a step makes feet slide or jump.

use mocap_model::Vector3;

use super::surfaces::through;
use crate::smoothing::gaussian;

/// The least and the most smoothing of shifts that change over time \[s\].
const SMOOTHED: [f64; 2] = [0.4, 8.0];
/// Steps of bisection between these: few wanted shifts more or less change the result little.
const HALVINGS: usize = 8;
/// A smooth shift may be further off than one that is not smoothed at all, by this \[m\].
const SLACK: f64 = 0.02;

/// A wanted shift.
pub(super) struct Wanted {
    pub frame: usize,
    pub shift: Vector3<f64>,
    /// Shifts within this distance are near enough \[m\].
    pub within: f64,
}

/// By frame: the smoothest shift that is near enough to all wanted ones, which are in the order of their frames: one
/// that does not change, else one that is smoothed as much as they allow. Where wanted shifts of one frame differ, it is
/// as near as one that is not smoothed.
pub(super) fn smoothest(wanted: &[Wanted], frames: usize, fps: f64) -> Vec<Vector3<f64>> {
    let Some(mean) = mean(wanted) else { return vec![Vector3::zeros(); frames] };
    let known: Vec<(usize, Vector3<f64>)> = wanted
        .chunk_by(|a, b| a.frame == b.frame)
        .filter_map(|together| Some((together[0].frame, self::mean(together)?)))
        .collect();
    let ways = through(&known, frames, Vector3::zeros());
    let beyond = |ways: &[Vector3<f64>]| {
        let far = wanted.iter().map(|one| (ways[one.frame] - one.shift).norm() - one.within);
        far.fold(0.0, f64::max)
    };
    let enough = beyond(&ways) + SLACK;
    let constant = vec![mean; frames];
    if beyond(&constant) <= enough {
        return constant;
    }
    let smoothed = |seconds: f64| gaussian(&ways, seconds * fps);
    let [mut low, mut high] = SMOOTHED.map(f64::ln);
    let most = smoothed(high.exp());
    if beyond(&most) <= enough {
        return most;
    }
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if beyond(&smoothed(middle.exp())) <= enough { low = middle } else { high = middle }
    }
    smoothed(low.exp())
}

fn mean(wanted: &[Wanted]) -> Option<Vector3<f64>> {
    let sum: Vector3<f64> = wanted.iter().map(|one| one.shift).sum();
    (!wanted.is_empty()).then(|| sum / wanted.len() as f64)
}

/// Whether a shift is the same in all frames.
pub(super) fn is_constant(ways: &[Vector3<f64>]) -> bool {
    ways.iter().all(|way| (way - ways[0]).norm() < 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(frame: usize, x: f64) -> Wanted {
        Wanted { frame, shift: Vector3::x() * x, within: 0.1 }
    }

    fn largest_step(ways: &[Vector3<f64>]) -> f64 {
        ways.windows(2).map(|pair| (pair[1] - pair[0]).norm()).fold(0.0, f64::max)
    }

    #[test]
    fn wanted_shifts_that_are_alike_give_one_shift() {
        let ways = smoothest(&[wanted(10, 0.5), wanted(90, 0.6)], 100, 30.0);
        assert!(is_constant(&ways) && (ways[0].x - 0.55).abs() < 1e-12, "{ways:?}");
    }

    #[test]
    fn shifts_change_no_faster_than_asked_for() {
        let few = [wanted(10, 0.0), wanted(290, 1.0)];
        let slow = smoothest(&few, 300, 30.0);
        assert!(few.iter().all(|one| (slow[one.frame] - one.shift).norm() <= 0.1 + SLACK), "{slow:?}");
        // As fast as a straight line from one to the other, 1 m in 280 frames.
        assert!(largest_step(&slow) < 1.01 / 280.0, "{}", largest_step(&slow));
        // Two within half a second need a faster shift.
        let fast = smoothest(&[wanted(140, 0.0), wanted(155, 1.0)], 300, 30.0);
        assert!(largest_step(&fast) > 3.0 * largest_step(&slow));
    }

    #[test]
    fn shifts_that_contradict_each_other_meet_in_the_middle() {
        let ways = smoothest(&[wanted(10, -0.5), wanted(10, 0.5), wanted(50, 0.0)], 60, 30.0);
        assert!(is_constant(&ways) && ways[0].norm() < 1e-12, "{ways:?}");
    }
}
