//! Denoise: removes jitter and spikes from rotations, translations and numbers over time.
//!
//! Rotations are filtered as unit quaternions of one hemisphere, on the principal axes of each joint's curve: a knee
//! that only bends has all its motion on one axis, so noise on the others is removed completely. Euler angles are never
//! filtered. The result is normalised, which to first order equals filtering rotation vectors about the local mean,
//! without their discontinuity at half a turn.

mod adaptive;
mod banded;
mod dropouts;
mod examples;
mod feet;
mod fixed;
mod noise;
mod numbers;
mod spikes;

use std::fmt;
use std::mem::take;
use std::str::FromStr;

use mocap_model::{Clip, JointId, Skeleton, UnitQuaternion, Vector3};
use nalgebra::{Matrix4, Quaternion, SymmetricEigen, Vector4};

use crate::samples::Samples;
use crate::{EditError, EditReport};
use adaptive::Curves;
use dropouts::Stop;
use examples::{Dropout, FilledBy, needs_examples};
use mocap_poses::{Filled, PosePrior, PosesError};

/// With fewer frames, noise cannot be separated from motion.
const FEWEST: usize = 8;
/// An axis with less than this share of the noise is the radial axis of a curve of unit quaternions: its values follow
/// from the others.
const TANGENT: f64 = 0.05;
/// If all values along one axis are above this, they can be computed from the other axes of the unit quaternion.
const RADIAL: f64 = 0.5;

/// The remaining rotation error of a smoothing spline, relative to the noise per axis.
const RESIDUAL: f64 = 0.5;

/// A dropout of up to this time is filled by a curve, even where there are examples \[s\].
const SHORT: f64 = 0.2;
/// The most dropouts that a warning names.
const NAMED: usize = 10;
/// A first or last frame in which this share of the joints jumps is a separate pose, such as a rest pose, and no spike.
const POSE: f64 = 0.25;

/// The method of noise removal.
///
/// ```
/// let method: mocap_edit::Denoise = "butterworth:6".parse()?;
/// assert_eq!(method, mocap_edit::Denoise::Butterworth { cutoff: 6.0 });
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Denoise {
    /// A smoothing spline per joint and axis: noise is estimated, stiffness follows the motion, spikes are removed.
    #[default]
    Auto,
    /// A zero-phase low-pass filter: second order, forwards and backwards.
    Butterworth {
        /// The frequency \[Hz\] at which both passes together halve the power, above 0 and below half the rate.
        cutoff: f64,
    },
    /// A local cubic through each frame's neighbours.
    SavitzkyGolay {
        /// The width \[s\]. Default: 0.25.
        width: f64,
    },
    /// A Gaussian.
    Gaussian {
        /// Its standard deviation \[s\]. Default: 0.04.
        sigma: f64,
    },
    /// The One Euro filter, forwards only, as in live use: it introduces a lag.
    OneEuro {
        /// The cutoff at rest \[Hz\]. Default: 1.
        cutoff: f64,
        /// How the cutoff grows with speed. Default: 0.5.
        beta: f64,
    },
}

impl fmt::Display for Denoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Denoise::Auto => write!(f, "auto"),
            Denoise::Butterworth { cutoff } => write!(f, "butterworth:{cutoff}"),
            Denoise::SavitzkyGolay { width } => write!(f, "savgol:{width}"),
            Denoise::Gaussian { sigma } => write!(f, "gaussian:{sigma}"),
            Denoise::OneEuro { cutoff, beta } => write!(f, "one-euro:{cutoff},{beta}"),
        }
    }
}

/// The widest window of a filter \[s\]: no jitter is slower.
const WIDEST: f64 = 10.0;

impl FromStr for Denoise {
    type Err = String;

