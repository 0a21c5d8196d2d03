//! The rest pose of the joints.

use std::collections::{BTreeMap, HashMap};

use mocap_model::{Isometry3, UnitQuaternion, Vector3, angle_between};
use nalgebra::{Matrix3, Rotation3, Translation3};
use ufbx::{Matrix, Scene, Transform};

use super::Problem;
use super::stack::{curves, props};
use super::transforms::{SAME_SCALE, Transforms};
use super::tree::Tree;
use crate::{Finding, Warnings};

/// Relative difference of lengths up to which two bones are the same.
const SAME_LENGTH: f64 = 0.01;
/// Difference of rotations up to which joints rest as they were bound \[rad\].
const SAME_TURN: f64 = 1e-5;

/// The local transforms of all nodes of the tree where no stack moves them.
pub(super) fn unmoved(scene: &Scene, tree: &Tree) -> Vec<Transform> {
    tree.nodes.iter().map(|node| scene.nodes[node.node].local_transform).collect()
}

/// As [`unmoved`], but a scale that all keys of a node share replaces the scale of the node, because programs show that
/// one.
pub(super) fn at_rest_scales(scene: &Scene, tree: &Tree) -> Vec<Transform> {
    let mut transforms = unmoved(scene, tree);
    let places: HashMap<u32, usize> =
        tree.nodes.iter().enumerate().map(|(place, node)| (node.element, place)).collect();
    // By node and axis: the scale that all keys state; none where they differ.
    let mut stated: BTreeMap<(usize, usize), Option<f64>> = BTreeMap::new();
    let props = scene.anim_stacks.iter().flat_map(|stack| props(stack));
    for prop in props.filter(|prop| &*prop.prop_name == "Lcl Scaling") {
        let Some(place) = places.get(&prop.element.element_id) else { continue };
        for (axis, curve) in curves(prop) {
            let (low, high) = (curve.min_value, curve.max_value);
            let constant = high - low <= SAME_SCALE * high.abs().max(low.abs());
            let entry = stated.entry((*place, axis)).or_insert(Some(low));
            *entry = entry.filter(|value| constant && (*value - low).abs() <= SAME_SCALE * low.abs());
        }
    }
    for ((place, axis), value) in stated {
        let scale = &mut transforms[place].scale;
        let component = [&mut scale.x, &mut scale.y, &mut scale.z].into_iter().nth(axis);
        component.into_iter().zip(value).for_each(|(component, value)| *component = value);
    }
    transforms
}

/// The rest pose of a file.
pub(super) struct Rest {
    /// By joint: its transform in the frame of the joint above, or of the scene.
    pub(super) joints: Vec<Isometry3<f64>>,
    /// Whether the ends of all limbs are mirrored.
    pub(super) mirrored: bool,
}

/// The rest pose. Rotations are those of the bind pose, if at least three of four bones have the
/// same length there as in the pose of the nodes, up to a common factor. Offsets of joints below
/// others are those of the nodes, of which curves usually keep every bit.
pub(super) fn rest(scene: &Scene, tree: &Tree, warnings: &mut Warnings) -> Rest {
    let mut placed = Transforms::default();
    placed.place(tree, scene, &at_rest_scales(scene, tree));
    let of_nodes: Vec<Isometry3<f64>> =
        (0..tree.joints.len()).map(|joint| placed.of_joint(tree, joint)).collect();
    let mut ends = vec![true; tree.joints.len()];
    tree.joints.iter().filter_map(|joint| joint.parent).for_each(|parent| ends[parent] = false);
    let mut ends = tree.joints.iter().zip(ends).filter(|(_, end)| *end);
    // Only scales above an end count. 3ds Max gives nubs a negative scale on hands that are not mirrored.
    let mirrored = ends.all(|(joint, _)| {
        let above = tree.nodes[joint.place].parent;
        above.is_some_and(|above| placed.stretches[above].full.determinant() < 0.0)
    });
    // If scales shear, matrices of the bind pose cannot be decomposed to match the rotations of the nodes.
    let even = tree.joints.iter().all(|joint| placed.stretches[joint.place].is_even());
    let binds = if even { bind_transforms(scene, tree, &of_nodes) } else { None };
    let joints = match binds {
        Some(binds) => bound(tree, of_nodes, &binds, warnings),
        None => of_nodes,
    };
    Rest { joints, mirrored }
}

