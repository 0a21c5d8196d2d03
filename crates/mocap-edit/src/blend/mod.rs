//! Blend: several motions of one skeleton at once, each by its weight, on one clock of strides.
//!
//! The clock: at each phase the time of the blend is the weighted sum of the times at which the motions are at this
//! phase. Poses are blended joint by joint in local space; the root travels by the weighted sum of the velocities that the
//! motions have in the frames of their own headings. Feet are locked while the motions agree that they stand.
//!
//! Based on: L. Kovar, M. Gleicher, "Flexible Automatic Motion Blending with Registration Curves", 2003.

mod at;
mod average;
mod cycle;
mod gait;
mod same;
mod space;

use std::str::FromStr;

use mocap_analysis::FootContacts;
use mocap_model::{Clip, Isometry3, JointId, Vector3};
use nalgebra::Translation3;

use crate::body::Body;
use crate::carrier::Carrier;
use crate::feet::locked_in;
use crate::retime::at_frames;
use crate::root::{Travel, travel};
use crate::samples::Samples;
use crate::{EditError, EditReport};
pub use at::blend_at;
pub use average::{average_rotation, karcher_mean};
pub(crate) use cycle::repeated;
pub(crate) use gait::{Gait, inverse};
pub(crate) use same::check_same;
pub use space::{BlendSpace, SpaceKind};

/// The most frames × joints of a blend whose length is asked for.
const MOST_SAMPLES: f64 = 20e6;

/// How frames of motions are paired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// By the phase of the gait, counted by foot strikes.
    #[default]
    Phase,
    /// Both from start to end, whatever they do in between.
    Stretch,
}

impl FromStr for Timing {
    type Err = String;

    fn from_str(text: &str) -> Result<Timing, String> {
        match text {
            "phase" => Ok(Timing::Phase),
            "stretch" => Ok(Timing::Stretch),
            _ => Err(format!("'{text}' is not phase or stretch")),
        }
    }
}

/// How motions are blended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendOptions {
    /// Default: by phase.
    pub timing: Timing,
    /// Whether motions with fewer strides than the longest repeat their best cycle. Default: true.
    pub repeat: bool,
    /// Whether feet are locked while the motions agree that they stand. Default: true.
    pub lock_feet: bool,
    /// The length of the blend \[s\]: the best cycle of every motion is repeated as often as that needs. Default: as long
    /// as the motion with the most strides.
    pub duration: Option<f64>,
}

impl Default for BlendOptions {
    fn default() -> BlendOptions {
        BlendOptions { timing: Timing::Phase, repeat: true, lock_feet: true, duration: None }
    }
}

/// One of the motions, ready to be sampled.
struct Source {
    clip: Clip,
    gait: Gait,
    travel: Travel,
    weight: f64,
}