    /// Reads `auto`, `butterworth:HZ`, `savgol[:SECONDS]`, `gaussian[:SECONDS]`, `one-euro[:HZ,BETA]`.
    fn from_str(text: &str) -> Result<Denoise, String> {
        let (name, values) = text.split_once(':').map_or((text, None), |(name, values)| (name, Some(values)));
        let values: Result<Vec<f64>, _> =
            values.map_or(Ok(Vec::new()), |v| v.split(',').map(str::parse).collect());
        let values = values.map_err(|_| format!("'{text}': a value is not a number"))?;
        if values.iter().any(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(format!("'{text}': values are numbers above 0"));
        }
        if matches!(name, "savgol" | "gaussian") && values.iter().any(|value| *value > WIDEST) {
            return Err(format!("'{text}': a window is at most {WIDEST} s wide"));
        }
        match (name, &values[..]) {
            ("auto", []) => Ok(Denoise::Auto),
            ("butterworth", [cutoff]) if *cutoff > 0.0 => Ok(Denoise::Butterworth { cutoff: *cutoff }),
            ("savgol", []) => Ok(Denoise::SavitzkyGolay { width: 0.25 }),
            ("savgol", [width]) if *width > 0.0 => Ok(Denoise::SavitzkyGolay { width: *width }),
            ("gaussian", []) => Ok(Denoise::Gaussian { sigma: 0.04 }),
            ("gaussian", [sigma]) if *sigma > 0.0 => Ok(Denoise::Gaussian { sigma: *sigma }),
            ("one-euro", []) => Ok(Denoise::OneEuro { cutoff: 1.0, beta: 0.5 }),
            ("one-euro", [cutoff, beta]) if *cutoff > 0.0 => {
                Ok(Denoise::OneEuro { cutoff: *cutoff, beta: *beta })
            }
            _ => Err(format!(
                "'{text}' is not auto, butterworth:HZ, savgol[:SECONDS], gaussian[:SECONDS] or one-euro[:HZ,BETA]"
            )),
        }
    }
}

mocap_model::text_values! {
    Denoise "auto, butterworth:HZ, savgol[:SECONDS], gaussian[:SECONDS] or one-euro[:HZ,BETA]";
}

/// Removes noise from a motion.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{Denoise, denoise};
///
/// let (clean, report) = denoise(&clip, Denoise::Auto)?;
/// assert_eq!(clean.frames(), clip.frames());
/// println!("{report}");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::TooShort`] below eight frames, [`EditError::Option`] where a cutoff is not below half the frame rate.
pub fn denoise(clip: &Clip, method: Denoise) -> Result<(Clip, EditReport), EditError> {
    denoise_with(clip, method, None)
}

/// As [`denoise`], with example poses for dropouts. [`Denoise::Auto`] fills dropouts of up to 0.5 s
/// by curves; with example poses, it fills those of joints and limbs of 0.2 s to 5 s from the
/// examples and the rest of the body. Each dropout is a warning that says how it was filled; those
/// that are too long for curves are not filled without examples that fit the skeleton.
///
/// # Errors
/// As [`denoise`].
pub fn denoise_with(
    clip: &Clip,
    method: Denoise,
    poses: Option<&PosePrior>,
) -> Result<(Clip, EditReport), EditError> {
    let frames = clip.frames();
    if frames < FEWEST {
        return Err(EditError::TooShort { edit: "denoise", needed: FEWEST, frames });
    }
    let fps = clip.rate().fps();
    if let Denoise::Butterworth { cutoff } = method
        && cutoff >= fps / 2.0
    {
        let (name, expected) = ("the cutoff [Hz]", "below half the frame rate");
        return Err(EditError::Option { edit: "denoise", name, value: cutoff, expected });
    }
    let mut samples = Samples::of(clip);
    if poses.is_none() {
        // Joints that do not move are read by examples only.
        samples.rotations.iter_mut().filter(|values| !moves(values)).for_each(|values| {
            values.truncate(1);
            values.shrink_to_fit();
        });
    }
    let found = match method {
        Denoise::Auto => Some(clean(&mut samples, fps, poses)?),
        _ => {
            filter(&mut samples, method, fps);
            None
        }
    };
    let spiked = numbers::denoise(&mut samples.annotations.scalars, method, fps);
    let mut clean = samples.into_clip("denoise")?;
    let mut feet_locked = None;
    if let Some(found) = &found {
        (clean, feet_locked) = feet::lock(clean, RESIDUAL * found.noise)?;
    }
    let (clean, feet_held) = crate::held_feet::held(clip, clean, "denoise")?;
    let mut report = EditReport::measured("denoise", clip, &clean).note(format!("method {method}"));
    if let Some(found) = found {
        report = report
            .figure("noise", found.noise.to_degrees(), "deg")
            .figure("spikes", (found.spikes + spiked) as f64, "")
            .figure("dropouts", (found.dropouts.len() - found.filled_by(FilledBy::Nothing)) as f64, "")
            .figure("feet-locked", feet_locked, "");
        if poses.is_some() {
            report = report.figure("filled-by-poses", found.filled_by(FilledBy::Examples) as f64, "");
        }
        found.warn(&mut report, clip.skeleton());
    }
    report = report.feet_held(feet_held);
    report.warn_of_skate();
    Ok((clean, report))
}

