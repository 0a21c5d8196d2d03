//! Finds the floor on which a body can stand.
//!
//! A body at rest on a plane touches it with a face of its convex hull, below its centre of volume. For a person this
//! is the plane of the soles, which gives a more accurate up direction than trunk and legs, which bend.

use mocap_model::Vector3;

use crate::{RigMesh, Voxels};

/// The plane is used if its normal is within this angle of the up direction from trunk and legs \[rad\]; else the body
/// would fall over.
const NEAR: f64 = 0.2;
/// Tolerance of places below a plane, as a share of the size of the mesh.
const BELOW: f64 = 1e-9;
/// Size of the initial triangle of the search, relative to the mesh.
const AROUND: f64 = 10.0;
/// The most iterations; each plane is lower than the one before.
const MOST: usize = 1000;
/// The most times that the body rolls from face to face.
const ROLLS: usize = 20;

/// The up direction of the floor on which a body rests, near `rough`; `None` if it would fall over.
pub(super) fn up_at_rest(mesh: &RigMesh, voxels: &Voxels, rough: &Vector3<f64>) -> Option<Vector3<f64>> {
    let inside = || (0..voxels.len()).filter(|at| voxels.inside[*at]).map(|at| voxels.middle(at));
    let middle = inside().sum::<Vector3<f64>>() / inside().count().max(1) as f64;
    let rough = rough.try_normalize(0.0)?;
    let mut up = rough;
    for _ in 0..ROLLS {
        let next = face_below(mesh, &middle, &up)?;
        if next.angle(&rough) > NEAR {
            return None;
        }
        if (next - up).norm() < 1e-9 {
            return Some(next);
        }
        up = next;
    }
    None
}

/// The upward normal of the face of the convex hull below `middle`: the highest plane there that has no place of the
/// mesh below it. A place below the plane replaces one of the three corners such that `middle` stays between them (the
/// dual simplex method).
fn face_below(mesh: &RigMesh, middle: &Vector3<f64>, up: &Vector3<f64>) -> Option<Vector3<f64>> {
    let mut other = Vector3::zeros();
    other[up.iamin()] = 1.0;
    let across = up.cross(&other).try_normalize(0.0)?;
    let ahead = across.cross(up);
    // Coordinates relative to the middle: across, ahead, up.
    let local = |at: &Vector3<f64>| {
        let way = at - middle;
        Vector3::new(way.dot(&across), way.dot(&ahead), way.dot(up))
    };
    let places: Vec<Vector3<f64>> =
        mesh.triangles.iter().flatten().map(|corner| local(&mesh.places[*corner as usize])).collect();
    let far = AROUND * mesh.size;
    let mut corners = [0.0f64, 1.0, 2.0].map(|third| {
        let turn = std::f64::consts::TAU * third / 3.0;
        Vector3::new(far * turn.cos(), far * turn.sin(), far)
    });
    for _ in 0..MOST {
        let [a, b, c] = corners;
        let normal = (b - a).cross(&(c - a));
        let normal = (normal * normal.z.signum()).try_normalize(0.0)?;
        let height = |at: &Vector3<f64>| (at - a).dot(&normal);
        let lowest = places.iter().reduce(|low, next| if height(next) < height(low) { next } else { low })?;
        if height(lowest) >= -BELOW * mesh.size {
            return Some(across * normal.x + ahead * normal.y + up * normal.z);
        }
        let exchanged = [0, 1, 2].map(|at| {
            let mut made = corners;
            made[at] = *lowest;
            made
        });
        corners = exchanged.into_iter().max_by(|a, b| between(a).total_cmp(&between(b)))?;
    }
    None
}

/// The smallest barycentric coordinate of the origin in a triangle seen from above: 0 or more if it is inside.
fn between(corners: &[Vector3<f64>; 3]) -> f64 {
    let [a, b, c] = corners;
    let area = |p: &Vector3<f64>, q: &Vector3<f64>| p.x * q.y - p.y * q.x;
    let parts = [area(b, c), area(c, a), area(a, b)];
    let whole: f64 = parts.iter().sum();
    if whole == 0.0 {
        return f64::NEG_INFINITY;
    }
    parts.into_iter().map(|part| part / whole).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::boxes;
    use nalgebra::Rotation3;

    #[test]
    fn a_box_stands_on_the_side_below_its_middle() {
        let straight = boxes(&[[[0.0; 3], [0.4, 2.0, 0.3]], [[0.0, 0.0, 0.3], [0.4, 0.1, 0.5]]]);
        for turn in [[0.0, 0.0, 0.0], [0.3, 0.4, -0.2], [1.0, 2.0, 0.5]] {
            let turn = Rotation3::new(Vector3::from(turn)).into_inner();
            let places = straight.places.iter().map(|at| turn * at + Vector3::repeat(3.0)).collect();
            let mesh = RigMesh { places, ..straight.clone() };
            let voxels = Voxels::new(&mesh, 40);
            let rough = turn * Vector3::new(0.05, 1.0, -0.08);
            let found = up_at_rest(&mesh, &voxels, &rough).unwrap();
            assert!((found - turn * Vector3::y()).norm() < 1e-9, "{found:?}");
            // It does not stand on its edges.
            assert!(up_at_rest(&mesh, &voxels, &(turn * Vector3::new(1.0, 1.0, 0.0))).is_none());
        }
    }
}
