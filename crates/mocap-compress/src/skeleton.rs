//! The skeleton as bytes: everything that [`Skeleton`] holds, offsets to a share of the tolerance.

use crate::OpenLimits;
use crate::range_coder::RangeDecoder;
use crate::track::HeadModel;
use crate::wire::{Bytes, Malformed, Reader};
use crate::wire::{put_float, put_number, put_text};
use mocap_model::{
    Axis, Chain, Dofs, EulerOrder, Joint, JointId, Limit, Role, SignedAxis, Skeleton, Space, Unit,
    UnitQuaternion, UnitSource, Vector3,
};
use nalgebra::Quaternion;

/// An end site whose name is its parent's name plus this suffix is stored without a name.
const END: &str = "_End";
/// Bytes of names that are not stored, at most, for each byte of the structure.
const IMPLIED: usize = 64;
/// Parts of one in a stored rotation: three modified Rodrigues parameters.
const TURN: f64 = (1 << 24) as f64;
/// Whole numbers of steps in a stored offset are below this.
const MOST_STEPS: f64 = (1 << 27) as f64;
/// Models of the numbers of a skeleton, behind those of offsets by axis.
const REST: usize = 3;
const FRAME: usize = 4;

/// By number of decimals: exact, as powers that a library computes need not be.
const POWERS_OF_TEN: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A step of offsets: one, two or five at some decimal.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    decimals: u8,
    times: u8,
}

impl Step {
    /// The length of so many steps.
    fn length(self, steps: i32) -> f64 {
        f64::from(steps) * f64::from(self.times) / POWERS_OF_TEN[usize::from(self.decimals)]
    }

    /// The largest step up to a length.
    #[cfg(feature = "encode")]
    fn below(length: f64) -> Step {
        let steps = (0..16).flat_map(|decimals| [5, 2, 1].map(|times| Step { decimals, times }));
        steps.into_iter().find(|step| step.length(1) <= length).unwrap_or(Step { decimals: 15, times: 1 })
    }
}

/// The skeleton as bytes, every number exactly.
pub(crate) fn describe(skeleton: &Skeleton) -> Vec<u8> {
    let mut bytes = put_structure(skeleton);
    for joint in skeleton.joints() {
        let rotations = joint.rest_rotation.coords.iter().chain(&joint.dofs.frame.coords);
        rotations.chain(&joint.offset).for_each(|value| put_float(&mut bytes, *value));
    }
    bytes
}

/// The section of a skeleton whose offsets may be off by half a `share`, and the length of its structure.
#[cfg(feature = "encode")]
pub(crate) fn pack(skeleton: &Skeleton, share: f64) -> (Vec<u8>, usize) {
    use crate::quat::rodrigues;
    let step = Step::below(share);
    let offsets = skeleton.joints().iter().flat_map(|joint| joint.offset.iter().copied());
    let steps: Vec<f64> = offsets.clone().map(|value| (value / step.length(1)).round()).collect();
    let mut bytes = put_structure(skeleton);
    let in_steps = steps.iter().all(|steps| steps.abs() < MOST_STEPS);
    if in_steps {
        bytes.extend([step.times, step.decimals]);
    } else {
        bytes.push(0);
        offsets.for_each(|value| put_float(&mut bytes, value));
    }
    let mut coder = crate::range_coder::RangeEncoder::new();
    let mut packer = Bytes::primed();
    for byte in &bytes {
        packer.code(&mut coder, *byte);
    }
    let mut numbers = HeadModel::new();
    for (joint, steps) in skeleton.joints().iter().zip(steps.chunks(3)) {
        for (set, rotation) in [(REST, &joint.rest_rotation), (FRAME, &joint.dofs.frame)] {
            if *rotation != UnitQuaternion::identity() {
                rodrigues(rotation).iter().for_each(|part| {
                    numbers.number(&mut coder, set, (part * TURN).round() as i32);
                });
            }
        }
        if in_steps {
            steps.iter().enumerate().for_each(|(axis, steps)| {
                numbers.number(&mut coder, axis, *steps as i32);
            });
        }
    }
    (coder.finish(), bytes.len())
}

