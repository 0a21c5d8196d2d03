//! The motions of a blend, at one rate and with common phases, ready to be sampled.

use mocap_model::Clip;

use super::curves::Curves;
use super::gait::Gait;
use super::poses::Poses;
use super::registration::register;
use super::{BlendOptions, Timing, repeated};
use crate::EditError;
use crate::body::Body;
use crate::root::{Travel, travel};
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;

/// One of the motions, ready to be sampled.
pub(super) struct Source {
    pub(super) clip: Clip,
    pub(super) gait: Gait,
    pub(super) travel: Travel,
    pub(super) curves: Curves,
    /// Of a registration.
    pub(super) poses: Poses,
}

/// The motions at one rate, with phases that fit.
pub(super) fn sources(
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
    let strides = |all: &[Clip]| -> Result<Vec<Gait>, EditError> {
        all.iter()
            .enumerate()
            .map(|(i, clip)| Gait::of(clip, body).map_err(|error| of_motion(error, i)))
            .collect()
    };
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
        RootMotionJoint::hips(&clip, body).hold_above(&mut samples, &reference);
        let curves = Curves::of(&samples);
        let clip = samples.into_clip("blend")?;
        let travel = travel(&clip, body);
        Ok(Source { gait, travel, curves, poses: Poses::of(&clip), clip })
    });
    sources.collect()
}

/// The error of a gait, with the number of its motion.
fn of_motion(error: EditError, motion: usize) -> EditError {
    match error {
        EditError::Phases { reason } => {
            EditError::Phases { reason: format!("motion {}: {reason}", motion + 1) }
        }
        other => other,
    }
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

/// The range of phases that all motions share.
pub(super) fn common(sources: &[Source]) -> Result<[f64; 2], EditError> {
    let start = sources.iter().map(|source| source.gait.range[0]).fold(f64::NEG_INFINITY, f64::max);
    let end = sources.iter().map(|source| source.gait.range[1]).fold(f64::INFINITY, f64::min);
    match end > start {
        true => Ok([start, end]),
        false => Err(EditError::Phases { reason: "the motions have no stride in common".into() }),
    }
}

/// Replaces the phases by times of the first motion, to which the others are registered. The result is the mean distance
/// along the paths \[units\].
pub(super) fn register_all(sources: &mut [Source], body: &Body) -> Result<f64, EditError> {
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
