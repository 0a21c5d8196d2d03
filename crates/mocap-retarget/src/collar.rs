//! How collar bones are rolled in a stance that was put together from bones.
//!
//! A bone that lies along the axis of its frame shows no roll, and the smallest turn that brings it out to the
//! side may leave it a quarter turn off. Collar bones of a living body hardly turn about themselves, so the roll
//! that they have in the middle of a motion is the one they stand with.

use crate::body::Body;
use crate::stance::Stance;
use mocap_model::{Clip, Role, UnitQuaternion, Vector3, log, swing_twist};
use std::f64::consts::FRAC_PI_6;

/// Frames looked at, spread over the clip.
const FRAMES: usize = 256;

/// Rolls the collar bones of a stance to where a motion has them; none that is less than 30° off, which may be
/// the motion's own.
pub(crate) fn rolled(stance: &mut Stance, clip: &Clip, body: &Body) {
    let sides = [(Role::LeftShoulder, 2), (Role::RightShoulder, 3)];
    for (role, limb) in sides {
        let (Some(collar), Some(arm)) = (body.roles.joint(role), &body.limbs[limb]) else { continue };
        let bone = stance.position[arm.base.index()] - stance.position[collar.index()];
        let Some(along) = bone.try_normalize(0.0) else { continue };
        let axis = stance.rotation[collar.index()].inverse() * along;
        let standing = stance.local[collar.index()].inverse();
        let rotation = &clip.track(collar).rotation;
        // The mean on the circle.
        let (mut sine, mut cosine) = (0.0, 0.0);
        let count = clip.frames().min(FRAMES);
        for i in 0..count {
            let turn = standing * rotation.at(i * clip.frames() / count);
            let roll: Vector3<f64> = log(&swing_twist(&turn, &axis).1);
            let angle = roll.dot(&axis);
            (sine, cosine) = (sine + angle.sin(), cosine + angle.cos());
        }
        let roll = f64::atan2(sine, cosine);
        if count == 0 || roll.abs() < FRAC_PI_6 {
            continue;
        }
        let roll = UnitQuaternion::new(axis * roll);
        stance.rotation[collar.index()] *= roll;
        stance.local[collar.index()] *= roll;
        for (id, joint) in clip.skeleton().iter() {
            if joint.parent == Some(collar) {
                stance.local[id.index()] = roll.inverse() * stance.local[id.index()];
            }
        }
    }
}