/// All of the skeleton but rotations and offsets.
fn put_structure(skeleton: &Skeleton) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_text(&mut bytes, skeleton.name());
    put_space(&mut bytes, skeleton.space());
    put_number(&mut bytes, skeleton.len() as u64);
    let mut left_out = 0;
    for (id, joint) in skeleton.iter() {
        let parent = joint.parent.map(|parent| &skeleton.joints()[parent.index()].name);
        let follows = parent.is_some_and(|parent| joint.name.strip_suffix(END) == Some(parent.as_str()));
        // Readers refuse more: what is written up to here is part of the structure.
        let implied = follows && left_out + joint.name.len() <= bytes.len() * IMPLIED;
        left_out += if implied { joint.name.len() } else { 0 };
        put_text(&mut bytes, if implied { "" } else { &joint.name });
        // How far back the parent is; 0 for none.
        put_number(&mut bytes, joint.parent.map_or(0, |parent| u64::from(id.0 - parent.0)));
    }
    for joint in skeleton.joints() {
        let dofs = &joint.dofs;
        let rests = joint.rest_rotation == UnitQuaternion::identity();
        let framed = dofs.frame != UnitQuaternion::identity();
        let mut flags = 0u8;
        for (at, flag) in
            [joint.end_site, !rests, framed, dofs.has_limits(), joint.role.is_some()].into_iter().enumerate()
        {
            flags |= u8::from(flag) << at;
        }
        bytes.push(flags);
        bytes.push(dofs.order.axes().iter().rev().fold(0, |code, axis| code * 3 + axis.index() as u8));
        let free = dofs.rotation.iter().chain(&dofs.translation);
        bytes.push(free.enumerate().fold(0, |bits, (at, free)| bits | u8::from(*free) << at));
        if dofs.has_limits() {
            for limit in &dofs.limits {
                let sides = limit.map_or([f64::NAN; 2], |limit| [limit.min, limit.max]);
                // Sides may be open, or not there.
                sides.iter().for_each(|side| bytes.extend(side.to_le_bytes()));
            }
        }
        if let Some(role) = joint.role {
            put_text(&mut bytes, role.name());
        }
    }
    put_number(&mut bytes, skeleton.chains().len() as u64);
    for chain in skeleton.chains() {
        put_text(&mut bytes, &chain.name);
        put_number(&mut bytes, u64::from(chain.base.0));
        put_number(&mut bytes, u64::from(chain.tip.0));
    }
    bytes
}

fn put_space(bytes: &mut Vec<u8>, space: &Space) {
    bytes.push(direction(space.up) | direction(space.forward) << 3);
    match space.unit {
        None => bytes.push(0),
        Some(unit) => {
            // A guess is a guess, whatever it is made from.
            bytes.push(1 + (unit.source as u8).min(UnitSource::Guessed as u8));
            put_float(bytes, unit.metres);
        }
    }
}

fn direction(axis: SignedAxis) -> u8 {
    axis.axis.index() as u8 * 2 + u8::from(axis.negative)
}

fn axis(code: u8) -> Option<SignedAxis> {
    let axis = *Axis::ALL.get(usize::from(code / 2))?;
    Some(SignedAxis { axis, negative: code % 2 == 1 })
}

/// How the skeleton of another file becomes that of a clip that was compressed without one: the unit and axes in which
/// the clip was read, and the factor by which it was scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) space: Space,
    pub(crate) scale: f64,
}

