//! Expressions of VRM files: moods, sounds and gestures that move shapes, and their weights in VRM animations.
//!
//! Based on: VRM Consortium, "VRM 0.x" (`blendShapeMaster`, weights of 0 to 100), "VRM 1.0" (`expressions`) and "VRM
//! Animation 1.0" (weights as translations along x of nodes).

use std::collections::{BTreeMap, BTreeSet};

use mocap_model::{Expression, Override};
use serde_json::Value;

use super::document::Document;
use super::from_clip::target_names;

/// The expressions of a character, in the order of the file, each name once.
pub(super) fn expressions(document: &Document) -> Vec<Expression> {
    let json = &document.json;
    let mut found = Vec::new();
    for group in ["preset", "custom"] {
        let all = json.pointer(&format!("/extensions/VRMC_vrm/expressions/{group}"));
        for (name, value) in all.and_then(Value::as_object).into_iter().flatten() {
            found.push(of_second(document, name, value));
        }
    }
    let groups = json.pointer("/extensions/VRM/blendShapeMaster/blendShapeGroups").and_then(Value::as_array);
    found.extend(groups.into_iter().flatten().map(|value| of_first(document, value)));
    let mut names = BTreeSet::new();
    found.retain(|expression| !expression.name.is_empty() && names.insert(expression.name.clone()));
    found
}

fn number(value: &Value, key: &str) -> Option<usize> {
    value.get(key).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok())
}

fn weight(value: &Value) -> f64 {
    value.get("weight").and_then(Value::as_f64).filter(|weight| weight.is_finite()).unwrap_or(0.0)
}

/// The shape of a node by its place among the targets of its mesh.
fn shape(document: &Document, node: usize, index: usize) -> Option<String> {
    (node < document.root.nodes.len()).then(|| target_names(document, node).into_iter().nth(index)).flatten()
}

/// An expression of VRM 1: it names nodes.
fn of_second(document: &Document, name: &str, value: &Value) -> Expression {
    let binds = value.get("morphTargetBinds").and_then(Value::as_array).into_iter().flatten();
    let bind = |bind: &Value| {
        let name = shape(document, number(bind, "node")?, number(bind, "index")?)?;
        Some((name, weight(bind)))
    };
    let overrides = |key: &str| match value.get(key).and_then(Value::as_str) {
        Some("block") => Override::Block,
        Some("blend") => Override::Blend,
        _ => Override::None,
    };
    Expression {
        name: name.to_owned(),
        binds: binds.filter_map(bind).collect(),
        binary: value.get("isBinary").and_then(Value::as_bool).unwrap_or(false),
        blink: overrides("overrideBlink"),
        look_at: overrides("overrideLookAt"),
        mouth: overrides("overrideMouth"),
    }
}

/// A group of VRM 0: it names meshes, which may be shown by several nodes.
fn of_first(document: &Document, value: &Value) -> Expression {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let preset = text("presetName");
    let name =
        if preset.is_empty() || preset.eq_ignore_ascii_case("unknown") { text("name") } else { preset };
    let binds = value.get("binds").and_then(Value::as_array).into_iter().flatten();
    let bind = |bind: &Value| {
        let (mesh, index) = (number(bind, "mesh"), number(bind, "index"));
        let nodes = document.root.nodes.iter().enumerate();
        let shown: Vec<usize> =
            nodes.filter(|(_, node)| mesh.is_some() && node.mesh == mesh).map(|(at, _)| at).collect();
        let weight = weight(bind) / 100.0;
        shown
            .into_iter()
            .filter_map(move |node| Some((shape(document, node, index?)?, weight)))
            .collect::<Vec<_>>()
    };
    Expression {
        name: name.to_owned(),
        binds: binds.flat_map(bind).collect(),
        binary: value.get("isBinary").and_then(Value::as_bool).unwrap_or(false),
        ..Expression::default()
    }
}

