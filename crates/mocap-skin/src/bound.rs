//! A bound mesh: flat lists by vertex, and its bones.

use mocap_model::{Bone, Influence, JointId, Mesh, Shape, Skeleton, Vector3};
use nalgebra::{Matrix4, Point3};

use crate::normals::vertex_normals;
use crate::{SkinError, SkinMethod};

/// A mesh in its bind pose with any number of influences per vertex: what [`Deformer`](crate::Deformer) deforms.
///
/// Influences of a vertex start with the largest weight, and weights sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundMesh {
    pub(crate) positions: Vec<Vector3<f64>>,
    pub(crate) normals: Vec<Vector3<f64>>,
    pub(crate) starts: Vec<u32>,
    pub(crate) bones: Vec<u32>,
    pub(crate) weights: Vec<f64>,
    pub(crate) skeleton_bones: Vec<Bone>,
    /// By bone: where its joint is at bind, in the space of the mesh.
    pub(crate) centres: Vec<Vector3<f64>>,
    pub(crate) shapes: Vec<Shape>,
}

/// Vertices of a mesh with their influences, as [`BoundMesh::from_parts`] takes them.
#[derive(Clone, Debug, Default)]
pub struct MeshParts {
    /// Its name, for errors.
    pub name: String,
    /// By vertex, at bind, in the space of the mesh.
    pub positions: Vec<Vector3<f64>>,
    /// Unit vectors by vertex.
    pub normals: Vec<Vector3<f64>>,
    /// Joints with their inverse bind matrices.
    pub bones: Vec<Bone>,
    /// Start of each vertex's influences in the list, and at the end their number: vertices + 1 entries.
    pub starts: Vec<u32>,
    /// Influences of all vertices in order. Weights of 0 and below are left out, the others are normalised.
    pub influences: Vec<Influence>,
    /// Morph targets, added before the skin.
    pub shapes: Vec<Shape>,
}

impl BoundMesh {
    /// A mesh of a body on its skeleton. The space of the mesh becomes that of the skeleton at rest (see
    /// [`Mesh::at_rest`]), so that units of bind poses are not taken for scales.
    ///
    /// # Errors
    /// If a coordinate or bind matrix is not finite, or the lists of the skin do not fit the vertices.
    pub fn new(mesh: &Mesh, skeleton: &Skeleton) -> Result<BoundMesh, SkinError> {
        check(&mesh.name, &mesh.positions, &mesh.skin.bones)?;
        let (skin, bones) = (&mesh.skin, mesh.skin.bones.len());
        if let Some(at) = skin.influences.iter().position(|one| one.bone as usize >= bones) {
            let vertex = skin.starts.partition_point(|start| *start as usize <= at).saturating_sub(1);
            let (mesh, bone) = (mesh.name.clone(), skin.influences[at].bone);
            return Err(SkinError::Bone { mesh, vertex, bone, bones });
        }
        let mesh = mesh.at_rest(skeleton);
        BoundMesh::from_parts(MeshParts {
            normals: vertex_normals(&mesh),
            name: mesh.name,
            positions: mesh.positions,
            bones: mesh.skin.bones,
            starts: mesh.skin.starts,
            influences: mesh.skin.influences,
            shapes: mesh.shapes,
        })
    }