/// The pose of the nodes with the rotations of the bind pose.
fn bound(
    tree: &Tree,
    of_nodes: Vec<Isometry3<f64>>,
    binds: &[Isometry3<f64>],
    warnings: &mut Warnings,
) -> Vec<Isometry3<f64>> {
    let joints = || tree.joints.iter().zip(&of_nodes).zip(binds);
    let length = |joint: &Isometry3<f64>| joint.translation.vector.norm();
    // A joint at the position of its parent has no bone to compare.
    let bones: Vec<[f64; 2]> = joints()
        .filter(|((joint, _), _)| joint.parent.is_some())
        .map(|((_, node), bind)| [length(node), length(bind)])
        .filter(|[node, bind]| node.max(*bind) > 1e-9)
        .collect();
    let mut sizes: Vec<f64> =
        bones.iter().map(|[node, bind]| bind / node).filter(|size| size.is_finite()).collect();
    sizes.sort_by(f64::total_cmp);
    let median = sizes.get(sizes.len() / 2).copied().filter(|size| *size > 0.0).unwrap_or(1.0);
    let size = if (median - 1.0).abs() <= SAME_LENGTH { 1.0 } else { median };
    let differ =
        |[node, bind]: &&[f64; 2]| (node * size - bind).abs() > SAME_LENGTH * (node * size).max(*bind);
    let other = bones.iter().filter(differ).count();
    if 4 * other > bones.len() {
        warnings.push(Finding::new(Problem::BindPose { joints: other, all: bones.len() }));
        return of_nodes;
    }
    if size != 1.0 {
        warnings.push(Finding::new(Problem::BindSpace { size }));
    }
    // Whether the nodes rest in their bind pose, apart from the placement of the roots.
    let same_pose = joints().all(|((joint, node), bind)| {
        joint.parent.is_none() || angle_between(&node.rotation, &bind.rotation) < SAME_TURN
    });
    let mixed = joints().map(|((joint, node), bind)| {
        if joint.parent.is_none() && (size != 1.0 || same_pose) {
            return *node;
        }
        let near = (node.translation.vector * size - bind.translation.vector).norm()
            <= SAME_LENGTH * size * length(node);
        let translation = match joint.parent {
            Some(_) if near => node.translation,
            _ => Translation3::from(bind.translation.vector / size),
        };
        Isometry3::from_parts(translation, bind.rotation)
    });
    mixed.collect()
}

/// By joint: its local transform in the bind pose, or that of its node where it has none; `None` without any.
fn bind_transforms(scene: &Scene, tree: &Tree, of_nodes: &[Isometry3<f64>]) -> Option<Vec<Isometry3<f64>>> {
    let mut matrices: Vec<Option<Isometry3<f64>>> = vec![None; tree.nodes.len()];
    for pose in scene.poses.iter().filter(|pose| pose.is_bind_pose) {
        for bone in &pose.bone_poses {
            if let Some(place) = tree.places.get(&(bone.bone_node.element.typed_id as usize)) {
                matrices[*place] = rigid(&bone.bone_to_world);
            }
        }
    }
    // The bind matrices of skins take precedence over those of pose objects.
    for cluster in &scene.skin_clusters {
        let place = cluster.bone_node.as_ref().map(|node| node.element.typed_id as usize);
        if let Some(place) = place.and_then(|node| tree.places.get(&node)) {
            matrices[*place] = rigid(&cluster.bind_to_world).or(matrices[*place]);
        }
    }
    tree.joints.iter().any(|joint| matrices[joint.place].is_some()).then(|| {
        let mut worlds: Vec<Isometry3<f64>> = Vec::with_capacity(tree.joints.len());
        let mut locals = Vec::with_capacity(tree.joints.len());
        for (joint, node) in tree.joints.iter().zip(of_nodes) {
            let above = joint.parent.map_or(Isometry3::identity(), |parent| worlds[parent]);
            let world = matrices[joint.place].unwrap_or(above * node);
            locals.push(above.inverse() * world);
            worlds.push(world);
        }
        locals
    })
}

/// The translation and the rotation of a matrix, without the point reflection of a mirroring one; `None` for one that
/// is singular or not finite.
fn rigid(matrix: &Matrix) -> Option<Isometry3<f64>> {
    let linear = Matrix3::new(
        matrix.m00, matrix.m01, matrix.m02, matrix.m10, matrix.m11, matrix.m12, matrix.m20, matrix.m21,
        matrix.m22,
    );
    let place = Vector3::new(matrix.m03, matrix.m13, matrix.m23);
    if !place.iter().chain(linear.iter()).all(|value| value.is_finite()) {
        return None;
    }
    let linear = if linear.determinant() < 0.0 { -linear } else { linear };
    let columns = [0, 1, 2].map(|i| linear.column(i).try_normalize(1e-12));
    let [Some(x), Some(y), Some(_)] = columns else { return None };
    let z = x.cross(&y).try_normalize(1e-6)?;
    let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, z.cross(&x), z]));
    Some(Isometry3::from_parts(place.into(), UnitQuaternion::from_rotation_matrix(&rotation)))
}
