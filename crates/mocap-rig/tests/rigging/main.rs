//! Skeletons and weights of bare meshes.

#[path = "../person/mod.rs"]
mod person;

mod arms;
mod bodies;
mod copied;
