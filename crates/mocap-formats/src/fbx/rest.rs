//! The rest pose of the joints.

use mocap_model::{Isometry3, UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Rotation3};
use ufbx::{Matrix, Scene, Transform};

use super::Problem;
use super::transforms::Transforms;
use super::tree::Tree;
use crate::{Finding, Warnings};

/// Relative difference of lengths up to which two bones are the same.
const SAME_LENGTH: f64 = 0.01;

/// The local transforms of all nodes of the tree where no stack moves them.
pub(super) fn unmoved(scene: &Scene, tree: &Tree) -> Vec<Transform> {
    tree.nodes.iter().map(|node| scene.nodes[node.node].local_transform).collect()
}

/// By joint: its transform at rest in the frame of the joint above, or of the scene. Rotations are those of the bind
/// pose, if the bones are as long there as in the pose of the nodes; offsets of joints below others are those of the
/// nodes, of which curves usually keep every bit.
pub(super) fn rest(scene: &Scene, tree: &Tree, warnings: &mut Warnings) -> Vec<Isometry3<f64>> {
    let mut placed = Transforms::default();
    placed.place(tree, scene, &unmoved(scene, tree));
    let of_nodes: Vec<Isometry3<f64>> =
        (0..tree.joints.len()).map(|joint| placed.of_joint(tree, joint)).collect();
    let binds = bind_transforms(scene, tree, &of_nodes);
    let Some(binds) = binds else { return of_nodes };
    let mut bones = 0;
    let mut other = 0;
    for ((joint, node), bind) in tree.joints.iter().zip(&of_nodes).zip(&binds) {
        let [length, bound] = [node, bind].map(|rest| rest.translation.vector.norm());
        // A joint that rests on its parent has no bone.
        if joint.parent.is_some() && length.max(bound) > 1e-9 {
            bones += 1;
            other += usize::from((length - bound).abs() > SAME_LENGTH * length.max(bound));
        }
    }
    if 4 * other > bones {
        warnings.push(Finding::new(Problem::BindPose { joints: other, all: bones }));
        return of_nodes;
    }
    let joints = tree.joints.iter().zip(of_nodes).zip(binds);
    joints
        .map(|((joint, node), bind)| {
            let near = (node.translation.vector - bind.translation.vector).norm()
                <= SAME_LENGTH * node.translation.vector.norm();
            let translation =
                if joint.parent.is_some() && near { node.translation } else { bind.translation };
            Isometry3::from_parts(translation, bind.rotation)
        })
        .collect()
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
    // What a skin was bound with counts more than a list of matrices.
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

/// The place and the rotation of a matrix; `None` of one that mirrors, flattens, or is not finite.
fn rigid(matrix: &Matrix) -> Option<Isometry3<f64>> {
    let linear = Matrix3::new(
        matrix.m00, matrix.m01, matrix.m02, matrix.m10, matrix.m11, matrix.m12, matrix.m20, matrix.m21,
        matrix.m22,
    );
    let place = Vector3::new(matrix.m03, matrix.m13, matrix.m23);
    let columns = [0, 1, 2].map(|i| linear.column(i).try_normalize(1e-12));
    let [Some(x), Some(y), Some(_)] = columns else { return None };
    let z = x.cross(&y).try_normalize(1e-6)?;
    let mirrored = linear.determinant() <= 0.0;
    if mirrored || !place.iter().chain(linear.iter()).all(|value| value.is_finite()) {
        return None;
    }
    let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, z.cross(&x), z]));
    Some(Isometry3::from_parts(place.into(), UnitQuaternion::from_rotation_matrix(&rotation)))
}
