//! Faces cut into triangles.

use nalgebra::Vector3;

use super::Mesh;

impl Mesh {
    /// The unit normal of a face of some corners, the first of which is given; zero where it has no area.
    pub fn face_normal(&self, first: usize, count: usize) -> Vector3<f64> {
        self.area(first, count).try_normalize(0.0).unwrap_or_default()
    }

    /// Twice the area of a face along its normal, by the sum over its edges.
    fn area(&self, first: usize, count: usize) -> Vector3<f64> {
        let at = |corner: usize| self.positions[self.corners[first + corner % count] as usize];
        (0..count).map(|corner| (at(corner) - at(0)).cross(&(at(corner + 1) - at(0)))).sum()
    }

    /// The triangles of a face, as places among its corners. A face with more than three corners is cut by ears, so that
    /// faces with corners that point inwards keep their shape.
    ///
    /// Based on: G. H. Meisters, "Polygons have ears", 1975.
    pub fn triangles_of(&self, first: usize, count: usize) -> Vec<[u32; 3]> {
        if count == 3 {
            return vec![[0, 1, 2]];
        }
        let at = |corner: u32| self.positions[self.corners[first + corner as usize] as usize];
        let normal = self.area(first, count);
        let turns = |[a, b, c]: [u32; 3]| (at(b) - at(a)).cross(&(at(c) - at(a))).dot(&normal);
        let holds = |[a, b, c]: [u32; 3], d: u32| {
            turns([a, b, d]) >= 0.0 && turns([b, c, d]) >= 0.0 && turns([c, a, d]) >= 0.0
        };
        let mut left: Vec<u32> = (0..count as u32).collect();
        let mut triangles = Vec::with_capacity(count - 2);
        while left.len() > 3 {
            let around =
                |i: usize| [left[(i + left.len() - 1) % left.len()], left[i], left[(i + 1) % left.len()]];
            let is_ear = |i: &usize| {
                let ear = around(*i);
                let others = left.iter().filter(|other| !ear.contains(other));
                turns(ear) > 0.0 && !others.into_iter().any(|other| holds(ear, *other))
            };
            // Starts at the second corner: a convex quad becomes a fan around its first corner.
            let ear = (1..=left.len()).map(|i| i % left.len()).find(is_ear).unwrap_or(1);
            triangles.push(around(ear));
            left.remove(ear);
        }
        triangles.push([left[0], left[1], left[2]]);
        triangles
    }
}
