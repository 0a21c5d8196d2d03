//! Convex hulls of points, as collision shapes: meshes collide as their hulls.
//!
//! Based on: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The Quickhull Algorithm for Convex Hulls",
//! 1996. Departs from it in the order of points: the one furthest outside comes next, so that a
//! hull of limited size is as near to the points as its corners allow.

use std::collections::HashMap;

use crate::Vector3;

/// Points nearer than this to the hull are in it, as a share of the size of all.
const EXACT: f64 = 1e-6;
/// A face is seen by points this far above it, as a share of the size of all: less is rounding.
const SEEN: f64 = 1e-10;
/// Hulls with more corners are searched along their edges, not corner by corner.
const FEW: usize = 48;

/// A convex polyhedron, in metres.
///
/// ```
/// use mocap_model::{Hull, Vector3};
///
/// let sides = [-0.1, 0.1];
/// let cube = sides.map(|x| sides.map(|y| sides.map(|z| Vector3::new(x, y, z)))).concat().concat();
/// let hull = Hull::of(&cube).expect("a solid");
/// assert_eq!((hull.corners().len(), hull.faces().len()), (8, 12));
/// assert_eq!(hull.furthest(&Vector3::new(1.0, 2.0, 3.0)), Vector3::new(0.1, 0.1, 0.1));
/// assert!((hull.volume() - 0.008).abs() < 1e-12);
/// assert!(Hull::of(&cube[..4]).is_none(), "one side of it is flat");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    corners: Vec<Vector3<f64>>,
    faces: Vec<[u32; 3]>,
    /// How far points are outside that were left out \[m\].
    left_out: f64,
    /// The corners that share an edge with corner `c` are `links[first_link[c]..first_link[c + 1]]`.
    links: Vec<u32>,
    first_link: Vec<u32>,
    /// The furthest corners along both ways of each axis, where a search starts.
    starts: [u32; 6],
}

impl Hull {
    /// The most corners of a hull.
    pub const MOST_CORNERS: usize = 4096;

