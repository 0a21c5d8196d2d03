//! Which properties of nodes the animations of a file change. Exporters write keys for every property of every node,
//! and most keys repeat the value of the node.

use mocap_model::{Vector3, angle_between};
use nalgebra::Quaternion;

use super::document::Document;
use super::problem::index;
use super::root::{Interpolation, Node};
use super::trs::{SAME_SCALE, Trs, unit};
use crate::{Finding, Limits};

/// Tolerance of equal translations and rotations [share of the length, rad].
const SAME_PLACE: f64 = 1e-6;

/// What the animations change of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeMotion {
    /// Whether there are keys of its translation, rotation, scale.
    pub(super) keyed: [bool; 3],
    /// Whether keys change its translation, rotation, scale, or differ from the node's value. A scale that is the same
    /// in all keys does not count: it is in `scale`.
    pub(super) moves: [bool; 3],
    /// The scale in all keys of all animations, where they state one.
    pub(super) scale: Option<Vector3<f64>>,
}

impl NodeMotion {
    pub(super) fn is_still(&self) -> bool {
        !self.moves.contains(&true)
    }
}

/// By node: what the animations change. Translations and rotations are compared only for nodes outside skins, because
/// joints of skins are joints even if they do not move.
pub(super) fn node_motions(document: &Document, limits: &Limits) -> Result<Vec<NodeMotion>, Finding> {
    let nodes = &document.root.nodes;
    let mut motions = vec![NodeMotion::default(); nodes.len()];
    let mut skinned = vec![false; nodes.len()];
    for joint in document.root.skins.iter().flat_map(|skin| &skin.joints) {
        skinned.get_mut(*joint).into_iter().for_each(|skinned| *skinned = true);
    }
    // Many channels may use the same bytes, so the total of values read is bounded.
    let mut left = limits.frames;
    for (a, animation) in document.root.animations.iter().enumerate() {
        for (c, channel) in animation.channels.iter().enumerate() {
            let Some(node) = channel.target.node else { continue };
            let count = nodes.len();
            let path = || format!("animations[{a}].channels[{c}].target.node");
            let motion = motions.get_mut(node).ok_or_else(|| index(path(), node, "nodes", count))?;
            let property = match channel.target.path.as_str() {
                "translation" => 0,
                "rotation" => 1,
                "scale" => 2,
                _ => continue,
            };
            motion.keyed[property] = true;
            if motion.moves[property] || (skinned[node] && property != 2) {
                motion.moves[property] = true;
                continue;
            }
            // Unreadable keys are reported when the motion is made.
            let keys = animation.samplers.get(channel.sampler).and_then(|sampler| {
                let kind = if property == 1 { "VEC4" } else { "VEC3" };
                let values = document.floats(sampler.output, kind, "keys", limits).ok()?;
                left = left.checked_sub(values.len())?;
                Some((values, sampler.interpolation))
            });
            match keys.and_then(|(values, interpolation)| constant(&values, interpolation, property)) {
                Some(value) if property == 2 => {
                    motion.state_scale(Vector3::new(value[0], value[1], value[2]))
                }
                Some(value) => motion.moves[property] = !is_of_node(&nodes[node], property, &value),
                None => motion.moves[property] = true,
            }
        }
    }
    Ok(motions)
}

impl NodeMotion {
    /// Notes the scale that all keys of an animation state.
    fn state_scale(&mut self, scale: Vector3<f64>) {
        match self.scale {
            Some(other) if !same(&other, &scale, SAME_SCALE) => self.moves[2] = true,
            _ => self.scale = Some(scale),
        }
    }
}

/// The value of all keys, where they have one.
fn constant(values: &[f64], interpolation: Interpolation, property: usize) -> Option<[f64; 4]> {
    let width = if property == 1 { 4 } else { 3 };
    // Keys of cubic curves have tangents before and after their values.
    let (each, at) = if interpolation == Interpolation::CubicSpline { (3, 1) } else { (1, 0) };
    let mut rows = values.chunks_exact(width * each);
    if each == 3
        && rows.clone().any(|row| row[..width].iter().chain(&row[2 * width..]).any(|slope| *slope != 0.0))
    {
        return None;
    }
    let value = |row: &[f64]| std::array::from_fn(|i| if i < width { row[at * width + i] } else { 0.0 });
    let first: [f64; 4] = value(rows.next()?);
    let near = |row: &[f64]| {
        let [one, other] = [first, value(row)].map(Vec::from).map(nalgebra::DVector::from_vec);
        let slack = if property == 2 { SAME_SCALE } else { SAME_PLACE };
        (&one - other).amax() <= slack * one.amax().max(1e-9)
    };
    rows.all(near).then_some(first)
}

/// Whether a translation or rotation is that of the node.
fn is_of_node(node: &Node, property: usize, value: &[f64; 4]) -> bool {
    let local = Trs::of(node);
    match property {
        0 => same(&local.translation, &Vector3::new(value[0], value[1], value[2]), SAME_PLACE),
        _ => {
            let rotation = unit(Quaternion::new(value[3], value[0], value[1], value[2]));
            angle_between(&local.rotation, &rotation) <= SAME_PLACE
        }
    }
}

fn same(one: &Vector3<f64>, other: &Vector3<f64>, slack: f64) -> bool {
    (one - other).amax() <= slack * one.amax().max(1e-9)
}

/// Nodes whose animations set a constant scale other than the node's, and that scale: without the animations, the file
/// would show the node's.
pub(super) fn stated_scales(
    document: &Document,
    limits: &Limits,
) -> Result<Vec<(usize, Vector3<f64>)>, Finding> {
    let motions = node_motions(document, limits)?;
    let stated = motions.iter().enumerate().filter(|(_, motion)| !motion.moves[2]);
    let stated = stated.filter_map(|(node, motion)| {
        let scale = motion.scale?;
        (!same(&Trs::of(&document.root.nodes[node]).scale, &scale, 0.0)).then_some((node, scale))
    });
    Ok(stated.collect())
}
