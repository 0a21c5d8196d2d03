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
//! - [`triangles`] and [`vertex_normals`] are those of a mesh of polygons.
//!
//! Lengths are in units of the skeleton, poses in object space. Errors are [`SkinError`]s. The crate does no I/O and prints
//! nothing.

mod bound;
mod deformer;
mod error;
mod limbs;
mod method;
mod normals;
mod palette;
mod rotation_centres;
mod solid;

pub use bound::{BoundMesh, MeshParts};
pub use deformer::Deformer;
pub use error::SkinError;
pub use limbs::{Limb, LimbSolids};
pub use method::SkinMethod;
pub use normals::{triangles, vertex_normals};
pub use solid::Solid;
