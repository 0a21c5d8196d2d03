//! What a motion shows of its skeleton that the rest pose does not: the axes about which knees and elbows bend,
//! and which way of a foot is flat.
//!
//! A rest pose made of bones along one axis says nothing about rolls, and splayed or hanging feet say little
//! about soles; the frames in which limbs are bent and feet stand say both.

use crate::body::{Body, Limb};
use crate::error::{RetargetError, Which};
use crate::stance::{Directions, Stance, rolled_stance};
use mocap_analysis::FootContacts;
use mocap_model::{
    Clip, ForwardKinematics, Isometry3, JointId, Pose, Role, Side, Skeleton, UnitQuaternion, Vector3, exp,
    log, swing_twist,
};
use std::f64::consts::FRAC_PI_4;

/// Frames looked at, spread over the clip.
const FRAMES: usize = 256;
/// Bends count where their mean sine is above this, and the axes agree by this share.
const BENT: f64 = 0.05;
const AGREEING: f64 = 0.5;
/// A foot further than this from flat in its contacts is not taken for flat: the body never stands on it.
const CREDIBLE: f64 = FRAC_PI_4;
/// Fewer flat frames than this say nothing.
const FEWEST: usize = 5;

/// Limbs and feet of a clip in object space, in frames spread over it.
pub(crate) struct Sample {
    frames: Vec<usize>,
    /// By frame, then by joint.
    poses: Vec<Vec<Isometry3<f64>>>,
    /// The place of a joint in a pose.
    places: Vec<Option<usize>>,
}

impl Sample {
    pub(crate) fn of(clip: &Clip, body: &Body) -> Sample {
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
        Sample { frames, poses, places }
    }

    fn place<'a>(&self, pose: &'a [Isometry3<f64>], joint: JointId) -> &'a Isometry3<f64> {
        &pose[self.places[joint.index()].expect("a limb or foot of the body")]
    }

    /// The axis about which a limb bends (a positive turn flexes), in the frame of its first joint; `None`
    /// where it stays straight or bends any way.
    pub(crate) fn bend_axis(&self, limb: &Limb) -> Option<Vector3<f64>> {
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

/// The stance as the motion shows it: where it was put together from bones, limbs are rolled until knees bend
/// back and elbows forward; feet and toes are turned until they are flat where the source stands flat.
///
/// `base` is the local pose that `stance` was made from.
pub(crate) fn refined(
    stance: &Stance,
    base: &Pose,
    skeleton: &Skeleton,
    body: &Body,
    sample: &Sample,
    contacts: &[(Side, &FootContacts)],
) -> Result<Stance, RetargetError> {
    let directions = Directions::of(skeleton);
    let mut refined = if stance.made {
        let unrolled = rolled_stance(skeleton, body, base, Which::Source, &[0.0; 4])?;
        let mut rolls = [0.0; 4];
        for (limb, roll) in body.limbs.iter().zip(&mut rolls) {
            if let Some(limb) = limb
                && let Some(axis) = sample.bend_axis(limb)
            {
                *roll = angle_about_limb(&unrolled, limb, &axis, &directions.bend(limb));
            }
        }
        rolled_stance(skeleton, body, base, Which::Source, &rolls)?
    } else {
        stance.clone()
    };
    for (side, contacts) in contacts {
        let roles = match side {
            Side::Left => [Role::LeftFoot, Role::LeftToes],
            Side::Right => [Role::RightFoot, Role::RightToes],
        };
        for joint in roles.into_iter().filter_map(|role| body.roles.joint(role)) {
            let flat = sample.frames.iter().zip(&sample.poses);
            let flat = flat.filter(|(frame, _)| contacts.toe[**frame] && contacts.heel[**frame]);
            let before = refined.rotation[joint.index()].inverse();
            let tilts: Vec<_> = flat
                .map(|(_, pose)| tilt(&(sample.place(pose, joint).rotation * before), &directions.up))
                .collect();
            let tilt = exp(&median(&tilts));
            if tilts.len() >= FEWEST && tilt.angle() < CREDIBLE {
                refined.rotation[joint.index()] = tilt * refined.rotation[joint.index()];
            }
        }
    }
    for (id, joint) in skeleton.iter() {
        refined.local[id.index()] = match joint.parent {
            Some(parent) => refined.rotation[parent.index()].inverse() * refined.rotation[id.index()],
            None => refined.rotation[id.index()],
        };
    }
    Ok(refined)
}

/// The turn about the line of a stretched limb that brings an axis of its first joint onto a direction.
fn angle_about_limb(stance: &Stance, limb: &Limb, axis: &Vector3<f64>, wished: &Vector3<f64>) -> f64 {
    let line = stance.position[limb.tip.index()] - stance.position[limb.base.index()];
    let Some(line) = line.try_normalize(0.0) else { return 0.0 };
    let across = |v: Vector3<f64>| v - line * v.dot(&line);
    let now = across(stance.rotation[limb.base.index()] * axis);
    let wished = across(*wished);
    line.dot(&now.cross(&wished)).atan2(now.dot(&wished))
}

/// The rotation vector of what a turn does beside turning about the up axis, seen before that.
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
