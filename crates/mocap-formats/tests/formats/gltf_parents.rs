//! glTF: nodes above the joints that rotate, scale or mirror, with tracks and without: the motion is transformed
//! accordingly.

use std::collections::BTreeMap;

use mocap_formats::{Format, ReadOptions, WriteOptions, read, write};
use mocap_model::{Clip, ForwardKinematics, JointId, Vector3};
use nalgebra::{Matrix4, Point3, Quaternion, UnitQuaternion};
use serde_json::{Value, json};

/// A glTF file as JSON, with its bytes.
#[derive(Clone)]
pub(crate) struct File {
    pub(crate) json: Value,
    bytes: Vec<u8>,
}

impl File {
    /// The fixture clip with a body, as this program writes it.
    fn of_wave() -> File {
        let clip: Clip = include!("../../../../fixtures/wave.rs");
        File::of_glb(&write(&clip, Format::Glb, &WriteOptions::default()).unwrap().main.into_bytes())
    }

    pub(crate) fn of_glb(glb: &[u8]) -> File {
        let length = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
        let json = 20..20 + length(12);
        File {
            json: serde_json::from_slice(&glb[json.clone()]).unwrap(),
            bytes: glb[json.end + 8..].to_vec(),
        }
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut text = self.json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = self.bytes.clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let mut glb = Vec::new();
        let words = [0x4654_6c67, 2, 28 + text.len() + bytes.len(), text.len(), 0x4e4f_534a];
        words.iter().for_each(|word| glb.extend((*word as u32).to_le_bytes()));
        glb.extend(&text);
        [bytes.len(), 0x004e_4942].iter().for_each(|word| glb.extend((*word as u32).to_le_bytes()));
        glb.extend(&bytes);
        glb
    }

    fn clip(&self) -> (Clip, Vec<String>) {
        let options = ReadOptions { fps: Some(60.0), ..ReadOptions::default() };
        let parsed = read(&self.glb(), &options).unwrap().value.to_clip(&options).unwrap();
        (parsed.value, parsed.warnings.iter().map(|warning| warning.code().to_owned()).collect())
    }

    fn nodes(&self) -> &[Value] {
        self.json["nodes"].as_array().unwrap()
    }

    /// Puts what is in the scene below a new node.
    pub(crate) fn wrap(&mut self, mut node: Value) -> usize {
        let at = self.nodes().len();
        let skinned =
            |child: &Value| self.json["nodes"][child.as_u64().unwrap() as usize].get("skin").is_some();
        let top = self.json["scenes"][0]["nodes"].as_array().unwrap().clone();
        let (mut kept, below): (Vec<Value>, Vec<Value>) = top.into_iter().partition(skinned);
        node["children"] = below.into();
        node["name"] = format!("Armature {at}").into();
        kept.push(at.into());
        self.json["nodes"].as_array_mut().unwrap().push(node);
        self.json["scenes"][0]["nodes"] = kept.into();
        at
    }

    /// Keys of a property of a node, at equal times from 0 to `end` [s].
    fn animate(&mut self, node: usize, path: &str, end: f32, keys: &[Vec<f32>]) {
        let times: Vec<f32> =
            (0..keys.len()).map(|key| end * key as f32 / (keys.len() - 1).max(1) as f32).collect();
        let input = self.accessor("SCALAR", &times, keys.len());
        let kind = if keys[0].len() == 4 { "VEC4" } else { "VEC3" };
        let output = self.accessor(kind, &keys.concat(), keys.len());
        let animation = &mut self.json["animations"][0];
        let samplers = animation["samplers"].as_array_mut().unwrap();
        samplers.push(json!({ "input": input, "output": output }));
        let channel = json!({ "sampler": samplers.len() - 1, "target": { "node": node, "path": path } });
        animation["channels"].as_array_mut().unwrap().push(channel);
    }

