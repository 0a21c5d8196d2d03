//! Where the joints of a person are inside a solid: by its cuts, its middle lines and the proportions of bodies.
//!
//! Everything is in the frame of the body: x to its left, y up, z forward, as shares of its height. Shares of lengths are
//! counted from what a surface shows: where legs part, where shin and wrist are thinnest, where the neck begins. They were
//! set while looking at five bodies whose joints an artist placed; they are no means of many people.

use std::collections::BTreeMap;

use mocap_model::{Role, Vector3};

use super::extremities::Extremities;
use super::sections::{Piece, levels};
use super::{arms, legs, trunk};
use crate::{RigError, Voxels};

/// Steps of middle lines.
pub(super) const STEP: f64 = 0.01;

/// Where a joint is, how sure that is, and why it is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    /// The place.
    pub place: Vector3<f64>,
    /// 0 to 1.
    pub confidence: f64,
    /// What was seen.
    pub reason: String,
}

/// The landmarks of a body, by role.
pub(crate) type Landmarks = BTreeMap<Role, Landmark>;

/// A body as voxels that stand upright, and what is measured on them once.
pub(super) struct Upright<'a> {
    pub(super) voxels: &'a Voxels,
    pub(super) ends: &'a Extremities,
    /// By voxel: how deep inside it is.
    pub(super) depths: Vec<f64>,
    /// By level: the pieces of the cut.
    pub(super) cuts: Vec<Vec<Piece>>,
}

impl Upright<'_> {
    /// The level of a height.
    pub(super) fn level(&self, height: f64) -> usize {
        let level = ((height - self.voxels.origin.y) / self.voxels.side).round().max(0.0);
        (level as usize).min(self.cuts.len() - 1)
    }

    /// The height of a level.
    pub(super) fn height(&self, level: usize) -> f64 {
        self.voxels.origin.y + level as f64 * self.voxels.side
    }

    /// Two ends, the left one first.
    pub(super) fn by_side(&self, ends: [usize; 2]) -> [usize; 2] {
        let x = |end: usize| self.voxels.middle(end).x;
        if x(ends[0]) >= x(ends[1]) { ends } else { [ends[1], ends[0]] }
    }
}

/// Notes a landmark.
pub(super) fn put(
    found: &mut Landmarks,
    role: Role,
    place: Vector3<f64>,
    confidence: f64,
    reason: impl Into<String>,
) {
    found.insert(role, Landmark { place, confidence, reason: reason.into() });
}

/// Finds them. `voxels` stand in the frame of the body; `ends` are its extremities among them.
///
/// # Errors
/// [`RigError::NotHuman`] where there is no neck or no leg.
pub(crate) fn landmarks(
    voxels: &Voxels,
    ends: &Extremities,
    is_mirrored: bool,
) -> Result<Landmarks, RigError> {
    let body = Upright { voxels, ends, depths: voxels.depths(), cuts: levels(voxels) };
    let mut found = Landmarks::new();
    let sacrum = legs::find(&body, &mut found)?;
    let neck = trunk::find(&body, &sacrum, &mut found)?;
    arms::find(&body, &neck, &mut found);
    if is_mirrored {
        symmetric(&mut found);
    }
    Ok(found)
}

/// The mean of both sides.
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
