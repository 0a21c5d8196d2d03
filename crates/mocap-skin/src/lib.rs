//! The surface of a character in motion: meshes deformed by joints, and what is measured on them.
//!
//! The crate does no I/O and prints nothing.

mod closest;
mod field;
#[cfg(test)]
mod fixtures;
mod inside;
mod parts;
mod shadow;
mod surface;
mod triangle_tree;
mod winding;

pub use closest::Closest;
pub use field::{Field, FieldHit, Near, PosedField};
pub use inside::{Inside, InsideMeter};
pub use parts::{Part, Sided, parts_of_joints, parts_of_vertices};
pub use surface::{Affine, Surface, SurfaceBone};
pub use triangle_tree::TriangleTree;
