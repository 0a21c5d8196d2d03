//! From nodes to joints: which nodes move a body, their order, and their rest pose.

use mocap_model::{
    Dofs, EulerOrder, Joint, JointId, SignedAxis, Skeleton, Space, Unit, UnitQuaternion, UnitSource, Vector3,
};
use nalgebra::{Matrix3, Matrix4, Quaternion, Rotation3};

use super::document::{Document, Node};
use super::problem::Problem;
use crate::names::Unique;
use crate::{Finding, LimitExceeded, Limits};

/// Scales that differ by less, relatively, are the same.
const SAME_SCALE: f64 = 1e-4;
/// A rest pose that differs by less from that of the nodes is theirs [m, rad].
const SAME_POSE: f64 = 1e-5;

/// The joints of a file.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) skeleton: Skeleton,
    /// By joint.
    pub(super) sources: Vec<Source>,
    /// By node: its joint.
    pub(super) joints: Vec<Option<JointId>>,
}

/// Which node a joint is, and what lies above it that is not a joint or only a size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) node: usize,
    pub(super) local: Trs,
    /// In the clip: translation + rotation · (scale · translation of the node).
    pub(super) frame: Frame,
    /// Whether the scale of the node is put into the translations below it instead of a scale track.
    pub(super) folds_scale: bool,
}

/// A transform of nodes above: a rotation, a uniform size and a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) rotation: UnitQuaternion<f64>,
    pub(super) translation: Vector3<f64>,
    pub(super) scale: f64,
}

impl Frame {
    const NONE: f64 = 1.0;

    fn scaled(scale: f64) -> Frame {
        Frame { rotation: UnitQuaternion::identity(), translation: Vector3::zeros(), scale }
    }

    pub(super) fn place(&self, local: &Vector3<f64>) -> Vector3<f64> {
        self.translation + self.rotation * (local * self.scale)
    }

    /// The inverse of [`Frame::place`].
    pub(super) fn place_back(&self, place: &Vector3<f64>) -> Vector3<f64> {
        self.rotation.inverse() * (place - self.translation) / self.scale
    }
}

/// The local transform of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trs {
    pub(super) translation: Vector3<f64>,
    pub(super) rotation: UnitQuaternion<f64>,
    pub(super) scale: Vector3<f64>,
}

impl Trs {
    pub(super) fn of(node: &Node) -> Trs {
        if let Some(matrix) = &node.matrix {
            return Trs::of_matrix(&Matrix4::from_column_slice(matrix));
        }
        let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        Trs {
            translation: Vector3::from(node.translation.unwrap_or_default()),
            rotation: unit(Quaternion::new(w, x, y, z)),
            scale: Vector3::from(node.scale.unwrap_or([1.0; 3])),
        }
    }

    /// A matrix without shear; a mirror is in the scale.
    fn of_matrix(matrix: &Matrix4<f64>) -> Trs {
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let mut scale = Vector3::from_fn(|i, _| linear.column(i).norm());
        if linear.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let mut turn = linear;
        for i in 0..3 {
            if scale[i] != 0.0 {
                turn.column_mut(i).unscale_mut(scale[i]);
            }
        }
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
        Trs { translation: matrix.fixed_view::<3, 1>(0, 3).into_owned(), rotation: unit(*rotation), scale }
    }

    fn uniform_scale(&self) -> Option<f64> {
        let Vector3 { data, .. } = self.scale;
        let [x, y, z] = data.0[0];
        let same = |a: f64, b: f64| (a - b).abs() <= SAME_SCALE * x.abs();
        // What is exactly one stays so.
        (x > 0.0 && same(x, y) && same(x, z)).then_some(x)
    }
}

