//! Triangles as a solid: holes, volume, orientation of faces.
//!
//! Vertices at the same position count as one, so that seams of textures and normals are not holes.

use std::collections::BTreeMap;

use mocap_model::Vector3;

/// A solid: its holes are known, and are closed by triangle fans to compute a volume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solid {
    triangles: Vec<[u32; 3]>,
    /// The edges of each hole, in the direction in which its triangles have them.
    holes: Vec<Vec<[u32; 2]>>,
}

impl Solid {
    /// The solid of some triangles. `positions`, in the bind pose, show which vertices are at the
    /// same position.
    ///
    /// # Panics
    /// If a triangle names a vertex that does not exist.
    pub fn new(positions: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Solid {
        let places = welded(positions);
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|it| it.map(|at| places[at as usize])).collect();
        let triangles: Vec<[u32; 3]> =
            triangles.into_iter().filter(|[a, b, c]| a != b && b != c && c != a).collect();
        let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        for [a, b, c] in &triangles {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let (edge, way) = if from < to { ([*from, *to], 1) } else { ([*to, *from], -1) };
                *edges.entry(edge).or_default() += way;
            }
        }
        let open = edges.into_iter().flat_map(|([a, b], count)| {
            let edge = if count > 0 { [a, b] } else { [b, a] };
            std::iter::repeat_n(edge, count.unsigned_abs() as usize)
        });
        let open: Vec<[u32; 2]> = open.collect();
        let mut groups = Groups::new(positions.len());
        open.iter().for_each(|[a, b]| groups.join(*a, *b));
        let mut holes: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
        open.iter().for_each(|edge| holes.entry(groups.of(edge[0])).or_default().push(*edge));
        Solid { triangles, holes: holes.into_values().collect() }
    }

    /// The number of triangle edges that no other triangle has in the opposite direction; 0 for a
    /// closed surface.
    pub fn open_edges(&self) -> usize {
        self.holes.iter().map(Vec::len).sum()
    }

    /// The number of holes: connected groups of open edges.
    pub fn holes(&self) -> usize {
        self.holes.len()
    }

    /// The triangles, with one index for all vertices at the same position.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The volume inside in some pose [cubic units]: above 0 where faces look outwards. Each hole is closed by a fan around
    /// the middle of its edges.
    ///
    /// # Panics
    /// If a vertex is missing.
    pub fn volume(&self, positions: &[Vector3<f64>]) -> f64 {
        // Relative to a point of the solid, so that no digits are lost far from the origin.
        let origin =
            self.triangles.first().map_or_else(Vector3::zeros, |[first, ..]| positions[*first as usize]);
        let at = |vertex: u32| positions[vertex as usize] - origin;
        let part = |a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>| a.dot(&b.cross(c)) / 6.0;
        let inside: f64 = self.triangles.iter().map(|[a, b, c]| part(&at(*a), &at(*b), &at(*c))).sum();
        let closed = self.holes.iter().map(|hole| {
            let middle = hole.iter().map(|[from, _]| at(*from)).sum::<Vector3<f64>>() / hole.len() as f64;
            hole.iter().map(|[from, to]| part(&at(*to), &at(*from), &middle)).sum::<f64>()
        });
        inside + closed.sum::<f64>()
    }

    /// The connected components, each as a solid.
    pub fn parts(&self) -> Vec<Solid> {
        let count = self.triangles.iter().flatten().max().map_or(0, |most| *most as usize + 1);
        let mut groups = Groups::new(count);
        for [a, b, c] in &self.triangles {
            groups.join(*a, *b);
            groups.join(*b, *c);
        }
        let mut parts: BTreeMap<u32, Solid> = BTreeMap::new();
        for triangle in &self.triangles {
            parts.entry(groups.of(triangle[0])).or_default().triangles.push(*triangle);
        }
        for hole in &self.holes {
            parts.entry(groups.of(hole[0][0])).or_default().holes.push(hole.clone());
        }
        parts.into_values().collect()
    }
}

/// By vertex: the first vertex at its position.
fn welded(positions: &[Vector3<f64>]) -> Vec<u32> {
    let mut first: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let place = |(vertex, at): (usize, &Vector3<f64>)| {
        let key = [at.x, at.y, at.z].map(|part| (part + 0.0).to_bits());
        *first.entry(key).or_insert(vertex as u32)
    };
    positions.iter().enumerate().map(place).collect()
}

/// Connected components (union–find).
struct Groups(Vec<u32>);

impl Groups {
    fn new(count: usize) -> Groups {
        Groups((0..count as u32).collect())
    }

    fn of(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = above;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        // The least index represents the group, so that the order of edges does not matter.
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of one by two by three, each face with vertices of its own.
    fn cuboid() -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
        let corner =
            |at: u32| Vector3::new(f64::from(at & 1), f64::from(at >> 1 & 1) * 2.0, f64::from(at >> 2) * 3.0);
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let positions = faces.iter().flatten().map(|at| corner(*at)).collect();
        let triangles =
            (0..6).flat_map(|face| [[0, 1, 2], [0, 2, 3]].map(|it| it.map(|at: u32| 4 * face + at)));
        (positions, triangles.collect())
    }

    #[test]
    fn seams_are_no_holes_and_the_volume_has_a_sign() {
        let (positions, triangles) = cuboid();
        let solid = Solid::new(&positions, &triangles);
        assert_eq!((solid.open_edges(), solid.holes()), (0, 0));
        assert!((solid.volume(&positions) - 6.0).abs() < 1e-12);
        let inwards: Vec<[u32; 3]> = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        assert!((Solid::new(&positions, &inwards).volume(&positions) + 6.0).abs() < 1e-12);
        let far: Vec<Vector3<f64>> = positions.iter().map(|at| at + Vector3::repeat(1e6)).collect();
        assert!((solid.volume(&far) - 6.0).abs() < 1e-8);
    }

    #[test]
    fn a_hole_is_counted_and_closed_for_the_volume() {
        let (positions, triangles) = cuboid();
        let solid = Solid::new(&positions, &triangles[2..]);
        assert_eq!((solid.open_edges(), solid.holes()), (4, 1));
        assert!((solid.volume(&positions) - 6.0).abs() < 1e-12, "a flat hole takes nothing away");
        // One face the wrong way round leaves its edges open.
        let mut turned = triangles.clone();
        turned[0].reverse();
        assert_eq!(Solid::new(&positions, &turned).open_edges(), 6);
    }

    #[test]
    fn parts_are_apart() {
        let (mut positions, mut triangles) = cuboid();
        let (count, more) = (positions.len() as u32, triangles.clone());
        positions.extend(positions.clone().iter().map(|at| at + Vector3::x() * 5.0));
        triangles.extend(more[2..].iter().map(|it| it.map(|at| at + count)));
        let parts = Solid::new(&positions, &triangles).parts();
        assert_eq!(parts.iter().map(Solid::open_edges).collect::<Vec<_>>(), [0, 4]);
        assert!(parts.iter().all(|part| (part.volume(&positions) - 6.0).abs() < 1e-12));
    }
}