    /// A mesh from its lists, in the space in which it is given.
    ///
    /// # Errors
    /// As [`BoundMesh::new`].
    pub fn from_parts(parts: MeshParts) -> Result<BoundMesh, SkinError> {
        let MeshParts { name, positions, normals, bones: skeleton_bones, starts, influences, shapes } = parts;
        check(&name, &positions, &skeleton_bones)?;
        let whole = starts.windows(2).all(|pair| pair[0] <= pair[1])
            && starts.last().is_some_and(|last| *last as usize <= influences.len());
        if starts.len() != positions.len() + 1 || normals.len() != positions.len() || !whole {
            let (found, expected) = (starts.len().saturating_sub(1), positions.len());
            return Err(SkinError::Lists { mesh: name, found, expected });
        }
        let (mut bones, mut weights) = (Vec::with_capacity(influences.len()), Vec::new());
        weights.reserve(influences.len());
        let mut sorted = vec![0; 1];
        let mut own: Vec<Influence> = Vec::new();
        for vertex in 0..positions.len() {
            own.clear();
            let given = &influences[starts[vertex] as usize..starts[vertex + 1] as usize];
            own.extend(given.iter().filter(|one| one.weight > 0.0));
            if let Some(bad) = own.iter().find(|one| one.bone as usize >= skeleton_bones.len()) {
                let (bone, bones) = (bad.bone, skeleton_bones.len());
                return Err(SkinError::Bone { mesh: name, vertex, bone, bones });
            }
            own.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.bone.cmp(&b.bone)));
            let sum: f64 = own.iter().map(|one| one.weight).sum();
            if !(sum > 0.0 && sum.is_finite()) {
                return Err(SkinError::Unbound { mesh: name, vertex });
            }
            bones.extend(own.iter().map(|one| one.bone));
            weights.extend(own.iter().map(|one| one.weight / sum));
            sorted.push(bones.len() as u32);
        }
        let centre = |bone: &Bone| match bone.inverse_bind.try_inverse() {
            Some(bind) if bind.iter().all(|value| value.is_finite()) => {
                bind.transform_point(&Point3::origin()).coords
            }
            _ => Vector3::zeros(),
        };
        let centres = skeleton_bones.iter().map(centre).collect();
        Ok(BoundMesh { positions, normals, starts: sorted, bones, weights, skeleton_bones, centres, shapes })
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.positions.len()
    }

    /// The number of influences of all vertices.
    pub fn influences(&self) -> usize {
        self.bones.len()
    }

    /// The bones; influences refer to them by index.
    pub fn bones(&self) -> &[Bone] {
        &self.skeleton_bones
    }

    /// The influences of a vertex: bones and weights, the largest weight first.
    ///
    /// # Panics
    /// If the vertex does not exist.
    pub fn influences_of(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.range(vertex);
        self.bones[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// The joint that moves a vertex most.
    ///
    /// # Panics
    /// If the vertex does not exist.
    pub fn strongest_joint(&self, vertex: usize) -> JointId {
        self.skeleton_bones[self.bones[self.starts[vertex] as usize] as usize].joint
    }

    /// The morph targets.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    pub(crate) fn range(&self, vertex: usize) -> std::ops::Range<usize> {
        self.starts[vertex] as usize..self.starts[vertex + 1] as usize
    }

    /// The vertices in an object-space pose, in units of the skeleton: for one pose at a time. `frame` gives the matrix
    /// of a joint; `shapes` are weights of the morph targets, those that are not given are 0.
    pub fn posed(
        &self,
        method: SkinMethod,
        frame: impl Fn(JointId) -> Matrix4<f64>,
        shapes: &[f64],
    ) -> Vec<Vector3<f64>> {
        let mut deformer = crate::Deformer::new(self, method);
        deformer.pose(frame, shapes);
        let mut places = Vec::with_capacity(self.vertices());
        deformer.each_position(0..self.vertices(), |at| places.push(Vector3::from(at)));
        places
    }
}

fn check(name: &str, positions: &[Vector3<f64>], bones: &[Bone]) -> Result<(), SkinError> {
    let bad = positions.iter().position(|at| at.iter().any(|value| !value.is_finite()));
    if let Some(vertex) = bad {
        return Err(SkinError::NotFinite { mesh: name.to_owned(), vertex, at: positions[vertex].into() });
    }
    let bad = bones.iter().position(|bone| bone.inverse_bind.iter().any(|value| !value.is_finite()));
    match bad {
        Some(bone) => Err(SkinError::Bind { mesh: name.to_owned(), bone }),
        None => Ok(()),
    }
}
