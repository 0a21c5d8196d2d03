//! Auto-rigging: fits a skeleton inside a bare mesh, and computes skinning weights.
//!
//! - [`RigMesh`] is the surface as one set of places and triangles; [`Voxels`] is its inside; [`turn_outwards`] turns
//!   faces that point inwards.
//! - [`find_body`] finds a person in it, with orientation and joints; [`fit`] fits a skeleton to the person;
//!   [`fit_shape`] fits a skeleton of any shape, such as an animal, to a mesh of that shape.
//! - [`segments`] are the bones of a skeleton in it, [`weigh`] computes their weights, [`copy_weights`] copies weights
//!   from another character, a [`Donor`]; [`bound`] is the body with these weights.
//!
//! Lengths are in units of the mesh, places in object space. Errors are [`RigError`]s. The crate does no I/O and prints
//! nothing.

mod body;
mod bones;
mod error;
mod fit;
mod geodesic;
mod mesh;
mod outwards;
mod solid;
mod weights;

pub use body::{bound, turned};
pub use bones::{BoneSegment, parts_of_person, rest_places, segments};
pub use error::RigError;
pub use fit::{
    BodyFrame, FittedJoint, FittedShape, FittedSkeleton, FoundBody, Landmark, find_body, fit, fit_shape,
    humanoid, humanoid_with,
};
pub use mesh::{Neighbours, RigMesh};
/// Rotations of bodies.
pub use nalgebra::Matrix3;
pub use outwards::turn_outwards;
pub use solid::Voxels;
pub use weights::{CopiedWeights, Donor, Mirror, PlaceWeights, WeightMethod, copy_weights, weigh};