    fn accessor(&mut self, kind: &str, values: &[f32], count: usize) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": 4 * values.len() });
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.json["buffers"][0]["byteLength"] = self.bytes.len().into();
        let views = self.json["bufferViews"].as_array_mut().unwrap();
        views.push(view);
        let accessor = json!({ "bufferView": views.len() - 1, "componentType": 5126, "count": count, "type": kind,
            "min": [0.0], "max": [1.0] });
        let accessors = self.json["accessors"].as_array_mut().unwrap();
        accessors.push(accessor);
        accessors.len() - 1
    }

    fn floats(&self, accessor: usize, width: usize) -> Vec<Vec<f64>> {
        let accessor = &self.json["accessors"][accessor];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0);
        let count = accessor["count"].as_u64().unwrap() as usize * width;
        let bytes = &self.bytes[start as usize..][..4 * count];
        let values: Vec<f64> = bytes
            .chunks_exact(4)
            .map(|four| f64::from(f32::from_le_bytes(four.try_into().unwrap())))
            .collect();
        values.chunks_exact(width).map(<[f64]>::to_vec).collect()
    }

    /// Where every node is at a time, straight from the matrices of the nodes.
    fn places(&self, time: f64) -> BTreeMap<String, Vector3<f64>> {
        let mut values: Vec<[Vec<f64>; 3]> = self.nodes().iter().map(rest).collect();
        let animation = &self.json["animations"][0];
        for channel in animation["channels"].as_array().unwrap() {
            let at = ["translation", "rotation", "scale"]
                .iter()
                .position(|path| channel["target"]["path"] == *path);
            let (Some(at), node) = (at, channel["target"]["node"].as_u64().unwrap() as usize) else {
                continue;
            };
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let times = self.floats(sampler["input"].as_u64().unwrap() as usize, 1);
            let keys = self.floats(sampler["output"].as_u64().unwrap() as usize, [3, 4, 3][at]);
            values[node][at] = interpolated(&times, &keys, time, at == 1);
        }
        let locals: Vec<Matrix4<f64>> = self
            .nodes()
            .iter()
            .zip(&values)
            .map(|(node, [t, r, s])| match node.get("matrix") {
                Some(matrix) => {
                    Matrix4::from_iterator(matrix.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()))
                }
                None => {
                    let turn = UnitQuaternion::new_normalize(Quaternion::new(r[3], r[0], r[1], r[2]));
                    Matrix4::new_translation(&Vector3::from_column_slice(t))
                        * turn.to_homogeneous()
                        * Matrix4::new_nonuniform_scaling(&Vector3::from_column_slice(s))
                }
            })
            .collect();
        let mut parents = vec![None; locals.len()];
        for (parent, node) in self.nodes().iter().enumerate() {
            for child in node["children"].as_array().into_iter().flatten() {
                parents[child.as_u64().unwrap() as usize] = Some(parent);
            }
        }
        let place = |node: usize| {
            let mut point = Point3::origin();
            let mut at = Some(node);
            while let Some(node) = at {
                point = locals[node].transform_point(&point);
                at = parents[node];
            }
            point.coords
        };
        let named = |(at, node): (usize, &Value)| (node["name"].as_str().unwrap().to_owned(), place(at));
        self.nodes().iter().enumerate().map(named).collect()
    }
}

fn rest(node: &Value) -> [Vec<f64>; 3] {
    let numbers = |key: &str, otherwise: &[f64]| match node.get(key) {
        Some(values) => values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect(),
        None => otherwise.to_vec(),
    };
    [
        numbers("translation", &[0.0; 3]),
        numbers("rotation", &[0.0, 0.0, 0.0, 1.0]),
        numbers("scale", &[1.0; 3]),
    ]
}

fn interpolated(times: &[Vec<f64>], keys: &[Vec<f64>], time: f64, turns: bool) -> Vec<f64> {
    let next = times.partition_point(|key| key[0] <= time + 1e-6);
    if next == 0 || next == times.len() {
        return keys[next.max(1) - 1].clone();
    }
    let share = ((time - times[next - 1][0]) / (times[next][0] - times[next - 1][0])).clamp(0.0, 1.0);
    let (from, to) = (&keys[next - 1], &keys[next]);
    if !turns {
        return from.iter().zip(to).map(|(a, b)| a + (b - a) * share).collect();
    }
    let unit = |q: &[f64]| UnitQuaternion::new_normalize(Quaternion::new(q[3], q[0], q[1], q[2]));
    let mut end = unit(to);
    if unit(from).coords.dot(&end.coords) < 0.0 {
        end = UnitQuaternion::new_unchecked(-end.into_inner());
    }
    unit(from).slerp(&end, share).coords.iter().copied().collect()
}