    /// The hull of points \[m\], as they are; `None` if one is not finite, all are in one plane, or the volume is no
    /// number.
    pub fn of(points: &[Vector3<f64>]) -> Option<Hull> {
        let mut points = points.to_vec();
        if !points.iter().all(|point| point.iter().all(|value| value.is_finite())) {
            return None;
        }
        // Files of triangles repeat their corners. Without the order of the file, the result does not depend on it.
        let order = |a: &Vector3<f64>, b: &Vector3<f64>| {
            a.iter().zip(b.iter()).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne())
        };
        points.sort_by(|a, b| order(a, b).unwrap_or(std::cmp::Ordering::Equal));
        points.dedup();
        let mut growing = Growing::start(&points)?;
        // Bounds the time for any file: points that are left out because of rounding count as well.
        for _ in 0..4 * Hull::MOST_CORNERS {
            if growing.corners >= Hull::MOST_CORNERS || !growing.add_furthest() {
                break;
            }
        }
        let hull = growing.finish();
        // A hull that is too thin or too large for exact numbers has no volume or no finite centre.
        (hull.volume() > 0.0 && hull.centre().iter().all(|value| value.is_finite())).then_some(hull)
    }

    /// Its corners \[m\].
    pub fn corners(&self) -> &[Vector3<f64>] {
        &self.corners
    }

    /// Its triangles by corners, counterclockwise as seen from outside.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// How far outside the furthest point is that it leaves out, since there are more than [`Hull::MOST_CORNERS`] \[m\].
    pub fn left_out(&self) -> f64 {
        self.left_out
    }

    /// The same hull elsewhere.
    #[must_use]
    pub fn moved(mut self, by: &Vector3<f64>) -> Hull {
        self.corners.iter_mut().for_each(|corner| *corner += by);
        self
    }

    /// The same hull at another size, about the origin; `factor` is above 0.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Hull {
        self.corners.iter_mut().for_each(|corner| *corner *= factor);
        self.left_out *= factor;
        self
    }

    /// Its corner that is furthest in a direction.
    pub fn furthest(&self, along: &Vector3<f64>) -> Vector3<f64> {
        let reach = |corner: u32| self.corners[corner as usize].dot(along);
        let best = |at: (u32, f64), corner: u32| {
            let reach = reach(corner);
            if reach > at.1 { (corner, reach) } else { at }
        };
        let start = (self.starts[0], reach(self.starts[0]));
        if self.corners.len() <= FEW {
            let (corner, _) = (0..self.corners.len() as u32).fold(start, best);
            return self.corners[corner as usize];
        }
        let mut at = self.starts.into_iter().fold(start, best);
        loop {
            let links = self.first_link[at.0 as usize] as usize..self.first_link[at.0 as usize + 1] as usize;
            let next = self.links[links].iter().copied().fold(at, best);
            if next.0 == at.0 {
                return self.corners[at.0 as usize];
            }
            at = next;
        }
    }

    /// The least and the greatest coordinates of its corners \[m\].
    pub fn bounds(&self) -> [Vector3<f64>; 2] {
        let first = self.corners[0];
        self.corners.iter().fold([first; 2], |[least, most], corner| [least.inf(corner), most.sup(corner)])
    }

    /// Its volume \[m³\].
    pub fn volume(&self) -> f64 {
        self.tetrahedra().map(|(volume, _)| volume).sum()
    }

    /// Its centre of volume \[m\].
    pub fn centre(&self) -> Vector3<f64> {
        let middle = |[a, b, c]: [Vector3<f64>; 3]| (a + b + c) / 4.0;
        self.tetrahedra().map(|(volume, corners)| middle(corners) * volume).sum::<Vector3<f64>>()
            / self.volume()
    }

    /// The means of products of coordinates over its volume, from the origin \[m²\].
    pub fn second_moments(&self) -> nalgebra::Matrix3<f64> {
        let of = |(volume, [a, b, c]): (f64, [Vector3<f64>; 3])| {
            let sum = a + b + c;
            let squares = [a, b, c, sum].iter().map(|v| v * v.transpose()).sum::<nalgebra::Matrix3<f64>>();
            squares * (volume / 20.0)
        };
        self.tetrahedra().map(of).sum::<nalgebra::Matrix3<f64>>() / self.volume()
    }

    /// From the origin to each face, with the signed volume.
    fn tetrahedra(&self) -> impl Iterator<Item = (f64, [Vector3<f64>; 3])> + '_ {
        self.faces.iter().map(|face| {
            let [a, b, c] = face.map(|corner| self.corners[corner as usize]);
            (a.dot(&b.cross(&c)) / 6.0, [a, b, c])
        })
    }

    fn linked(corners: Vec<Vector3<f64>>, faces: Vec<[u32; 3]>, left_out: f64) -> Hull {
        // Every edge is in two faces, once in each direction.
        let mut edges: Vec<[u32; 2]> =
            faces.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
        edges.sort_unstable();
        let mut first_link = vec![0; corners.len() + 1];
        edges.iter().for_each(|[from, _]| first_link[*from as usize + 1] += 1);
        for corner in 0..corners.len() {
            first_link[corner + 1] += first_link[corner];
        }
        let links = edges.iter().map(|[_, to]| *to).collect();
        let ends = [0, 1, 2, 3, 4, 5].map(|way: usize| {
            let sign = if way < 3 { 1.0 } else { -1.0 };
            let along = |corner: &usize| sign * corners[*corner][way % 3];
            let end = (0..corners.len()).max_by(|a, b| along(a).total_cmp(&along(b)));
            end.unwrap_or(0) as u32
        });
        Hull { corners, faces, left_out, links, first_link, starts: ends }
    }
}

/// A face of a hull that grows.
struct Face {
    corners: [usize; 3],
    /// The faces across the edges that start at these corners.
    across: [usize; 3],
    normal: Vector3<f64>,
    offset: f64,
    /// Points outside that no other face has.
    outside: Vec<usize>,
    /// The furthest of them, and how far it is.
    furthest: Option<(usize, f64)>,
    is_gone: bool,
}

