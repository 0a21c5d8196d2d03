//! The inside of a mesh as voxels.
//!
//! Each column of voxels along an axis has a signed count of crossings of the surface, which is the winding number of a
//! closed surface and handles nested shells. The three axes vote; where they differ, as at holes, the generalised
//! winding number decides.
//!
//! Based on: F. S. Nooruddin, G. Turk, "Simplification and repair of polygonal models using volumetric techniques",
//! 2003; A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding
//! numbers", 2013; distances: P. F. Felzenszwalb, D. P. Huttenlocher, "Distance transforms of sampled functions", 2012.

use mocap_model::Vector3;
use mocap_skin::TriangleTree;
use nalgebra::Matrix3;

use crate::RigMesh;

/// Empty voxels around the mesh.
const BORDER: usize = 2;
/// Tolerance of rounding a length up to whole voxels [voxels].
const WHOLE: f64 = 1e-6;
/// A place is inside if its winding number is larger than this.
const INSIDE: f64 = 0.5;

/// Voxels of one size, and which of them are inside of a mesh.
#[derive(Clone, Debug)]
pub struct Voxels {
    /// Their axes: orthonormal columns.
    pub axes: Matrix3<f64>,
    /// The centre of voxel 0, 0, 0, in these axes.
    pub origin: Vector3<f64>,
    /// The side of a voxel.
    pub side: f64,
    /// How many there are along each axis.
    pub counts: [usize; 3],
    /// By voxel, x fastest: whether its middle is inside.
    pub inside: Vec<bool>,
}

impl Voxels {
    /// The voxels of a mesh along its principal axes, `across` of them along the longest side of its bounding box; so
    /// they do not depend on the rotation of the mesh.
    pub fn new(mesh: &RigMesh, across: usize) -> Voxels {
        Voxels::along(mesh, across, mesh.own_axes())
    }

    /// As [`Voxels::new`], along other axes.
    pub fn along(mesh: &RigMesh, across: usize, axes: Matrix3<f64>) -> Voxels {
        let (low, high) = mesh.span(&axes);
        let side = ((high - low).max() / across as f64).max(f64::MIN_POSITIVE);
        // The longest side is a whole number of voxels; rounding must not add one.
        let whole = |length: f64| (length / side - WHOLE).ceil() as usize;
        let counts = std::array::from_fn(|axis| whole((high - low)[axis]) + 2 * BORDER);
        // Voxels are centred in the box, so that the grid is symmetric.
        let span = Vector3::from_fn(|axis, _| (counts[axis] - 1) as f64 * side);
        let origin = (low + high) * 0.5 - span * 0.5;
        let mut voxels = Voxels { axes, origin, side, counts, inside: Vec::new() };
        let votes: [Vec<i8>; 3] = std::array::from_fn(|axis| voxels.crossings(mesh, axis));
        let mut tree: Option<TriangleTree> = None;
        let mut inside = vec![false; voxels.len()];
        for at in 0..voxels.len() {
            let known = [votes[0][at], votes[1][at], votes[2][at]];
            let [yes, no] = [1, 0].map(|vote| known.iter().filter(|known| **known == vote).count());
            inside[at] = if no == 0 && yes > 0 {
                true
            } else if yes == 0 && no > 0 {
                false
            } else {
                let tree =
                    tree.get_or_insert_with(|| TriangleTree::new(mesh.triangles.clone(), &mesh.places));
                // Takes the absolute value, for meshes with inverted faces.
                tree.winding(&voxels.middle(at), &mesh.places).abs() > INSIDE
            };
        }
        voxels.inside = inside;
        voxels
    }

