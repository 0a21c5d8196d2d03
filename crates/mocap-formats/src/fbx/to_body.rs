//! From a file to the body that it shows: polygons with their clusters, blend shapes and materials.
//!
//! Joints of the clip have no scale, so the effect of node scales on a mesh is baked into the inverse bind matrices.
//! These map from the space of the geometry to the frame of the joint, in the unit of the file.

use mocap_model::{
    Body, Bone, Image, Influence, JointId, Material, Mesh, Shape, Skin, StatedSkin, UnitQuaternion, Vector3,
    in_between_weight,
};
use nalgebra::{Matrix4, Quaternion};
use ufbx::{Matrix, Node, SceneRoot, TransformOverride, WarningType};

use super::Problem;
use super::document::Document;
use super::parse::{load_with_geometry, with_transforms};
use super::rest::at_rest_scales;
use super::scalars::full_weights;
use super::transforms::signs;
use crate::body::NAME;
use crate::{Finding, LimitExceeded, Limits, Parsed};

/// Tolerance of the sum of weights, without a warning.
const SUM: f64 = 0.02;

/// The body of a file; `None` of a file without meshes, and of one that this program drew.
///
/// # Errors
/// Where the file cannot be read a second time within the limits, or a number of a mesh is not finite.
pub(super) fn to_body(document: &Document, limits: &Limits) -> Result<Option<Parsed<Body>>, Finding> {
    if document.scene.meshes.is_empty() || document.is_drawn() {
        return Ok(None);
    }
    let scene = load_with_geometry(&document.bytes, limits, document.mirrored)?;
    let scene = with_stated_scales(scene, document, limits)?;
    let mut warnings = Vec::new();
    let bad = scene.metadata.warnings.iter().filter(|warning| warning.type_ == WarningType::IndexClamped);
    for warning in bad {
        let what = format!("meshes: {}", &*warning.description);
        warnings.push(Finding::new(Problem::Repaired { what }));
    }
    let mut reader =
        Reader { document, scene: &scene, turns: turns(&scene), limits, warnings, corners: 0, displaced: 0 };
    let mut body = Body { meshes: Vec::new(), materials: materials(&scene) };
    for mesh in &scene.meshes {
        for node in &mesh.element.instances {
            body.meshes.extend(reader.mesh(mesh, node)?);
        }
    }
    let warnings = reader.warnings;
    if body.meshes.is_empty() && warnings.is_empty() {
        return Ok(None);
    }
    Ok(Some(Parsed { value: body, warnings }))
}

impl Document {
    /// Whether its only mesh is a body that this program drew.
    pub(super) fn is_drawn(&self) -> bool {
        let creator = &self.scene.metadata.creator;
        let own = &**creator == "mocap" || creator.starts_with("mocap ");
        let meshes = &self.scene.meshes;
        let named =
            meshes.iter().all(|mesh| mesh.element.instances.iter().all(|node| &*node.element.name == NAME));
        let materials = &self.scene.materials;
        let plain = materials.len() == 1 && &*materials[0].element.name == NAME;
        own && meshes.len() == 1 && named && plain && self.scene.textures.is_empty()
    }
}

/// The scene with nodes scaled as all their keys state it: programs show that scale in place of the node's.
fn with_stated_scales(scene: SceneRoot, document: &Document, limits: &Limits) -> Result<SceneRoot, Finding> {
    let tree = &document.tree;
    let stated =
        tree.nodes.iter().zip(at_rest_scales(&document.scene, tree)).filter_map(|(node, transform)| {
            let other =
                vector(transform.scale) != vector(document.scene.nodes[node.node].local_transform.scale);
            other.then_some(TransformOverride { node_id: node.node as u32, transform })
        });
    let stated: Vec<TransformOverride> = stated.collect();
    match stated.is_empty() {
        true => Ok(scene),
        false => with_transforms(scene, &stated, &document.bytes, limits),
    }
}

/// By node: its rotation in the scene at rest, without scales.
fn turns(scene: &SceneRoot) -> Vec<UnitQuaternion<f64>> {
    let mut turns: Vec<UnitQuaternion<f64>> = Vec::with_capacity(scene.nodes.len());
    // Parents come first in the list.
    for node in &scene.nodes {
        let q = &node.local_transform.rotation;
        let local = UnitQuaternion::new_normalize(Quaternion::new(q.w, q.x, q.y, q.z));
        let half = signs(node, vector(node.local_transform.scale)).half_turn;
        let local = half.map_or(local, |half| local * half);
        let above = node.parent.as_ref().map(|parent| turns[parent.element.typed_id as usize]);
        turns.push(above.map_or(local, |above| above * local));
    }
    turns
}