fn moves<T: PartialEq>(values: &[T]) -> bool {
    values.iter().any(|value| *value != values[0])
}

fn filter(samples: &mut Samples, method: Denoise, fps: f64) {
    for rotations in samples.rotations.iter_mut().filter(|values| moves(values)) {
        fixed::filter_rotations(rotations, method, fps);
    }
    for translations in samples.translations.iter_mut().flatten().filter(|values| moves(values)) {
        fixed::filter_translations(translations, method, fps);
    }
}

/// The findings of the adaptive method.
struct Found {
    /// The noise of rotation vectors per axis, rms over the joints \[rad\].
    noise: f64,
    spikes: usize,
    dropouts: Vec<Dropout>,
    /// The error of fitting the examples to the skeleton.
    not_filled: Option<PosesError>,
}

impl Found {
    fn filled_by(&self, by: FilledBy) -> usize {
        self.dropouts.iter().filter(|dropout| dropout.filled == by).count()
    }

    /// Warns of dropouts, and of examples that filled none.
    fn warn(&self, report: &mut EditReport, skeleton: &Skeleton) {
        if let Some(error) = &self.not_filled {
            report.warn("edit::not-filled", format!("gaps are not filled from example poses: {error}"));
        }
        for Dropout { joint, frames, filled, .. } in self.dropouts.iter().take(NAMED) {
            let name = &skeleton.joint(*joint).name;
            let (first, last) = (frames.start, frames.end - 1);
            let stops = format!("'{name}' stops in frames {first} to {last} while the body keeps moving");
            let (code, then) = match filled {
                FilledBy::Curve => ("edit::dropout", "its rotations there were interpolated"),
                FilledBy::Examples => {
                    ("edit::dropout", "its rotations there were filled from the example poses")
                }
                FilledBy::Nothing if self.not_filled.is_some() => {
                    ("edit::stop", "it is too long to interpolate")
                }
                FilledBy::Nothing => (
                    "edit::stop",
                    "it is too long to interpolate; poses, as `mocap poses` learns them, can fill it",
                ),
            };
            report.warn(code, format!("{stops}; {then}"));
        }
    }
}

