//! The object-space error between two motions of one skeleton: [`shell_distance`] for each joint in each frame.
//!
//! One sample is a joint in a frame. End sites are left out: they are rigid parts of their parents.

use crate::percentile::percentile;
use crate::shell::{larger_error, shell_distance};
use crate::{AnalysisError, FramePoses, guess_unit};
use mocap_model::{Clip, Joint, JointId, Pose, Skeleton, Unit};
use schemars::JsonSchema;
use serde::Serialize;

/// The error between two motions. Lengths are metres if [`ErrorSummary::unit`] is known, else units of the
/// reference. The fields are those of the rows of `mocap compare --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ErrorSummary {
    /// The largest error of all frames and joints.
    pub max: f64,
    /// 99 % of the samples (joint × frame) have at most this error (nearest rank).
    pub p99: f64,
    /// The root of the mean squared error.
    pub rms: f64,
    /// The mean error.
    pub mean: f64,
    /// The largest error half-way between frames, both motions interpolated there (slerp, linear).
    pub between_frames_max: f64,
    /// The shell distance.
    pub shell: f64,
    /// Where the largest error is; `None` where both motions are the same or have no frames.
    pub worst: Option<WorstSample>,
    /// The number of joints compared, without end sites.
    pub joints: usize,
    /// The number of frames compared.
    pub frames: usize,
    /// The unit by which lengths became metres: the reference's, or one guessed from its size.
    #[serde(skip)]
    pub unit: Option<Unit>,
}

/// The joint and frame of a largest value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorstSample {
    /// The joint.
    #[serde(skip)]
    pub joint: JointId,
    /// Its name.
    #[serde(rename = "joint")]
    pub name: String,
    /// The frame, counted from 0.
    pub frame: usize,
}

/// The object-space error of `other` against `reference`, on points `shell` \[m\] from each joint.
///
/// Lengths are metres where the reference states its unit, or where its size suggests one. Otherwise all lengths,
/// the shell distance too, are in units of the reference. `other` is converted to the space of the reference first.
///
/// # Errors
/// Where the skeletons differ in number, names or parents of joints (the first difference is named), the
/// frame counts differ, the shell distance is negative or not finite, or lengths overflow in the space of the
/// reference.
///
/// ```
/// use mocap_analysis::object_error;
///
/// use mocap_model::{Clip, Track, UnitQuaternion};
/// # let reference = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // The same motion with a hand that does not move.
/// let hand = reference.skeleton().find("RightHand").unwrap();
/// let mut tracks = reference.tracks().to_vec();
/// tracks[hand.index()].rotation = Track::Constant(UnitQuaternion::identity());
/// let other = Clip::new(reference.skeleton().clone(), reference.rate(), reference.frames(), tracks)?;
///
/// let error = object_error(&reference, &other, 0.03)?;
/// assert_eq!(error.worst.unwrap().joint, hand);
/// // The hand turns by half a radian: its shell points move by 15 mm.
/// assert!((error.max - 0.015).abs() < 0.001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn object_error(reference: &Clip, other: &Clip, shell: f64) -> Result<ErrorSummary, AnalysisError> {
    with_comparable(reference, other, shell, |other, unit| {
        let metres = unit.map_or(1.0, |unit| unit.metres);
        measure(reference, other, shell, metres, unit)
    })
}

/// The object-space error by frame and joint, measured as [`object_error`] measures it.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorMap {
    /// The joints compared, without end sites.
    pub joints: Vec<JointId>,
    /// The number of frames compared.
    pub frames: usize,
    /// frames × joints; metres where the unit is known, units of the reference otherwise.
    pub errors: Vec<f32>,
    /// The unit by which lengths became metres.
    pub unit: Option<Unit>,
}

/// The object-space error of `other` against `reference` for every joint in every frame.
///
/// # Errors
/// As [`object_error`].
///
/// ```
/// use mocap_analysis::error_map;
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let map = error_map(&clip, &clip, 0.03)?;
/// assert_eq!(map.errors.len(), clip.frames() * map.joints.len());
/// assert!(map.errors.iter().all(|error| *error == 0.0));
/// # Ok::<(), mocap_analysis::AnalysisError>(())
/// ```
pub fn error_map(reference: &Clip, other: &Clip, shell: f64) -> Result<ErrorMap, AnalysisError> {
    with_comparable(reference, other, shell, |other, unit| {
        let skeleton = reference.skeleton();
        let joints = measured_joints(skeleton);
        let metres = unit.map_or(1.0, |unit| unit.metres);
        let mut motions = [FramePoses::default(), FramePoses::default()];
        let mut errors = Vec::with_capacity(reference.frames() * joints.len());
        for frame in 0..reference.frames() {
            for (motion, clip) in motions.iter_mut().zip([reference, other]) {
                motion.next(skeleton, |pose| clip.local_pose(frame, pose));
            }
            let [a, b] = &motions;
            let error = |joint: &JointId| joint_error(a.object(), b.object(), *joint, shell / metres);
            errors.extend(joints.iter().map(|joint| (error(joint) * metres) as f32));
        }
        ErrorMap { joints, frames: reference.frames(), errors, unit }
    })
}