fn matrix(m: &Matrix) -> Matrix4<f64> {
    Matrix4::new(
        m.m00, m.m01, m.m02, m.m03, m.m10, m.m11, m.m12, m.m13, m.m20, m.m21, m.m22, m.m23, 0.0, 0.0, 0.0,
        1.0,
    )
}

fn vector(v: ufbx::Vec3) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

struct Reader<'d> {
    document: &'d Document,
    scene: &'d SceneRoot,
    turns: Vec<UnitQuaternion<f64>>,
    limits: &'d Limits,
    warnings: Vec<Finding>,
    /// Number of corners of all meshes so far.
    corners: usize,
    /// Number of displacements in the shapes of all meshes so far. A file can use one shape in many channels, so its
    /// size does not bound it.
    displaced: usize,
}

impl Reader<'_> {
    /// A mesh as a node shows it; `None` with a warning where no joint moves it.
    fn mesh(&mut self, source: &ufbx::Mesh, node: &Node) -> Result<Option<Mesh>, Finding> {
        let name = if node.element.name.is_empty() { &source.element.name } else { &node.element.name };
        let mut mesh = Mesh { name: name.to_string(), ..Mesh::default() };
        self.corners += source.num_indices;
        self.check_size(source.num_vertices, "vertices")?;
        self.check_size(self.corners, "corners of faces")?;
        mesh.positions = source.vertices.iter().map(|place| vector(*place)).collect();
        let bad = mesh.positions.iter().position(|place| !place.iter().all(|value| value.is_finite()));
        if let Some(vertex) = bad {
            let path = format!("mesh '{}', vertex {vertex}", mesh.name);
            return Err(Finding::new(Problem::NotFinite { path }));
        }
        let Some((skin, stated)) = self.skin(source, node, &mesh.name)? else {
            self.warnings.push(Finding::new(Problem::MeshWithoutJoint { mesh: mesh.name }));
            return Ok(None);
        };
        (mesh.skin, mesh.stated) = (skin, stated);
        faces(source, node, &mut mesh);
        mesh.shapes = self.shapes(source, &mesh)?;
        Ok((!mesh.faces.is_empty()).then_some(mesh))
    }

    fn check_size(&self, found: usize, what: &'static str) -> Result<(), Finding> {
        let limit = self.limits.samples;
        if found > limit { Err(Finding::new(LimitExceeded { what, found, limit })) } else { Ok(()) }
    }

    /// The joint of a node.
    fn joint(&self, node: &Node) -> Option<JointId> {
        let tree = &self.document.tree;
        let place = tree.places.get(&(node.element.typed_id as usize))?;
        tree.nodes[*place].joint.map(JointId::from)
    }

    /// From the scene to the frame of a joint, with the nodes at rest.
    fn frame_inverse(&self, node: &Node) -> Matrix4<f64> {
        let turn = self.turns[node.element.typed_id as usize];
        let m = &node.node_to_world;
        turn.inverse().to_homogeneous() * Matrix4::new_translation(&-Vector3::new(m.m03, m.m13, m.m23))
    }

    /// The bone of a mesh without a cluster: the joint of its node, else of the nearest node above.
    fn held(&self, node: &Node) -> Option<Bone> {
        let mut above = std::iter::successors(Some(node), |node| node.parent.as_deref());
        let (found, joint) = above.find_map(|node| Some((node, self.joint(node)?)))?;
        let inverse_bind = self.frame_inverse(found) * matrix(&node.geometry_to_world);
        Some(Bone { joint, inverse_bind })
    }

    /// The skin of a mesh; `None` where no joint moves it.
    fn skin(
        &mut self,
        source: &ufbx::Mesh,
        node: &Node,
        name: &str,
    ) -> Result<Option<(Skin, StatedSkin)>, Finding> {
        let count = source.num_vertices;
        let bound = || source.skin_deformers.iter().filter(|skin| !skin.clusters.is_empty());
        let further = bound().count().saturating_sub(1);
        if further > 0 {
            let mesh = name.to_owned();
            self.warnings.push(Finding::new(Problem::FurtherSkins { mesh, count: further }));
        }
        let Some(deformer) = bound().next() else {
            let rigid = StatedSkin { rigid: true, ..StatedSkin::default() };
            let held = |bone| Skin {
                bones: vec![bone],
                starts: (0..=count as u32).collect(),
                influences: vec![Influence { bone: 0, weight: 1.0 }; count],
            };
            return Ok(self.held(node).map(|bone| (held(bone), rigid)));
        };
        let mut skin = Skin { bones: Vec::new(), starts: vec![0], influences: Vec::new() };
        // By cluster: its bone.
        let mut bones: Vec<Option<u32>> = Vec::with_capacity(deformer.clusters.len());
        for cluster in &deformer.clusters {
            let found = cluster.bone_node.as_ref().and_then(|node| Some((node, self.joint(node)?)));
            bones.push(found.map(|(node, joint)| {
                let unscaled = self.frame_inverse(node) * matrix(&node.node_to_world);
                let inverse_bind = unscaled * matrix(&cluster.geometry_to_bone);
                skin.bones.push(Bone { joint, inverse_bind });
                skin.bones.len() as u32 - 1
            }));
        }
        if let Some(at) = skin.bones.iter().position(|bone| !bone.inverse_bind.iter().all(|v| v.is_finite()))
        {
            let joint = &self.document.tree.joints[skin.bones[at].joint.index()].name;
            let path = format!("mesh '{name}', bind matrix of '{joint}'");
            return Err(Finding::new(Problem::NotFinite { path }));
        }
        let mut held: Option<u32> = None;
        let (mut uneven, mut unbound) = (0, 0);
        for vertex in 0..count {
            let first = skin.influences.len();
            let of = deformer.vertices.get(vertex);
            let range = of.map_or(0..0, |of| {
                let from = of.weight_begin as usize;
                from..from + of.num_weights as usize
            });
            for weight in deformer.weights.iter().skip(range.start).take(range.len()) {
                let Some(bone) = bones[weight.cluster_index as usize] else { continue };
                if !weight.weight.is_finite() {
                    let path = format!("mesh '{name}', a weight of vertex {vertex}");
                    return Err(Finding::new(Problem::NotFinite { path }));
                }
                if weight.weight > 0.0 {
                    skin.influences.push(Influence { bone, weight: weight.weight });
                }
            }
            let influences = &mut skin.influences[first..];
            let sum: f64 = influences.iter().map(|one| one.weight).sum();
            if sum > 0.0 {
                uneven += usize::from((sum - 1.0).abs() > SUM);
                // Weights are not rescaled if their sum differs from 1 only by rounding.
                if (sum - 1.0).abs() > 1e-12 {
                    influences.iter_mut().for_each(|one| one.weight /= sum);
                }
            } else {
                unbound += 1;
                let bone = match held {
                    Some(bone) => bone,
                    None => {
                        skin.bones.push(self.left(node));
                        *held.insert(skin.bones.len() as u32 - 1)
                    }
                };
                skin.influences.push(Influence { bone, weight: 1.0 });
            }
            skin.starts.push(skin.influences.len() as u32);
        }
        let mesh = name.to_owned();
        if uneven > 0 {
            self.warnings.push(Finding::new(Problem::WeightSums { mesh: mesh.clone(), count: uneven }));
        }
        if unbound > 0 {
            self.warnings.push(Finding::new(Problem::Unbound { mesh, count: unbound }));
        }
        Ok(Some((skin, StatedSkin { rigid: false, uneven, unweighted: unbound })))
    }

    /// The bone of vertices that no cluster moves: the joint above the mesh, else the first one.
    fn left(&self, node: &Node) -> Bone {
        self.held(node).unwrap_or_else(|| {
            let tree = &self.document.tree;
            let first = &self.scene.nodes[tree.node(&tree.joints[0]).node];
            let inverse_bind = self.frame_inverse(first) * matrix(&node.geometry_to_world);
            Bone { joint: JointId(0), inverse_bind }
        })
    }

    /// The blend shapes, with the names of their scalar tracks.
    fn shapes(&mut self, source: &ufbx::Mesh, mesh: &Mesh) -> Result<Vec<Shape>, Finding> {
        let mut shapes = Vec::new();
        let channels = source.blend_deformers.iter().flat_map(|deformer| deformer.channels.iter());
        for channel in channels {
            let Some(whole) = channel.target_shape.as_ref() else { continue };
            let full = full_weights(channel);
            let (last, count) = (full.len() - 1, mesh.positions.len());
            self.displaced = self.displaced.saturating_add(full.len().saturating_mul(whole.num_offsets));
            self.check_size(self.displaced, "displacements of shapes")?;
            // Channels of one element in both scenes have the same name.
            let known = |at: usize| {
                self.document.scalars.iter().find(|source| {
                    let element = self.document.scene.elements.get(source.element as usize);
                    let own = source.between.as_ref().map_or(last, |between| between.at) == at;
                    own && source.element == channel.element.element_id
                        && element.is_some_and(|element| *element.name == *channel.element.name)
                })
            };
            let weight = if channel.weight.is_finite() { channel.weight } else { 0.0 };
            // The factor from the full weight to 1; a shape that is fully applied at 0 has no effect.
            let unit = if full[last] == 0.0 { 0.0 } else { 1.0 / full[last] };
            let per_weight = scaled(offsets(whole, count), unit);
            for at in std::iter::once(last).chain(0..last) {
                let name =
                    known(at).map_or_else(|| channel.element.name.to_string(), |known| known.name.clone());
                let (offsets, weight) = match at == last {
                    true => (per_weight.clone(), weight),
                    // Displacements add up, so an in-between holds the difference to the scaled whole shape.
                    false => {
                        let linear = scaled(per_weight.clone(), -full[at]);
                        let own = offsets(&channel.keyframes[at].shape, count);
                        (sum(own, linear), in_between_weight(&full, at, weight))
                    }
                };
                if offsets.iter().any(|(_, offset)| !offset.iter().all(|value| value.is_finite())) {
                    let path = format!("mesh '{}', shape '{name}'", mesh.name);
                    return Err(Finding::new(Problem::NotFinite { path }));
                }
                shapes.push(Shape { name, offsets, weight });
            }
        }
        Ok(shapes)
    }
}

