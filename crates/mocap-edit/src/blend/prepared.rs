//! Motions that are ready to be blended by any weights.

use mocap_analysis::FootContacts;
use mocap_model::{Clip, FrameRate};

use super::gait::{Gait, Stance, inverse};
use super::mixed::Mix;
use super::source::{Source, common, register_all, sources};
use super::{BlendOptions, Timing, check_all_same, ground_speed};
use crate::body::Body;
use crate::feet::locked_in;
use crate::held_feet::held_within;
use crate::one_space::all_in_one_space;
use crate::root_motion::RootMotionJoint;
use crate::{EditError, EditReport};

/// The most frames × joints of a blend with a requested length.
const MOST_SAMPLES: f64 = 64e6;
/// Warn of foot skate above this speed only \[m/s\].
const SKATES: f64 = 0.03;

/// Motions of one skeleton on one clock, prepared once and blended by any weights.
///
/// ```no_run
/// # let walk = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// # let run = walk.clone();
/// use mocap_edit::{BlendOptions, PreparedBlend};
///
/// let prepared = PreparedBlend::new(&[walk, run], &BlendOptions::default())?;
/// for share in [0.25, 0.5, 0.75] {
///     let jog = prepared.motion(&[1.0 - share, share])?;
///     println!("{} frames", jog.frames());
/// }
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
pub struct PreparedBlend {
    body: Body,
    rate: FrameRate,
    options: BlendOptions,
    sources: Vec<Source>,
    root_motion: RootMotionJoint,
    /// The first motion, as it was given.
    first: Clip,
    /// The speed of each motion, as it was given \[m/s\].
    speeds: Vec<Option<f64>>,
    notes: Vec<String>,
    /// The mean distance along the paths of the time warping \[units\].
    path_distance: Option<f64>,
}

/// The times of the frames of a blend in each motion.
struct Clock {
    phases: Vec<f64>,
    /// By motion, then by frame \[s\].
    times: Vec<Vec<f64>>,
}

impl PreparedBlend {
    /// Finds the strides of the motions, repeats cycles, and registers the motions if the options ask for it.
    ///
    /// # Errors
    /// [`EditError::Skeletons`] where joints or bones differ, [`EditError::Phases`] where a motion has no foot strikes,
    /// [`EditError::Weights`] without a motion, [`EditError::TooShort`] where one has a single
    /// frame, [`EditError::Option`] for a duration that is not above 0 or too long.
    pub fn new(clips: &[Clip], options: &BlendOptions) -> Result<PreparedBlend, EditError> {
        let Some(first) = clips.first() else {
            return Err(EditError::Weights { reason: "a blend needs at least one motion".into() });
        };
        if let Some(value) = options.duration {
            let wrong =
                |expected| EditError::Option { edit: "blend", name: "the duration [s]", value, expected };
            if !(value.is_finite() && value > 0.0) {
                return Err(wrong("above 0"));
            }
            if value * first.rate().fps() * first.skeleton().len() as f64 > MOST_SAMPLES {
                return Err(wrong("shorter: the blend would have more than 64 million frames × joints"));
            }
        }
        let clips = &*all_in_one_space(clips, "blend")?;
        check_all_same(clips.iter())?;
        if let Some(clip) = clips.iter().find(|clip| clip.frames() < 2) {
            return Err(EditError::TooShort { edit: "blend", needed: 2, frames: clip.frames() });
        }
        let body = Body::of(first);
        let mut notes = Vec::new();
        let mut sources = sources(clips, &body, options, &mut notes)?;
        let mut path_distance = None;
        if options.timing == Timing::Registration {
            path_distance = Some(register_all(&mut sources, &body)?);
        }
        Ok(PreparedBlend {
            root_motion: RootMotionJoint::hips(first, &body),
            rate: first.rate(),
            options: *options,
            first: first.clone(),
            speeds: clips.iter().map(|clip| ground_speed(clip, &body)).collect(),
            body,
            sources,
            notes,
            path_distance,
        })
    }

    /// The blend by weights, one for each motion; they are brought to a sum of 1. Feet are locked
    /// as the options say. [`blend`](crate::blend::blend()) corrects contacts after that, which is
    /// left out here.
    ///
    /// # Errors
    /// [`EditError::Weights`] where they are not weights, [`EditError::Phases`] where the motions
    /// have no stride in common, [`EditError::TooShort`] where the blend has a single frame.
    pub fn motion(&self, weights: &[f64]) -> Result<Clip, EditError> {
        let weights = super::shares(self.sources.len(), weights)?;
        let clock = self.clock(&weights)?;
        self.at(&weights, &clock)
    }

    fn at(&self, weights: &[f64], clock: &Clock) -> Result<Clip, EditError> {
        let mix = Mix {
            first: &self.first,
            body: &self.body,
            root_motion: &self.root_motion,
            sources: &self.sources,
            aligned: self.options.timing == Timing::Registration,
        };
        let motion = mix.frames(weights, &clock.times).into_clip("blend")?;
        let steps = matches!(self.options.timing, Timing::Phase | Timing::Registration);
        if self.options.lock_feet && steps && self.body.locks_feet() {
            return locked_in(&motion, Some(&self.agreed_contacts(weights, &clock.phases)));
        }
        Ok(motion)
    }

