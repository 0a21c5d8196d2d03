//! Detects artifacts in the motion of a face: shapes that freeze, are clipped or jitter, and eyes that never close.
//!
//! The rules follow from properties of faces and trackers, not from particular takes: a tracked face is never exactly
//! still, a weight approaches its extreme slowly, noise reverses its direction in two of three steps, and people blink
//! every few seconds with lids that meet.

use std::ops::Range;

use mocap_model::{Annotations, ScalarTrack, Track};
use schemars::JsonSchema;
use serde::Serialize;

use crate::names::meaning;

/// A tracked face that is exactly still for this long is frozen \[s\].
const FROZEN: f64 = 0.3;
/// A tracked face moves in at least this share of the frames; else it was keyed, and holds are intended.
const TRACKED: f64 = 0.8;
/// A weight with steps larger than this before and after its extreme is clipped.
const CUT: f64 = 0.05;
/// If this share of steps reverses direction, noise dominates motion: for white noise it is two thirds.
const TURNS: f64 = 0.5;
/// Standard deviation of visible noise.
const NOISE: f64 = 0.01;
/// Least number of moving frames for an estimate of noise.
const FEWEST: usize = 30;
/// Longest time without a blink \[s\].
const BLINKS_WITHIN: f64 = 15.0;
/// A peak of an eye's weight is a blink if it is above this ...
const BLINK: f64 = 0.3;
/// ... and not longer than this \[s\].
const BLINK_LASTS: f64 = 0.5;
/// Least weight at which lids are assumed to meet.
pub(crate) const CLOSED: f64 = 0.8;

/// The quality of the motion of a face.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FaceQuality {
    /// Scalar tracks that are named like shapes of a face.
    pub shapes: usize,
    /// Those that move.
    pub moving: usize,
    /// Probable artifacts, in the order of frames.
    pub suspicious: Vec<FaceArtifact>,
}

/// A probable artifact of a face.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FaceArtifact {
    /// `frozen`, `clipped`, `jitter` or `eyes-open`.
    pub what: &'static str,
    /// The shape; `null` where all do it.
    pub shape: Option<String>,
    /// First frame, from 0.
    pub first: usize,
    /// Last frame.
    pub last: usize,
    /// How long it lasts \[s\] (`frozen`, `clipped`), the deviation of the noise (`jitter`), or the largest weight
    /// (`eyes-open`).
    pub value: f64,
    /// The limit of the value: the least for `eyes-open`, the greatest for the others.
    pub limit: f64,
}

/// Checks the shapes of a face; `None` for a clip without shapes of a known vocabulary.
pub fn face_quality(numbers: &Annotations, frames: usize, fps: f64) -> Option<FaceQuality> {
    let known: Vec<&ScalarTrack> =
        numbers.scalars.iter().filter(|track| meaning(&track.name).is_some()).collect();
    if known.is_empty() || frames == 0 {
        return None;
    }
    let moving: Vec<(&str, &[f64])> = known
        .iter()
        .filter_map(|track| match &track.values {
            Track::Sampled(values) => Some((track.name.as_str(), &values[..])),
            Track::Constant(_) => None,
        })
        .collect();
    let mut suspicious: Vec<FaceArtifact> = frozen(&moving, fps);
    for (name, values) in &moving {
        suspicious.extend(clipped(name, values, fps));
        suspicious.extend(jitter(name, values));
    }
    suspicious.extend(eyes_open(&known, frames, fps));
    suspicious.sort_by(|a, b| (a.first, a.what, &a.shape).cmp(&(b.first, b.what, &b.shape)));
    Some(FaceQuality { shapes: known.len(), moving: moving.len(), suspicious })
}

impl FaceQuality {
    /// A summary for users.
    pub fn text(&self) -> String {
        /// The most findings that are named.
        const SHOWN: usize = 4;
        let mut found: Vec<String> = self.suspicious.iter().take(SHOWN).map(FaceArtifact::text).collect();
        if self.suspicious.len() > SHOWN {
            found.push(format!("and {} more", self.suspicious.len() - SHOWN));
        }
        let none = if found.is_empty() { "nothing suspicious" } else { "" };
        format!("{} shapes, {} move; {}{none}", self.shapes, self.moving, found.join(", "))
    }
}

impl FaceArtifact {
    fn text(&self) -> String {
        let of = self.shape.as_ref().map_or(String::new(), |shape| format!("{shape} "));
        let FaceArtifact { first, last, value, .. } = self;
        match self.what {
            "frozen" => format!("frozen for {value:.2} s in frames {first} to {last}"),
            "clipped" => format!("{of}cut off for {value:.2} s in frames {first} to {last}"),
            "jitter" => format!("{of}jitters by {value:.3}"),
            _ => format!("{of}never closes (at most {value:.2})"),
        }
    }
}