/// Blends motions of one skeleton by weights, which are brought to a sum of 1. The blend begins where the first motion
/// begins; what the motions do before or after the strides that all of them have is left out.
///
/// ```no_run
/// # let walk = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// # let run = walk.clone();
/// use mocap_edit::{BlendOptions, blend};
///
/// let (jog, report) = blend(&[walk, run], &[0.6, 0.4], &BlendOptions::default())?;
/// println!("{} frames: {report}", jog.frames());
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Skeletons`] where joints or bones differ, [`EditError::Phases`] where a motion has no foot strikes,
/// [`EditError::Weights`] where no weight is above 0.
pub fn blend(
    clips: &[Clip],
    weights: &[f64],
    options: &BlendOptions,
) -> Result<(Clip, EditReport), EditError> {
    let weights = shares(clips, weights)?;
    let (first, others) = clips.split_first().expect("weights are of motions");
    if let Some(value) = options.duration {
        let wrong = |expected| EditError::Option { edit: "blend", name: "the duration [s]", value, expected };
        if !(value.is_finite() && value > 0.0) {
            return Err(wrong("above 0"));
        }
        if value * first.rate().fps() * first.skeleton().len() as f64 > MOST_SAMPLES {
            return Err(wrong("shorter: the blend would have more than 20 million frames × joints"));
        }
    }
    for other in others {
        check_same(first, other)?;
    }
    let body = Body::of(first);
    let mut notes = Vec::new();
    let sources = sources(clips, &weights, &body, options, &mut notes)?;
    let Clock { phases, times } = clock(&sources, first.rate().fps(), options.duration)?;
    let blended = mixed(&sources, &body, first, &times)?;
    let mut motion = blended.into_clip("blend")?;
    if options.lock_feet && options.timing == Timing::Phase {
        motion = locked_in(&motion, Some(&agreed_contacts(&sources, &body, &phases)))?;
    }
    let report = report(&sources, &body, clips, &motion, &phases);
    Ok((motion, notes.into_iter().fold(report, EditReport::note)))
}

/// Weights with a sum of 1.
fn shares(clips: &[Clip], weights: &[f64]) -> Result<Vec<f64>, EditError> {
    let wrong = |reason: String| Err(EditError::Weights { reason });
    if clips.len() != weights.len() {
        return wrong(format!("{} motions have {} weights", clips.len(), weights.len()));
    }
    if let Some(weight) = weights.iter().find(|weight| !weight.is_finite() || **weight < 0.0) {
        return wrong(format!("a weight is {weight}, but must be at least 0"));
    }
    let sum: f64 = weights.iter().sum();
    if sum <= 0.0 {
        return wrong("all weights are 0".into());
    }
    Ok(weights.iter().map(|weight| weight / sum).collect())
}

/// The motions at one rate, with phases that fit.
fn sources(
    clips: &[Clip],
    weights: &[f64],
    body: &Body,
    options: &BlendOptions,
    notes: &mut Vec<String>,
) -> Result<Vec<Source>, EditError> {
    let rate = clips[0].rate();
    let mut prepared = Vec::new();
    for clip in clips {
        let clip = if clip.rate() == rate { clip.clone() } else { crate::resample(clip, rate)? };
        let gait = match options.timing {
            Timing::Phase => Gait::of(&clip, body)?,
            Timing::Stretch => Gait::stretched(&clip)?,
        };
        prepared.push((clip, gait));
    }
    let strides = |gait: &Gait| gait.range[1] - gait.range[0];
    let longest = (0..clips.len())
        .max_by(|a, b| strides(&prepared[*a].1).total_cmp(&strides(&prepared[*b].1)).then(b.cmp(a)))
        .expect("at least one motion");
    let mut whole = prepared[longest].1.clone();
    if let Some(duration) = options.duration {
        let stride =
            |gait: &Gait| (gait.time_at(gait.range[1]) - gait.time_at(gait.range[0])) / strides(gait);
        let shortest = prepared.iter().map(|(_, gait)| stride(gait)).fold(f64::INFINITY, f64::min);
        whole.range[1] = whole.range[0] + duration / shortest + 1.0;
    }
    let reference = Samples::of(&prepared[0].0);
    let mut sources = Vec::new();
    for (i, (mut clip, mut gait)) in prepared.into_iter().enumerate() {
        let missing = strides(&whole) - strides(&gait);
        if options.repeat && options.timing == Timing::Phase && missing > 0.25 {
            let times = (strides(&whole).ceil() as usize + 4).max(5);
            clip = repeated(&clip, times)?;
            gait = Gait::of(&clip, body)?;
            notes.push(format!("motion {}: its best cycle is repeated", i + 1));
        }
        if options.timing == Timing::Phase {
            let middle = |gait: &Gait| (gait.range[0] + gait.range[1]) / 2.0;
            gait = gait.clone().shifted((middle(&whole) - middle(&gait)).round())?;
        }
        let mut samples = Samples::of(&clip);
        Carrier::hips(&clip, body).hold_above(&mut samples, &reference);
        let clip = samples.into_clip("blend")?;
        let travel = travel(&clip, body);
        sources.push(Source { clip, gait, travel, weight: weights[i] });
    }
    Ok(sources)
}

/// The phase of each frame, and where each motion is then.
struct Clock {
    phases: Vec<f64>,
    /// By motion, then by frame \[s\].
    times: Vec<Vec<f64>>,
}

fn clock(sources: &[Source], fps: f64, duration: Option<f64>) -> Result<Clock, EditError> {
    let start = sources.iter().map(|source| source.gait.range[0]).fold(f64::NEG_INFINITY, f64::max);
    let end = sources.iter().map(|source| source.gait.range[1]).fold(f64::INFINITY, f64::min);
    if end <= start {
        return Err(EditError::Phases { reason: "the motions have no stride in common".into() });
    }
    let elapsed = |phase: f64| -> f64 {
        sources.iter().map(|s| s.weight * (s.gait.time_at(phase) - s.gait.time_at(start))).sum()
    };
    let seconds = elapsed(end).min(duration.unwrap_or(f64::INFINITY));
    let frames = (seconds * fps + 1e-6).floor() as usize + 1;
    if frames < 2 {
        return Err(EditError::TooShort { edit: "blend", needed: 2, frames });
    }
    let mut phases: Vec<f64> = vec![start];
    for frame in 1..frames {
        let from = phases[frame - 1];
        phases.push(inverse([from, end], frame as f64 / fps, elapsed));
    }
    let at = |source: &Source| phases.iter().map(|phase| source.gait.time_at(*phase)).collect();
    let times = sources.iter().map(at).collect();
    Ok(Clock { phases, times })
}

/// The blended frames.
fn mixed(sources: &[Source], body: &Body, first: &Clip, times: &[Vec<f64>]) -> Result<Samples, EditError> {
    let (fps, frames) = (first.rate().fps(), times[0].len());
    let weights: Vec<f64> = sources.iter().map(|source| source.weight).collect();
    let mut parts = Vec::new();
    let mut roots: Vec<Vec<Isometry3<f64>>> = Vec::new();
    for (source, times) in sources.iter().zip(times) {
        let last = (source.clip.frames() - 1) as f64;
        let place = |frame: usize| (times[frame] * fps).clamp(0.0, last);
        parts.push(Samples::of(&at_frames(&source.clip, "blend", frames, place)?));
        roots.push((0..frames).map(|frame| root_at(&source.travel, body, place(frame))).collect());
    }
    let carrier = Carrier::hips(first, body);
    let mut whole = parts[0].clone();
    whole.annotations = Default::default();
    for joint in 0..first.skeleton().len() {
        blend_joint(&mut whole, &parts, &weights, joint);
    }
    let mut root = roots[0][0];
    for frame in 0..frames {
        let relative =
            parts.iter().zip(&roots).map(|(part, root)| root[frame].inverse() * carrier.at(part, frame));
        let place = average_place(&relative.collect::<Vec<_>>(), &weights);
        carrier.put(&mut whole, frame, &(root * place));
        if frame + 1 < frames {
            root *= step(body, &roots, times, &weights, frame, fps);
        }
    }
    Ok(whole)
}

/// The frame of the travel at a place between frames.
pub(crate) fn root_at(travel: &Travel, body: &Body, place: f64) -> Isometry3<f64> {
    let last = travel.places.len() - 1;
    let (from, to) = (place.floor() as usize, (place.floor() as usize + 1).min(last));
    let share = place - place.floor();
    let ground = body.on_ground(&travel.places[from].lerp(&travel.places[to], share));
    let heading = travel.headings[from] + (travel.headings[to] - travel.headings[from]) * share;
    Isometry3::from_parts(Translation3::from(ground), body.turn(heading))
}

/// The way of the root to the next frame: the weighted sum of the velocities, each in the frame of its own heading.
fn step(
    body: &Body,
    roots: &[Vec<Isometry3<f64>>],
    times: &[Vec<f64>],
    weights: &[f64],
    frame: usize,
    fps: f64,
) -> Isometry3<f64> {
    let (mut way, mut turn) = (Vector3::zeros(), 0.0);
    for ((roots, times), weight) in roots.iter().zip(times).zip(weights) {
        let moved = roots[frame].inverse() * roots[frame + 1];
        let share = weight / (fps * (times[frame + 1] - times[frame]).max(f64::MIN_POSITIVE));
        way += moved.translation.vector * share;
        turn += moved.rotation.scaled_axis().dot(&body.up) * share;
    }
    Isometry3::from_parts(Translation3::from(way), body.turn(turn))
}

fn average_place(places: &[Isometry3<f64>], weights: &[f64]) -> Isometry3<f64> {
    let rotations: Vec<_> = places.iter().map(|place| place.rotation).collect();
    let translation: Vector3<f64> =
        places.iter().zip(weights).map(|(place, weight)| place.translation.vector * *weight).sum();
    Isometry3::from_parts(Translation3::from(translation), average_rotation(&rotations, weights))
}

fn blend_joint(whole: &mut Samples, parts: &[Samples], weights: &[f64], joint: usize) {
    let frames = whole.frames;
    let id = JointId::from(joint);
    for frame in 0..frames {
        let rotations: Vec<_> = parts.iter().map(|part| part.rotations[joint][frame]).collect();
        whole.rotations[joint][frame] = average_rotation(&rotations, weights);
    }
    let offset = whole.skeleton.joint(id).offset;
    let curve = |all: &dyn Fn(&Samples) -> Option<&Vec<Vector3<f64>>>, rest: Vector3<f64>| {
        parts.iter().any(|part| all(part).is_some()).then(|| {
            let at = |frame: usize| {
                let values = parts.iter().map(|part| all(part).map_or(rest, |values| values[frame]));
                values.zip(weights).map(|(value, weight)| value * *weight).sum()
            };
            (0..frames).map(at).collect::<Vec<Vector3<f64>>>()
        })
    };
    whole.translations[joint] = curve(&|part| part.translations[joint].as_ref(), offset);
    whole.scales[joint] = curve(&|part| part.scales[joint].as_ref(), Vector3::repeat(1.0));
}

/// The contacts of each foot: from the strike, which all motions have at one phase, for the weighted sum of their
/// durations.
fn agreed_contacts(sources: &[Source], body: &Body, phases: &[f64]) -> Vec<FootContacts> {
    let foot = |side| {
        let mut toe = vec![false; phases.len()];
        let longest = sources.iter().max_by(|a, b| a.gait.stances.len().cmp(&b.gait.stances.len()));
        let stances = longest.iter().flat_map(|source| &source.gait.stances);
        for stance in stances.filter(|stance| stance.side == side) {
            let (mut lift, mut total) = (0.0, 0.0);
            for source in sources {
                let near =
                    |other: &&gait::Stance| other.side == side && (other.strike - stance.strike).abs() < 0.25;
                if let Some(own) = source.gait.stances.iter().find(near) {
                    (lift, total) = (lift + source.weight * own.lift, total + source.weight);
                }
            }
            if total > 0.5 {
                let from = phases.partition_point(|phase| *phase < stance.strike - 1e-9);
                let to = phases.partition_point(|phase| *phase < lift / total - 1e-9);
                toe[from..to.max(from)].fill(true);
            }
        }
        FootContacts { heel: toe.clone(), toe }
    };
    body.feet.iter().map(|foot_of_body| foot(foot_of_body.side)).collect()
}

/// How fast a motion travels over the ground \[m/s\] and turns about the up axis \[deg/s, to the left\], on average; `None`
/// where the unit of lengths is unknown or there is one frame.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// if let Some([speed, turn]) = mocap_edit::speed_and_turn(&clip) {
///     println!("{speed:.2} m/s, {turn:.0} deg/s");
/// }
/// ```
pub fn speed_and_turn(clip: &Clip) -> Option<[f64; 2]> {
    let body = Body::of(clip);
    let speed = ground_speed(clip, &body)?;
    let headings = travel(clip, &body).headings;
    let seconds = clip.frames().saturating_sub(1) as f64 / clip.rate().fps();
    Some([speed, (headings[headings.len() - 1] - headings[0]).to_degrees() / seconds])
}

