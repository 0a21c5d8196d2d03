//! From a document to a clip: animations sampled at a constant rate.

use std::sync::Arc;

use mocap_model::{
    Annotations, Clip, Event, FrameRate, JointTracks, ScalarTrack, Skeleton, Track, UnitQuaternion, Vector3,
    slerp,
};
use nalgebra::Quaternion;

use super::document::Document;
use super::expressions;
use super::node_targets::target_names;
use super::problem::Problem;
use super::problem::index;
use super::root::{Animation, Interpolation};
use super::tree::{Source, Tree, tree};
use super::trs::unit;
use crate::names::Unique;
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError};

/// Usual rates that are tried for the keys of a file, the lowest first.
const RATES: [f64; 11] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 240.0];
/// The lowest rate that equally spaced keys may have.
const SLOWEST: f64 = 23.9;
/// The highest one.
const FASTEST: f64 = 1000.0;
/// Tolerance of equally spaced keys [spacings].
const SPACING: f64 = 0.1;
/// The spacing is the smallest gap divided by one of these, since keys may be left out.
const PARTS: [f64; 3] = [1.0, 2.0, 3.0];
/// The rate for keys without a constant rate, and for a file without keys.
const OTHERWISE: f64 = 60.0;
/// Relative error of a time in single precision that is the quotient or the product of two numbers.
const SINGLE: f64 = 2.0 * f32::EPSILON as f64;
/// Tolerance of a key's distance from a frame [frames].
const ON_FRAME: f64 = 0.02;

/// The motion of one animation; a skeleton without frames if none exists.
///
/// `fps` is the rate at which keys are sampled. Default: that which this program wrote into the file, else the lowest
/// usual rate, or N·1000/1001, of which every key is on a frame, else the rate of equally spaced keys, else 60 with a warning.
///
/// # Errors
/// Where nodes, accessors or keys are not as the format demands.
pub fn to_clip(
    document: &Document,
    animation: Option<usize>,
    fps: Option<f64>,
    limits: &Limits,
) -> Result<Parsed<Clip>, ReadError> {
    let mut warnings = Vec::from_iter(expressions::left_out(document));
    match sampled(document, animation, fps, limits, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings }),
        Err(error) => Err(ReadError::from(error).behind(warnings)),
    }
}

/// The skeleton of a file.
///
/// # Errors
/// As [`to_clip`].
pub fn to_skeleton(document: &Document, limits: &Limits) -> Result<Parsed<Skeleton>, ReadError> {
    let mut warnings = Vec::from_iter(expressions::left_out(document));
    let skeleton = tree(document, limits, &mut warnings).and_then(|tree| match tree.uneven {
        None => Ok(tree.skeleton),
        Some(_) => evened_rest(&tree),
    });
    match skeleton {
        Ok(value) => Ok(Parsed { value, warnings }),
        Err(error) => Err(ReadError::from(error).behind(warnings)),
    }
}

/// The skeleton with joints at the positions of the nodes at rest, scales above included.
pub(super) fn evened_rest(tree: &Tree) -> Result<Skeleton, Finding> {
    let model = |error| Finding::new(Problem::Model { path: "nodes".into(), error });
    let rate = FrameRate::new(1.0).expect("1 is a rate");
    let tracks = tree.sources.iter().zip(tree.skeleton.joints()).map(|(source, joint)| still(source, joint));
    let rest = Clip::new(Arc::new(tree.skeleton.clone()), rate, 1, tracks.collect()).map_err(model)?;
    let rest = rest.without_scale().map_err(model)?;
    let mut at = 0;
    let placed = tree.skeleton.with_joints(|joint| {
        joint.offset = rest.local(mocap_model::JointId::from(at), 0).translation.vector;
        at += 1;
    });
    placed.map_err(model)
}

