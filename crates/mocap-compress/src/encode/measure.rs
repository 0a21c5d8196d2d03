//! The error of a compressed clip, measured on its bytes, compared in double precision.
//!
//! Decoded values are read in two ways: as poses of the sampler, in single precision throughout, and as a clip,
//! which has offsets and rests in the double precision of the skeleton. The error is the larger of the two.

use crate::Compressed;
use crate::encode::rig::to_f64;
use crate::plan::{Course, Plan};
use crate::sampler::{Looping, Transform};
use mocap_model::{Clip, Isometry3, Pose, Skeleton, Vector3, angle_between, slerp};
use nalgebra::Translation3;

/// Sizes and errors of a compressed clip. Errors are in object space \[m\], on points at the shell distance from
/// each joint that is no end site; one sample is a joint in a frame, the largest of its three points.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Joints without end sites × frames × 40.
    pub raw_bytes: u64,
    /// The size of the file.
    pub bytes: u64,
    /// Of these, the skeleton.
    pub skeleton_bytes: u64,
    /// The largest bound of any joint: what the file states.
    pub limit: f64,
    /// The largest error.
    pub max: f64,
    /// 99 % of samples have at most this error.
    pub p99: f64,
    /// The root of the mean squared error.
    pub rms: f64,
    /// The mean error.
    pub mean: f64,
    /// Joint and frame of the largest error.
    pub worst: Option<(String, usize)>,
    /// The largest error half-way between frames.
    pub between_frames_max: f64,
    /// The largest error of a local rotation \[rad\].
    pub local_rotation_max: f64,
    /// The largest error of a local translation \[m\].
    pub local_translation_max: f64,
    /// What each joint may be off and is, at most: all that are no end sites, in the skeleton's order.
    pub joints: Vec<JointError>,
    /// The largest error as a share of the tolerance of its joint.
    pub(crate) excess: f64,
    pub(crate) excess_between: f64,
    /// Frame, joint and share of the tolerance, where it is passed half-way from the frame before.
    pub(crate) astray: Vec<(usize, usize, f64)>,
}

/// The error of one joint, at its three points \[m\].
#[derive(Clone, Debug, PartialEq)]
pub struct JointError {
    /// Its name.
    pub joint: String,
    /// The tolerance.
    pub limit: f64,
    /// The largest error.
    pub max: f64,
}

impl Report {
    /// How many times smaller the file is than the raw clip.
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.bytes as f64
    }
}

