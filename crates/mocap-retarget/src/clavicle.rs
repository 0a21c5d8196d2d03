//! The roll of clavicles in an estimated reference pose.
//!
//! A bone along an axis of its frame does not show its roll, and the smallest rotation that brings it out to the side
//! may be a quarter turn off. Clavicles hardly roll in motion, so the mean roll of a motion is the roll of the
//! reference pose.

use crate::body::Body;
use crate::reference_pose::ReferencePose;
use mocap_model::{ClipFrames, Role, UnitQuaternion};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6};

/// 20° \[rad\].
const FRAC_PI_9: f64 = std::f64::consts::PI / 9.0;
/// Number of frames sampled over the clip.
const FRAMES: usize = 256;

/// The multiple of 90° within 20° of an angle, or the angle itself \[rad\]. Rigs are built at right angles, and
/// a motion shows them only roughly.
fn nearest_quarter(angle: f64) -> f64 {
    let quarter = (angle / FRAC_PI_2).round() * FRAC_PI_2;
    if (angle - quarter).abs() < FRAC_PI_9 { quarter } else { angle }
}

/// Rolls the clavicles of a reference pose to their mean roll in a motion. Differences below 30° may belong to the
/// motion and are left.
pub(crate) fn roll_clavicles(reference: &mut ReferencePose, clip: ClipFrames, body: &Body) {
    let sides = [(Role::LeftShoulder, 2), (Role::RightShoulder, 3)];
    for (role, limb) in sides {
        let (Some(clavicle), Some(arm)) = (body.roles.joint(role), &body.limbs[limb]) else { continue };
        let bone = reference.position[arm.base.index()] - reference.position[clavicle.index()];
        let Some(along) = bone.try_normalize(0.0) else { continue };
        let axis = reference.rotation[clavicle.index()].inverse() * along;
        let at_reference = reference.local[clavicle.index()].inverse();
        // Circular mean.
        let (mut sine, mut cosine) = (0.0, 0.0);
        let count = clip.frames().min(FRAMES);
        for i in 0..count {
            let turn = at_reference * clip.rotation(clavicle, i * clip.frames() / count);
            // Sine and cosine of half the twist, not normalised.
            let (s, c) = (turn.imag().dot(&axis), turn.w);
            let square = s * s + c * c;
            if square > 1e-24 {
                (sine, cosine) = (sine + 2.0 * s * c / square, cosine + (c * c - s * s) / square);
            }
        }
        let roll = f64::atan2(sine, cosine);
        if count == 0 || roll.abs() < FRAC_PI_6 {
            continue;
        }
        let roll = UnitQuaternion::new(axis * nearest_quarter(roll));
        reference.rotation[clavicle.index()] *= roll;
        reference.local[clavicle.index()] *= roll;
        for (id, joint) in clip.skeleton().iter() {
            if joint.parent == Some(clavicle) {
                reference.local[id.index()] = roll.inverse() * reference.local[id.index()];
            }
        }
    }
}
