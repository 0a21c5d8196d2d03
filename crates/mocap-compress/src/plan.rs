//! The plan: which joints move, and constant values of the others.

use crate::bits::BitReader;
use crate::packed::Packer;
use crate::quat::{self, Quat};
use crate::range_coder::{BitCoder, RangeDecoder};
use crate::sampler::Transform;
use crate::small_numbers::SmallNumbers;
use crate::track::Moving;
use crate::wire::Malformed;
use mocap_model::Skeleton;

/// Whether a joint's rotation or translation changes over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TrackState<T> {
    /// As in the rest pose.
    Rest,
    /// Constant, but not as in the rest pose.
    Constant(T),
    /// Changes over time.
    Moving,
}

#[cfg(feature = "encode")]
impl<T> TrackState<T> {
    /// As stored.
    fn code(&self) -> u32 {
        match self {
            TrackState::Rest => 0,
            TrackState::Constant(_) => 1,
            TrackState::Moving => 2,
        }
    }
}

/// The states of the rotation and the translation of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointState {
    pub(crate) rotation: TrackState<ConstantRotation>,
    pub(crate) translation: TrackState<[f32; 3]>,
}

/// A constant rotation that is not that of the rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ConstantRotation {
    /// Modified Rodrigues parameters relative to the rest rotation, in units of 1 / 2^`bits`.
    parts: [i32; 3],
    bits: i32,
    /// The decoded rotation.
    pub(crate) value: Quat,
}

/// Greatest number of bits, so that single precision holds the parameters.
const FINEST: i32 = 21;
/// Largest parameter of a rotation: 4 for half a turn.
const MOST_TURN: u32 = 4;

impl ConstantRotation {
    fn new(rest: Quat, parts: [i32; 3], bits: i32) -> ConstantRotation {
        let turn = parts.map(|part| part as f32 / (1 << bits) as f32);
        ConstantRotation { parts, bits, value: quat::mul(rest, quat::from_rodrigues(turn)) }
    }

    /// Whether it is the rotation of the rest pose.
    #[cfg(feature = "encode")]
    pub(crate) fn is_none(&self) -> bool {
        self.parts == [0; 3]
    }

    /// The nearest constant to a rotation, as coarse as an error \[rad\] allows, within single precision.
    #[cfg(feature = "encode")]
    pub(crate) fn near(rest: Quat, rotation: Quat, error: f64) -> ConstantRotation {
        let r = quat::rodrigues(&(quat::to_f64(rest).inverse() * quat::to_f64(rotation)));
        // The error is half a part along each axis.
        let bits = (3f64.sqrt() / 2.0 / error).log2().ceil().clamp(0.0, f64::from(FINEST)) as i32;
        ConstantRotation::new(
            rest,
            [0, 1, 2].map(|axis| (r[axis] * f64::from(1 << bits)).round() as i32),
            bits,
        )
    }
}

