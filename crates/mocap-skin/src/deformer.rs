//! Deforms a mesh: linear blend, spherical blend and dual quaternions.
//!
//! Matrices are kept and blended as 64-bit numbers; vertices are returned as 64-bit numbers, or
//! rounded once to 32 bits.
//!
//! Based on: N. Magnenat-Thalmann, R. Laperrière, D. Thalmann, "Joint-dependent local deformations for hand animation and
//! object grasping", 1988; L. Kavan, J. Žára, "Spherical blend skinning", 2005; L. Kavan, S. Collins, J. Žára, C.
//! O'Sullivan, "Skinning with dual quaternions", 2007.

use std::ops::Range;

use mocap_model::{JointId, Vector3};
use nalgebra::Matrix4;

use crate::SkinMethod;
use crate::bound::BoundMesh;
use crate::palette::{Palette, RigidPalette, Rows};
use crate::rotation_centres::RotationCentres;

/// A mesh in one pose after the other. [`Deformer::pose`] sets the pose, the other functions give vertices of it.
///
/// ```
/// use mocap_model::*;
/// use mocap_skin::{BoundMesh, Deformer, MeshParts, SkinMethod};
/// use nalgebra::Matrix4;
///
/// // One vertex between a bone that stays and one that turns by 180° about the axis through it.
/// let bone = Bone { joint: JointId(0), inverse_bind: Matrix4::identity() };
/// let mesh = BoundMesh::from_parts(MeshParts {
///     positions: vec![Vector3::new(1.0, 0.0, 0.0)],
///     normals: vec![Vector3::x()],
///     bones: vec![bone, Bone { joint: JointId(1), ..bone }],
///     starts: vec![0, 2],
///     influences: vec![Influence { bone: 0, weight: 0.5 }, Influence { bone: 1, weight: 0.5 }],
///     ..MeshParts::default()
/// })?;
/// let turn = |joint: JointId| Matrix4::from_euler_angles(0.0, if joint == JointId(1) { 3.0 } else { 0.0 }, 0.0);
/// let radius = |method| mesh.posed(method, turn, &[])[0].norm();
/// assert!(radius(SkinMethod::Linear) < 0.08, "linear blends collapse");
/// assert!((radius(SkinMethod::DualQuaternion) - 1.0).abs() < 1e-12);
/// # Ok::<(), mocap_skin::SkinError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deformer<'m> {
    mesh: &'m BoundMesh,
    method: SkinMethod,
    palette: Palette,
    rigid: RigidPalette,
    centres: RotationCentres,
    /// Positions with morph targets; empty if none is active.
    shaped: Vec<Vector3<f64>>,
}

/// The outputs computed for a vertex.
trait Out {
    const NORMALS: bool;
    fn put(&mut self, at: [f64; 3], normal: [f64; 3]);
}

struct Places<F>(F);

impl<F: FnMut([f64; 3])> Out for Places<F> {
    const NORMALS: bool = false;
    #[inline]
    fn put(&mut self, at: [f64; 3], _: [f64; 3]) {
        self.0(at);
    }
}

struct PlacesAndNormals<F>(F);

impl<F: FnMut([f64; 3], [f64; 3])> Out for PlacesAndNormals<F> {
    const NORMALS: bool = true;
    #[inline]
    fn put(&mut self, at: [f64; 3], normal: [f64; 3]) {
        self.0(at, normal);
    }
}