/// The mean speed over the ground \[m/s\], along the way.
pub(crate) fn ground_speed(clip: &Clip, body: &Body) -> Option<f64> {
    let metres = body.metres?;
    let Travel { places, .. } = travel(clip, body);
    let way: f64 = places.windows(2).map(|pair| body.on_ground(&(pair[1] - pair[0])).norm()).sum();
    let seconds = clip.frames().saturating_sub(1) as f64 / clip.rate().fps();
    (seconds > 0.0).then(|| way * metres / seconds)
}

fn report(sources: &[Source], body: &Body, clips: &[Clip], motion: &Clip, phases: &[f64]) -> EditReport {
    let mut report = EditReport::measured("blend", &clips[0], motion);
    (report.rms_deg, report.max_deg, report.rms_m, report.max_m, report.worst) =
        (None, None, None, None, None);
    let expected: Option<f64> =
        clips.iter().zip(sources).map(|(clip, source)| Some(ground_speed(clip, body)? * source.weight)).sum();
    report
        .figure("strides", phases[phases.len() - 1] - phases[0], "")
        .figure("speed", ground_speed(motion, body), "m/s")
        .figure("speed-of-weights", expected, "m/s")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn a_weight_of_one_is_the_motion() {
        let (walk, turn) = (clip("alex_walk.bvh"), clip("alex_turn.bvh"));
        let options = BlendOptions { lock_feet: false, ..BlendOptions::default() };
        let (same, report) = blend(&[walk.clone(), turn], &[1.0, 0.0], &options).unwrap();
        assert!(same.frames() > 20, "{report}");
        let body = Body::of(&walk);
        let far = |frame: usize| {
            let (a, b) = (walk.local(body.hips, frame), same.local(body.hips, frame));
            (a.translation.vector - b.translation.vector).norm() + a.rotation.angle_to(&b.rotation)
        };
        // The walk begins first, and it is the one that is played through.
        if same.frames() == walk.frames() {
            assert!((0..walk.frames()).all(|frame| far(frame) < 1e-6));
        }
    }

    #[test]
    fn a_blend_with_itself_is_the_motion_and_halves_are_between() {
        let walk = clip("alex_walk.bvh");
        let options = BlendOptions { lock_feet: false, ..BlendOptions::default() };
        let (same, _) = blend(&[walk.clone(), walk.clone()], &[0.3, 0.7], &options).unwrap();
        assert_eq!(same.frames(), walk.frames());
        for (id, _) in walk.skeleton().iter() {
            for frame in 0..walk.frames() {
                let (a, b) = (walk.local(id, frame), same.local(id, frame));
                assert!(a.rotation.angle_to(&b.rotation) < 1e-6);
                assert!((a.translation.vector - b.translation.vector).norm() < 1e-6);
            }
        }
    }

    #[test]
    fn a_space_meets_the_speed_between_its_samples() {
        let walk = clip("alex_walk.bvh");
        let (fast, _) = crate::speed(&walk, 1.5).unwrap();
        let [slow_speed, fast_speed] = [&walk, &fast].map(|clip| speed_and_turn(clip).unwrap()[0]);
        let space = BlendSpace::new(SpaceKind::Linear, vec![vec![slow_speed], vec![fast_speed]]).unwrap();
        let clips = [walk, fast];
        let at = |speed: f64| blend_at(&space, &clips, &[speed], Some(0), &BlendOptions::default()).unwrap();
        let middle = (slow_speed + fast_speed) / 2.0;
        let (clip, report) = at(middle);
        let found = speed_and_turn(&clip).unwrap()[0];
        assert!(
            (found / middle - 1.0).abs() < 0.02 && report.warnings.is_empty(),
            "{found} for {middle}: {report}"
        );
        let (_, report) = at(3.0 * fast_speed);
        assert_eq!(report.warnings[0].code, "edit::speed");
    }

    #[test]
    fn weights_and_skeletons_are_checked() {
        let walk = clip("alex_walk.bvh");
        for weights in [&[0.0, 0.0][..], &[1.0], &[-1.0, 2.0], &[f64::NAN, 1.0]] {
            let found = blend(&[walk.clone(), walk.clone()], weights, &BlendOptions::default());
            assert!(matches!(found, Err(EditError::Weights { .. })), "{weights:?}");
        }
        let other = blend(&[walk, clip("robin_walk.bvh")], &[1.0, 1.0], &BlendOptions::default());
        assert!(matches!(other, Err(EditError::Skeletons { .. })));
    }
}