impl Reading {
    #[cfg(feature = "encode")]
    pub(crate) fn describe(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_space(&mut bytes, &self.space);
        put_float(&mut bytes, self.scale);
        bytes
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Reading, Malformed> {
        let mut reader = Reader::new(bytes);
        let reading = Reading { space: space(&mut reader)?, scale: reader.float("a factor")? };
        match reader.rest() {
            0 => Ok(reading),
            _ => reader.fail("the end of the reading"),
        }
    }

    /// The skeleton in the space and unit of the clip; `None` if a length is then not finite.
    pub(crate) fn of(&self, skeleton: &Skeleton) -> Option<Skeleton> {
        skeleton.with_space(self.space).scaled(self.scale).ok()
    }
}

/// The skeleton of a section, whose structure has this length.
pub(crate) fn unpack(section: &[u8], structure: usize, limits: &OpenLimits) -> Result<Skeleton, Malformed> {
    let mut coder = RangeDecoder::new(section);
    let mut packer = Bytes::primed();
    let bytes: Vec<u8> = (0..structure).map(|_| packer.code(&mut coder, 0)).collect();
    let mut reader = Reader::new(&bytes);
    let name = reader.text("a name")?;
    let space = space(&mut reader)?;
    let count = reader.number(limits.joints as u64 + 1, "a number of joints within the limit")? as usize;
    let mut names: Vec<(String, Option<JointId>)> = Vec::with_capacity(count.min(bytes.len()));
    let mut implied = 0;
    for at in 0..count {
        let mut name = reader.text("a joint's name")?;
        let back = reader.number(at as u64 + 1, "a parent")? as usize;
        if name.is_empty() && back > 0 {
            name = format!("{}{END}", names[at - back].0);
            // Names of a chain of them grow with each joint.
            implied += name.len();
            if implied > structure.saturating_mul(IMPLIED) {
                return reader.fail("names within the limit");
            }
        }
        names.push((name, (back > 0).then(|| JointId::from(at - back))));
    }
    let mut joints = Vec::with_capacity(names.len());
    let mut turned = Vec::with_capacity(names.len());
    for (name, parent) in names {
        let (joint, turns) = joint(&mut reader, name, parent)?;
        joints.push(joint);
        turned.push(turns);
    }
    let chains = reader.number(limits.joints as u64 + 1, "a number of chains")?;
    let mut parsed = Vec::new();
    for _ in 0..chains {
        let name = reader.text("a chain's name")?;
        let [base, tip] = [reader.number(count as u64, "a joint")?, reader.number(count as u64, "a joint")?];
        parsed.push(Chain { name, base: JointId(base as u32), tip: JointId(tip as u32) });
    }
    let step = match reader.byte("a step of offsets")? {
        0 => {
            for joint in &mut joints {
                joint.offset = vector(&mut reader)?;
            }
            None
        }
        times @ (1 | 2 | 5) => match reader.byte("a number of decimals")? {
            decimals @ 0..=15 => Some(Step { decimals, times }),
            _ => return reader.fail("a number of decimals"),
        },
        _ => return reader.fail("a step of offsets"),
    };
    if reader.rest() != 0 {
        return reader.fail("the end of the skeleton");
    }
    let mut numbers = HeadModel::new();
    let mut three = |sets: [usize; 3]| sets.map(|set| numbers.number(&mut coder, set, 0));
    for (joint, [rests, framed]) in joints.iter_mut().zip(turned) {
        if rests {
            joint.rest_rotation = rotation(three([REST; 3]));
        }
        if framed {
            joint.dofs.frame = rotation(three([FRAME; 3]));
        }
        if let Some(step) = step {
            joint.offset = Vector3::from(three([0, 1, 2]).map(|steps| step.length(steps)));
        }
    }
    let skeleton = Skeleton::new(name, space, joints).and_then(|skeleton| skeleton.with_chains(parsed));
    skeleton.or_else(|_| reader.fail("a valid skeleton"))
}

fn space(reader: &mut Reader<'_>) -> Result<Space, Malformed> {
    let axes = reader.byte("two axes")?;
    let (Some(up), Some(forward)) = (axis(axes & 7), axis(axes >> 3)) else { return reader.fail("two axes") };
    if up.axis == forward.axis {
        return reader.fail("two axes across each other");
    }
    let unit = match reader.byte("the source of a unit")? {
        0 => None,
        source @ 1..=3 => {
            let source = [UnitSource::File, UnitSource::Flag, UnitSource::Guessed][usize::from(source) - 1];
            Some(Unit { metres: reader.float("a unit")?, source })
        }
        _ => return reader.fail("the source of a unit"),
    };
    Ok(Space { up, forward, unit })
}

/// A joint, and whether it has a rest rotation and a frame of axes.
fn joint(
    reader: &mut Reader<'_>,
    name: String,
    parent: Option<JointId>,
) -> Result<(Joint, [bool; 2]), Malformed> {
    let flags = reader.byte("a joint's flags")?;
    let flag = |at: u8| flags >> at & 1 == 1;
    let code = reader.byte("an order of axes")?;
    let order = [code % 3, code / 3 % 3, code / 9 % 3].map(|axis| Axis::ALL[usize::from(axis)]);
    let Some(order) = EulerOrder::new(order) else { return reader.fail("an order of axes") };
    let free = reader.byte("degrees of freedom")?;
    let free: [bool; 6] = std::array::from_fn(|at| free >> at & 1 == 1);
    let mut limits = [None; 3];
    if flag(3) {
        for limit in &mut limits {
            let [min, max] = [reader.array("a limit")?, reader.array("a limit")?].map(f64::from_le_bytes);
            *limit = (!min.is_nan() && !max.is_nan()).then_some(Limit { min, max });
        }
    }
    let role = match flag(4) {
        true => match reader.text("a role")?.parse::<Role>() {
            Ok(role) => Some(role),
            Err(_) => return reader.fail("a role"),
        },
        false => None,
    };
    let dofs = Dofs {
        order,
        frame: UnitQuaternion::identity(),
        rotation: [free[0], free[1], free[2]],
        translation: [free[3], free[4], free[5]],
        limits,
    };
    let rest_rotation = UnitQuaternion::identity();
    let joint =
        Joint { name, parent, offset: Vector3::zeros(), rest_rotation, dofs, role, end_site: flag(0) };
    Ok((joint, [flag(1), flag(2)]))
}

fn vector(reader: &mut Reader<'_>) -> Result<Vector3<f64>, Malformed> {
    Ok(Vector3::new(reader.float("an offset")?, reader.float("an offset")?, reader.float("an offset")?))
}

/// The rotation of stored parameters.
fn rotation(parts: [i32; 3]) -> UnitQuaternion<f64> {
    let r = Vector3::from(parts.map(f64::from)) / TURN;
    let square = r.norm_squared();
    UnitQuaternion::new_normalize(Quaternion::from_parts(16.0 - square, r * 8.0))
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;

    /// A structure of a chain of joints without names, as far as its names.
    fn nameless(joints: usize) -> (Vec<u8>, usize) {
        let mut bytes = Vec::new();
        put_text(&mut bytes, "");
        put_space(&mut bytes, &Space::default());
        put_number(&mut bytes, joints as u64);
        put_text(&mut bytes, "hand");
        put_number(&mut bytes, 0);
        for _ in 1..joints {
            put_text(&mut bytes, "");
            put_number(&mut bytes, 1);
        }
        let mut coder = crate::range_coder::RangeEncoder::new();
        let mut packer = Bytes::primed();
        for byte in &bytes {
            packer.code(&mut coder, *byte);
        }
        (coder.finish(), bytes.len())
    }

    #[test]
    fn implied_names_grow_with_the_file_only() {
        let wanted = |joints| {
            let (section, structure) = nameless(joints);
            unpack(&section, structure, &OpenLimits::default()).unwrap_err().expected
        };
        // Cut after its names; of 3,000 joints they would have 18 MB.
        assert_ne!(wanted(20), "names within the limit");
        assert_eq!(wanted(3000), "names within the limit");
    }
}
