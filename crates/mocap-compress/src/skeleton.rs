//! Encodes the skeleton: everything that [`Skeleton`] holds; offsets are rounded to a share of the tolerance.

use crate::OpenLimits;
use crate::offsets::{Likeness, Offsets};
#[cfg(feature = "encode")]
use crate::packed::fill_up;
use crate::packed::{Packer, fits};
use crate::range_coder::RangeDecoder;
use crate::small_numbers::SmallNumbers;
use crate::wire::{Malformed, Reader};
use crate::wire::{put_float, put_number, put_text};
use mocap_model::{
    Axis, Chain, Dofs, EulerOrder, Joint, JointId, Limit, Role, SignedAxis, Skeleton, Space, Unit,
    UnitQuaternion, UnitSource, Vector3,
};
use nalgebra::Quaternion;

/// An end site whose name is its parent's name plus this suffix is stored without a name.
const END: &str = "_End";
/// Greatest number of bytes of implied names per byte of the structure.
const IMPLIED: usize = 64;
/// Units of a stored rotation parameter per 1: three modified Rodrigues parameters.
const TURN: f64 = (1 << 24) as f64;
/// Whole numbers of steps in a stored offset are below this.
#[cfg(feature = "encode")]
const MOST_STEPS: f64 = (1 << 27) as f64;
/// By number of decimals; a constant table, because computed powers need not be exact.
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
    let mut packer = Packer::new();
    packer.put(&mut coder, &bytes);
    let mut rotations = [SmallNumbers::new(); 2];
    let mut offsets = Offsets::new();
    for (joint, steps) in skeleton.joints().iter().zip(steps.chunks(3)) {
        for (numbers, rotation) in rotations.iter_mut().zip([&joint.rest_rotation, &joint.dofs.frame]) {
            if *rotation != UnitQuaternion::identity() {
                rodrigues(rotation).iter().for_each(|part| {
                    numbers.code(&mut coder, (part * TURN).round() as i32);
                });
            }
        }
        if in_steps {
            let offset = [0, 1, 2].map(|axis| steps[axis] as i32);
            let likeness = offsets.likeness_of(offset);
            offsets.code(&mut coder, likeness, offset);
        }
    }
    let mut section = coder.finish();
    fill_up(&mut section, bytes.len());
    (section, bytes.len())
}

