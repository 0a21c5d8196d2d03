//! The same scene below other parents: joints are where the matrices of the nodes put them.

use mocap_formats::{Format, ReadOptions, WriteOptions, read, write};
use mocap_model::{Clip, ForwardKinematics, Vector3};
use nalgebra::{Matrix3, Matrix4, UnitQuaternion};
use serde_json::{Value, json};

/// A glTF file as JSON with its buffers inside.
fn as_json(name: &str, bytes: &[u8]) -> Option<Value> {
    let options = ReadOptions::default();
    let document = read(bytes, &options).ok()?.value;
    let joints = document.to_skeleton(&options).ok()?.value.len();
    assert!(joints > 0, "{name}");
    let text = match bytes.starts_with(b"glTF") {
        true => {
            let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
            let mut json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
            let data = bytes.get(20 + length + 8..).unwrap_or_default();
            if !data.is_empty() {
                let uri = format!("data:application/octet-stream;base64,{}", base64(data));
                json["buffers"][0]["uri"] = uri.into();
                json["buffers"][0]["byteLength"] = data.len().into();
            }
            json
        }
        false => serde_json::from_slice(bytes).ok()?,
    };
    text.get("scenes").is_some().then_some(text)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= three.len() { digit as char } else { '=' });
        }
    }
    text
}

/// A node above all of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Wrap {
    pub(crate) name: &'static str,
    pub(crate) translation: [f64; 3],
    /// About the axis (1, 2, 3) [rad].
    pub(crate) turn: f64,
    pub(crate) scale: [f64; 3],
    pub(crate) as_matrix: bool,
    /// Tracks of the same value as the node has.
    pub(crate) tracks: bool,
}

impl Wrap {
    pub(crate) const NONE: Wrap = Wrap {
        name: "none",
        translation: [0.0; 3],
        turn: 0.0,
        scale: [1.0; 3],
        as_matrix: false,
        tracks: false,
    };

    pub(crate) fn is_uneven(&self) -> bool {
        self.scale.iter().any(|scale| *scale != self.scale[0])
    }

    pub(crate) fn rotation(&self) -> UnitQuaternion<f64> {
        UnitQuaternion::new(Vector3::new(1.0, 2.0, 3.0).normalize() * self.turn)
    }

    pub(crate) fn matrix(&self) -> Matrix4<f64> {
        Matrix4::new_translation(&Vector3::from(self.translation))
            * self.rotation().to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&Vector3::from(self.scale))
    }

    /// The scene below such a node.
    fn around(&self, json: &Value) -> Value {
        let mut json = json.clone();
        let nodes = json["nodes"].as_array_mut().unwrap();
        let at = nodes.len();
        let mut node = json!({ "name": "Wrap" });
        match self.as_matrix {
            true => node["matrix"] = self.matrix().as_slice().into(),
            false => {
                let q = self.rotation();
                node["translation"] = self.translation.as_slice().into();
                node["rotation"] = json!([q.i, q.j, q.k, q.w]);
                node["scale"] = self.scale.as_slice().into();
            }
        }
        nodes.push(node);
        let scene = json["scene"].as_u64().unwrap_or(0) as usize;
        let mut below: Vec<Value> = json["scenes"][scene]["nodes"].as_array().unwrap().clone();
        // Roots are read in the order of nodes, children as their parent lists them.
        below.sort_by_key(Value::as_u64);
        json["nodes"][at]["children"] = below.into();
        json["scenes"][scene]["nodes"] = json!([at]);
        if self.tracks {
            self.add_tracks(&mut json, at);
        }
        json
    }

    fn add_tracks(&self, json: &mut Value, node: usize) {
        let q = self.rotation();
        let values = [
            ("translation", "VEC3", self.translation.to_vec()),
            ("rotation", "VEC4", vec![q.i, q.j, q.k, q.w]),
            ("scale", "VEC3", self.scale.to_vec()),
        ];
        let Some(first) = json.pointer("/animations/0").cloned() else { return };
        // All tracks have one key, at the time of the first key of the file.
        let Some(input) = first.pointer("/samplers/0/input").and_then(Value::as_u64) else { return };
        let start = json["accessors"][input as usize]["min"][0].as_f64().unwrap_or(0.0);
        for (path, kind, values) in values {
            let mut data = (start as f32).to_le_bytes().to_vec();
            values.iter().for_each(|value| data.extend((*value as f32).to_le_bytes()));
            let uri = format!("data:application/octet-stream;base64,{}", base64(&data));
            let push = |json: &mut Value, list: &str, value: Value| {
                let list = json[list].as_array_mut().unwrap();
                list.push(value);
                list.len() - 1
            };
            let buffer = push(json, "buffers", json!({ "uri": uri, "byteLength": data.len() }));
            let view = json!({ "buffer": buffer, "byteLength": data.len() });
            let view = push(json, "bufferViews", view);
            let accessor = |offset: usize, kind: &str| json!({ "bufferView": view, "byteOffset": offset, "componentType": 5126, "count": 1, "type": kind });
            let input = push(json, "accessors", accessor(0, "SCALAR"));
            let output = push(json, "accessors", accessor(4, kind));
            let animation = &mut json["animations"][0];
            let sampler = push(animation, "samplers", json!({ "input": input, "output": output }));
            let channel = json!({ "sampler": sampler, "target": { "node": node, "path": path } });
            push(animation, "channels", channel);
        }
    }
}

