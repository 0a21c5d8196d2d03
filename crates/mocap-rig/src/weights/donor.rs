//! A rigged character whose weights are copied.

use mocap_model::{Body, JointId, Skeleton, Vector3};
use nalgebra::Point3;

use super::PlaceWeights;
use crate::{RigError, RigMesh, rest_places, turn_outwards};

/// A rigged character: its surface in the bind pose, with its weights.
#[derive(Clone, Debug)]
pub struct Donor {
    /// The surface.
    pub mesh: RigMesh,
    /// By place of the mesh.
    pub weights: PlaceWeights,
    /// Its skeleton.
    pub skeleton: Skeleton,
    /// By joint: where it was when the mesh was bound.
    pub places: Vec<Vector3<f64>>,
    /// By joint: the share of the surface that follows it.
    pub shares: Vec<f64>,
}

impl Donor {
    /// The donor from a body on a skeleton.
    ///
    /// # Errors
    /// [`RigError::NoSkin`] where no vertex follows two joints or more in all, and those of [`RigMesh::new`].
    pub fn new(body: &Body, skeleton: &Skeleton, most_triangles: usize) -> Result<Donor, RigError> {
        let meshes = body.meshes.iter().map(|mesh| mesh.at_rest(skeleton)).collect();
        let mut body = Body { meshes, materials: Vec::new() };
        let positions: Vec<Vector3<f64>> =
            body.meshes.iter().flat_map(|mesh| mesh.positions.iter().copied()).collect();
        let mut mesh = RigMesh::new(&body, &positions, most_triangles)?;
        if turn_outwards(&mut body, &mesh) > 0 {
            mesh = RigMesh::new(&body, &positions, most_triangles)?;
        }
        let mut places = rest_places(skeleton);
        for bone in body.meshes.iter().flat_map(|mesh| &mesh.skin.bones) {
            if let Some(bind) = bone.inverse_bind.try_inverse() {
                places[bone.joint.index()] = bind.transform_point(&Point3::origin()).coords;
            }
        }
        // Of vertices in one place, the first one counts.
        let mut by_place: Vec<Vec<(JointId, f64)>> = vec![Vec::new(); mesh.places.len()];
        let vertices =
            body.meshes.iter().flat_map(|mesh| (0..mesh.positions.len()).map(move |vertex| (mesh, vertex)));
        for ((mesh, vertex), place) in vertices.zip(&mesh.of_vertex) {
            let all = &mut by_place[*place as usize];
            if all.is_empty() && vertex + 1 < mesh.skin.starts.len() {
                let joint = |bone: u32| mesh.skin.bones[bone as usize].joint;
                let known = mesh.skin.of(vertex).iter().filter(|one| one.weight > 0.0);
                all.extend(known.map(|one| (joint(one.bone), one.weight)));
            }
        }
        let areas = mesh.areas();
        let whole = areas.iter().sum::<f64>();
        let mut shares = vec![0.0; skeleton.len()];
        for (area, (joint, weight)) in
            areas.iter().zip(&by_place).flat_map(|(area, all)| all.iter().map(move |one| (area, one)))
        {
            shares[joint.index()] += weight * area / whole;
        }
        if shares.iter().filter(|share| **share > 0.0).count() < 2 {
            return Err(RigError::NoSkin);
        }
        let mut weights = PlaceWeights { starts: vec![0], ..PlaceWeights::default() };
        for all in by_place {
            weights.all.extend(all);
            weights.starts.push(weights.all.len() as u32);
        }
        Ok(Donor { mesh, weights, skeleton: skeleton.clone(), places, shares })
    }

    /// Whether any of its surface follows a joint.
    pub fn moves(&self, joint: JointId) -> bool {
        self.shares[joint.index()] > 0.0
    }
}
