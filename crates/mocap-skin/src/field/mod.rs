//! Signed distance field of a surface at rest, on a grid that the joints carry into poses: a proxy for the
//! posed mesh.
//!
//! Each node of the grid stores its distance from the surface, and the skinning weights of the nearest point on
//! it. A point in a pose is mapped back to rest by the blend of the joints there, found by iteration.
//!
//! Based on: X. Chen, Y. Zheng, M. J. Black, O. Hilliges, A. Geiger, "SNARF: differentiable forward skinning
//! for animating non-rigid neural implicit shapes", 2021, for the map back to rest (here an iterated blend of
//! inverses, on a grid); P.-E. Danielsson, "Euclidean distance mapping", 1980, for nearest points far from the
//! surface.

mod build;
mod cells;
mod posed;

pub use posed::{FieldHit, Near, PosedField};

use crate::closest::barycentric;
use crate::{Affine, Surface};
use build::{Grid, carriers, nearest_places, signs};
use cells::{Cells, Shares};
use mocap_model::{Bone, JointId, Pose, Skeleton, Vector3};
use nalgebra::Matrix4;

/// Greatest number of joints that carry the field.
const CARRIERS: usize = 24;
/// Nodes within this many cells of a triangle get exact distances.
const BAND: f64 = 1.6;
/// Cells of the grid beyond the surface on each side.
const AROUND: f64 = 4.0;
/// Greatest number of nodes: a surface with a distant vertex gets a coarser grid.
const MOST_NODES: usize = 400_000;
/// Number of iterations of the map back to rest.
const STEPS: usize = 5;

/// The signed distances of a surface at rest.
#[derive(Clone, Debug)]
pub struct Field {
    origin: Vector3<f64>,
    cell: f64,
    size: [usize; 3],
    /// By node [units of the skeleton], negative inside.
    distance: Vec<f32>,
    cells: Cells,
    carriers: Vec<Carrier>,
}

/// A joint that carries part of the field.
#[derive(Clone, Debug)]
struct Carrier {
    bone: Bone,
    /// Bounding box, in the bind pose, of the vertices that it moves most; empty if there are none.
    min: Vector3<f64>,
    max: Vector3<f64>,
    /// A ball around the box, in the frame of the joint; a negative radius of an empty box.
    middle: Vector3<f64>,
    radius: f64,
    /// Greatest factor by which lengths in the bind pose grow in the frame of the joint.
    scale: f64,
}

