//! The error of a compressed clip, measured on its bytes by the definition of [`shell_distance`].
//!
//! Decoded values are read in two ways: as poses of the sampler, in single precision throughout, and as a clip,
//! whose offsets and rest rotations are those of the skeleton, in double precision. The error is the larger one.

use crate::Compressed;
use crate::encode::largest::Largest;
use crate::encode::report::{CompressReport, JointError, raw_bytes};
use crate::plan::{Plan, TrackState};
use crate::quat::to_f64;
use crate::sampler::{Looping, Transform};
use mocap_analysis::{FramePoses, larger_error, percentile_rank, shell_distance};
use mocap_model::{Clip, Isometry3, Pose, Skeleton, Vector3, angle_between};
use std::ops::Range;

/// The report, and the figures that decide whether another attempt is needed.
pub(crate) struct Measured {
    pub(crate) report: CompressReport,
    /// The largest error as a share of the tolerance of its joint.
    pub(crate) excess: f64,
    /// The same half-way between frames.
    pub(crate) excess_between: f64,
    /// Where a tolerance is exceeded: in frames, and half-way between them where that is guarded.
    pub(crate) violations: Vec<Violation>,
}

/// A joint whose error exceeds its tolerance.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    /// The frame, or the two frames half-way between which it is.
    pub(crate) frames: Range<usize>,
    pub(crate) joint: usize,
    /// The error as a share of the tolerance.
    pub(crate) excess: f64,
}

/// The bounds that errors are measured against, in units of the clip.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    /// By joint.
    pub(crate) tolerances: &'a [f64],
    /// Whether they also hold half-way between frames.
    pub(crate) guard_between: bool,
    /// The length of a unit \[m\].
    pub(crate) metres: f64,
}

/// Measures the errors of a compressed clip.
pub(crate) fn measure(clip: &Clip, decoded: &Compressed, bounds: Bounds<'_>) -> Measured {
    let skeleton = clip.skeleton();
    let shell = decoded.info().shell / bounds.metres;
    let mut sampler = decoded.sampler();
    let mut transforms = sampler.pose();
    let mut transforms_between = sampler.pose();
    let mut original = FramePoses::default();
    let mut sampled = FramePoses::default();
    let mut exact = FramePoses::default();
    let mut errors = Errors::new(clip, bounds, shell);
    for frame in 0..clip.frames() {
        original.next(skeleton, |pose| clip.local_pose(frame, pose));
        if frame > 0 {
            // Half-way to the frame before the frame itself: sampling forwards is cheapest.
            let time = (frame as f64 - 0.5) * clip.rate().frame_time();
            sampler.sample(time, Looping::Clamp, &mut transforms_between);
        }
        sampler.frame(frame, &mut transforms);
        exact.next(skeleton, |pose| put_clip_pose(&transforms, &decoded.skeleton, &decoded.plan, pose));
        if frame > 0 {
            sampled.next(skeleton, |pose| put_pose(&transforms_between, pose));
            let decoded = [sampled.object(), exact.half_way(skeleton)];
            errors.add_between(frame, original.half_way(skeleton), decoded);
        }
        sampled.next(skeleton, |pose| put_pose(&transforms, pose));
        errors.add_local(original.local(), sampled.local());
        errors.add(frame, original.object(), [sampled.object(), exact.object()]);
    }
    errors.into_measured(clip, decoded)
}

/// The pose that a sampler has.
fn put_pose(transforms: &[Transform], pose: &mut Pose) {
    pose.joints.clear();
    pose.joints.extend(
        transforms.iter().map(|transform| {
            Isometry3::from_parts(translation(transform).into(), to_f64(transform.rotation))
        }),
    );
}

/// The pose that [`Compressed::to_clip`] has.
fn put_clip_pose(transforms: &[Transform], skeleton: &Skeleton, plan: &Plan, pose: &mut Pose) {
    pose.joints.clear();
    let joints = skeleton.joints().iter().zip(&plan.joints).zip(transforms);
    pose.joints.extend(joints.map(|((joint, state), transform)| {
        let rotation = match state.rotation {
            TrackState::Rest => joint.rest_rotation,
            _ => to_f64(transform.rotation),
        };
        let translation = match state.translation {
            TrackState::Rest => joint.offset,
            _ => translation(transform),
        };
        Isometry3::from_parts(translation.into(), rotation)
    }));
}

fn translation(transform: &Transform) -> Vector3<f64> {
    Vector3::from(transform.translation.map(f64::from))
}