/// The runs of frames for which a condition holds.
fn runs(frames: usize, holds: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for frame in (0..frames).filter(|frame| holds(*frame)) {
        match runs.last_mut().filter(|run| run.end == frame) {
            Some(run) => run.end = frame + 1,
            None => runs.push(frame..frame + 1),
        }
    }
    runs
}

/// The ranges in which no shape of a tracked face changes.
fn frozen(moving: &[(&str, &[f64])], fps: f64) -> Vec<FaceArtifact> {
    let frames = moving.first().map_or(0, |(_, values)| values.len());
    // Runs of steps between frames in which nothing changes.
    let still = |step: usize| moving.iter().all(|(_, values)| values[step] == values[step + 1]);
    let steps = frames.saturating_sub(1);
    let all = runs(steps, still);
    let long = |run: &Range<usize>| run.len() as f64 / fps >= FROZEN;
    let frozen: usize = all.iter().filter(|run| long(run)).map(ExactSizeIterator::len).sum();
    let held: usize = all.iter().map(ExactSizeIterator::len).sum();
    // Short holds come from keys, or from a tracker slower than the file's rate. A face that rests more than it moves
    // was keyed.
    let tracked = (steps - held) as f64 >= TRACKED * (steps - frozen) as f64 && 2 * held < steps;
    let artifact = |run: Range<usize>| FaceArtifact {
        what: "frozen",
        shape: None,
        first: run.start,
        last: run.end,
        value: run.len() as f64 / fps,
        limit: FROZEN,
    };
    all.into_iter().filter(|run| tracked && long(run)).map(artifact).collect()
}

/// The ranges of two frames or more in which a weight stays at its largest value, which it reaches
/// and leaves at speed.
fn clipped(name: &str, values: &[f64], fps: f64) -> Vec<FaceArtifact> {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // The limit of a tracker may be below 1.
    let at_most = |frame: usize| values[frame] == most && most > 0.0;
    let fast = |run: &Range<usize>| {
        let into = run.start.checked_sub(2).is_some_and(|at| values[at + 1] - values[at] > CUT);
        let out = values.get(run.end + 1).is_some_and(|next| values[run.end] - next > CUT);
        into && out
    };
    let cut = runs(values.len(), at_most).into_iter().filter(|run| run.len() > 1 && fast(run));
    let artifact = |run: Range<usize>| FaceArtifact {
        what: "clipped",
        shape: Some(name.to_owned()),
        first: run.start,
        last: run.end - 1,
        value: run.len() as f64 / fps,
        limit: 1.0 / fps,
    };
    cut.map(artifact).collect()
}

/// Whether a weight has more noise than motion.
fn jitter(name: &str, values: &[f64]) -> Option<FaceArtifact> {
    let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let pairs: Vec<(f64, f64)> = steps
        .windows(2)
        .filter(|pair| pair[0] != 0.0 && pair[1] != 0.0)
        .map(|pair| (pair[0], pair[1]))
        .collect();
    if pairs.len() < FEWEST {
        return None;
    }
    let turns = pairs.iter().filter(|(a, b)| a * b < 0.0).count();
    // The second difference of white noise has √6 times its standard deviation.
    let mut bends: Vec<f64> = pairs.iter().map(|(a, b)| (b - a).abs()).collect();
    let middle = bends.len() / 2;
    let noise = *bends.select_nth_unstable_by(middle, f64::total_cmp).1 / 0.6745 / 6f64.sqrt();
    (turns as f64 > TURNS * pairs.len() as f64 && noise > NOISE).then(|| FaceArtifact {
        what: "jitter",
        shape: Some(name.to_owned()),
        first: 0,
        last: values.len() - 1,
        value: noise,
        limit: NOISE,
    })
}