/// Vertices that a shape moves, in increasing order, and by how much.
type Offsets = Vec<(u32, Vector3<f64>)>;

fn offsets(shape: &ufbx::BlendShape, vertices: usize) -> Offsets {
    let all = shape.offset_vertices.iter().zip(&shape.position_offsets);
    let known = all.filter(|(vertex, _)| (**vertex as usize) < vertices);
    let mut offsets: Offsets = known.map(|(vertex, offset)| (*vertex, vector(*offset))).collect();
    offsets.sort_by_key(|(vertex, _)| *vertex);
    offsets.dedup_by_key(|(vertex, _)| *vertex);
    offsets
}

fn scaled(mut offsets: Offsets, by: f64) -> Offsets {
    if by != 1.0 {
        offsets.iter_mut().for_each(|(_, offset)| *offset *= by);
    }
    offsets
}

fn sum(mut one: Offsets, other: Offsets) -> Offsets {
    one.extend(other);
    one.sort_by_key(|(vertex, _)| *vertex);
    one.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    one
}

/// Adds the polygons; those with fewer than three corners are points and lines.
fn faces(source: &ufbx::Mesh, node: &Node, mesh: &mut Mesh) {
    let has_normals = source.vertex_normal.exists;
    let has_uvs = source.vertex_uv.exists;
    let materials = if node.materials.is_empty() { &source.materials } else { &node.materials };
    for (at, face) in source.faces.iter().enumerate().filter(|(_, face)| face.num_indices >= 3) {
        mesh.faces.push(face.num_indices);
        for corner in face.index_begin as usize..(face.index_begin + face.num_indices) as usize {
            mesh.corners.push(source.vertex_indices[corner]);
            if has_normals {
                let normal = vector(source.vertex_normal[corner]);
                let normal =
                    if normal.iter().all(|value| value.is_finite()) { normal } else { Vector3::zeros() };
                mesh.normals.push(normal.try_normalize(1e-9).unwrap_or_default());
            }
            if has_uvs {
                let uv = source.vertex_uv[corner];
                let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
                mesh.uvs.push([finite(uv.x), finite(uv.y)]);
            }
        }
        let material = source.face_material.get(at).and_then(|material| materials.get(*material as usize));
        let material = material.or_else(|| materials.first());
        mesh.materials.extend(material.map(|material| material.element.typed_id));
    }
    if mesh.materials.len() < mesh.faces.len() {
        mesh.materials.clear();
    }
}

