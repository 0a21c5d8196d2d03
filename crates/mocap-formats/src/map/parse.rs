//! Reads map files.

use super::document::{File, SHAPE};
use super::{JointMap, Problem};
use crate::tagged::{Step, deserialize, locate};
use crate::{Finding, LimitExceeded, Limits, Parsed, text};
use mocap_model::nearest_name;
use mocap_model::{JointId, Role, Skeleton};
use std::collections::HashMap;

/// Reads a map between two skeletons.
///
/// # Errors
/// A finding that names the field by its path, and its line and column; of a name that neither skeleton has, with
/// the nearest that there is.
pub fn parse(
    bytes: &[u8],
    source: &Skeleton,
    target: &Skeleton,
    limits: &Limits,
) -> Result<Parsed<JointMap>, Finding> {
    if bytes.len() > limits.bytes {
        let (found, limit) = (bytes.len(), limits.bytes);
        return Err(Finding::new(LimitExceeded { what: "bytes", found, limit }));
    }
    let text = text::decode(bytes);
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(Finding::new(text::Problem::Empty));
    }
    let file: File = deserialize(&text, &SHAPE)?;
    for (what, found) in [("roles", file.roles.len()), ("pairs", file.pairs.len())] {
        if found > limits.joints {
            return Err(Finding::new(LimitExceeded { what, found, limit: limits.joints }));
        }
    }
    let mut sides = [Side::new("source", source), Side::new("target", target)];
    let mut map = JointMap::default();
    let mut roles: Vec<Role> = Vec::new();
    for (i, field) in file.roles.iter().enumerate() {
        let place = Place { text: &text, list: "roles", index: i };
        let role: Role = field.role.parse().map_err(|_| {
            let names = Role::ALL.iter().map(|role| role.name());
            let nearest = nearest_name(&field.role, names).map(str::to_owned);
            place.error("role", |path| Problem::UnknownRole { path, name: field.role.clone(), nearest })
        })?;
        if roles.contains(&role) {
            return Err(place.error("role", |path| Problem::RepeatedRole { path, role }));
        }
        roles.push(role);
        for (side, name) in sides.iter_mut().zip([&field.source, &field.target]) {
            if let Some(name) = name {
                let joint = side.joint(name, &place)?;
                let list = if side.which == "source" { &mut map.source } else { &mut map.target };
                list.push((role, joint));
            }
        }
    }
    for (i, field) in file.pairs.iter().enumerate() {
        let place = Place { text: &text, list: "pairs", index: i };
        let [from, to] = &mut sides;
        map.pairs.push((from.joint(&field.source, &place)?, to.joint(&field.target, &place)?));
    }
    Ok(Parsed { value: map, warnings: Vec::new() })
}

/// An entry of the file.
struct Place<'a> {
    text: &'a [u8],
    list: &'static str,
    index: usize,
}

impl Place<'_> {
    fn error(&self, key: &'static str, problem: impl FnOnce(String) -> Problem) -> Finding {
        let span = locate(self.text, &[Step::Key(self.list), Step::Index(self.index), Step::Key(key)]);
        Finding::new(problem(format!("{}[{}].{key}", self.list, self.index))).at(self.text, span)
    }
}

/// One of the two skeletons, and which of its joints are mapped so far.
struct Side<'a> {
    which: &'static str,
    skeleton: &'a Skeleton,
    joints: HashMap<&'a str, JointId>,
    named: HashMap<JointId, String>,
}

impl<'a> Side<'a> {
    fn new(which: &'static str, skeleton: &'a Skeleton) -> Side<'a> {
        let joints = skeleton.iter().map(|(id, joint)| (joint.name.as_str(), id)).collect();
        Side { which, skeleton, joints, named: HashMap::new() }
    }

    fn joint(&mut self, name: &str, place: &Place) -> Result<JointId, Finding> {
        let which = self.which;
        let name = name.to_owned();
        let Some(&joint) = self.joints.get(name.as_str()) else {
            let joints = self.skeleton.joints().iter().filter(|joint| !joint.end_site);
            let nearest = nearest_name(&name, joints.map(|joint| joint.name.as_str())).map(str::to_owned);
            return Err(place.error(which, |path| Problem::UnknownJoint { path, which, name, nearest }));
        };
        if self.skeleton.joint(joint).end_site {
            return Err(place.error(which, |path| Problem::EndSite { path, which, name }));
        }
        if let Some(before) = self.named.get(&joint).cloned() {
            return Err(place.error(which, |path| Problem::RepeatedJoint { path, which, name, before }));
        }
        self.named.insert(joint, format!("{}[{}]", place.list, place.index));
        Ok(joint)
    }
}
