//! Expressions of VRM files (emotions, visemes, gestures), which move shapes, and their weights in VRM animations.
//!
//! Based on: VRM Consortium, "VRM 0.x" (`blendShapeMaster`, weights of 0 to 100), "VRM 1.0" (`expressions`) and "VRM
//! Animation 1.0" (weights as translations along x of nodes).

use std::collections::{BTreeMap, BTreeSet};

use mocap_model::{Expression, Override};
use serde_json::Value;

use super::document::Document;
use super::node_targets::stated_name;
use crate::Finding;

/// The memory that the binds of a file may take \[bytes\]. A group of VRM 0 binds a mesh, and each node that shows it is a
/// bind: no byte of the file bounds their number.
const ROOM: usize = 1 << 25;

/// Warnings about expressions that were left out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum Problem {
    #[error("the expressions move more shapes than are read: those behind the first {read} are left out")]
    Binds { read: usize },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        "gltf::expressions"
    }
}

/// The expressions of a character, in the order of the file, each name once.
pub(super) fn expressions(document: &Document) -> Vec<Expression> {
    within(document, ROOM).0
}

/// The warning for a character with expressions that are not read completely.
pub(super) fn left_out(document: &Document) -> Option<Finding> {
    let (found, is_whole) = within(document, ROOM);
    let read = found.iter().map(|expression| expression.binds.len()).sum();
    (!is_whole).then(|| Finding::new(Problem::Binds { read }))
}

/// The expressions whose binds fit in `room` bytes, and whether these are all.
fn within(document: &Document, room: usize) -> (Vec<Expression>, bool) {
    let json = &document.json;
    let mut binds = Binds { document, shown: BTreeMap::new(), room, is_whole: true };
    for (at, node) in document.root.nodes.iter().enumerate() {
        if let Some(mesh) = node.mesh {
            binds.shown.entry(mesh).or_default().push(at);
        }
    }
    let mut found = Vec::new();
    for group in ["preset", "custom"] {
        let all = json.pointer(&format!("/extensions/VRMC_vrm/expressions/{group}"));
        for (name, value) in all.and_then(Value::as_object).into_iter().flatten() {
            found.push(of_second(&mut binds, name, value));
        }
    }
    let groups = json.pointer("/extensions/VRM/blendShapeMaster/blendShapeGroups").and_then(Value::as_array);
    found.extend(groups.into_iter().flatten().map(|value| of_first(&mut binds, value)));
    let mut names = BTreeSet::new();
    found.retain(|expression| !expression.name.is_empty() && names.insert(expression.name.clone()));
    (found, binds.is_whole)
}

/// Collects the binds of expressions.
struct Binds<'d> {
    document: &'d Document,
    /// By mesh: the nodes that show it.
    shown: BTreeMap<usize, Vec<usize>>,
    /// Memory that is left \[bytes\].
    room: usize,
    is_whole: bool,
}

impl Binds<'_> {
    /// Adds a morph target of a node's mesh, by its index; false where the memory limit is reached.
    fn add(&mut self, binds: &mut Vec<(String, f64)>, node: usize, index: usize, weight: f64) -> bool {
        if !self.is_whole {
            return false;
        }
        let Some(name) = stated_name(self.document, node, index) else { return true };
        let size = size_of::<(String, f64)>() + name.len();
        self.is_whole = size <= self.room;
        if self.is_whole {
            self.room -= size;
            binds.push((name, weight));
        }
        self.is_whole
    }
}

fn number(value: &Value, key: &str) -> Option<usize> {
    value.get(key).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok())
}

fn weight(value: &Value) -> f64 {
    value.get("weight").and_then(Value::as_f64).filter(|weight| weight.is_finite()).unwrap_or(0.0)
}

/// The binds of an expression, each shape once: the index under `key` (a node or mesh), the index of the morph target,
/// and the weight.
fn listed<'v>(
    value: &'v Value,
    list: &str,
    key: &'static str,
) -> impl Iterator<Item = (usize, usize, f64)> + use<'v> {
    let binds = value.get(list).and_then(Value::as_array).into_iter().flatten();
    let mut known = BTreeSet::new();
    binds.filter_map(move |bind| {
        let (of, index) = (number(bind, key)?, number(bind, "index")?);
        known.insert((of, index)).then(|| (of, index, weight(bind)))
    })
}

