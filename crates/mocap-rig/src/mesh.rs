//! The surface that is rigged: all meshes of a body as one set of places and triangles.
//!
//! Coincident vertices are welded, so that seams of textures and normals are not borders.

use std::collections::BTreeMap;

use mocap_model::{Body, Vector3};
use nalgebra::{Matrix3, SymmetricEigen};

use crate::RigError;

/// Vertices within this share of the mesh's size are welded.
const WELD: f64 = 1e-6;
/// The width of the search grid's cells, relative to that distance.
const CELL: f64 = 64.0;

/// The places and triangles of all meshes of a body.
#[derive(Clone, Debug, Default)]
pub struct RigMesh {
    /// Places, each once.
    pub places: Vec<Vector3<f64>>,
    /// Corners of each triangle, counterclockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// By vertex of the body, mesh after mesh: the index of its place.
    pub of_vertex: Vec<u32>,
    /// The length of the diagonal of the box around the places, along the own axes of the mesh.
    pub size: f64,
}

impl RigMesh {
    /// The surface of a body whose vertices are at `positions`, mesh after mesh.
    ///
    /// # Errors
    /// [`RigError::NotFinite`], [`RigError::NoFaces`], [`RigError::NoSize`], [`RigError::Budget`].
    pub fn new(body: &Body, positions: &[Vector3<f64>], most_triangles: usize) -> Result<RigMesh, RigError> {
        let mut first = 0;
        for mesh in &body.meshes {
            for (vertex, at) in positions[first..first + mesh.positions.len()].iter().enumerate() {
                if !at.iter().all(|value| value.is_finite()) {
                    let at = (*at).into();
                    return Err(RigError::NotFinite { mesh: mesh.name.clone(), vertex, at });
                }
            }
            first += mesh.positions.len();
        }
        let corners: usize = body.meshes.iter().map(|mesh| mesh.corners.len()).sum();
        let faces: usize = body.meshes.iter().map(|mesh| mesh.faces.len()).sum();
        let triangles = corners.saturating_sub(2 * faces);
        if triangles > most_triangles {
            return Err(RigError::Budget { triangles, most: most_triangles });
        }
        if triangles == 0 {
            return Err(RigError::NoFaces { vertices: positions.len() });
        }
        let middle = positions.iter().sum::<Vector3<f64>>() / positions.len() as f64;
        let reach = positions.iter().map(|at| (at - middle).norm()).fold(0.0, f64::max);
        if !(reach > 0.0 && reach.is_finite()) {
            return Err(RigError::NoSize);
        }
        let (places, of_vertex) = welded(positions, 2.0 * WELD * reach);
        let mut made = RigMesh { places, of_vertex, ..RigMesh::default() };
        let mut first = 0;
        for mesh in &body.meshes {
            let mut corner = 0;
            for count in &mesh.faces {
                let count = *count as usize;
                for triangle in mesh.triangles_of(corner, count) {
                    let [a, b, c] = triangle
                        .map(|at| made.of_vertex[first + mesh.corners[corner + at as usize] as usize]);
                    if a != b && b != c && c != a {
                        made.triangles.push([a, b, c]);
                    }
                }
                corner += count;
            }
            first += mesh.positions.len();
        }
        if made.triangles.is_empty() {
            return Err(RigError::NoFaces { vertices: positions.len() });
        }
        let (low, high) = made.span(&made.own_axes());
        made.size = (high - low).norm();
        Ok(made)
    }

    /// The principal axes of the surface: columns, the longest first. They rotate with the mesh. If the surface is
    /// asymmetric, each points to the side that extends further.
    pub fn own_axes(&self) -> Matrix3<f64> {
        let areas = self.areas();
        let weighed = || self.places.iter().zip(&areas);
        let whole = areas.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let middle = weighed().map(|(at, area)| at * *area).sum::<Vector3<f64>>() / whole;
        let covariance = weighed().map(|(at, area)| (at - middle) * (at - middle).transpose() * *area);
        let covariance = covariance.sum::<Matrix3<f64>>() / whole;
        // The eigenvalue solver has a bound on iterations, so it ends for any numbers.
        let Some(found) = SymmetricEigen::try_new(covariance, f64::EPSILON, 1000) else {
            return Matrix3::identity();
        };
        let mut order = [0, 1, 2];
        order.sort_by(|a, b| found.eigenvalues[*b].total_cmp(&found.eigenvalues[*a]));
        let pointing = order.map(|at| {
            let axis: Vector3<f64> = found.eigenvectors.column(at).into_owned();
            let lean: f64 = weighed().map(|(at, area)| (at - middle).dot(&axis).powi(3) * area).sum();
            if lean < 0.0 { -axis } else { axis }
        });
        Matrix3::from_columns(&pointing)
    }

