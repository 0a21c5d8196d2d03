//! The skeleton as bytes: everything that [`Skeleton`] holds, numbers to the bit.

use crate::OpenLimits;
use crate::wire::{Malformed, Reader};
use crate::wire::{put_float, put_number, put_text};
use mocap_model::{
    Axis, Chain, Dofs, EulerOrder, Joint, JointId, Limit, Role, SignedAxis, Skeleton, Space, Unit,
    UnitQuaternion, UnitSource, Vector3,
};
use nalgebra::Quaternion;

/// The skeleton as bytes.
pub(crate) fn describe(skeleton: &Skeleton) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_text(&mut bytes, skeleton.name());
    put_space(&mut bytes, skeleton.space());
    put_number(&mut bytes, skeleton.len() as u64);
    for (id, joint) in skeleton.iter() {
        put_text(&mut bytes, &joint.name);
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
        if !rests {
            joint.rest_rotation.coords.iter().for_each(|value| put_float(&mut bytes, *value));
        }
        if framed {
            dofs.frame.coords.iter().for_each(|value| put_float(&mut bytes, *value));
        }
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
    for joint in skeleton.joints() {
        joint.offset.iter().for_each(|value| put_float(&mut bytes, *value));
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

    /// The skeleton as the clip has it; `None` where a length is not finite then.
    pub(crate) fn of(&self, skeleton: &Skeleton) -> Option<Skeleton> {
        skeleton.with_space(self.space).scaled(self.scale).ok()
    }
}

/// The skeleton of a description.
pub(crate) fn parse(bytes: &[u8], limits: &OpenLimits) -> Result<Skeleton, Malformed> {
    let mut reader = Reader::new(bytes);
    let name = reader.text("a name")?;
    let space = space(&mut reader)?;
    let count = reader.number(limits.joints as u64 + 1, "a number of joints within the limit")? as usize;
    let mut names = Vec::with_capacity(count.min(bytes.len()));
    for at in 0..count {
        let name = reader.text("a joint's name")?;
        let back = reader.number(at as u64 + 1, "a parent")? as usize;
        names.push((name, (back > 0).then(|| JointId::from(at - back))));
    }
    let mut joints = Vec::with_capacity(names.len());
    for (name, parent) in names {
        joints.push(joint(&mut reader, name, parent)?);
    }
    for joint in &mut joints {
        joint.offset = vector(&mut reader)?;
    }
    let chains = reader.number(limits.joints as u64 + 1, "a number of chains")?;
    let mut parsed = Vec::new();
    for _ in 0..chains {
        let name = reader.text("a chain's name")?;
        let [base, tip] = [reader.number(count as u64, "a joint")?, reader.number(count as u64, "a joint")?];
        parsed.push(Chain { name, base: JointId(base as u32), tip: JointId(tip as u32) });
    }
    if reader.rest() != 0 {
        return reader.fail("the end of the skeleton");
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

fn joint(reader: &mut Reader<'_>, name: String, parent: Option<JointId>) -> Result<Joint, Malformed> {
    let flags = reader.byte("a joint's flags")?;
    let flag = |at: u8| flags >> at & 1 == 1;
    let code = reader.byte("an order of axes")?;
    let order = [code % 3, code / 3 % 3, code / 9 % 3].map(|axis| Axis::ALL[usize::from(axis)]);
    let Some(order) = EulerOrder::new(order) else { return reader.fail("an order of axes") };
    let free = reader.byte("degrees of freedom")?;
    let free: [bool; 6] = std::array::from_fn(|at| free >> at & 1 == 1);
    let rest_rotation = if flag(1) { rotation(reader)? } else { UnitQuaternion::identity() };
    let frame = if flag(2) { rotation(reader)? } else { UnitQuaternion::identity() };
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
        frame,
        rotation: [free[0], free[1], free[2]],
        translation: [free[3], free[4], free[5]],
        limits,
    };
    Ok(Joint { name, parent, offset: Vector3::zeros(), rest_rotation, dofs, role, end_site: flag(0) })
}

fn vector(reader: &mut Reader<'_>) -> Result<Vector3<f64>, Malformed> {
    Ok(Vector3::new(reader.float("an offset")?, reader.float("an offset")?, reader.float("an offset")?))
}

fn rotation(reader: &mut Reader<'_>) -> Result<UnitQuaternion<f64>, Malformed> {
    let mut parts = [0.0; 4];
    for part in &mut parts {
        *part = reader.float("a rotation")?;
    }
    let [i, j, k, w] = parts;
    let q = Quaternion::new(w, i, j, k);
    if (q.norm() - 1.0).abs() > 1e-6 {
        return reader.fail("a rotation of length one");
    }
    Ok(UnitQuaternion::new_unchecked(q))
}
