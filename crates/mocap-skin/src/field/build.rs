//! Makes the grid of a field: distances, signs, and the joints that carry it.

use super::{BAND, CARRIERS, Carrier};
use crate::closest::closest_on_triangle;
use crate::{Surface, TriangleTree};
use mocap_model::{JointId, Skeleton, Vector3};
use std::collections::VecDeque;

/// The joints with the largest shares in the triangles, and the carrier for each bone: its own joint, or the
/// nearest joint above that is a carrier.
pub(super) fn carriers(
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
    let mut carriers: Vec<Carrier> =
        joints.iter().filter_map(|joint| Some(Carrier::new(*bone_of(*joint)?))).collect();
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
    carriers.iter_mut().for_each(Carrier::enclose);
    Some((carriers, of_bone))
}

pub(super) struct Grid {
    pub origin: Vector3<f64>,
    pub cell: f64,
    pub size: [usize; 3],
}

/// The nearest known point on the surface for a node.
#[derive(Clone, Copy)]
pub(super) struct NearestPlace {
    pub distance: f64,
    pub triangle: u32,
    pub place: Vector3<f64>,
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
pub(super) fn nearest_places(
    grid: &Grid,
    triangles: &[[u32; 3]],
    places: &[Vector3<f64>],
) -> Vec<NearestPlace> {
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
pub(super) fn signs(
    grid: &Grid,
    triangles: &[[u32; 3]],
    places: &[Vector3<f64>],
    nearest: &[NearestPlace],
) -> Vec<f64> {
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