    /// The lowest and the highest coordinates of its triangles along axes.
    pub(crate) fn span(&self, axes: &Matrix3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let mut used =
            self.triangles.iter().flatten().map(|corner| axes.tr_mul(&self.places[*corner as usize]));
        let first = used.next().unwrap_or_default();
        used.fold((first, first), |(low, high), at| (low.inf(&at), high.sup(&at)))
    }

    /// The distance of a place from the bounding box of the mesh.
    pub fn far_from_box(&self, place: &Vector3<f64>) -> f64 {
        let first = self.places.first().copied().unwrap_or_default();
        let low = self.places.iter().fold(first, |low, at| low.inf(at));
        let high = self.places.iter().fold(first, |high, at| high.sup(at));
        (place - place.sup(&low).inf(&high)).norm()
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [Vector3<f64>; 3] {
        self.triangles[triangle].map(|corner| self.places[corner as usize])
    }

    /// By place: a third of the area of the triangles around it.
    pub fn areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.places.len()];
        for at in 0..self.triangles.len() {
            let [a, b, c] = self.corners(at);
            let third = (b - a).cross(&(c - a)).norm() / 6.0;
            self.triangles[at].iter().for_each(|corner| areas[*corner as usize] += third);
        }
        areas
    }

    /// By place: the unit normal, by area; zero where there is none.
    pub fn normals(&self) -> Vec<Vector3<f64>> {
        let mut normals = vec![Vector3::zeros(); self.places.len()];
        for at in 0..self.triangles.len() {
            let [a, b, c] = self.corners(at);
            let normal = (b - a).cross(&(c - a));
            self.triangles[at].iter().for_each(|corner| normals[*corner as usize] += normal);
        }
        normals.into_iter().map(|normal| normal.try_normalize(0.0).unwrap_or_default()).collect()
    }

    /// By place: the places with which it shares an edge, in increasing order.
    pub fn neighbours(&self) -> Neighbours {
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(6 * self.triangles.len());
        for [a, b, c] in &self.triangles {
            pairs.extend([(*a, *b), (*b, *a), (*b, *c), (*c, *b), (*c, *a), (*a, *c)]);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0u32; self.places.len() + 1];
        pairs.iter().for_each(|(from, _)| starts[*from as usize + 1] += 1);
        for at in 0..self.places.len() {
            starts[at + 1] += starts[at];
        }
        Neighbours { starts, all: pairs.into_iter().map(|(_, to)| to).collect() }
    }
}

/// Welds positions: returns the distinct places, and the index of the place of each position, which is the first within
/// the distance. The result does not depend on the axes of the file.
fn welded(positions: &[Vector3<f64>], within: f64) -> (Vec<Vector3<f64>>, Vec<u32>) {
    // Cells are much wider than the distance, so only positions near a border must be searched in several cells.
    let cell = CELL * within;
    let (mut places, mut of_vertex): (Vec<Vector3<f64>>, Vec<u32>) = (Vec::new(), Vec::new());
    // Linked lists: by cell its last place, by place the one before it in the same cell.
    let mut last: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    let mut before: Vec<Option<u32>> = Vec::new();
    let key =
        |at: &Vector3<f64>| -> [i64; 3] { std::array::from_fn(|axis| (at[axis] / cell).floor() as i64) };
    for at in positions {
        let [low, high] = [-within, within].map(|off| key(&at.add_scalar(off)));
        let mut known: Option<u32> = None;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let chain =
                        std::iter::successors(last.get(&[x, y, z]).copied(), |one| before[*one as usize]);
                    let near = chain.filter(|one| (places[*one as usize] - at).norm() <= within).min();
                    known = known.into_iter().chain(near).min();
                }
            }
        }
        of_vertex.push(known.unwrap_or_else(|| {
            let place = places.len() as u32;
            places.push(*at);
            before.push(last.insert(key(at), place));
            place
        }));
    }
    (places, of_vertex)
}

/// The adjacency of places by edges.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Neighbours {
    /// Those of a place.
    pub fn of(&self, place: usize) -> &[u32] {
        &self.all[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The surfaces of boxes, each from its lowest to its highest corner.
    pub(crate) fn boxes(all: &[[[f64; 3]; 2]]) -> RigMesh {
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let mut mesh = RigMesh { size: 1.0, ..RigMesh::default() };
        for ends in all {
            let first = mesh.places.len() as u32;
            mesh.places.extend((0..8).map(|at| Vector3::from_fn(|axis, _| ends[(at >> axis) & 1][axis])));
            for [a, b, c, d] in quads.map(|quad| quad.map(|at| first + at)) {
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        mesh
    }

    #[test]
    fn places_are_far_from_the_box_or_in_it() {
        let mesh = RigMesh { places: vec![Vector3::zeros(), Vector3::repeat(2.0)], ..RigMesh::default() };
        assert_eq!(mesh.far_from_box(&Vector3::new(1.0, 0.5, 2.0)), 0.0);
        assert_eq!(mesh.far_from_box(&Vector3::new(5.0, 1.0, -4.0)), 5.0);
    }
}
