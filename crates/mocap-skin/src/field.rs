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

use crate::closest::{barycentric, closest_on_triangle};
use crate::{Affine, Surface, TriangleTree};
use mocap_model::{Bone, JointId, Pose, Skeleton, Vector3};
use nalgebra::Matrix4;
use std::collections::VecDeque;

/// Greatest number of joints that carry the field.
const CARRIERS: usize = 24;
/// Greatest number of carriers of a node; the shares of others are distributed to them.
const MOST_SHARES: usize = 4;
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
    /// By node: the carriers with the largest shares, and these shares, which sum to 1.
    shares: Vec<Shares>,
    carriers: Vec<Carrier>,
}

/// The largest shares of a node.
#[derive(Clone, Copy, Debug)]
struct Shares {
    carriers: [u8; MOST_SHARES],
    shares: [f32; MOST_SHARES],
}

/// A joint that carries part of the field.
#[derive(Clone, Debug)]
struct Carrier {
    bone: Bone,
    /// Bounding box, in the bind pose, of the vertices that it moves most; empty if there are none.
    min: Vector3<f64>,
    max: Vector3<f64>,
}

/// A field in a pose.
#[derive(Clone, Debug)]
pub struct PosedField<'a> {
    field: &'a Field,
    forward: Vec<Affine>,
    back: Vec<Affine>,
}

/// Carriers that may be near a place.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    list: [u8; CARRIERS],
    count: usize,
}

impl Near {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The field's values at a point.
#[derive(Clone, Copy, Debug)]
pub struct FieldHit {
    /// Signed distance from the surface, negative inside [units of the skeleton].
    pub distance: f64,
    /// Unit vector away from the surface, in object space.
    pub normal: Vector3<f64>,
    /// The place at bind.
    pub rest: Vector3<f64>,
    /// The joint that carries most of it.
    pub joint: JointId,
}

impl Field {
    /// The field of the triangles whose corners all pass `is_part`, on a grid of `cell` [units of the
    /// skeleton]. `None` if there are no such triangles.
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
        Some(Field { origin, cell, size, distance, shares, carriers })
    }

    /// The joints that carry it.
    pub fn joints(&self) -> impl Iterator<Item = JointId> + '_ {
        self.carriers.iter().map(|carrier| carrier.bone.joint)
    }

    /// The field in an object-space pose; `None` if a joint scales it to zero thickness.
    pub fn posed(&self, object: &Pose) -> Option<PosedField<'_>> {
        self.posed_by(|joint| object.joints[joint.index()].to_homogeneous())
    }

    /// The field in a pose, given by the matrix of each joint in object space; `None` if a joint scales it to
    /// zero thickness.
    pub fn posed_by(&self, frame: impl Fn(JointId) -> Matrix4<f64>) -> Option<PosedField<'_>> {
        let mut posed = PosedField { field: self, forward: Vec::new(), back: Vec::new() };
        posed.pose_by(frame).then_some(posed)
    }

    /// The cell of a point, the position in it, and the distance beyond the grid.
    #[inline]
    fn locate(&self, at: &Vector3<f64>) -> (usize, [f64; 3], f64) {
        let mut index = [0; 3];
        let mut within = [0.0; 3];
        let mut beyond = 0.0;
        for axis in 0..3 {
            let place = (at[axis] - self.origin[axis]) / self.cell;
            let most = (self.size[axis] - 1) as f64;
            let inside = place.clamp(0.0, most - 1e-9);
            beyond += (place - inside) * (place - inside);
            index[axis] = inside as usize;
            within[axis] = inside - index[axis] as f64;
        }
        let node = (index[2] * self.size[1] + index[1]) * self.size[0] + index[0];
        (node, within, beyond.sqrt() * self.cell)
    }

    /// The nodes around a cell with their interpolation weights.
    #[inline]
    fn around(&self, node: usize, [x, y, z]: [f64; 3]) -> [(usize, f64); 8] {
        let (row, layer) = (self.size[0], self.size[0] * self.size[1]);
        let (a, b, c) = (1.0 - x, 1.0 - y, 1.0 - z);
        [
            (node, a * b * c),
            (node + 1, x * b * c),
            (node + row, a * y * c),
            (node + row + 1, x * y * c),
            (node + layer, a * b * z),
            (node + layer + 1, x * b * z),
            (node + layer + row, a * y * z),
            (node + layer + row + 1, x * y * z),
        ]
    }

    /// Signed distance and its gradient at a point in the bind pose.
    pub fn at_rest(&self, at: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let (node, within, beyond) = self.locate(at);
        let values = self.around(node, within).map(|(node, _)| f64::from(self.distance[node]));
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
        (mix(low, high, z) + beyond, gradient)
    }
}

