//! The pose in which a skin was bound, as the rest pose of joints.

use mocap_model::angle_between;
use nalgebra::Matrix4;

use super::document::Document;
use super::problem::Problem;
use super::trs::{Trs, is_sheared};
use crate::{Finding, Limits};

/// A rest pose that differs by less from that of the nodes is theirs [m, rad].
const SAME_POSE: f64 = 1e-5;
/// Relative difference of sizes up to which a bind pose is that of the node.
const SAME_SIZE: f64 = 1e-3;
/// Angles that differ by less are the same [rad].
const SAME_ANGLE: f64 = 1e-3;

/// By node: its inverse bind matrix, and that matrix inverted.
pub(super) type Binds = Vec<Option<[Matrix4<f64>; 2]>>;

pub(super) fn binds(
    document: &Document,
    limits: &Limits,
    warnings: &mut Vec<Finding>,
) -> Result<Binds, Finding> {
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

/// The local transform of a node when its skin was bound, where that is known and differs from `local`, the transform
/// of the node. `parents` and `locals` are those of all nodes.
///
/// Inverse bind matrices are `G⁻¹ M` with the places `G` of joints and one transform `M` of the mesh: between a joint
/// and its parent `M` cancels out. Of a root, `M` is unknown: files bind in the space of the scene, of a node above the
/// joints, or of the mesh in its own unit. Of these, the one that is nearest to the pose of the nodes is taken.
pub(super) fn bound(node: usize, parents: &[Option<usize>], locals: &[Trs], binds: &Binds) -> Option<Trs> {
    let [_, own] = binds[node]?;
    let local = locals[node];
    let fits = |bound: &Trs| (bound.scale - local.scale).norm() <= SAME_SIZE * local.scale.norm();
    let apart = |bound: &Trs| (bound.translation - local.translation).norm();
    let turned = |bound: &Trs| angle_between(&bound.rotation, &local.rotation);
    let candidates = match parents[node].and_then(|parent| binds[parent]) {
        Some([above, _]) => vec![above * own],
        None => of_root(node, parents, locals, &own)?,
    };
    let nearest = candidates
        .into_iter()
        .filter(|matrix| !is_sheared(matrix))
        .map(|matrix| Trs::of_matrix(&matrix))
        .filter(fits)
        .reduce(|best, other| {
            let angle = turned(&other) - turned(&best);
            let nearer = if angle.abs() <= SAME_ANGLE {
                apart(&other) + SAME_POSE < apart(&best)
            } else {
                angle < 0.0
            };
            if nearer { other } else { best }
        })?;
    (turned(&nearest).max(apart(&nearest)) >= SAME_POSE).then_some(nearest)
}

/// Local transforms that the bind matrix of a root may mean: in each of the spaces above it, in the unit of that space or
/// in one of the mesh alone, where the joint is as large as its node.
fn of_root(
    node: usize,
    parents: &[Option<usize>],
    locals: &[Trs],
    own: &Matrix4<f64>,
) -> Option<Vec<Matrix4<f64>>> {
    let size = |matrix: &Matrix4<f64>| matrix.fixed_view::<3, 3>(0, 0).determinant().abs().cbrt();
    let size_of_node = size(&locals[node].matrix());
    let mut candidates = Vec::new();
    // The transform from the node's parent up to the space in which it was bound.
    let mut above = Matrix4::identity();
    let mut at = parents[node];
    loop {
        let inverse = above.try_inverse()?;
        let bound = inverse * own;
        candidates.push(bound);
        let factor = size_of_node / size(&bound);
        if factor.is_finite() && factor > 0.0 && (factor - 1.0).abs() > SAME_SIZE {
            let mut resized = *own;
            resized.fixed_view_mut::<3, 4>(0, 0).scale_mut(factor);
            candidates.push(inverse * resized);
        }
        let Some(parent) = at else { return Some(candidates) };
        above = locals[parent].matrix() * above;
        at = parents[parent];
    }
}