pub(crate) fn wraps() -> Vec<Wrap> {
    let mut wraps = vec![
        Wrap { name: "moved", translation: [1.0, -2.0, 3.0], ..Wrap::NONE },
        Wrap { name: "turned", turn: 1.0, ..Wrap::NONE },
        Wrap { name: "centimetres", scale: [0.01; 3], ..Wrap::NONE },
        Wrap { name: "large", scale: [100.0; 3], turn: 0.4, translation: [0.5, 0.0, 0.0], ..Wrap::NONE },
        Wrap { name: "uneven", scale: [1.0, 2.0, 0.5], turn: 0.4, ..Wrap::NONE },
        Wrap { name: "inverted", scale: [-1.0; 3], ..Wrap::NONE },
        Wrap { name: "mirrored", scale: [-1.0, 1.0, 1.0], turn: 0.7, ..Wrap::NONE },
        Wrap { name: "turned by mirrors", scale: [-2.0, 2.0, -2.0], ..Wrap::NONE },
        Wrap { name: "nearly one", scale: [1.0, 1.0 + 6e-8, 1.0 - 1.2e-7], ..Wrap::NONE },
    ];
    let other: Vec<Wrap> = wraps.iter().map(|wrap| Wrap { as_matrix: true, ..wrap.clone() }).collect();
    let tracks: Vec<Wrap> = wraps.iter().map(|wrap| Wrap { tracks: true, ..wrap.clone() }).collect();
    wraps.extend(other);
    wraps.extend(tracks);
    wraps
}

fn clip_of(json: &Value) -> (Clip, Vec<&'static str>) {
    let options = ReadOptions { fps: Some(30.0), ..ReadOptions::default() };
    let bytes = serde_json::to_vec(json).unwrap();
    let clip = read(&bytes, &options).unwrap().value.to_clip(&options).unwrap();
    (clip.value, clip.warnings.iter().map(|warning| warning.code()).collect())
}

/// By frame and joint: its place. Joints of nodes above the others are first and left out: `count` are asked for.
pub(crate) fn places(clip: &Clip, count: usize) -> Vec<Vec<Vector3<f64>>> {
    let mut kinematics = ForwardKinematics::new(clip);
    let own = || clip.skeleton().iter().skip(clip.skeleton().len() - count).map(|(id, _)| id);
    let frames = (0..clip.frames()).step_by((clip.frames() / 40).max(1));
    frames
        .map(|frame| {
            kinematics.place(frame);
            own().map(|id| kinematics.position(id)).collect()
        })
        .collect()
}

