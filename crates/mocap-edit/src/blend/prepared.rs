//! Motions that are ready to be blended by any weights.

use mocap_analysis::FootContacts;
use mocap_model::{Clip, FrameRate, Isometry3, UnitQuaternion, Vector3};
use nalgebra::{Translation3, Vector4};

use super::gait::{Gait, Stance, inverse};
use super::poses::Poses;
use super::registration::register;
use super::{BlendOptions, Timing, average_rotation, check_same, ground_speed, repeated};
use crate::body::Body;
use crate::carrier::Carrier;
use crate::feet::locked_in;
use crate::retime::{RotationCurve, Spline};
use crate::root::{Travel, travel};
use crate::samples::Samples;
use crate::smoothing::{gaussian, unwrapped};
use crate::{EditError, EditReport};

/// The most frames × joints of a blend whose length is asked for.
const MOST_SAMPLES: f64 = 20e6;
/// Locked feet that are slower than this are not said to skate \[m/s\].
const SKATES: f64 = 0.03;
/// The smoothing of the alignment curve \[s\].
const ALIGNED_OVER: f64 = 0.1;

/// Synchronised motions of one skeleton: what does not depend on weights is found once.
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
    carrier: Carrier,
    /// The first motion, as it was given.
    first: Clip,
    /// The speed of each motion, as it was given \[m/s\].
    speeds: Vec<Option<f64>>,
    notes: Vec<String>,
    /// The mean distance along the paths of the time warping \[units\].
    path_distance: Option<f64>,
}

/// One of the motions, ready to be sampled.
struct Source {
    clip: Clip,
    gait: Gait,
    travel: Travel,
    curves: Curves,
    /// Of a registration.
    poses: Poses,
}

/// The tracks of a motion between its frames, by joint.
struct Curves {
    rotations: Vec<RotationCurve>,
    translations: Vec<Option<Spline>>,
    scales: Vec<Option<Spline>>,
    last: f64,
}

/// A part of the blend: where each frame is in each motion.
struct Clock {
    phases: Vec<f64>,
    /// By motion, then by frame \[s\].
    times: Vec<Vec<f64>>,
}

