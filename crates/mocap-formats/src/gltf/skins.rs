//! Repairs joints and weights of vertices in a file that is written again, as the reader repairs them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::build::{Builder, FLOAT, Shape, UNSIGNED_BYTE, UNSIGNED_SHORT, VERTICES};
use super::document::Document;
use super::root::Primitive;
use crate::Limits;

/// Number of sets of four influences that are checked, as in the reader.
const SETS: usize = 16;
/// Tolerance of the sum of weights; beyond it they are normalised, as in the reader.
const SUM: f64 = 0.02;

/// The repaired joints and weights of a primitive: set after set, four per vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Repaired {
    joints: Vec<Vec<u16>>,
    /// `None` where those of the file are valid.
    weights: Option<Vec<Vec<f32>>>,
}

/// Repaired attributes by mesh and primitive, where those of the file are invalid.
pub(super) type AllRepaired = BTreeMap<(usize, usize), Repaired>;

/// Finds vertices with a joint of weight 0, a joint listed twice, or weights that do not sum to 1;
/// in skins of one joint, also attributes that cannot be read or have another length than the
/// vertices.
pub(super) fn mended(document: &Document, limits: &Limits) -> AllRepaired {
    let mut found = AllRepaired::new();
    for node in &document.root.nodes {
        let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else { continue };
        let bones = document.root.skins.get(skin).map_or(0, |skin| skin.joints.len());
        let primitives = document.root.meshes.get(mesh).map(|mesh| &mesh.primitives);
        for (number, primitive) in primitives.into_iter().flatten().enumerate() {
            if let Some(one) = of_primitive(document, primitive, bones, limits) {
                found.insert((mesh, number), one);
            }
        }
    }
    found
}

fn of_primitive(
    document: &Document,
    primitive: &Primitive,
    bones: usize,
    limits: &Limits,
) -> Option<Repaired> {
    let attribute = |name: String| primitive.attributes.get(&name).copied();
    let sets: Vec<(usize, usize)> = (0..SETS)
        .map_while(|set| Some((attribute(format!("JOINTS_{set}"))?, attribute(format!("WEIGHTS_{set}"))?)))
        .collect();
    let positions = attribute("POSITION".into())?;
    let count = document.root.accessors.get(positions)?.count;
    if sets.is_empty() || count.saturating_mul(4 * sets.len()) > limits.frames {
        return None;
    }
    let values = |accessor: usize| document.floats(accessor, "VEC4", "", limits).ok();
    let read = |(joints, weights): &(usize, usize)| {
        let pair = (values(*joints)?, values(*weights)?);
        (pair.0.len() == 4 * count && pair.1.len() == 4 * count).then_some(pair)
    };
    match sets.iter().map(read).collect::<Option<Vec<_>>>() {
        Some(all) => repaired(&all, count),
        // All vertices follow the only joint.
        None if bones == 1 => {
            let first =
                |set: usize| (0..4 * count).map(move |at| f32::from(u8::from(set == 0 && at % 4 == 0)));
            Some(Repaired {
                joints: vec![vec![0; 4 * count]; sets.len()],
                weights: Some((0..sets.len()).map(|set| first(set).collect()).collect()),
            })
        }
        None => None,
    }
}

/// The repaired joints and weights of a primitive with `count` vertices; `None` where nothing is wrong.
fn repaired(all: &[(Vec<f64>, Vec<f64>)], count: usize) -> Option<Repaired> {
    // If only joints without weight are wrong, the others keep their slots, and the weights of the file stay.
    let mut in_place: Vec<Vec<u16>> = vec![vec![0; 4 * count]; all.len()];
    let mut joints = in_place.clone();
    let mut weights: Vec<Vec<f32>> = vec![vec![0.0; 4 * count]; all.len()];
    let (mut other_joints, mut other_weights) = (false, false);
    for vertex in 0..count {
        let mut known: Vec<(f64, f64)> = Vec::with_capacity(4 * all.len());
        for (set, (joints, weights)) in all.iter().enumerate() {
            for at in 4 * vertex..4 * vertex + 4 {
                let (joint, weight) = (joints[at], weights[at]);
                if weight <= 0.0 {
                    other_joints |= joint != 0.0;
                    other_weights |= weight < 0.0;
                    continue;
                }
                in_place[set][at] = joint as u16;
                match known.iter_mut().find(|(other, _)| *other == joint) {
                    Some(same) => {
                        same.1 += weight;
                        other_weights = true;
                    }
                    None => known.push((joint, weight)),
                }
            }
        }
        let sum: f64 = known.iter().map(|(_, weight)| weight).sum();
        other_weights |= (sum - 1.0).abs() > SUM;
        if known.is_empty() {
            // A vertex without weights follows the first joint.
            known.push((0.0, 1.0));
        }
        let sum = if sum > 0.0 { sum } else { 1.0 };
        for (place, (joint, weight)) in known.into_iter().enumerate() {
            joints[place / 4][4 * vertex + place % 4] = joint as u16;
            weights[place / 4][4 * vertex + place % 4] = (weight / sum) as f32;
        }
    }
    match (other_joints, other_weights) {
        (_, true) => Some(Repaired { joints, weights: Some(weights) }),
        (true, false) => Some(Repaired { joints: in_place, weights: None }),
        (false, false) => None,
    }
}