/// The lengths of the offsets of joints from their parents, without the roots of the `count` last joints.
pub(crate) fn lengths(clip: &Clip, count: usize) -> Vec<f64> {
    let first = clip.skeleton().len() - count;
    let own = clip.skeleton().iter().skip(first);
    let below = own.filter(|(_, joint)| joint.parent.is_some_and(|parent| parent.index() >= first));
    below.map(|(_, joint)| joint.offset.norm()).collect()
}

/// The largest distance of places from those that a matrix makes of others, relative to the size of the body.
pub(crate) fn apart(found: &[Vec<Vector3<f64>>], base: &[Vec<Vector3<f64>>], matrix: &Matrix4<f64>) -> f64 {
    assert_eq!(found.len(), base.len());
    let expected: Vec<Vec<Vector3<f64>>> = base
        .iter()
        .map(|frame| frame.iter().map(|place| matrix.transform_point(&(*place).into()).coords).collect())
        .collect();
    let mut worst: f64 = 0.0;
    let mut size: f64 = 1e-6;
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.len(), expected.len());
        for (found, place) in found.iter().zip(expected) {
            worst = worst.max((found - place).norm());
            size = size.max((place - expected[0]).norm());
        }
    }
    worst / size
}

fn check(name: &str, wrap: &Wrap, json: &Value, matrix: &Matrix4<f64>, base: &Clip) {
    let (clip, warnings) = clip_of(json);
    let what =
        format!("{name}, {} (matrix {}, tracks {}): {warnings:?}", wrap.name, wrap.as_matrix, wrap.tracks);
    let joints = base.skeleton().len();
    let off = apart(&places(&clip, joints), &places(base, joints), matrix);
    assert!(off < 1e-5, "{what}: frames off by {off:e}");
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    assert_eq!(warnings.contains(&"gltf::mirrored"), linear.determinant() < 0.0, "{what}");
    // Limbs are as long at rest as an even scale makes them. With an uneven one their length hangs on their direction.
    let scale = linear.column(0).norm();
    let even = (0..3).all(|axis| (linear.column(axis).norm() / scale - 1.0).abs() < 1e-5);
    if even {
        let pairs = lengths(&clip, joints).into_iter().zip(lengths(base, joints));
        let size = lengths(base, joints).into_iter().fold(1e-6, f64::max) * scale;
        let off = pairs.map(|(found, alone)| (found - alone * scale).abs() / size).fold(0.0, f64::max);
        assert!(off < 1e-5, "{what}: lengths at rest off by {off:e}");
    }
}

fn check_all(name: &str, json: &Value) {
    let (base, _) = clip_of(json);
    for wrap in wraps() {
        let wrapped = wrap.around(json);
        check(name, &wrap, &wrapped, &wrap.matrix(), &base);
        // Nodes in another order.
        check(name, &wrap, &reversed_nodes(&wrapped), &wrap.matrix(), &base);
        // Below one more.
        let above = Wrap { turn: -0.3, scale: [0.5; 3], translation: [0.0, 1.0, 0.0], ..Wrap::NONE };
        check(name, &wrap, &above.around(&wrapped), &(above.matrix() * wrap.matrix()), &base);
    }
}

/// The file with its nodes in reverse order.
fn reversed_nodes(json: &Value) -> Value {
    let mut json = json.clone();
    let last = json["nodes"].as_array().unwrap().len() - 1;
    let turn = |value: &mut Value| *value = (last - value.as_u64().unwrap() as usize).into();
    let all = |value: &mut Value| value.as_array_mut().into_iter().flatten().for_each(turn);
    json["nodes"].as_array_mut().unwrap().reverse();
    let each = |json: &mut Value, list: &str, then: &dyn Fn(&mut Value)| {
        json.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().for_each(then);
    };
    each(&mut json, "nodes", &|node| node.get_mut("children").into_iter().for_each(all));
    each(&mut json, "scenes", &|scene| scene.get_mut("nodes").into_iter().for_each(all));
    each(&mut json, "skins", &|skin| {
        skin.get_mut("joints").into_iter().for_each(all);
        skin.get_mut("skeleton").into_iter().for_each(turn);
    });
    each(&mut json, "animations", &|animation| {
        each(animation, "channels", &|channel| turn(&mut channel["target"]["node"]));
    });
    json
}

