//! Geodesics: shortest paths through the inside of a solid.
//!
//! Based on: R. B. Dial, "Algorithm 360: shortest-path forest with topological ordering", 1969. A
//! bucket spans distances of one voxel width; no step is shorter, so the order within a bucket does
//! not matter.

use crate::Voxels;

/// By voxel: its distance from the nearest seed along paths between neighbours across faces, edges
/// and corners; infinite outside and where no path leads.
pub(crate) struct Ways {
    pub(crate) far: Vec<f64>,
}

/// The neighbours of a voxel: the differences of their indices, and their distances.
fn steps(voxels: &Voxels) -> Vec<(isize, f64)> {
    let [nx, ny, _] = voxels.counts.map(|count| count as isize);
    (0..27)
        .map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1])
        .filter(|step| *step != [0, 0, 0])
        .map(|[x, y, z]| (x + nx * (y + ny * z), ((x * x + y * y + z * z) as f64).sqrt() * voxels.side))
        .collect()
}

impl Ways {
    /// The distances from seeds, which are voxels with an initial distance.
    pub(crate) fn new(voxels: &Voxels, seeds: &[(usize, f64)]) -> Ways {
        let mut ways = Ways { far: vec![f64::INFINITY; voxels.len()] };
        ways.add(voxels, seeds);
        ways
    }

    /// Adds seeds: distances become those from the nearest of all.
    pub(crate) fn add(&mut self, voxels: &Voxels, seeds: &[(usize, f64)]) {
        let far = &mut self.far;
        let mut buckets: Vec<Vec<usize>> = Vec::new();
        let bucket_of = |length: f64| (length / voxels.side) as usize;
        let put = |buckets: &mut Vec<Vec<usize>>, voxel: usize, length: f64| {
            let bucket = bucket_of(length);
            if buckets.len() <= bucket {
                buckets.resize_with(bucket + 1, Vec::new);
            }
            buckets[bucket].push(voxel);
        };
        for (voxel, length) in seeds {
            if *length < far[*voxel] {
                far[*voxel] = *length;
                put(&mut buckets, *voxel, *length);
            }
        }
        let steps = steps(voxels);
        let mut bucket = 0;
        while bucket < buckets.len() {
            let Some(at) = buckets[bucket].pop() else {
                bucket += 1;
                continue;
            };
            // A shorter path to it has been found since.
            if bucket_of(far[at]) < bucket {
                continue;
            }
            for (step, length) in &steps {
                // The border of empty voxels ensures that voxels inside have neighbours on all sides.
                let next = (at as isize + step) as usize;
                let length = far[at] + length;
                if voxels.inside[next] && length < far[next] {
                    far[next] = length;
                    put(&mut buckets, next, length);
                }
            }
        }
    }

    /// The path from a voxel back to a seed.
    pub(crate) fn back(&self, voxels: &Voxels, from: usize) -> Vec<usize> {
        let steps = steps(voxels);
        // Of several equally long paths, the one through the voxel nearest to a seed (in
        // millionths of a voxel), then through that with the least index.
        let rank = |at: usize| ((self.far[at] / voxels.side * 1e6) as u64, at);
        let before = |at: &usize| {
            let is_before = |(step, length): &(isize, f64)| {
                let next = (*at as isize + step) as usize;
                let is_nearer = voxels.inside[next] && self.far[next] < self.far[*at];
                (is_nearer && self.far[next] + length == self.far[*at]).then_some(next)
            };
            steps.iter().filter_map(is_before).min_by_key(|next| rank(*next))
        };
        std::iter::successors(Some(from), before).collect()
    }

    /// The furthest voxel that can be reached.
    pub(crate) fn furthest(&self) -> Option<usize> {
        let reached = (0..self.far.len()).filter(|at| self.far[*at].is_finite());
        reached.reduce(|best, at| if self.far[at] > self.far[best] { at } else { best })
    }
}