impl Field {
    /// The field of the triangles whose corners all pass `is_part`, on a grid of `cell` [units of the
    /// skeleton]; `None` if no triangle is part of it.
    pub fn new(
        surface: &Surface,
        skeleton: &Skeleton,
        is_part: impl Fn(usize) -> bool,
        cell: f64,
    ) -> Option<Field> {
        let triangles: Vec<[u32; 3]> = surface
            .triangles
            .iter()
            .filter(|triangle| triangle.iter().all(|corner| is_part(*corner as usize)))
            .copied()
            .collect();
        let places = surface.positions();
        let corners = || triangles.iter().flatten().map(|corner| places[*corner as usize]);
        let low = corners().fold(Vector3::repeat(f64::INFINITY), |low, at| low.inf(&at));
        let high = corners().fold(Vector3::repeat(f64::NEG_INFINITY), |high, at| high.sup(&at));
        let is_finite = (high - low).iter().all(|value| value.is_finite());
        if triangles.is_empty() || !is_finite || !(cell.is_finite() && cell > 0.0) {
            return None;
        }
        let mut cell = cell;
        let size = loop {
            let size = [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / cell + 2.0 * AROUND) + 2.0);
            if size.iter().product::<f64>() <= MOST_NODES as f64 {
                break size.map(|count| count as usize);
            }
            cell *= 1.25;
        };
        let origin = low - Vector3::repeat(AROUND * cell);
        let (carriers, of_bone) = carriers(surface, skeleton, &triangles)?;
        let grid = Grid { origin, cell, size };
        let nearest = nearest_places(&grid, &triangles, places);
        let signs = signs(&grid, &triangles, places, &nearest);
        let mut distance = Vec::with_capacity(nearest.len());
        let mut shares = Vec::with_capacity(nearest.len());
        for (near, sign) in nearest.iter().zip(signs) {
            distance.push((near.distance * sign) as f32);
            let triangle = triangles[near.triangle as usize];
            let corners = barycentric(triangle.map(|corner| places[corner as usize]), &near.place);
            let mut weights = [0.0; CARRIERS];
            for (corner, share) in triangle.into_iter().zip(corners) {
                for (bone, weight) in surface.influences(corner as usize) {
                    weights[of_bone[bone as usize]] += weight * share;
                }
            }
            shares.push(Shares::of(weights));
        }
        let mut field = Field { origin, cell, size, distance, cells: Cells::default(), carriers };
        field.cells = Cells::of(&shares, |node| field.starts_cell(node).then(|| field.corners(node)));
        Some(field)
    }

    /// The joints that carry it.
    pub fn joints(&self) -> impl Iterator<Item = JointId> + '_ {
        self.carriers.iter().map(|carrier| carrier.bone.joint)
    }

    /// The field in an object-space pose; `None` if a joint scales it to zero thickness.
    pub fn posed(&self, object: &Pose) -> Option<PosedField<'_>> {
        let mut posed = PosedField::new(self);
        posed.pose(object).then_some(posed)
    }

    /// Whether a joint that carries it may bring a part of it into a ball, in an object-space pose. If not,
    /// [`PosedField::near`] finds none there; this needs no field in that pose.
    pub fn reaches(&self, object: &Pose, middle: &Vector3<f64>, radius: f64) -> bool {
        self.carriers.iter().any(|carrier| {
            let far = carrier.radius + carrier.scale * radius;
            let joint = &object.joints[carrier.bone.joint.index()];
            let off = joint.rotation * carrier.middle + joint.translation.vector - middle;
            far >= 0.0 && off.norm_squared() <= far * far
        })
    }

    /// The field in a pose, given by the matrix of each joint in object space; `None` if a joint scales it to
    /// zero thickness.
    pub fn posed_by(&self, frame: impl Fn(JointId) -> Matrix4<f64>) -> Option<PosedField<'_>> {
        let mut posed = PosedField::new(self);
        posed.pose_by(frame).then_some(posed)
    }

    /// The cell of a point, or the nearest one, and the position in it.
    #[inline]
    fn locate(&self, at: &Vector3<f64>) -> (usize, [f64; 3]) {
        let mut index = [0; 3];
        let mut within = [0.0; 3];
        for axis in 0..3 {
            let inside = self.along(axis, at).clamp(0.0, self.last(axis));
            index[axis] = inside as usize;
            within[axis] = inside - index[axis] as f64;
        }
        ((index[2] * self.size[1] + index[1]) * self.size[0] + index[0], within)
    }

    /// Cells from the origin to a point along an axis.
    #[inline]
    fn along(&self, axis: usize, at: &Vector3<f64>) -> f64 {
        (at[axis] - self.origin[axis]) / self.cell
    }

    /// The far end of the last cell along an axis, less what rounding needs.
    #[inline]
    fn last(&self, axis: usize) -> f64 {
        (self.size[axis] - 1) as f64 - 1e-9
    }

    /// Distance of a point from the grid.
    fn beyond(&self, at: &Vector3<f64>) -> f64 {
        let off = |axis: usize| {
            let place = self.along(axis, at);
            place - place.clamp(0.0, self.last(axis))
        };
        Vector3::new(off(0), off(1), off(2)).norm() * self.cell
    }

    /// The nodes at the corners of a cell.
    #[inline]
    fn corners(&self, node: usize) -> [usize; 8] {
        let (row, layer) = (self.size[0], self.size[0] * self.size[1]);
        let above = node + layer;
        [node, node + 1, node + row, node + row + 1, above, above + 1, above + row, above + row + 1]
    }

    /// Whether a cell starts at a node: it is not at a far end of the grid.
    fn starts_cell(&self, node: usize) -> bool {
        let [x, y, z] = self.size;
        node % x + 1 < x && node / x % y + 1 < y && node / (x * y) + 1 < z
    }

    /// Signed distance and its gradient at a point in the bind pose.
    pub fn at_rest(&self, at: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let (node, within) = self.locate(at);
        let values = self.corners(node).map(|node| f64::from(self.distance[node]));
        let [x, y, z] = within;
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let plane = |v: [f64; 4], s: f64, t: f64| mix(mix(v[0], v[1], s), mix(v[2], v[3], s), t);
        let v = values;
        let low = plane([v[0], v[1], v[2], v[3]], x, y);
        let high = plane([v[4], v[5], v[6], v[7]], x, y);
        let gradient = Vector3::new(
            plane([v[1] - v[0], v[3] - v[2], v[5] - v[4], v[7] - v[6]], y, z),
            plane([v[2] - v[0], v[3] - v[1], v[6] - v[4], v[7] - v[5]], x, z),
            high - low,
        ) / self.cell;
        (mix(low, high, z) + self.beyond(at), gradient)
    }
}

