//! Vertices of a face that a shape brings together, such as those of lids or lips.

use std::collections::{BTreeMap, BTreeSet};

use mocap_model::Vector3;

/// Vertices within this share of the largest motion belong to one surface.
const APART: f64 = 0.5;
/// Vertices within this share of the largest motion count as one.
const FINE: f64 = 0.05;

/// Pairs of vertices that a shape brings together: one that moves and the one nearest to it afterwards, if less than
/// the share `together` of their distance is left. Of nearly coincident vertices, one is used.
pub(crate) fn meeting(rest: &[Vector3<f64>], moved: &[Vector3<f64>], together: f64) -> Vec<[usize; 2]> {
    let most = moved.iter().map(Vector3::norm).fold(0.0, f64::max);
    if most <= 0.0 {
        return Vec::new();
    }
    let posed: Vec<Vector3<f64>> = rest.iter().zip(moved).map(|(at, by)| at + by).collect();
    // Two places that meet are at most this far from each other afterwards: both move by `most`.
    let cells = Cells::new(rest, &posed, most, together * 2.0 * most / (1.0 - together));
    let pair = |one: usize| {
        let meets = |other: &usize| {
            let apart = (rest[one] - rest[*other]).norm();
            apart > APART * most && (posed[one] - posed[*other]).norm() < together * apart
        };
        let near = |a: &usize, b: &usize| {
            let off = |other: usize| (posed[one] - posed[other]).norm_squared();
            off(*a).total_cmp(&off(*b)).then(a.cmp(b))
        };
        Some([one, cells.around(&posed[one]).filter(meets).min_by(near)?])
    };
    let mut taken = BTreeSet::new();
    let fine = FINE * most;
    (0..rest.len())
        .filter(|one| moved[*one].norm() > 0.5 * most && taken.insert(cell(&rest[*one], fine)))
        .filter_map(pair)
        .collect()
}

fn cell(at: &Vector3<f64>, size: f64) -> [i64; 3] {
    [0, 1, 2].map(|axis| (at[axis] / size).floor() as i64)
}

/// A grid of vertices by their displaced positions. Of vertices that nearly coincide before and after the displacement,
/// one is kept, so their number depends on the size of the motion and not on the resolution of the mesh.
struct Cells {
    size: f64,
    vertices: BTreeMap<[i64; 3], Vec<usize>>,
}

impl Cells {
    fn new(rest: &[Vector3<f64>], posed: &[Vector3<f64>], most: f64, size: f64) -> Cells {
        let fine = FINE * most;
        let mut known = BTreeSet::new();
        let mut vertices: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        for vertex in 0..rest.len() {
            if known.insert((cell(&posed[vertex], fine), cell(&rest[vertex], fine))) {
                vertices.entry(cell(&posed[vertex], size)).or_default().push(vertex);
            }
        }
        Cells { size, vertices }
    }

    /// The vertices in the cell of a place and in the cells around it.
    fn around(&self, at: &Vector3<f64>) -> impl Iterator<Item = usize> + '_ {
        let [x, y, z] = cell(at, self.size);
        let beside = |middle: i64| middle - 1..=middle + 1;
        let cells =
            beside(x).flat_map(move |x| beside(y).flat_map(move |y| beside(z).map(move |z| [x, y, z])));
        cells.filter_map(|cell| self.vertices.get(&cell)).flatten().copied()
    }
}
