//! Words for the kind of a motion (`walk`, `jump`, …) from simple measures: for lists that people search, not for
//! labels of data sets.
//!
//! Lengths are in statures, so body size does not matter.

use crate::stage::{Place, Stage, evenly_spaced};
use mocap_analysis::stature;

/// Measures of a motion and the words that follow from them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Style {
    /// The distance travelled by the hips over the floor \[stage units\].
    pub travel: f64,
    /// That distance over the time \[stage units/s\].
    pub speed: f64,
    pub words: Vec<&'static str>,
}

/// Time between samples \[s\]: longer than noise, shorter than a step.
const STEP: f64 = 0.1;
/// Greatest number of sampled poses.
const MOST: usize = 3000;

pub(crate) fn style(stage: &Stage<'_>) -> Style {
    let clip = stage.clip;
    let seconds = clip.duration();
    if clip.frames() < 2 || seconds <= 0.0 {
        return Style { words: vec!["pose"], ..Style::default() };
    }
    let body = stature(clip.skeleton()).map_or(stage.size() / 1.2, |stature| stature * stage.scale);
    let body = if body.is_finite() && body > 0.0 { body } else { 1.0 };
    let count = ((seconds / STEP) as usize + 1).clamp(2, MOST);
    let frames = evenly_spaced(clip.frames(), count);
    let step = seconds / (frames.len() - 1).max(1) as f64;
    let joints = clip.skeleton().len();
    let (mut travel, mut activity, mut turn) = (0.0, 0.0, 0.0);
    let (mut heights, mut lows) = (Vec::new(), Vec::new());
    let mut before: Option<(Vec<Place>, f64)> = None;
    stage.walk(frames.iter().copied(), |_, pose| {
        let hips = pose[stage.centre];
        heights.push((hips[1] - stage.floor) / body);
        let feet = stage.feet.iter().flat_map(|foot| foot.points.iter().map(|point| pose[point.index()][1]));
        lows.push((feet.fold(f64::INFINITY, f64::min) - stage.floor) / body);
        let heading = stage.heading(pose);
        if let Some((last, towards)) = &before {
            let was = last[stage.centre];
            travel += (hips[0] - was[0]).hypot(hips[2] - was[2]);
            let moved = (0..joints).map(|joint| distance(&pose[joint], &last[joint])).sum::<f64>();
            activity += moved / joints as f64 / body;
            turn += (heading - towards + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
                - std::f64::consts::PI;
        }
        before = Some((pose.to_vec(), heading));
    });
    let speed = travel / seconds;
    let middle = median(&heights);
    let rise = heights.iter().copied().fold(f64::MIN, f64::max) - middle;
    let mut words = Vec::new();
    let pace = speed / body;
    if activity / seconds < 0.05 {
        words.push("still");
    } else if pace > 1.1 {
        words.push("run");
    } else if pace > 0.28 {
        words.push("walk");
    } else {
        words.push("in place");
    }
    if !stage.feet.is_empty() {
        let aloft = longest(&lows, 0.05) as f64 * step;
        if aloft >= 0.15 && rise > 0.06 {
            words.push("jump");
        }
        if middle < 0.33 {
            words.push("low");
        }
    }
    if turn.abs() > std::f64::consts::FRAC_PI_3 {
        words.push("turn");
    }
    Style { travel, speed, words }
}

fn distance(a: &Place, b: &Place) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// The longest run of values above a limit.
fn longest(values: &[f64], limit: f64) -> usize {
    let (mut longest, mut run) = (0, 0);
    for value in values {
        run = if *value > limit { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_is_in_place_and_a_pose_has_no_speed() {
        let clip: mocap_model::Clip =
            include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let found = style(&Stage::new(&clip));
        assert_eq!(found.words, ["in place"]);
        assert!(found.speed < 0.05, "{found:?}");
        let rest = mocap_model::Clip::at_rest(clip.skeleton().clone(), clip.rate());
        assert_eq!(style(&Stage::new(&rest)), Style { words: vec!["pose"], ..Style::default() });
    }

    #[test]
    fn runs_are_the_longest() {
        assert_eq!(longest(&[1.0, 3.0, 3.0, 0.0, 3.0], 2.0), 2);
        assert_eq!(longest(&[], 2.0), 0);
    }
}