impl<'m> Deformer<'m> {
    /// A deformer of a mesh, at bind.
    pub fn new(mesh: &'m BoundMesh, method: SkinMethod) -> Deformer<'m> {
        let centres = match method {
            SkinMethod::Spherical => RotationCentres::new(mesh),
            _ => RotationCentres::default(),
        };
        let (palette, rigid) = (Palette::default(), RigidPalette::default());
        let mut deformer = Deformer { mesh, method, palette, rigid, centres, shaped: Vec::new() };
        deformer.set_palette(mesh.bones().iter().map(|_| Matrix4::identity()));
        deformer
    }

    /// Sets the pose. `frame` is the matrix of a joint in object space, scales included. `shapes` are weights
    /// of the morph targets; missing ones are 0. Morph targets do not change normals.
    pub fn pose(&mut self, frame: impl Fn(JointId) -> Matrix4<f64>, shapes: &[f64]) {
        let mesh = self.mesh;
        self.set_palette(mesh.bones().iter().map(|bone| frame(bone.joint) * bone.inverse_bind));
        self.shaped.clear();
        if mesh.shapes.iter().zip(shapes).all(|(_, weight)| *weight == 0.0) {
            return;
        }
        self.shaped.extend_from_slice(&mesh.positions);
        for (shape, weight) in mesh.shapes.iter().zip(shapes) {
            shape
                .offsets
                .iter()
                .for_each(|(vertex, offset)| self.shaped[*vertex as usize] += offset * *weight);
        }
    }

    /// Sets the matrices that move the mesh, by bone: from the space of the mesh to object space.
    ///
    /// # Panics
    /// If there is not one for each bone.
    pub fn set_palette(&mut self, matrices: impl Iterator<Item = Matrix4<f64>>) {
        self.palette.set(matrices);
        assert_eq!(self.palette.matrices.len(), self.mesh.bones().len(), "one matrix for each bone");
        if self.method != SkinMethod::Linear {
            self.rigid.set(&self.palette, &self.mesh.centres);
        }
        if self.method == SkinMethod::Spherical {
            self.centres.place(&self.rigid, &self.mesh.centres);
        }
    }

    /// Passes the positions of some vertices to `each`, in order.
    pub fn each_position(&self, vertices: Range<usize>, each: impl FnMut([f64; 3])) {
        self.each(vertices, &mut Places(each));
    }

    /// Passes the positions and unit normals of some vertices to `each`, in order. A normal is transformed by
    /// the inverse transpose of its vertex's matrix.
    pub fn each_vertex(&self, vertices: Range<usize>, each: impl FnMut([f64; 3], [f64; 3])) {
        self.each(vertices, &mut PlacesAndNormals(each));
    }

    /// Puts places into `positions`, times `unit` [for metres: metres per unit of the skeleton].
    ///
    /// # Panics
    /// If the slice does not have one place for each vertex.
    pub fn positions(&self, unit: f64, positions: &mut [[f32; 3]]) {
        assert_eq!(positions.len(), self.mesh.vertices(), "one place for each vertex");
        let mut next = positions.iter_mut();
        self.each_position(0..self.mesh.vertices(), |at| {
            if let Some(place) = next.next() {
                *place = at.map(|part| (part * unit) as f32);
            }
        });
    }

    /// As [`Deformer::positions`], with unit normals.
    ///
    /// # Panics
    /// If a slice does not have one value for each vertex.
    pub fn positions_and_normals(&self, unit: f64, positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
        assert_eq!(positions.len(), self.mesh.vertices(), "one place for each vertex");
        assert_eq!(normals.len(), self.mesh.vertices(), "one normal for each vertex");
        let mut next = positions.iter_mut().zip(normals.iter_mut());
        self.each_vertex(0..self.mesh.vertices(), |at, normal| {
            if let Some((place, out)) = next.next() {
                *place = at.map(|part| (part * unit) as f32);
                *out = normal.map(|part| part as f32);
            }
        });
    }

    /// Puts unit normals into `normals`.
    ///
    /// # Panics
    /// If the slice does not have one normal for each vertex.
    pub fn normals(&self, normals: &mut [[f32; 3]]) {
        assert_eq!(normals.len(), self.mesh.vertices(), "one normal for each vertex");
        let mut next = normals.iter_mut();
        self.each_vertex(0..self.mesh.vertices(), |_, normal| {
            if let Some(out) = next.next() {
                *out = normal.map(|part| part as f32);
            }
        });
    }

    fn each<O: Out>(&self, vertices: Range<usize>, out: &mut O) {
        match self.method {
            SkinMethod::Linear => self.linear(vertices, out),
            SkinMethod::DualQuaternion => self.rigid(vertices, out, |_, range| self.dual_quaternion(range)),
            SkinMethod::Spherical => self.rigid(vertices, out, |vertex, range| self.spherical(vertex, range)),
        }
    }

    fn places(&self) -> &[Vector3<f64>] {
        if self.shaped.is_empty() { &self.mesh.positions } else { &self.shaped }
    }

    fn linear<O: Out>(&self, vertices: Range<usize>, out: &mut O) {
        let (mesh, places) = (self.mesh, self.places());
        for vertex in vertices {
            let map = blend(&self.palette.matrices, mesh, mesh.range(vertex));
            let normal = if O::NORMALS { turned(&map, &mesh.normals[vertex]) } else { [0.0; 3] };
            out.put(moved(&map, &places[vertex]), normal);
        }
    }

    /// The position of a vertex after the blended stretches of its bones.
    #[inline]
    fn stretched<O: Out>(&self, vertex: usize, range: &Range<usize>) -> (Vector3<f64>, Vector3<f64>) {
        let (at, normal) = (self.places()[vertex], self.mesh.normals[vertex]);
        if self.rigid.stretches.is_empty() {
            return (at, normal);
        }
        let mut map = blend(&self.rigid.stretches, self.mesh, range.clone());
        [0, 5, 10].into_iter().for_each(|on_diagonal| map[on_diagonal] += 1.0);
        let normal = if O::NORMALS { turned(&map, &normal).into() } else { normal };
        (moved(&map, &at).into(), normal)
    }

    /// Applies the stretch, then the rigid motion.
    fn rigid<O: Out>(&self, vertices: Range<usize>, out: &mut O, map: impl Fn(usize, Range<usize>) -> Rows) {
        for vertex in vertices {
            let range = self.mesh.range(vertex);
            let (at, normal) = self.stretched::<O>(vertex, &range);
            let map = map(vertex, range);
            let normal = if O::NORMALS { rotated(&map, &normal) } else { [0.0; 3] };
            out.put(moved(&map, &at), normal);
        }
    }

    /// The dual quaternion blend of some influences, as a rigid motion.
    #[inline]
    fn dual_quaternion(&self, range: Range<usize>) -> Rows {
        let mesh = self.mesh;
        let (bones, weights) = (&mesh.bones[range.clone()], &mesh.weights[range]);
        let dual = &self.rigid.dual;
        let first = &dual[bones[0] as usize];
        let mut sum = first.map(|part| part * weights[0]);
        for (bone, weight) in bones[1..].iter().zip(&weights[1..]) {
            let one = &dual[*bone as usize];
            let along = one[0] * first[0] + one[1] * first[1] + one[2] * first[2] + one[3] * first[3];
            let signed = if along < 0.0 { -weight } else { *weight };
            for at in 0..8 {
                sum[at] += signed * one[at];
            }
        }
        let norm = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]).sqrt();
        let [w, x, y, z, a, b, c, d] = sum.map(|part| part / norm);
        let shift = [
            2.0 * (w * b - a * x + y * d - z * c),
            2.0 * (w * c - a * y + z * b - x * d),
            2.0 * (w * d - a * z + x * c - y * b),
        ];
        rotation([w, x, y, z], shift)
    }

    /// A rotation about the point on which the bones of a vertex agree, and the image of that point.
    #[inline]
    fn spherical(&self, vertex: usize, range: Range<usize>) -> Rows {
        let mesh = self.mesh;
        let (bones, weights) = (&mesh.bones[range.clone()], &mesh.weights[range.clone()]);
        let dual = &self.rigid.dual;
        let first = &dual[bones[0] as usize];
        let mut sum = [0.0; 4];
        for (bone, weight) in bones.iter().zip(weights) {
            let one = &dual[*bone as usize];
            let along = one[0] * first[0] + one[1] * first[1] + one[2] * first[2] + one[3] * first[3];
            let signed = if along < 0.0 { -weight } else { *weight };
            for at in 0..4 {
                sum[at] += signed * one[at];
            }
        }
        let norm = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]).sqrt();
        let centre = self.centres.of(vertex);
        let target = moved(&blend(&self.rigid.matrices, mesh, range), &centre);
        let map = rotation(sum.map(|part| part / norm), [0.0; 3]);
        let turned = moved(&map, &centre);
        let mut map = map;
        (0..3).for_each(|row| map[4 * row + 3] = target[row] - turned[row]);
        map
    }
}