/// By node: the expression whose weight its translation along x is, in a VRM animation.
pub(super) fn weight_nodes(json: &Value) -> BTreeMap<usize, String> {
    let mut nodes = BTreeMap::new();
    for group in ["preset", "custom"] {
        let all = json.pointer(&format!("/extensions/VRMC_vrm_animation/expressions/{group}"));
        for (name, value) in all.and_then(Value::as_object).into_iter().flatten() {
            if let Some(node) = number(value, "node") {
                nodes.entry(node).or_insert_with(|| name.clone());
            }
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::files_beside::FilesBeside;
    use crate::gltf::{parse, to_clip};
    use serde_json::json;

    fn document(json: &Value) -> Document {
        parse(json.to_string().as_bytes(), &FilesBeside::default(), &Limits::default()).unwrap().value
    }

    /// A face of three targets, shown by two nodes.
    fn face(extensions: &Value) -> Document {
        let targets = vec![json!({ "POSITION": 0 }); 3];
        document(&json!({
            "asset": { "version": "2.0" },
            "nodes": [{ "name": "Face", "mesh": 0 }, { "name": "Again", "mesh": 0 }],
            "scenes": [{ "nodes": [0, 1] }],
            "meshes": [{
                "primitives": [{ "attributes": { "POSITION": 0 }, "targets": targets }],
                "extras": { "targetNames": ["smile", "shut", "A"] },
            }],
            "accessors": [{ "componentType": 5126, "count": 3, "type": "VEC3" }],
            "extensions": extensions,
        }))
    }

    #[test]
    fn expressions_of_both_versions_name_shapes() {
        let second = face(&json!({ "VRMC_vrm": { "expressions": {
            "preset": {
                "happy": {
                    "morphTargetBinds": [
                        { "node": 0, "index": 0, "weight": 0.8 }, { "node": 0, "index": 9, "weight": 1.0 },
                        { "node": 7, "index": 0, "weight": 1.0 }
                    ],
                    "overrideBlink": "block", "overrideMouth": "blend"
                }
            },
            "custom": { "wink": { "isBinary": true }, "happy": {} }
        } } }));
        let found = expressions(&second);
        assert_eq!(found.len(), 2, "a name counts once");
        assert_eq!(found[0].binds, [("Face.smile".to_owned(), 0.8)]);
        assert_eq!((found[0].blink, found[0].mouth), (Override::Block, Override::Blend));
        assert!(found[1].binary && found[1].binds.is_empty());

        let first = face(&json!({ "VRM": { "blendShapeMaster": { "blendShapeGroups": [
            { "name": "Joy", "presetName": "joy", "binds": [{ "mesh": 0, "index": 0, "weight": 80 }] },
            { "name": "Mine", "presetName": "unknown", "binds": [{ "index": 0, "weight": 80 }, 3] },
            { "binds": 4 }
        ] } } }));
        let found = expressions(&first);
        let names: Vec<&str> = found.iter().map(|expression| expression.name.as_str()).collect();
        assert_eq!(names, ["joy", "Mine"]);
        assert_eq!(found[0].binds, [("Face.smile".to_owned(), 0.8), ("Again.smile".to_owned(), 0.8)]);
        assert!(found[1].binds.is_empty());
        assert!(expressions(&face(&json!({ "VRM": 3, "VRMC_vrm": [] }))).is_empty());
    }

    /// Weights of 0 and 0.75 along x.
    #[test]
    fn weights_of_a_vrm_animation_are_numbers_over_time() {
        let numbers: Vec<u8> = [0.0f32, 0.5, 0.0, 0.0, 0.0, 0.75, 0.0, 0.0]
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let data = format!("data:application/octet-stream;base64,{}", crate::gltf::base64::encode(&numbers));
        let document = document(&json!({
            "asset": { "version": "2.0" },
            "nodes": [{ "name": "hips", "children": [1] }, { "name": "happy" }],
            "scenes": [{ "nodes": [0] }],
            "animations": [{
                "samplers": [{ "input": 0, "output": 1 }],
                "channels": [{ "sampler": 0, "target": { "node": 1, "path": "translation" } }],
            }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" },
                { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" },
            ],
            "bufferViews": [
                { "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }
            ],
            "buffers": [{ "byteLength": 32, "uri": data }],
            "extensions": { "VRMC_vrm_animation": { "expressions": { "preset": { "happy": { "node": 1 } } } } },
        }));
        let clip = to_clip(&document, Some(0), Some(2.0), &Limits::default()).unwrap().value;
        let numbers = &clip.annotations().scalars;
        assert_eq!((numbers[0].name.as_str(), numbers[0].values.values()), ("happy", &[0.0, 0.75][..]));
        assert!(clip.tracks().iter().all(|track| track.translation.is_none()), "no joint moves");
    }
}
