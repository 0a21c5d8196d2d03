//! Turns faces outwards where a shell of a mesh has them inwards, as in files that were mirrored or whose program had
//! another order of corners.
//!
//! A shell is what hangs together by its vertices. The sign of the volume that it encloses tells whether its faces point
//! outwards. Hollows, such as a mouth, point inwards and stay as they are.

use std::ops::Range;

use mocap_model::{Body, Mesh, Vector3};
use mocap_skin::TriangleTree;

use crate::RigMesh;

/// A shell encloses something if its volume is at least this share of its area to the power of 1.5 (a sphere: 0.094) ...
const ENCLOSES: f64 = 1e-3;
/// ... and if its faces, as vectors, sum to at most this share of its area: 0 where it is closed.
const OPEN: f64 = 0.2;
/// Triangles of a shell from which it is tested whether the shell is inside others.
const TESTED: usize = 15;
/// The distance from them, as a share of the mesh's size.
const OFF: f64 = 1e-3;

/// The triangles of a shell, and sums over them.
#[derive(Clone, Debug, Default)]
struct Shell {
    triangles: Vec<usize>,
    area: f64,
    volume: f64,
    /// The sum of its faces as vectors.
    faces: Vector3<f64>,
}

impl Shell {
    fn encloses(&self) -> bool {
        self.volume.abs() > ENCLOSES * self.area.powf(1.5) && self.faces.norm() < OPEN * self.area
    }
}

/// Turns the faces of a body outwards where they point inwards; `mesh` is its surface. Returns the number of faces that
/// it turned. Vertices keep their numbers.
pub fn turn_outwards(body: &mut Body, mesh: &RigMesh) -> usize {
    let inward = inward_places(mesh);
    if !inward.contains(&true) {
        return 0;
    }
    let (mut first, mut count) = (0, 0);
    for one in &mut body.meshes {
        let mut from = 0;
        for corners in one.faces.clone() {
            let face = from..from + corners as usize;
            from = face.end;
            let is_inward = |corner: &u32| inward[mesh.of_vertex[first + *corner as usize] as usize];
            if one.corners[face.clone()].iter().any(is_inward) {
                turn_face(one, face);
                count += 1;
            }
        }
        first += one.positions.len();
    }
    count
}

/// Reverses the order of the corners of a face. Its normals are reversed where they pointed inwards with it.
fn turn_face(mesh: &mut Mesh, face: Range<usize>) {
    mesh.corners[face.clone()].reverse();
    if !mesh.uvs.is_empty() {
        mesh.uvs[face.clone()].reverse();
    }
    if !mesh.normals.is_empty() {
        let outwards = mesh.face_normal(face.start, face.len());
        let normals = &mut mesh.normals[face];
        normals.reverse();
        if normals.iter().sum::<Vector3<f64>>().dot(&outwards) < 0.0 {
            normals.iter_mut().for_each(|normal| *normal = -*normal);
        }
    }
}

/// By place: whether the faces of its shell point inwards.
fn inward_places(mesh: &RigMesh) -> Vec<bool> {
    let of_place = shells_of_places(mesh);
    let count = of_place.iter().max().map_or(0, |last| last + 1);
    let mut shells = vec![Shell::default(); count];
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        shells[of_place[corners[0] as usize]].triangles.push(triangle);
    }
    shells.iter_mut().for_each(|shell| shell.measure(mesh));
    let largest =
        (0..count).reduce(|best, next| if shells[next].area > shells[best].area { next } else { best });
    let is_negative = |shell: &Shell| shell.encloses() && shell.volume < 0.0;
    let of_largest = largest.is_some_and(|largest| is_negative(&shells[largest]));
    let mut tree: Option<TriangleTree> = None;
    let is_inward: Vec<bool> = shells
        .iter()
        .enumerate()
        .map(|(at, shell)| match shell.encloses() {
            // The rest of a body says what sheets, such as hair, do not say.
            false => of_largest,
            true if shell.volume > 0.0 => false,
            true if Some(at) == largest => true,
            true => {
                let tree =
                    tree.get_or_insert_with(|| TriangleTree::new(mesh.triangles.clone(), &mesh.places));
                !shell.is_hollow(mesh, tree)
            }
        })
        .collect();
    of_place.into_iter().map(|shell| is_inward[shell]).collect()
}