/// The largest distance of a joint from its node, as a share of the body's size; `renamed` gives the node of a joint.
fn off(file: &File, clip: &Clip, renamed: impl Fn(&str) -> String) -> f64 {
    let mut kinematics = ForwardKinematics::new(clip);
    let (mut worst, mut size) = (0.0f64, 0.0f64);
    for frame in (0..clip.frames()).step_by(7) {
        kinematics.place(frame);
        let places = file.places(frame as f64 / clip.rate().fps());
        for (id, joint) in clip.skeleton().iter() {
            let place = places[&renamed(&joint.name)];
            worst = worst.max((kinematics.position(id) - place).norm());
            size = size.max((place - kinematics.position(JointId(0))).norm());
        }
    }
    worst / size
}

/// The length of each bone at rest by the name of its joint, and whether all bones keep it.
fn lengths(clip: &Clip) -> Vec<(String, f64)> {
    let joints = clip.skeleton().joints().iter().filter(|joint| joint.parent.is_some());
    joints.map(|joint| (joint.name.clone(), joint.offset.norm())).collect()
}

fn turn(axis: usize, angle: f64) -> Value {
    let mut q = [0.0, 0.0, 0.0, (angle / 2.0).cos()];
    q[axis] = (angle / 2.0).sin();
    json!(q)
}

#[test]
fn a_parent_of_one_size_changes_only_the_size() {
    let plain = File::of_wave();
    let (clip, _) = plain.clip();
    for (size, tracks) in [(0.01, false), (0.01, true), (100.0, true), (2.5, false), (1.000_000_3, true)] {
        for stated_by_keys in [false, true] {
            let mut file = plain.clone();
            let scale = if stated_by_keys && tracks { 1.0 } else { size };
            let node = file.wrap(json!({ "translation": [0.5, -1.0, 2.0], "rotation": turn(0, -1.2), "scale": [scale, scale, scale] }));
            if tracks {
                let size = size as f32;
                let jitter = |key: usize| vec![size, size * (1.0 + 2e-7 * key as f32), size * (1.0 - 1e-7)];
                file.animate(node, "scale", 1.0, &(0..4).map(jitter).collect::<Vec<_>>());
                file.animate(node, "translation", 1.0, &vec![vec![0.5, -1.0, 2.0]; 3]);
            }
            let (found, warnings) = file.clip();
            let case = format!("{size} {tracks} {stated_by_keys}: {warnings:?}");
            assert!(warnings.is_empty(), "{case}");
            assert_eq!(found.skeleton().len(), clip.skeleton().len(), "{case}");
            assert!(!found.has_scale(), "{case}");
            let worst = off(&file, &found, str::to_owned);
            assert!(worst < 1e-5, "{case}: {worst}");
            for ((name, found), (other, plain)) in lengths(&found).iter().zip(lengths(&clip)) {
                assert_eq!(*name, other);
                assert!(
                    (found - plain * size).abs() <= 1e-5 * plain * size,
                    "{case}: {name} {found} {plain}"
                );
            }
        }
    }
}