/// The motion without scale tracks: translations put joints at the positions of the nodes. Warns by how much lengths of
/// bones change.
fn with_uniform_scales(
    clip: &Clip,
    tree: &Tree,
    path: &str,
    warnings: &mut Vec<Finding>,
) -> Result<Clip, Finding> {
    let model = |error| Finding::new(Problem::Model { path: path.to_owned(), error });
    let skeleton = evened_rest(tree)?;
    let rigid = clip.without_scale().map_err(model)?;
    let mut change = 0.0f64;
    let size = skeleton.joints().iter().map(|joint| joint.offset.norm()).fold(0.0, f64::max);
    let tracks = rigid.tracks().iter().zip(skeleton.joints()).map(|(tracks, joint)| {
        let length = joint.offset.norm();
        let places = tracks.translation.as_ref().map_or(&[][..], Track::values);
        if joint.parent.is_some() && length > 1e-6 * size {
            change = places.iter().fold(change, |most, place| most.max((place.norm() / length - 1.0).abs()));
        }
        let still = places.iter().all(|place| (place - joint.offset).norm() <= 1e-9 * size);
        JointTracks { translation: tracks.translation.clone().filter(|_| !still), ..tracks.clone() }
    });
    let tracks = tracks.collect();
    if let Some(uneven) = &tree.uneven {
        warnings.push(Finding::new(Problem::UnevenScale { path: uneven.path.clone(), change }));
    }
    let clip = Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks).map_err(model)?;
    clip.with_annotations(rigid.annotations().clone()).map_err(model)
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
        let skeleton = if tree.uneven.is_some() { evened_rest(&tree)? } else { tree.skeleton };
        return Ok(Clip::at_rest(Arc::new(skeleton), rate));
    };
    let curves = curves(document, at, limits)?;
    let animation = &animations[at];
    let path = format!("animations[{at}]");
    let timing = timing(animation, &curves, fps, &path, warnings)?;
    let frames = check_frames(timing, &curves, limits)?;
    limits.check_samples(frames, tree.skeleton.len()).map_err(Finding::new)?;
    let model = |error| Finding::new(Problem::Model { path: path.clone(), error });
    let mut tracks: Vec<JointTracks> = (tree.sources.iter().zip(tree.skeleton.joints()))
        .map(|(source, joint)| still(source, joint))
        .collect();
    let mut scalars: Vec<ScalarTrack> = Vec::new();
    let mut names = Unique::default();
    let mut others = 0;
    let expressions = expressions::weight_nodes(&document.json);
    for (mesh, name) in &document.target_names().twice {
        let (path, name) = (format!("meshes[{mesh}]"), name.clone());
        warnings.push(Finding::new(Problem::DuplicateTarget { path, name }));
    }
    for curve in &curves {
        let times = |i: usize| i as f64 / timing.rate.fps();
        if let Some(name) = expressions.get(&curve.node).filter(|_| curve.property == Property::Translation) {
            let values = (0..frames).map(|i| curve.sample(times(i))[0]).collect();
            if let Some(values) = Track::from_samples(values) {
                scalars.push(ScalarTrack { name: names.claim(name), values });
            }
            continue;
        }
        if curve.property == Property::Weights {
            for (name, values) in weights(document, curve, frames, times) {
                scalars.push(ScalarTrack { name: names.claim(&name), values });
            }
            continue;
        }
        let Some(joint) = tree.joints[curve.node] else {
            others += usize::from(tree.moves[curve.node]);
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
    // Translation tracks that stay at the rest offset are dropped.
    for (track, joint) in tracks.iter_mut().zip(tree.skeleton.joints()) {
        if track.translation == Some(Track::Constant(joint.offset)) {
            track.translation = None;
        }
    }
    let skeleton = Arc::new(tree.skeleton.clone());
    let clip = Clip::new(skeleton, timing.rate, frames, tracks).map_err(model)?;
    let clip = clip.with_annotations(Annotations { name, scalars, events }).map_err(model)?;
    match tree.uneven {
        None => Ok(clip),
        Some(_) => with_uniform_scales(&clip, &tree, &path, warnings),
    }
}

/// The tracks of a joint that no channel moves: the transform of its node.
fn still(source: &Source, joint: &mocap_model::Joint) -> JointTracks {
    let rotation = match joint.parent {
        None => unit(*(source.frame.rotation * source.local.rotation)),
        Some(_) => source.local.rotation,
    };
    JointTracks {
        rotation: Track::Constant(rotation),
        translation: Some(Track::Constant(source.frame.place(&source.local.translation))),
        scale: (!source.folds_scale).then_some(Track::Constant(source.local.scale)),
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
            let rotations = (0..frames).map(|i| source.rotation(&curve.rotation(time(i)))).collect();
            tracks.rotation = Track::from_samples(rotations).unwrap_or_else(|| tracks.rotation.clone());
        }
        Property::Scale if !source.folds_scale => {
            let scales = (0..frames).map(|i| vector(i).component_mul(&source.signs)).collect();
            tracks.scale = Track::from_samples(scales).or(tracks.scale.take());
        }
        Property::Scale | Property::Weights => {}
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
    let all_within = |rate: f64, slack: &dyn Fn(f64) -> f64| {
        curves.iter().flat_map(|curve| &curve.times).all(|time| {
            let at = time * rate;
            (at - at.round()).abs() <= slack(at)
        })
    };
    let on_frames = |rate: f64| all_within(rate, &|_| ON_FRAME);
    // In a short clip, every key is near a frame of a rate and near one of its N·1000/1001.
    let exact = |rate: &f64| all_within(*rate, &|at| SINGLE * at);
    let broadcast = RATES.map(|rate| rate * 1000.0 / 1001.0);
    let exactly = || RATES.into_iter().chain(broadcast).find(exact);
    let stated = animation.extras.fps.filter(|rate| FrameRate::new(*rate).is_some());
    let usual = || RATES.into_iter().find(|rate| on_frames(*rate));
    let own = || own_rates(curves).into_iter().find(|rate| on_frames(*rate));
    let wanted = fps.or(stated).or_else(exactly).or_else(usual).or_else(own);
    let rate = wanted.unwrap_or(OTHERWISE);
    if fps.is_none() && wanted.is_none() {
        let rotation_error =
            curves.iter().map(|curve| curve.rotation_error(rate)).fold(0.0, f64::max).to_degrees();
        warnings.push(Finding::new(Problem::Resampled { path: path.to_owned(), fps: rate, rotation_error }));
    }
    let rate = FrameRate::new(rate).ok_or_else(|| {
        let (path, found) = (format!("{path}.extras.mocap.fps"), rate.to_string());
        Finding::new(Problem::Unexpected { path, found, expected: "a number above 0".into() })
    })?;
    // Rounded up: the clip includes the last key even if it is between two frames.
    let mut frames = (last * rate.fps() - ON_FRAME).ceil().max(0.0) + 1.0;
    if let Some(own) = animation.extras.frames.filter(|_| stated == Some(rate.fps())) {
        // The extras state the number of frames, because a clip of one frame and one without frames have the same keys.
        frames = if curves.is_empty() { own as f64 } else { frames.max((own as f64).min(frames + 1.0)) };
    }
    Ok(Timing { rate, frames })
}

/// Candidate rates from [`SLOWEST`] on for equally spaced keys, the lowest first; each snapped to a usual rate, then as
/// measured. Keys may be left out, so the spacing is the smallest gap or a part of it.
fn own_rates(curves: &[Curve]) -> Vec<f64> {
    let mut times: Vec<f64> = curves.iter().flat_map(|curve| curve.times.iter().copied()).collect();
    times.sort_by(f64::total_cmp);
    let least = SPACING / FASTEST;
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > least);
    let smallest = gaps.fold(f64::INFINITY, f64::min);
    let spacings = PARTS.into_iter().filter_map(|part| fitted(&times, smallest / part));
    let rates =
        spacings.flat_map(|spacing| [FrameRate::from_frame_time(spacing), FrameRate::new(1.0 / spacing)]);
    let rates = rates.flatten().map(FrameRate::fps).map(|rate| rate * (SLOWEST / rate).ceil().max(1.0));
    rates.filter(|rate| *rate <= FASTEST).collect()
}

