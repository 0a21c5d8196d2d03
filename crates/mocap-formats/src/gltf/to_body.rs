//! From a glTF file to the body that it shows: meshes with their skins, shapes and materials.
//!
//! Joints of the clip have no scale, so the effect of node scales on a mesh is baked into the inverse bind matrices.
//! These map from the space of the mesh to the frame of the joint in metres.

use std::collections::HashMap;

use mocap_model::{
    Body, Bone, Influence, JointId, Material, Mesh, Parts, Shape, Skeleton, Skin, UnitQuaternion, Vector3,
};
use nalgebra::Matrix4;

use super::document::Document;
use super::materials::materials;
use super::node_targets::{rest_weight, stated_names};
use super::problem::Problem;
use super::problem::index;
use super::root::Primitive;
use super::to_clip::evened_rest;
use super::tree::{Tree, tree};
use super::trs::{Trs, unit};
use crate::{Finding, LimitExceeded, Limits, Parsed};

/// Triangles, strips and fans.
const MODES: [u32; 3] = [4, 5, 6];
/// Sets of joints and weights that are read: 64 influences a vertex. Sets may share their values, so their number is not
/// bounded by the size of a file.
const SETS: usize = 16;

/// The joints and the weights of all vertices, four of each a vertex.
type WeightSet = (Vec<f64>, Vec<f64>);

/// How far the weights of a vertex may be from a sum of 1: what integers of 8 bits lose.
const SUM: f64 = 0.02;

/// The body of a file and the skeleton whose joints it follows; `None` of a file without meshes, and of one that this
/// program drew.
///
/// # Errors
/// A finding that names the place by its path in the JSON.
pub(super) fn to_body(
    document: &Document,
    limits: &Limits,
) -> Result<Option<Parsed<(Body, Skeleton)>>, Finding> {
    if document.root.meshes.is_empty() || document.is_drawn() {
        return Ok(None);
    }
    let tree = tree(document, limits, &mut Vec::new())?;
    let mut warnings = Vec::new();
    let mut body = Body { meshes: Vec::new(), materials: materials(document, &mut warnings) };
    let mut reader = Reader {
        document,
        limits,
        places: places(document, &tree),
        tree: &tree,
        warnings,
        plain: body.materials.len() as u32,
        corners: 0,
    };
    for node in 0..document.root.nodes.len() {
        if let Some(mesh) = document.root.nodes[node].mesh {
            body.meshes.extend(reader.mesh(node, mesh)?);
        }
    }
    let (warnings, plain) = (reader.warnings, reader.plain);
    if body.meshes.iter().any(|mesh| mesh.materials.contains(&plain)) {
        body.materials.push(Material::default());
    }
    if body.meshes.is_empty() && warnings.is_empty() {
        return Ok(None);
    }
    let skeleton = if tree.uneven.is_some() { evened_rest(&tree)? } else { tree.skeleton };
    Ok(Some(Parsed { value: (body, skeleton), warnings }))
}

/// By node: its transform in the scene at rest, and its rotation without scales. Of a mirroring scale the half turn
/// counts that it is besides a point reflection, as in the frames of joints.
fn places(document: &Document, tree: &Tree) -> Vec<(Matrix4<f64>, UnitQuaternion<f64>)> {
    let nodes = &document.root.nodes;
    let mut is_child = vec![false; nodes.len()];
    nodes.iter().flat_map(|node| &node.children).for_each(|child| is_child[*child] = true);
    let none = (Matrix4::identity(), UnitQuaternion::identity());
    let mut places = vec![none; nodes.len()];
    let mut open: Vec<(usize, _)> =
        (0..nodes.len()).filter(|node| !is_child[*node]).map(|node| (node, none)).collect();
    while let Some((at, (above, turn))) = open.pop() {
        let node = &nodes[at];
        let rest = tree.rest[at];
        let Trs { translation, rotation, scale } = rest;
        let local = match &node.matrix {
            // A matrix may shear.
            Some(values) if rest == Trs::of(node) => Matrix4::from_column_slice(values),
            _ => {
                Matrix4::new_translation(&translation)
                    * rotation.to_homogeneous()
                    * Matrix4::new_nonuniform_scaling(&scale)
            }
        };
        let (unmirrored, _, _) = rest.unmirrored();
        places[at] = (above * local, unit(*(turn * unmirrored.rotation)));
        open.extend(node.children.iter().map(|child| (*child, places[at])));
    }
    places
}

