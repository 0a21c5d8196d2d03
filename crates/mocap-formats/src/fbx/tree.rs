//! Which nodes of a file are joints.

use std::collections::HashMap;

use mocap_model::{Axis, EulerOrder, SignedAxis, Space, Unit, UnitSource};
use ufbx::{AnimCurve, AnimProp, AnimStack, CoordinateAxis, RotationOrder, Scene, SceneRoot};

use super::stack::{TRANSFORM, curves, elements, props};
use super::{END_SITE, Problem};
use crate::names::Unique;
use crate::{Finding, LimitExceeded, Limits, Warnings};

/// The joints of a file, and the nodes that their places depend on.
#[derive(Debug)]
pub(super) struct Tree {
    /// Joints and the nodes above them, parents first.
    pub(super) nodes: Vec<TreeNode>,
    /// The joints among them, in the same order.
    pub(super) joints: Vec<Joint>,
    /// The index into `nodes` by number of the scene's node.
    pub(super) places: HashMap<usize, usize>,
}

/// A node that is a joint or above one.
#[derive(Debug)]
pub(super) struct TreeNode {
    /// Its number among the nodes of the scene.
    pub(super) node: usize,
    /// Its number as an element of the scene.
    pub(super) element: u32,
    /// The node above it, by its place in the list; `None` below the root of the scene.
    pub(super) parent: Option<usize>,
    /// Its index among the joints.
    pub(super) joint: Option<usize>,
}

/// A node that is a joint.
#[derive(Debug)]
pub(super) struct Joint {
    /// Unique in the file.
    pub(super) name: String,
    /// The joint above it.
    pub(super) parent: Option<usize>,
    /// Its index among the nodes of the tree.
    pub(super) place: usize,
    pub(super) order: EulerOrder,
    pub(super) end_site: bool,
}

impl Tree {
    /// # Errors
    /// Without joints, or with more than the limit.
    pub(super) fn of(scene: &SceneRoot, limits: &Limits, warnings: &mut Warnings) -> Result<Tree, Finding> {
        let nodes = &scene.nodes;
        let parent = |i: usize| nodes[i].parent.as_ref().map(|parent| parent.element.typed_id as usize);
        let moves = animated(scene, true);
        let keyed = animated(scene, false);
        let mut wanted = bones(scene);
        if !wanted.contains(&true) {
            wanted = keyed.clone();
        }
        // By node: whether a wanted node is at or below it. Parents come first in the list.
        let mut below = wanted.clone();
        for i in (0..nodes.count).rev() {
            if let (true, Some(parent)) = (below[i], parent(i)) {
                below[parent] = true;
            }
        }
        let mut is_joint = vec![false; nodes.count];
        for i in 0..nodes.count {
            let above_is_joint = parent(i).is_some_and(|parent| is_joint[parent]);
            let root = nodes[i].is_root;
            is_joint[i] = !root && below[i] && (wanted[i] || moves[i] || above_is_joint);
        }
        let mut tree = Tree { nodes: Vec::new(), joints: Vec::new(), places: HashMap::new() };
        let mut names = Unique::default();
        for i in depth_first(scene).into_iter().filter(|i| below[*i] && !nodes[*i].is_root) {
            let parent = parent(i).and_then(|parent| tree.places.get(&parent).copied());
            let joint = is_joint[i].then(|| {
                let given = if nodes[i].element.name.is_empty() { "joint" } else { &nodes[i].element.name };
                let name = names.claim(given);
                if name != given && !nodes[i].element.name.is_empty() {
                    let problem = Problem::DuplicateName { name: given.to_owned() };
                    warnings.push(Finding::new(problem).in_joint(&name));
                }
                if name.contains('\u{FFFD}') {
                    let what = format!("the name of a node is not UTF-8; it was read as '{name}'");
                    warnings.push(Finding::new(Problem::Repaired { what }).in_joint(&name));
                }
                tree.joints.push(Joint {
                    name,
                    parent: parent.and_then(|parent: usize| tree.nodes[parent].joint),
                    place: tree.nodes.len(),
                    order: order(nodes[i].rotation_order),
                    end_site: is_end(scene, i, keyed[i]),
                });
                tree.joints.len() - 1
            });
            tree.places.insert(i, tree.nodes.len());
            tree.nodes.push(TreeNode { node: i, element: nodes[i].element.element_id, parent, joint });
        }
        let (found, limit) = (tree.joints.len(), limits.joints);
        match found {
            0 => Err(Finding::new(Problem::NoJoints)),
            _ if found > limit => Err(Finding::new(LimitExceeded { what: "joints", found, limit })),
            _ => Ok(tree),
        }
    }

    /// Whether a stack moves any joint.
    pub(super) fn is_moved_by(&self, stack: &AnimStack) -> bool {
        let moved = elements(stack, &TRANSFORM);
        self.nodes.iter().any(|node| moved.contains(&node.element))
    }