/// All materials of a file.
fn materials(scene: &SceneRoot) -> Vec<Material> {
    let all = scene.materials.iter().map(|material| {
        let (pbr, fbx) = (&material.pbr, &material.fbx);
        let map = if pbr.base_color.has_value { &pbr.base_color } else { &fbx.diffuse_color };
        let texture = [&pbr.base_color, &fbx.diffuse_color].into_iter().find_map(|map| map.texture.as_ref());
        let texture = texture.map(|texture| texture.file_textures.first().unwrap_or(texture));
        let image = texture.map(|texture| Image {
            name: file_name(&texture.filename)
                .or_else(|| file_name(&texture.relative_filename))
                .unwrap_or_default(),
            bytes: texture.content.to_vec(),
        });
        let value = &map.value_vec4;
        let opacity = if pbr.opacity.has_value { pbr.opacity.value_vec4.x } else { 1.0 };
        // An image replaces the colour.
        let [r, g, b] =
            if image.is_some() || !map.has_value { [1.0; 3] } else { [value.x, value.y, value.z] };
        let colour =
            [r, g, b, opacity].map(|value| if value.is_finite() { value.clamp(0.0, 1.0) } else { 1.0 });
        Material { name: material.element.name.to_string(), colour, image }
    });
    all.collect()
}

/// The name of a file without its folders.
fn file_name(path: &str) -> Option<String> {
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).map(str::to_owned)
}
