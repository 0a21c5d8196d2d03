//! A body in an upright frame, with the measurements for the search for joints.

use super::extremities::Extremities;
use super::sections::Piece;
use crate::{RigMesh, Voxels};

/// Steps of middle lines.
pub(super) const STEP: f64 = 0.01;

/// The upright voxels of a body, with measurements that are shared.
pub(super) struct Upright<'a> {
    pub(super) mesh: &'a RigMesh,
    pub(super) voxels: &'a Voxels,
    pub(super) ends: &'a Extremities,
    /// By voxel: its depth inside.
    pub(super) depths: Vec<f64>,
    /// By level: the pieces of the cross-section.
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
