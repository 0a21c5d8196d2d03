//! Skeletons and weights of bare meshes.

#[path = "../person/mod.rs"]
mod person;

mod bodies;
mod copied;
