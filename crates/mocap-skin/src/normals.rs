//! Normals of vertices and triangles of a mesh at bind.

use std::collections::BTreeMap;

use mocap_model::{Mesh, Vector3};

/// The faces as triangles, each three vertices; polygons are cut by ears.
pub fn triangles(mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut first = 0;
    let mut triangles = Vec::with_capacity(mesh.faces.len());
    for count in &mesh.faces {
        let count = *count as usize;
        let corners = &mesh.corners[first..first + count];
        triangles
            .extend(mesh.triangles_of(first, count).into_iter().map(|it| it.map(|at| corners[at as usize])));
        first += count;
    }
    triangles
}

/// Unit normals by vertex. Where corners have normals, the mean of those at the vertex, weighted by the angles of the
/// corners: a file with one normal per vertex gets exactly these back. Where they have none, that of the faces around
/// the place of the vertex, so that vertices in one place share a normal. Up along y where there are neither.
///
/// Based on: G. Thürmer, C. A. Wüthrich, "Computing vertex normals from polygonal facets", 1998.
pub fn vertex_normals(mesh: &Mesh) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros(); mesh.positions.len()];
    let mut first: Vec<Option<Vector3<f64>>> = vec![None; mesh.positions.len()];
    let mut mixed = vec![false; mesh.positions.len()];
    let given = mesh.normals.len() == mesh.corners.len();
    let mut from = 0;
    for count in &mesh.faces {
        let count = *count as usize;
        let face = mesh.face_normal(from, count);
        for corner in 0..count {
            let vertex = mesh.corners[from + corner] as usize;
            let at = |step: usize| mesh.positions[mesh.corners[from + (corner + step) % count] as usize];
            let (next, last) = (at(1) - at(0), at(count - 1) - at(0));
            let angle = next.cross(&last).norm().atan2(next.dot(&last));
            let normal = if given { mesh.normals[from + corner] } else { face };
            if normal.iter().all(|part| part.is_finite()) {
                sums[vertex] += normal * angle;
                mixed[vertex] |= first[vertex].is_some_and(|other| other != normal);
                first[vertex].get_or_insert(normal);
            }
        }
        from += count;
    }
    if !given {
        let key = |at: &Vector3<f64>| [at.x, at.y, at.z].map(|v| (v + 0.0).to_bits());
        let mut shared: BTreeMap<[u64; 3], Vector3<f64>> = BTreeMap::new();
        for (place, sum) in mesh.positions.iter().zip(&sums) {
            *shared.entry(key(place)).or_default() += sum;
        }
        sums.iter_mut().zip(&mesh.positions).for_each(|(sum, place)| *sum = shared[&key(place)]);
    }
    let unit = |vertex: usize| {
        let one = first[vertex].filter(|_| given && !mixed[vertex]).and_then(|it| it.try_normalize(1e-12));
        one.or_else(|| sums[vertex].try_normalize(1e-12)).unwrap_or_else(Vector3::y)
    };
    (0..mesh.positions.len()).map(unit).collect()
}
