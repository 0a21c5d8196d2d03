//! From nodes to joints: which nodes move a body, their order, and their rest pose.

use mocap_model::{
    Dofs, EulerOrder, Joint, JointId, SignedAxis, Skeleton, Space, Unit, UnitQuaternion, UnitSource, Vector3,
};

use super::binds::{Binds, rest};
use super::document::Document;
use super::expressions::weight_nodes;
use super::frame::Frame;
use super::humanoid;
use super::node_motion::{NodeMotion, node_motions};
use super::problem::{Problem, index};
use super::root::Node;
use super::trs::{Trs, unit};
use crate::names::Unique;
use crate::sides::swap_sides;
use crate::{Finding, LimitExceeded, Limits};

/// The joints of a file.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) skeleton: Skeleton,
    /// By joint.
    pub(super) sources: Vec<Source>,
    /// By node: its joint.
    pub(super) joints: Vec<Option<JointId>>,
    /// By node: whether an animation changes it.
    pub(super) moves: Vec<bool>,
    /// By node: its local transform at rest.
    pub(super) rest: Vec<Trs>,
    /// Set where scales of nodes can be neither in the skeleton nor in a scale track: translations then keep the
    /// positions of joints.
    pub(super) uneven: Option<Uneven>,
}

/// A node whose scale differs between axes, or changes over time from one that is not 1, with joints below it.
#[derive(Clone, Debug)]
pub(super) struct Uneven {
    /// The first such node, as a path.
    pub(super) path: String,
}

/// The node of a joint, and the transform of the nodes above it that are not joints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) node: usize,
    pub(super) local: Trs,
    /// Position in the clip: translation + rotation · (scale · translation of the node).
    pub(super) frame: Frame,
    /// Whether the scale of the node is baked into the translations below it instead of a scale track.
    pub(super) folds_scale: bool,
    /// The half turn, after the rotation of the node, that two negative scales amount to.
    pub(super) half_turn: Option<UnitQuaternion<f64>>,
    /// The signs of the scale of the node; its scales divided by them are positive.
    pub(super) signs: Vector3<f64>,
}

impl Source {
    /// A node that is a joint as it is.
    pub(super) fn plain(node: usize, local: Trs) -> Source {
        Source {
            node,
            local,
            frame: Frame::scaled(Frame::NONE),
            folds_scale: false,
            half_turn: None,
            signs: Vector3::repeat(1.0),
        }
    }

    /// The rotation of the node at rest.
    pub(super) fn node_rotation(&self) -> UnitQuaternion<f64> {
        self.half_turn.map_or(self.local.rotation, |half| self.local.rotation * half.inverse())
    }

    /// The rotation of the joint in the clip for a rotation of the node.
    pub(super) fn rotation(&self, of_node: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let turned = unit(*(self.frame.rotation * of_node));
        self.half_turn.map_or(turned, |half| turned * half)
    }