impl Shell {
    fn measure(&mut self, mesh: &RigMesh) {
        let Some(first) = self.triangles.first() else { return };
        // Volumes are taken about a corner of the shell, so that they do not depend on where it is.
        let base = mesh.corners(*first)[0];
        for triangle in &self.triangles {
            let [a, b, c] = mesh.corners(*triangle).map(|corner| corner - base);
            let face = (b - a).cross(&(c - a)) * 0.5;
            self.area += face.norm();
            self.faces += face;
            self.volume += a.dot(&b.cross(&c)) / 6.0;
        }
    }

    /// Whether a shell whose faces point inwards is a hollow in another one, whose faces point outwards.
    fn is_hollow(&self, mesh: &RigMesh, tree: &TriangleTree) -> bool {
        let step = self.triangles.len().div_ceil(TESTED).max(1);
        let tested: Vec<usize> = self.triangles.iter().copied().step_by(step).collect();
        let inside = tested.iter().filter(|triangle| {
            let [a, b, c] = mesh.corners(**triangle);
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
            // On this side of the face, its own shell does not count.
            let beside = (a + b + c) / 3.0 - normal * OFF * mesh.size;
            tree.winding(&beside, &mesh.places) > 0.5
        });
        2 * inside.count() > tested.len()
    }
}

/// By place: the number of its shell, in the order of their first places.
fn shells_of_places(mesh: &RigMesh) -> Vec<usize> {
    let mut above: Vec<usize> = (0..mesh.places.len()).collect();
    for corners in &mesh.triangles {
        for pair in corners.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|corner| top(&mut above, corner as usize));
            above[a.max(b)] = a.min(b);
        }
    }
    let mut numbers = vec![usize::MAX; above.len()];
    let mut next = 0;
    (0..above.len())
        .map(|at| {
            let top = top(&mut above, at);
            if numbers[top] == usize::MAX {
                numbers[top] = next;
                next += 1;
            }
            numbers[top]
        })
        .collect()
}

/// The first place that hangs together with one; shortens the way to it.
fn top(above: &mut [usize], mut at: usize) -> usize {
    while above[at] != at {
        above[at] = above[above[at]];
        at = above[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::boxes;

    fn turned(mesh: &RigMesh, which: impl Fn(usize) -> bool) -> RigMesh {
        let mut made = mesh.clone();
        let turned = made.triangles.iter_mut().enumerate().filter(|(at, _)| which(*at));
        turned.for_each(|(_, corners)| corners.reverse());
        made
    }

    /// By shell of boxes: whether it is inward.
    fn of_boxes(mesh: &RigMesh) -> Vec<bool> {
        inward_places(mesh).chunks(8).map(|all| all[0]).collect()
    }

    #[test]
    fn shells_are_judged_one_by_one_and_hollows_stay() {
        let outer = [[0.0; 3], [1.0; 3]];
        let inner = [[0.3; 3], [0.6; 3]];
        let beside = [[2.0, 0.0, 0.0], [2.5, 0.5, 0.5]];
        let mesh = boxes(&[outer, inner, beside]);
        assert_eq!(of_boxes(&mesh), [false; 3]);
        assert_eq!(of_boxes(&turned(&mesh, |_| true)), [true; 3]);
        let of = |number: usize| move |at: usize| at / 12 == number;
        assert_eq!(of_boxes(&turned(&mesh, of(1))), [false; 3], "a hollow");
        assert_eq!(of_boxes(&turned(&mesh, of(2))), [false, false, true]);
        assert_eq!(of_boxes(&turned(&mesh, of(0))), [true, false, false]);
    }

    #[test]
    fn sheets_follow_the_largest_shell() {
        let mut mesh = boxes(&[[[0.0; 3], [1.0; 3]], [[2.0, 0.0, 0.0], [2.5, 0.5, 0.5]]]);
        mesh.triangles.truncate(14);
        assert_eq!(of_boxes(&mesh), [false; 2]);
        assert_eq!(of_boxes(&turned(&mesh, |_| true)), [true; 2]);
    }
}