/// The weighted mean of the matrices of a vertex.
#[inline]
fn blend(maps: &[Rows], mesh: &BoundMesh, range: Range<usize>) -> Rows {
    let mut sum = [0.0; 12];
    for (bone, weight) in mesh.bones[range.clone()].iter().zip(&mesh.weights[range]) {
        let map = &maps[*bone as usize];
        for at in 0..12 {
            sum[at] += weight * map[at];
        }
    }
    sum
}

#[inline]
fn moved(map: &Rows, at: &Vector3<f64>) -> [f64; 3] {
    [0, 4, 8].map(|row| map[row] * at.x + map[row + 1] * at.y + map[row + 2] * at.z + map[row + 3])
}

#[inline]
fn rotated(map: &Rows, at: &Vector3<f64>) -> [f64; 3] {
    [0, 4, 8].map(|row| map[row] * at.x + map[row + 1] * at.y + map[row + 2] * at.z)
}

/// A unit normal transformed by the inverse transpose of the linear part: by its cofactors, with the sign of
/// the determinant.
#[inline]
fn turned(m: &Rows, n: &Vector3<f64>) -> [f64; 3] {
    let cofactors = [
        [m[5] * m[10] - m[6] * m[9], m[6] * m[8] - m[4] * m[10], m[4] * m[9] - m[5] * m[8]],
        [m[9] * m[2] - m[10] * m[1], m[10] * m[0] - m[8] * m[2], m[8] * m[1] - m[9] * m[0]],
        [m[1] * m[6] - m[2] * m[5], m[2] * m[4] - m[0] * m[6], m[0] * m[5] - m[1] * m[4]],
    ];
    let determinant = m[0] * cofactors[0][0] + m[1] * cofactors[0][1] + m[2] * cofactors[0][2];
    let [x, y, z] = cofactors.map(|row| row[0] * n.x + row[1] * n.y + row[2] * n.z);
    let norm = (x * x + y * y + z * z).sqrt();
    // A singular matrix gives no normal; the one of the bind pose is as good as any.
    if norm < 1e-300 {
        return [n.x, n.y, n.z];
    }
    let scale = if determinant < 0.0 { -1.0 / norm } else { 1.0 / norm };
    [x * scale, y * scale, z * scale]
}

