//! Several characters as trees of one skeleton.

use super::Character;
use super::split::{name_of_tree, shape_names};
use crate::{
    Annotations, Body, BoundBody, Chain, Clip, Coupling, Joint, JointId, JointTracks, ModelError,
    ScalarTrack, Skeleton, Track,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Rates that differ by less, relatively, are the same.
const SAME_RATE: f64 = 1e-6;

/// Two or more characters as one.
pub(super) fn merged(mut all: Vec<Character>) -> Result<Character, ModelError> {
    make_names_unique(&mut all);
    for at in 1..all.len() {
        let (first, rest) = all.split_at_mut(at);
        in_one_space_and_time(&first[0], &mut rest[0])?;
    }
    prefix_joints(&mut all)?;
    prefix_scalars(&mut all)?;
    let annotations = annotations(&all);
    let first = &all[0].clip;
    let (rate, frames, first) = (first.rate(), first.frames(), first.skeleton().clone());
    let count = all.iter().map(|one| one.skeleton().len()).sum();
    let (mut joints, mut tracks): (Vec<Joint>, Vec<JointTracks>) = (Vec::with_capacity(count), Vec::new());
    let mut chains: Vec<Chain> = Vec::new();
    let mut couplings: Vec<Coupling> = Vec::new();
    let mut body = Body::default();
    for character in all {
        let before = joints.len() as u32;
        let moved = |id: JointId| JointId(id.0 + before);
        let skeleton = character.skeleton().clone();
        joints.extend(
            skeleton.joints().iter().map(|joint| Joint { parent: joint.parent.map(moved), ..joint.clone() }),
        );
        tracks.extend(character.clip.into_tracks());
        for chain in skeleton.chains() {
            let taken = chains.iter().any(|other| other.name == chain.name);
            let name = if taken { prefixed(&character.name, &chain.name) } else { chain.name.clone() };
            chains.push(Chain { name, base: moved(chain.base), tip: moved(chain.tip) });
        }
        for coupling in skeleton.couplings() {
            let taken = couplings.iter().any(|other| other.name == coupling.name);
            let name = if taken { prefixed(&character.name, &coupling.name) } else { coupling.name.clone() };
            let own = coupling.with_joints(|id| Some(moved(id)));
            couplings.extend(own.map(|coupling| Coupling { name, ..coupling }));
        }
        if let Some(bound) = &character.body {
            body.append(bound.on(&skeleton), before);
        }
    }
    let skeleton = Skeleton::new(first.name(), *first.space(), joints)?;
    let skeleton = Arc::new(skeleton.with_chains(chains)?.with_couplings(couplings)?);
    let clip = Clip::new(skeleton.clone(), rate, frames, tracks)?.with_annotations(annotations)?;
    let body = (!body.meshes.is_empty()).then(|| BoundBody { body: Arc::new(body), skeleton });
    Ok(Character { name: String::new(), clip, body })
}

/// Makes the names of characters unique.
fn make_names_unique(all: &mut [Character]) {
    let mut taken: HashSet<String> = HashSet::with_capacity(all.len());
    for at in 0..all.len() {
        let own = match all[at].name.is_empty() {
            true => name_of_tree(all[at].skeleton(), JointId(0)).to_owned(),
            false => all[at].name.clone(),
        };
        let mut name = own.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{own}_{number}");
        }
        all[at].name = name;
    }
}

/// Brings a character into the axes and unit of the first one.
fn in_one_space_and_time(first: &Character, other: &mut Character) -> Result<(), ModelError> {
    let apart = |expected: String, found: String| ModelError::SceneApart {
        first: first.name.clone(),
        name: other.name.clone(),
        expected,
        found,
    };
    let (one, two) = (&first.clip, &other.clip);
    if one.frames() != two.frames() {
        let frames = |clip: &Clip| format!("{} frames", clip.frames());
        return Err(apart(frames(one), frames(two)));
    }
    if (two.rate().fps() / one.rate().fps() - 1.0).abs() > SAME_RATE {
        let rate = |clip: &Clip| format!("{} frames per second", clip.rate().fps());
        return Err(apart(rate(one), rate(two)));
    }
    let [space, own] = [one, two].map(|clip| *clip.skeleton().space());
    if space.unit.is_some() != own.unit.is_some() {
        let unit = |known: bool| if known { "a known unit" } else { "an unknown unit" }.to_owned();
        return Err(apart(unit(space.unit.is_some()), unit(own.unit.is_some())));
    }
    if (space.up, space.forward, space.metres()) != (own.up, own.forward, own.metres()) {
        other.clip = two.in_space(space)?;
    }
    Ok(())
}

