//! The surface of a character: meshes that follow the joints of a skeleton, independent of any file.
//!
//! Faces are polygons of any number of corners. What belongs to a corner of a face (normal, texture coordinate) is kept
//! by corner and what belongs to a vertex (place, weights, shapes) by vertex, so that a vertex on a seam stays one
//! vertex, with the number that its file gave it.

mod bound;
mod follow;
mod part;
mod pose;
mod triangles;

use nalgebra::{Matrix4, Vector3};

use crate::JointId;
pub use bound::BoundBody;

/// All meshes of a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// In the order of the file.
    pub meshes: Vec<Mesh>,
    /// What faces look like.
    pub materials: Vec<Material>,
}

/// A surface, and how joints move it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Its name; may be empty.
    pub name: String,
    /// The vertices in the pose in which the mesh was bound, in the space of the mesh. The inverse bind matrices of its
    /// skin lead from there to joints.
    pub positions: Vec<Vector3<f64>>,
    /// The number of corners of each face, 3 or more.
    pub faces: Vec<u32>,
    /// The vertex of each corner, face after face; counterclockwise from outside.
    pub corners: Vec<u32>,
    /// Unit vectors by corner, in the space of the mesh; empty where there are none.
    pub normals: Vec<Vector3<f64>>,
    /// Texture coordinates by corner: to the right and up, 0 to 1; empty where there are none.
    pub uvs: Vec<[f64; 2]>,
    /// The material of each face, by its place in [`Body::materials`]; empty where faces have none.
    pub materials: Vec<u32>,
    /// How joints move it.
    pub skin: Skin,
    /// Displacements with a name (blend shapes).
    pub shapes: Vec<Shape>,
    /// What its file said of the skin.
    pub stated: StatedSkin,
}

/// What a file stated of the skin of a mesh, before weights were normalised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedSkin {
    /// Whether the file has no skin for the mesh: it follows one joint rigidly.
    pub rigid: bool,
    /// Vertices whose weights did not sum to 1.
    pub uneven: usize,
    /// Vertices without a weight.
    pub unweighted: usize,
}

/// Which joints move a mesh, and how much. A mesh that follows one joint rigidly has one bone and weights of 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// The joints that may move it.
    pub bones: Vec<Bone>,
    /// The index of the first influence of each vertex, followed by the number of all influences (length: vertices +
    /// 1).
    pub starts: Vec<u32>,
    /// The influences of all vertices, one vertex after the other; the weights of a vertex sum to 1.
    pub influences: Vec<Influence>,
}

/// A joint of a skin, and where it was when the mesh was bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint.
    pub joint: JointId,
    /// From the space of the mesh to the frame of the joint, in the bind pose; the result is in the units and axes of
    /// the skeleton.
    pub inverse_bind: Matrix4<f64>,
}

/// How much one bone moves a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// The index of the bone in [`Skin::bones`].
    pub bone: u32,
    /// Its share, 0 to 1.
    pub weight: f64,
}

/// A displacement of vertices with a name (blend shape, morph target).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Its name; scalar tracks of a clip with this name are its weight over time.
    pub name: String,
    /// The vertices that it moves, by increasing index, and their displacements at weight 1, in the space of the mesh.
    pub offsets: Vec<(u32, Vector3<f64>)>,
    /// Its weight at rest.
    pub weight: f64,
}

/// What a face looks like, as far as formats agree on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name; may be empty.
    pub name: String,
    /// Base colour and opacity, linear, 0 to 1.
    pub colour: [f64; 4],
    /// The image on its faces, as a file holds it (PNG, JPEG …).
    pub image: Option<Image>,
}

impl Default for Material {
    /// White and opaque, without an image.
    fn default() -> Material {
        Material { name: String::new(), colour: [1.0; 4], image: None }
    }
}

/// An image as its file holds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// The name of its file, without folders; may be empty.
    pub name: String,
    /// The content of the file; empty where only its name is known.
    pub bytes: Vec<u8>,
}

impl Skin {
    /// The influences of a vertex.
    pub fn of(&self, vertex: usize) -> &[Influence] {
        &self.influences[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

/// Values by corner that only some parts of a mesh have, while the mesh is put together part by part.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Corners before this part.
    pub before: usize,
    /// Corners of this part.
    pub added: usize,
}

impl Parts {
    /// Adds the values of this part; parts before it that have none get `none`.
    pub fn extend<T: Clone>(&self, all: &mut Vec<T>, values: impl Iterator<Item = T>, none: T) {
        all.resize(self.before, none);
        all.extend(values);
    }

    /// Fills the values of this part with `none` where it has none and earlier parts have some.
    pub fn complete<T: Clone>(&self, all: &mut Vec<T>, none: T) {
        if !all.is_empty() {
            all.resize(self.before + self.added, none);
        }
    }
}