impl PreparedBlend {
    /// Finds the strides of the motions, repeats cycles, and registers motions where that is asked for.
    ///
    /// # Errors
    /// [`EditError::Skeletons`] where joints or bones differ, [`EditError::Phases`] where a motion has no foot strikes,
    /// [`EditError::Weights`] without a motion, [`EditError::Option`] for a duration that is not above 0 or too long.
    pub fn new(clips: &[Clip], options: &BlendOptions) -> Result<PreparedBlend, EditError> {
        let Some((first, others)) = clips.split_first() else {
            return Err(EditError::Weights { reason: "there are no motions".into() });
        };
        if let Some(value) = options.duration {
            let wrong =
                |expected| EditError::Option { edit: "blend", name: "the duration [s]", value, expected };
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
            carrier: Carrier::hips(first, &body),
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

    /// The blend by weights, one for each motion; they are brought to a sum of 1.
    ///
    /// # Errors
    /// [`EditError::Weights`] where they are not weights, [`EditError::Phases`] where the motions have no stride in common.
    pub fn motion(&self, weights: &[f64]) -> Result<Clip, EditError> {
        let weights = super::shares(self.sources.len(), weights)?;
        let clock = self.clock(&weights)?;
        self.at(&weights, &clock)
    }

    fn at(&self, weights: &[f64], clock: &Clock) -> Result<Clip, EditError> {
        let motion = self.mixed(weights, &clock.times).into_clip("blend")?;
        let steps = matches!(self.options.timing, Timing::Phase | Timing::Registration);
        if self.options.lock_feet && steps && !self.body.feet.is_empty() && self.body.metres.is_some() {
            return locked_in(&motion, Some(&self.agreed_contacts(weights, &clock.phases)));
        }
        Ok(motion)
    }

    /// The blend and its report.
    pub(super) fn measured(&self, weights: &[f64]) -> Result<(Clip, EditReport), EditError> {
        let clock = self.clock(weights)?;
        let motion = self.at(weights, &clock)?;
        let mut report = EditReport::measured("blend", &self.first, &motion);
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
        for frame in 1..frames {
            let from = phases[frame - 1];
            phases.push(inverse([from, end], frame as f64 / fps, elapsed));
        }
        let at = |(gait, _): &(&Gait, f64)| phases.iter().map(|phase| gait.time_at(*phase)).collect();
        let times = parts.iter().map(at).collect();
        Ok(Clock { phases, times })
    }

    /// The blended frames.
    fn mixed(&self, weights: &[f64], times: &[Vec<f64>]) -> Samples {
        let (fps, frames, joints) = (self.rate.fps(), times[0].len(), self.first.skeleton().len());
        let places: Vec<Vec<f64>> = self
            .sources
            .iter()
            .zip(times)
            .map(|(source, times)| {
                times.iter().map(|time| (time * fps).clamp(0.0, source.curves.last)).collect()
            })
            .collect();
        let mut whole = Samples {
            skeleton: self.first.skeleton().clone(),
            rate: self.rate,
            frames,
            rotations: (0..joints).map(|joint| self.rotations(joint, weights, &places)).collect(),
            translations: Vec::new(),
            scales: Vec::new(),
            annotations: Default::default(),
        };
        for (joint, of_joint) in self.first.skeleton().joints().iter().enumerate() {
            let (rest, whole_scale) = (of_joint.offset, Vector3::repeat(1.0));
            whole.translations.push(self.vectors(
                |curves| &curves.translations[joint],
                rest,
                weights,
                &places,
            ));
            whole.scales.push(self.vectors(|curves| &curves.scales[joint], whole_scale, weights, &places));
        }
        self.place_hips(&mut whole, weights, times, &places);
        whole
    }

    fn rotations(&self, joint: usize, weights: &[f64], places: &[Vec<f64>]) -> Vec<UnitQuaternion<f64>> {
        let mut parts = vec![UnitQuaternion::identity(); self.sources.len()];
        let mut at = |frame: usize| {
            for ((part, source), places) in parts.iter_mut().zip(&self.sources).zip(places) {
                *part = source.curves.rotations[joint].at(places[frame]);
            }
            average_rotation(&parts, weights)
        };
        (0..places[0].len()).map(&mut at).collect()
    }

    fn vectors(
        &self,
        of: impl Fn(&Curves) -> &Option<Spline>,
        rest: Vector3<f64>,
        weights: &[f64],
        places: &[Vec<f64>],
    ) -> Option<Vec<Vector3<f64>>> {
        let curves: Vec<Option<&Spline>> =
            self.sources.iter().map(|source| of(&source.curves).as_ref()).collect();
        curves.iter().any(Option::is_some).then(|| {
            let at = |frame: usize| {
                let parts = curves.iter().zip(places).zip(weights);
                parts
                    .map(|((curve, places), weight)| {
                        curve.map_or(rest, |curve| curve.at(places[frame]).xyz()) * *weight
                    })
                    .sum()
            };
            (0..places[0].len()).map(at).collect()
        })
    }

    /// The hips: their place in the frame of the root is averaged, and the root travels by the weighted velocities.
    fn place_hips(&self, whole: &mut Samples, weights: &[f64], times: &[Vec<f64>], places: &[Vec<f64>]) {
        let (fps, hips) = (self.rate.fps(), self.carrier.joint.index());
        let mut roots: Vec<Vec<Isometry3<f64>>> = self
            .sources
            .iter()
            .zip(places)
            .map(|(source, places)| {
                places.iter().map(|place| root_at(&source.travel, &self.body, *place)).collect()
            })
            .collect();
        if self.options.timing == Timing::Registration {
            for other in 1..self.sources.len() {
                roots[other] = self.aligned(other, times, &roots[0]);
            }
        }
        let above = self.carrier.above_at(whole);
        let offset = self.first.skeleton().joint(self.carrier.joint).offset;
        let place = |source: usize, frame: usize| {
            let (curves, at) = (&self.sources[source].curves, places[source][frame]);
            let translation = curves.translations[hips].as_ref().map_or(offset, |curve| curve.at(at).xyz());
            above * Isometry3::from_parts(Translation3::from(translation), curves.rotations[hips].at(at))
        };
        let mut root = roots[0][0];
        let mut relative = vec![Isometry3::identity(); roots.len()];
        for frame in 0..whole.frames {
            for (source, relative) in relative.iter_mut().enumerate() {
                *relative = roots[source][frame].inverse() * place(source, frame);
            }
            let local = above.inverse() * (root * average_place(&relative, weights));
            whole.set_local(self.carrier.joint, frame, &local);
            if frame + 1 < whole.frames {
                root *= step(&self.body, &roots, times, weights, frame, fps);
            }
        }
    }

    /// The alignment curve: the root of the first motion, as the poses of another motion see it.
    fn aligned(&self, other: usize, times: &[Vec<f64>], root: &[Isometry3<f64>]) -> Vec<Isometry3<f64>> {
        let (first, source) = (&self.sources[0], &self.sources[other]);
        let placed = |frame: usize| {
            let there = times[other][frame];
            source.poses.placement(&self.body, there, &first.poses, times[0][frame]) * root[frame]
        };
        let placed: Vec<Isometry3<f64>> = (0..root.len()).map(placed).collect();
        let turn = |place: &Isometry3<f64>| place.rotation.scaled_axis().dot(&self.body.up);
        let mut turns: Vec<f64> = placed.iter().map(turn).collect();
        unwrapped(&mut turns);
        let sigma = ALIGNED_OVER * self.rate.fps();
        let turns = gaussian(&turns, sigma);
        let places: Vec<Vector3<f64>> = placed.iter().map(|place| place.translation.vector).collect();
        let smooth = gaussian(&places, sigma).into_iter().zip(turns);
        smooth
            .map(|(place, turn)| Isometry3::from_parts(Translation3::from(place), self.body.turn(turn)))
            .collect()
    }

    /// The contacts of each foot: stances of all motions that overlap are one, from the weighted sum of their starts to
    /// that of their ends.
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

/// The motions at one rate, with phases that fit.
fn sources(
    clips: &[Clip],
    body: &Body,
    options: &BlendOptions,
    notes: &mut Vec<String>,
) -> Result<Vec<Source>, EditError> {
    let rate = clips[0].rate();
    let mut all = Vec::new();
    for clip in clips {
        all.push(if clip.rate() == rate { clip.clone() } else { crate::resample(clip, rate)? });
    }
    let strides =
        |all: &[Clip]| all.iter().map(|clip| Gait::of(clip, body)).collect::<Result<Vec<Gait>, _>>();
    let (gaits, by_phase) = match options.timing {
        Timing::Phase => (strides(&all)?, true),
        Timing::Registration => match strides(&all) {
            Ok(gaits) => (gaits, true),
            Err(_) => {
                notes.push("not all motions have strides: they are registered from start to end".into());
                (all.iter().map(Gait::stretched).collect::<Result<_, _>>()?, false)
            }
        },
        Timing::Stretch => (all.iter().map(Gait::stretched).collect::<Result<_, _>>()?, false),
        Timing::Seconds => (all.iter().map(Gait::by_seconds).collect::<Result<_, _>>()?, false),
    };
    let (all, gaits) = match by_phase {
        true => in_step(all, gaits, body, options, notes)?,
        false => (all, gaits),
    };
    let reference = Samples::of(&all[0]);
    let sources = all.into_iter().zip(gaits).map(|(clip, gait)| {
        let mut samples = Samples::of(&clip);
        Carrier::hips(&clip, body).hold_above(&mut samples, &reference);
        let curves = Curves::of(&samples);
        let clip = samples.into_clip("blend")?;
        let travel = travel(&clip, body);
        Ok(Source { gait, travel, curves, poses: Poses::of(&clip), clip })
    });
    sources.collect()
}

/// Motions with fewer strides than the longest are repeated, and all are moved to the same strides.
fn in_step(
    all: Vec<Clip>,
    gaits: Vec<Gait>,
    body: &Body,
    options: &BlendOptions,
    notes: &mut Vec<String>,
) -> Result<(Vec<Clip>, Vec<Gait>), EditError> {
    let strides = |gait: &Gait| gait.range[1] - gait.range[0];
    let longest = (0..all.len())
        .max_by(|a, b| strides(&gaits[*a]).total_cmp(&strides(&gaits[*b])).then(b.cmp(a)))
        .expect("at least one motion");
    let mut whole = gaits[longest].clone();
    if let Some(duration) = options.duration {
        let stride =
            |gait: &Gait| (gait.time_at(gait.range[1]) - gait.time_at(gait.range[0])) / strides(gait);
        let shortest = gaits.iter().map(stride).fold(f64::INFINITY, f64::min);
        whole.range[1] = whole.range[0] + duration / shortest + 1.0;
    }
    let (mut clips, mut phases) = (Vec::new(), Vec::new());
    for (i, (mut clip, mut gait)) in all.into_iter().zip(gaits).enumerate() {
        let missing = strides(&whole) - strides(&gait);
        if options.repeat && missing > 0.25 {
            let times = (strides(&whole).ceil() as usize + 4).max(5);
            clip = repeated(&clip, times)?;
            gait = Gait::of(&clip, body)?;
            notes.push(format!("motion {}: its best cycle is repeated", i + 1));
        }
        let middle = |gait: &Gait| (gait.range[0] + gait.range[1]) / 2.0;
        let by = (middle(&whole) - middle(&gait)).round();
        phases.push(gait.shifted(by)?);
        clips.push(clip);
    }
    Ok((clips, phases))
}

/// The phases that all motions have.
fn common(sources: &[Source]) -> Result<[f64; 2], EditError> {
    let start = sources.iter().map(|source| source.gait.range[0]).fold(f64::NEG_INFINITY, f64::max);
    let end = sources.iter().map(|source| source.gait.range[1]).fold(f64::INFINITY, f64::min);
    match end > start {
        true => Ok([start, end]),
        false => Err(EditError::Phases { reason: "the motions have no stride in common".into() }),
    }
}

/// Replaces the phases by times of the first motion, to which the others are registered. The result is the mean distance
/// along the paths \[units\].
fn register_all(sources: &mut [Source], body: &Body) -> Result<f64, EditError> {
    let [start, end] = common(sources)?;
    let part = |source: &Source| [source.gait.time_at(start), source.gait.time_at(end)];
    let own = part(&sources[0]);
    let mut far = Vec::new();
    let mut gaits = vec![Gait::registered(
        crate::TimeMap::new(vec![(own[0], own[0]), (own[1], own[1])])?,
        own,
        &sources[0].clip,
        body,
    )];
    for other in &sources[1..] {
        let fps = other.clip.rate().fps();
        let found = register(body, (&sources[0].poses, own), (&other.poses, part(other)), fps)?;
        far.push(found.path_distance);
        gaits.push(Gait::registered(found.times, own, &other.clip, body));
    }
    for (source, gait) in sources.iter_mut().zip(gaits) {
        source.gait = gait;
    }
    Ok(far.iter().sum::<f64>() / far.len().max(1) as f64)
}

impl Curves {
    fn of(samples: &Samples) -> Curves {
        let spline = |values: &Option<Vec<Vector3<f64>>>| {
            values
                .as_ref()
                .map(|values| Spline::new(values.iter().map(|v| Vector4::new(v.x, v.y, v.z, 0.0)).collect()))
        };
        Curves {
            rotations: samples.rotations.iter().map(|values| RotationCurve::new(values.clone())).collect(),
            translations: samples.translations.iter().map(spline).collect(),
            scales: samples.scales.iter().map(spline).collect(),
            last: (samples.frames - 1) as f64,
        }
    }
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

/// The step of the root to the next frame: the weighted sum of the velocities, each in the frame of its own heading.
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
