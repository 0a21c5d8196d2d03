//! From a body to meshes, skins and materials of a glTF file.
//!
//! Corners of faces become vertices; corners with the same vertex, normal and texture coordinate share one.

use std::collections::{BTreeMap, HashMap};

use mocap_model::{Body, Influence, JointId, Material, Mesh, Pose, Skeleton, Vector3};
use nalgebra::Matrix4;
use serde_json::{Map, Value, json};

use super::build::{
    Builder, FLOAT, INDICES, Shape, UNSIGNED_BYTE, UNSIGNED_INT, UNSIGNED_SHORT, VERTICES, bounds, bytes,
};
use super::problem::Problem;
use crate::Finding;
use crate::names::Unique;

/// A node whose mesh has shapes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MorphNode {
    pub(super) node: usize,
    /// The numbers over time that are the weights of its shapes: shapes of one name are numbered.
    pub(super) names: Vec<String>,
    /// The names of its shapes as they are. Where there is no number over time of a numbered name, that of this one counts:
    /// shapes of one name move together.
    pub(super) stated: Vec<String>,
    /// Their weights at rest.
    pub(super) rest: Vec<f64>,
}

/// Adds a body that follows the joints of a skeleton, which are nodes of the same numbers; returns the nodes that show
/// its meshes, and those of them with shapes.
pub(super) fn add_body(
    builder: &mut Builder,
    skeleton: &Skeleton,
    body: &Body,
    warnings: &mut Vec<Finding>,
) -> (Vec<usize>, Vec<MorphNode>) {
    let meshes: Vec<Mesh> = body.meshes.iter().map(|mesh| mesh.at_rest(skeleton)).collect();
    let skins = skins(skeleton, &meshes);
    let mut materials = Materials { all: &body.materials, written: BTreeMap::new() };
    let mut shown = Vec::with_capacity(meshes.len());
    for (mesh, skin) in meshes.iter().zip(&skins.of_mesh) {
        shown.push(add_mesh(builder, mesh, &skins.all[*skin], &mut materials, warnings));
    }
    let written: Vec<usize> = skins.all.iter().map(|skin| add_skin(builder, skin)).collect();
    let mut morphs = Vec::new();
    let nodes = meshes.iter().zip(&body.meshes).zip(shown).zip(&skins.of_mesh);
    let nodes = nodes.map(|(((mesh, given), index), skin)| {
        let name = if given.name.is_empty() { "Body" } else { &given.name };
        let node = builder.push("nodes", json!({ "name": name, "mesh": index, "skin": written[*skin] }));
        if !mesh.shapes.is_empty() {
            let stated: Vec<String> = mesh.shapes.iter().map(|shape| shape.name.clone()).collect();
            let mut unique = Unique::default();
            let names = stated.iter().map(|name| unique.claim(name)).collect();
            let rest = mesh.shapes.iter().map(|shape| shape.weight).collect();
            morphs.push(MorphNode { node, names, stated, rest });
        }
        node
    });
    let nodes = nodes.collect();
    (nodes, morphs)
}

/// The joints of a skin, each with its inverse bind matrix, by joint.
type Bound = BTreeMap<JointId, Matrix4<f64>>;

struct Skins {
    all: Vec<Bound>,
    of_mesh: Vec<usize>,
}

/// Skins, shared by meshes with equal bind matrices. The first skin lists every joint, so that readers recognise all of
/// them.
fn skins(skeleton: &Skeleton, meshes: &[Mesh]) -> Skins {
    let mut skins = Skins { all: vec![Bound::new()], of_mesh: Vec::new() };
    for mesh in meshes {
        // A mesh may list a joint twice with different matrices. glTF has one matrix per joint and skin, so the first
        // counts.
        let bones = &mesh.skin.bones;
        let fits = |skin: &Bound| {
            bones.iter().all(|bone| {
                skin.get(&bone.joint).is_none_or(|other| {
                    (other - bone.inverse_bind).amax() <= 1e-6 * other.amax().max(f64::MIN_POSITIVE)
                })
            })
        };
        let at = skins.all.iter().position(fits).unwrap_or(skins.all.len());
        if at == skins.all.len() {
            skins.all.push(Bound::new());
        }
        for bone in bones {
            skins.all[at].entry(bone.joint).or_insert(bone.inverse_bind);
        }
        skins.of_mesh.push(at);
    }
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    for (id, _) in skeleton.iter().filter(|(_, joint)| !joint.end_site) {
        let at_rest = || object.joints[id.index()].inverse().to_homogeneous();
        skins.all[0].entry(id).or_insert_with(at_rest);
    }
    skins
}

