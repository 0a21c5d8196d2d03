//! Geodesics: shortest paths through the inside of a solid.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Voxels;

/// No voxel.
pub(crate) const NONE: u32 = u32::MAX;

/// By voxel inside: its distance from the seeds along neighbours (across faces, edges and corners), and its predecessor
/// on the path.
pub(crate) struct Ways {
    pub(crate) far: Vec<f64>,
    pub(crate) before: Vec<u32>,
}

impl Ways {
    /// The paths from seeds, which are voxels with an initial distance.
    pub(crate) fn new(voxels: &Voxels, seeds: &[(usize, f64)]) -> Ways {
        let mut far = vec![f64::INFINITY; voxels.len()];
        let mut before = vec![NONE; voxels.len()];
        // The heap is ordered by lengths in millionths of a voxel.
        let key = |length: f64| (length / voxels.side * 1e6) as u64;
        let mut open = BinaryHeap::new();
        for (voxel, length) in seeds {
            if *length < far[*voxel] {
                far[*voxel] = *length;
                open.push(Reverse((key(*length), *voxel)));
            }
        }
        let [nx, ny, _] = voxels.counts.map(|count| count as isize);
        let steps: Vec<(isize, f64)> = (0..27)
            .map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1])
            .filter(|step| *step != [0, 0, 0])
            .map(|[x, y, z]| (x + nx * (y + ny * z), ((x * x + y * y + z * z) as f64).sqrt() * voxels.side))
            .collect();
        while let Some(Reverse((at_key, at))) = open.pop() {
            if at_key > key(far[at]) {
                continue;
            }
            for (step, length) in &steps {
                // The border of empty voxels ensures that voxels inside have neighbours on all sides.
                let next = (at as isize + step) as usize;
                let length = far[at] + length;
                if voxels.inside[next] && length < far[next] {
                    far[next] = length;
                    before[next] = at as u32;
                    open.push(Reverse((key(length), next)));
                }
            }
        }
        Ways { far, before }
    }

    /// The path from a voxel back to a seed.
    pub(crate) fn back(&self, from: usize) -> Vec<usize> {
        let next = |at: &usize| Some(self.before[*at]).filter(|before| *before != NONE).map(|at| at as usize);
        std::iter::successors(Some(from), next).collect()
    }

    /// The furthest voxel that can be reached.
    pub(crate) fn furthest(&self) -> Option<usize> {
        let reached = (0..self.far.len()).filter(|at| self.far[*at].is_finite());
        reached.reduce(|best, at| if self.far[at] > self.far[best] { at } else { best })
    }
}
