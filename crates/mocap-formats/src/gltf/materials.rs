//! The materials of a glTF file: base colours and their images.

use mocap_model::{Image, Material};
use serde_json::Value;

use super::base64;
use super::document::Document;
use super::problem::Problem;
use crate::Finding;

/// The materials of a file; of a missing image only the name is kept.
pub(super) fn materials(document: &Document, warnings: &mut Vec<Finding>) -> Vec<Material> {
    let all = document.json.get("materials").and_then(Value::as_array);
    let all = all.into_iter().flatten().enumerate();
    all.map(|(at, material)| {
        let surface = &material["pbrMetallicRoughness"];
        let mut colour = [1.0; 4];
        for (i, value) in surface["baseColorFactor"].as_array().into_iter().flatten().enumerate().take(4) {
            colour[i] = value.as_f64().unwrap_or(1.0);
        }
        if !matches!(material["alphaMode"].as_str(), Some("BLEND" | "MASK")) {
            colour[3] = 1.0;
        }
        let name = material["name"].as_str().unwrap_or_default().to_owned();
        let texture = surface["baseColorTexture"]["index"].as_u64();
        let image = texture.and_then(|texture| {
            let found = image(document, texture as usize);
            if found.as_ref().is_none_or(|image| image.bytes.is_empty()) {
                let path = format!("materials[{at}].pbrMetallicRoughness.baseColorTexture");
                warnings.push(Finding::new(Problem::NoImage { path }));
            }
            found
        });
        Material { name, colour, image }
    })
    .collect()
}

/// The image of a texture.
fn image(document: &Document, texture: usize) -> Option<Image> {
    let source = document.json.get("textures")?.get(texture)?.get("source")?.as_u64()? as usize;
    let image = document.json.get("images")?.get(source)?;
    let uri = image.get("uri").and_then(Value::as_str);
    let named = image.get("name").and_then(Value::as_str);
    let of_file = uri.filter(|uri| !uri.starts_with("data:")).and_then(|uri| uri.rsplit(['/', '\\']).next());
    let name = of_file.or(named).unwrap_or_default().to_owned();
    let bytes = match (uri, image.get("bufferView").and_then(Value::as_u64)) {
        (Some(uri), _) if uri.starts_with("data:") => {
            uri.split_once(',').and_then(|(_, data)| base64::decode(data)).unwrap_or_default()
        }
        (Some(_), _) => document.images.get(&source).map(|bytes| bytes.to_vec()).unwrap_or_default(),
        (None, Some(view)) => {
            let view = document.root.buffer_views.get(view as usize);
            let bytes = view.and_then(|view| {
                let end = view.byte_offset.checked_add(view.byte_length)?;
                document.buffers.get(view.buffer)?.get(view.byte_offset..end)
            });
            bytes.unwrap_or_default().to_vec()
        }
        (None, None) => Vec::new(),
    };
    Some(Image { name, bytes })
}
