//! Weights by a simple rule: 1 in the middle of a bone, fading at its joints to the bones that meet there, by distance where
//! there are several.

use nalgebra::DMatrix;

use super::near::Flesh;
use crate::{BoneSegment, RigMesh, Voxels};

/// Over this share at the end of a bone, weights fade to the next bone.
const FADES: f64 = 0.25;

/// By place and group of segments: the weights.
pub(crate) fn solve(
    mesh: &RigMesh,
    voxels: &Voxels,
    segments: &[BoneSegment],
    group: &[usize],
    groups: usize,
) -> DMatrix<f64> {
    let (flesh, normals) = (Flesh::new(mesh, segments, voxels), mesh.normals());
    let mut weights = DMatrix::zeros(mesh.places.len(), groups);
    for (at, (place, normal)) in mesh.places.iter().zip(&normals).enumerate() {
        let own = flesh.nearest(place, normal).segment;
        let bone = &segments[own];
        let along = bone.along(place).clamp(0.0, 1.0);
        let (joint, from_end) = if along < 0.5 { (bone.from, along) } else { (bone.to, 1.0 - along) };
        let share = (0.5 + 0.5 * from_end / FADES).min(1.0);
        weights[(at, group[own])] += share;
        let meets = |other: &BoneSegment| {
            [other.from, other.to].iter().any(|end| (end - joint).norm() <= 1e-6 * mesh.size)
        };
        let others: Vec<(usize, f64)> = segments
            .iter()
            .enumerate()
            .filter(|(other, segment)| *other != own && group[*other] != group[own] && meets(segment))
            .map(|(other, segment)| (other, (segment.nearest(place) - place).norm_squared()))
            .map(|(other, square)| (other, 1.0 / square.max(f64::MIN_POSITIVE)))
            .collect();
        let sum: f64 = others.iter().map(|(_, nearness)| nearness).sum();
        if sum > 0.0 && sum.is_finite() {
            for (other, nearness) in others {
                weights[(at, group[other])] += (1.0 - share) * nearness / sum;
            }
        } else {
            weights[(at, group[own])] += 1.0 - share;
        }
    }
    weights
}