    /// The blend and its report.
    pub(super) fn measured(&self, weights: &[f64]) -> Result<(Clip, EditReport), EditError> {
        let clock = self.clock(weights)?;
        let motion = self.at(weights, &clock)?;
        let (motion, held) = match self.options.lock_feet {
            true => {
                let sources: Vec<&Clip> = self.sources.iter().map(|source| &source.clip).collect();
                let frames = 0..motion.frames();
                held_within(&sources, motion, "blend", frames)?
            }
            false => (motion, None),
        };
        let mut report = EditReport::measured("blend", &self.first, &motion).feet_held(held);
        (report.rms_deg, report.max_deg, report.rms_m, report.max_m, report.worst) =
            (None, None, None, None, None);
        let expected: Option<f64> =
            self.speeds.iter().zip(weights).map(|(speed, weight)| Some((*speed)? * weight)).sum();
        let metres = self.body.metres;
        let strides = clock.phases[clock.phases.len() - 1] - clock.phases[0];
        let report = report
            .figure("strides", (self.options.timing == Timing::Phase).then_some(strides), "")
            .figure("speed", ground_speed(&motion, &self.body), "m/s")
            .figure("speed-of-weights", expected, "m/s")
            .figure(
                "pose-distance",
                metres.zip(self.distance(&clock)).map(|(metres, far)| far * metres),
                "m",
            );
        let report = match self.path_distance {
            Some(far) => report.figure("path-distance", metres.map(|metres| far * metres), "m"),
            None => report,
        };
        let mut report = self.notes.iter().fold(report, EditReport::note);
        let own: Vec<&Clip> = self.sources.iter().map(|source| &source.clip).collect();
        report.warn_of_limits(&own, &motion);
        if own.iter().any(|clip| !clip.annotations().events.is_empty()) {
            report.warn("blend::events", "events of the motions are left out: a blend has none");
        }
        let skate = report.contacts.and_then(|contacts| contacts.skate).unwrap_or(0.0);
        if !self.options.lock_feet || skate > SKATES {
            report.warn_of_skate();
        }
        Ok((motion, report))
    }

    /// The mean distance of the poses that are blended, from those of the first motion \[units\].
    fn distance(&self, clock: &Clock) -> Option<f64> {
        let (first, others) = self.sources.split_first()?;
        let frames = clock.phases.len();
        let far = |other: usize, frame: usize| {
            let here = first.poses.centred(&self.body, clock.times[0][frame]);
            here.distance(&others[other].poses.centred(&self.body, clock.times[other + 1][frame]))
        };
        let pairs = (0..others.len()).flat_map(|other| (0..frames).map(move |frame| (other, frame)));
        let sum: f64 = pairs.map(|(other, frame)| far(other, frame)).sum();
        (!others.is_empty()).then(|| sum / (others.len() * frames) as f64)
    }

    fn clock(&self, weights: &[f64]) -> Result<Clock, EditError> {
        let [start, end] = common(&self.sources)?;
        let parts: Vec<(&Gait, f64)> =
            self.sources.iter().zip(weights).map(|(source, weight)| (&source.gait, *weight)).collect();
        let begun: Vec<f64> = parts.iter().map(|(gait, _)| gait.time_at(start)).collect();
        let elapsed = |phase: f64| -> f64 {
            parts
                .iter()
                .zip(&begun)
                .map(|((gait, weight), begun)| weight * (gait.time_at(phase) - begun))
                .sum()
        };
        let fps = self.rate.fps();
        let seconds = elapsed(end).min(self.options.duration.unwrap_or(f64::INFINITY));
        let frames = (seconds * fps + 1e-6).floor() as usize + 1;
        if frames < 2 {
            return Err(EditError::TooShort { edit: "blend", needed: 2, frames });
        }
        let mut phases: Vec<f64> = vec![start];
        let mut step = end - start;
        for frame in 1..frames {
            let (from, time) = (phases[frame - 1], frame as f64 / fps);
            // Bracket of the next phase: its step is about that of the frame before.
            let near = (from + 1.5 * step).min(end);
            let to = if elapsed(near) > time { near } else { end };
            phases.push(inverse([from, to], time, elapsed));
            step = phases[frame] - from;
        }
        let at = |(gait, _): &(&Gait, f64)| phases.iter().map(|phase| gait.time_at(*phase)).collect();
        let times = parts.iter().map(at).collect();
        Ok(Clock { phases, times })
    }

    /// The contacts of each foot: overlapping stances of all motions become one, from the weighted mean of their
    /// strikes to that of their lifts.
    fn agreed_contacts(&self, weights: &[f64], phases: &[f64]) -> Vec<FootContacts> {
        let longest = self.sources.iter().max_by(|a, b| a.gait.stances.len().cmp(&b.gait.stances.len()));
        let overlap = |a: &Stance, b: &Stance| a.lift.min(b.lift) - a.strike.max(b.strike);
        let foot = |side| {
            let mut toe = vec![false; phases.len()];
            let stances = longest.iter().flat_map(|source| &source.gait.stances);
            for stance in stances.filter(|stance| stance.side == side) {
                let (mut strike, mut lift, mut total) = (0.0, 0.0, 0.0);
                for (source, weight) in self.sources.iter().zip(weights) {
                    let others = source.gait.stances.iter();
                    let near = others.filter(|other| other.side == side && overlap(stance, other) > 0.0);
                    if let Some(own) = near.max_by(|a, b| overlap(stance, a).total_cmp(&overlap(stance, b))) {
                        (strike, lift) = (strike + weight * own.strike, lift + weight * own.lift);
                        total += weight;
                    }
                }
                if total > 0.5 {
                    let from = phases.partition_point(|phase| *phase < strike / total - 1e-9);
                    let to = phases.partition_point(|phase| *phase < lift / total - 1e-9);
                    toe[from..to.max(from)].fill(true);
                }
            }
            FootContacts { heel: toe.clone(), toe }
        };
        self.body.feet.iter().map(|foot_of_body| foot(foot_of_body.side)).collect()
    }
}