/// Prefixes the names of joints with the name of their character, where that name would be lost or a joint of another
/// character has the same name.
fn prefix_joints(all: &mut [Character]) -> Result<(), ModelError> {
    let mut owners: HashMap<String, usize> = HashMap::new();
    let mut clash = vec![false; all.len()];
    for (at, character) in all.iter().enumerate() {
        for joint in character.skeleton().joints() {
            if let Some(other) = owners.insert(joint.name.clone(), at) {
                clash[other] = true;
                clash[at] = true;
            }
        }
    }
    for (character, clash) in all.iter_mut().zip(clash) {
        if !clash && name_of_tree(character.skeleton(), JointId(0)) == character.name {
            continue;
        }
        let name = character.name.clone();
        let rename = |skeleton: &Skeleton| {
            skeleton.with_joints(|joint| joint.name = prefixed(&name, &joint.name)).map(Arc::new)
        };
        let renamed = rename(character.skeleton())?;
        character.clip = character.clip.clone().with_skeleton(renamed)?;
        if let Some(bound) = &mut character.body {
            bound.skeleton = rename(&bound.skeleton)?;
        }
    }
    Ok(())
}

/// `Alice:Hips`; names with this prefix are unchanged.
fn prefixed(character: &str, name: &str) -> String {
    let has = name.strip_prefix(character).is_some_and(|rest| rest.starts_with(':'));
    if has { name.to_owned() } else { format!("{character}:{name}") }
}

/// Prefixes scalar tracks and shapes with the name of their character, where another character has them with other
/// values.
fn prefix_scalars(all: &mut [Character]) -> Result<(), ModelError> {
    let mut known: HashMap<String, Option<Track<f64>>> = HashMap::new();
    for character in all.iter_mut() {
        let scalars = &character.clip.annotations().scalars;
        let value =
            |name: &str| scalars.iter().find(|track| track.name == name).map(|track| track.values.clone());
        let mut names: Vec<String> = scalars.iter().map(|track| track.name.clone()).collect();
        names.extend(shape_names(character.body.as_ref()).into_iter().map(str::to_owned));
        names.sort_unstable();
        names.dedup();
        let mut renamed: HashMap<String, String> = HashMap::new();
        for name in names {
            let values = value(&name);
            match known.get(&name) {
                Some(other) if *other != values => {
                    let to = prefixed(&character.name, &name);
                    known.insert(to.clone(), values);
                    renamed.insert(name, to);
                }
                _ => {
                    known.insert(name, values);
                }
            }
        }
        if renamed.is_empty() {
            continue;
        }
        let to = |name: &mut String| {
            if let Some(other) = renamed.get(name) {
                name.clone_from(other);
            }
        };
        let mut annotations = character.clip.annotations().clone();
        annotations.scalars.iter_mut().for_each(|track| to(&mut track.name));
        character.clip = character.clip.clone().with_annotations(annotations)?;
        if let Some(bound) = &mut character.body {
            let body = Arc::make_mut(&mut bound.body);
            body.meshes.iter_mut().flat_map(|mesh| &mut mesh.shapes).for_each(|shape| to(&mut shape.name));
        }
    }
    Ok(())
}

/// The first name of a clip, all numbers over time, and all events, each once.
fn annotations(all: &[Character]) -> Annotations {
    let each = || all.iter().map(|character| character.clip.annotations());
    let name = each().map(|one| &one.name).find(|name| !name.is_empty()).cloned().unwrap_or_default();
    let mut scalars: Vec<ScalarTrack> = Vec::new();
    for track in each().flat_map(|one| &one.scalars) {
        if !scalars.iter().any(|known| known.name == track.name) {
            scalars.push(track.clone());
        }
    }
    let mut events = Vec::new();
    for event in each().flat_map(|one| &one.events) {
        if !events.contains(event) {
            events.push(event.clone());
        }
    }
    Annotations { name, scalars, events }
}