/// An expression of VRM 1: it names nodes.
fn of_second(binds: &mut Binds<'_>, name: &str, value: &Value) -> Expression {
    let mut own = Vec::new();
    for (node, index, weight) in listed(value, "morphTargetBinds", "node") {
        if !binds.add(&mut own, node, index, weight) {
            break;
        }
    }
    let overrides = |key: &str| match value.get(key).and_then(Value::as_str) {
        Some("block") => Override::Block,
        Some("blend") => Override::Blend,
        _ => Override::None,
    };
    Expression {
        name: name.to_owned(),
        binds: own,
        binary: value.get("isBinary").and_then(Value::as_bool).unwrap_or(false),
        blink: overrides("overrideBlink"),
        look_at: overrides("overrideLookAt"),
        mouth: overrides("overrideMouth"),
    }
}

/// A group of VRM 0: it names meshes, which may be shown by several nodes.
fn of_first(binds: &mut Binds<'_>, value: &Value) -> Expression {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let preset = text("presetName");
    let name =
        if preset.is_empty() || preset.eq_ignore_ascii_case("unknown") { text("name") } else { preset };
    let mut own = Vec::new();
    for (mesh, index, weight) in listed(value, "binds", "mesh") {
        let shown = binds.shown.get(&mesh).map_or(0, Vec::len);
        // Ends where the first node has no such target or the memory limit is reached: the other
        // nodes would give the same.
        let before = own.len();
        for at in 0..shown {
            let node = binds.shown[&mesh][at];
            if !binds.add(&mut own, node, index, weight / 100.0) || own.len() == before {
                break;
            }
        }
    }
    Expression {
        name: name.to_owned(),
        binds: own,
        binary: value.get("isBinary").and_then(Value::as_bool).unwrap_or(false),
        ..Expression::default()
    }
}

/// By node of a VRM animation: the expression whose weight is the node's translation along x.
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

    #[test]
    fn binds_of_a_mesh_that_many_nodes_show_are_bounded() {
        let binds = vec![json!({ "mesh": 0, "index": 1, "weight": 50 }); 1000];
        let many = face(&json!({ "VRM": { "blendShapeMaster": { "blendShapeGroups": [
            { "name": "Joy", "binds": binds },
            { "name": "Sorrow", "binds": [{ "mesh": 0, "index": 0 }, { "mesh": 0, "index": 2 }] },
        ] } } }));
        assert_eq!(expressions(&many)[0].binds.len(), 2, "a shape counts once");
        assert_eq!(left_out(&many), None);
        let (found, is_whole) = within(&many, 3 * (size_of::<(String, f64)>() + "Again.smile".len()));
        let counts: Vec<usize> = found.iter().map(|expression| expression.binds.len()).collect();
        assert_eq!((counts, is_whole), (vec![2, 1], false));

        // 4 · 10^7 binds in a small file.
        let binds: Vec<Value> = (0..2000).map(|index| json!({ "mesh": 0, "index": index })).collect();
        let many = document(&json!({
            "asset": { "version": "2.0" },
            "nodes": vec![json!({ "mesh": 0 }); 20_000],
            "meshes": [{ "primitives": [{ "attributes": {}, "targets": vec![json!({}); 2000] }] }],
            "extensions": { "VRM": { "blendShapeMaster": { "blendShapeGroups": [{ "name": "Joy", "binds": binds }] } } },
        }));
        let found = expressions(&many);
        assert!((100_000..1_100_000).contains(&found[0].binds.len()));
        let warning = left_out(&many).unwrap();
        assert!(warning.problem.to_string().contains(&found[0].binds.len().to_string()));
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

        let options = crate::WriteOptions::default();
        let kept = crate::Document::with_clips(&document, &[clip], crate::Format::Gltf, &options).unwrap();
        let crate::Kept::Written(again) = kept else { panic!("written") };
        let again =
            parse(&again.main.into_bytes(), &FilesBeside::default(), &Limits::default()).unwrap().value;
        let channels = again.json.pointer("/animations/0/channels").and_then(Value::as_array).unwrap();
        let target = json!({ "node": 1, "path": "translation" });
        assert_eq!(channels.iter().filter(|channel| channel["target"] == target).count(), 1);
        assert_eq!(again.json.pointer("/animations/0/extras/mocap/scalars"), None, "they are said once");
        let clip = to_clip(&again, Some(0), None, &Limits::default()).unwrap().value;
        let numbers = &clip.annotations().scalars;
        assert_eq!(numbers.len(), 1);
        assert_eq!((numbers[0].name.as_str(), numbers[0].values.values()), ("happy", &[0.0, 0.75][..]));
    }
}