    /// By voxel: whether the line along an axis has it inside (1) or outside (0); -1 if the line does not leave the
    /// surface as often as it enters it.
    fn crossings(&self, mesh: &RigMesh, axis: usize) -> Vec<i8> {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let strides = [1, self.counts[0], self.counts[0] * self.counts[1]];
        // Number of entries minus exits of a line: at the first voxel behind the surface, and in total by column. Only
        // sums are stored, because many triangles may cover the same column.
        let mut turns = vec![0i32; self.len()];
        let mut totals = vec![0i32; self.counts[u] * self.counts[v]];
        for at in 0..mesh.triangles.len() {
            let corners = mesh.corners(at).map(|corner| self.axes.tr_mul(&corner));
            let flat = corners
                .map(|at| [(at[u] - self.origin[u]) / self.side, (at[v] - self.origin[v]) / self.side]);
            let [a, b, c] = flat;
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            if area == 0.0 {
                continue;
            }
            let range = |side: usize| {
                let low = a[side].min(b[side]).min(c[side]).ceil().max(0.0) as usize;
                let high = a[side].max(b[side]).max(c[side]).floor();
                let most = self.counts[[u, v][side]] - 1;
                low..(if high < 0.0 { 0 } else { (high as usize).min(most) + 1 })
            };
            for y in range(1) {
                for x in range(0) {
                    // A line through an edge counts for only one of its triangles.
                    let at = [x as f64, y as f64];
                    let share = |p: [f64; 2], q: [f64; 2]| {
                        let turn = (q[0] - p[0]) * (at[1] - p[1]) - (q[1] - p[1]) * (at[0] - p[0]);
                        let turn = turn * area.signum();
                        let [dx, dy] = [(q[0] - p[0]) * area.signum(), (q[1] - p[1]) * area.signum()];
                        let owns = turn > 0.0 || (turn == 0.0 && (dy < 0.0 || (dy == 0.0 && dx > 0.0)));
                        (turn / area.abs(), owns)
                    };
                    let parts = [share(b, c), share(c, a), share(a, b)];
                    if parts.iter().all(|(_, owns)| *owns) {
                        let depth: f64 = (0..3).map(|i| parts[i].0 * corners[i][axis]).sum();
                        let step = ((depth - self.origin[axis]) / self.side).ceil();
                        let turn = if area > 0.0 { 1 } else { -1 };
                        totals[y * self.counts[u] + x] += turn;
                        if step < self.counts[axis] as f64 {
                            // The cast clamps values below 0 to 0.
                            turns[x * strides[u] + y * strides[v] + step as usize * strides[axis]] += turn;
                        }
                    }
                }
            }
        }
        let mut votes = vec![0i8; self.len()];
        for (column, total) in totals.into_iter().enumerate() {
            let base = (column % self.counts[u]) * strides[u] + (column / self.counts[u]) * strides[v];
            let mut sum = 0i32;
            for at in (0..self.counts[axis]).map(|step| base + step * strides[axis]) {
                sum += turns[at];
                votes[at] = if total != 0 { -1 } else { i8::from(sum != 0) };
            }
        }
        votes
    }

    /// How many voxels there are.
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The centre of a voxel.
    pub fn middle(&self, at: usize) -> Vector3<f64> {
        let [x, y, z] = self.steps(at);
        self.axes * (self.origin + Vector3::new(x as f64, y as f64, z as f64) * self.side)
    }

    /// The index of a voxel along each axis.
    pub fn steps(&self, at: usize) -> [usize; 3] {
        let [nx, ny, _] = self.counts;
        [at % nx, at / nx % ny, at / (nx * ny)]
    }

    /// The voxel that holds a place; `None` beyond the voxels.
    pub fn at(&self, place: &Vector3<f64>) -> Option<usize> {
        let place = self.axes.tr_mul(place);
        let mut index = 0;
        for axis in (0..3).rev() {
            let step = ((place[axis] - self.origin[axis]) / self.side).round();
            if !(step >= 0.0 && step < self.counts[axis] as f64) {
                return None;
            }
            index = index * self.counts[axis] + step as usize;
        }
        Some(index)
    }

    /// Whether a place is in a voxel that is inside.
    pub fn holds(&self, place: &Vector3<f64>) -> bool {
        self.at(place).is_some_and(|at| self.inside[at])
    }