impl Face {
    /// The outward side is that from which the corners run counterclockwise.
    fn new(points: &[Vector3<f64>], corners: [usize; 3]) -> Face {
        let [a, b, c] = corners.map(|corner| points[corner]);
        let normal = (b - a).cross(&(c - a)).try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::zeros);
        // The mean of the corners has the smallest error.
        let offset = normal.dot(&((a + b + c) / 3.0));
        Face { corners, across: [0; 3], normal, offset, outside: Vec::new(), furthest: None, is_gone: false }
    }

    fn height(&self, point: &Vector3<f64>) -> f64 {
        self.normal.dot(point) - self.offset
    }

    fn take(&mut self, point: usize, height: f64) {
        self.outside.push(point);
        if self.furthest.is_none_or(|(_, most)| height > most) {
            self.furthest = Some((point, height));
        }
    }
}

/// A hull that grows point by point.
struct Growing<'p> {
    points: &'p [Vector3<f64>],
    faces: Vec<Face>,
    corners: usize,
    size: f64,
    left_out: f64,
}

impl<'p> Growing<'p> {
    /// A tetrahedron of far points; `None` if all are in one plane.
    fn start(points: &'p [Vector3<f64>]) -> Option<Growing<'p>> {
        let furthest = |of: &dyn Fn(&Vector3<f64>) -> f64| {
            let heights = points.iter().map(of).enumerate();
            heights.max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let (a, _) = furthest(&|point| -point.x)?;
        let (b, _) = furthest(&|point| (point - points[a]).norm_squared())?;
        let size = (points[b] - points[a]).norm();
        let along = (points[b] - points[a]).try_normalize(f64::MIN_POSITIVE)?;
        let (c, across) = furthest(&|point| (point - points[a]).cross(&along).norm())?;
        let normal = along.cross(&(points[c] - points[a])).try_normalize(f64::MIN_POSITIVE)?;
        let (d, high) = furthest(&|point| (point - points[a]).dot(&normal).abs())?;
        if across.min(high) < EXACT * size {
            return None;
        }
        let is_above = (points[d] - points[a]).dot(&normal) > 0.0;
        let [b, c] = if is_above { [c, b] } else { [b, c] };
        // The fourth point is below the first face.
        let triangles = [[a, b, c], [a, c, d], [c, b, d], [b, a, d]];
        let mut faces: Vec<Face> = triangles.iter().map(|corners| Face::new(points, *corners)).collect();
        for (face, across) in faces.iter_mut().zip([[3, 2, 1], [0, 2, 3], [0, 3, 1], [0, 1, 2]]) {
            face.across = across;
        }
        let mut growing = Growing { points, faces, corners: 4, size, left_out: 0.0 };
        let all = (0..points.len()).filter(|point| ![a, b, c, d].contains(point)).collect();
        growing.hand_out(all, &[0, 1, 2, 3]);
        Some(growing)
    }

    /// Gives points to the faces that they are furthest above; those that are above none are inside.
    fn hand_out(&mut self, points: Vec<usize>, faces: &[usize]) {
        for point in points {
            let heights = faces.iter().map(|face| (*face, self.faces[*face].height(&self.points[point])));
            let highest = heights.max_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((face, height)) = highest.filter(|(_, height)| *height > EXACT * self.size) {
                self.faces[face].take(point, height);
            }
        }
    }

    /// Adds the point that is furthest outside; false if there is none.
    fn add_furthest(&mut self) -> bool {
        let open = self.faces.iter().enumerate().filter(|(_, face)| !face.is_gone);
        let furthest =
            open.filter_map(|(index, face)| face.furthest.map(|(point, height)| (index, point, height)));
        let Some((seed, point, height)) = furthest.max_by(|a, b| a.2.total_cmp(&b.2)) else { return false };
        let at = self.points[point];
        // All faces that the point sees, connected to the first.
        let mut seen = vec![seed];
        let mut rim: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut is_loop = true;
        let mut next = 0;
        self.faces[seed].is_gone = true;
        while next < seen.len() {
            for other in self.faces[seen[next]].across {
                let face = &mut self.faces[other];
                if !face.is_gone && face.height(&at) > SEEN * self.size {
                    face.is_gone = true;
                    seen.push(other);
                }
            }
            next += 1;
        }
        for face in &seen {
            let Face { corners, across, .. } = self.faces[*face];
            for edge in 0..3 {
                if !self.faces[across[edge]].is_gone {
                    is_loop &= rim.insert(corners[edge], (corners[(edge + 1) % 3], across[edge])).is_none();
                }
            }
        }
        // Along the rim, from edge to edge.
        let first = rim.keys().copied().min().unwrap_or(0);
        let mut edges = Vec::with_capacity(rim.len());
        let mut from = first;
        while let Some((to, outer)) = rim.remove(&from) {
            edges.push(([from, to], outer));
            from = to;
        }
        if !is_loop || !rim.is_empty() || from != first || edges.len() < 3 {
            // Rounding: the faces that the point sees are not one patch. It is left out.
            seen.iter().for_each(|face| self.faces[*face].is_gone = false);
            self.left_out = self.left_out.max(height);
            self.forget(seed, point);
            return true;
        }
        let base = self.faces.len();
        let count = edges.len();
        for (index, ([from, to], outer)) in edges.into_iter().enumerate() {
            let mut face = Face::new(self.points, [from, to, point]);
            face.across = [outer, base + (index + 1) % count, base + (index + count - 1) % count];
            let edge = self.faces[outer].corners.iter().position(|corner| *corner == to);
            self.faces[outer].across[edge.expect("an edge is in two faces")] = base + index;
            self.faces.push(face);
        }
        let mut orphans: Vec<usize> = Vec::new();
        for face in seen {
            self.faces[face].furthest = None;
            orphans.append(&mut self.faces[face].outside);
        }
        orphans.retain(|orphan| *orphan != point);
        let new: Vec<usize> = (base..base + count).collect();
        self.hand_out(orphans, &new);
        self.corners += 1;
        true
    }

    /// Takes a point from the points outside a face.
    fn forget(&mut self, face: usize, point: usize) {
        let points = self.points;
        let face = &mut self.faces[face];
        let mut outside = std::mem::take(&mut face.outside);
        outside.retain(|known| *known != point);
        face.furthest = None;
        for known in outside {
            let height = face.height(&points[known]);
            face.take(known, height);
        }
    }

    fn finish(self) -> Hull {
        let open = || self.faces.iter().filter(|face| !face.is_gone);
        let furthest = open().filter_map(|face| face.furthest).map(|(_, height)| height);
        let left_out = furthest.fold(self.left_out, f64::max);
        let mut used: Vec<usize> = open().flat_map(|face| face.corners).collect();
        used.sort_unstable();
        used.dedup();
        let place = |corner: usize| used.binary_search(&corner).unwrap_or(0) as u32;
        let faces = open().map(|face| face.corners.map(place)).collect();
        Hull::linked(used.iter().map(|corner| self.points[*corner]).collect(), faces, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points in a ball of radius 1, the same ones each time.
    fn cloud(count: usize) -> Vec<Vector3<f64>> {
        let share = |index: usize, step: f64| ((index + 1) as f64 * step).fract() * 2.0 - 1.0;
        let point =
            |index| Vector3::new(share(index, 0.618_034), share(index, 0.414_214), share(index, 0.732_051));
        (0..count).map(point).filter(|point| point.norm() < 1.0).collect()
    }

    /// Points on a ball, as a file of triangles has them: with rounding, and each of them several times.
    fn ball(count: usize, radius: f64) -> Vec<Vector3<f64>> {
        let golden = std::f64::consts::PI * (3.0 - 5.0f64.sqrt());
        let point = |index: usize| {
            let (z, angle) = (1.0 - (2.0 * index as f64 + 1.0) / count as f64, golden * index as f64);
            let across = (1.0 - z * z).sqrt();
            Vector3::new(across * angle.cos(), across * angle.sin(), z)
                .map(|value| f64::from((value * radius) as f32))
        };
        (0..2 * count).map(|index| point(index % count)).collect()
    }

    /// A box of a fine grid on its sides: most points are on planes and edges.
    fn grid(steps: i32) -> Vec<Vector3<f64>> {
        let at = |x: i32, y: i32, z: i32| {
            Vector3::new(x, y, z).map(|value| f64::from(value as f32 / steps as f32))
        };
        let is_side = |value: i32| value == 0 || value == steps;
        let mut points = Vec::new();
        for x in 0..=steps {
            for y in 0..=steps {
                let inner = (0..=steps).filter(|z| is_side(x) || is_side(y) || is_side(*z));
                points.extend(inner.map(|z| at(x, y, z)));
            }
        }
        points
    }

    #[track_caller]
    fn check(points: &[Vector3<f64>]) -> Hull {
        let hull = Hull::of(points).expect("a solid");
        // Euler: a closed surface of triangles.
        assert_eq!(hull.faces.len(), 2 * hull.corners.len() - 4);
        assert!(hull.corners.iter().all(|corner| points.contains(corner)));
        for [a, b, c] in hull.faces.iter().map(|face| face.map(|corner| hull.corners[corner as usize])) {
            let normal = (b - a).cross(&(c - a)).normalize();
            let most = points.iter().map(|point| (point - a).dot(&normal)).fold(f64::MIN, f64::max);
            assert!(most < 1e-5, "{most}");
        }
        for way in cloud(200) {
            let most = points.iter().map(|point| point.dot(&way)).fold(f64::MIN, f64::max);
            assert!((hull.furthest(&way).dot(&way) - most).abs() < 1e-5 * way.norm());
        }
        hull
    }

    #[test]
    fn hulls_hold_all_points_and_have_only_corners() {
        check(&cloud(3000));
        let round = check(&ball(500, 1.0));
        assert_eq!(round.corners.len(), 500);
        let square = check(&grid(12));
        assert_eq!((square.corners.len(), square.left_out), (8, 0.0));
        let mut turned = cloud(3000);
        turned.reverse();
        assert_eq!(Hull::of(&turned), Hull::of(&cloud(3000)), "the order of points is of no account");
    }

    #[test]
    fn flat_points_have_no_hull() {
        let flat: Vec<_> =
            cloud(100).iter().map(|point| Vector3::new(point.x, point.y, 0.5 * point.x)).collect();
        assert_eq!(Hull::of(&flat), None);
        assert_eq!(Hull::of(&[]), None);
        assert_eq!(Hull::of(&[Vector3::x(); 9]), None);
        assert_eq!(Hull::of(&[Vector3::x(), Vector3::y(), Vector3::z(), Vector3::repeat(f64::NAN)]), None);
    }

    #[test]
    fn a_hull_of_more_corners_says_what_it_leaves_out() {
        let hull = Hull::of(&ball(6000, 0.1)).expect("a solid");
        assert_eq!(hull.corners.len(), Hull::MOST_CORNERS);
        assert!(hull.left_out > 1e-6 && hull.left_out < 2e-4, "{}", hull.left_out);
    }

    #[test]
    fn volume_and_moments_are_those_of_the_solid() {
        let sizes = Vector3::new(0.2, 0.3, 0.5);
        let hull = Hull::of(&grid(2)).expect("a solid");
        let by = Vector3::new(1.0, 2.0, 3.0);
        let points: Vec<_> = hull.corners.iter().map(|corner| corner.component_mul(&sizes)).collect();
        let hull = Hull::of(&points).expect("a solid").moved(&by);
        assert!((hull.volume() - 0.03).abs() < 1e-12);
        let middle = by + sizes / 2.0;
        assert!((hull.centre() - middle).norm() < 1e-12);
        let own = nalgebra::Matrix3::from_diagonal(&(sizes.component_mul(&sizes) / 12.0));
        assert!((hull.second_moments() - own - middle * middle.transpose()).norm() < 1e-10);
    }
}