impl Shares {
    /// The largest shares of some weights by carrier.
    fn of(mut weights: [f64; CARRIERS]) -> Shares {
        let mut found = Shares { carriers: [0; MOST_SHARES], shares: [0.0; MOST_SHARES] };
        for at in 0..MOST_SHARES {
            let most = (0..CARRIERS).fold(0, |best, i| if weights[i] > weights[best] { i } else { best });
            found.carriers[at] = most as u8;
            found.shares[at] = weights[most] as f32;
            weights[most] = 0.0;
        }
        let sum: f32 = found.shares.iter().sum();
        if sum > 0.0 {
            found.shares.iter_mut().for_each(|share| *share /= sum);
        } else {
            found.shares[0] = 1.0;
        }
        found
    }
}

impl PosedField<'_> {
    /// Sets another object-space pose; false if a joint scales the field to zero thickness.
    pub fn pose(&mut self, object: &Pose) -> bool {
        self.pose_by(|joint| object.joints[joint.index()].to_homogeneous())
    }

    /// Sets another pose, given by the matrix of each joint in object space; false if a joint scales the field
    /// to zero thickness.
    pub fn pose_by(&mut self, frame: impl Fn(JointId) -> Matrix4<f64>) -> bool {
        self.forward.clear();
        self.back.clear();
        for carrier in &self.field.carriers {
            let forward = Affine::of(&(frame(carrier.bone.joint) * carrier.bone.inverse_bind));
            let Some(back) = forward.inverse() else { return false };
            self.forward.push(forward);
            self.back.push(back);
        }
        true
    }

    /// Distance of a point from the box of the nearest carrier: 0 in a box.
    pub fn nearness(&self, at: &Vector3<f64>) -> f64 {
        let boxes = self.field.carriers.iter().zip(&self.back);
        boxes.map(|(carrier, back)| carrier.off_box(&back.place(at))).fold(f64::INFINITY, f64::min)
    }

    /// The carriers that points in a ball may be near to.
    pub fn near(&self, middle: &Vector3<f64>, radius: f64) -> Near {
        let mut near = Near { list: [0; CARRIERS], count: 0 };
        for (i, (carrier, back)) in self.field.carriers.iter().zip(&self.back).enumerate() {
            if carrier.off_box(&back.place(middle)) <= radius {
                near.list[near.count] = i as u8;
                near.count += 1;
            }
        }
        near
    }

    /// Of some carriers, those that points in a ball may be near to.
    pub fn near_of(&self, carriers: &Near, middle: &Vector3<f64>, radius: f64) -> Near {
        let mut near = Near { list: [0; CARRIERS], count: 0 };
        for carrier in &carriers.list[..carriers.count] {
            let at = self.back[*carrier as usize].place(middle);
            if self.field.carriers[*carrier as usize].off_box(&at) <= radius {
                near.list[near.count] = *carrier;
                near.count += 1;
            }
        }
        near
    }

    /// The field's values at a point that is at most `within` from the boxes of the carriers.
    pub fn at(&self, at: &Vector3<f64>, within: f64) -> Option<FieldHit> {
        self.at_near(at, within, &self.near(at, within))
    }

    /// Like [`PosedField::at`], if only some carriers may be near.
    pub fn at_near(&self, at: &Vector3<f64>, within: f64, near: &Near) -> Option<FieldHit> {
        let mut found: Option<FieldHit> = None;
        let mut starts = [Vector3::zeros(); CARRIERS];
        let mut offs = [f64::INFINITY; CARRIERS];
        let count = near.count;
        for (i, carrier) in near.list[..count].iter().enumerate() {
            let carrier = *carrier as usize;
            starts[i] = self.back[carrier].place(at);
            offs[i] = self.field.carriers[carrier].off_box(&starts[i]);
        }
        if count == 0 {
            return None;
        }
        let mut tried: [Vector3<f64>; 4] = [Vector3::repeat(f64::INFINITY); 4];
        for trial in 0..4 {
            let best = (0..count).fold(0, |best, i| if offs[i] < offs[best] { i } else { best });
            // The surface is not nearer than its box.
            let most = found.map_or(within, |found| found.distance.max(0.0).min(within));
            if offs[best] > most {
                break;
            }
            offs[best] = f64::INFINITY;
            let Some((rest, blend_back)) = self.to_rest(at, starts[best]) else { continue };
            let same = |other: &Vector3<f64>| (other - rest).norm_squared() < 0.25 * self.field.cell.powi(2);
            if tried.iter().any(same) {
                continue;
            }
            tried[trial] = rest;
            let (distance, gradient) = self.field.at_rest(&rest);
            if found.is_none_or(|other| distance < other.distance) {
                let normal = blend_back.transpose() * gradient;
                let Some(normal) = normal.try_normalize(0.0) else { continue };
                found = Some(FieldHit { distance, normal, rest, joint: self.carried_by(&rest) });
            }
        }
        found
    }

    /// The point in the bind pose that the joints map to `at`, from a start near it, and the linear part of the
    /// inverse map.
    fn to_rest(
        &self,
        at: &Vector3<f64>,
        start: Vector3<f64>,
    ) -> Option<(Vector3<f64>, nalgebra::Matrix3<f64>)> {
        let field = self.field;
        let mut rest = start;
        let mut moved = f64::INFINITY;
        let mut linear = nalgebra::Matrix3::identity();
        for _ in 0..STEPS {
            let blended = self.blend(&rest);
            linear = blended.linear.try_inverse()?;
            let next = linear * (at - blended.shift);
            moved = (next - rest).norm();
            rest = next;
            if moved < 0.02 * field.cell {
                break;
            }
        }
        (moved < 0.5 * field.cell).then_some((rest, linear))
    }

    /// The blended transform of a point in the bind pose.
    #[inline]
    fn blend(&self, rest: &Vector3<f64>) -> Affine {
        let field = self.field;
        let (node, within, _) = field.locate(rest);
        let mut sums = [0.0f64; CARRIERS];
        let mut held = [0u8; 8 * MOST_SHARES];
        let mut count = 0;
        for (node, part) in field.around(node, within) {
            let Shares { carriers, shares } = &field.shares[node];
            for (carrier, share) in carriers.iter().zip(shares).filter(|(_, share)| **share > 0.0) {
                let sum = &mut sums[*carrier as usize];
                if *sum == 0.0 {
                    held[count] = *carrier;
                    count += 1;
                }
                // A share of 0 must not list its carrier twice.
                *sum += f64::from(*share) * part + f64::MIN_POSITIVE;
            }
        }
        let mut blended = Affine::zero();
        for carrier in &held[..count] {
            blended.add(&self.forward[*carrier as usize], sums[*carrier as usize]);
        }
        blended
    }

    /// The joint with the largest share at a point in the bind pose.
    fn carried_by(&self, rest: &Vector3<f64>) -> JointId {
        let (node, _, _) = self.field.locate(rest);
        self.field.carriers[self.field.shares[node].carriers[0] as usize].bone.joint
    }

    /// Maps a point from the bind pose to the pose.
    pub fn place(&self, rest: &Vector3<f64>) -> Vector3<f64> {
        self.blend(rest).place(rest)
    }
}