/// Errors so far, in units of the clip; `joints` and `max` are in metres.
struct Errors<'a> {
    skeleton: &'a Skeleton,
    bounds: Bounds<'a>,
    shell: f64,
    /// By joint, the largest \[m\].
    joints: Vec<f64>,
    max: f64,
    worst: Option<(usize, usize)>,
    sum: f64,
    squares: f64,
    /// The number of errors, of each joint in each frame.
    count: usize,
    /// The largest percent of them.
    largest: Largest,
    excess: f64,
    between_max: f64,
    excess_between: f64,
    violations: Vec<Violation>,
    local_rotation_max: f64,
    local_translation_max: f64,
}

impl<'a> Errors<'a> {
    fn new(clip: &'a Clip, bounds: Bounds<'a>, shell: f64) -> Errors<'a> {
        let skeleton = clip.skeleton();
        let measured = skeleton.joints().iter().filter(|joint| !joint.end_site).count();
        let count = clip.frames() * measured;
        let above = if count > 0 { count - percentile_rank(0.99, count) } else { 0 };
        Errors {
            skeleton,
            bounds,
            shell,
            joints: vec![0.0; skeleton.len()],
            max: 0.0,
            worst: None,
            sum: 0.0,
            squares: 0.0,
            count,
            largest: Largest::new(above),
            excess: 0.0,
            between_max: 0.0,
            excess_between: 0.0,
            violations: Vec::new(),
            local_rotation_max: 0.0,
            local_translation_max: 0.0,
        }
    }

    /// The error of a joint: the greater one of the two readings.
    fn of(&self, joint: usize, original: &Pose, decoded: [&Pose; 2]) -> f64 {
        let [sampled, exact] =
            decoded.map(|pose| shell_distance(&original.joints[joint], &pose.joints[joint], self.shell));
        larger_error(sampled, exact)
    }

    fn add(&mut self, frame: usize, original: &Pose, decoded: [&Pose; 2]) {
        for (id, _) in self.skeleton.iter().filter(|(_, joint)| !joint.end_site) {
            let at = id.index();
            let error = self.of(at, original, decoded);
            let metres = error * self.bounds.metres;
            self.joints[at] = self.joints[at].max(metres);
            if metres > self.max {
                (self.max, self.worst) = (metres, Some((at, frame)));
            }
            let excess = error / self.bounds.tolerances[at];
            self.excess = self.excess.max(excess);
            if excess > 1.0 {
                self.violations.push(Violation { frames: frame..frame + 1, joint: at, excess });
            }
            self.sum += error;
            self.squares += error * error;
            self.largest.push(error as f32);
        }
    }

    fn add_between(&mut self, frame: usize, original: &Pose, decoded: [&Pose; 2]) {
        for (id, _) in self.skeleton.iter().filter(|(_, joint)| !joint.end_site) {
            let joint = id.index();
            let error = self.of(joint, original, decoded);
            self.between_max = self.between_max.max(error * self.bounds.metres);
            let excess = error / self.bounds.tolerances[joint];
            self.excess_between = self.excess_between.max(excess);
            if self.bounds.guard_between && excess > 1.0 {
                self.violations.push(Violation { frames: frame - 1..frame + 1, joint, excess });
            }
        }
    }

    fn add_local(&mut self, original: &Pose, decoded: &Pose) {
        for (a, b) in original.joints.iter().zip(&decoded.joints) {
            let turned = angle_between(&a.rotation, &b.rotation);
            let moved = (a.translation.vector - b.translation.vector).norm() * self.bounds.metres;
            self.local_rotation_max = larger_error(self.local_rotation_max, turned);
            self.local_translation_max = larger_error(self.local_translation_max, moved);
        }
    }

    fn into_measured(self, clip: &Clip, decoded: &Compressed) -> Measured {
        let (skeleton, metres) = (self.skeleton, self.bounds.metres);
        let (count, p99) = (self.count, self.largest.least());
        let joints = skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(id, joint)| JointError {
            joint: joint.name.clone(),
            limit: self.bounds.tolerances[id.index()] * metres,
            max: self.joints[id.index()],
        });
        let report = CompressReport {
            raw_bytes: raw_bytes(skeleton, clip.frames()),
            bytes: decoded.size() as u64,
            skeleton_bytes: decoded.skeleton_size() as u64,
            limit: decoded.info().tolerance,
            max: self.max,
            p99: p99.map_or(0.0, |p99| f64::from(p99) * metres),
            rms: (self.squares / count.max(1) as f64).sqrt() * metres,
            mean: self.sum / count.max(1) as f64 * metres,
            worst: self.worst.map(|(joint, frame)| (skeleton.joints()[joint].name.clone(), frame)),
            between_frames_max: self.between_max,
            local_rotation_max: self.local_rotation_max,
            local_translation_max: self.local_translation_max,
            joints: joints.collect(),
        };
        Measured {
            report,
            excess: self.excess,
            excess_between: self.excess_between,
            violations: self.violations,
        }
    }
}