    /// The voxels that share a face with one, as far as there are any.
    pub fn around(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let [nx, ny, nz] = self.counts;
        let [x, y, z] = self.steps(at);
        let near = [
            (x > 0).then(|| at - 1),
            (x + 1 < nx).then(|| at + 1),
            (y > 0).then(|| at - nx),
            (y + 1 < ny).then(|| at + nx),
            (z > 0).then(|| at - nx * ny),
            (z + 1 < nz).then(|| at + nx * ny),
        ];
        near.into_iter().flatten()
    }

    /// The volume inside.
    pub fn volume(&self) -> f64 {
        self.inside.iter().filter(|inside| **inside).count() as f64 * self.side.powi(3)
    }

    /// The length of the line between two places that is outside, sampled in steps of half a voxel.
    pub fn outside_between(&self, from: &Vector3<f64>, to: &Vector3<f64>) -> f64 {
        let way = to - from;
        let length = way.norm();
        let steps = self.half_voxels(length);
        if !steps.is_finite() {
            return length;
        }
        let held = self
            .steps_within(from, to, steps)
            .filter(|step| *step < steps && self.holds(&(from + way * ((step + 0.5) / steps))))
            .count();
        (steps - held as f64) * length / steps
    }

    /// The number of steps of at most half a voxel for a length; at least one.
    pub(crate) fn half_voxels(&self, length: f64) -> f64 {
        (2.0 * length / self.side - WHOLE).ceil().max(1.0)
    }

    /// The range of steps of a line, from 0 to `steps`, that may be within the grid; the line may be much longer than
    /// the grid.
    pub(crate) fn steps_within(
        &self,
        from: &Vector3<f64>,
        to: &Vector3<f64>,
        steps: f64,
    ) -> impl Iterator<Item = f64> + use<> {
        let (mut enters, mut leaves) = (0.0f64, 1.0f64);
        let [from, to] = [from, to].map(|end| self.axes.tr_mul(end));
        for axis in 0..3 {
            let start = (from[axis] - self.origin[axis]) / self.side;
            let way = (to[axis] - from[axis]) / self.side;
            let bounds = [-0.5, self.counts[axis] as f64 - 0.5];
            if way == 0.0 {
                if start < bounds[0] || start > bounds[1] {
                    leaves = -1.0;
                }
                continue;
            }
            let [a, b] = bounds.map(|bound| (bound - start) / way);
            enters = enters.max(a.min(b));
            leaves = leaves.min(a.max(b));
        }
        // One step more on both sides for rounding, clamped for numbers of steps too large to be exact.
        let first = (enters * steps - 1.0).floor().max(0.0);
        let last = (leaves * steps + 1.0).ceil().min(steps);
        let most = 4 * self.counts.iter().sum::<usize>();
        let count =
            if enters <= leaves && last >= first { ((last - first) as usize).min(most) + 1 } else { 0 };
        (0..count).map(move |step| first + step as f64)
    }

    /// The same solid with slits of up to two voxels, and the cavities behind them, such as a mouth, filled.
    #[must_use]
    pub fn without_slits(&self) -> Voxels {
        // Empty voxels without solid neighbours that are connected with the outside, and their neighbours, stay empty.
        let open_air = |at: usize| !self.inside[at] && self.around(at).all(|next| !self.inside[next]);
        let mut air = vec![false; self.len()];
        let mut open: Vec<usize> = Vec::new();
        // The first voxel is in the border.
        if !self.is_empty() && open_air(0) {
            air[0] = true;
            open.push(0);
        }
        let mut reached = Vec::new();
        while let Some(at) = open.pop() {
            reached.push(at);
            for next in self.around(at) {
                if !air[next] && open_air(next) {
                    air[next] = true;
                    open.push(next);
                }
            }
        }
        for at in reached {
            self.around(at).filter(|next| !self.inside[*next]).for_each(|next| air[next] = true);
        }
        Voxels { inside: air.into_iter().map(|air| !air).collect(), ..self.clone() }
    }

