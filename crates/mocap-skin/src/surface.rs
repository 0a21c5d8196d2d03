//! All meshes of a character as one set of vertices and triangles, with their bones.

use crate::{BoundMesh, MeshParts, SkinError, triangles, vertex_normals};
use mocap_model::{Body, Bone, Influence, JointId, Pose, Skeleton, Vector3};
use nalgebra::{ArrayStorage, Isometry3, Matrix3, Matrix4};

/// An affine map: a linear part and a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Rotation and scale.
    pub linear: Matrix3<f64>,
    /// The translation.
    pub shift: Vector3<f64>,
}

impl Affine {
    /// The upper three rows of a matrix.
    pub fn of(matrix: &Matrix4<f64>) -> Affine {
        Affine {
            linear: matrix.fixed_view::<3, 3>(0, 0).into_owned(),
            shift: matrix.fixed_view::<3, 1>(0, 3).into_owned(),
        }
    }

    /// The map of a bone: its inverse bind matrix, then the place of its joint in object space.
    pub fn of_bone(joint: &Isometry3<f64>, inverse_bind: &Matrix4<f64>) -> Affine {
        let turn = joint.rotation.to_rotation_matrix();
        let turned = |column: usize| {
            let [x, y, z] = [0, 1, 2].map(|row| inverse_bind[(row, column)]);
            let row = |row: usize| turn[(row, 0)] * x + turn[(row, 1)] * y + turn[(row, 2)] * z;
            Vector3::new(row(0), row(1), row(2))
        };
        let linear = Matrix3::from_columns(&[turned(0), turned(1), turned(2)]);
        Affine { linear, shift: turned(3) + joint.translation.vector }
    }

    /// The zero map, where sums start.
    #[inline]
    pub fn zero() -> Affine {
        Affine {
            linear: Matrix3::from_array_storage(ArrayStorage([[0.0; 3]; 3])),
            shift: Vector3::new(0.0, 0.0, 0.0),
        }
    }

    /// Maps a point.
    #[inline]
    pub fn place(&self, at: &Vector3<f64>) -> Vector3<f64> {
        // Written out: this is where most of the time of a search in a distance field goes.
        let [a, b, c] = self.linear.data.0;
        let [x, y, z] = [at.x, at.y, at.z];
        let row = |row: usize| a[row] * x + b[row] * y + c[row] * z + self.shift[row];
        Vector3::new(row(0), row(1), row(2))
    }

    /// Adds another map times a share.
    #[inline]
    pub fn add(&mut self, other: &Affine, share: f64) {
        let shift = &other.shift;
        let (own, other) = (&mut self.linear.data.0, &other.linear.data.0);
        for column in 0..3 {
            own[column][0] += other[column][0] * share;
            own[column][1] += other[column][1] * share;
            own[column][2] += other[column][2] * share;
        }
        self.shift.x += shift.x * share;
        self.shift.y += shift.y * share;
        self.shift.z += shift.z * share;
    }

    /// The inverse map; `None` if it is singular.
    pub fn inverse(&self) -> Option<Affine> {
        let linear = inverted(&self.linear)?;
        Some(Affine { linear, shift: -(linear * self.shift) })
    }
}

/// The inverse of a matrix, by one division; `None` if it is singular.
#[inline]
pub(crate) fn inverted(of: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    let [a, b, c] = of.data.0;
    let cross = |u: [f64; 3], v: [f64; 3]| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let rows = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant = a[0] * rows[0][0] + a[1] * rows[0][1] + a[2] * rows[0][2];
    if determinant == 0.0 {
        return None;
    }
    let scale = 1.0 / determinant;
    Some(Matrix3::from_fn(|row, column| rows[row][column] * scale))
}

