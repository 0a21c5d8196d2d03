//! Finds the joints of a person in a solid by its cross-sections, middle lines and the proportions of bodies.
//!
//! Everything is in the frame of the body: x to its left, y up, z forward, as shares of its height. Proportions are
//! relative to features of the surface: the crotch, the thinnest places of shin and wrist, the base of the neck. They
//! were tuned on five bodies with joints placed by artists, and are not population means.

use mocap_model::Vector3;

use super::extremities::Extremities;
use super::landmark::Landmarks;
use super::sections::levels;
use super::upright::Upright;
use super::{anatomy, arms, legs, trunk};
use crate::{RigError, RigMesh, Voxels};

/// Finds the landmarks, and whether fingers are detected on the left and on the right. `mesh` and `voxels` are in the
/// frame of the body; `ends` are its extremities among them.
///
/// # Errors
/// [`RigError::NotHuman`] where there is no neck or no leg, or a hand touches the body.
pub(crate) fn landmarks(
    mesh: &RigMesh,
    voxels: &Voxels,
    ends: &Extremities,
    is_mirrored: bool,
) -> Result<(Landmarks, [bool; 2]), RigError> {
    let body = Upright { mesh, voxels, ends, depths: voxels.depths(), cuts: levels(voxels) };
    let mut found = Landmarks::new();
    let sacrum = legs::find(&body, &mut found)?;
    anatomy::doubt_legs(&mut found);
    let neck = trunk::find(&body, &sacrum, &mut found)?;
    let mut fingers_seen = arms::find(&body, &neck, &mut found)?;
    if is_mirrored {
        symmetric(&mut found);
        fingers_seen = [fingers_seen[0] && fingers_seen[1]; 2];
    }
    Ok((found, fingers_seen))
}

/// Averages both sides.
fn symmetric(found: &mut Landmarks) {
    let flip = |place: &Vector3<f64>| Vector3::new(-place.x, place.y, place.z);
    for role in found.keys().copied().collect::<Vec<_>>() {
        let Some(other) = found.get(&role.mirrored()).map(|other| flip(&other.place)) else { continue };
        if role.mirrored() < role {
            continue;
        }
        let mean = (found[&role].place + other) * 0.5;
        if let Some(landmark) = found.get_mut(&role) {
            landmark.place = mean;
        }
        if let Some(landmark) = found.get_mut(&role.mirrored()) {
            landmark.place = flip(&mean);
        }
    }
}
