//! The object-space error between two motions of one skeleton.
//!
//! A rotation error of a joint shows on what hangs on it, not on the joint: so each joint carries three points
//! at the *shell distance* along its axes, where a skin would be, and the distance between a point in one motion
//! and the same point in the other is measured in object space. End sites are left out: they are rigid parts
//! of their parents.
//!
//! Based on: N. Frechette, "Animation Compression: Measuring Accuracy", 2016. One sample here is a joint in a
//! frame: the largest of its three points.

use crate::guess_unit;
use mocap_model::{Clip, Isometry3, JointId, ModelError, Pose, Skeleton, Unit, slerp};

/// How far two motions are apart. Lengths are metres where [`ErrorSummary::unit`] is known, units of the
/// reference otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorSummary {
    /// The largest error of all frames and joints.
    pub max: f64,
    /// 99 % of the samples (joint × frame) have at most this error (nearest rank).
    pub p99: f64,
    /// The root of the mean squared error.
    pub rms: f64,
    /// The mean error.
    pub mean: f64,
    /// Where the largest error is; `None` where both motions are the same or have no frames.
    pub worst: Option<Worst>,
    /// The largest error half-way between frames, both motions interpolated there (slerp, linear).
    pub between_frames_max: f64,
    /// The shell distance.
    pub shell: f64,
    /// The number of joints compared, without end sites.
    pub joints: usize,
    /// The number of frames compared.
    pub frames: usize,
    /// The unit by which lengths became metres: the reference's, or one guessed from its size.
    pub unit: Option<Unit>,
}

/// The joint and frame of a largest value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    /// The joint.
    pub joint: JointId,
    /// Its name.
    pub name: String,
    /// The frame, counted from 0.
    pub frame: usize,
}

/// Why two motions cannot be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CompareError {
    #[error("the reference has {reference} joints and end sites, the other motion {other}")]
    JointCount { reference: usize, other: usize },
    #[error("joint {index} is '{reference}' in the reference and '{other}' in the other motion")]
    JointName { index: usize, reference: String, other: String },
    #[error("joint '{joint}' hangs on '{reference}' in the reference and on '{other}' in the other motion")]
    JointParent { joint: String, reference: String, other: String },
    #[error("the reference has {reference} frames, the other motion {other}")]
    FrameCount { reference: usize, other: usize },
    #[error("the shell distance {shell} is not a length")]
    Shell { shell: f64 },
    #[error("the other motion cannot be converted to the space of the reference: {0}")]
    Space(#[from] ModelError),
}

