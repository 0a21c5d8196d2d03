//! The surface of a character in motion: meshes deformed by joints, and what is measured on them.
//!
//! ```
//! use mocap_model::*;
//! use mocap_skin::{BoundMesh, Deformer, SkinMethod};
//! # fn example(mesh: &Mesh, clip: &Clip) -> Result<(), mocap_skin::SkinError> {
//! let bound = BoundMesh::new(mesh, clip.skeleton())?;
//! let mut deformer = Deformer::new(&bound, SkinMethod::DualQuaternion);
//! let mut kinematics = ForwardKinematics::new(clip);
//! let mut vertices = vec![[0.0f32; 3]; bound.vertices()];
//! for frame in 0..clip.frames() {
//!     kinematics.place(frame);
//!     deformer.pose(|joint| kinematics.matrix(joint), &[]);
//!     deformer.positions(1.0, &mut vertices);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - [`BoundMesh`] is a mesh at bind with any number of influences per vertex, as flat lists.
//! - [`Deformer`] gives its vertices and normals in a pose, by a [`SkinMethod`]: linear blend, spherical blend or dual
//!   quaternions.
//! - [`Solid`] is what triangles enclose: holes, volume; [`LimbSolids`] the volume of each [`Limb`] in a pose.
//! - [`Surface`] is all meshes of a character as one; [`Field`] carries its distances into poses, [`InsideMeter`] measures what
//!   is inside of it.
//! - [`triangles`] and [`vertex_normals`] are those of a mesh of polygons.
//!
//! Lengths are in units of the skeleton, poses in object space. Errors are [`SkinError`]s. The crate does no I/O and prints
//! nothing.

mod bound;
mod closest;
mod deformer;
mod error;
mod field;
#[cfg(test)]
mod fixtures;
mod inside;
mod limbs;
mod method;
mod normals;
mod occupancy_bounds;
mod palette;
mod parts;
mod rotation_centres;

mod solid;
mod surface;
mod triangle_tree;
mod winding;

pub use bound::{BoundMesh, MeshParts};
pub use closest::{Closest, barycentric};
pub use deformer::Deformer;
pub use error::SkinError;
pub use field::{Field, FieldHit, Near, PosedField};
pub use inside::{Inside, InsideMeter, NearVertex};
pub use limbs::{Limb, LimbSolids};
pub use method::SkinMethod;
pub use normals::{triangles, vertex_normals};
pub use parts::{Part, Sided, parts_of_joints, parts_of_vertices};
pub use solid::Solid;
pub use surface::{Affine, Surface};
pub use triangle_tree::TriangleTree;