impl Carrier {
    /// A carrier whose box is still empty.
    fn new(bone: Bone) -> Carrier {
        let (min, max) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        Carrier { bone, min, max, middle: Vector3::zeros(), radius: f64::NEG_INFINITY, scale: 1.0 }
    }

    /// Sets the ball around the box.
    fn enclose(&mut self) {
        if self.min.iter().zip(&self.max).any(|(min, max)| min > max) {
            return;
        }
        let map = Affine::of(&self.bone.inverse_bind);
        // Rounding must not make the ball too small.
        self.scale = map.linear.singular_values().max() * (1.0 + 1e-9);
        self.middle = map.place(&((self.min + self.max) / 2.0));
        self.radius = self.scale * (self.max - self.min).norm() / 2.0;
    }

    /// Distance of a point in the bind pose from the carrier's box.
    #[inline]
    fn off_box(&self, at: &Vector3<f64>) -> f64 {
        let off = |axis: usize| (self.min[axis] - at[axis]).max(at[axis] - self.max[axis]).max(0.0);
        let [x, y, z] = [off(0), off(1), off(2)];
        (x * x + y * y + z * z).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::spheres;
    use nalgebra::UnitQuaternion;

    const CENTRES: [Vector3<f64>; 2] = [Vector3::new(0.0, 0.0, 0.0), Vector3::new(1.0, 0.0, 0.0)];

    #[test]
    fn distances_of_spheres_are_those_of_spheres_in_any_pose() {
        let (surface, skeleton) = spheres(CENTRES, [0.3, 0.2]);
        let field = Field::new(&surface, &skeleton, |_| true, 0.03).unwrap();
        let mut local = Pose::rest(&skeleton);
        for angle in [0.0, 0.9, -2.0] {
            local.joints[0].rotation = UnitQuaternion::from_euler_angles(0.3, angle, 0.1);
            local.joints[0].translation.vector = Vector3::new(4.0, angle, -1.0);
            let mut object = Pose::default();
            local.to_object(&skeleton, &mut object);
            let posed = field.posed(&object).unwrap();
            for (i, radius) in [0.3, 0.2].into_iter().enumerate() {
                let centre = object.joints[i].translation.vector;
                for step in 0..30 {
                    let t = f64::from(step);
                    let way = Vector3::new((t * 1.1).sin(), (t * 0.7).cos(), (t * 1.7).sin()).normalize();
                    for off in [-0.05, 0.0, 0.04] {
                        let at = centre + way * (radius + off);
                        let hit = posed.at(&at, 0.1).unwrap();
                        assert!((hit.distance - off).abs() < 0.006, "{angle} {i} {off}: {}", hit.distance);
                        assert!(hit.normal.dot(&way) > 0.97, "{} {way}", hit.normal);
                        assert_eq!(hit.joint.index(), i);
                        assert!((posed.place(&hit.rest) - at).norm() < 1e-6);
                    }
                }
                assert!(posed.at(&(centre + Vector3::y() * 3.0), 0.1).is_none());
                assert!(posed.nearness(&centre) < 1e-9);
            }
        }
    }

    #[test]
    fn joints_tell_where_no_part_of_a_field_is() {
        let (surface, skeleton) = spheres(CENTRES, [0.3, 0.2]);
        let field = Field::new(&surface, &skeleton, |_| true, 0.03).unwrap();
        let mut local = Pose::rest(&skeleton);
        local.joints[0].rotation = UnitQuaternion::from_euler_angles(0.3, 0.9, 0.1);
        local.joints[0].translation.vector = Vector3::new(4.0, 0.5, -1.0);
        let mut object = Pose::default();
        local.to_object(&skeleton, &mut object);
        let posed = field.posed(&object).unwrap();
        let mut none = 0;
        for step in 0..300 {
            let t = f64::from(step);
            let at = object.joints[0].translation.vector
                + Vector3::new((t * 1.1).sin(), (t * 0.7).cos(), (t * 1.7).sin()) * (t * 0.01);
            let radius = 0.1 + (t * 0.3).sin().abs() * 0.5;
            let reaches = field.reaches(&object, &at, radius);
            assert!(reaches || posed.near(&at, radius).is_empty(), "{step}");
            none += usize::from(!reaches);
        }
        assert!(none > 100, "{none}");
    }

    #[test]
    fn cells_of_one_joint_and_of_several_lead_back_to_rest() {
        let (surface, skeleton) = spheres(CENTRES, [0.3, 0.2]);
        let field = Field::new(&surface, &skeleton, |_| true, 0.03).unwrap();
        let mut local = Pose::rest(&skeleton);
        local.joints[0].rotation = UnitQuaternion::from_euler_angles(0.3, 0.9, 0.1);
        local.joints[1].rotation = UnitQuaternion::from_euler_angles(-0.1, 0.2, 0.1);
        let mut object = Pose::default();
        local.to_object(&skeleton, &mut object);
        let posed = field.posed(&object).unwrap();
        let (mut by_count, mut near) = ([0; 3], 0);
        for step in 0..2000 {
            let t = f64::from(step);
            let rest =
                Vector3::new(0.5 + (t * 1.1).sin() * 0.9, (t * 0.7).cos() * 0.4, (t * 1.7).sin() * 0.4);
            let Some(hit) = posed.at(&posed.place(&rest), 2.0) else { continue };
            let off = (posed.place(&hit.rest) - posed.place(&rest)).norm();
            by_count[field.cells.carriers(field.locate(&hit.rest).0).len()] += 1;
            // Far from the surface, where shares change within a cell, searches end before their last steps are short.
            assert!(off < 0.5 * field.cell, "{rest} {off}");
            near += usize::from(off < 0.02 * field.cell);
        }
        let found: usize = by_count.iter().sum();
        assert!(by_count[0] == 0 && by_count[1] > 500 && by_count[2] > 4, "{by_count:?}");
        assert!(near as f64 > 0.95 * found as f64, "{near} of {found}");
    }

    #[test]
    fn nothing_makes_no_field_and_far_vertices_no_huge_grid() {
        let (mut surface, skeleton) = spheres(CENTRES, [0.3, 0.2]);
        assert!(Field::new(&surface, &skeleton, |_| false, 0.03).is_none());
        assert!(Field::new(&surface, &skeleton, |_| true, 0.0).is_none());
        surface.positions_mut()[5] = Vector3::new(1e6, 1e6, 1e6);
        let field = Field::new(&surface, &skeleton, |_| true, 0.03).unwrap();
        assert!(field.distance.len() <= MOST_NODES);
        surface.positions_mut()[5].x = f64::NAN;
        surface.positions_mut()[6].y = f64::INFINITY;
        assert!(Field::new(&surface, &skeleton, |_| true, 0.03).is_none());
    }
}