/// The object-space error of `other` against `reference`, on points `shell` \[m\] from each joint.
///
/// Lengths are metres where the reference states its unit or its size lets guess it; where neither, all lengths
/// (the shell too) are taken as they are. `other` is converted to the space of the reference first.
///
/// # Errors
/// Where the skeletons differ in number, names or parents of joints (the first difference is named), the
/// frame counts differ, the shell distance is negative or not finite, or lengths overflow in the space of the
/// reference.
pub fn object_error(reference: &Clip, other: &Clip, shell: f64) -> Result<ErrorSummary, CompareError> {
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
pub fn error_map(reference: &Clip, other: &Clip, shell: f64) -> Result<ErrorMap, CompareError> {
    with_comparable(reference, other, shell, |other, unit| {
        let skeleton = reference.skeleton();
        let joints: Vec<JointId> = skeleton.iter().filter(|(_, j)| !j.end_site).map(|(id, _)| id).collect();
        let metres = unit.map_or(1.0, |unit| unit.metres);
        let mut now = [Placed::default(), Placed::default()];
        let mut errors = Vec::with_capacity(reference.frames() * joints.len());
        for frame in 0..reference.frames() {
            for (placed, clip) in now.iter_mut().zip([reference, other]) {
                clip.local_pose(frame, &mut placed.local);
                placed.local.to_object(skeleton, &mut placed.object);
            }
            let [a, b] = &now;
            let distance = |joint: &JointId| shell_distance(&a.object, &b.object, *joint, shell / metres);
            errors.extend(joints.iter().map(|joint| (distance(joint) * metres) as f32));
        }
        ErrorMap { joints, frames: reference.frames(), errors, unit }
    })
}

/// Calls `compare` with `other` in the space of the reference and with the unit of both.
fn with_comparable<T>(
    reference: &Clip,
    other: &Clip,
    shell: f64,
    compare: impl FnOnce(&Clip, Option<Unit>) -> T,
) -> Result<T, CompareError> {
    if !shell.is_finite() || shell < 0.0 {
        return Err(CompareError::Shell { shell });
    }
    same_tree(reference.skeleton(), other.skeleton())?;
    if reference.frames() != other.frames() {
        return Err(CompareError::FrameCount { reference: reference.frames(), other: other.frames() });
    }
    let converted;
    let other = if reference.skeleton().space() == other.skeleton().space() {
        other
    } else {
        converted = other.in_space(*reference.skeleton().space())?;
        &converted
    };
    let unit = reference.skeleton().space().unit.or_else(|| guess_unit(reference.skeleton()));
    Ok(compare(other, unit))
}

fn measure(reference: &Clip, other: &Clip, shell: f64, metres: f64, unit: Option<Unit>) -> ErrorSummary {
    let skeleton = reference.skeleton();
    let joints: Vec<JointId> = skeleton.iter().filter(|(_, j)| !j.end_site).map(|(id, _)| id).collect();
    let frames = reference.frames();
    let shell_units = shell / metres;
    let mut now = [Placed::default(), Placed::default()];
    let mut before = [Placed::default(), Placed::default()];
    let mut between = [Placed::default(), Placed::default()];
    let mut samples = Vec::with_capacity(frames * joints.len());
    let (mut worst, mut worst_at, mut between_max) = (0.0f64, None, 0.0f64);
    for frame in 0..frames {
        std::mem::swap(&mut now, &mut before);
        for (placed, clip) in now.iter_mut().zip([reference, other]) {
            clip.local_pose(frame, &mut placed.local);
            placed.local.to_object(skeleton, &mut placed.object);
        }
        for joint in &joints {
            let [a, b] = &now;
            let distance = shell_distance(&a.object, &b.object, *joint, shell_units);
            if distance > worst {
                (worst, worst_at) = (distance, Some((*joint, frame)));
            }
            samples.push(distance);
        }
        if frame > 0 {
            for i in 0..2 {
                between[i].half_way(&before[i].local, &now[i].local, skeleton);
            }
            let [a, b] = &between;
            let distances =
                joints.iter().map(|joint| shell_distance(&a.object, &b.object, *joint, shell_units));
            between_max = distances.fold(between_max, f64::max);
        }
    }
    let count = samples.len().max(1) as f64;
    ErrorSummary {
        max: worst * metres,
        p99: percentile(&mut samples, 0.99) * metres,
        rms: (samples.iter().map(|d| d * d).sum::<f64>() / count).sqrt() * metres,
        mean: samples.iter().sum::<f64>() / count * metres,
        worst: worst_at.map(|(joint, frame)| Worst {
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

#[derive(Default)]
struct Placed {
    local: Pose,
    object: Pose,
}

impl Placed {
    fn half_way(&mut self, from: &Pose, to: &Pose, skeleton: &Skeleton) {
        self.local.joints.clear();
        self.local.joints.extend(from.joints.iter().zip(&to.joints).map(|(a, b)| {
            let middle = a.translation.vector * 0.5 + b.translation.vector * 0.5;
            Isometry3::from_parts(middle.into(), slerp(&a.rotation, &b.rotation, 0.5))
        }));
        self.local.to_object(skeleton, &mut self.object);
    }
}

/// The largest distance of the three shell points of a joint; infinite where numbers overflow.
fn shell_distance(a: &Pose, b: &Pose, joint: JointId, shell: f64) -> f64 {
    let (a, b) = (&a.joints[joint.index()], &b.joints[joint.index()]);
    let moved = b.translation.vector - a.translation.vector;
    let turned =
        (b.rotation.to_rotation_matrix().matrix() - a.rotation.to_rotation_matrix().matrix()) * shell;
    let distances = [0, 1, 2].map(|axis| (moved + turned.column(axis)).norm());
    // `max` and `>` drop what is not a number: it would pass for no error.
    match distances.iter().any(|distance| distance.is_nan()) {
        true => f64::INFINITY,
        false => distances.into_iter().fold(0.0, f64::max),
    }
}

/// The nearest-rank percentile of unsorted samples (they are reordered); 0 of none.
pub(crate) fn percentile(samples: &mut [f64], share: f64) -> f64 {
    if samples.is_empty() {
        return 0.0;
    }
    let rank = ((share * samples.len() as f64).ceil() as usize).clamp(1, samples.len()) - 1;
    *samples.select_nth_unstable_by(rank, f64::total_cmp).1
}

fn same_tree(reference: &Skeleton, other: &Skeleton) -> Result<(), CompareError> {
    let parent = |skeleton: &Skeleton, id: Option<JointId>| {
        id.map_or("nothing".to_owned(), |id| skeleton.joint(id).name.clone())
    };
    for ((id, a), b) in reference.iter().zip(other.joints()) {
        if a.name != b.name {
            let (reference, other) = (a.name.clone(), b.name.clone());
            return Err(CompareError::JointName { index: id.index(), reference, other });
        }
        if a.parent != b.parent {
            return Err(CompareError::JointParent {
                joint: a.name.clone(),
                reference: parent(reference, a.parent),
                other: parent(other, b.parent),
            });
        }
    }
    match (reference.len(), other.len()) {
        (reference, other) if reference != other => Err(CompareError::JointCount { reference, other }),
        _ => Ok(()),
    }
}