/// Everything of the skeleton except rotations and offsets.
fn put_structure(skeleton: &Skeleton) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_text(&mut bytes, skeleton.name());
    put_space(&mut bytes, skeleton.space());
    put_number(&mut bytes, skeleton.len() as u64);
    let mut kinds: Vec<[u8; 3]> = Vec::new();
    let mut path = Path::default();
    for (id, joint) in skeleton.iter() {
        let kind = kind(joint);
        let known = kinds.iter().position(|known| *known == kind);
        put_number(&mut bytes, known.unwrap_or(kinds.len()) as u64);
        if known.is_none() {
            bytes.extend(kind);
            kinds.push(kind);
        }
        let up = path.up_to(joint.parent.map(JointId::index));
        put_number(&mut bytes, up as u64);
        path.add(id.index(), up).expect("a joint behind its parent");
    }
    let mut left_out = 0;
    for joint in skeleton.joints() {
        let parent = joint.parent.map(|parent| &skeleton.joints()[parent.index()].name);
        let follows = parent.is_some_and(|parent| joint.name.strip_suffix(END) == Some(parent.as_str()));
        // Readers reject more, so names beyond this limit are written.
        let implied = follows && left_out + joint.name.len() <= bytes.len() * IMPLIED;
        left_out += if implied { joint.name.len() } else { 0 };
        put_text(&mut bytes, if implied { "" } else { &joint.name });
        if joint.dofs.has_limits() {
            for limit in &joint.dofs.limits {
                let sides = limit.map_or([f64::NAN; 2], |limit| [limit.min, limit.max]);
                // Limits may be open on one side, or absent.
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

/// Flags of a joint.
const END_SITE: u8 = 1;
const RESTS: u8 = 1 << 1;
const FRAMED: u8 = 1 << 2;
const LIMITED: u8 = 1 << 3;
const HAS_ROLE: u8 = 1 << 4;

/// Properties that most joints of a skeleton share: flags, axis order, free axes.
fn kind(joint: &Joint) -> [u8; 3] {
    let dofs = &joint.dofs;
    let flags = [
        (END_SITE, joint.end_site),
        (RESTS, joint.rest_rotation != UnitQuaternion::identity()),
        (FRAMED, dofs.frame != UnitQuaternion::identity()),
        (LIMITED, dofs.has_limits()),
        (HAS_ROLE, joint.role.is_some()),
    ];
    let flags = flags.iter().filter(|(_, has)| *has).fold(0, |flags, (flag, _)| flags | flag);
    let order = dofs.order.axes().iter().rev().fold(0, |code, axis| code * 3 + axis.index() as u8);
    let free = dofs.rotation.iter().chain(&dofs.translation);
    [flags, order, free.enumerate().fold(0, |bits, (at, free)| bits | u8::from(*free) << at)]
}

/// The path from the previous joint to its root: most likely one of these is the parent of the next joint.
#[derive(Default)]
struct Path(Vec<usize>);

impl Path {
    /// Position of a parent on the path. The value after its last position stands for no parent; greater ones
    /// stand for other joints.
    fn up_to(&self, parent: Option<usize>) -> usize {
        let Some(parent) = parent else { return self.0.len() };
        let up = self.0.iter().rev().position(|joint| *joint == parent);
        up.unwrap_or(self.0.len() + 1 + parent)
    }

    /// Adds a joint whose parent has this position, and returns the parent. Fails if there is no such joint
    /// before it.
    fn add(&mut self, joint: usize, up: usize) -> Option<Option<usize>> {
        let length = self.0.len();
        if let Some(other) = up.checked_sub(length + 1) {
            self.0.clear();
            self.0.push((other < joint).then_some(other)?);
        } else {
            self.0.truncate(length - up);
        }
        let parent = self.0.last().copied();
        self.0.push(joint);
        Some(parent)
    }
}

fn put_space(bytes: &mut Vec<u8>, space: &Space) {
    bytes.push(direction(space.up) | direction(space.forward) << 3);
    match space.unit {
        None => bytes.push(0),
        Some(unit) => {
            // A guessed unit stays guessed, whatever it was guessed from.
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

/// How the skeleton of another file is converted to that of a clip that was compressed without one: the unit
/// and axes in which the clip was read, and the factor by which it was scaled.
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
    let mut packer = Packer::new();
    if !fits(structure, section.len()) {
        return Err(Malformed { at: 0, expected: "a structure that fits in its section" });
    }
    let bytes = packer.take(&mut coder, structure);
    let mut reader = Reader::new(&bytes);
    let name = reader.text("a name")?;
    let space = space(&mut reader)?;
    let count = reader.number(limits.joints as u64 + 1, "a number of joints within the limit")? as usize;
    let mut kinds: Vec<[u8; 3]> = Vec::new();
    let mut path = Path::default();
    let mut places: Vec<([u8; 3], Option<usize>)> = Vec::new();
    for at in 0..count {
        let kind = reader.number(kinds.len() as u64 + 1, "a kind of joint")? as usize;
        if kind == kinds.len() {
            kinds.push(reader.array("a kind of joint")?);
        }
        let up = reader.number(usize::MAX as u64, "a parent")? as usize;
        let Some(parent) = path.add(at, up) else { return reader.fail("a parent") };
        places.push((kinds[kind], parent));
    }
    let mut joints: Vec<Joint> = Vec::with_capacity(count);
    let mut implied = 0;
    for (kind, parent) in &places {
        let mut name = reader.text("a joint's name")?;
        if let (true, Some(parent)) = (name.is_empty(), *parent) {
            name = format!("{}{END}", joints[parent].name);
            // Implied names in a chain grow with each joint.
            implied += name.len();
            if implied > structure.saturating_mul(IMPLIED) {
                return reader.fail("names within the limit");
            }
        }
        joints.push(joint(&mut reader, name, *kind, parent.map(JointId::from))?);
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
    let mut rotations = [SmallNumbers::new(); 2];
    let mut offsets = Offsets::new();
    for (joint, ([flags, ..], _)) in joints.iter_mut().zip(places) {
        let mut turns = [RESTS, FRAMED].into_iter().zip(&mut rotations).map(|(flag, numbers)| {
            (flags & flag != 0).then(|| rotation([0, 1, 2].map(|_| numbers.code(&mut coder, 0))))
        });
        joint.rest_rotation = turns.next().flatten().unwrap_or_default();
        joint.dofs.frame = turns.next().flatten().unwrap_or_default();
        if let Some(step) = step {
            let Some(steps) = offsets.code(&mut coder, Likeness::default(), [0; 3]) else {
                return reader.fail("a joint with much the same offset");
            };
            joint.offset = Vector3::from(steps.map(|steps| step.length(steps)));
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

/// A joint without its rotations and offset.
fn joint(
    reader: &mut Reader<'_>,
    name: String,
    [flags, order, free]: [u8; 3],
    parent: Option<JointId>,
) -> Result<Joint, Malformed> {
    let order = [order % 3, order / 3 % 3, order / 9 % 3].map(|axis| Axis::ALL[usize::from(axis)]);
    let Some(order) = EulerOrder::new(order) else { return reader.fail("an order of axes") };
    let free: [bool; 6] = std::array::from_fn(|at| free >> at & 1 == 1);
    let mut limits = [None; 3];
    if flags & LIMITED != 0 {
        for limit in &mut limits {
            let [min, max] = [reader.array("a limit")?, reader.array("a limit")?].map(f64::from_le_bytes);
            *limit = (!min.is_nan() && !max.is_nan()).then_some(Limit { min, max });
        }
    }
    let role = match flags & HAS_ROLE != 0 {
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
    Ok(Joint {
        name,
        parent,
        offset: Vector3::zeros(),
        rest_rotation,
        dofs,
        role,
        end_site: flags & END_SITE != 0,
    })
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

    /// The structure of a chain of joints without stored names, cut off after the names; and its
    /// length before packing.
    fn nameless(joints: usize) -> (Vec<u8>, usize) {
        let mut bytes = Vec::new();
        put_text(&mut bytes, "");
        put_space(&mut bytes, &Space::default());
        put_number(&mut bytes, joints as u64);
        for at in 0..joints {
            // One kind; each below the one before.
            put_number(&mut bytes, 0);
            bytes.extend(if at == 0 { &[0, 21, 7][..] } else { &[] });
            put_number(&mut bytes, 0);
        }
        put_text(&mut bytes, "hand");
        (1..joints).for_each(|_| put_text(&mut bytes, ""));
        (crate::packed::pack(&bytes), bytes.len())
    }

    #[test]
    fn implied_names_grow_with_the_file_only() {
        let wanted = |joints| {
            let (section, structure) = nameless(joints);
            unpack(&section, structure, &OpenLimits::default()).unwrap_err().expected
        };
        // Cut off after the names; for 3,000 joints, the implied names would take 18 MB.
        assert_ne!(wanted(20), "names within the limit");
        assert_eq!(wanted(3000), "names within the limit");
    }

    #[test]
    fn parents_are_found_wherever_they_are() {
        // Two roots, a branch, and a joint whose parent is neither the one before nor above it.
        let parents = [None, Some(0), Some(1), Some(0), Some(2), None, Some(5), Some(4), Some(4)];
        let (mut writer, mut reader) = (Path::default(), Path::default());
        for (joint, parent) in parents.into_iter().enumerate() {
            let up = writer.up_to(parent);
            assert_eq!(writer.add(joint, up), Some(parent));
            assert_eq!(reader.add(joint, up), Some(parent));
        }
        let next = parents.len();
        assert_eq!(Path::default().add(0, 1), None, "its own parent");
        assert_eq!(reader.add(next, usize::MAX), None);
    }
}