pub(crate) fn real_scenes_below_other_parents_keep_their_motion() {
    let files = mocap_corpus::files("glb").into_iter().chain(mocap_corpus::files("gltf"));
    for (name, bytes) in files {
        let Some(json) = as_json(&name, &bytes) else { continue };
        if json["buffers"][0]["uri"].as_str().is_some_and(|uri| !uri.starts_with("data:")) {
            continue;
        }
        check_all(&name, &json);
        mocap_corpus::note!("{name}: {} ways", 3 * wraps().len());
    }
}

pub(crate) fn fixture_scenes_below_other_parents_keep_their_motion() {
    for name in ["clean", "other-no-skin", "other-step", "warn-two-clips", "warn-no-animation"] {
        let path = format!("gltf/{name}.glb");
        let bytes = std::fs::read(mocap_corpus::fixture(&path)).unwrap();
        let json = as_json(&path, &bytes).unwrap();
        check_all(&path, &json);
        // Without inverse binds, and with a root that the skin names.
        if json.pointer("/skins/0").is_some() {
            let mut other = json.clone();
            let skin = other["skins"][0].as_object_mut().unwrap();
            skin.remove("inverseBindMatrices");
            skin.insert("skeleton".into(), skin["joints"][0].clone());
            check_all(&format!("{path} without binds"), &other);
        }
    }
}

/// Clips that go back into the file they came from keep their places, whatever is above the joints.
pub(crate) fn fixture_scenes_below_other_parents_are_written_back() {
    let bytes = std::fs::read(mocap_corpus::fixture("gltf/clean.glb")).unwrap();
    let json = as_json("gltf/clean.glb", &bytes).unwrap();
    for wrap in wraps() {
        let wrapped = wrap.around(&json);
        let bytes = serde_json::to_vec(&wrapped).unwrap();
        let options = ReadOptions::default();
        let document = read(&bytes, &options).unwrap().value;
        let clip = document.to_clip(&options).unwrap().value;
        let kept = document.with_clips(std::slice::from_ref(&clip), Format::Gltf, &WriteOptions::default());
        let joints = clip.skeleton().len();
        match kept.unwrap() {
            mocap_formats::Kept::Written(written) => {
                let written = written.main.into_bytes();
                let again: Value = serde_json::from_slice(&written).unwrap();
                let tree = |json: &Value| -> Vec<[Value; 2]> {
                    let nodes = json["nodes"].as_array().unwrap().iter();
                    nodes.map(|node| ["name", "children"].map(|key| node[key].clone())).collect()
                };
                assert_eq!(tree(&again), tree(&wrapped), "{}", wrap.name);
                assert_eq!(again["skins"][0]["joints"], wrapped["skins"][0]["joints"], "{}", wrap.name);
                let back = read(&written, &options).unwrap().value.to_clip(&options).unwrap().value;
                let off = apart(&places(&back, joints), &places(&clip, joints), &Matrix4::identity());
                assert!(off < 3e-5, "{} (matrix {}): off by {off:e}", wrap.name, wrap.as_matrix);
            }
            // Joints below uneven scales move by translations, which these nodes would scale once more.
            mocap_formats::Kept::Not(_) => assert_eq!(wrap.name, "uneven"),
        }
        // Without the file, the motion is the same too.
        let alone = write(&clip, Format::Glb, &WriteOptions::default()).unwrap().main.into_bytes();
        let alone = read(&alone, &options).unwrap().value.to_clip(&options).unwrap().value;
        let off = apart(&places(&alone, joints), &places(&clip, joints), &Matrix4::identity());
        assert!(off < 1e-4, "{}: off by {off:e}", wrap.name);
    }
}