/// Calls `compare` with `other` converted to the space of the reference, and with the common unit.
fn with_comparable<T>(
    reference: &Clip,
    other: &Clip,
    shell: f64,
    compare: impl FnOnce(&Clip, Option<Unit>) -> T,
) -> Result<T, AnalysisError> {
    if !shell.is_finite() || shell < 0.0 {
        return Err(AnalysisError::Shell { shell });
    }
    let reordered = in_order_of(reference.skeleton(), other);
    let other = reordered.as_ref().unwrap_or(other);
    same_tree(reference.skeleton(), other.skeleton())?;
    if reference.frames() != other.frames() {
        return Err(AnalysisError::FrameCount { reference: reference.frames(), other: other.frames() });
    }
    let converted;
    let other = if reference.skeleton().space() == other.skeleton().space() {
        other
    } else {
        converted = other.in_space_of(reference.skeleton())?;
        &converted
    };
    let unit = reference.skeleton().space().unit.or_else(|| guess_unit(reference.skeleton()));
    Ok(compare(other, unit))
}

/// A motion with its joints in the order of a skeleton that has joints of the same names; `None` where they are in that
/// order already, or differ.
fn in_order_of(skeleton: &Skeleton, clip: &Clip) -> Option<Clip> {
    let own = clip.skeleton();
    let order: Vec<JointId> =
        skeleton.joints().iter().map(|joint| own.find(&joint.name)).collect::<Option<_>>()?;
    if order.len() != own.len() || order.is_sorted() {
        return None;
    }
    let mut places: Vec<Option<JointId>> = vec![None; own.len()];
    order.iter().enumerate().for_each(|(at, id)| places[id.index()] = Some(JointId::from(at)));
    if places.contains(&None) {
        return None;
    }
    let place = |id: JointId| places[id.index()];
    let joint = |id: &JointId| {
        let joint = own.joint(*id);
        Joint { parent: joint.parent.and_then(place), ..joint.clone() }
    };
    let joints = order.iter().map(joint).collect();
    let tracks = order.iter().map(|id| clip.track(*id).clone()).collect();
    let skeleton = Skeleton::new(own.name(), *own.space(), joints).ok()?;
    Clip::new(skeleton.into(), clip.rate(), clip.frames(), tracks).ok()
}

fn measure(reference: &Clip, other: &Clip, shell: f64, metres: f64, unit: Option<Unit>) -> ErrorSummary {
    let skeleton = reference.skeleton();
    let joints = measured_joints(skeleton);
    let frames = reference.frames();
    let shell_units = shell / metres;
    let mut motions = [FramePoses::default(), FramePoses::default()];
    let mut samples = Vec::with_capacity(frames * joints.len());
    let (mut worst, mut worst_at, mut between_max) = (0.0f64, None, 0.0f64);
    for frame in 0..frames {
        for (motion, clip) in motions.iter_mut().zip([reference, other]) {
            motion.next(skeleton, |pose| clip.local_pose(frame, pose));
        }
        let [a, b] = &motions;
        for joint in &joints {
            let error = joint_error(a.object(), b.object(), *joint, shell_units);
            if error > worst {
                (worst, worst_at) = (error, Some((*joint, frame)));
            }
            samples.push(error);
        }
        if frame > 0 {
            let [a, b] = motions.each_mut().map(|motion| motion.half_way(skeleton));
            let errors = joints.iter().map(|joint| joint_error(a, b, *joint, shell_units));
            between_max = errors.fold(between_max, larger_error);
        }
    }
    let count = samples.len().max(1) as f64;
    ErrorSummary {
        max: worst * metres,
        p99: percentile(&mut samples, 0.99).unwrap_or(0.0) * metres,
        // The sum of no values is -0.
        rms: (samples.iter().map(|d| d * d).sum::<f64>() / count).sqrt() * metres + 0.0,
        mean: samples.iter().sum::<f64>() / count * metres + 0.0,
        worst: worst_at.map(|(joint, frame)| WorstSample {
            joint,
            name: skeleton.joint(joint).name.clone(),
            frame,
        }),
        between_frames_max: between_max * metres,
        shell,
        joints: joints.len(),
        frames,
        unit,
    }
}

/// The error of one joint between two poses in object space.
fn joint_error(reference: &Pose, other: &Pose, joint: JointId, shell: f64) -> f64 {
    shell_distance(&reference.joints[joint.index()], &other.joints[joint.index()], shell)
}

/// The joints that are compared.
fn measured_joints(skeleton: &Skeleton) -> Vec<JointId> {
    skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect()
}

fn same_tree(reference: &Skeleton, other: &Skeleton) -> Result<(), AnalysisError> {
    let parent = |skeleton: &Skeleton, id: Option<JointId>| {
        id.map_or("none".to_owned(), |id| format!("'{}'", skeleton.joint(id).name))
    };
    for ((id, a), b) in reference.iter().zip(other.joints()) {
        if a.name != b.name {
            let (reference, other) = (a.name.clone(), b.name.clone());
            return Err(AnalysisError::JointName { index: id.index(), reference, other });
        }
        if a.parent != b.parent {
            return Err(AnalysisError::JointParent {
                joint: a.name.clone(),
                reference: parent(reference, a.parent),
                other: parent(other, b.parent),
            });
        }
    }
    match (reference.len(), other.len()) {
        (reference, other) if reference != other => Err(AnalysisError::JointCount { reference, other }),
        _ => Ok(()),
    }
}
