//! The meshes of a GLB file on the joints of the clip that was read from it.

use std::collections::BTreeMap;

use crate::character::{chunks, items, list, number};
use mocap_model::{Body, Bone, Clip, Influence, JointId, Material, Mesh, Skin, Vector3};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion};
use serde_json::Value;

/// The meshes of a GLB file, skinned to the joints of a clip of that file by the names of nodes; `None` where the content
/// is not a GLB file, has no triangles, or keeps its numbers compressed or outside of it.
pub fn body_of_glb(bytes: &[u8], clip: &Clip) -> Option<Body> {
    let (json, bin) = chunks(bytes)?;
    let json: Value = serde_json::from_slice(json).ok()?;
    let file = File::new(&json, bin, clip)?;
    let meshes = (0..file.nodes.len()).filter_map(|node| file.meshes(node)).flatten().collect();
    let materials = list(&json, "materials").iter().map(material).collect();
    let body = Body { meshes, materials };
    (!body.meshes.is_empty()).then_some(body)
}

struct File<'a> {
    json: &'a Value,
    bin: &'a [u8],
    nodes: &'a [Value],
    above: Vec<Option<usize>>,
    /// The joint of each node, if it is one.
    joints: Vec<Option<JointId>>,
    /// How much larger than its joint's frame a node's frame is.
    sizes: Vec<f64>,
    worlds: Vec<Matrix4<f64>>,
}

impl<'a> File<'a> {
    fn new(json: &'a Value, bin: &'a [u8], clip: &Clip) -> Option<File<'a>> {
        let nodes = list(json, "nodes");
        let mut above = vec![None; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            for child in list(node, "children").iter().filter_map(number).filter(|child| *child < nodes.len())
            {
                above[child] = Some(i);
            }
        }
        let names: BTreeMap<&str, JointId> =
            clip.skeleton().iter().map(|(id, joint)| (joint.name.as_str(), id)).collect();
        let of_node = |i: usize| {
            let own = nodes[i].get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
            names.get(own.map_or_else(|| format!("node {i}"), str::to_owned).as_str()).copied()
        };
        let joints: Vec<Option<JointId>> = (0..nodes.len()).map(of_node).collect();
        let (mut worlds, mut sizes) = (Vec::new(), Vec::new());
        for i in 0..nodes.len() {
            let mut path = vec![i];
            while let Some(up) = above[path[path.len() - 1]] {
                // A circle of nodes.
                if path.len() > nodes.len() {
                    return None;
                }
                path.push(up);
            }
            let (mut world, mut size) = (Matrix4::identity(), 1.0);
            for node in path.into_iter().rev() {
                let local = local(&nodes[node]);
                world *= local;
                let kept = joints[node].is_some_and(|joint| clip.track(joint).scale.is_some());
                size *= if kept { 1.0 } else { local.column(0).norm() };
            }
            worlds.push(world);
            sizes.push(size);
        }
        Some(File { json, bin, nodes, above, joints, sizes, worlds })
    }

    /// The joint that moves a node: itself or the nearest above.
    fn joint(&self, node: usize) -> Option<(usize, JointId)> {
        let mut at = Some(node);
        while let Some(node) = at {
            if let Some(joint) = self.joints[node] {
                return Some((node, joint));
            }
            at = self.above[node];
        }
        None
    }

    fn bone(&self, node: usize, bind: Matrix4<f64>) -> Option<Bone> {
        let (moves, joint) = self.joint(node)?;
        // A node that is not a joint hangs rigidly on the one above it.
        let bind =
            if moves == node { bind } else { self.worlds[moves].try_inverse()? * self.worlds[node] * bind };
        Some(Bone { joint, inverse_bind: Matrix4::new_scaling(self.sizes[moves]) * bind })
    }

    fn meshes(&self, node: usize) -> Option<Vec<Mesh>> {
        let own = &self.nodes[node];
        let mesh = list(self.json, "meshes").get(number(own.get("mesh")?)?)?;
        let skin = own.get("skin").and_then(number).and_then(|skin| list(self.json, "skins").get(skin));
        let bones: Vec<Bone> = match skin {
            None => vec![self.bone(node, Matrix4::identity())?],
            Some(skin) => {
                let binds = skin.get("inverseBindMatrices").and_then(|at| self.rows(number(at)?));
                let joints = list(skin, "joints").iter().filter_map(number).enumerate();
                let bone = |(k, joint): (usize, usize)| {
                    let bind = match &binds {
                        Some(rows) => Matrix4::from_column_slice(rows.get(k).filter(|row| row.len() == 16)?),
                        None => Matrix4::identity(),
                    };
                    self.bone((joint < self.nodes.len()).then_some(joint)?, bind)
                };
                joints.map(bone).collect::<Option<_>>()?
            }
        };
        let primitives = list(mesh, "primitives").iter();
        Some(primitives.filter_map(|it| self.mesh(it, &bones, skin.is_some())).collect())
    }

    fn mesh(&self, primitive: &Value, bones: &[Bone], skinned: bool) -> Option<Mesh> {
        if primitive.get("mode").is_some_and(|mode| mode.as_u64() != Some(4)) {
            return None;
        }
        let attributes = primitive.get("attributes")?;
        let column = |name: &str| self.rows(number(attributes.get(name)?)?);
        let positions: Vec<Vector3<f64>> = column("POSITION")?
            .iter()
            .filter(|row| row.len() == 3)
            .map(|row| Vector3::from_column_slice(row))
            .collect();
        let weights = column("WEIGHTS_0").zip(column("JOINTS_0")).filter(|_| skinned);
        let mut skin = Skin { bones: bones.to_vec(), starts: vec![0], influences: Vec::new() };
        for vertex in 0..positions.len() {
            match &weights {
                None => skin.influences.push(Influence { bone: 0, weight: 1.0 }),
                Some((weights, joints)) => {
                    let (weights, joints) = (weights.get(vertex)?, joints.get(vertex)?);
                    let used = weights.iter().zip(joints).filter(|(weight, _)| **weight > 0.0);
                    skin.influences
                        .extend(used.map(|(weight, bone)| Influence { bone: *bone as u32, weight: *weight }));
                }
            }
            skin.starts.push(skin.influences.len() as u32);
        }
        let corners: Vec<u32> = match primitive.get("indices") {
            Some(indices) => {
                self.rows(number(indices)?)?.concat().iter().map(|corner| *corner as u32).collect()
            }
            None => (0..positions.len() as u32).collect(),
        };
        let faces = vec![3; corners.len() / 3];
        let material = primitive.get("material").and_then(number);
        let materials = material.map_or(Vec::new(), |material| vec![material as u32; faces.len()]);
        Some(Mesh { positions, faces, corners, materials, skin, ..Mesh::default() })
    }

    fn rows(&self, accessor: usize) -> Option<Vec<Vec<f64>>> {
        let (accessor, bytes) = items(self.json, self.bin, accessor)?;
        let count = number(accessor.get("count")?)?.max(1);
        let shared = accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false);
        let (size, most) = match accessor.get("componentType")?.as_u64()? {
            5121 => (1, 255.0),
            5123 => (2, 65_535.0),
            5125 => (4, 1.0),
            5126 => (4, 1.0),
            _ => return None,
        };
        let float = accessor.get("componentType")?.as_u64() == Some(5126);
        let value = |bytes: &[u8]| {
            let mut four = [0; 4];
            four[..size].copy_from_slice(bytes);
            let value =
                if float { f64::from(f32::from_le_bytes(four)) } else { f64::from(u32::from_le_bytes(four)) };
            if shared { value / most } else { value }
        };
        let rows = bytes.chunks((bytes.len() / count).max(1));
        Some(rows.map(|row| row.chunks_exact(size).map(value).collect()).collect())
    }
}

