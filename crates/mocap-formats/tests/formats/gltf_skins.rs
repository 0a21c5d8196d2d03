//! glTF: skins whose meshes are in other spaces, scales stated by keys, and weights of nodes.

use mocap_formats::{Finding, Limits, ReadOptions, read};
use mocap_model::{Body, Clip, JointId, Skeleton, Vector3, angle_between};
use nalgebra::{Matrix4, Point3, UnitQuaternion};
use serde_json::{Value, json};

use crate::bodies::{furthest, places};
use crate::gltf::glb;

/// A chain of four joints, and meshes that skins bind to it.
struct Made {
    json: Value,
    bytes: Vec<u8>,
}

const NAMES: [&str; 4] = ["Hips", "Spine", "Neck", "Head"];

/// The transform of a joint in its parent, in the pose in which meshes are bound.
fn bound(joint: usize) -> Matrix4<f64> {
    let turn = UnitQuaternion::from_euler_angles(0.1 * joint as f64, 0.3, -0.2);
    Matrix4::new_translation(&Vector3::new(0.05, 0.3, 0.02)) * turn.to_homogeneous()
}

/// The same in object space.
fn object(joint: usize) -> Matrix4<f64> {
    (0..=joint).fold(Matrix4::identity(), |above, joint| above * bound(joint))
}

impl Made {
    /// The nodes stand in another pose than the bound one.
    fn new() -> Made {
        let node = |joint: usize| {
            let mut node = json!({ "name": NAMES[joint], "translation": [0.05, 0.3, 0.02],
                "rotation": [0.0, 0.0, (0.2f64).sin(), (0.2f64).cos()] });
            if joint + 1 < NAMES.len() {
                node["children"] = json!([joint + 1]);
            }
            node
        };
        let nodes: Vec<Value> = (0..NAMES.len()).map(node).collect();
        let json = json!({ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
            "meshes": [], "skins": [], "accessors": [], "bufferViews": [], "buffers": [{ "byteLength": 0 }],
            "animations": [] });
        Made { json, bytes: Vec::new() }
    }

    fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.json["buffers"][0]["byteLength"] = self.bytes.len().into();
        let view = self.push("bufferViews", view);
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        self.push("accessors", accessor)
    }

    fn floats(&mut self, kind: &str, count: usize, values: &[f64]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect();
        self.accessor(kind, 5126, count, &bytes)
    }

    /// Adds a triangle beside each joint of a list; returns its node. With `space`, the mesh is bound to the joints, and
    /// `space` puts its vertices where the joints were bound. Without, the first joint holds it.
    fn mesh(&mut self, joints: &[usize], space: Option<Matrix4<f64>>) -> usize {
        let into = space.map_or(Matrix4::identity(), |space| space.try_inverse().unwrap());
        let corners = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]].map(Vector3::from);
        let vertices: Vec<f64> = (joints.iter().flat_map(|joint| corners.map(|corner| (joint, corner))))
            .flat_map(|(joint, corner)| {
                let place = match space {
                    Some(_) => (into * object(*joint)).transform_point(&Point3::from(corner)).coords,
                    None => corner * (1.0 + *joint as f64),
                };
                <[f64; 3]>::from(place)
            })
            .collect();
        let count = vertices.len() / 3;
        let mut primitive = json!({ "attributes": { "POSITION": self.floats("VEC3", count, &vertices) } });
        let mut node = json!({ "name": format!("Mesh {}", self.json["meshes"].as_array().unwrap().len()) });
        if let Some(space) = space {
            let followed: Vec<u8> = (0..count).flat_map(|vertex| [(vertex / 3) as u8, 0, 0, 0]).collect();
            let weights: Vec<f64> = (0..count).flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect();
            primitive["attributes"]["JOINTS_0"] = self.accessor("VEC4", 5121, count, &followed).into();
            primitive["attributes"]["WEIGHTS_0"] = self.floats("VEC4", count, &weights).into();
            let inverse = |joint: &usize| object(*joint).try_inverse().unwrap() * space;
            let matrices: Vec<f64> =
                joints.iter().flat_map(|joint| inverse(joint).as_slice().to_vec()).collect();
            let matrices = self.floats("MAT4", joints.len(), &matrices);
            node["skin"] =
                self.push("skins", json!({ "joints": joints, "inverseBindMatrices": matrices })).into();
        }
        node["mesh"] = self.push("meshes", json!({ "primitives": [primitive] })).into();
        let node = self.push("nodes", node);
        match space {
            Some(_) => self.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(node.into()),
            None => {
                let children = &mut self.json["nodes"][joints[0]]["children"];
                children.as_array_mut().unwrap().push(node.into());
            }
        }
        node
    }

    /// Keys of equal values at 0 s and 1 s.
    fn hold(&mut self, node: usize, path: &str, value: &[f64]) {
        let times = self.floats("SCALAR", 2, &[0.0, 1.0]);
        let kind = ["SCALAR", "", "", "VEC3", "VEC4"][value.len()];
        let values = self.floats(kind, 2, &[value, value].concat());
        if self.json["animations"].as_array().unwrap().is_empty() {
            self.push("animations", json!({ "samplers": [], "channels": [] }));
        }
        let animation = &mut self.json["animations"][0];
        let samplers = animation["samplers"].as_array_mut().unwrap();
        samplers.push(json!({ "input": times, "output": values }));
        let sampler = samplers.len() - 1;
        let channel = json!({ "sampler": sampler, "target": { "node": node, "path": path } });
        animation["channels"].as_array_mut().unwrap().push(channel);
    }

    fn read(&self) -> (Clip, Body) {
        let options = ReadOptions::default();
        let document = read(&glb(&self.json, &self.bytes), &options).unwrap().value;
        let clip = document.to_clip(&options).unwrap().value;
        let body = document.body(&Limits::default()).unwrap().unwrap();
        assert_eq!(body.warnings, Vec::<Finding>::new());
        (clip, Body::clone(&body.value.body))
    }

    fn skeleton(&self) -> Skeleton {
        let options = ReadOptions::default();
        read(&glb(&self.json, &self.bytes), &options).unwrap().value.to_skeleton(&options).unwrap().value
    }
}