/// The matrix of a unit quaternion w, x, y, z, and a translation.
#[inline]
fn rotation([w, x, y, z]: [f64; 4], [a, b, c]: [f64; 3]) -> Rows {
    let (xx, yy, zz) = (2.0 * x * x, 2.0 * y * y, 2.0 * z * z);
    let (xy, xz, yz) = (2.0 * x * y, 2.0 * x * z, 2.0 * y * z);
    let (wx, wy, wz) = (2.0 * w * x, 2.0 * w * y, 2.0 * w * z);
    [
        1.0 - yy - zz,
        xy - wz,
        xz + wy,
        a,
        xy + wz,
        1.0 - xx - zz,
        yz - wx,
        b,
        xz - wy,
        yz + wx,
        1.0 - xx - yy,
        c,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MeshParts;
    use mocap_model::{Bone, Influence};

    #[test]
    fn both_quaternions_of_a_rotation_give_the_same_vertex() {
        let bone = Bone { joint: JointId(0), inverse_bind: Matrix4::identity() };
        let mesh = BoundMesh::from_parts(MeshParts {
            positions: vec![Vector3::new(1.0, 0.4, -0.2)],
            normals: vec![Vector3::x()],
            bones: vec![bone; 3],
            starts: vec![0, 3],
            influences: [0.5, 0.3, 0.2]
                .iter()
                .zip(0..)
                .map(|(weight, bone)| Influence { bone, weight: *weight })
                .collect(),
            ..MeshParts::default()
        })
        .unwrap();
        for method in [SkinMethod::DualQuaternion, SkinMethod::Spherical] {
            let mut deformer = Deformer::new(&mesh, method);
            let turn = |at: f64| Matrix4::from_euler_angles(2.9 * at, 0.4 * at, -1.7 * at);
            deformer.set_palette([0.2, 0.9, 1.1].iter().map(|at| turn(*at)));
            let of = |deformer: &Deformer<'_>| {
                let mut all = Vec::new();
                deformer.each_position(0..1, |at| all.push(at));
                all
            };
            let before = of(&deformer);
            for signs in 1..8 {
                let mut other = deformer.clone();
                let duals =
                    other.rigid.dual.iter_mut().enumerate().filter(|(bone, _)| signs >> bone & 1 == 1);
                duals.for_each(|(_, dual)| *dual = dual.map(|part| -part));
                assert_eq!(of(&other), before, "{method}, {signs:b}");
            }
        }
    }
}
