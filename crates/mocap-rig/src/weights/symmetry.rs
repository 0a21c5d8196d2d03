//! Mirror symmetry of bodies.

use std::collections::BTreeMap;

use mocap_model::{JointId, Vector3};
use nalgebra::{DMatrix, Matrix3, SymmetricEigen};

use crate::{BoneSegment, RigMesh};

/// Tolerance of mirror images of places, as a share of the size of the mesh.
const SAME: f64 = 2e-5;
/// The same for the ends of bones, which files round.
const SAME_BONES: f64 = 1e-3;
/// The most candidates per image on average, which bounds the time for degenerate meshes.
const MOST_NEAR: usize = 16;

/// The mirror plane of a body, and the mirror image of each place.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// The unit normal of the plane.
    pub normal: Vector3<f64>,
    /// A place on it.
    pub middle: Vector3<f64>,
    /// By place: its mirror image.
    pub places: Vec<u32>,
}

impl Mirror {
    /// The mirror plane of a mesh; `None` if it is not symmetric. The normal of such a plane is a principal axis.
    pub fn of(mesh: &RigMesh) -> Option<Mirror> {
        let count = mesh.places.len() as f64;
        let middle: Vector3<f64> = mesh.places.iter().sum::<Vector3<f64>>() / count;
        let covariance: Matrix3<f64> =
            mesh.places.iter().map(|at| (at - middle) * (at - middle).transpose()).sum::<Matrix3<f64>>();
        let axes = SymmetricEigen::new(covariance).eigenvectors;
        let mut candidates: Vec<Vector3<f64>> = Vec::new();
        // Axes of the file are tried first, because they are exact.
        candidates.extend([Vector3::x(), Vector3::y(), Vector3::z()]);
        candidates.extend((0..3).map(|at| axes.column(at).into_owned()));
        candidates.into_iter().find_map(|normal| {
            let places = images(mesh, &normal, &middle)?;
            Some(Mirror { normal, middle, places })
        })
    }

    /// The mirror image of a place.
    pub fn image(&self, place: &Vector3<f64>) -> Vector3<f64> {
        place - self.normal * (2.0 * (place - self.middle).dot(&self.normal))
    }

    /// By joint: the index of the joint on the other side; `None` if a bone has no mirror image.
    pub(crate) fn joints(
        &self,
        segments: &[BoneSegment],
        size: f64,
        joints: &[JointId],
    ) -> Option<Vec<usize>> {
        let near = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).norm() <= SAME_BONES * size;
        let mut twins: Vec<Option<usize>> = vec![None; joints.len()];
        for segment in segments {
            let at = joints.binary_search(&segment.joint).ok()?;
            let (from, to) = (self.image(&segment.from), self.image(&segment.to));
            // The ends of leaf segments are found in voxels, which need not be symmetric, so they are not compared.
            let both_end = |other: &BoneSegment| segment.is_leaf && other.is_leaf;
            let is_twin =
                |other: &&BoneSegment| near(&other.from, &from) && (both_end(other) || near(&other.to, &to));
            let twin = segments.iter().find(is_twin)?;
            let twin = joints.binary_search(&twin.joint).ok()?;
            if twins[at].is_some_and(|known| known != twin) {
                return None;
            }
            twins[at] = Some(twin);
        }
        let twins: Vec<usize> = twins.into_iter().collect::<Option<_>>()?;
        (0..twins.len()).all(|at| twins[twins[at]] == at).then_some(twins)
    }
}

/// The pairing of places with their mirror images; `None` if one has none.
fn images(mesh: &RigMesh, normal: &Vector3<f64>, middle: &Vector3<f64>) -> Option<Vec<u32>> {
    let cell = 2.0 * SAME * mesh.size;
    let key =
        |at: &Vector3<f64>| -> [i64; 3] { std::array::from_fn(|axis| (at[axis] / cell).floor() as i64) };
    let mut cells: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
    let image = |at: &Vector3<f64>| at - normal * (2.0 * (at - middle).dot(normal));
    // Most planes are rejected because an image is outside the bounding box of the mesh.
    let low = mesh.places.iter().fold(mesh.places[0], |low, at| low.inf(at)).add_scalar(-SAME * mesh.size);
    let high = mesh.places.iter().fold(mesh.places[0], |high, at| high.sup(at)).add_scalar(SAME * mesh.size);
    if !mesh.places.iter().all(|at| {
        let at = image(at);
        at.sup(&low) == at && at.inf(&high) == at
    }) {
        return None;
    }
    for (place, at) in mesh.places.iter().enumerate() {
        cells.entry(key(at)).or_default().push(place as u32);
    }
    // Several places may be near an image: the nearest pairs are matched first.
    let mut pairs: Vec<(f64, u32, u32)> = Vec::with_capacity(mesh.places.len());
    for (place, at) in mesh.places.iter().enumerate() {
        let (place, at) = (place as u32, image(at));
        let [x, y, z] = key(&at);
        let before = pairs.len();
        for (dx, dy, dz) in (0..27).map(|i| (i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1)) {
            for other in cells.get(&[x + dx, y + dy, z + dz]).into_iter().flatten() {
                let off = (mesh.places[*other as usize] - at).norm();
                if off <= SAME * mesh.size {
                    pairs.push((off, place, *other));
                }
            }
        }
        if pairs.len() == before || pairs.len() > MOST_NEAR * mesh.places.len() {
            return None;
        }
    }
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut images: Vec<Option<u32>> = vec![None; mesh.places.len()];
    for (_, place, other) in pairs {
        if images[place as usize].is_none() && images[other as usize].is_none() {
            images[place as usize] = Some(other);
            images[other as usize] = Some(place);
        }
    }
    images.into_iter().collect()
}

/// The mean of weights and their mirror images.
pub(crate) fn symmetric(weights: &DMatrix<f64>, places: &[u32], twins: &[usize]) -> DMatrix<f64> {
    DMatrix::from_fn(weights.nrows(), weights.ncols(), |place, joint| {
        0.5 * (weights[(place, joint)] + weights[(places[place] as usize, twins[joint])])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_come_in_pairs_where_places_are_close_together() {
        // Two places on the right are both nearest to the first on the left.
        let close = 0.4 * SAME;
        let ends = [[0.5, 0.0, 0.0], [0.5, 2.0 * close, 0.0], [-0.5, 0.0, 0.0], [-0.5, close, 0.0]];
        let far = [[0.5, 1.0, 0.2], [-0.5, 1.0, 0.2], [0.0, 0.5, 0.3]];
        let places: Vec<Vector3<f64>> = ends.into_iter().chain(far).map(Vector3::from).collect();
        let mesh = RigMesh { places, size: 1.0, ..RigMesh::default() };
        let found = images(&mesh, &Vector3::x(), &Vector3::zeros()).unwrap();
        assert_eq!(found, [2, 3, 0, 1, 5, 4, 6]);
        assert!(images(&mesh, &Vector3::y(), &Vector3::zeros()).is_none());
    }
}