/// A unit quaternion; without a length it is not a rotation.
pub(super) fn unit(q: Quaternion<f64>) -> UnitQuaternion<f64> {
    let norm = q.norm();
    match norm > 1e-9 && norm.is_finite() {
        // A rotation that is written with few digits is not rounded again.
        true if (norm - 1.0).abs() < 1e-15 => UnitQuaternion::new_unchecked(q),
        true => UnitQuaternion::new_normalize(q),
        false => UnitQuaternion::identity(),
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
    let chosen = chosen(document, &parents, &order, &animated, &locals)?;
    let binds = binds(document, limits, warnings)?;
    let mut joints: Vec<Option<JointId>> = vec![None; nodes.len()];
    let (mut made, mut sources): (Vec<Joint>, Vec<Source>) = (Vec::new(), Vec::new());
    // By node: the transform of the nodes above that are not joints, or the folded size of joints.
    let mut below: Vec<Frame> = vec![Frame::scaled(Frame::NONE); nodes.len()];
    let mut unique = Unique::default();
    for &node in &order {
        let frame = parents[node].map_or(Frame::scaled(1.0), |parent| below[parent]);
        let local = locals[node];
        let uniform = local.uniform_scale().filter(|_| !animated[node][2]);
        if !chosen[node] {
            below[node] = Frame {
                rotation: unit(*(frame.rotation * local.rotation)),
                translation: frame.place(&local.translation),
                scale: frame.scale * uniform.unwrap_or(1.0),
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
        let rest = rest(&local, &frame, parent.is_some(), node, parents[node], &binds);
        let extras = &nodes[node].extras;
        let moves = animated[node][0];
        let leaf = !nodes[node].children.iter().any(|child| chosen[*child]);
        joints[node] = Some(JointId::from(made.len()));
        made.push(Joint {
            rest_rotation: rest.rotation,
            role: extras.role.as_ref().and_then(|role| role.parse().ok()),
            end_site: extras.end_site && leaf && parent.is_some() && animated[node] == [false; 3],
            dofs: if moves { Dofs::free(EulerOrder::ZXY) } else { Dofs::ball(EulerOrder::ZXY) },
            ..Joint::new(claimed, parent, rest.translation)
        });
        below[node] = Frame::scaled(frame.scale * uniform.unwrap_or(1.0));
        sources.push(Source { node, local, frame, folds_scale: uniform.is_some() });
    }
    check_depth(&made, limits)?;
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    let space = Space { up: SignedAxis::Y, forward: SignedAxis::Z, unit };
    let skeleton = Skeleton::new("", space, made)
        .map_err(|error| Finding::new(Problem::Model { path: "nodes".into(), error }))?;
    Ok(Tree { skeleton, sources, joints })
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
    animated: &[[bool; 3]],
    locals: &[Trs],
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
    // What lies between two joints is one; and what lies above the first ones, if it moves or shears.
    for node in (0..count).filter(|node| skinned[*node]) {
        let above: Vec<usize> = std::iter::successors(parents[node], |above| parents[*above]).collect();
        let needed = above.iter().rposition(|above| {
            skinned[*above] || animated[*above].contains(&true) || locals[*above].uniform_scale().is_none()
        });
        above.iter().take(needed.map_or(0, |last| last + 1)).for_each(|above| chosen[*above] = true);
    }
    for &node in order {
        let below = parents[node].is_some_and(|parent| chosen[parent]);
        chosen[node] |= below && root.nodes[node].extras.end_site;
    }
    Ok(chosen)
}

/// By node: its inverse bind matrix, and that matrix inverted.
type Binds = Vec<Option<[Matrix4<f64>; 2]>>;

fn binds(document: &Document, limits: &Limits, warnings: &mut Vec<Finding>) -> Result<Binds, Finding> {
    let mut binds: Binds = vec![None; document.root.nodes.len()];
    for (s, skin) in document.root.skins.iter().enumerate() {
        let Some(accessor) = skin.inverse_bind_matrices else { continue };
        let path = format!("skins[{s}].inverseBindMatrices");
        let values = document.floats(accessor, "MAT4", &path, limits)?;
        if values.len() < skin.joints.len() * 16 {
            let (found, keys) = (values.len() / 16, skin.joints.len());
            return Err(Finding::new(Problem::KeyCount { path, found, keys, expected: keys }));
        }
        for (j, (&joint, values)) in skin.joints.iter().zip(values.chunks_exact(16)).enumerate() {
            let matrix = Matrix4::from_column_slice(values);
            match matrix.try_inverse().filter(|inverse| inverse.iter().all(|value| value.is_finite())) {
                Some(inverse) => {
                    binds[joint].get_or_insert([matrix, inverse]);
                }
                None => warnings.push(Finding::new(Problem::NoInverse { path: format!("{path}[{j}]") })),
            }
        }
    }
    Ok(binds)
}

/// The rest pose of a joint in the clip: the pose in which the skin is bound, or that of the nodes.
///
/// Inverse bind matrices are `G⁻¹ M` with the places `G` of joints and one transform `M` of the mesh: between a joint
/// and its parent `M` cancels out; of a root it is taken to be none where the size fits.
fn rest(
    local: &Trs,
    frame: &Frame,
    has_parent: bool,
    node: usize,
    parent: Option<usize>,
    binds: &Binds,
) -> Trs {
    let nodes = Trs {
        translation: frame.place(&local.translation),
        rotation: if has_parent { local.rotation } else { unit(*(frame.rotation * local.rotation)) },
        scale: local.scale,
    };
    let bound = match (has_parent, parent.and_then(|parent| binds[parent]), binds[node]) {
        (true, Some([above, _]), Some([_, own])) => {
            let bound = Trs::of_matrix(&(above * own));
            Trs { translation: frame.place(&bound.translation), ..bound }
        }
        (false, _, Some([_, own])) => {
            let bound = Trs::of_matrix(&own);
            Trs { scale: bound.scale / frame.scale, ..bound }
        }
        _ => return nodes,
    };
    let size_fits = (bound.scale - local.scale).norm() <= 1e-3 * local.scale.norm();
    let turned = mocap_model::angle_between(&bound.rotation, &nodes.rotation);
    let apart = (bound.translation - nodes.translation).norm();
    if !size_fits || turned.max(apart) < SAME_POSE { nodes } else { bound }
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
