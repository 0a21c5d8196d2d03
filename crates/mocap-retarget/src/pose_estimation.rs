//! Pose estimation from motion: what a clip shows of its skeleton that the rest pose does not.
//!
//! A rest pose with all bones along one axis does not show their rolls, and splayed or hanging feet do not show their
//! soles. Frames with bent limbs show the axes of knees and elbows; frames with feet on the floor show their soles.

use crate::body::{Body, Limb};
use crate::error::{RetargetError, SourceOrTarget};
use crate::reference_pose::{Directions, ReferencePose, rolled_reference_pose};
use mocap_analysis::FootContacts;
use mocap_model::{
    Clip, ForwardKinematics, Isometry3, JointId, Pose, Role, Side, Skeleton, UnitQuaternion, Vector3, exp,
    log, swing_twist,
};
use std::f64::consts::FRAC_PI_4;

/// Number of frames sampled over the clip.
const FRAMES: usize = 256;
/// A bend axis is clear if the mean sine of the bend is above this, and the axes agree by this share.
const BENT: f64 = 0.05;
const AGREEING: f64 = 0.5;
/// A foot tilted further than this during contacts is not flat: the body does not stand on it \[rad\].
const CREDIBLE: f64 = FRAC_PI_4;
/// Least number of frames with a flat foot.
const FEWEST: usize = 5;

/// Limbs and feet of a clip in object space, in frames sampled over it.
pub(crate) struct MotionSample {
    frames: Vec<usize>,
    /// By frame, then by joint.
    poses: Vec<Vec<Isometry3<f64>>>,
    /// By joint: its index in a pose.
    places: Vec<Option<usize>>,
}

impl MotionSample {
    pub(crate) fn of(clip: &Clip, body: &Body) -> MotionSample {
        let count = clip.frames().min(FRAMES);
        let frames: Vec<usize> = (0..count).map(|i| i * clip.frames() / count).collect();
        let limbs = body.limbs.iter().flatten().flat_map(|limb| [limb.base, limb.middle, limb.tip]);
        let toes = [Role::LeftToes, Role::RightToes].into_iter().filter_map(|role| body.roles.joint(role));
        let joints: Vec<JointId> = limbs.chain(toes).collect();
        let mut places = vec![None; clip.skeleton().len()];
        joints.iter().enumerate().for_each(|(i, joint)| places[joint.index()] = Some(i));
        let mut kinematics = ForwardKinematics::of_joints(clip, &joints);
        let poses = frames.iter().map(|frame| {
            kinematics.place(*frame);
            joints.iter().map(|joint| *kinematics.at(*joint)).collect()
        });
        let poses = poses.collect();
        MotionSample { frames, poses, places }
    }

    fn place<'a>(&self, pose: &'a [Isometry3<f64>], joint: JointId) -> &'a Isometry3<f64> {
        &pose[self.places[joint.index()].expect("a limb or foot of the body")]
    }

    /// By limb of the body: the axis about which it bends (a positive rotation flexes), in the frame of its first
    /// joint; `None` if it stays straight or bends about several axes.
    pub(crate) fn bend_axes(&self, body: &Body) -> [Option<Vector3<f64>>; 4] {
        [0, 1, 2, 3].map(|slot| self.bend_axis(body.limbs[slot].as_ref()?))
    }

    fn bend_axis(&self, limb: &Limb) -> Option<Vector3<f64>> {
        let (mut sum, mut total) = (Vector3::zeros(), 0.0);
        for pose in &self.poses {
            let at = |joint: JointId| self.place(pose, joint).translation.vector;
            let (above, below) = (at(limb.base) - at(limb.middle), at(limb.tip) - at(limb.middle));
            let normal = below.cross(&above) / (below.norm() * above.norm()).max(f64::MIN_POSITIVE);
            total += normal.norm();
            sum += self.place(pose, limb.base).rotation.inverse() * normal;
        }
        let clear = sum.norm() > BENT * self.poses.len() as f64 && sum.norm() > AGREEING * total;
        if clear { sum.try_normalize(0.0) } else { None }
    }
}

/// A reference pose and what it was made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis<'a> {
    pub skeleton: &'a Skeleton,
    pub body: &'a Body,
    /// The local pose that `reference` was made from.
    pub base: &'a Pose,
    pub reference: &'a ReferencePose,
}