    /// By voxel: the distance of its centre from the nearest voxel outside; 0 outside.
    pub fn depths(&self) -> Vec<f64> {
        let far = (self.counts.iter().sum::<usize>() as f64).powi(2);
        let mut squares: Vec<f64> =
            self.inside.iter().map(|inside| if *inside { far } else { 0.0 }).collect();
        let strides = [1, self.counts[0], self.counts[0] * self.counts[1]];
        for axis in 0..3 {
            let count = self.counts[axis];
            let (mut line, mut envelope) = (vec![0.0; count], Envelope::new(count));
            for base in 0..self.len() {
                if self.steps(base)[axis] != 0 {
                    continue;
                }
                for step in 0..count {
                    line[step] = squares[base + step * strides[axis]];
                }
                envelope.lower(&mut line);
                for step in 0..count {
                    squares[base + step * strides[axis]] = line[step];
                }
            }
        }
        squares.into_iter().map(|square| square.sqrt() * self.side).collect()
    }
}

/// The lower envelope of parabolas on a line.
struct Envelope {
    roots: Vec<usize>,
    bounds: Vec<f64>,
    values: Vec<f64>,
}

impl Envelope {
    fn new(count: usize) -> Envelope {
        Envelope { roots: vec![0; count], bounds: vec![0.0; count + 1], values: vec![0.0; count] }
    }

    fn lower(&mut self, line: &mut [f64]) {
        let count = line.len();
        let meet = |q: usize, p: usize| {
            let (a, b) = (q as f64, p as f64);
            ((line[q] + a * a) - (line[p] + b * b)) / (2.0 * (a - b))
        };
        let mut last = 0;
        self.roots[0] = 0;
        self.bounds[0] = f64::NEG_INFINITY;
        self.bounds[1] = f64::INFINITY;
        for q in 1..count {
            let mut at = meet(q, self.roots[last]);
            while at <= self.bounds[last] {
                last -= 1;
                at = meet(q, self.roots[last]);
            }
            last += 1;
            self.roots[last] = q;
            self.bounds[last] = at;
            self.bounds[last + 1] = f64::INFINITY;
        }
        let mut part = 0;
        for q in 0..count {
            while self.bounds[part + 1] < q as f64 {
                part += 1;
            }
            let root = self.roots[part];
            self.values[q] = (q as f64 - root as f64).powi(2) + line[root];
        }
        line.copy_from_slice(&self.values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::boxes;

    fn cube() -> RigMesh {
        boxes(&[[[0.0; 3], [1.0; 3]]])
    }

    #[test]
    fn surfaces_that_cover_each_other_enclose_the_same() {
        let one = cube();
        let cubes = |mesh: &RigMesh| Voxels::along(mesh, 10, Matrix3::identity());
        let voxels = cubes(&one);
        assert!((voxels.volume() - 1.0).abs() < 1e-9, "{}", voxels.volume());
        let many = RigMesh { triangles: one.triangles.repeat(50), ..one };
        assert_eq!(cubes(&many).inside, voxels.inside);
    }

    #[test]
    fn long_ways_are_outside_but_for_what_is_inside() {
        let voxels = Voxels::along(&cube(), 10, Matrix3::identity());
        let at = |x: f64| Vector3::new(x, 0.5, 0.5);
        assert_eq!(voxels.outside_between(&at(0.2), &at(0.8)), 0.0);
        let outside = voxels.outside_between(&at(-2.0), &at(3.0));
        assert!((outside - 4.0).abs() < 0.1, "{outside}");
        for far in [1e3, 1e15, 1e100, 1e200] {
            let outside = voxels.outside_between(&at(0.5), &at(far));
            assert!(outside > 0.99 * far, "{far}: {outside}");
        }
        assert_eq!(voxels.outside_between(&at(5.0), &at(1e15)), 1e15 - 5.0);
    }
}
