//! Which joints move, and the values of those that do not.

use crate::quat::{self, Quat};
use crate::track::Moving;
use crate::wire::{self, Malformed, Reader};
use mocap_model::Skeleton;

/// Whether a joint's rotation or translation changes over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TrackState<T> {
    /// As in the rest pose.
    Rest,
    /// Another value, always.
    Constant(T),
    /// It changes.
    Moving,
}

/// The states of the rotation and the translation of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointState {
    pub(crate) rotation: TrackState<Quat>,
    pub(crate) translation: TrackState<[f32; 3]>,
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
    let r = quat::rodrigues(&(quat::to_f64(rest).inverse() * quat::to_f64(rotation)));
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
        rotation: quat::to_f32(&joint.rest_rotation),
        translation: joint.offset.map(|value| value as f32).into(),
    };
    skeleton.joints().iter().map(local).collect()
}

/// All joints of a clip, and the order of the tracks that move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) joints: Vec<JointState>,
    /// Joint and kind of each moving track.
    pub(crate) moving: Vec<(usize, Moving)>,
}

impl Plan {
    pub(crate) fn new(joints: Vec<JointState>) -> Plan {
        let mut moving = Vec::new();
        for (joint, plan) in joints.iter().enumerate() {
            if matches!(plan.translation, TrackState::Moving) {
                moving.push((joint, Moving::Translation));
            }
            if matches!(plan.rotation, TrackState::Moving) {
                moving.push((joint, Moving::Rotation));
            }
        }
        Plan { joints, moving }
    }

    /// The local transforms of the joints that do not move; of the others, those at rest.
    pub(crate) fn constants(&self, skeleton: &Skeleton) -> Vec<Local> {
        let mut locals = rest_locals(skeleton);
        for (local, joint) in locals.iter_mut().zip(&self.joints) {
            if let TrackState::Constant(rotation) = joint.rotation {
                local.rotation = rotation;
            }
            if let TrackState::Constant(translation) = joint.translation {
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

/// Reads what [`put_plan`] wrote.
pub(crate) fn read_plan(reader: &mut Reader<'_>, skeleton: &Skeleton) -> Result<Plan, Malformed> {
    let length = reader.number(1 << 32, "a length")? as usize;
    let codes = wire::unpack(reader.take(length, "the states of joints")?, skeleton.len());
    let rests = rest_locals(skeleton);
    let mut joints = Vec::with_capacity(skeleton.len());
    for (code, rest) in codes.into_iter().zip(rests) {
        let rotation = match code & 3 {
            0 => TrackState::Rest,
            1 => {
                let mut parts = [0; 3];
                for part in &mut parts {
                    let [low, middle, high] = reader.array("a rotation")?;
                    *part = i32::from_le_bytes([0, low, middle, high]) >> 8;
                }
                TrackState::Constant(constant_rotation(rest.rotation, parts))
            }
            2 => TrackState::Moving,
            _ => return reader.fail("the state of a rotation"),
        };
        let translation = match code >> 2 {
            0 => TrackState::Rest,
            1 => {
                let mut v = [0.0; 3];
                for part in &mut v {
                    *part = reader.single("a translation")?;
                }
                TrackState::Constant(v)
            }
            2 => TrackState::Moving,
            _ => return reader.fail("the state of a translation"),
        };
        joints.push(JointState { rotation, translation });
    }
    if reader.rest() != 0 {
        return reader.fail("the end of the plan");
    }
    Ok(Plan::new(joints))
}

/// The plan as bytes: by joint, two bits each for rotation and translation (0 at rest, 1 constant, 2 moving);
/// then the constants.
#[cfg(feature = "encode")]
pub(crate) fn put_plan(plan: &Plan, skeleton: &Skeleton) -> Vec<u8> {
    let mut codes = Vec::new();
    let mut constants = Vec::new();
    let rests = rest_locals(skeleton);
    for (joint, rest) in plan.joints.iter().zip(rests) {
        let mut code = 0;
        match joint.rotation {
            TrackState::Rest => {}
            TrackState::Constant(q) => {
                code |= 1;
                for part in constant_parts(rest.rotation, q) {
                    constants.extend(&part.to_le_bytes()[..3]);
                }
            }
            TrackState::Moving => code |= 2,
        }
        match joint.translation {
            TrackState::Rest => {}
            TrackState::Constant(v) => {
                code |= 4;
                v.iter().for_each(|part| constants.extend(part.to_le_bytes()));
            }
            TrackState::Moving => code |= 8,
        }
        codes.push(code);
    }
    let packed = wire::pack(&codes);
    let mut bytes = Vec::new();
    wire::put_number(&mut bytes, packed.len() as u64);
    bytes.extend(packed);
    bytes.extend(constants);
    bytes
}