impl Carrier {
    /// Distance of a point in the bind pose from the carrier's box.
    #[inline]
    fn off_box(&self, at: &Vector3<f64>) -> f64 {
        (self.min - at).sup(&(at - self.max)).sup(&Vector3::zeros()).norm()
    }
}

/// The joints with the largest shares in the triangles, and the carrier for each bone: its own joint, or the
/// nearest joint above that is a carrier.
fn carriers(
    surface: &Surface,
    skeleton: &Skeleton,
    triangles: &[[u32; 3]],
) -> Option<(Vec<Carrier>, Vec<usize>)> {
    let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let mut shares = vec![0.0; skeleton.len()];
    for vertex in &vertices {
        for (bone, share) in surface.influences(*vertex as usize) {
            shares[surface.bones()[bone as usize].joint.index()] += share;
        }
    }
    let mut joints: Vec<usize> = (0..shares.len()).filter(|joint| shares[*joint] > 0.0).collect();
    joints.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
    joints.truncate(CARRIERS);
    joints.sort_unstable();
    let bone_of = |joint: usize| surface.bones().iter().find(|bone| bone.joint.index() == joint);
    let mut carriers: Vec<Carrier> = joints
        .iter()
        .filter_map(|joint| {
            Some(Carrier {
                bone: *bone_of(*joint)?,
                min: Vector3::repeat(f64::INFINITY),
                max: Vector3::repeat(f64::NEG_INFINITY),
            })
        })
        .collect();
    if carriers.is_empty() {
        return None;
    }
    let own = |joint: JointId| joints.iter().position(|other| *other == joint.index());
    let stands = |joint: JointId| {
        let above = std::iter::successors(Some(joint), |joint| skeleton.joint(*joint).parent);
        above.filter_map(own).next().unwrap_or(0)
    };
    let of_bone: Vec<usize> = surface.bones().iter().map(|bone| stands(bone.joint)).collect();
    for vertex in vertices {
        let carrier = &mut carriers[stands(surface.dominant(vertex as usize))];
        let at = &surface.positions()[vertex as usize];
        carrier.min = carrier.min.inf(at);
        carrier.max = carrier.max.sup(at);
    }
    Some((carriers, of_bone))
}