/// The local transforms of a skeleton at rest, as decoded.
pub(crate) fn rest_locals(skeleton: &Skeleton) -> Vec<Transform> {
    let local = |joint: &mocap_model::Joint| Transform {
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

    /// Transform transforms of joints that do not move; for the others, those at rest.
    pub(crate) fn constants(&self, rest: Vec<Transform>) -> Vec<Transform> {
        let mut locals = rest;
        for (local, joint) in locals.iter_mut().zip(&self.joints) {
            if let TrackState::Constant(rotation) = joint.rotation {
                local.rotation = rotation.value;
            }
            if let TrackState::Constant(translation) = joint.translation {
                local.translation = translation;
            }
        }
        locals
    }

    /// The kinds of the moving tracks, with the rest rotations of their joints.
    pub(crate) fn kinds(&self, rest: &[Transform]) -> Vec<(Moving, Quat)> {
        self.moving.iter().map(|(joint, kind)| (*kind, rest[*joint].rotation)).collect()
    }
}

/// Reads the output of [`put_plan`], for joints at rest.
pub(crate) fn read_plan(bytes: &[u8], rest: &[Transform]) -> Result<Plan, Malformed> {
    let mut coder = RangeDecoder::new(bytes);
    let codes = Packer::take_few(&mut coder, rest.len());
    let fail = |expected| Err(Malformed { at: 0, expected });
    let mut rotations = Rotations::default();
    let mut joints = Vec::with_capacity(rest.len());
    for (code, rest) in codes.into_iter().zip(rest) {
        let rotation = match code & 3 {
            0 => TrackState::Rest,
            1 => {
                let (parts, bits) = rotations.code(&mut coder, [0; 3], 0);
                let small = |part: &i32| part.unsigned_abs() <= MOST_TURN << bits;
                if !(0..=FINEST).contains(&bits) || !parts.iter().all(small) {
                    return fail("a rotation");
                }
                TrackState::Constant(ConstantRotation::new(rest.rotation, parts, bits))
            }
            2 => TrackState::Moving,
            _ => return fail("the state of a rotation"),
        };
        let translation = match code >> 2 {
            0 => TrackState::Rest,
            1 => {
                let v = [0.0; 3].map(|value| single(&mut coder, value));
                if !v.iter().all(|value| value.is_finite()) {
                    return fail("a translation");
                }
                TrackState::Constant(v)
            }
            2 => TrackState::Moving,
            _ => return fail("the state of a translation"),
        };
        joints.push(JointState { rotation, translation });
    }
    Ok(Plan::new(joints))
}

/// The plan as bytes: by joint, two bits each for rotation and translation (0 at rest, 1 constant, 2 moving);
/// then the constants.
#[cfg(feature = "encode")]
pub(crate) fn put_plan(plan: &Plan) -> Vec<u8> {
    let mut coder = crate::range_coder::RangeEncoder::new();
    let mut packer = Packer::new();
    for joint in &plan.joints {
        let code = joint.rotation.code() | joint.translation.code() << 2;
        packer.put(&mut coder, &[code as u8]);
    }
    let mut rotations = Rotations::default();
    for joint in &plan.joints {
        if let TrackState::Constant(ConstantRotation { parts, bits, .. }) = joint.rotation {
            rotations.code(&mut coder, parts, bits);
        }
        if let TrackState::Constant(v) = joint.translation {
            v.iter().for_each(|value| {
                single(&mut coder, *value);
            });
        }
    }
    coder.finish()
}

/// Reads the output of [`put_plain`], for joints at rest.
pub(crate) fn read_plain(bytes: &[u8], rest: &[Transform]) -> Result<Plan, Malformed> {
    let fail = |at: usize, expected| Err(Malformed { at: at / 8, expected });
    let mut codes = BitReader::new(bytes, 0);
    let mut bits = BitReader::new(bytes, 4 * rest.len());
    let mut joints = Vec::with_capacity(rest.len());
    for rest in rest {
        let code = codes.take(4);
        let rotation = match code & 3 {
            0 => TrackState::Rest,
            1 => {
                let finest = bits.take(PLAIN_FINEST) as i32;
                if finest > FINEST {
                    return fail(bits.at(), "a rotation");
                }
                let width = plain_width(finest);
                let parts = [0; 3].map(|_: u8| bits.take(width) as i32 - (1 << (width - 1)));
                if !parts.iter().all(|part| part.unsigned_abs() <= MOST_TURN << finest) {
                    return fail(bits.at(), "a rotation");
                }
                TrackState::Constant(ConstantRotation::new(rest.rotation, parts, finest))
            }
            2 => TrackState::Moving,
            _ => return fail(codes.at(), "the state of a rotation"),
        };
        let translation = match code >> 2 {
            0 => TrackState::Rest,
            1 => {
                let v = [0; 3].map(|_: u8| f32::from_bits(bits.take(32)));
                if !v.iter().all(|value| value.is_finite()) {
                    return fail(bits.at(), "a translation");
                }
                TrackState::Constant(v)
            }
            2 => TrackState::Moving,
            _ => return fail(codes.at(), "the state of a translation"),
        };
        joints.push(JointState { rotation, translation });
    }
    if bits.at().div_ceil(8) != bytes.len() {
        return fail(8 * bytes.len(), "as many bytes as the joints have");
    }
    Ok(Plan::new(joints))
}

/// Bits of the fineness of a rotation in a plain plan.
const PLAIN_FINEST: u32 = 5;

/// Bits of a part of a rotation of this fineness, with its sign.
fn plain_width(finest: i32) -> u32 {
    finest as u32 + 4
}

/// The plan as plain bits: by joint the two states; then the constants.
#[cfg(feature = "encode")]
pub(crate) fn put_plain(plan: &Plan) -> Vec<u8> {
    let mut bits = crate::bits::BitWriter::default();
    for joint in &plan.joints {
        bits.put(joint.rotation.code() | joint.translation.code() << 2, 4);
    }
    for joint in &plan.joints {
        if let TrackState::Constant(ConstantRotation { parts, bits: finest, .. }) = joint.rotation {
            bits.put(finest as u32, PLAIN_FINEST);
            let width = plain_width(finest);
            parts.iter().for_each(|part| bits.put((part + (1 << (width - 1))) as u32, width));
        }
        if let TrackState::Constant(v) = joint.translation {
            v.iter().for_each(|value| bits.put(value.to_bits(), 32));
        }
    }
    bits.finish()
}

/// Codes constant rotations.
struct Rotations {
    bits: SmallNumbers,
    parts: SmallNumbers,
    last: i32,
}

impl Default for Rotations {
    fn default() -> Rotations {
        Rotations { bits: SmallNumbers::new(), parts: SmallNumbers::new(), last: 0 }
    }
}

impl Rotations {
    fn code<C: BitCoder>(&mut self, coder: &mut C, parts: [i32; 3], bits: i32) -> ([i32; 3], i32) {
        self.last = self.last.wrapping_add(self.bits.code(coder, bits - self.last));
        (parts.map(|part| self.parts.code(coder, part)), self.last)
    }
}

/// Codes a single-precision float bit by bit.
fn single<C: BitCoder>(coder: &mut C, value: f32) -> f32 {
    let bits = value.to_bits();
    let low = coder.even(bits & 0xFFFF, 16);
    f32::from_bits(coder.even(bits >> 16, 16) << 16 | low)
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;
    use mocap_model::{Joint, JointId, Space, Vector3, angle_between, exp};

    fn skeleton() -> Skeleton {
        let joint = |at: u32| Joint::new(format!("j{at}"), at.checked_sub(1).map(JointId), Vector3::x());
        Skeleton::new("", Space::default(), (0..4).map(joint).collect()).unwrap()
    }

    #[test]
    fn constants_read_back_as_precise_as_asked() {
        let skeleton = skeleton();
        let turn = exp(&Vector3::new(0.4, -2.9, 0.01));
        for error in [1e-1, 1e-3, 1e-5] {
            let rotation = ConstantRotation::near(quat::IDENTITY, quat::to_f32(&turn), error);
            assert!(angle_between(&turn, &quat::to_f64(rotation.value)) <= error + 2e-7);
            let still = JointState { rotation: TrackState::Rest, translation: TrackState::Rest };
            let joints = vec![
                still,
                JointState { rotation: TrackState::Constant(rotation), ..still },
                JointState { translation: TrackState::Constant([1.5, -0.0, f32::MIN_POSITIVE]), ..still },
                JointState { rotation: TrackState::Moving, translation: TrackState::Moving },
            ];
            let plan = Plan::new(joints);
            let rest = rest_locals(&skeleton);
            assert_eq!(read_plan(&put_plan(&plan), &rest).as_ref(), Ok(&plan));
            let plain = put_plain(&plan);
            // Every byte counts.
            for length in 0..plain.len() {
                assert!(read_plain(&plain[..length], &rest).is_err(), "{length}");
            }
            assert!(read_plain(&[&plain[..], &[0]].concat(), &rest).is_err());
            assert_eq!(read_plain(&plain, &rest), Ok(plan));
        }
    }

    #[test]
    fn parts_are_those_of_a_rotation() {
        let mut coder = crate::range_coder::RangeEncoder::new();
        Packer::new().put(&mut coder, &[1, 0, 0, 0]);
        Rotations::default().code(&mut coder, [5, 0, 0], 0);
        let malformed = read_plan(&coder.finish(), &rest_locals(&skeleton())).unwrap_err();
        assert_eq!(malformed.expected, "a rotation");
    }
}