#[test]
fn parents_within_parents_matrices_and_the_order_of_nodes_change_nothing_else() {
    let mut file = File::of_wave();
    file.wrap(json!({ "scale": [0.01, 0.01, 0.01], "rotation": turn(0, -std::f64::consts::FRAC_PI_2) }));
    // A quarter turn about X, ten times as large, beside the origin; the columns one after the other.
    file.wrap(json!({ "matrix": [10, 0, 0, 0, 0, 0, 10, 0, 0, -10, 0, 0, 1, 2, 3, 1] }));
    let (found, warnings) = file.clip();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert!(off(&file, &found, str::to_owned) < 1e-5);
    let count = file.nodes().len();
    let mut other = file.clone();
    // The last node becomes the first one.
    let moved = |node: u64| json!((node as usize + 1) % count);
    let nodes = other.json["nodes"].as_array_mut().unwrap();
    nodes.rotate_right(1);
    for node in nodes.iter_mut() {
        if let Some(children) = node.get_mut("children") {
            children
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(|child| *child = moved(child.as_u64().unwrap()));
        }
    }
    for list in ["/scenes/0/nodes", "/skins/0/joints"] {
        let list = other.json.pointer_mut(list).unwrap().as_array_mut().unwrap();
        list.iter_mut().for_each(|node| *node = moved(node.as_u64().unwrap()));
    }
    for channel in other.json["animations"][0]["channels"].as_array_mut().unwrap() {
        channel["target"]["node"] = moved(channel["target"]["node"].as_u64().unwrap());
    }
    let (again, warnings) = other.clip();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert!(off(&other, &again, str::to_owned) < 1e-5);
    assert_eq!(lengths(&again).len(), lengths(&found).len());
}

#[test]
fn a_parent_that_moves_is_a_joint_and_its_changing_size_is_in_the_translations() {
    let mut file = File::of_wave();
    let node = file.wrap(json!({ "scale": [0.01, 0.01, 0.01] }));
    file.animate(node, "translation", 1.0, &[vec![0.0, 0.0, 0.0], vec![1.0, 0.5, 0.0]]);
    file.animate(node, "scale", 1.0, &[vec![0.01, 0.01, 0.01], vec![0.02, 0.02, 0.02]]);
    let (found, warnings) = file.clip();
    assert_eq!(warnings, ["gltf::uneven-scale"]);
    assert!(found.skeleton().find(&format!("Armature {node}")).is_some());
    assert!(off(&file, &found, str::to_owned) < 1e-5);
    let plain = lengths(&File::of_wave().clip().0);
    for (name, length) in plain {
        let joint = found.skeleton().joints().iter().find(|joint| joint.name == name).unwrap();
        assert!((joint.offset.norm() - 0.01 * length).abs() < 1e-6 * length, "{name}");
    }
}

#[test]
fn an_uneven_parent_leaves_joints_where_their_nodes_are() {
    for tracks in [false, true] {
        let mut file = File::of_wave();
        let node = file.wrap(json!({ "scale": [1.5, 0.8, 1.1], "rotation": turn(2, 0.4) }));
        if tracks {
            file.animate(node, "scale", 1.0, &[vec![1.5, 0.8, 1.1], vec![1.5, 0.8, 1.1]]);
        }
        let (found, warnings) = file.clip();
        assert_eq!(warnings, ["gltf::uneven-scale"], "{tracks}");
        assert!(!found.has_scale());
        assert!(off(&file, &found, str::to_owned) < 1e-5, "{tracks}: {}", off(&file, &found, str::to_owned));
    }
}

#[test]
fn a_mirror_shows_the_mirror_image_and_swaps_the_sides() {
    let side = |name: &str| match (name.contains("Left"), name.contains("Right")) {
        (true, _) => name.replace("Left", "Right"),
        (_, true) => name.replace("Right", "Left"),
        _ => name.to_owned(),
    };
    for scale in [[-1.0, 1.0, 1.0], [-1.0, -1.0, -1.0], [0.01, 0.01, -0.01]] {
        let mut file = File::of_wave();
        file.wrap(json!({ "scale": scale }));
        let (found, warnings) = file.clip();
        assert_eq!(warnings, ["gltf::mirrored"], "{scale:?}");
        assert!(off(&file, &found, side) < 1e-5, "{scale:?}");
        let plain = File::of_wave().clip().0;
        for (name, length) in lengths(&found) {
            let (_, other) = lengths(&plain).into_iter().find(|(other, _)| *other == side(&name)).unwrap();
            assert!((length - other * f64::abs(scale[0])).abs() < 1e-5 * other, "{name}");
            let joint = found.skeleton().joints().iter().find(|joint| joint.name == name).unwrap();
            let role = joint.role.and_then(|role| role.side()).map(|side| format!("{side:?}"));
            assert!(role.is_none_or(|role| name.starts_with(&role)), "{name}");
        }
    }
}
