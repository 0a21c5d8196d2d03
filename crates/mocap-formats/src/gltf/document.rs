//! A glTF file as it was written: its JSON, its buffers, and the typed part that motion needs.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::root::Root;
use super::target_names::TargetNames;

/// A glTF file: everything it holds, also what motion does not need.
#[derive(Clone, Debug)]
pub struct Document {
    /// The JSON, whole.
    pub(super) json: Value,
    /// The part of it that motion needs.
    pub(super) root: Root,
    /// By buffer.
    pub(super) buffers: Vec<Arc<[u8]>>,
    /// Images beside the file, by index: put into the file where it is written as GLB.
    pub(super) images: BTreeMap<usize, Arc<[u8]>>,
    /// Whether the file was a GLB; else JSON.
    pub(super) binary: bool,
    /// Found when they are first asked for: see [`Document::target_names`].
    pub(super) names: OnceLock<TargetNames>,
}

impl Document {
    /// The names of morph targets.
    pub(super) fn target_names(&self) -> &TargetNames {
        self.names.get_or_init(|| TargetNames::of(&self.root))
    }
}

impl Document {
    /// Whether its only mesh is a body that this program drew.
    pub(super) fn is_drawn(&self) -> bool {
        let named = |list: &str| {
            let all = self.json.get(list).and_then(Value::as_array);
            all.is_some_and(|all| all.len() == 1 && all[0]["name"] == crate::body::NAME)
        };
        let generator = &self.root.asset.generator;
        let own = generator == "mocap" || generator.starts_with("mocap ");
        own && named("meshes") && named("materials") && self.json.get("images").is_none()
    }

    /// What meshes, materials and nodes have that a body does not hold.
    pub(super) fn not_in_body(&self) -> Vec<&'static str> {
        let has = |start: &str| {
            let mut attributes = self.root.meshes.iter().flat_map(|mesh| &mesh.primitives);
            attributes.any(|primitive| primitive.attributes.keys().any(|name| name.starts_with(start)))
        };
        let second_places = ["TEXCOORD_1", "TEXCOORD_2", "TEXCOORD_3"].into_iter().any(has);
        let materials = self.json.get("materials").and_then(Value::as_array);
        // Base colour and its image are kept; plain numbers such as roughness are not worth a word.
        let is_shaded = |material: &Value| {
            let textures = ["normalTexture", "occlusionTexture", "emissiveTexture"];
            textures.into_iter().any(|key| material.get(key).is_some())
                || material.pointer("/pbrMetallicRoughness/metallicRoughnessTexture").is_some()
                || material.get("alphaMode").is_some_and(|mode| mode != "OPAQUE")
        };
        let shading = materials.into_iter().flatten().any(is_shaded);
        let cameras = self.json.get("cameras").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
        let found = [
            (has("COLOR_"), "vertex colours"),
            (second_places, "further texture coordinates"),
            (shading, "transparency and further images of materials"),
            (cameras, "cameras"),
        ];
        found.into_iter().filter(|(is_there, _)| *is_there).map(|(_, what)| what).collect()
    }

    /// The names of the animations, in order; one without a name is called after its index.
    pub fn clip_names(&self) -> Vec<String> {
        let names = self.root.animations.iter().enumerate();
        names.map(|(i, animation)| animation.name.clone().unwrap_or(format!("animation {i}"))).collect()
    }
}