/// `tolerances` by joint, in units of the clip; `guard`: whether they are to hold between frames as well.
pub(crate) fn measure(
    clip: &Clip,
    decoded: &Compressed,
    tolerances: &[f64],
    metres: f64,
    guard: bool,
) -> Report {
    let skeleton = clip.skeleton();
    let shell = decoded.info().shell / metres;
    let mut sampler = decoded.sampler();
    let mut transforms = sampler.pose();
    let mut original = Motion::default();
    let mut other = Motion::default();
    let mut exact = Motion::default();
    let mut samples: Vec<f32> = Vec::with_capacity(clip.frames() * skeleton.len());
    let mut report = Report {
        raw_bytes: super::raw_bytes(skeleton, clip.frames()),
        bytes: decoded.size() as u64,
        skeleton_bytes: decoded.skeleton_size() as u64,
        limit: decoded.info().tolerance,
        max: 0.0,
        p99: 0.0,
        rms: 0.0,
        mean: 0.0,
        worst: None,
        between_frames_max: 0.0,
        local_rotation_max: 0.0,
        local_translation_max: 0.0,
        joints: Vec::new(),
        excess: 0.0,
        excess_between: 0.0,
        astray: Vec::new(),
    };
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut worst = vec![0.0f64; skeleton.len()];
    for frame in 0..clip.frames() {
        std::mem::swap(&mut original.local, &mut original.before);
        clip.local_pose(frame, &mut original.local);
        original.local.to_object(skeleton, &mut original.object);
        sampler.frame(frame, &mut transforms);
        std::mem::swap(&mut exact.local, &mut exact.before);
        exact.take_clip(&transforms, skeleton, &decoded.plan);
        if frame > 0 {
            let time = (frame as f64 - 0.5) * clip.rate().frame_time();
            sampler.sample(time, Looping::Clamp, &mut transforms);
            other.take(&transforms, skeleton);
            original.half_way(skeleton);
            exact.half_way(skeleton);
            for (joint, _) in skeleton.iter().filter(|(_, joint)| !joint.end_site) {
                let at = joint.index();
                let wanted = &original.between.joints[at];
                let error = shell_error(wanted, &other.object.joints[at], shell);
                let error = error.max(shell_error(wanted, &exact.between.joints[at], shell));
                report.between_frames_max = report.between_frames_max.max(error * metres);
                let excess = error / tolerances[at];
                report.excess_between = report.excess_between.max(excess);
                if guard && excess > 1.0 {
                    report.astray.push((frame, at, excess));
                }
            }
        }
        sampler.frame(frame, &mut transforms);
        other.take(&transforms, skeleton);
        for (id, joint) in skeleton.iter() {
            let at = id.index();
            let (a, b) = (&original.local.joints[at], &other.local.joints[at]);
            report.local_rotation_max =
                report.local_rotation_max.max(angle_between(&a.rotation, &b.rotation));
            let moved = (a.translation.vector - b.translation.vector).norm() * metres;
            report.local_translation_max = report.local_translation_max.max(moved);
            if joint.end_site {
                continue;
            }
            let wanted = &original.object.joints[at];
            let error = shell_error(wanted, &other.object.joints[at], shell);
            // `max` drops NaN: neither of the two may be lost.
            let error = error + (shell_error(wanted, &exact.object.joints[at], shell) - error).max(0.0);
            worst[at] = worst[at].max(error * metres);
            if error * metres > report.max {
                report.max = error * metres;
                report.worst = Some((joint.name.clone(), frame));
            }
            // A comparison that is never true for NaN would let one pass.
            report.excess =
                if error.is_finite() { report.excess.max(error / tolerances[at]) } else { f64::INFINITY };
            sum += error;
            squares += error * error;
            samples.push(error as f32);
        }
    }
    let count = samples.len().max(1);
    let joint = |(id, joint): (mocap_model::JointId, &mocap_model::Joint)| JointError {
        joint: joint.name.clone(),
        limit: tolerances[id.index()] * metres,
        max: worst[id.index()],
    };
    report.joints = skeleton.iter().filter(|(_, joint)| !joint.end_site).map(joint).collect();
    report.mean = sum / count as f64 * metres;
    report.rms = (squares / count as f64).sqrt() * metres;
    if !samples.is_empty() {
        let rank = (samples.len() * 99).div_ceil(100) - 1;
        let (_, p99, _) = samples.select_nth_unstable_by(rank, f32::total_cmp);
        report.p99 = f64::from(*p99) * metres;
    }
    report
}

/// Poses of one motion in a frame.
#[derive(Default)]
struct Motion {
    local: Pose,
    before: Pose,
    object: Pose,
    between: Pose,
    middle: Pose,
}

impl Motion {
    fn take(&mut self, transforms: &[Transform], skeleton: &Skeleton) {
        self.local.joints.clear();
        self.local.joints.extend(transforms.iter().map(|transform| {
            let translation = Vector3::from(transform.translation.map(f64::from));
            Isometry3::from_parts(Translation3::from(translation), to_f64(transform.rotation))
        }));
        self.local.to_object(skeleton, &mut self.object);
    }

    /// The same values as [`Compressed::to_clip`] has them.
    fn take_clip(&mut self, transforms: &[Transform], skeleton: &Skeleton, plan: &Plan) {
        self.local.joints.clear();
        let joints = skeleton.joints().iter().zip(&plan.joints).zip(transforms);
        self.local.joints.extend(joints.map(|((joint, course), transform)| {
            let rotation = match course.rotation {
                Course::Rest => joint.rest_rotation,
                _ => to_f64(transform.rotation),
            };
            let translation = match course.translation {
                Course::Rest => joint.offset,
                _ => Vector3::from(transform.translation.map(f64::from)),
            };
            Isometry3::from_parts(Translation3::from(translation), rotation)
        }));
        self.local.to_object(skeleton, &mut self.object);
    }

    fn half_way(&mut self, skeleton: &Skeleton) {
        self.middle.joints.clear();
        self.middle.joints.extend(self.before.joints.iter().zip(&self.local.joints).map(|(a, b)| {
            let translation = (a.translation.vector + b.translation.vector) / 2.0;
            Isometry3::from_parts(Translation3::from(translation), slerp(&a.rotation, &b.rotation, 0.5))
        }));
        self.middle.to_object(skeleton, &mut self.between);
    }
}

fn shell_error(a: &Isometry3<f64>, b: &Isometry3<f64>, shell: f64) -> f64 {
    let apart = a.translation.vector - b.translation.vector;
    let [a, b] = [a, b].map(|joint| joint.rotation.to_rotation_matrix().into_inner());
    let off = |axis: usize| (apart + (a.column(axis) - b.column(axis)) * shell).norm();
    off(0).max(off(1)).max(off(2))
}