/// Removes spikes and dropouts, estimates the noise of all joints, and smooths each.
fn clean(samples: &mut Samples, fps: f64, poses: Option<&PosePrior>) -> Result<Found, EditError> {
    let frames = samples.frames;
    let joints: Vec<usize> =
        (0..samples.rotations.len()).filter(|joint| moves(&samples.rotations[*joint])).collect();
    let ends = spikes_at_ends(samples, &joints);
    let Filling { dropouts, filled, not_filled } = fill(samples, &joints, fps, poses)?;
    let mut deviations = Vec::with_capacity(joints.len());
    let mut weights = Vec::with_capacity(joints.len());
    for (joint, ends) in joints.iter().zip(ends) {
        let rotations = &mut samples.rotations[*joint];
        let mut missing = vec![1.0; frames];
        let own = |of: &JointId| of.index() == *joint;
        let is_missing = |dropout: &&Dropout| own(&dropout.joint) && dropout.filled != FilledBy::Nothing;
        for dropout in dropouts.iter().filter(is_missing) {
            missing[dropout.frames.clone()].fill(0.0);
        }
        // Filled frames get the weight of measured ones.
        for filled in filled.iter().filter(|filled| own(&filled.joint)) {
            missing[filled.frames()].fill(1.0);
        }
        for (frame, value) in [0, frames - 1].into_iter().zip(ends) {
            if let Some(value) = value {
                (rotations[frame], missing[frame]) = (value, 0.0);
            }
        }
        let mut curve = Curve::without_spikes(rotations);
        curve.weights.iter_mut().zip(&missing).for_each(|(weight, missing)| *weight *= missing);
        deviations.push(curve.noise());
        weights.push(curve.weights);
    }
    noise::share(&mut deviations, frames);
    let in_rotations = weights.iter().map(|weights| count(weights)).sum::<usize>();
    smooth_rotations(samples, &joints, (weights, &deviations), fps);
    let by_curves = dropouts.iter().filter(|dropout| dropout.filled == FilledBy::Curve);
    let bridged: usize = by_curves.map(|dropout| dropout.frames.len()).sum();
    let spikes = (in_rotations + clean_translations(samples, fps)).saturating_sub(bridged);
    let squares: f64 = deviations.iter().map(|deviation| deviation * deviation).sum();
    let noise = (squares / deviations.len().max(1) as f64).sqrt();
    Ok(Found { noise, spikes, dropouts, not_filled })
}

/// Smooths the rotations of all joints together, given the weights of frames and the deviations of noise by joint.
fn smooth_rotations(
    samples: &mut Samples,
    joints: &[usize],
    (weights, deviations): (Vec<Vec<f64>>, &[f64]),
    fps: f64,
) {
    // Rotations are held as curves only: both would take twice the memory of the clip.
    let mut all = Curves::new(samples.frames);
    let mut unsmoothed: Vec<Unsmoothed> = Vec::with_capacity(joints.len());
    for ((joint, weights), deviation) in joints.iter().zip(weights).zip(deviations) {
        let curve = Curve::of(&take(&mut samples.rotations[*joint]));
        for axis in curve.smoothed_axes() {
            let variance = curve.tangent[axis] * (deviation / 2.0).powi(2);
            all.add(curve.values.iter().map(|value| value[axis]), &weights, variance);
        }
        unsmoothed.push(Unsmoothed::of(curve));
    }
    all.smooth(fps);
    let mut smoothed = all.iter();
    for (joint, unsmoothed) in joints.iter().zip(unsmoothed) {
        samples.rotations[*joint] = unsmoothed.with(samples.frames, &mut smoothed).into_rotations();
    }
}

/// Dropouts, and those of them that were filled from examples.
struct Filling {
    dropouts: Vec<Dropout>,
    filled: Vec<Filled>,
    not_filled: Option<PosesError>,
}

/// Fills dropouts by curves, or from examples.
fn fill(
    samples: &mut Samples,
    joints: &[usize],
    fps: f64,
    poses: Option<&PosePrior>,
) -> Result<Filling, EditError> {
    let mut dropouts: Vec<Dropout> = Vec::new();
    for joint in joints {
        let rotations = &mut samples.rotations[*joint];
        for Stop { frames, bridge, is_long } in dropouts::dropouts(rotations, fps, spikes::SMALLEST) {
            let (joint, before) = (JointId::from(*joint), rotations[frames.clone()].to_vec());
            rotations[frames.clone()].copy_from_slice(&bridge);
            dropouts.push(Dropout { joint, frames, before, is_long, filled: FilledBy::Curve });
        }
    }
    let (mut filled, mut not_filled) = (Vec::new(), None);
    let is_needed = dropouts.iter().any(|dropout| needs_examples(dropout, fps));
    if let Some(prior) = poses.filter(|_| is_needed) {
        let by_curves = dropouts.len();
        examples::add_joined(samples, joints, &mut dropouts, fps);
        let clip = samples.clone().into_clip("denoise")?;
        match examples::fill_dropouts(samples, &mut dropouts, (prior, &clip), fps) {
            Ok(found) => filled = found,
            Err(error) => {
                dropouts.truncate(by_curves);
                not_filled = Some(error);
            }
        }
    }
    if poses.is_none() || not_filled.is_some() {
        dropouts.iter_mut().filter(|dropout| dropout.is_long).for_each(|dropout| dropout.undo(samples));
    }
    Ok(Filling { dropouts, filled, not_filled })
}