/// Whether most of a mesh is shown as the mirror image of its vertices.
fn is_mirrored(skin: &Skin) -> bool {
    let signs: Vec<f64> = skin
        .bones
        .iter()
        .map(|bone| bone.inverse_bind.fixed_view::<3, 3>(0, 0).determinant().signum())
        .collect();
    skin.influences.iter().map(|one| one.weight * signs[one.bone as usize]).sum::<f64>() < 0.0
}

struct Reader<'d> {
    document: &'d Document,
    limits: &'d Limits,
    places: Vec<(Matrix4<f64>, UnitQuaternion<f64>)>,
    tree: &'d Tree,
    warnings: Vec<Finding>,
    /// The material of faces that state none, where others of their mesh state one.
    plain: u32,
    /// Number of corners of all meshes so far.
    corners: usize,
}

impl Reader<'_> {
    /// The mesh that a node shows; `None` with a warning where no joint moves it.
    fn mesh(&mut self, node: usize, mesh: usize) -> Result<Option<Mesh>, Finding> {
        let root = &self.document.root;
        let path = format!("nodes[{node}].mesh");
        let source = root.meshes.get(mesh).ok_or_else(|| index(path, mesh, "meshes", root.meshes.len()))?;
        let names = stated_names(self.document, node);
        let name = root.nodes[node].name.clone().or_else(|| source.name.clone());
        let mut made = Mesh { name: name.unwrap_or_default(), ..Mesh::default() };
        made.shapes = names
            .into_iter()
            .enumerate()
            .map(|(i, name)| Shape { name, offsets: Vec::new(), weight: rest_weight(self.document, node, i) })
            .collect();
        let bones = match root.nodes[node].skin {
            Some(skin) => self.bones(node, skin)?,
            None => Vec::new(),
        };
        let is_skinned = !bones.is_empty();
        made.skin = Skin { bones, starts: vec![0], influences: Vec::new() };
        made.stated.rigid = !is_skinned;
        if !is_skinned {
            let Some(bone) = self.held(node) else {
                let path = format!("nodes[{node}].mesh");
                self.warnings.push(Finding::new(Problem::MeshWithoutJoint { path }));
                return Ok(None);
            };
            made.skin.bones.push(bone);
        }
        let mut known: HashMap<String, usize> = HashMap::new();
        for (number, primitive) in source.primitives.iter().enumerate() {
            let path = format!("meshes[{mesh}].primitives[{number}]");
            if !MODES.contains(&primitive.mode.unwrap_or(MODES[0])) {
                self.warnings.push(Finding::new(Problem::NoFaces { path }));
                continue;
            }
            if primitive.extensions.contains_key("KHR_draco_mesh_compression") {
                let name = "KHR_draco_mesh_compression".to_owned();
                return Err(Finding::new(Problem::Extension { path, name }));
            }
            // Primitives that name the same vertices share them.
            let key = format!("{:?} {:?}", primitive.attributes, primitive.targets);
            let first = match known.get(&key) {
                Some(first) => *first,
                None => {
                    let first = made.positions.len();
                    self.vertices(primitive, &path, &mut made, is_skinned)?;
                    *known.entry(key).or_insert(first)
                }
            };
            self.faces(primitive, &path, &mut made, first)?;
        }
        if made.faces.is_empty() {
            return Ok(None);
        }
        // Below a mirroring scale a mesh is the mirror image of its vertices. As joints have no scale, the vertices
        // themselves are mirrored, and corners are counterclockwise from outside again.
        Ok(Some(if is_mirrored(&made.skin) { made.at_rest(&self.tree.skeleton) } else { made }))
    }

    /// The bones of a skin.
    fn bones(&self, node: usize, skin: usize) -> Result<Vec<Bone>, Finding> {
        let skins = &self.document.root.skins;
        let path = format!("nodes[{node}].skin");
        let joints = &skins.get(skin).ok_or_else(|| index(path, skin, "skins", skins.len()))?.joints;
        let inverses: Vec<Matrix4<f64>> = match skins[skin].inverse_bind_matrices {
            Some(accessor) => {
                let path = format!("skins[{skin}].inverseBindMatrices");
                let values = self.document.floats(accessor, "MAT4", &path, self.limits)?;
                let (found, keys) = (values.len() / 16, joints.len());
                if found < keys {
                    return Err(Finding::new(Problem::KeyCount { path, found, keys, expected: keys }));
                }
                values.chunks_exact(16).map(Matrix4::from_column_slice).collect()
            }
            None => vec![Matrix4::identity(); joints.len()],
        };
        let bones = joints.iter().zip(inverses).map(|(joint, inverse)| {
            let id = self.tree.joints[*joint].expect("what a skin names is a joint");
            Bone { joint: id, inverse_bind: self.unscaled(*joint) * inverse }
        });
        Ok(bones.collect())
    }

    /// From the space of a node that is a joint to the frame of the joint in the clip, which has no scale.
    fn unscaled(&self, node: usize) -> Matrix4<f64> {
        self.frame_inverse(node) * self.places[node].0
    }

    /// From the scene to the frame of a joint, with the nodes at rest.
    fn frame_inverse(&self, node: usize) -> Matrix4<f64> {
        let (place, turn) = &self.places[node];
        let at: Vector3<f64> = place.fixed_view::<3, 1>(0, 3).into_owned();
        turn.inverse().to_homogeneous() * Matrix4::new_translation(&-at)
    }

    /// The bone of a mesh without a skin: the joint of its node, else of the nearest node above.
    fn held(&self, node: usize) -> Option<Bone> {
        let nodes = &self.document.root.nodes;
        let mut parents = vec![None; nodes.len()];
        for (parent, node) in nodes.iter().enumerate() {
            node.children.iter().for_each(|child| parents[*child] = Some(parent));
        }
        let mut above = std::iter::successors(Some(node), |node| parents[*node]);
        let (found, joint): (usize, JointId) =
            above.find_map(|node| Some((node, self.tree.joints[node]?)))?;
        Some(Bone { joint, inverse_bind: self.frame_inverse(found) * self.places[node].0 })
    }

    /// Adds the vertices of a primitive; normals and texture coordinates are added with its faces.
    fn vertices(
        &mut self,
        primitive: &Primitive,
        path: &str,
        mesh: &mut Mesh,
        is_skinned: bool,
    ) -> Result<(), Finding> {
        let first = mesh.positions.len();
        let neutral = self.attribute(primitive, "POSITION", "VEC3", path)?;
        if neutral.is_none() && primitive.targets.iter().any(|target| target.get("POSITION").is_some()) {
            return Err(Finding::new(Problem::NoNeutral { path: path.to_owned() }));
        }
        let positions = neutral.unwrap_or_default();
        let places = positions.chunks_exact(3).map(Vector3::from_column_slice);
        mesh.positions.extend(places);
        let count = mesh.positions.len() - first;
        self.check_size(mesh.positions.len(), "vertices")?;
        match is_skinned {
            true => self.weights(primitive, path, mesh, count)?,
            false => (0..count).for_each(|_| {
                mesh.skin.influences.push(Influence { bone: 0, weight: 1.0 });
                mesh.skin.starts.push(mesh.skin.influences.len() as u32);
            }),
        }
        for (number, (at, shape)) in primitive.targets.iter().zip(&mut mesh.shapes).enumerate() {
            let Some(accessor) = at.get("POSITION").and_then(serde_json::Value::as_u64) else { continue };
            let path = format!("{path}.targets[{number}].POSITION");
            let values = self.document.floats(accessor as usize, "VEC3", &path, self.limits)?;
            if values.len() != 3 * count {
                let (name, found) = (shape.name.clone(), values.len() / 3);
                return Err(Finding::new(Problem::ShapeCount { path, name, found, expected: count }));
            }
            let offsets = values.chunks_exact(3).map(Vector3::from_column_slice).enumerate();
            let moved = offsets.filter(|(_, offset)| *offset != Vector3::zeros());
            shape.offsets.extend(moved.map(|(vertex, offset)| ((first + vertex) as u32, offset)));
        }
        Ok(())
    }

    fn attribute(
        &self,
        primitive: &Primitive,
        name: &str,
        kind: &str,
        path: &str,
    ) -> Result<Option<Vec<f64>>, Finding> {
        let Some(accessor) = primitive.attributes.get(name) else { return Ok(None) };
        let path = format!("{path}.attributes.{name}");
        self.document.floats(*accessor, kind, &path, self.limits).map(Some)
    }

    /// The joints and the weights of a primitive, four a vertex in each set.
    fn weight_sets(&self, primitive: &Primitive, path: &str) -> Result<Vec<WeightSet>, Finding> {
        let mut sets = Vec::new();
        for set in 0..SETS {
            let joints = self.attribute(primitive, &format!("JOINTS_{set}"), "VEC4", path)?;
            let weights = self.attribute(primitive, &format!("WEIGHTS_{set}"), "VEC4", path)?;
            let (Some(joints), Some(weights)) = (joints, weights) else { break };
            sets.push((joints, weights));
        }
        Ok(sets)
    }

    /// Adds the influences of the vertices of a primitive.
    fn weights(
        &mut self,
        primitive: &Primitive,
        path: &str,
        mesh: &mut Mesh,
        count: usize,
    ) -> Result<(), Finding> {
        let bones = mesh.skin.bones.len();
        let sets = match self.weight_sets(primitive, path) {
            // With one joint, all weights belong to it, whatever their values.
            Err(error) if bones == 1 && error.problem_as::<crate::LimitExceeded>().is_none() => {
                let (path, because) = (path.to_owned(), error.problem.to_string());
                self.warnings.push(Finding::new(Problem::UnreadWeights { path, because }));
                mesh.skin.influences.extend((0..count).map(|_| Influence { bone: 0, weight: 1.0 }));
                let all = mesh.skin.influences.len();
                mesh.skin.starts.extend((all - count + 1..=all).map(|end| end as u32));
                return Ok(());
            }
            sets => sets?,
        };
        let mut uneven = 0;
        let mut unbound = 0;
        for vertex in 0..count {
            let first = mesh.skin.influences.len();
            for (set, (joints, weights)) in sets.iter().enumerate() {
                for at in 4 * vertex..4 * vertex + 4 {
                    let (Some(joint), Some(weight)) = (joints.get(at), weights.get(at)) else { continue };
                    if *weight <= 0.0 {
                        continue;
                    }
                    if *joint >= bones as f64 {
                        let path = format!("{path}.attributes.JOINTS_{set}[{vertex}]");
                        return Err(index(path, *joint as usize, "joints in this skin", bones));
                    }
                    let bone = *joint as u32;
                    match mesh.skin.influences[first..].iter_mut().find(|other| other.bone == bone) {
                        Some(other) => other.weight += weight,
                        None => mesh.skin.influences.push(Influence { bone, weight: *weight }),
                    }
                }
            }
            let influences = &mut mesh.skin.influences[first..];
            let sum: f64 = influences.iter().map(|one| one.weight).sum();
            if sum > 0.0 {
                uneven += usize::from((sum - 1.0).abs() > SUM);
                influences.iter_mut().for_each(|one| one.weight /= sum);
            } else {
                unbound += 1;
                mesh.skin.influences.push(Influence { bone: 0, weight: 1.0 });
            }
            mesh.skin.starts.push(mesh.skin.influences.len() as u32);
        }
        mesh.stated.uneven += uneven;
        mesh.stated.unweighted += unbound;
        let path = path.to_owned();
        if uneven > 0 {
            let count = uneven;
            self.warnings.push(Finding::new(Problem::WeightSums { path: path.clone(), count }));
        }
        if unbound > 0 {
            self.warnings.push(Finding::new(Problem::Unbound { path, count: unbound }));
        }
        Ok(())
    }

    /// Adds the faces of a primitive, whose vertices start at `first`.
    fn faces(
        &mut self,
        primitive: &Primitive,
        path: &str,
        mesh: &mut Mesh,
        first: usize,
    ) -> Result<(), Finding> {
        let normals = self.attribute(primitive, "NORMAL", "VEC3", path)?;
        let uvs = self.attribute(primitive, "TEXCOORD_0", "VEC2", path)?;
        let count = match primitive.attributes.get("POSITION") {
            Some(accessor) => self.document.root.accessors.get(*accessor).map_or(0, |all| all.count),
            None => 0,
        };
        let order: Vec<usize> = match primitive.indices {
            Some(indices) => {
                let path = format!("{path}.indices");
                let order = self.document.floats(indices, "SCALAR", &path, self.limits)?;
                let bad = order.iter().position(|at| *at >= count as f64 || *at < 0.0);
                if let Some(at) = bad {
                    return Err(index(format!("{path}[{at}]"), order[at] as usize, "vertices", count));
                }
                order.into_iter().map(|at| at as usize).collect()
            }
            None => (0..count).collect(),
        };
        let three = |a: usize, b: usize, c: usize| [a, b, c].map(|at| order[at]);
        let length = order.len();
        let triangles: Vec<[usize; 3]> = match primitive.mode.unwrap_or(MODES[0]) {
            5 => (2..length)
                .map(|i| if i % 2 == 0 { three(i - 2, i - 1, i) } else { three(i - 1, i - 2, i) })
                .collect(),
            6 => (2..length).map(|i| three(0, i - 1, i)).collect(),
            _ => (0..length / 3).map(|i| three(3 * i, 3 * i + 1, 3 * i + 2)).collect(),
        };
        self.corners += 3 * triangles.len();
        self.check_size(self.corners, "corners of faces")?;
        if let Some(material) = primitive.material {
            mesh.materials.resize(mesh.faces.len(), self.plain);
            mesh.materials.resize(mesh.faces.len() + triangles.len(), material as u32);
        } else if !mesh.materials.is_empty() {
            mesh.materials.resize(mesh.faces.len() + triangles.len(), self.plain);
        }
        let before = mesh.corners.len();
        mesh.faces.resize(mesh.faces.len() + triangles.len(), 3);
        let corners = || triangles.iter().flatten();
        mesh.corners.extend(corners().map(|at| (first + at) as u32));
        let parts = Parts { before, added: 3 * triangles.len() };
        if let Some(normals) = normals.filter(|normals| normals.len() >= 3 * count) {
            let normal = |at: &usize| {
                let normal = Vector3::from_column_slice(&normals[3 * at..3 * at + 3]);
                normal.try_normalize(1e-9).unwrap_or(normal)
            };
            parts.extend(&mut mesh.normals, corners().map(normal), Vector3::zeros());
        }
        if let Some(uvs) = uvs.filter(|uvs| uvs.len() >= 2 * count) {
            parts.extend(&mut mesh.uvs, corners().map(|at| [uvs[2 * at], 1.0 - uvs[2 * at + 1]]), [0.0; 2]);
        }
        parts.complete(&mut mesh.normals, Vector3::zeros());
        parts.complete(&mut mesh.uvs, [0.0; 2]);
        Ok(())
    }

    fn check_size(&self, found: usize, what: &'static str) -> Result<(), Finding> {
        let limit = self.limits.samples;
        if found > limit { Err(Finding::new(LimitExceeded { what, found, limit })) } else { Ok(()) }
    }
}
