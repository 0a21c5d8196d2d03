//! Finds the joints that bind points name in a scene.

use mocap_model::{Character, JointId, Scene, Skeleton, name_of_tree};
use mocap_retarget::map_roles_in;

use super::text::BindPoint;
use crate::EditError;

/// A joint of a scene, and the root of the subtree that moves with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Index in the characters, then the props.
    pub owner: usize,
    /// The first joint of the named character, prop or tree.
    pub top: JointId,
    pub joint: JointId,
}

/// All characters and props of a scene, in the order of [`Place::owner`].
pub(super) fn everyone(scene: &Scene) -> impl Iterator<Item = &Character> {
    scene.characters.iter().chain(&scene.props)
}

/// Finds a bind point.
pub(super) fn find(scene: &Scene, point: &BindPoint, edit: &'static str) -> Result<Place, EditError> {
    let (owner, top) = who(scene, &point.who).ok_or_else(|| EditError::BindPoint {
        edit,
        what: "is called",
        name: point.who.clone(),
        near: props_first(scene, near(&point.who, &names(scene))),
    })?;
    let character = everyone(scene).nth(owner).expect("it was found there");
    let skeleton = character.skeleton();
    let Some(name) = &point.joint else { return Ok(Place { owner, top, joint: top }) };
    let joint = joint(character, top, name).ok_or_else(|| {
        let roles = map_roles_in(&character.clip).certain();
        let names = skeleton.subtree(top).into_iter().flat_map(|id| {
            let role = roles.role(id).map(|role| role.to_string());
            std::iter::once(skeleton.joint(id).name.clone()).chain(role)
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names.dedup();
        EditError::BindPoint {
            edit,
            what: "is a bind point called",
            name: point.to_string(),
            near: near(name, &names),
        }
    })?;
    Ok(Place { owner, top, joint })
}

/// By the name of a character or prop, of a tree, of a joint, then by the role of a joint.
fn who(scene: &Scene, name: &str) -> Option<(usize, JointId)> {
    let all = || everyone(scene).enumerate();
    let by_name = all().find(|(_, one)| one.name == name).map(|(owner, _)| (owner, JointId(0)));
    let tree = |(owner, one): (usize, &Character)| {
        let skeleton = one.skeleton();
        let found = skeleton.roots().find(|root| name_of_tree(skeleton, *root) == name);
        Some((owner, found?))
    };
    by_name
        .or_else(|| all().find_map(tree))
        .or_else(|| all().find_map(|(owner, one)| Some((owner, one.skeleton().find(name)?))))
        .or_else(|| {
            let role = name.parse().ok()?;
            all().find_map(|(owner, one)| Some((owner, map_roles_in(&one.clip).certain().joint(role)?)))
        })
}

/// The joint with a name at or below `top`: exactly, without the prefix of a character, by role, then ignoring case.
fn joint(character: &Character, top: JointId, name: &str) -> Option<JointId> {
    let skeleton = character.skeleton();
    let below = |id: &JointId| skeleton.is_in_subtree(*id, top);
    let plain = |id: &JointId| {
        let own = &skeleton.joint(*id).name;
        own.rsplit_once(':').map_or(own.as_str(), |(_, own)| own)
    };
    let all = || skeleton.iter().map(|(id, _)| id).filter(below);
    let exact = skeleton.find(name).filter(below).or_else(|| all().find(|id| plain(id) == name));
    exact
        .or_else(|| {
            let roles = map_roles_in(&character.clip).certain();
            roles.joint(name.parse().ok()?).filter(below)
        })
        .or_else(|| {
            let mut same = all().filter(|id| plain(id).eq_ignore_ascii_case(name));
            same.next().filter(|_| same.next().is_none())
        })
}

/// All names that a bind point can start with, for messages.
fn names(scene: &Scene) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let trees = |one: &Character, skeleton: &Skeleton| {
        let trees: Vec<String> =
            skeleton.roots().map(|root| name_of_tree(skeleton, root).to_owned()).collect();
        std::iter::once(one.name.clone()).chain(trees)
    };
    for name in everyone(scene).flat_map(|one| trees(one, one.skeleton())) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    // A joint may be named without whose it is, also by its role.
    for one in everyone(scene) {
        let roles = map_roles_in(&one.clip).certain();
        for (id, joint) in one.skeleton().iter() {
            let role = roles.role(id).map(|role| role.to_string());
            names.extend(std::iter::once(joint.name.clone()).chain(role));
        }
    }
    let mut known = std::collections::HashSet::new();
    names.retain(|name| known.insert(name.clone()));
    names
}

/// Names with those of the props before them: they come from inside their files, and may be like nothing that was
/// asked for.
fn props_first(scene: &Scene, near: Vec<String>) -> Vec<String> {
    let props: Vec<String> =
        scene.props.iter().map(|prop| prop.name.clone()).filter(|name| !name.is_empty()).take(3).collect();
    let others = near.into_iter().filter(|name| !props.contains(name)).collect::<Vec<_>>();
    [props, others].concat()
}

/// At most three names, the nearest first; those of a short list always.
fn near(wanted: &str, names: &[String]) -> Vec<String> {
    /// Lists of up to this many names are shown whole.
    const FEW: usize = 6;
    let wanted = wanted.to_lowercase();
    let mut found: Vec<(usize, &String)> =
        names.iter().map(|name| (strsim::osa_distance(&wanted, &name.to_lowercase()), name)).collect();
    found.sort_by_key(|(changes, _)| *changes);
    let count = if names.len() <= FEW { FEW } else { 3 };
    found.into_iter().take(count).map(|(_, name)| name.clone()).collect()
}
