//! From nodes to joints: which nodes move a body, their order, and their rest pose.

use mocap_model::{Dofs, EulerOrder, Joint, JointId, SignedAxis, Skeleton, Space, Unit, UnitSource, Vector3};
use nalgebra::Matrix4;

use super::binds::{binds, bound};
use super::document::Document;
use super::moving::moving;
use super::problem::Problem;
use super::scales::stretched_offsets;
use super::sides::swap_sides;
use super::trs::{Frame, SAME_SCALE, Trs, is_sheared};
use crate::names::Unique;
use crate::{Finding, LimitExceeded, Limits};

/// The joints of a file.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) skeleton: Skeleton,
    /// By joint.
    pub(super) sources: Vec<Source>,
    /// By node: its joint.
    pub(super) joints: Vec<Option<JointId>>,
    /// By node: whether it is above a joint and stays as it is.
    pub(super) above: Vec<bool>,
}

/// Which node a joint is, and what lies above it that is constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) node: usize,
    pub(super) local: Trs,
    pub(super) frame: Frame,
    /// The scale of the node that the clip knows: 1 where it is in the offsets of the joints below.
    pub(super) scale: Vector3<f64>,
}

impl Source {
    /// A scale of the node, in the clip: without what is in the offsets of the joints below.
    pub(super) fn scale_of(&self, scale: &Vector3<f64>) -> Vector3<f64> {
        let size = self.local.size().unwrap_or(1.0);
        let scale = scale.component_mul(&self.local.signs()) / size;
        if (scale - Vector3::repeat(1.0)).amax() <= SAME_SCALE { Vector3::repeat(1.0) } else { scale }
    }

    /// The inverse of [`Source::scale_of`].
    pub(super) fn scale_back(&self, scale: &Vector3<f64>) -> Vector3<f64> {
        scale.component_mul(&self.local.signs()) * self.local.size().unwrap_or(1.0)
    }
}

/// The parents of nodes, each before its children in `order`.
struct Hierarchy {
    parents: Vec<Option<usize>>,
    order: Vec<usize>,
}

fn hierarchy(document: &Document, limits: &Limits) -> Result<Hierarchy, Finding> {
    let nodes = &document.root.nodes;
    if nodes.len() > limits.joints {
        let (found, limit) = (nodes.len(), limits.joints);
        return Err(Finding::new(LimitExceeded { what: "nodes", found, limit }));
    }
    let mut parents = vec![None; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        for (i, &child) in node.children.iter().enumerate() {
            let path = || format!("nodes[{parent}].children[{i}]");
            match parents.get_mut(child) {
                None => return Err(index(path(), child, "nodes", nodes.len())),
                Some(Some(other)) => {
                    let parent = format!("nodes[{other}]");
                    return Err(Finding::new(Problem::TwoParents { path: path(), parent }));
                }
                Some(free) => *free = Some(parent),
            }
        }
    }
    // From the roots down: a node that is never reached is below itself.
    let mut order = Vec::with_capacity(nodes.len());
    let mut open: Vec<usize> = (0..nodes.len()).rev().filter(|node| parents[*node].is_none()).collect();
    let mut reached = vec![false; nodes.len()];
    while let Some(node) = open.pop() {
        reached[node] = true;
        order.push(node);
        open.extend(nodes[node].children.iter().rev());
    }
    match reached.iter().position(|reached| !reached) {
        Some(node) => Err(Finding::new(Problem::Cycle { path: format!("nodes[{node}]") })),
        None => Ok(Hierarchy { parents, order }),
    }
}

pub(super) fn index(path: String, index: usize, what: &'static str, count: usize) -> Finding {
    Finding::new(Problem::Index { path, index, what, count })
}

/// The joints of a file: those of its skins and what they need above them; without skins, all nodes of its scene.
pub(super) fn tree(
    document: &Document,
    limits: &Limits,
    warnings: &mut Vec<Finding>,
) -> Result<Tree, Finding> {
    let nodes = &document.root.nodes;
    let Hierarchy { parents, order } = hierarchy(document, limits)?;
    let locals: Vec<Trs> = nodes.iter().map(Trs::of).collect();
    let animated = animated(document)?;
    let chosen = chosen(document, &parents, &order, &locals, limits)?;
    let binds = binds(document, limits, warnings)?;
    let mut joints: Vec<Option<JointId>> = vec![None; nodes.len()];
    let (mut made, mut sources): (Vec<Joint>, Vec<Source>) = (Vec::new(), Vec::new());
    // By node: what lies above the nodes below it and is not a joint, or the size of joints.
    let mut below: Vec<Frame> = vec![Frame::NONE; nodes.len()];
    let mut unique = Unique::default();
    for &node in &order {
        let frame = parents[node].map_or(Frame::NONE, |parent| below[parent]);
        let local = locals[node];
        if !chosen[node] {
            below[node] = frame.below(&local);
            continue;
        }
        let parent = parents[node].and_then(|parent| joints[parent]);
        let name = nodes[node].name.clone().filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| format!("node {node}"));
        let claimed = unique.claim(&name);
        if claimed != name {
            warnings.push(Finding::new(Problem::DuplicateName { name }).in_joint(claimed.clone()));
        }
        if nodes[node].matrix.is_some_and(|matrix| is_sheared(&Matrix4::from_column_slice(&matrix))) {
            let path = format!("nodes[{node}].matrix");
            warnings.push(Finding::new(Problem::Sheared { path }).in_joint(claimed.clone()));
        }
        let rest = bound(node, &parents, &locals, &binds).unwrap_or(local);
        let extras = &nodes[node].extras;
        let moves = animated[node][0];
        let leaf = !nodes[node].children.iter().any(|child| chosen[*child]);
        joints[node] = Some(JointId::from(made.len()));
        made.push(Joint {
            rest_rotation: frame.turn(&rest.rotation),
            role: extras.role.as_ref().and_then(|role| role.parse().ok()),
            end_site: extras.end_site && leaf && parent.is_some() && animated[node] == [false; 3],
            dofs: if moves { Dofs::free(EulerOrder::ZXY) } else { Dofs::ball(EulerOrder::ZXY) },
            ..Joint::new(claimed, parent, frame.place(&rest.translation))
        });
        below[node] = frame.below_joint(&local);
        let source = Source { node, local, frame, scale: Vector3::repeat(1.0) };
        sources.push(Source { scale: source.scale_of(&local.scale), ..source });
    }
    check_depth(&made, limits)?;
    if 2 * sources.iter().filter(|source| source.frame.mirrors()).count() > sources.len() {
        let swapped = swap_sides(&mut made);
        warnings.push(Finding::new(Problem::Mirrored { swapped }));
    }
    stretched_offsets(&mut made, &sources);
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    let space = Space { up: SignedAxis::Y, forward: SignedAxis::Z, unit };
    let skeleton = Skeleton::new("", space, made)
        .map_err(|error| Finding::new(Problem::Model { path: "nodes".into(), error }))?;
    let above = above_joints(&parents, &chosen);
    Ok(Tree { skeleton, sources, joints, above })
}

