//! Rolls of clavicles, spine and neck in an estimated reference pose.
//!
//! A bone along an axis of its frame does not show its roll, and the smallest rotation that brings it to its place may be a
//! quarter turn off. These joints hardly roll in motion, so the mean roll of a motion is the roll of the reference pose.

use crate::body::Body;
use crate::reference_pose::{ReferencePose, nearest_axis};
use mocap_model::{ClipFrames, JointId, Role, UnitQuaternion, Vector3};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6};

/// 20° \[rad\].
const FRAC_PI_9: f64 = std::f64::consts::PI / 9.0;
/// Number of frames sampled over the clip.
const FRAMES: usize = 256;

/// Rolls the clavicles of a reference pose to their mean roll in a motion. Differences below 30° may belong to the
/// motion and are left. Rigs are built at right angles, which a motion shows only roughly: rolls within 20° of a multiple
/// of 90° are that.
pub(crate) fn roll_clavicles(reference: &mut ReferencePose, clip: ClipFrames, body: &Body) {
    let sides = [(Role::LeftShoulder, 2), (Role::RightShoulder, 3)];
    for (role, limb) in sides {
        let (Some(clavicle), Some(arm)) = (body.roles.joint(role), &body.limbs[limb]) else { continue };
        let Some(axis) = bone(reference, clavicle, arm.base) else { continue };
        let Some(mean) = mean_roll(reference, clip, clavicle, &axis) else { continue };
        let quarter = nearest_quarter(mean);
        if mean.abs() >= FRAC_PI_6 {
            let angle = if (mean - quarter).abs() < FRAC_PI_9 { quarter } else { mean };
            roll(reference, clip, clavicle, &UnitQuaternion::new(axis * angle));
        }
    }
}

/// Rolls the joints of spine and neck between hips, chest and head by their mean roll in a motion, in quarter turns: no
/// body twists there by 45° all the time.
pub(crate) fn roll_spine(reference: &mut ReferencePose, clip: ClipFrames, body: &Body) {
    // The limbs show how hips and chest are turned.
    let below = body.spine.len().saturating_sub(1);
    let chest = body.spine[..below].iter().zip(&body.spine[1.min(below)..]);
    let head = body.neck.iter().zip(body.neck.iter().skip(1).chain(&body.head));
    for (joint, next) in chest.chain(head) {
        let Some(axis) = bone(reference, *joint, *next).map(|axis| nearest_axis(&axis)) else { continue };
        let Some(mean) = mean_roll(reference, clip, *joint, &axis) else { continue };
        let quarter = nearest_quarter(mean);
        if quarter != 0.0 {
            roll(reference, clip, *joint, &UnitQuaternion::new(axis * quarter));
        }
    }
}

/// The direction from one joint to another in the frame of the first; `None` without length.
fn bone(reference: &ReferencePose, from: JointId, to: JointId) -> Option<Vector3<f64>> {
    let bone = reference.position[to.index()] - reference.position[from.index()];
    Some(reference.rotation[from.index()].inverse() * bone.try_normalize(0.0)?)
}

/// The multiple of 90° that is nearest to an angle \[rad\].
fn nearest_quarter(angle: f64) -> f64 {
    (angle / FRAC_PI_2).round() * FRAC_PI_2
}

/// The circular mean of the twist of a joint about an axis of its frame, from the reference pose \[rad\]; `None` without
/// frames.
fn mean_roll(
    reference: &ReferencePose,
    clip: ClipFrames,
    joint: JointId,
    axis: &Vector3<f64>,
) -> Option<f64> {
    let at_reference = reference.local[joint.index()].inverse();
    let (mut sine, mut cosine) = (0.0, 0.0);
    let count = clip.frames().min(FRAMES);
    for i in 0..count {
        let turn = at_reference * clip.rotation(joint, i * clip.frames() / count);
        // Sine and cosine of half the twist, not normalised.
        let (s, c) = (turn.imag().dot(axis), turn.w);
        let square = s * s + c * c;
        if square > 1e-24 {
            (sine, cosine) = (sine + 2.0 * s * c / square, cosine + (c * c - s * s) / square);
        }
    }
    (count > 0).then(|| f64::atan2(sine, cosine))
}

/// Rotates a joint in its own frame; what is below it keeps its rotation, and moves with the ends of its bones.
fn roll(reference: &mut ReferencePose, clip: ClipFrames, joint: JointId, roll: &UnitQuaternion<f64>) {
    let skeleton = clip.skeleton();
    let (before, place) = (reference.rotation[joint.index()], reference.position[joint.index()]);
    let turn = before * roll * before.inverse();
    reference.rotation[joint.index()] *= roll;
    reference.local[joint.index()] *= roll;
    for child in skeleton.children(joint) {
        reference.local[child.index()] = roll.inverse() * reference.local[child.index()];
        let bone = reference.position[child.index()] - place;
        let shift = turn * bone - bone;
        for below in skeleton.subtree(*child) {
            reference.position[below.index()] += shift;
        }
    }
}
