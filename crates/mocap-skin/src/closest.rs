//! The nearest point on triangles.
//!
//! Based on: C. Ericson, "Real-time collision detection", 2005, section 5.1.5.

use crate::TriangleTree;
use mocap_model::Vector3;

/// A point on a surface.
#[derive(Clone, Copy, Debug)]
pub struct Closest {
    /// Index of the triangle in the list from which the tree was made.
    pub triangle: usize,
    /// Position of the point.
    pub place: Vector3<f64>,
    /// Its distance.
    pub distance: f64,
}

impl TriangleTree {
    /// The nearest point at most `within` away, in the pose to which the tree was last fitted.
    pub fn closest(&self, at: &Vector3<f64>, places: &[Vector3<f64>], within: f64) -> Option<Closest> {
        self.closest_where(at, places, within, |_| true)
    }

    /// Like [`TriangleTree::closest`], for triangles that pass `accepts`, which gets their corners.
    pub fn closest_where(
        &self,
        at: &Vector3<f64>,
        places: &[Vector3<f64>],
        within: f64,
        accepts: impl Fn(&[Vector3<f64>; 3]) -> bool,
    ) -> Option<Closest> {
        let mut best: Option<Closest> = None;
        let mut most = within * within;
        let (mut stack, mut left) = ([(0.0, 0u32); 64], usize::from(!self.nodes.is_empty()));
        while left > 0 {
            left -= 1;
            let (bound, index) = stack[left];
            if bound > most {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.right == 0 {
                for triangle in node.first as usize..(node.first + node.count) as usize {
                    let corners = self.corners(triangle, places);
                    let place = closest_on_triangle(corners, at);
                    let square = (place - at).norm_squared();
                    if square <= most && accepts(&corners) {
                        most = square;
                        let triangle = self.order[triangle] as usize;
                        best = Some(Closest { triangle, place, distance: square.sqrt() });
                    }
                }
                continue;
            }
            let bound = |index: u32| {
                let node = &self.nodes[index as usize];
                (node.min - at).sup(&(at - node.max)).sup(&Vector3::zeros()).norm_squared()
            };
            let (one, two) = (index + 1, node.right);
            let (a, b) = (bound(one), bound(two));
            let [far, near] = if a <= b { [(b, two), (a, one)] } else { [(a, one), (b, two)] };
            stack[left] = far;
            stack[left + 1] = near;
            left += 2;
        }
        best
    }
}

/// The nearest point on a triangle.
pub(crate) fn closest_on_triangle([a, b, c]: [Vector3<f64>; 3], at: &Vector3<f64>) -> Vector3<f64> {
    let (ab, ac, ap) = (b - a, c - a, at - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = at - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = at - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    if sum <= 0.0 { a } else { a + ab * (vb / sum) + ac * (vc / sum) }
}

/// Barycentric coordinates of a point on a triangle.
pub fn barycentric([a, b, c]: [Vector3<f64>; 3], at: &Vector3<f64>) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, at - a);
    let (d00, d01, d11) = (ab.dot(&ab), ab.dot(&ac), ac.dot(&ac));
    let (d20, d21) = (ap.dot(&ab), ap.dot(&ac));
    let determinant = d00 * d11 - d01 * d01;
    if determinant <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let v = ((d11 * d20 - d01 * d21) / determinant).clamp(0.0, 1.0);
    let w = ((d00 * d21 - d01 * d20) / determinant).clamp(0.0, 1.0 - v);
    [1.0 - v - w, v, w]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::sphere;

    #[test]
    fn the_nearest_place_is_that_of_all_triangles() {
        let (places, triangles) = sphere(Vector3::new(0.1, 0.2, 0.3), 0.5, 12);
        let tree = TriangleTree::new(triangles.clone(), &places);
        for i in 0..60 {
            let t = f64::from(i);
            let at = Vector3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 0.37).sin()) * 0.9;
            let each = triangles.iter().map(|corners| {
                (closest_on_triangle(corners.map(|corner| places[corner as usize]), &at) - at).norm()
            });
            let least = each.fold(f64::INFINITY, f64::min);
            let found = tree.closest(&at, &places, f64::INFINITY).unwrap();
            assert!((found.distance - least).abs() < 1e-12);
            assert!(((found.place - at).norm() - least).abs() < 1e-12);
            let corners = triangles[found.triangle].map(|corner| places[corner as usize]);
            let shares = barycentric(corners, &found.place);
            let again: Vector3<f64> = corners.iter().zip(shares).map(|(corner, share)| corner * share).sum();
            assert!((again - found.place).norm() < 1e-9);
            assert!(tree.closest(&at, &places, least * 0.99).is_none());
        }
    }
}