/// All meshes of a character, one after another in the file's order, in units and axes of its skeleton.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Vertices in the bind pose, in object space, with their influences.
    pub(crate) mesh: BoundMesh,
    /// Corners of each triangle, counterclockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// The surface of a body that is bound to `skeleton`. Polygons are cut into triangles; shapes (morph targets) are at
    /// their rest weights.
    ///
    /// # Errors
    /// As [`BoundMesh::new`].
    pub fn new(body: &Body, skeleton: &Skeleton) -> Result<Surface, SkinError> {
        let mut parts = MeshParts { starts: vec![0], ..MeshParts::default() };
        let mut all = Vec::new();
        for mesh in &body.meshes {
            let mesh = mesh.at_rest(skeleton);
            let (vertex, bone) = (parts.positions.len() as u32, parts.bones.len() as u32);
            let mut places = mesh.positions.clone();
            for shape in mesh.shapes.iter().filter(|shape| shape.weight != 0.0) {
                shape.offsets.iter().for_each(|(at, offset)| places[*at as usize] += offset * shape.weight);
            }
            parts.positions.append(&mut places);
            parts.normals.extend(vertex_normals(&mesh));
            parts.bones.extend_from_slice(&mesh.skin.bones);
            for at in 0..mesh.positions.len() {
                let own = mesh.skin.of(at).iter();
                parts.influences.extend(own.map(|one| Influence { bone: one.bone + bone, ..*one }));
                parts.starts.push(parts.influences.len() as u32);
            }
            all.extend(triangles(&mesh).into_iter().map(|corners| corners.map(|corner| corner + vertex)));
            parts.name = mesh.name;
        }
        Surface::from_parts(parts, all)
    }

    /// A surface from its lists; triangles count vertices from 0.
    ///
    /// # Errors
    /// As [`BoundMesh::from_parts`].
    pub fn from_parts(parts: MeshParts, triangles: Vec<[u32; 3]>) -> Result<Surface, SkinError> {
        Ok(Surface { mesh: BoundMesh::from_parts(parts)?, triangles })
    }

    /// The same surface in another space: `change` turns and scales places, and the skeleton that moves it is changed by
    /// the same.
    ///
    /// # Errors
    /// Where a place is not finite then.
    pub fn changed_by(&self, change: &Matrix4<f64>) -> Result<Surface, SkinError> {
        let Some(back) = change.try_inverse() else { return Ok(self.clone()) };
        let map = Affine::of(change);
        let mut parts = self.parts();
        parts.positions.iter_mut().for_each(|at| *at = map.place(at));
        parts.normals.iter_mut().for_each(|normal| {
            *normal = (map.linear * *normal).try_normalize(0.0).unwrap_or(*normal);
        });
        parts.bones.iter_mut().for_each(|bone| bone.inverse_bind = change * bone.inverse_bind * back);
        Surface::from_parts(parts, self.triangles.clone())
    }

    /// Both surfaces as one: vertices, triangles and bones of the other one follow its own. Palettes follow each other in
    /// the same order.
    ///
    /// # Errors
    /// As [`BoundMesh::from_parts`].
    pub fn with(&self, other: &Surface) -> Result<Surface, SkinError> {
        let mut parts = self.parts();
        let (vertices, bones) = (parts.positions.len() as u32, parts.bones.len() as u32);
        let theirs = other.parts();
        let first = parts.influences.len() as u32;
        parts.positions.extend(theirs.positions);
        parts.normals.extend(theirs.normals);
        parts.bones.extend(theirs.bones);
        parts
            .influences
            .extend(theirs.influences.into_iter().map(|one| Influence { bone: one.bone + bones, ..one }));
        parts.starts.extend(theirs.starts.into_iter().skip(1).map(|start| start + first));
        let more = other.triangles.iter().map(|corners| corners.map(|corner| corner + vertices));
        Surface::from_parts(parts, self.triangles.iter().copied().chain(more).collect())
    }

    /// Its lists, without shapes.
    fn parts(&self) -> MeshParts {
        let mesh = &self.mesh;
        let influences = mesh.bones.iter().zip(&mesh.weights);
        MeshParts {
            name: String::new(),
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            bones: mesh.bones().to_vec(),
            starts: mesh.starts.clone(),
            influences: influences.map(|(bone, weight)| Influence { bone: *bone, weight: *weight }).collect(),
            shapes: Vec::new(),
        }
    }

    /// Vertices in the bind pose, in object space.
    pub fn positions(&self) -> &[Vector3<f64>] {
        &self.mesh.positions
    }

    /// The bones.
    pub fn bones(&self) -> &[Bone] {
        self.mesh.bones()
    }

    /// The influences of a vertex: bone and share, the largest first.
    #[inline]
    pub fn influences(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.mesh.influences_of(vertex)
    }

    /// The skinning matrices of a pose, by bone; `frame` is the matrix of a joint in object space, scales included.
    pub fn palette(&self, frame: impl Fn(JointId) -> Matrix4<f64>) -> Vec<Affine> {
        let matrix = |bone: &Bone| Affine::of(&(frame(bone.joint) * bone.inverse_bind));
        self.bones().iter().map(matrix).collect()
    }

    /// As [`Surface::palette`], of an object-space pose without scales.
    pub fn palette_of(&self, object: &Pose) -> Vec<Affine> {
        let map = |bone: &Bone| Affine::of_bone(&object.joints[bone.joint.index()], &bone.inverse_bind);
        self.bones().iter().map(map).collect()
    }

    /// The bones that move some vertices, sorted.
    pub fn bones_of(&self, vertices: impl Iterator<Item = usize>) -> Vec<u32> {
        let mut bones: Vec<u32> =
            vertices.flat_map(|at| &self.mesh.bones[self.mesh.range(at)]).copied().collect();
        bones.sort_unstable();
        bones.dedup();
        bones
    }

    /// Sets some of the skinning matrices of an object-space pose without scales; `palette` has one for each bone then.
    pub fn set_palette(&self, object: &Pose, bones: &[u32], palette: &mut Vec<Affine>) {
        palette.resize(self.bones().len(), Affine::zero());
        for at in bones {
            let bone = &self.bones()[*at as usize];
            palette[*at as usize] = Affine::of_bone(&object.joints[bone.joint.index()], &bone.inverse_bind);
        }
    }

    /// A vertex by linear blend skinning.
    #[inline]
    pub fn posed_vertex(&self, palette: &[Affine], vertex: usize) -> Vector3<f64> {
        let (at, range) = (&self.mesh.positions[vertex], self.mesh.range(vertex));
        let (bones, weights) = (&self.mesh.bones[range.clone()], &self.mesh.weights[range]);
        if let [bone] = bones {
            return palette[*bone as usize].place(at);
        }
        let mut blended = Affine::zero();
        bones.iter().zip(weights).for_each(|(bone, share)| blended.add(&palette[*bone as usize], *share));
        blended.place(at)
    }

    /// All vertices by linear blend skinning, into a buffer that is reused.
    pub fn pose_into(&self, palette: &[Affine], places: &mut Vec<Vector3<f64>>) {
        places.clear();
        places.extend((0..self.positions().len()).map(|vertex| self.posed_vertex(palette, vertex)));
    }

    /// The joint with the largest share in a vertex.
    pub fn dominant(&self, vertex: usize) -> JointId {
        self.mesh.strongest_joint(vertex)
    }
}