    /// The node of a joint.
    pub(super) fn node(&self, joint: &Joint) -> &TreeNode {
        &self.nodes[joint.place]
    }
}

/// The nodes in depth-first order; the scene lists them level by level.
fn depth_first(scene: &Scene) -> Vec<usize> {
    let mut open = vec![scene.root_node.element.typed_id as usize];
    let mut order = Vec::with_capacity(scene.nodes.count);
    while let Some(node) = open.pop() {
        order.push(node);
        open.extend(scene.nodes[node].children.iter().rev().map(|child| child.element.typed_id as usize));
    }
    order
}

/// By node: whether it is a bone, or moves the vertices of a skin.
fn bones(scene: &Scene) -> Vec<bool> {
    let mut bones: Vec<bool> = scene.nodes.iter().map(|node| node.bone.is_some()).collect();
    for cluster in &scene.skin_clusters {
        if let Some(node) = &cluster.bone_node {
            bones[node.element.typed_id as usize] = true;
        }
    }
    bones
}

/// By node: whether it has curves. With `changes`, only curves count that differ from the node's property or, for
/// scales, that change over time.
fn animated(scene: &Scene, changes: bool) -> Vec<bool> {
    let mut animated = vec![false; scene.nodes.count];
    for prop in scene.anim_stacks.iter().flat_map(|stack| props(stack)) {
        let mut curves = curves(prop);
        let moves = match changes {
            true => curves.any(|(axis, curve)| differs_from_node(prop, axis, curve)),
            false => curves.next().is_some(),
        };
        let moves = moves && TRANSFORM.contains(&&*prop.prop_name);
        if let (true, Some(node)) = (moves, ufbx::as_node(&prop.element)) {
            animated[node.element.typed_id as usize] = true;
        }
    }
    animated
}

/// Whether a curve differs from the property of its node. Exporters write curves for every property of every node; a
/// scale that all keys share counts as that of the node.
fn differs_from_node(prop: &AnimProp, axis: usize, curve: &AnimCurve) -> bool {
    let slack = 1e-6 * curve.max_value.abs().max(curve.min_value.abs()).max(1.0);
    if curve.max_value - curve.min_value > slack {
        return true;
    }
    let stated = ufbx::find_prop(&prop.element.props, &prop.prop_name).map(|found| {
        let value = found.value_vec4;
        [value.x, value.y, value.z][axis]
    });
    &*prop.prop_name != "Lcl Scaling" && (curve.min_value - stated.unwrap_or(0.0)).abs() > slack
}

/// Whether a node is the end of a bone: the file marks it, and it is a leaf that no curve moves. A name such as
/// `HeadNub` is not enough, because formats with end sites would drop the name.
fn is_end(scene: &Scene, node: usize, moves: bool) -> bool {
    let node = &scene.nodes[node];
    let leaf = node.children.iter().all(|child| child.bone.is_none());
    let below = node.parent.as_ref().is_some_and(|parent| !parent.is_root);
    leaf && below && !moves && ufbx::find_prop(&node.element.props, END_SITE).is_some()
}

/// The rotation order of a node: FBX lists fixed axes, the one that turns first comes first.
fn order(order: RotationOrder) -> EulerOrder {
    use Axis::{X, Y, Z};
    let axes = match order {
        RotationOrder::Xzy => [Y, Z, X],
        RotationOrder::Yzx => [X, Z, Y],
        RotationOrder::Yxz => [Z, X, Y],
        RotationOrder::Zxy => [Y, X, Z],
        RotationOrder::Zyx => [X, Y, Z],
        RotationOrder::Xyz | RotationOrder::Spheric => [Z, Y, X],
    };
    EulerOrder::new(axes).expect("three different axes")
}

/// An axis of the scene.
pub(super) fn axis(axis: CoordinateAxis) -> Option<SignedAxis> {
    use CoordinateAxis as C;
    let (axis, negative) = match axis {
        C::PositiveX => (Axis::X, false),
        C::NegativeX => (Axis::X, true),
        C::PositiveY => (Axis::Y, false),
        C::NegativeY => (Axis::Y, true),
        C::PositiveZ => (Axis::Z, false),
        C::NegativeZ => (Axis::Z, true),
        C::Unknown => return None,
    };
    Some(SignedAxis { axis, negative })
}

/// The axes and the unit that the file states.
pub(super) fn space(scene: &Scene) -> Space {
    let settings = &scene.settings;
    let metres = Some(settings.unit_meters).filter(|metres| metres.is_finite() && *metres > 0.0);
    let usual = Space::default();
    Space {
        up: axis(settings.axes.up).unwrap_or(usual.up),
        forward: axis(settings.axes.front).unwrap_or(usual.forward),
        unit: metres.map(|metres| Unit { metres, source: UnitSource::File }),
    }
}
