//! Skinning weights of the places of a surface.

mod carried;
mod copied;
mod diffusion;
mod distance;
mod donor;
mod heat;
mod limit;
mod near;
mod symmetry;
mod voxel;

use std::str::FromStr;

use mocap_model::JointId;
use nalgebra::DMatrix;

use crate::{BoneSegment, RigError, RigMesh, Voxels};
pub(crate) use carried::{nearest_rotation, similarity};
pub use copied::{CopiedWeights, copy_weights};
pub use donor::Donor;
pub use symmetry::Mirror;

/// The method for weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightMethod {
    /// Heat diffusion on the surface.
    #[default]
    Heat,
    /// Distances through the inside: for surfaces with holes, and clothes in layers.
    Voxel,
    /// 1 in the middle of a bone, fading at its joints.
    Distance,
}

impl WeightMethod {
    /// The names that people type.
    pub const NAMED: [(&'static str, WeightMethod); 3] =
        [("heat", WeightMethod::Heat), ("voxel", WeightMethod::Voxel), ("distance", WeightMethod::Distance)];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            WeightMethod::Heat => "heat",
            WeightMethod::Voxel => "voxel",
            WeightMethod::Distance => "distance",
        }
    }
}

impl FromStr for WeightMethod {
    type Err = String;

    fn from_str(text: &str) -> Result<WeightMethod, String> {
        let found = WeightMethod::NAMED.iter().find(|(name, _)| *name == text);
        found.map(|(_, method)| *method).ok_or_else(|| format!("'{text}' is not heat, voxel or distance"))
    }
}

/// The weights of the places of a mesh, place after place; those of a place sum to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceWeights {
    /// The index of the first weight of each place, followed by the number of all weights.
    pub starts: Vec<u32>,
    /// Joint and weight, the largest first.
    pub all: Vec<(JointId, f64)>,
    /// Whether mesh and bones are mirror images of themselves: then so are the weights.
    pub mirrored: bool,
}

impl PlaceWeights {
    /// Those of a place.
    pub fn of(&self, place: usize) -> &[(JointId, f64)] {
        &self.all[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// The most numbers in the dense matrix of weights: 2 GB.
const MOST_NUMBERS: usize = 1 << 28;

/// Computes the weights of the places of a mesh for bones. At most `influences` joints move a place.
///
/// # Errors
/// [`RigError::NoBones`], [`RigError::WeightBudget`], [`RigError::Singular`].
pub fn weigh(
    mesh: &RigMesh,
    voxels: &Voxels,
    segments: &[BoneSegment],
    method: WeightMethod,
    influences: usize,
) -> Result<PlaceWeights, RigError> {
    if segments.is_empty() {
        return Err(RigError::NoBones);
    }
    let mut joints: Vec<JointId> = segments.iter().map(|segment| segment.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    // Weights by voxel distances are smoothed afterwards.
    let places = match method {
        WeightMethod::Voxel => mesh.places.len().max(voxels.len()),
        WeightMethod::Heat | WeightMethod::Distance => mesh.places.len(),
    };
    if joints.len().saturating_mul(places) > MOST_NUMBERS {
        return Err(RigError::WeightBudget { joints: joints.len(), places, most: MOST_NUMBERS });
    }
    let group = |segment: &BoneSegment| joints.binary_search(&segment.joint).expect("each joint is listed");
    let group: Vec<usize> = segments.iter().map(group).collect();
    let mut weights: DMatrix<f64> = match method {
        WeightMethod::Heat => {
            let filled = voxels.without_slits();
            let flesh = near::Flesh::new(mesh, segments, &filled);
            let normals = mesh.normals();
            let places = mesh.places.iter().zip(&normals);
            let nearest: Vec<near::Nearest> =
                places.map(|(place, normal)| flesh.nearest(place, normal)).collect();
            heat::solve(mesh, &nearest, &group, joints.len())?
        }
        WeightMethod::Voxel => voxel::solve(mesh, voxels, segments, &group, joints.len()),
        WeightMethod::Distance => distance::solve(mesh, voxels, segments, &group, joints.len()),
    };
    let mirror = Mirror::of(mesh).and_then(|mirror| {
        let twins = mirror.joints(segments, mesh.size, &joints)?;
        Some((mirror, twins))
    });
    if let Some((mirror, twins)) = &mirror {
        weights = symmetry::symmetric(&weights, &mirror.places, twins);
    }
    let meet = limit::meetings(segments, &joints, mesh.size);
    let mut found = limit::limited(&weights, &joints, &meet, influences);
    found.mirrored = mirror.is_some();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Vector3;

    #[test]
    fn more_numbers_than_memory_is_for_are_refused() {
        let (from, to) = (Vector3::zeros(), Vector3::x());
        let bone = |joint: u32| BoneSegment { joint: JointId(joint), from, to, is_leaf: true };
        let segments: Vec<BoneSegment> = (0..1 << 14).map(bone).collect();
        let mesh = RigMesh { places: vec![from; (1 << 14) + 1], size: 1.0, ..RigMesh::default() };
        let axes = nalgebra::Matrix3::identity();
        let voxels = Voxels { axes, origin: from, side: 1.0, counts: [1; 3], inside: vec![false] };
        for (_, method) in WeightMethod::NAMED {
            let error = weigh(&mesh, &voxels, &segments, method, 4).unwrap_err();
            assert_eq!(error.code(), "rig::budget");
        }
    }
}