struct Grid {
    origin: Vector3<f64>,
    cell: f64,
    size: [usize; 3],
}

/// The nearest known point on the surface for a node.
#[derive(Clone, Copy)]
struct NearestPlace {
    distance: f64,
    triangle: u32,
    place: Vector3<f64>,
}

impl Grid {
    fn node(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }

    fn place(&self, [x, y, z]: [usize; 3]) -> Vector3<f64> {
        self.origin + Vector3::new(x as f64, y as f64, z as f64) * self.cell
    }
}

/// Exact distances near the triangles; then nearest points are propagated from node to node.
fn nearest_places(grid: &Grid, triangles: &[[u32; 3]], places: &[Vector3<f64>]) -> Vec<NearestPlace> {
    let none = NearestPlace { distance: f64::INFINITY, triangle: 0, place: Vector3::zeros() };
    let mut nearest = vec![none; grid.size.iter().product()];
    for (index, triangle) in triangles.iter().enumerate() {
        let corners = triangle.map(|corner| places[corner as usize]);
        let [a, b, c] = corners;
        let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
        let range = |axis: usize| {
            let from = (low[axis] - grid.origin[axis]) / grid.cell - BAND;
            let to = (high[axis] - grid.origin[axis]) / grid.cell + BAND;
            from.max(0.0).ceil() as usize..=(to as usize).min(grid.size[axis] - 1)
        };
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let at = grid.place([x, y, z]);
                    let place = closest_on_triangle(corners, &at);
                    let distance = (place - at).norm();
                    let near = &mut nearest[grid.node([x, y, z])];
                    if distance < near.distance {
                        *near = NearestPlace { distance, triangle: index as u32, place };
                    }
                }
            }
        }
    }
    for _ in 0..2 {
        for direction in 0..8 {
            sweep(grid, &mut nearest, direction);
        }
    }
    nearest
}

/// Propagates nearest points in one of eight directions.
fn sweep(grid: &Grid, nearest: &mut [NearestPlace], direction: usize) {
    let [nx, ny, nz] = grid.size;
    let along = |axis: usize, step: usize| {
        let count = grid.size[axis];
        if direction >> axis & 1 == 0 { step } else { count - 1 - step }
    };
    let before = |axis: usize, at: usize| {
        if direction >> axis & 1 == 0 {
            at.checked_sub(1)
        } else {
            (at + 1 < grid.size[axis]).then_some(at + 1)
        }
    };
    for z in (0..nz).map(|step| along(2, step)) {
        for y in (0..ny).map(|step| along(1, step)) {
            for x in (0..nx).map(|step| along(0, step)) {
                let at = grid.place([x, y, z]);
                let node = grid.node([x, y, z]);
                let neighbours = [
                    before(0, x).map(|x| [x, y, z]),
                    before(1, y).map(|y| [x, y, z]),
                    before(2, z).map(|z| [x, y, z]),
                ];
                for neighbour in neighbours.into_iter().flatten() {
                    let other = nearest[grid.node(neighbour)];
                    if other.distance.is_finite() {
                        let distance = (other.place - at).norm();
                        if distance < nearest[node].distance {
                            nearest[node] = NearestPlace { distance, ..other };
                        }
                    }
                }
            }
        }
    }
}

/// 1 outside, -1 inside: by winding numbers near the surface, by neighbours elsewhere.
fn signs(grid: &Grid, triangles: &[[u32; 3]], places: &[Vector3<f64>], nearest: &[NearestPlace]) -> Vec<f64> {
    let tree = TriangleTree::new(triangles.to_vec(), places);
    let mut signs = vec![0.0; nearest.len()];
    let mut queue = VecDeque::new();
    let [nx, ny, nz] = grid.size;
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let node = grid.node([x, y, z]);
                if nearest[node].distance < 1.01 * grid.cell {
                    let inside = tree.winding(&grid.place([x, y, z]), places).abs() > 0.5;
                    signs[node] = if inside { -1.0 } else { 1.0 };
                    queue.push_back([x, y, z]);
                }
            }
        }
    }
    while let Some(at) = queue.pop_front() {
        let sign = signs[grid.node(at)];
        for axis in 0..3 {
            for step in [-1isize, 1] {
                let Some(moved) = at[axis].checked_add_signed(step) else { continue };
                if moved >= grid.size[axis] {
                    continue;
                }
                let mut next = at;
                next[axis] = moved;
                let node = grid.node(next);
                if signs[node] == 0.0 {
                    signs[node] = sign;
                    queue.push_back(next);
                }
            }
        }
    }
    signs
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