/// The spacing near `spacing` of which all times are multiples. It is refined with each time: later times have coarser
/// single precision, but more spacings to divide by.
fn fitted(times: &[f64], mut spacing: f64) -> Option<f64> {
    let least = SPACING * spacing;
    for time in times.iter().filter(|time| **time > least) {
        let count = (time / spacing).round();
        if (time / spacing - count).abs() > SPACING {
            return None;
        }
        spacing = time / count;
    }
    Some(spacing)
}

/// The number of frames; an error where the motion exceeds the limits.
fn check_frames(timing: Timing, curves: &[Curve], limits: &Limits) -> Result<usize, Finding> {
    // The size of the file does not bound the number of frames, so the total of sampled values is limited.
    let limit = limits.frames / curves.iter().map(|curve| curve.width.div_ceil(4)).sum::<usize>().max(1);
    match timing.frames > limit as f64 {
        true => {
            let found = if timing.frames < 1e18 { timing.frames as usize } else { usize::MAX };
            Err(Finding::new(LimitExceeded { what: "frames", found, limit }))
        }
        false => Ok(timing.frames as usize),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// The keys of a channel.
#[derive(Clone, Debug)]
struct Curve {
    node: usize,
    property: Property,
    interpolation: Interpolation,
    times: Vec<f64>,
    /// Values of a key.
    width: usize,
    values: Vec<f64>,
}

fn curves(document: &Document, at: usize, limits: &Limits) -> Result<Vec<Curve>, Finding> {
    let animation = &document.root.animations[at];
    let mut curves = Vec::with_capacity(animation.channels.len());
    let mut total = 0usize;
    for (c, channel) in animation.channels.iter().enumerate() {
        let (Some(node), path) = (channel.target.node, format!("animations[{at}].channels[{c}]")) else {
            continue;
        };
        let (property, kind) = match channel.target.path.as_str() {
            "translation" => (Property::Translation, "VEC3"),
            "rotation" => (Property::Rotation, "VEC4"),
            "scale" => (Property::Scale, "VEC3"),
            "weights" => (Property::Weights, "SCALAR"),
            // Extensions animate other properties.
            _ => continue,
        };
        let count = animation.samplers.len();
        let sampler = animation.samplers.get(channel.sampler);
        let sampler =
            sampler.ok_or_else(|| index(format!("{path}.sampler"), channel.sampler, "samplers", count))?;
        let path = format!("animations[{at}].samplers[{}]", channel.sampler);
        let times = document.floats(sampler.input, "SCALAR", &format!("{path}.input"), limits)?;
        if let Some(key) = (1..times.len()).find(|key| times[*key] <= times[key - 1]) {
            return Err(Finding::new(Problem::Times { path: format!("{path}.input"), key }));
        }
        if times.first().is_some_and(|first| *first < 0.0) {
            return Err(Finding::new(Problem::Times { path: format!("{path}.input"), key: 0 }));
        }
        let values = document.floats(sampler.output, kind, &format!("{path}.output"), limits)?;
        let each = if sampler.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let width = match property {
            Property::Rotation => 4,
            Property::Translation | Property::Scale => 3,
            Property::Weights => values.len() / (times.len() * each).max(1),
        };
        if times.is_empty() || width == 0 || values.len() != times.len() * each * width {
            let (found, expected) = (values.len() / width.max(1), times.len() * each);
            let path = format!("{path}.output");
            return Err(Finding::new(Problem::KeyCount { path, found, keys: times.len(), expected }));
        }
        // Several channels may use the same bytes, so the total is checked.
        total += times.len() + values.len();
        if total > limits.frames {
            let limit = limits.frames;
            return Err(Finding::new(LimitExceeded { what: "values of keys", found: total, limit }));
        }
        curves.push(Curve { node, property, interpolation: sampler.interpolation, times, width, values });
    }
    Ok(curves)
}

impl Curve {
    /// The keys around a time, and the share of the way between them; before the first and after the last, that key.
    fn around(&self, time: f64) -> (usize, f64) {
        // The tolerance puts a frame on a key where rounding puts it just before.
        let time = time + 1e-6;
        let next = self.times.partition_point(|key| *key <= time);
        if next == 0 {
            return (0, 0.0);
        }
        let Some(end) = self.times.get(next) else { return (next - 1, 0.0) };
        let start = self.times[next - 1];
        let share = (time - 1e-6 - start) / (end - start);
        (next - 1, share.clamp(0.0, 1.0))
    }

    /// A key's values; of cubic curves without their tangents.
    fn key(&self, key: usize) -> &[f64] {
        let (each, middle) = if self.interpolation == Interpolation::CubicSpline { (3, 1) } else { (1, 0) };
        &self.values[(key * each + middle) * self.width..][..self.width]
    }

    /// The values at a time.
    fn sample(&self, time: f64) -> Vec<f64> {
        let (key, share) = self.around(time);
        let from = self.key(key);
        if share == 0.0 || self.interpolation == Interpolation::Step {
            return from.to_vec();
        }
        let to = self.key(key + 1);
        if self.interpolation == Interpolation::Linear {
            return from.iter().zip(to).map(|(a, b)| a + (b - a) * share).collect();
        }
        // A cubic Hermite spline: each key has its in-tangent, value and out-tangent.
        let step = self.times[key + 1] - self.times[key];
        let out = &self.values[(key * 3 + 2) * self.width..];
        let into = &self.values[(key + 1) * 3 * self.width..];
        let (t, t2, t3) = (share, share * share, share * share * share);
        let hermite = |i: usize| {
            (2.0 * t3 - 3.0 * t2 + 1.0) * from[i]
                + (t3 - 2.0 * t2 + t) * step * out[i]
                + (3.0 * t2 - 2.0 * t3) * to[i]
                + (t3 - t2) * step * into[i]
        };
        (0..self.width).map(hermite).collect()
    }

    /// The largest rotation error at the times of keys if the curve is resampled at a rate. Between linear keys the
    /// error is smaller. Only rotations are compared, because their unit is known in every file.
    fn rotation_error(&self, rate: f64) -> f64 {
        if self.property != Property::Rotation || self.interpolation == Interpolation::Step {
            return 0.0;
        }
        let rotation_error = self.times.iter().map(|time| {
            let frame = (time * rate).floor();
            let [before, after] = [frame, frame + 1.0].map(|frame| self.rotation(frame / rate));
            self.rotation(*time).angle_to(&slerp(&before, &after, time * rate - frame))
        });
        rotation_error.fold(0.0, f64::max)
    }

    fn rotation(&self, time: f64) -> UnitQuaternion<f64> {
        let of = |values: &[f64]| unit(Quaternion::new(values[3], values[0], values[1], values[2]));
        let (key, share) = self.around(time);
        if self.interpolation == Interpolation::Linear && share > 0.0 {
            return slerp(&of(self.key(key)), &of(self.key(key + 1)), share);
        }
        of(&self.sample(time))
    }
}