    /// The inverse of [`Source::rotation`].
    pub(super) fn rotation_back(&self, of_joint: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let turned = self.frame.rotation.inverse() * of_joint;
        self.half_turn.map_or(turned, |half| turned * half.inverse())
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
    // Top down from the roots: a node that is not reached is in a cycle.
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

/// The joints of a file: those of its skins and what they need above them; without skins, all nodes of its scene.
pub(super) fn tree(
    document: &Document,
    limits: &Limits,
    warnings: &mut Vec<Finding>,
) -> Result<Tree, Finding> {
    let nodes = &document.root.nodes;
    let Hierarchy { parents, order } = hierarchy(document, limits)?;
    let motions = node_motions(document, limits)?;
    let at_rest: Vec<Trs> = nodes.iter().zip(&motions).map(|(node, motion)| at_rest(node, motion)).collect();
    let mirrored: Vec<_> = at_rest.iter().map(Trs::unmirrored).collect();
    let chosen = chosen(document, &parents, &order, &motions, &mirrored)?;
    let uneven = uneven(&parents, &motions, &mirrored, &chosen);
    let binds = match uneven {
        None => Binds::of(document, limits, warnings)?,
        // If scales shear, bind matrices are not used: the pose of the nodes is the rest pose.
        Some(_) => Binds::default(),
    };
    let humanoid = humanoid::roles(&document.json);
    let mut joints: Vec<Option<JointId>> = vec![None; nodes.len()];
    let (mut made, mut sources): (Vec<Joint>, Vec<Source>) = (Vec::new(), Vec::new());
    // By node: the transform of the nodes above that are not joints, or the folded size of joints.
    let mut below: Vec<Frame> = vec![Frame::scaled(Frame::NONE); nodes.len()];
    let mut unique = Unique::default();
    for &node in &order {
        let frame = parents[node].map_or(Frame::scaled(1.0), |parent| below[parent]);
        let (local, sign, half_turn) = mirrored[node];
        let uniform = local.uniform_scale().filter(|_| !motions[node].moves[2]);
        if !chosen[node] {
            below[node] = Frame {
                rotation: unit(*(frame.rotation * local.rotation)),
                translation: frame.place(&local.translation),
                scale: frame.scale * sign * uniform.unwrap_or(1.0),
            };
            continue;
        }
        let parent = parents[node].and_then(|parent| joints[parent]);
        let name = nodes[node].name.clone().filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| format!("node {node}"));
        let claimed = unique.claim(&name);
        if claimed != name {
            warnings.push(Finding::new(Problem::DuplicateName { name }).in_joint(claimed.clone()));
        }
        let rest = rest(&local, &frame, (node, parents[node].filter(|_| parent.is_some())), &binds);
        let extras = &nodes[node].extras;
        let keyed = motions[node].keyed;
        let leaf = !nodes[node].children.iter().any(|child| chosen[*child]);
        joints[node] = Some(JointId::from(made.len()));
        made.push(Joint {
            rest_rotation: rest.rotation,
            role: extras.role.as_ref().and_then(|role| role.parse().ok()).or(humanoid.get(&node).copied()),
            end_site: extras.end_site && leaf && parent.is_some() && keyed == [false; 3],
            dofs: if keyed[0] { Dofs::free(EulerOrder::ZXY) } else { Dofs::ball(EulerOrder::ZXY) },
            ..Joint::new(claimed, parent, rest.translation)
        });
        below[node] = Frame::scaled(frame.scale * sign * uniform.unwrap_or(1.0));
        let signs =
            half_turn.map_or(Vector3::repeat(1.0), |half| half.to_rotation_matrix().matrix().diagonal());
        let signs = signs.map(f64::signum) * sign;
        sources.push(Source { node, local, frame, folds_scale: uniform.is_some(), half_turn, signs });
    }
    // A body counts as mirrored if all its end joints are: joints above a mirroring node are not.
    let has_joint_below = |node: usize| nodes[node].children.iter().any(|child| chosen[*child]);
    let mut ends = sources.iter().filter(|source| !has_joint_below(source.node));
    if !made.is_empty() && ends.all(|source| source.frame.scale < 0.0) {
        let joints = swap_sides(&mut made);
        warnings.push(Finding::new(Problem::Mirrored { joints }));
    }
    check_depth(&made, limits)?;
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    let space = Space { up: SignedAxis::Y, forward: SignedAxis::Z, unit };
    let skeleton = Skeleton::new("", space, made)
        .map_err(|error| Finding::new(Problem::Model { path: "nodes".into(), error }))?;
    let moves = motions.iter().map(|motion| !motion.is_still()).collect();
    Ok(Tree { skeleton, sources, joints, moves, rest: at_rest, uneven })
}

/// The transform of a node at rest. A scale that all keys share replaces that of the node, because programs show that
/// one.
fn at_rest(node: &Node, motion: &NodeMotion) -> Trs {
    let local = Trs::of(node);
    Trs { scale: motion.scale.filter(|_| !motion.moves[2]).unwrap_or(local.scale), ..local }
}

/// The first joint with joints below it whose scale cannot be baked into bones. A scale that starts at 1 becomes a
/// scale track.
fn uneven(
    parents: &[Option<usize>],
    motions: &[NodeMotion],
    locals: &[(Trs, f64, Option<UnitQuaternion<f64>>)],
    chosen: &[bool],
) -> Option<Uneven> {
    let mut above = vec![false; parents.len()];
    for parent in (0..parents.len()).filter(|node| chosen[*node]).filter_map(|node| parents[node]) {
        above[parent] = true;
    }
    let uneven = |node: &usize| {
        let size = locals[*node].0.uniform_scale();
        above[*node] && chosen[*node] && (size.is_none() || (motions[*node].moves[2] && size != Some(1.0)))
    };
    (0..parents.len()).find(uneven).map(|node| Uneven { path: format!("nodes[{node}]") })
}

/// Nodes that only hold the weight of an expression do not count as joints, unless the file has no other nodes.
fn leave_out_expressions(document: &Document, chosen: &mut [bool]) {
    let weights = weight_nodes(&document.json);
    let holds = |node: &usize| {
        weights.contains_key(node)
            && document.root.nodes.get(*node).is_some_and(|node| node.children.is_empty())
    };
    let joints = (0..chosen.len()).filter(|node| chosen[*node]);
    let (held, others): (Vec<usize>, Vec<usize>) = joints.partition(holds);
    if !others.is_empty() {
        held.iter().for_each(|node| chosen[*node] = false);
    }
}

/// By node: whether it is a joint.
fn chosen(
    document: &Document,
    parents: &[Option<usize>],
    order: &[usize],
    motions: &[NodeMotion],
    locals: &[(Trs, f64, Option<UnitQuaternion<f64>>)],
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
        leave_out_expressions(document, &mut chosen);
        return Ok(chosen);
    }
    for (s, skin) in root.skins.iter().enumerate() {
        for (j, &joint) in skin.joints.iter().enumerate() {
            let path = format!("skins[{s}].joints[{j}]");
            *chosen.get_mut(joint).ok_or_else(|| index(path, joint, "nodes", count))? = true;
        }
    }
    let skinned = chosen.clone();
    // Nodes between two joints become joints; nodes above the first joints do if they move or shear.
    for node in (0..count).filter(|node| skinned[*node]) {
        let above: Vec<usize> = std::iter::successors(parents[node], |above| parents[*above]).collect();
        let needed = above.iter().rposition(|above| {
            skinned[*above] || !motions[*above].is_still() || locals[*above].0.uniform_scale().is_none()
        });
        above.iter().take(needed.map_or(0, |last| last + 1)).for_each(|above| chosen[*above] = true);
    }
    for &node in order {
        let below = parents[node].is_some_and(|parent| chosen[parent]);
        chosen[node] |= below && root.nodes[node].extras.end_site;
    }
    Ok(chosen)
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
