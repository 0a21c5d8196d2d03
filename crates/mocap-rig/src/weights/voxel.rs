//! Weights by geodesic distances through the inside of a mesh, which also work with layers and holes.
//!
//! Based on: O. Dionne, M. de Lasa, "Geodesic voxel binding for production character meshes", 2013. Distances are
//! relative to the nearest one.

use mocap_model::Vector3;
use nalgebra::DMatrix;

use crate::geodesic::Ways;
use crate::{BoneSegment, RigMesh, Voxels};

/// Bones further than this many times the nearest one have no weight.
const REACH: f64 = 2.0;
/// The exponent of the decay with distance.
const FALL: i32 = 6;

/// By place and group of segments: the weights.
pub(crate) fn solve(
    mesh: &RigMesh,
    voxels: &Voxels,
    segments: &[BoneSegment],
    group: &[usize],
    groups: usize,
) -> DMatrix<f64> {
    let at_place = nearest_inside(mesh, voxels);
    let mut least = vec![f64::INFINITY; voxels.len()];
    let mut distances: Vec<Vec<f64>> = Vec::with_capacity(groups);
    for one in 0..groups {
        let mut seeds: Vec<(usize, f64)> = Vec::new();
        for segment in
            segments.iter().zip(group).filter(|(_, group)| **group == one).map(|(segment, _)| segment)
        {
            let steps = voxels.half_voxels(segment.length());
            for step in voxels.steps_within(&segment.from, &segment.to, steps) {
                let at = segment.from + (segment.to - segment.from) * (step / steps);
                if let Some(voxel) = voxels.at(&at).filter(|voxel| voxels.inside[*voxel]) {
                    seeds.push((voxel, (voxels.middle(voxel) - at).norm()));
                }
            }
        }
        let found = Ways::new(voxels, &seeds).far;
        for (least, found) in least.iter_mut().zip(&found) {
            *least = least.min(*found);
        }
        distances.push(found);
    }
    let mut weights = DMatrix::zeros(mesh.places.len(), groups);
    for (place, voxel) in at_place.iter().enumerate() {
        let nearest = voxel.map_or(f64::INFINITY, |voxel| least[voxel]).max(0.5 * voxels.side);
        if let Some(voxel) = voxel.filter(|_| nearest.is_finite()) {
            for one in 0..groups {
                let share = distances[one][voxel].max(nearest) / nearest;
                if share < REACH {
                    let fade = (REACH - share) / (REACH - 1.0);
                    weights[(place, one)] = fade * fade / share.powi(FALL);
                }
            }
        } else {
            // No path inside reaches this place: use the nearest bone by straight distance.
            let at = &mesh.places[place];
            let far = |segment: &BoneSegment| (segment.nearest(at) - at).norm();
            let best = (0..segments.len()).min_by(|a, b| far(&segments[*a]).total_cmp(&far(&segments[*b])));
            weights[(place, group[best.unwrap_or_default()])] = 1.0;
        }
    }
    weights
}

/// By place: the first voxel inside along its inward normal, within a few voxels.
fn nearest_inside(mesh: &RigMesh, voxels: &Voxels) -> Vec<Option<usize>> {
    let normals = mesh.normals();
    let find = |(place, normal): (&Vector3<f64>, &Vector3<f64>)| {
        (0..6).find_map(|step| {
            let at = place - normal * (0.5 * voxels.side * f64::from(step));
            voxels.at(&at).filter(|voxel| voxels.inside[*voxel])
        })
    };
    mesh.places.iter().zip(&normals).map(find).collect()
}
