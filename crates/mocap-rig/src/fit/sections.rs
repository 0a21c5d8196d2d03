//! Horizontal cross-sections of a body, and middle lines of its limbs.

use mocap_model::Vector3;

use crate::Voxels;
use crate::geodesic::Ways;

/// A connected piece of a horizontal cross-section. Lengths are shares of the height of the body.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Its centroid.
    pub(crate) middle: Vector3<f64>,
    /// Its area.
    pub(crate) area: f64,
    /// Its smallest and largest coordinates.
    pub(crate) low: Vector3<f64>,
    pub(crate) high: Vector3<f64>,
}

/// By level, from the floor up: the pieces of the cross-section, the largest first. Voxels are upright: x to the left,
/// y up.
pub(crate) fn levels(voxels: &Voxels) -> Vec<Vec<Piece>> {
    let [nx, ny, nz] = voxels.counts;
    let mut all = Vec::with_capacity(ny);
    for y in 0..ny {
        let at = |x: usize, z: usize| x + nx * (y + ny * z);
        let mut seen = vec![false; nx * nz];
        let mut pieces: Vec<Piece> = Vec::new();
        for (x0, z0) in (0..nz).flat_map(|z| (0..nx).map(move |x| (x, z))) {
            if seen[x0 + nx * z0] || !voxels.inside[at(x0, z0)] {
                continue;
            }
            seen[x0 + nx * z0] = true;
            let mut open = vec![(x0, z0)];
            let (mut sum, mut count) = (Vector3::zeros(), 0.0);
            let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
            while let Some((x, z)) = open.pop() {
                let place = voxels.middle(at(x, z));
                sum += place;
                count += 1.0;
                low = low.inf(&place);
                high = high.sup(&place);
                // The border of empty voxels ensures that voxels inside have neighbours on all sides.
                for (x, z) in [(x - 1, z), (x + 1, z), (x, z - 1), (x, z + 1)] {
                    if !seen[x + nx * z] && voxels.inside[at(x, z)] {
                        seen[x + nx * z] = true;
                        open.push((x, z));
                    }
                }
            }
            let half = Vector3::repeat(voxels.side * 0.5);
            pieces.push(Piece {
                middle: sum / count,
                area: count * voxels.side.powi(2),
                low: low - half,
                high: high + half,
            });
        }
        pieces.sort_by(|a, b| b.area.total_cmp(&a.area));
        all.push(pieces);
    }
    all
}

/// The middle line of a limb from its end, with the areas of its cross-sections.
#[derive(Clone, Debug)]
pub(crate) struct MiddleLine {
    /// The distance of each place from the end.
    pub(crate) far: Vec<f64>,
    /// The centroid of the voxels at this distance.
    pub(crate) places: Vec<Vector3<f64>>,
    /// The area of the cross-section there.
    pub(crate) areas: Vec<f64>,
}

/// The middle line of the limb from the seed of `ways` towards a voxel, in steps of `step`.
pub(crate) fn middle_line(
    voxels: &Voxels,
    depths: &[f64],
    ways: &Ways,
    towards: usize,
    step: f64,
) -> MiddleLine {
    let mut path = ways.back(voxels, towards);
    path.reverse();
    let count = (ways.far[towards] / step).floor() as usize + 1;
    // By step: the place on the path, and its depth inside.
    let mut on_way = vec![(voxels.middle(path[0]), 0.0f64); count];
    for at in &path {
        let bin = ((ways.far[*at] / step) as usize).min(count - 1);
        on_way[bin] = (voxels.middle(*at), depths[*at].max(on_way[bin].1));
    }
    let mut sums = vec![(Vector3::zeros(), 0.0f64); count];
    for at in 0..voxels.len() {
        let bin = (ways.far[at] / step) as usize;
        if !ways.far[at].is_finite() || bin >= count {
            continue;
        }
        let place = voxels.middle(at);
        let (middle, depth) = on_way[bin];
        // Voxels far from the path belong to another limb at the same distance.
        if (place - middle).norm() <= 3.5 * depth.max(2.0 * voxels.side) {
            sums[bin].0 += place;
            sums[bin].1 += 1.0;
        }
    }
    let mut line = MiddleLine { far: Vec::new(), places: Vec::new(), areas: Vec::new() };
    for (bin, (sum, number)) in sums.into_iter().enumerate() {
        if number > 0.0 {
            line.far.push((bin as f64 + 0.5) * step);
            line.places.push(sum / number);
            line.areas.push(number * voxels.side.powi(3) / step);
        }
    }
    line
}

impl MiddleLine {
    /// The place at a distance from the end.
    pub(crate) fn at(&self, far: f64) -> Vector3<f64> {
        if self.far.len() < 2 {
            return self.places.first().copied().unwrap_or_default();
        }
        let next = self.far.partition_point(|one| *one < far).clamp(1, self.far.len() - 1);
        let share = (far - self.far[next - 1]) / (self.far[next] - self.far[next - 1]).max(1e-12);
        self.places[next - 1] + (self.places[next] - self.places[next - 1]) * share.clamp(0.0, 1.0)
    }

    /// The distance from the end of the thinnest place between two.
    pub(crate) fn thinnest(&self, from: f64, to: f64) -> f64 {
        let least = self.within(from, to).min_by(|a, b| self.smooth(*a).total_cmp(&self.smooth(*b)));
        least.map_or(0.5 * (from + to), |at| self.far[at])
    }

    /// The distance from the end of the thickest place between two.
    pub(crate) fn thickest(&self, from: f64, to: f64) -> f64 {
        let most = self.within(from, to).max_by(|a, b| self.smooth(*a).total_cmp(&self.smooth(*b)));
        most.map_or(0.5 * (from + to), |at| self.far[at])
    }

    fn within(&self, from: f64, to: f64) -> impl Iterator<Item = usize> {
        (0..self.far.len()).filter(move |at| self.far[*at] >= from && self.far[*at] <= to)
    }

    fn smooth(&self, at: usize) -> f64 {
        let range = at.saturating_sub(1)..(at + 2).min(self.areas.len());
        let count = range.len() as f64;
        self.areas[range].iter().sum::<f64>() / count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_one_place_is_there() {
        let line = MiddleLine { far: vec![0.5], places: vec![Vector3::x()], areas: vec![1.0] };
        assert_eq!((line.at(0.0), line.at(2.0)), (Vector3::x(), Vector3::x()));
    }
}