/// By joint: the values of its first and last frame, where these are spikes.
fn spikes_at_ends(samples: &Samples, moving: &[usize]) -> Vec<[Option<UnitQuaternion<f64>>; 2]> {
    let of = |values: &[UnitQuaternion<f64>]| {
        let first = spikes::first_spike(values.iter().copied(), spikes::SMALLEST);
        [first, spikes::first_spike(values.iter().rev().copied(), spikes::SMALLEST)]
    };
    let mut found: Vec<[Option<UnitQuaternion<f64>>; 2]> =
        moving.iter().map(|joint| of(&samples.rotations[*joint])).collect();
    for end in 0..2 {
        let joints = found.iter().filter(|ends| ends[end].is_some()).count();
        if joints > 2 && joints as f64 > POSE * moving.len() as f64 {
            found.iter_mut().for_each(|ends| ends[end] = None);
        }
    }
    found
}

/// Replaces the spikes of more than `smallest`. Returns the weight of each frame: 0 for a spike, else 1.
fn without_spikes<T: spikes::Value>(values: &mut [T], smallest: f64) -> Vec<f64> {
    let mut weights = vec![1.0; values.len()];
    for (frame, value) in spikes::spikes(values, smallest) {
        (values[frame], weights[frame]) = (value, 0.0);
    }
    weights
}

/// The number of spikes.
fn count(weights: &[f64]) -> usize {
    weights.iter().filter(|weight| **weight == 0.0).count()
}

/// A curve of rotations on its principal axes.
struct Curve {
    axes: Matrix4<f64>,
    /// By frame, along each axis.
    values: Vec<Vector4<f64>>,
    /// By axis: the share of tangential noise along it, 0 to 1.
    tangent: Vector4<f64>,
    /// By frame: 0 for a spike, else 1.
    weights: Vec<f64>,
}

impl Curve {
    /// The curve with its spikes replaced.
    fn without_spikes(rotations: &mut [UnitQuaternion<f64>]) -> Curve {
        let weights = without_spikes(rotations, spikes::SMALLEST);
        Curve { weights, ..Curve::of(rotations) }
    }

    fn of(rotations: &[UnitQuaternion<f64>]) -> Curve {
        let mut curve: Vec<Vector4<f64>> = rotations.iter().map(|q| q.coords).collect();
        for frame in 1..curve.len() {
            if curve[frame - 1].dot(&curve[frame]) < 0.0 {
                curve[frame] = -curve[frame];
            }
        }
        let mean = curve.iter().sum::<Vector4<f64>>() / curve.len() as f64;
        let covariance: Matrix4<f64> = curve.iter().map(|q| (q - mean) * (q - mean).transpose()).sum();
        let axes = SymmetricEigen::new(covariance).eigenvectors;
        curve.iter_mut().for_each(|q| *q = axes.tr_mul(q));
        let squares = curve.iter().map(|v| v.component_mul(v)).sum::<Vector4<f64>>() / curve.len() as f64;
        let tangent = squares.map(|square| (1.0 - square).max(0.0));
        Curve { axes, tangent, weights: vec![1.0; curve.len()], values: curve }
    }

    /// The radial axis, whose values follow from the others because the quaternions have length 1.
    fn length_axis(&self) -> Option<usize> {
        (0..4).find(|axis| {
            self.tangent[*axis] <= TANGENT && self.values.iter().all(|value| value[*axis].abs() > RADIAL)
        })
    }

    fn smoothed_axes(&self) -> impl Iterator<Item = usize> + use<> {
        let reported = self.length_axis();
        (0..4).filter(move |axis| Some(*axis) != reported)
    }

    fn into_rotations(mut self) -> Vec<UnitQuaternion<f64>> {
        if let Some(axis) = self.length_axis() {
            for value in &mut self.values {
                let others = value.norm_squared() - value[axis] * value[axis];
                value[axis] = (1.0 - others).max(0.0).sqrt().copysign(value[axis]);
            }
        }
        let rotation = |value| UnitQuaternion::new_normalize(Quaternion::from(self.axes * value));
        self.values.into_iter().map(rotation).collect()
    }