fn add_skin(builder: &mut Builder, skin: &Bound) -> usize {
    let inverses = skin.values().flat_map(|matrix| {
        // The last row must be exactly 0 0 0 1.
        (0..16).map(move |i| if i % 4 == 3 { f64::from(i == 15) } else { matrix.as_slice()[i] })
    });
    let shape = Shape { component: FLOAT, kind: "MAT4", count: skin.len(), normalized: false, target: None };
    let inverses = builder.accessor(&bytes(inverses), shape, None);
    let joints: Vec<u32> = skin.keys().map(|joint| joint.0).collect();
    builder.push("skins", json!({ "inverseBindMatrices": inverses, "joints": joints }))
}

/// A vertex of the file: one of the mesh, with the normal and the texture coordinate of a corner.
#[derive(Clone, Copy, PartialEq)]
struct Vertex {
    of_mesh: u32,
    normal: [f32; 3],
    uv: [f32; 2],
}

/// The vertices of the file in the order of the mesh, and the index of the vertex of each corner.
fn welded(mesh: &Mesh) -> (Vec<Vertex>, Vec<u32>) {
    let mut variants: Vec<Vec<Vertex>> = vec![Vec::new(); mesh.positions.len()];
    let mut picked = Vec::with_capacity(mesh.corners.len());
    let mut from = 0;
    for count in &mesh.faces {
        for corner in from..from + *count as usize {
            let of_mesh = mesh.corners[corner];
            let normal =
                mesh.normals.get(corner).map_or(Vector3::zeros(), |normal| match normal.norm() > 1e-9 {
                    true => *normal,
                    false => mesh.face_normal(from, *count as usize),
                });
            let uv = mesh.uvs.get(corner).map_or([0.0; 2], |uv| [uv[0], 1.0 - uv[1]]);
            let [x, y, z] = normal.into();
            let vertex =
                Vertex { of_mesh, normal: [x as f32, y as f32, z as f32], uv: uv.map(|value| value as f32) };
            let known = &mut variants[of_mesh as usize];
            let at = known.iter().position(|other| *other == vertex).unwrap_or_else(|| {
                known.push(vertex);
                known.len() - 1
            });
            picked.push((of_mesh, at as u32));
        }
        from += *count as usize;
    }
    let mut firsts = Vec::with_capacity(variants.len());
    let mut next = 0u32;
    for known in &variants {
        firsts.push(next);
        next += known.len() as u32;
    }
    let corners = picked.into_iter().map(|(vertex, at)| firsts[vertex as usize] + at).collect();
    (variants.concat(), corners)
}

