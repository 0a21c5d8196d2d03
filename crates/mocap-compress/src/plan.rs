//! Which joints move, and the values of those that do not.

use crate::quat::Quat;
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
