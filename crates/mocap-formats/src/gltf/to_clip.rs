//! From a document to a clip: animations sampled at a constant rate.

use std::sync::Arc;

use mocap_model::{Annotations, Clip, Event, FrameRate, JointTracks, ScalarTrack, Skeleton, Track, Vector3};

use super::curves::{Curve, Property, curves};
use super::document::{Animation, Document};
use super::from_clip::target_names;
use super::problem::Problem;
use super::scales::without_constant_scale;
use super::tree::{Source, Tree, tree};
use crate::names::Unique;
use crate::{Finding, LimitExceeded, Limits, Parsed, Rejected};

/// Rates that a file of keys is looked at for, the lowest first.
const RATES: [f64; 11] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 240.0];
/// The rate of keys at no constant rate, and of a file without keys.
const OTHERWISE: f64 = 60.0;
/// How far from a frame a key may be [frames].
const ON_FRAME: f64 = 0.02;

/// The motion of one animation; a skeleton without frames if none exists.
///
/// `fps` is the rate at which keys are sampled. Default: that which this program wrote into the file, else the lowest
/// usual rate of which every key is on a frame, else 60 with a warning.
///
/// # Errors
/// Where nodes, accessors or keys are not as the format demands.
pub fn to_clip(
    document: &Document,
    animation: Option<usize>,
    fps: Option<f64>,
    limits: &Limits,
) -> Result<Parsed<Clip>, Rejected> {
    let mut warnings = Vec::new();
    match sampled(document, animation, fps, limits, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings }),
        Err(error) => Err(Rejected::from(error).behind(warnings)),
    }
}

/// The skeleton of a file.
///
/// # Errors
/// As [`to_clip`].
pub fn to_skeleton(document: &Document, limits: &Limits) -> Result<Parsed<Skeleton>, Rejected> {
    let mut warnings = Vec::new();
    match tree(document, limits, &mut warnings) {
        Ok(tree) => Ok(Parsed { value: tree.skeleton, warnings }),
        Err(error) => Err(Rejected::from(error).behind(warnings)),
    }
}

fn sampled(
    document: &Document,
    animation: Option<usize>,
    fps: Option<f64>,
    limits: &Limits,
    warnings: &mut Vec<Finding>,
) -> Result<Clip, Finding> {
    let tree = tree(document, limits, warnings)?;
    let animations = &document.root.animations;
    let Some(at) = animation.or((!animations.is_empty()).then_some(0)) else {
        warnings.push(Finding::new(Problem::NoAnimation));
        let rate = fps.and_then(FrameRate::new).or(FrameRate::new(30.0)).expect("30 is a rate");
        return Ok(Clip::at_rest(Arc::new(tree.skeleton), rate));
    };
    let curves = curves(document, at, limits, |_| true)?;
    let animation = &animations[at];
    let path = format!("animations[{at}]");
    let timing = timing(animation, &curves, fps, &path, warnings)?;
    let frames = check_frames(timing, &curves, limits)?;
    let model = |error| Finding::new(Problem::Model { path: path.clone(), error });
    let mut tracks: Vec<JointTracks> = tree.sources.iter().map(still).collect();
    let mut scalars: Vec<ScalarTrack> = Vec::new();
    let mut names = Unique::default();
    let mut others = 0;
    for curve in &curves {
        let times = |i: usize| i as f64 / timing.rate.fps();
        if curve.property == Property::Weights {
            for (name, values) in weights(document, curve, frames, times) {
                scalars.push(ScalarTrack { name: names.claim(&name), values });
            }
            continue;
        }
        let Some(joint) = tree.joints[curve.node] else {
            others += usize::from(!tree.above[curve.node]);
            continue;
        };
        put(curve, &tree.sources[joint.index()], &mut tracks[joint.index()], frames, times);
    }
    if others > 0 {
        warnings.push(Finding::new(Problem::OtherNodes { path: path.clone(), count: others }));
    }
    for (name, values) in &animation.extras.scalars {
        let values =
            if values.len() == 1 { Track::Constant(values[0]) } else { Track::Sampled(values.clone()) };
        scalars.push(ScalarTrack { name: names.claim(name), values });
    }
    let events = animation.extras.events.iter();
    let events = events.map(|event| Event { time: event.time, name: event.name.clone() }).collect();
    let name = animation.name.clone().unwrap_or_default();
    let Tree { skeleton, sources, .. } = tree;
    let tracks =
        without_constant_scale(tracks, &sources, &skeleton, timing.rate, frames, warnings).map_err(model)?;
    let tracks = tracks.into_iter().zip(skeleton.joints()).map(|(track, joint)| {
        // Tracks of joints that the animation leaves as they are at rest need no place.
        let translation = track.translation.filter(|track| *track != Track::Constant(joint.offset));
        JointTracks { translation, ..track }
    });
    let tracks = tracks.collect();
    let clip = Clip::new(Arc::new(skeleton), timing.rate, frames, tracks).map_err(model)?;
    clip.with_annotations(Annotations { name, scalars, events }).map_err(model)
}