/// Adds a mesh; returns its number.
fn add_mesh(
    builder: &mut Builder,
    mesh: &Mesh,
    skin: &Bound,
    materials: &mut Materials,
    warnings: &mut Vec<Finding>,
) -> usize {
    let (vertices, corners) = welded(mesh);
    let attributes = add_vertices(builder, mesh, &vertices, skin);
    // By material, the vertices of its triangles.
    let mut parts: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
    let mut from = 0;
    for (face, count) in mesh.faces.iter().enumerate() {
        let part = parts.entry(mesh.materials.get(face).copied()).or_default();
        let triangles = mesh.triangles_of(from, *count as usize);
        part.extend(triangles.iter().flatten().map(|corner| corners[from + *corner as usize]));
        from += *count as usize;
    }
    let targets: Vec<Value> = mesh.shapes.iter().map(|shape| target(builder, shape, &vertices)).collect();
    let mut primitives = Vec::with_capacity(parts.len());
    for (material, indices) in parts {
        let count = indices.len();
        let shape =
            |component| Shape { component, kind: "SCALAR", count, normalized: false, target: Some(INDICES) };
        let (indices, component) = match vertices.len() < 65_535 {
            true => {
                (indices.iter().flat_map(|at| (*at as u16).to_le_bytes()).collect::<Vec<_>>(), UNSIGNED_SHORT)
            }
            false => (indices.iter().flat_map(|at| at.to_le_bytes()).collect(), UNSIGNED_INT),
        };
        let indices = builder.accessor(&indices, shape(component), None);
        let mut primitive = json!({ "attributes": attributes, "indices": indices });
        if let Some(material) = material.and_then(|material| materials.add(builder, material, warnings)) {
            primitive["material"] = material.into();
        }
        if !targets.is_empty() {
            primitive["targets"] = targets.clone().into();
        }
        primitives.push(primitive);
    }
    let name = if mesh.name.is_empty() { "Body" } else { &mesh.name };
    let mut value = json!({ "name": name, "primitives": primitives });
    if !mesh.shapes.is_empty() {
        // The reader prefixes names of shapes with that of their node.
        let before = format!("{name}.");
        let names = mesh.shapes.iter().map(|shape| shape.name.strip_prefix(&before).unwrap_or(&shape.name));
        value["extras"] = json!({ "targetNames": names.collect::<Vec<_>>() });
        value["weights"] = mesh.shapes.iter().map(|shape| shape.weight).collect();
    }
    builder.push("meshes", value)
}

/// Adds the attributes of vertices; returns their accessors for the primitives.
fn add_vertices(builder: &mut Builder, mesh: &Mesh, vertices: &[Vertex], skin: &Bound) -> Value {
    let count = vertices.len();
    let shape = |component, kind| Shape { component, kind, count, normalized: false, target: Some(VERTICES) };
    let floats =
        |values: &mut dyn Iterator<Item = f32>| values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
    let places: Vec<Vector3<f64>> =
        vertices.iter().map(|vertex| mesh.positions[vertex.of_mesh as usize]).collect();
    let positions = bytes(places.iter().flat_map(|place| place.iter().copied()));
    let mut attributes = Map::new();
    let mut put = |name: String, accessor: usize| attributes.insert(name, accessor.into());
    put("POSITION".into(), builder.accessor(&positions, shape(FLOAT, "VEC3"), Some(bounds(&places))));
    if !mesh.normals.is_empty() {
        let normals = floats(&mut vertices.iter().flat_map(|vertex| vertex.normal));
        put("NORMAL".into(), builder.accessor(&normals, shape(FLOAT, "VEC3"), None));
    }
    if !mesh.uvs.is_empty() {
        let uvs = floats(&mut vertices.iter().flat_map(|vertex| vertex.uv));
        put("TEXCOORD_0".into(), builder.accessor(&uvs, shape(FLOAT, "VEC2"), None));
    }
    let places: HashMap<JointId, u16> =
        skin.keys().enumerate().map(|(at, joint)| (*joint, at as u16)).collect();
    let bound = |of_mesh: u32| {
        let mut influences: Vec<Influence> = mesh.skin.of(of_mesh as usize).to_vec();
        if influences.len() > 4 {
            // Largest weights first, for programs that read only one set of four.
            influences.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        }
        influences
    };
    let bound: Vec<Vec<Influence>> = vertices.iter().map(|vertex| bound(vertex.of_mesh)).collect();
    let sets = bound.iter().map(|influences| influences.len().div_ceil(4)).max().unwrap_or(1).max(1);
    for set in 0..sets {
        let of = |influences: &Vec<Influence>, i: usize| influences.get(4 * set + i).copied();
        let joint = |one: Influence| places[&mesh.skin.bones[one.bone as usize].joint];
        let joints = bound.iter().flat_map(|all| (0..4).map(move |i| of(all, i).map_or(0, joint)));
        let (joints, component) = match skin.len() <= 256 {
            true => (joints.map(|joint| joint as u8).collect::<Vec<_>>(), UNSIGNED_BYTE),
            false => (joints.flat_map(u16::to_le_bytes).collect(), UNSIGNED_SHORT),
        };
        put(format!("JOINTS_{set}"), builder.accessor(&joints, shape(component, "VEC4"), None));
        let weights =
            bound.iter().flat_map(|all| (0..4).map(move |i| of(all, i).map_or(0.0, |one| one.weight)));
        let weights = bytes(weights);
        put(format!("WEIGHTS_{set}"), builder.accessor(&weights, shape(FLOAT, "VEC4"), None));
    }
    attributes.into()
}