fn local(node: &Value) -> Matrix4<f64> {
    let numbers = |key: &str| -> Vec<f64> { list(node, key).iter().filter_map(Value::as_f64).collect() };
    if let matrix @ [_, ..] = &numbers("matrix")[..]
        && matrix.len() == 16
    {
        return Matrix4::from_column_slice(matrix);
    }
    let vector = |key: &str, usual: f64| match numbers(key)[..] {
        [x, y, z] => Vector3::new(x, y, z),
        _ => Vector3::repeat(usual),
    };
    let turn = match numbers("rotation")[..] {
        [x, y, z, w] => UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)),
        _ => UnitQuaternion::identity(),
    };
    Matrix4::new_translation(&vector("translation", 0.0))
        * turn.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&vector("scale", 1.0))
}

fn material(material: &Value) -> Material {
    let surface = material.get("pbrMetallicRoughness");
    let colour: Vec<f64> =
        surface.map_or(&[][..], |it| list(it, "baseColorFactor")).iter().filter_map(Value::as_f64).collect();
    let colour = <[f64; 4]>::try_from(colour).unwrap_or([1.0; 4]);
    let blends = material.get("alphaMode").and_then(Value::as_str) == Some("BLEND");
    let image = surface.and_then(|it| it.get("baseColorTexture")).map(|_| mocap_model::Image::default());
    let colour = [colour[0], colour[1], colour[2], if blends { colour[3] } else { 1.0 }];
    Material { name: String::new(), colour, image }
}
