//! Steps of a motion over the time of one frame at 30 fps, and steps that are outliers: far from the steps
//! before and after.
//!
//! The difference of a step from its neighbours is a second difference: it is small for steady motion of any
//! speed, and a jump in one frame shows in full. The time of a step is fixed to make the measure independent of
//! the frame rate: at 120 fps, a step spans four frames.

use crate::percentile::percentile;
use mocap_model::Vector3;
use std::ops::Range;

/// The time of a step \[s\].
const TIME: f64 = 1.0 / 30.0;
/// Usual steps are taken from this time before and after a step \[s\].
const AROUND: f64 = 1.0;
/// Share of the steps around that are taken as usual. The rest may belong to another artifact nearby. If a
/// joint has more large steps than that, it moves restlessly, and none of them is an artifact.
const USUAL: f64 = 0.8;

/// The steps of one clip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// Number of frames of a step.
    lag: usize,
    /// Duration of a step over that of a frame at 30 fps; above 1 for lower rates.
    pub(super) time: f64,
    /// Number of steps before and after that count as around.
    around: usize,
}

/// An outlier among the steps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outlier {
    /// The frames after the frame-to-frame changes that cause it.
    pub(super) frames: Range<usize>,
    /// Its distance from the steps before and after.
    pub(super) size: f64,
}

impl Steps {
    pub(super) fn at(fps: f64) -> Steps {
        let lag = ((TIME * fps).round() as usize).max(1);
        Steps { lag, time: lag as f64 / fps / TIME, around: (AROUND * fps) as usize + 2 * lag }
    }

    /// Steps whose difference from the steps before and after is larger than `limit`, and at least
    /// `times` as large as the usual difference around them. `change` gives the change from one
    /// frame to a later one. `usual` is added to the usual difference, so that very small ones do
    /// not count.
    pub(super) fn outliers(
        &self,
        frames: usize,
        change: impl Fn(usize, usize) -> Vector3<f64>,
        limit: f64,
        times: f64,
        usual: f64,
    ) -> Vec<Outlier> {
        let changes: Vec<Vector3<f64>> = (self.lag..frames).map(|to| change(to - self.lag, to)).collect();
        let sizes: Vec<f64> = (0..changes.len()).map(|i| self.deviation(&changes, i)).collect();
        let stands_out =
            |i: usize| sizes[i] > limit && sizes[i] > times * (usual + self.usual_around(&sizes, i));
        let mut found: Vec<Outlier> = Vec::new();
        let mut i = 0;
        while i < sizes.len() {
            if !stands_out(i) {
                i += 1;
                continue;
            }
            // An event shows in all steps that contain it, and the return from it in the steps after.
            let mut last = i;
            let mut next = i + 1;
            while next < sizes.len() && next <= last + self.lag {
                if sizes[next] > limit {
                    last = next;
                }
                next += 1;
            }
            let size = sizes[i..=last].iter().copied().fold(0.0, f64::max);
            found.push(Outlier { frames: narrowed(i..last + self.lag, frames, &change), size });
            i = last + self.lag + 1;
        }
        found
    }

    /// Difference of a step from the mean of the steps before and after; at an end of the clip, from the only
    /// neighbour.
    fn deviation(&self, changes: &[Vector3<f64>], i: usize) -> f64 {
        let before = i.checked_sub(self.lag).map(|before| changes[before]);
        let after = changes.get(i + self.lag).copied();
        let expected = match (before, after) {
            (Some(before), Some(after)) => (before + after) / 2.0,
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return 0.0,
        };
        (changes[i] - expected).norm()
    }

    fn usual_around(&self, sizes: &[f64], i: usize) -> f64 {
        let around = i.saturating_sub(self.around)..(i + self.around + 1).min(sizes.len());
        let event = i.saturating_sub(2 * self.lag)..i + 2 * self.lag + 1;
        let mut others: Vec<f64> = around.filter(|j| !event.contains(j)).map(|j| sizes[j]).collect();
        percentile(&mut others, USUAL).unwrap_or(0.0)
    }
}

/// The frames of a range whose frame-to-frame changes differ most from those beside the range.
fn narrowed(
    range: Range<usize>,
    frames: usize,
    change: impl Fn(usize, usize) -> Vector3<f64>,
) -> Range<usize> {
    let before = range.start.checked_sub(1).map(|before| change(before, range.start));
    let after = (range.end + 1 < frames).then(|| change(range.end, range.end + 1));
    let beside: Vec<Vector3<f64>> = before.into_iter().chain(after).collect();
    let usual = beside.iter().sum::<Vector3<f64>>() / beside.len().max(1) as f64;
    let sizes: Vec<f64> = range.clone().map(|frame| (change(frame, frame + 1) - usual).norm()).collect();
    let most = sizes.iter().copied().fold(0.0, f64::max);
    let large = |size: &f64| *size >= most / 2.0;
    let first = sizes.iter().position(large).unwrap_or(0);
    let last = sizes.iter().rposition(large).unwrap_or(0);
    range.start + first + 1..range.start + last + 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outliers(places: &[f64], fps: f64) -> Vec<Outlier> {
        let change = |from: usize, to: usize| Vector3::x() * (places[to] - places[from]);
        Steps::at(fps).outliers(places.len(), change, 0.2, 5.0, 0.001)
    }

    #[test]
    fn a_step_is_found_at_its_frame_and_fast_motion_is_none() {
        for fps in [24.0, 30.0, 60.0, 120.0, 240.0] {
            // A sprint of 10 a second, and a circle twice a second.
            let sprint: Vec<f64> = (0..300).map(|i| f64::from(i) * 10.0 / fps).collect();
            assert_eq!(outliers(&sprint, fps), []);
            let swing: Vec<f64> = (0..300).map(|i| (f64::from(i) / fps * 12.0).sin() * 0.5).collect();
            assert_eq!(outliers(&swing, fps), []);
            for at in [1, 2, 50, 298, 299] {
                let jumped = |i: usize| sprint[i] + if i >= at { 0.35 } else { 0.0 };
                let jumped: Vec<f64> = (0..300).map(jumped).collect();
                let found = outliers(&jumped, fps);
                assert_eq!(found.len(), 1, "{at} at {fps}");
                assert_eq!(found[0].frames, at..at + 1, "at {fps}");
                assert!((found[0].size - 0.35).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_step_out_and_back_is_one_event() {
        let mut places = vec![0.0; 100];
        places[40] = 0.4;
        let found = outliers(&places, 30.0);
        assert_eq!((found.len(), found[0].frames.clone()), (1, 40..42));
        // Much later is another one.
        places[70..].fill(0.4);
        assert_eq!(outliers(&places, 30.0).len(), 2);
    }

    #[test]
    fn what_is_usual_around_is_no_surprise() {
        let places: Vec<f64> = (0..100).map(|i| if i % 3 == 0 { 0.3 } else { 0.0 }).collect();
        assert_eq!(outliers(&places, 30.0), []);
    }
}