/// By node: whether an animation changes its translation, rotation, scale.
fn animated(document: &Document) -> Result<Vec<[bool; 3]>, Finding> {
    let mut animated = vec![[false; 3]; document.root.nodes.len()];
    for (a, animation) in document.root.animations.iter().enumerate() {
        for (c, channel) in animation.channels.iter().enumerate() {
            let Some(node) = channel.target.node else { continue };
            let count = animated.len();
            let path = || format!("animations[{a}].channels[{c}].target.node");
            let flags = animated.get_mut(node).ok_or_else(|| index(path(), node, "nodes", count))?;
            match channel.target.path.as_str() {
                "translation" => flags[0] = true,
                "rotation" => flags[1] = true,
                "scale" => flags[2] = true,
                _ => {}
            }
        }
    }
    Ok(animated)
}

/// By node: whether it is a joint.
fn chosen(
    document: &Document,
    parents: &[Option<usize>],
    order: &[usize],
    locals: &[Trs],
    limits: &Limits,
) -> Result<Vec<bool>, Finding> {
    let root = &document.root;
    let count = root.nodes.len();
    let mut chosen = vec![false; count];
    if root.skins.is_empty() {
        let scene = root.scene.or((!root.scenes.is_empty()).then_some(0));
        let Some(scene) = scene else { return Ok(vec![true; count]) };
        let nodes = root
            .scenes
            .get(scene)
            .ok_or_else(|| index("scene".into(), scene, "scenes", root.scenes.len()))?;
        for (i, &node) in nodes.nodes.iter().enumerate() {
            let path = format!("scenes[{scene}].nodes[{i}]");
            *chosen.get_mut(node).ok_or_else(|| index(path, node, "nodes", count))? = true;
        }
        for &node in order {
            chosen[node] |= parents[node].is_some_and(|parent| chosen[parent]);
        }
        return Ok(chosen);
    }
    for (s, skin) in root.skins.iter().enumerate() {
        for (j, &joint) in skin.joints.iter().enumerate() {
            let path = format!("skins[{s}].joints[{j}]");
            *chosen.get_mut(joint).ok_or_else(|| index(path, joint, "nodes", count))? = true;
        }
    }
    let skinned = chosen.clone();
    // What lies between two joints is one; and what lies above the first ones, if it moves or stretches.
    let moving = moving(document, locals, &above_joints(parents, &skinned), limits)?;
    for node in (0..count).filter(|node| skinned[*node]) {
        let above: Vec<usize> = std::iter::successors(parents[node], |above| parents[*above]).collect();
        let needed = above
            .iter()
            .rposition(|above| skinned[*above] || moving[*above] || locals[*above].size().is_none());
        above.iter().take(needed.map_or(0, |last| last + 1)).for_each(|above| chosen[*above] = true);
    }
    for &node in order {
        let below = parents[node].is_some_and(|parent| chosen[parent]);
        chosen[node] |= below && root.nodes[node].extras.end_site;
    }
    Ok(chosen)
}

/// By node: whether it is above a joint, and is not one.
fn above_joints(parents: &[Option<usize>], skinned: &[bool]) -> Vec<bool> {
    let mut above = vec![false; parents.len()];
    for node in (0..parents.len()).filter(|node| skinned[*node]) {
        let mut at = parents[node];
        while let Some(parent) = at.filter(|parent| !above[*parent] && !skinned[*parent]) {
            above[parent] = true;
            at = parents[parent];
        }
    }
    above
}

fn check_depth(joints: &[Joint], limits: &Limits) -> Result<(), Finding> {
    let mut depths = vec![1usize; joints.len()];
    for (i, joint) in joints.iter().enumerate() {
        depths[i] += joint.parent.map_or(0, |parent| depths[parent.index()]);
    }
    let (found, limit) = (depths.iter().copied().max().unwrap_or(0), limits.depth);
    match found > limit {
        true => Err(Finding::new(LimitExceeded { what: "levels", found, limit })),
        false => Ok(()),
    }
}
