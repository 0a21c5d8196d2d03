//! A person whose hands hold things, in the source and on the target.

use mocap_model::{Clip, Isometry3, Role, UnitQuaternion, Vector3};

use super::carried::Holder;
use crate::arms::ArmJoints;

/// A bind point within this distance of the wrist counts as at the wrist \[m\].
pub(super) const AT_WRIST: f64 = 0.03;
/// Distance from wrist to palm, as a share of an arm's length.
const PALM: f64 = 0.15;

/// One person before and after.
pub(super) struct Person {
    pub source: Holder,
    pub target: Holder,
    /// The motion of the source in metres.
    pub was: Clip,
    pub clip: Clip,
}

/// The offset from wrist to palm in the frame of the wrist: in the direction away from the elbow.
fn palm(holder: &Holder, hand: Role, frame: usize) -> Vector3<f64> {
    let elbow = if hand == Role::LeftHand { Role::LeftLowerArm } else { Role::RightLowerArm };
    let (Some(wrist), Some(elbow)) = (holder.places(hand), holder.places(elbow)) else {
        return Vector3::zeros();
    };
    let way = wrist[frame].translation.vector - elbow[frame].translation.vector;
    wrist[frame].rotation.inverse() * way.try_normalize(1e-9).unwrap_or_default() * (PALM * holder.arm)
}

/// Whether a wrist itself is at a bind point of a thing, instead of the palm.
pub(super) fn is_at_wrist(wrist: &Isometry3<f64>, thing: &Isometry3<f64>, grips: &[Vector3<f64>]) -> bool {
    let seen = thing.inverse() * wrist;
    grips.iter().any(|grip| (grip - seen.translation.vector).norm() < AT_WRIST)
}

/// The relation of a hand of the source to that of the target: the rotation between their frames, and both palms in the
/// frame of the target's wrist.
pub(super) struct Hands {
    pub turn: UnitQuaternion<f64>,
    pub source: Vector3<f64>,
    pub target: Vector3<f64>,
}

impl Hands {
    pub(super) fn of(person: &Person, role: Role, frame: usize, at_wrist: bool) -> Option<Hands> {
        let (was, is) = (person.source.places(role)?, person.target.places(role)?);
        let turn = is[frame].rotation.inverse() * was[frame].rotation;
        let is_hand = matches!(role, Role::LeftHand | Role::RightHand);
        if at_wrist || !is_hand {
            return Some(Hands { turn, source: Vector3::zeros(), target: Vector3::zeros() });
        }
        let source = turn * palm(&person.source, role, frame);
        let scale = person.target.arm / person.source.arm.max(f64::MIN_POSITIVE);
        Some(Hands { turn, source, target: source * scale })
    }
}

/// The joints of an arm.
pub(super) fn arm_of(clip: &Clip, hand: Role) -> Option<ArmJoints> {
    let roles = mocap_retarget::map_roles_in(clip).certain();
    let arm = match hand {
        Role::LeftHand => [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
        Role::RightHand => [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
        _ => return None,
    };
    let [shoulder, elbow, wrist] = arm.map(|role| roles.joint(role));
    Some(ArmJoints { shoulder: shoulder?, elbow: elbow?, wrist: wrist? })
}
