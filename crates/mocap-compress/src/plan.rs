//! Which joints move, and the values of those that do not.

use crate::quat::{self, Quat};
use crate::track::Moving;
use mocap_model::Skeleton;

/// How a joint's rotation or translation goes over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Course<T> {
    /// As in the rest pose.
    Rest,
    /// Another value, always.
    Constant(T),
    /// It changes.
    Moving,
}

/// The courses of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointPlan {
    pub(crate) rotation: Course<Quat>,
    pub(crate) translation: Course<[f32; 3]>,
}

/// Parts of one in the stored form of a constant rotation: three whole numbers of 24 bits.
const CONSTANT: f32 = (1 << 21) as f32;

/// A constant rotation from its stored form: modified Rodrigues parameters after the rest rotation.
pub(crate) fn constant_rotation(rest: Quat, parts: [i32; 3]) -> Quat {
    quat::mul(rest, quat::from_rodrigues(parts.map(|part| part as f32 / CONSTANT)))
}

/// The stored form nearest to a rotation.
#[cfg(feature = "encode")]
pub(crate) fn constant_parts(rest: Quat, rotation: Quat) -> [i32; 3] {
    use crate::encode::{fit::rodrigues, rig::to_f64};
    let r = rodrigues(&(to_f64(rest).inverse() * to_f64(rotation)));
    [0, 1, 2].map(|axis| (r[axis] * f64::from(CONSTANT)).round().clamp(-8_388_608.0, 8_388_607.0) as i32)
}

/// The local transform a decoder starts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Local {
    pub(crate) rotation: Quat,
    pub(crate) translation: [f32; 3],
}

/// The local transforms of a skeleton at rest, as decoded.
pub(crate) fn rest_locals(skeleton: &Skeleton) -> Vec<Local> {
    let local = |joint: &mocap_model::Joint| Local {
        rotation: to_f32(&joint.rest_rotation),
        translation: joint.offset.map(|value| value as f32).into(),
    };
    skeleton.joints().iter().map(local).collect()
}

/// A rotation as the decoder holds it.
pub(crate) fn to_f32(q: &mocap_model::UnitQuaternion<f64>) -> Quat {
    [q.i as f32, q.j as f32, q.k as f32, q.w as f32]
}

/// All joints of a clip, and the order of the tracks that move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) joints: Vec<JointPlan>,
    /// Joint and kind of each moving track.
    pub(crate) moving: Vec<(usize, Moving)>,
}

impl Plan {
    pub(crate) fn new(joints: Vec<JointPlan>) -> Plan {
        let mut moving = Vec::new();
        for (joint, plan) in joints.iter().enumerate() {
            if matches!(plan.translation, Course::Moving) {
                moving.push((joint, Moving::Translation));
            }
            if matches!(plan.rotation, Course::Moving) {
                moving.push((joint, Moving::Rotation));
            }
        }
        Plan { joints, moving }
    }

    /// The local transforms of the joints that do not move; of the others, those at rest.
    pub(crate) fn constants(&self, skeleton: &Skeleton) -> Vec<Local> {
        let mut locals = rest_locals(skeleton);
        for (local, joint) in locals.iter_mut().zip(&self.joints) {
            if let Course::Constant(rotation) = joint.rotation {
                local.rotation = rotation;
            }
            if let Course::Constant(translation) = joint.translation {
                local.translation = translation;
            }
        }
        locals
    }

    /// The kinds of the moving tracks, with the rest rotations of their joints.
    pub(crate) fn kinds(&self, skeleton: &Skeleton) -> Vec<(Moving, Quat)> {
        let rest = rest_locals(skeleton);
        self.moving.iter().map(|(joint, kind)| (*kind, rest[*joint].rotation)).collect()
    }
}
