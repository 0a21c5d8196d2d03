//! Weights by heat diffusion: each bone heats the surface near it.
//!
//! For each bone −Δw + h w = h p with h = c / d²: p is 1 where the bone is the nearest and d the distance of the
//! nearest bone. Weights are smooth, and their transitions are proportional to the thickness of a limb.
//!
//! Based on: I. Baran, J. Popović, "Automatic rigging and animation of 3D characters", 2007, with nearest bones as
//! [`near`](super::near) finds them.

use nalgebra::DMatrix;

use super::diffusion::Diffusion;
use super::near::Nearest;
use crate::{RigError, RigMesh};

/// The constant c: attachment of a place to its nearest bone relative to its neighbours.
const HEAT: f64 = 8.0;
/// Least distance of a bone, as a share of the mesh's size.
const NEAREST: f64 = 1e-4;

/// By place and group of segments: the weights. `group` gives the group, of `groups`, that a segment belongs to.
pub(crate) fn solve(
    mesh: &RigMesh,
    nearest: &[Nearest],
    group: &[usize],
    groups: usize,
) -> Result<DMatrix<f64>, RigError> {
    let diffusion = Diffusion::new(mesh, |place| {
        let distance = nearest[place].distance.max(NEAREST * mesh.size);
        HEAT / (distance * distance)
    })?;
    // Only bones that are nearest somewhere are solved.
    let mut used: Vec<usize> = nearest.iter().map(|nearest| group[nearest.segment]).collect();
    used.sort_unstable();
    used.dedup();
    let mut weights = DMatrix::zeros(mesh.places.len(), groups);
    for one in used {
        let diffused = diffusion.diffused(|place| f64::from(u8::from(group[nearest[place].segment] == one)));
        diffused.into_iter().enumerate().for_each(|(place, weight)| weights[(place, one)] = weight);
    }
    Ok(weights)
}
