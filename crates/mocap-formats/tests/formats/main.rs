//! Files of each format: what is read, written, repaired and refused.

#[path = "../mutation/mod.rs"]
mod mutation;
#[path = "../pair/mod.rs"]
mod pair;
#[path = "../../../../fixtures/generator/src/text_fbx.rs"]
#[allow(dead_code, reason = "shared with the generator of fixtures")]
mod text_fbx;
#[path = "../ufbx_places/mod.rs"]
mod ufbx_places;

mod acclaim_deviations;
mod acclaim_hostile;
mod acclaim_write;
mod bodies;
mod bvh_deviations;
mod bvh_hostile;
mod csv_table;
mod fbx_bodies;
mod fbx_hostile;
mod fbx_reading;
mod gltf;
mod gltf_parents;
mod gltf_skins;
mod json_clips;
mod map_files;
mod marker_details;
mod markers;
mod robot_models;
mod robot_tables;
mod skel_files;
mod skel_hostile;
mod skel_refused;
