//! glTF 2.0, as one binary file (GLB) or as JSON with files beside it.
//!
//! Based on: Khronos Group, "glTF 2.0 Specification", version 2.0.1, 2021 (ISO/IEC 12113:2022). Nodes are joints: those
//! of the skins and what they need above them; without skins, all nodes of the scene. Constant scales of nodes are
//! baked into the translations below them. A document keeps everything in the file: when animations are replaced, all
//! else stays.

mod accessor;
mod base64;
mod binds;
mod build;
mod document;
mod expressions;
mod format;
mod frame;
mod from_body;
mod from_clip;
mod humanoid;
mod materials;
mod meshopt;
mod node_motion;
mod node_targets;
mod normalized;
mod parse;
mod problem;
mod resize;
mod root;
mod skins;
mod surface;
mod target_names;
mod to_body;
mod to_clip;
mod tree;
mod trs;
mod vrma;
mod write;

pub use document::Document;
pub use from_clip::WriteOptions;
pub use parse::{files_beside, parse};
pub use problem::Problem;
pub use surface::triangles;
pub use to_clip::{to_clip, to_skeleton};

/// GLB in the table of formats.
pub(crate) mod glb {
    pub(crate) use super::format::GLB as FORMAT;
}

/// VRM animations in the table of formats.
pub(crate) mod vrm_animation {
    pub(crate) use super::format::VRMA as FORMAT;
}

/// glTF as JSON in the table of formats.
pub(crate) mod text {
    pub(crate) use super::format::GLTF as FORMAT;
}