/// Removes the attributes that are repaired, so that their old values are dropped.
pub(super) fn take_out(json: &mut serde_json::Map<String, Value>, all: &AllRepaired) {
    for (place, mended) in all {
        let Some(attributes) = attributes(json, *place) else { continue };
        for set in 0..mended.joints.len() {
            attributes.remove(&format!("JOINTS_{set}"));
            if mended.weights.is_some() {
                attributes.remove(&format!("WEIGHTS_{set}"));
            }
        }
    }
}

/// Adds the repaired attributes. Primitives with the same values share them.
pub(super) fn put_in(builder: &mut Builder, all: &AllRepaired) {
    let mut written: Vec<(&Repaired, Vec<(String, usize)>)> = Vec::new();
    for (place, mended) in all {
        let known = written.iter().find(|(other, _)| *other == mended).map(|(_, named)| named.clone());
        let named = known.unwrap_or_else(|| add(builder, mended));
        if let Some(attributes) = attributes(&mut builder.json, *place) {
            for (name, accessor) in &named {
                attributes.insert(name.clone(), (*accessor).into());
            }
        }
        written.push((mended, named));
    }
}

fn add(builder: &mut Builder, mended: &Repaired) -> Vec<(String, usize)> {
    let mut named = Vec::new();
    for (set, joints) in mended.joints.iter().enumerate() {
        let count = joints.len() / 4;
        let shape =
            |component| Shape { component, kind: "VEC4", count, normalized: false, target: Some(VERTICES) };
        let (bytes, component): (Vec<u8>, u32) = match joints.iter().all(|joint| *joint < 256) {
            true => (joints.iter().map(|joint| *joint as u8).collect(), UNSIGNED_BYTE),
            false => (joints.iter().flat_map(|joint| joint.to_le_bytes()).collect(), UNSIGNED_SHORT),
        };
        named.push((format!("JOINTS_{set}"), builder.accessor(&bytes, shape(component), None)));
        if let Some(weights) = &mended.weights {
            let bytes: Vec<u8> = weights[set].iter().flat_map(|weight| weight.to_le_bytes()).collect();
            named.push((format!("WEIGHTS_{set}"), builder.accessor(&bytes, shape(FLOAT), None)));
        }
    }
    named
}

fn attributes(
    json: &mut serde_json::Map<String, Value>,
    (mesh, primitive): (usize, usize),
) -> Option<&mut serde_json::Map<String, Value>> {
    let mesh = json.get_mut("meshes")?.get_mut(mesh)?;
    mesh.get_mut("primitives")?.get_mut(primitive)?.get_mut("attributes")?.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_nothing_names_no_joint_and_none_is_named_twice() {
        // Two vertices that are right: nothing is mended.
        let right = vec![1.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0];
        let weights = vec![0.25, 0.75, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        assert_eq!(repaired(&[(right, weights.clone())], 2), None);
        // A joint without a weight: its number goes, and the weights stay.
        let named = vec![1.0, 2.0, 7.0, 0.0, 3.0, 0.0, 0.0, 9.0];
        let found = repaired(&[(named, weights)], 2).unwrap();
        assert_eq!(found, Repaired { joints: vec![vec![1, 2, 0, 0, 3, 0, 0, 0]], weights: None });
        // Twice the same joint, over two sets; a sum of 2; no weight at all.
        let joints = [
            vec![4.0, 5.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            vec![4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ];
        let weights = [
            vec![0.5, 0.25, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            vec![0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ];
        let all: Vec<(Vec<f64>, Vec<f64>)> = joints.into_iter().zip(weights).collect();
        let found = repaired(&all, 3).unwrap();
        assert_eq!(found.joints[0], [4, 5, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0]);
        assert_eq!(found.joints[1], [0; 12]);
        let weights = found.weights.unwrap();
        assert_eq!(weights[0], [0.75, 0.25, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(weights[1], [0.0; 12]);
    }
}