/// The largest difference of the rest poses [m, rad].
fn apart(one: &Skeleton, other: &Skeleton) -> f64 {
    assert_eq!(one.len(), other.len());
    let joints = one.joints().iter().zip(other.joints());
    let off = joints
        .map(|(a, b)| (a.offset - b.offset).norm().max(angle_between(&a.rest_rotation, &b.rest_rotation)));
    off.fold(0.0, f64::max)
}

/// Spaces of a mesh: moved, turned, and as large as the body in centimetres.
fn spaces() -> [Matrix4<f64>; 4] {
    let turn = UnitQuaternion::from_euler_angles(-1.5, 0.2, 0.4).to_homogeneous();
    let moved = Matrix4::new_translation(&Vector3::new(0.5, -1.4, 3.0));
    [moved, turn, moved * turn, moved * turn * Matrix4::new_scaling(0.01)]
}

#[test]
fn faces_without_a_material_stay_without_one_beside_others() {
    let mut made = Made::new();
    made.mesh(&[0, 1], Some(Matrix4::identity()));
    let mut second = made.json["meshes"][0]["primitives"][0].clone();
    second["material"] = 0.into();
    second["attributes"]["COLOR_0"] = second["attributes"]["POSITION"].clone();
    made.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(second);
    made.json["materials"] = json!([{ "name": "red", "normalTexture": { "index": 0 },
        "pbrMetallicRoughness": { "baseColorFactor": [1.0, 0.0, 0.0, 1.0] } }]);
    let document = read(&glb(&made.json, &made.bytes), &ReadOptions::default()).unwrap().value;
    let body = document.body(&Limits::default()).unwrap().unwrap().value.body;
    let colours: Vec<[f64; 4]> =
        body.meshes[0].materials.iter().map(|at| body.materials[*at as usize].colour).collect();
    let (white, red) = ([1.0; 4], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(colours, [white, white, red, red]);
    let lost = document.not_in_body();
    assert_eq!(lost, ["vertex colours", "transparency and further images of materials"]);
}

#[test]
fn skins_of_other_spaces_do_not_change_the_bones() {
    let body = [0, 1, 2, 3];
    let mut plain = Made::new();
    plain.mesh(&body, Some(Matrix4::identity()));
    let expected = plain.skeleton();
    let of_binds = |joint: usize| {
        let Vector3 { data, .. } = bound(joint).fixed_view::<3, 1>(0, 3).into_owned();
        Vector3::from(data.0[0])
    };
    assert!((expected.joint(JointId(2)).offset - of_binds(2)).norm() < 1e-6);
    assert!(
        expected.joint(JointId(2)).rest_rotation.angle() > 0.35,
        "the bound pose is not that of the nodes"
    );
    for space in spaces() {
        for some in [&[0, 1][..], &[2, 3], &[3], &[1, 3], &[3, 2, 1], &[0, 1, 2, 3]] {
            for first in [false, true] {
                let mut made = Made::new();
                if first {
                    made.mesh(some, Some(space));
                }
                made.mesh(&body, Some(Matrix4::identity()));
                if !first {
                    made.mesh(some, Some(space));
                }
                let off = apart(&made.skeleton(), &expected);
                assert!(off < 1e-5, "{some:?} first: {first}, {space}: {off}");
            }
        }
    }
}

#[test]
fn joints_that_no_skin_has_together_rest_as_their_nodes() {
    for space in spaces() {
        let mut made = Made::new();
        made.mesh(&[0, 1], Some(Matrix4::identity()));
        made.mesh(&[2, 3], Some(space));
        let skeleton = made.skeleton();
        let joint = |joint: usize| skeleton.joint(JointId::from(joint));
        let neck = Vector3::new(0.05, 0.3, 0.02);
        assert!((joint(2).offset - neck).norm() < 1e-5, "{}", joint(2).offset);
        assert!((joint(2).rest_rotation.angle() - 0.4).abs() < 1e-5);
        // Both of the others are bound.
        for bound_together in [1, 3] {
            let turn = bound(bound_together).fixed_view::<3, 3>(0, 0).into_owned();
            let turn = UnitQuaternion::from_matrix(&turn);
            assert!(angle_between(&joint(bound_together).rest_rotation, &turn) < 1e-5);
        }
    }
    // The same space, by a joint that both have.
    let mut made = Made::new();
    made.mesh(&[0, 1, 2], Some(spaces()[2]));
    made.mesh(&[1, 3], Some(spaces()[2]));
    let turn = UnitQuaternion::from_matrix(&bound(3).fixed_view::<3, 3>(0, 0).into_owned());
    assert!(angle_between(&made.skeleton().joint(JointId(3)).rest_rotation, &turn) < 1e-5);
}

#[test]
fn a_scale_that_all_keys_share_scales_the_mesh_as_the_joints() {
    for bound in [true, false] {
        for (node, keys) in [(1.0, 2.0), (3.0, 0.5), (0.01, 1.0)] {
            let made = |of_node: f64| {
                let mut made = Made::new();
                made.mesh(&[1, 2], bound.then(Matrix4::identity));
                made.json["nodes"][1]["scale"] = json!([of_node, of_node, of_node]);
                made.hold(1, "scale", &[keys; 3]);
                made.hold(2, "rotation", &[(0.3f64).sin(), 0.0, 0.0, (0.3f64).cos()]);
                made.read()
            };
            let (clip, body) = made(node);
            let (expected, body_of_node) = made(keys);
            let (found, expected) = (places(&clip, &body, 0), places(&expected, &body_of_node, 0));
            let off = furthest(&found, &expected);
            assert!(off < 1e-6, "{bound} {node} {keys}: off by {off} m");
            assert!(expected[0].iter().any(|place| place.norm() > 0.1));
        }
    }
}

#[test]
fn weights_of_a_node_take_the_place_of_those_of_its_mesh() {
    let weights = |of_mesh: Option<Value>, of_node: Option<Value>| {
        let mut made = Made::new();
        let node = made.mesh(&[0, 1], Some(Matrix4::identity()));
        let offsets = made.floats("VEC3", 6, &[0.5; 18]);
        let target = json!({ "POSITION": offsets });
        made.json["meshes"][0]["primitives"][0]["targets"] = json!([target, target]);
        if let Some(weights) = of_mesh {
            made.json["meshes"][0]["weights"] = weights;
        }
        if let Some(weights) = of_node {
            made.json["nodes"][node]["weights"] = weights;
        }
        made.hold(1, "rotation", &[0.0, 0.0, 0.0, 1.0]);
        let (_, body) = made.read();
        body.meshes[0].shapes.iter().map(|shape| shape.weight).collect::<Vec<f64>>()
    };
    let (mesh, node) = (json!([0.25, 0.5]), json!([0.75, 0.0]));
    assert_eq!(weights(None, None), [0.0, 0.0]);
    assert_eq!(weights(Some(mesh.clone()), None), [0.25, 0.5]);
    assert_eq!(weights(None, Some(node.clone())), [0.75, 0.0]);
    assert_eq!(weights(Some(mesh), Some(node)), [0.75, 0.0]);
}