/// Adds a shape: the vertices that it moves, and by how much.
fn target(builder: &mut Builder, shape: &mocap_model::Shape, vertices: &[Vertex]) -> Value {
    let offsets: HashMap<u32, &Vector3<f64>> =
        shape.offsets.iter().map(|(vertex, offset)| (*vertex, offset)).collect();
    let moved = vertices.iter().enumerate();
    let moved: Vec<(u32, Vector3<f64>)> =
        moved.filter_map(|(at, vertex)| Some((at as u32, **offsets.get(&vertex.of_mesh)?))).collect();
    let mut places: Vec<Vector3<f64>> = moved.iter().map(|(_, offset)| *offset).collect();
    let values = bytes(places.iter().flat_map(|offset| offset.iter().copied()));
    if moved.len() < vertices.len() {
        places.push(Vector3::zeros());
    }
    let [min, max] = bounds(&places);
    let mut accessor = json!({
        "componentType": FLOAT, "count": vertices.len(), "type": "VEC3", "min": min, "max": max,
    });
    if !moved.is_empty() {
        let indices: Vec<u8> = moved.iter().flat_map(|(at, _)| at.to_le_bytes()).collect();
        let indices = builder.view(&indices, None);
        let values = builder.view(&values, None);
        accessor["sparse"] = json!({
            "count": moved.len(),
            "indices": { "bufferView": indices, "componentType": UNSIGNED_INT },
            "values": { "bufferView": values },
        });
    }
    json!({ "POSITION": builder.push("accessors", accessor) })
}

/// The materials of a body, written where a face has them.
struct Materials<'b> {
    all: &'b [Material],
    /// Index in the file by index in the body.
    written: BTreeMap<u32, usize>,
}

impl Materials<'_> {
    fn add(&mut self, builder: &mut Builder, at: u32, warnings: &mut Vec<Finding>) -> Option<usize> {
        if let Some(known) = self.written.get(&at) {
            return Some(*known);
        }
        let material = self.all.get(at as usize)?;
        let mut surface = json!({
            "baseColorFactor": material.colour, "metallicFactor": 0.0, "roughnessFactor": 0.8,
        });
        if let Some(image) = &material.image {
            let kind = match image.bytes.as_slice() {
                [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
                [0xFF, 0xD8, ..] => Some("image/jpeg"),
                _ => None,
            };
            match kind {
                Some(kind) => {
                    let view = builder.view(&image.bytes, None);
                    let mut value = json!({ "bufferView": view, "mimeType": kind });
                    if !image.name.is_empty() {
                        value["name"] = image.name.as_str().into();
                    }
                    let source = builder.push("images", value);
                    let texture = builder.push("textures", json!({ "source": source }));
                    surface["baseColorTexture"] = json!({ "index": texture });
                }
                None => warnings.push(Finding::new(Problem::ImageKind { name: image.name.clone() })),
            }
        }
        let mut value = json!({ "name": material.name, "pbrMetallicRoughness": surface });
        if material.colour[3] < 1.0 {
            value["alphaMode"] = "BLEND".into();
        }
        let written = builder.push("materials", value);
        self.written.insert(at, written);
        Some(written)
    }
}