    /// The standard deviation of the noise of the rotation vector, per axis \[rad\].
    fn noise(&self) -> f64 {
        let mut found: Vec<f64> = (0..4)
            .filter(|axis| self.tangent[*axis] > TANGENT)
            // A small rotation vector is twice the imaginary part of its quaternion.
            .map(|axis| 2.0 * noise::deviation(&along(&self.values, axis)) / self.tangent[axis].sqrt())
            .collect();
        if found.is_empty() { 0.0 } else { noise::median(&mut found) }
    }
}

/// A curve without the values that are smoothed elsewhere.
struct Unsmoothed {
    axes: Matrix4<f64>,
    tangent: Vector4<f64>,
    /// The axis that is not smoothed, and the values along it.
    length: Option<(usize, Vec<f64>)>,
}

impl Unsmoothed {
    fn of(curve: Curve) -> Unsmoothed {
        let length = curve.length_axis().map(|axis| (axis, along(&curve.values, axis)));
        Unsmoothed { axes: curve.axes, tangent: curve.tangent, length }
    }

    /// The curve with its smoothed values, which are next.
    fn with(self, frames: usize, smoothed: &mut impl Iterator<Item = impl Iterator<Item = f64>>) -> Curve {
        let Unsmoothed { axes, tangent, length } = self;
        let mut values = vec![Vector4::zeros(); frames];
        let own = length.as_ref().map(|(axis, _)| *axis);
        if let Some((axis, along)) = length {
            values.iter_mut().zip(along).for_each(|(value, along)| value[axis] = along);
        }
        for axis in (0..4).filter(|axis| Some(*axis) != own) {
            let along = smoothed.next().expect("one curve for each axis");
            values.iter_mut().zip(along).for_each(|(value, along)| value[axis] = along);
        }
        Curve { axes, values, tangent, weights: Vec::new() }
    }
}

fn along(values: &[Vector4<f64>], axis: usize) -> Vec<f64> {
    values.iter().map(|value| value[axis]).collect()
}

/// Removes spikes and smooths each track; returns the number of spikes.
fn clean_translations(samples: &mut Samples, fps: f64) -> usize {
    let frames = samples.frames;
    let smallest = spikes::SMALLEST_SHARE * longest_chain(&samples.skeleton);
    let moving = samples.translations.iter_mut().flatten().filter(|values| moves(values));
    let mut moving: Vec<&mut Vec<Vector3<f64>>> = moving.collect();
    let mut all = Curves::new(frames);
    let mut spikes = 0;
    for translations in &mut moving {
        let ends = [
            spikes::first_spike(translations.iter().copied(), smallest),
            spikes::first_spike(translations.iter().rev().copied(), smallest),
        ];
        let mut at_ends = Vec::new();
        for (frame, value) in [0, frames - 1].into_iter().zip(ends) {
            if let Some(value) = value {
                translations[frame] = value;
                at_ends.push(frame);
            }
        }
        let mut weights = without_spikes(translations, smallest);
        at_ends.into_iter().for_each(|frame| weights[frame] = 0.0);
        spikes += count(&weights);
        for axis in 0..3 {
            let values: Vec<f64> = translations.iter().map(|v| v[axis]).collect();
            all.add(values.iter().copied(), &weights, noise::deviation(&values).powi(2));
        }
    }
    all.smooth(fps);
    let mut smoothed = all.iter();
    for translations in &mut moving {
        for (axis, values) in (0..3).zip(&mut smoothed) {
            translations.iter_mut().zip(values).for_each(|(own, value)| own[axis] = value);
        }
    }
    spikes
}

/// The longest chain of bones from a root to a joint, in the rest pose [units].
fn longest_chain(skeleton: &Skeleton) -> f64 {
    let mut reached: Vec<f64> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let above = joint.parent.map(|parent| reached[parent.index()] + joint.offset.norm());
        reached.push(above.unwrap_or(0.0));
    }
    reached.into_iter().fold(0.0, f64::max)
}