/// The tracks of a joint that no channel moves: as its node is.
fn still(source: &Source) -> JointTracks {
    JointTracks {
        rotation: Track::Constant(source.frame.turn(&source.local.rotation)),
        translation: Some(Track::Constant(source.frame.place(&source.local.translation))),
        scale: Some(Track::Constant(source.scale)),
    }
}

/// Puts a curve into the tracks of its joint.
fn put(curve: &Curve, source: &Source, tracks: &mut JointTracks, frames: usize, time: impl Fn(usize) -> f64) {
    let vector = |i: usize| Vector3::from_column_slice(&curve.sample(time(i))[..3]);
    match curve.property {
        Property::Translation => {
            let places = (0..frames).map(|i| source.frame.place(&vector(i))).collect();
            tracks.translation = Track::from_samples(places).or(tracks.translation.take());
        }
        Property::Rotation => {
            let rotations = (0..frames).map(|i| source.frame.turn(&curve.rotation(time(i)))).collect();
            tracks.rotation = Track::from_samples(rotations).unwrap_or_else(|| tracks.rotation.clone());
        }
        Property::Scale => {
            let scales = (0..frames).map(|i| source.scale_of(&vector(i))).collect();
            tracks.scale = Track::from_samples(scales).or(tracks.scale.take());
        }
        Property::Weights => {}
    }
}

/// The weights of morph targets, each under the name of its node and target.
fn weights(
    document: &Document,
    curve: &Curve,
    frames: usize,
    time: impl Fn(usize) -> f64,
) -> Vec<(String, Track<f64>)> {
    let names = target_names(document, curve.node);
    let mut values = vec![Vec::with_capacity(frames); curve.width];
    for i in 0..frames {
        let sample = curve.sample(time(i));
        values.iter_mut().zip(sample).for_each(|(values, value)| values.push(value));
    }
    let named = values.into_iter().enumerate().filter_map(|(i, values)| {
        let name = names.get(i).cloned().unwrap_or_else(|| format!("node {}.{i}", curve.node));
        Some((name, Track::from_samples(values)?))
    });
    named.collect()
}

/// Rate and number of frames.
#[derive(Clone, Copy, Debug)]
struct Timing {
    rate: FrameRate,
    frames: f64,
}

fn timing(
    animation: &Animation,
    curves: &[Curve],
    fps: Option<f64>,
    path: &str,
    warnings: &mut Vec<Finding>,
) -> Result<Timing, Finding> {
    let last = curves.iter().filter_map(|curve| curve.times.last()).copied().fold(0.0, f64::max);
    let on_frames = |rate: f64| {
        curves.iter().flat_map(|curve| &curve.times).all(|time| {
            let at = time * rate;
            (at - at.round()).abs() < ON_FRAME
        })
    };
    let stated = animation.extras.fps.filter(|rate| FrameRate::new(*rate).is_some());
    let wanted = fps.or(stated).or_else(|| RATES.into_iter().find(|rate| on_frames(*rate)));
    let rate = wanted.unwrap_or(OTHERWISE);
    if fps.is_none() && wanted.is_none() {
        warnings.push(Finding::new(Problem::Resampled { path: path.to_owned(), fps: rate }));
    }
    let rate = FrameRate::new(rate).ok_or_else(|| {
        let (path, found) = (format!("{path}.extras.mocap.fps"), rate.to_string());
        Finding::new(Problem::Unexpected { path, found, expected: "a number above 0".into() })
    })?;
    // The last key counts, also where it is between two frames.
    let mut frames = (last * rate.fps() - ON_FRAME).ceil().max(0.0) + 1.0;
    if let Some(own) = animation.extras.frames.filter(|_| stated == Some(rate.fps())) {
        // A clip of one frame and one without frames have the same keys.
        frames = if curves.is_empty() { own as f64 } else { frames.max((own as f64).min(frames + 1.0)) };
    }
    Ok(Timing { rate, frames })
}

/// The number of frames, where the motion is not larger than the limits.
fn check_frames(timing: Timing, curves: &[Curve], limits: &Limits) -> Result<usize, Finding> {
    // No byte of the file bounds the number of frames: all sampled values together are bounded.
    let limit = limits.frames / curves.iter().map(|curve| curve.width.div_ceil(4)).sum::<usize>().max(1);
    match timing.frames > limit as f64 {
        true => {
            let found = if timing.frames < 1e18 { timing.frames as usize } else { usize::MAX };
            Err(Finding::new(LimitExceeded { what: "frames", found, limit }))
        }
        false => Ok(timing.frames as usize),
    }
}
