//! Writes map files.

use super::JointMap;
use super::document::{File, PairField, RoleField, SHAPE};
use crate::tagged::emit;
use mocap_model::{JointId, Role, Skeleton};

/// The file of a map: one role per line, in the order of the body. `note` gives the comment of a line.
pub fn to_bytes(
    map: &JointMap,
    source: &Skeleton,
    target: &Skeleton,
    note: impl Fn(Role) -> Option<String>,
) -> Vec<u8> {
    let name = |skeleton: &Skeleton, id: JointId| skeleton.joint(id).name.clone();
    let of = |side: &[(Role, JointId)], skeleton: &Skeleton, role: Role| {
        side.iter().find(|(other, _)| *other == role).map(|(_, id)| name(skeleton, *id))
    };
    let roles = Role::ALL.iter().map(|role| RoleField {
        role: role.name().into(),
        source: of(&map.source, source, *role),
        target: of(&map.target, target, *role),
        note: note(*role),
    });
    let pairs = map.pairs.iter().map(|(from, to)| PairField {
        source: name(source, *from),
        target: name(target, *to),
        note: None,
    });
    let file = File {
        format: SHAPE.format.into(),
        version: SHAPE.version,
        roles: roles
            .filter(|row| row.source.is_some() || row.target.is_some() || row.note.is_some())
            .collect(),
        pairs: pairs.collect(),
    };
    emit(&file, 2)
}