/// The reference pose as a motion shows it. A pose that an author made (a T- or A-pose) is kept: no single motion shows
/// it better. In one that was estimated from bones, limbs are rolled until knees bend back and elbows forward, and feet
/// and toes are turned towards what is flat where the source stands on them.
pub(crate) fn refine_reference_pose(
    basis: Basis,
    sample: &MotionSample,
    bend_axes: &[Option<Vector3<f64>>; 4],
    contacts: &[(Side, &FootContacts)],
) -> Result<ReferencePose, RetargetError> {
    let Basis { skeleton, body, reference, .. } = basis;
    if !reference.estimated {
        return Ok(reference.clone());
    }
    let mut refined = roll_limbs(basis, bend_axes)?;
    flatten_feet(&mut refined, skeleton, body, sample, contacts);
    for (id, joint) in skeleton.iter() {
        refined.local[id.index()] = match joint.parent {
            Some(parent) => refined.rotation[parent.index()].inverse() * refined.rotation[id.index()],
            None => refined.rotation[id.index()],
        };
    }
    Ok(refined)
}

/// Rolls the limbs of an estimated reference pose about their lines until they bend the usual way.
fn roll_limbs(basis: Basis, bend_axes: &[Option<Vector3<f64>>; 4]) -> Result<ReferencePose, RetargetError> {
    let Basis { skeleton, body, base, reference } = basis;
    let directions = Directions::of(skeleton);
    let unrolled = reference.unrolled.as_deref().unwrap_or(reference);
    let mut rolls = [0.0; 4];
    for ((limb, axis), roll) in body.limbs.iter().zip(bend_axes).zip(&mut rolls) {
        if let (Some(limb), Some(axis)) = (limb, axis) {
            *roll = angle_about_limb(unrolled, limb, axis, &directions.bend(limb));
        }
    }
    rolled_reference_pose(skeleton, body, base, SourceOrTarget::Source, &rolls)
}

/// Turns feet and toes flat: to their median orientation in frames where toe and heel are in contact.
fn flatten_feet(
    reference: &mut ReferencePose,
    skeleton: &Skeleton,
    body: &Body,
    sample: &MotionSample,
    contacts: &[(Side, &FootContacts)],
) {
    let up = Directions::of(skeleton).up;
    for (side, contacts) in contacts {
        let roles = match side {
            Side::Left => [Role::LeftFoot, Role::LeftToes],
            Side::Right => [Role::RightFoot, Role::RightToes],
        };
        for joint in roles.into_iter().filter_map(|role| body.roles.joint(role)) {
            let frames = sample.frames.iter().zip(&sample.poses);
            let flat = frames.filter(|(frame, _)| contacts.toe[**frame] && contacts.heel[**frame]);
            let before = reference.rotation[joint.index()].inverse();
            let tilts: Vec<_> =
                flat.map(|(_, pose)| tilt(&(sample.place(pose, joint).rotation * before), &up)).collect();
            let tilt = exp(&median(&tilts));
            if tilts.len() >= FEWEST && tilt.angle() < CREDIBLE {
                reference.rotation[joint.index()] = tilt * reference.rotation[joint.index()];
            }
        }
    }
}

/// The angle \[rad\] about the line of a stretched limb that brings an axis of its first joint onto a direction.
fn angle_about_limb(
    reference: &ReferencePose,
    limb: &Limb,
    axis: &Vector3<f64>,
    wished: &Vector3<f64>,
) -> f64 {
    let line = reference.position[limb.tip.index()] - reference.position[limb.base.index()];
    let Some(line) = line.try_normalize(0.0) else { return 0.0 };
    let across = |v: Vector3<f64>| v - line * v.dot(&line);
    let now = across(reference.rotation[limb.base.index()] * axis);
    let wished = across(*wished);
    line.dot(&now.cross(&wished)).atan2(now.dot(&wished))
}

/// The rotation vector of a rotation without its part about the up axis, in the frame before that part.
fn tilt(turn: &UnitQuaternion<f64>, up: &Vector3<f64>) -> Vector3<f64> {
    let (swing, twist) = swing_twist(turn, up);
    log(&(twist.inverse() * swing * twist))
}

fn median(vectors: &[Vector3<f64>]) -> Vector3<f64> {
    if vectors.is_empty() {
        return Vector3::zeros();
    }
    Vector3::from_fn(|axis, _| {
        let mut values: Vec<f64> = vectors.iter().map(|vector| vector[axis]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    })
}
