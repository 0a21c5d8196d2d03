//! The rest pose of joints: the pose in which the skins are bound, or that of the nodes.

use std::collections::HashMap;

use nalgebra::Matrix4;

use super::document::Document;
use super::frame::Frame;
use super::problem::Problem;
use super::trs::{Trs, unit};
use crate::{Finding, Limits};

/// Below this difference, the rest pose is exactly that of the nodes [m, rad].
const SAME_POSE: f64 = 1e-5;
/// Tolerance of equal matrices: what single precision loses in a product of two [share of the largest element].
const SAME_MATRIX: f64 = 1e-5;

/// The inverse bind matrices of a file.
///
/// They are `G⁻¹ M`, with the transforms `G` of joints and one transform `M` per skin, of the mesh. Only matrices with
/// the same `M` are comparable.
#[derive(Debug, Default)]
pub(super) struct Binds {
    /// By node: the spaces with a matrix of it. The space of the largest skin is first.
    spaces: HashMap<usize, Vec<usize>>,
    /// By space and node.
    matrices: HashMap<(usize, usize), Bind>,
}

/// An inverse bind matrix, and that matrix inverted.
#[derive(Clone, Copy, Debug)]
struct Bind {
    inverse: Matrix4<f64>,
    bind: Matrix4<f64>,
}

impl Binds {
    /// Reads the matrices of all skins. Skins that have the same matrix for a joint have the same `M`. The skin with the
    /// most joints is that of the body, so its pose counts first.
    pub(super) fn of(
        document: &Document,
        limits: &Limits,
        warnings: &mut Vec<Finding>,
    ) -> Result<Binds, Finding> {
        let mut skins = (0..document.root.skins.len())
            .map(|skin| of_skin(document, skin, limits, warnings))
            .collect::<Result<Vec<_>, Finding>>()?;
        skins.sort_by_key(|skin| std::cmp::Reverse(skin.len()));
        let mut binds = Binds::default();
        for (number, skin) in skins.iter().enumerate() {
            let shared = skin.iter().find_map(|(joint, bind)| binds.space_with(*joint, bind));
            let space = shared.unwrap_or(number);
            for (joint, bind) in skin {
                if let std::collections::hash_map::Entry::Vacant(free) = binds.matrices.entry((space, *joint))
                {
                    free.insert(*bind);
                    binds.spaces.entry(*joint).or_default().push(space);
                }
            }
        }
        binds.spaces.values_mut().for_each(|spaces| spaces.sort_unstable());
        Ok(binds)
    }

    /// The space of the largest skin of a joint, if the joint has this matrix there.
    fn space_with(&self, joint: usize, bind: &Bind) -> Option<usize> {
        // Only that of the largest skin is compared, so the time grows with the number of matrices.
        let space = *self.spaces.get(&joint)?.first()?;
        let other = &self.matrices[&(space, joint)].inverse;
        ((other - bind.inverse).amax() <= SAME_MATRIX * other.amax()).then_some(space)
    }

    /// The transforms `M⁻¹ G` of a root.
    fn of_root(&self, node: usize) -> impl Iterator<Item = Matrix4<f64>> {
        let spaces = self.spaces.get(&node).into_iter().flatten();
        spaces.map(move |space| self.matrices[&(*space, node)].bind)
    }

    /// The transform of a node in its parent, in a space that has matrices of both.
    fn between(&self, parent: usize, node: usize) -> Option<Matrix4<f64>> {
        let both = |space: &usize| {
            let above = self.matrices.get(&(*space, parent))?;
            Some(above.inverse * self.matrices[&(*space, node)].bind)
        };
        self.spaces.get(&node)?.iter().find_map(both)
    }
}

/// The matrices of the joints of a skin that can be inverted.
fn of_skin(
    document: &Document,
    skin: usize,
    limits: &Limits,
    warnings: &mut Vec<Finding>,
) -> Result<Vec<(usize, Bind)>, Finding> {
    let joints = &document.root.skins[skin].joints;
    let Some(accessor) = document.root.skins[skin].inverse_bind_matrices else { return Ok(Vec::new()) };
    let path = format!("skins[{skin}].inverseBindMatrices");
    let values = document.floats(accessor, "MAT4", &path, limits)?;
    if values.len() < joints.len() * 16 {
        let (found, keys) = (values.len() / 16, joints.len());
        return Err(Finding::new(Problem::KeyCount { path, found, keys, expected: keys }));
    }
    let mut found = Vec::with_capacity(joints.len());
    for (j, (&joint, values)) in joints.iter().zip(values.chunks_exact(16)).enumerate() {
        let inverse = Matrix4::from_column_slice(values);
        match inverse.try_inverse().filter(|bind| bind.iter().all(|value| value.is_finite())) {
            Some(bind) => found.push((joint, Bind { inverse, bind })),
            None => warnings.push(Finding::new(Problem::NoInverse { path: format!("{path}[{j}]") })),
        }
    }
    Ok(found)
}

/// The rest pose of a joint in the clip: the pose in which a skin is bound, or that of the nodes. `parent` is the node of
/// its parent joint.
///
/// Between a joint and its parent the `M` of a skin cancels out; for a root, `M` is assumed to be the identity if the
/// scale fits. Of several `M`, that counts which is nearest to it.
pub(super) fn rest(local: &Trs, frame: &Frame, (node, parent): (usize, Option<usize>), binds: &Binds) -> Trs {
    let rotation = if parent.is_some() { local.rotation } else { unit(*(frame.rotation * local.rotation)) };
    let nodes = Trs { translation: frame.place(&local.translation), rotation, scale: local.scale };
    let turned = |other: &Trs| mocap_model::angle_between(&other.rotation, &nodes.rotation);
    let apart = |other: &Trs| (other.translation - nodes.translation).norm();
    let fits = |other: &Trs| (other.scale - local.scale).norm() <= 1e-3 * local.scale.norm();
    let bound = match parent {
        Some(parent) => binds.between(parent, node).map(|matrix| {
            let bound = Trs::of_matrix(&matrix);
            Trs { translation: frame.place(&bound.translation), ..bound }
        }),
        None => {
            let all = binds.of_root(node).map(|matrix| root(&Trs::of_matrix(&matrix), local, frame, &nodes));
            let turns = |bound: &Trs| (turned(bound) / SAME_POSE).round();
            all.filter(|bound| fits(bound))
                .min_by(|a, b| turns(a).total_cmp(&turns(b)).then(apart(a).total_cmp(&apart(b))))
        }
    };
    bound.filter(|bound| fits(bound) && turned(bound).max(apart(bound)) >= SAME_POSE).unwrap_or(nodes)
}

/// The bound pose of a root. The mesh may be in the space of the scene, in that of the joints, or have the scale of one
/// and the axes of the other.
fn root(bound: &Trs, local: &Trs, frame: &Frame, nodes: &Trs) -> Trs {
    let of_scene = Trs { scale: bound.scale / frame.scale, ..*bound };
    let sized = Trs { translation: bound.translation * frame.scale, ..*bound };
    let of_joints = Trs {
        translation: frame.place(&bound.translation),
        rotation: unit(*(frame.rotation * bound.rotation)),
        ..*bound
    };
    let turned = |other: &Trs| mocap_model::angle_between(&other.rotation, &nodes.rotation);
    let fits = |other: &&Trs| (other.scale - local.scale).norm() <= 1e-3 * local.scale.norm();
    let candidates = [of_scene, sized, of_joints];
    let nearest = candidates.iter().filter(fits).min_by(|a, b| turned(a).total_cmp(&turned(b)));
    *nearest.unwrap_or(&of_scene)
}
