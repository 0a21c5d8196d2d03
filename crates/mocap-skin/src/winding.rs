//! Generalised winding numbers: how often a surface encloses a point. They are robust to holes and overlaps.
//!
//! Based on: A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust inside-outside segmentation using generalized
//! winding numbers", 2013; G. Barill, N. G. Dickson, R. Schmidt, D. I. W. Levin, A. Jacobson, "Fast winding
//! numbers for soups and clouds", 2018, with dipoles only; A. van Oosterom, J. Strackee, "The solid angle of a
//! plane triangle", 1983.

use crate::TriangleTree;
use mocap_model::Vector3;
use std::f64::consts::PI;

/// A group of triangles is replaced by a dipole if the point is further away than this many of its radii.
const FAR: f64 = 2.5;

impl TriangleTree {
    /// The winding number of a point in the pose to which the tree was last fitted: 1 inside a closed surface,
    /// 0 outside, between where it is open.
    pub fn winding(&self, at: &Vector3<f64>, places: &[Vector3<f64>]) -> f64 {
        if self.nodes.is_empty() {
            return 0.0;
        }
        let (mut stack, mut left) = ([0u32; 64], 1);
        let mut sum = 0.0;
        while left > 0 {
            left -= 1;
            let index = stack[left] as usize;
            let node = &self.nodes[index];
            let way = node.centre - at;
            let square = way.norm_squared();
            let far = FAR * node.radius;
            if square > far * far {
                sum += node.dipole.dot(&way) / (square * square.sqrt());
            } else if node.right == 0 {
                for triangle in node.first..node.first + node.count {
                    sum += solid_angle(self.corners(triangle as usize, places), at);
                }
            } else {
                stack[left] = node.right;
                stack[left + 1] = index as u32 + 1;
                left += 2;
            }
        }
        sum / (4.0 * PI)
    }
}

/// The solid angle of a triangle seen from a place \[sr\].
fn solid_angle([a, b, c]: [Vector3<f64>; 3], at: &Vector3<f64>) -> f64 {
    let (a, b, c) = (a - at, b - at, c - at);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let across = a.dot(&b.cross(&c));
    let along = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * across.atan2(along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::sphere;

    /// Every triangle by itself.
    fn exact(at: &Vector3<f64>, triangles: &[[u32; 3]], places: &[Vector3<f64>]) -> f64 {
        let angle = |corners: &[u32; 3]| solid_angle(corners.map(|corner| places[corner as usize]), at);
        triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
    }

    #[test]
    fn a_closed_surface_goes_once_around_what_is_inside() {
        let (places, triangles) = sphere(Vector3::new(0.3, 1.0, -2.0), 0.5, 20);
        let tree = TriangleTree::new(triangles.clone(), &places);
        for (step, inside) in [(0.0, 1.0), (0.4, 1.0), (0.48, 1.0), (0.52, 0.0), (0.7, 0.0), (9.0, 0.0)] {
            let at = Vector3::new(0.3, 1.0, -2.0) + Vector3::new(0.6, 0.0, 0.8) * step;
            let winding = tree.winding(&at, &places);
            assert!((winding - inside).abs() < 0.05, "{step}: {winding}");
            assert!((winding - exact(&at, &triangles, &places)).abs() < 0.03, "{step}: {winding}");
        }
    }

    #[test]
    fn a_hole_and_an_overlap_are_borne() {
        let (places, mut triangles) = sphere(Vector3::zeros(), 1.0, 16);
        let near_pole = |corners: &[u32; 3]| corners.iter().all(|corner| places[*corner as usize].y > 0.9);
        triangles.retain(|corners| !near_pole(corners));
        let tree = TriangleTree::new(triangles.clone(), &places);
        let middle = tree.winding(&Vector3::zeros(), &places);
        assert!(middle > 0.9 && middle < 1.0, "{middle}");
        let twice: Vec<[u32; 3]> = triangles.iter().chain(&triangles).copied().collect();
        let tree = TriangleTree::new(twice, &places);
        assert!(tree.winding(&Vector3::zeros(), &places) > 1.8);
        assert_eq!(TriangleTree::new(Vec::new(), &places).winding(&Vector3::zeros(), &places), 0.0);
    }

    #[test]
    fn a_tree_is_fitted_to_other_poses() {
        let (mut places, triangles) = sphere(Vector3::zeros(), 1.0, 16);
        let mut tree = TriangleTree::new(triangles, &places);
        places.iter_mut().for_each(|place| *place = *place * 2.0 + Vector3::x() * 5.0);
        tree.refit(&places);
        assert!(tree.winding(&Vector3::zeros(), &places).abs() < 0.05);
        assert!((tree.winding(&Vector3::new(6.5, 0.0, 0.0), &places) - 1.0).abs() < 0.05);
    }
}