/// Eyes whose lids never meet.
fn eyes_open(known: &[&ScalarTrack], frames: usize, fps: f64) -> Vec<FaceArtifact> {
    let lids = ["eyeBlinkLeft", "eyeBlinkRight"];
    let mut found = Vec::new();
    for lid in lids {
        let of_lid = |track: &&&ScalarTrack| {
            meaning(&track.name).is_some_and(|of| !of.nearly && of.parts.contains(&lid))
        };
        let tracks: Vec<&ScalarTrack> = known.iter().filter(of_lid).copied().collect();
        let at = |frame: usize| tracks.iter().map(|track| track.values.at(frame)).fold(0.0, f64::max);
        let most = (0..frames).map(at).fold(0.0, f64::max);
        let blinks = runs(frames, |frame| at(frame) > BLINK)
            .iter()
            .any(|run| run.start > 0 && run.end < frames && run.len() as f64 / fps <= BLINK_LASTS);
        let long = (frames - 1) as f64 / fps >= BLINKS_WITHIN;
        if let Some(track) = tracks.first().filter(|_| most < CLOSED && (blinks || long)) {
            found.push(FaceArtifact {
                what: "eyes-open",
                shape: Some(track.name.clone()),
                first: 0,
                last: frames - 1,
                value: most,
                limit: CLOSED,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const FPS: f64 = 60.0;

    fn noise() -> impl FnMut() -> f64 {
        let mut state = 5u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        }
    }

    /// Blinks of 0.2 s each 3 s, as far as `shut`, and a jaw, with a little noise.
    fn take(seconds: f64, shut: f64, fps: f64) -> Vec<(&'static str, Vec<f64>)> {
        let mut next = noise();
        let frames = (seconds * fps) as usize;
        let blink: Vec<f64> = (0..frames)
            .map(|frame| {
                let x = ((frame as f64 / fps + 2.0) % 3.0 - 1.0) / 0.1;
                (shut * (1.0 - x * x).max(0.0).powi(2) + 0.002 * next()).max(0.0)
            })
            .collect();
        let jaw =
            (0..frames).map(|frame| 0.3 + 0.2 * (5.0 * frame as f64 / fps).sin() + 0.002 * next()).collect();
        vec![("eyeBlinkLeft", blink.clone()), ("eyeBlinkRight", blink), ("jawOpen", jaw)]
    }

    fn judged(take: Vec<(&str, Vec<f64>)>, fps: f64) -> Vec<(&'static str, Option<String>)> {
        let frames = take[0].1.len();
        let track = |(name, values): (&str, Vec<f64>)| ScalarTrack {
            name: name.into(),
            values: Track::from_samples(values).unwrap(),
        };
        let scalars = take.into_iter().map(track).collect();
        let notes = Annotations { scalars, ..Annotations::default() };
        let found = face_quality(&notes, frames, fps).unwrap();
        found.suspicious.into_iter().map(|found| (found.what, found.shape)).collect()
    }

    #[test]
    fn a_sound_face_has_no_findings_at_any_rate() {
        for fps in [24.0, 30.0, 60.0, 120.0] {
            assert_eq!(judged(take(20.0, 1.0, fps), fps), [], "{fps}");
        }
        // Holds between keys are intended.
        let held = vec![("jawOpen", (0..240).map(|at| f64::from(at / 40 % 2)).collect())];
        assert_eq!(judged(held, FPS), []);
        let number = ScalarTrack { name: "force".into(), values: Track::Constant(3.0) };
        let notes = Annotations { scalars: vec![number], ..Annotations::default() };
        assert_eq!(face_quality(&notes, 10, 30.0), None);
    }

    #[test]
    fn a_face_that_stops_is_frozen() {
        let mut stopped = take(6.0, 1.0, FPS);
        for (_, values) in &mut stopped {
            let held = values[100];
            values[100..130].fill(held);
        }
        assert_eq!(judged(stopped, FPS), [("frozen", None)]);
    }

    #[test]
    fn weights_that_are_cut_off_are_clipped() {
        let mut cut = take(6.0, 1.0, FPS);
        cut[1].1.iter_mut().for_each(|value| *value = (1.5 * *value).min(1.0));
        let found = judged(cut, FPS);
        assert_eq!(found, vec![("clipped", Some("eyeBlinkRight".to_owned())); 2]);
    }

    #[test]
    fn noise_is_jitter_where_it_is_seen() {
        let mut noisy = take(6.0, 1.0, FPS);
        let mut next = noise();
        noisy[2].1.iter_mut().for_each(|value| *value += 0.12 * next());
        assert_eq!(judged(noisy, FPS), [("jitter", Some("jawOpen".to_owned()))]);
    }

    #[test]
    fn eyes_that_never_close_are_found_by_their_blinks_or_by_the_time() {
        let both =
            [("eyes-open", Some("eyeBlinkLeft".to_owned())), ("eyes-open", Some("eyeBlinkRight".to_owned()))];
        assert_eq!(judged(take(4.0, 0.6, FPS), FPS), both);
        assert_eq!(judged(take(20.0, 0.1, FPS), FPS), both);
        // A short take without a blink is not suspicious.
        assert_eq!(judged(take(4.0, 0.1, FPS), FPS), []);
    }
}
