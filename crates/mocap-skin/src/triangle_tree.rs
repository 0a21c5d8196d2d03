//! A bounding volume tree of triangles whose vertices move: built once, refitted in each pose.

use mocap_model::Vector3;

/// Greatest number of triangles in a leaf.
const LEAF: usize = 8;

/// Triangles in nested groups.
#[derive(Clone, Debug, Default)]
pub struct TriangleTree {
    /// Corners, in the order of the leaves.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Index of each triangle in the list from which the tree was made.
    pub(crate) order: Vec<u32>,
    /// Nodes in depth-first order; the first child of a node comes directly after it.
    pub(crate) nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub first: u32,
    pub count: u32,
    /// Index of the second child; 0 for a leaf.
    pub right: u32,
    pub min: Vector3<f64>,
    pub max: Vector3<f64>,
    /// Centre of the triangles, weighted by area.
    pub centre: Vector3<f64>,
    /// Upper bound of the distance of a corner from the centre.
    pub radius: f64,
    /// Sum of area vectors: normals times areas.
    pub dipole: Vector3<f64>,
    /// Sum of areas.
    pub area: f64,
}

impl TriangleTree {
    /// Builds a tree of triangles in the pose `places`.
    pub fn new(triangles: Vec<[u32; 3]>, places: &[Vector3<f64>]) -> TriangleTree {
        let middle = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| places[corner as usize]);
            (a + b + c) / 3.0
        };
        let mut items: Vec<(Vector3<f64>, u32)> =
            triangles.iter().enumerate().map(|(at, triangle)| (middle(triangle), at as u32)).collect();
        let mut nodes = Vec::new();
        if !items.is_empty() {
            let count = items.len();
            split(&mut items, 0, count, &mut nodes);
        }
        let order: Vec<u32> = items.iter().map(|(_, at)| *at).collect();
        let triangles = order.iter().map(|at| triangles[*at as usize]).collect();
        let mut tree = TriangleTree { triangles, order, nodes };
        tree.refit(places);
        tree
    }

    /// Whether it has no triangles.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The corners of a triangle by its index in the tree.
    pub(crate) fn corners(&self, at: usize, places: &[Vector3<f64>]) -> [Vector3<f64>; 3] {
        self.triangles[at].map(|corner| places[corner as usize])
    }

    /// Fits the bounding volumes to a pose.
    pub fn refit(&mut self, places: &[Vector3<f64>]) {
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            let (first, count, right) = (node.first as usize, node.count as usize, node.right as usize);
            let mut fresh = Node {
                min: Vector3::repeat(f64::INFINITY),
                max: Vector3::repeat(f64::NEG_INFINITY),
                centre: Vector3::zeros(),
                radius: 0.0,
                dipole: Vector3::zeros(),
                area: 0.0,
                ..*node
            };
            if right == 0 {
                let mut middle = Vector3::zeros();
                for triangle in first..first + count {
                    let [a, b, c] = self.corners(triangle, places);
                    let normal = (b - a).cross(&(c - a)) * 0.5;
                    let area = normal.norm();
                    fresh.dipole += normal;
                    fresh.area += area;
                    fresh.centre += (a + b + c) * (area / 3.0);
                    middle += a + b + c;
                    for corner in [a, b, c] {
                        fresh.min = fresh.min.inf(&corner);
                        fresh.max = fresh.max.sup(&corner);
                    }
                }
                fresh.centre = match fresh.area > 0.0 {
                    true => fresh.centre / fresh.area,
                    false => middle / (3.0 * count as f64),
                };
                for triangle in first..first + count {
                    for corner in self.corners(triangle, places) {
                        fresh.radius = fresh.radius.max((corner - fresh.centre).norm());
                    }
                }
            } else {
                let parts = [&self.nodes[at + 1], &self.nodes[right]];
                let [left, other] = parts;
                fresh.min = left.min.inf(&other.min);
                fresh.max = left.max.sup(&other.max);
                fresh.dipole = left.dipole + other.dipole;
                fresh.area = left.area + other.area;
                fresh.centre = match fresh.area > 0.0 {
                    true => (left.centre * left.area + other.centre * other.area) / fresh.area,
                    false => (left.centre + other.centre) * 0.5,
                };
                fresh.radius = parts
                    .map(|part| (part.centre - fresh.centre).norm() + part.radius)
                    .into_iter()
                    .fold(0.0, f64::max);
            }
            self.nodes[at] = fresh;
        }
    }
}

/// Splits a group at the median along its longest side; returns its node index.
fn split(items: &mut [(Vector3<f64>, u32)], first: usize, count: usize, nodes: &mut Vec<Node>) -> usize {
    let at = nodes.len();
    nodes.push(Node {
        first: first as u32,
        count: count as u32,
        right: 0,
        min: Vector3::zeros(),
        max: Vector3::zeros(),
        centre: Vector3::zeros(),
        radius: 0.0,
        dipole: Vector3::zeros(),
        area: 0.0,
    });
    if count > LEAF {
        let group = &mut items[first..first + count];
        let min = group.iter().fold(Vector3::repeat(f64::INFINITY), |min, item| min.inf(&item.0));
        let max = group.iter().fold(Vector3::repeat(f64::NEG_INFINITY), |max, item| max.sup(&item.0));
        let axis = (max - min).imax();
        let half = count / 2;
        // Halving keeps the depth logarithmic in the number of triangles, whatever their positions.
        group.select_nth_unstable_by(half, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
        split(items, first, half, nodes);
        let right = split(items, first + half, count - half, nodes);
        nodes[at].right = right as u32;
    }
    at
}
