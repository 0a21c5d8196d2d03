//! A body as meshes that follow joints: polygons, clusters, shapes and materials.

use std::collections::BTreeMap;

use mocap_model::{Body, Image, Material, Mesh, Shape, Skeleton};
use nalgebra::Matrix4;

use super::record::{Property, Record, class, doubles, field, integers, number, properties, property};
use super::scene::Scene;

/// The property of a channel of shapes that is its weight \[percent\].
pub(super) const DEFORM: &str = "DeformPercent";
/// Relative tolerance up to which a bone counts as bound in the rest pose: rounding.
const AT_REST: f64 = 1e-12;

/// The object that holds the weight of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Channel {
    pub(super) id: i64,
    /// The number over time that is its weight.
    pub(super) name: String,
}

/// The objects that were added for a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Added {
    /// The nodes that show its meshes.
    pub(super) nodes: Vec<i64>,
    /// The weights of its shapes.
    pub(super) channels: Vec<Channel>,
}

/// Adds a body. Updates `binds` for joints that a mesh binds in another pose than the rest pose.
pub(super) fn add_body(
    scene: &mut Scene,
    skeleton: &Skeleton,
    binds: &mut [Matrix4<f64>],
    body: &Body,
) -> Added {
    let mut added = Added::default();
    let mut materials: BTreeMap<u32, i64> = BTreeMap::new();
    let at_rest = binds.to_vec();
    for mesh in &body.meshes {
        let mesh = mesh.at_rest(skeleton);
        add_mesh(scene, skeleton, (&at_rest, binds), (&mesh, &body.materials), &mut materials, &mut added);
    }
    added
}

fn add_mesh(
    scene: &mut Scene,
    skeleton: &Skeleton,
    (at_rest, binds): (&[Matrix4<f64>], &mut [Matrix4<f64>]),
    (mesh, materials): (&Mesh, &[Material]),
    written: &mut BTreeMap<u32, i64>,
    added: &mut Added,
) {
    let name = if mesh.name.is_empty() { "Body" } else { &mesh.name };
    let [node, geometry] = [(); 2].map(|()| scene.claim());
    // The materials of this mesh, in the order in which its faces name them by number.
    let mut used: Vec<u32> = mesh.materials.clone();
    used.sort_unstable();
    used.dedup();
    used.retain(|material| (*material as usize) < materials.len());
    let model = vec![node.into(), class(name, "Model"), "Mesh".into()];
    scene.objects.push(Record::new("Model", model).with([
        field("Version", 232),
        properties([
            property("InheritType", ["enum", "", ""], &[1.into()]),
            property("DefaultAttributeIndex", ["int", "Integer", ""], &[0.into()]),
        ]),
        field("Shading", Property::Char(b'Y')),
        field("Culling", "CullingOff"),
    ]));
    scene.objects.push(surface(geometry, name, mesh, &used));
    scene.connect(node, 0);
    scene.connect(geometry, node);
    for at in &used {
        let material = *written.entry(*at).or_insert_with(|| add_material(scene, &materials[*at as usize]));
        scene.connect(material, node);
    }
    add_skin(scene, skeleton, (at_rest, binds), (mesh, name), geometry);
    add_shapes(scene, mesh, geometry, added);
    added.nodes.push(node);
}

fn add_skin(
    scene: &mut Scene,
    skeleton: &Skeleton,
    (at_rest, binds): (&[Matrix4<f64>], &mut [Matrix4<f64>]),
    (mesh, name): (&Mesh, &str),
    geometry: i64,
) {
    let skin = scene.claim();
    let head = vec![skin.into(), class(name, "Deformer"), "Skin".into()];
    scene
        .objects
        .push(Record::new("Deformer", head).with([field("Version", 101), field("Link_DeformAcuracy", 50.0)]));
    scene.connect(skin, geometry);
    for (bone, (vertices, weights)) in mesh.skin.bones.iter().zip(bound(mesh)) {
        if vertices.is_empty() {
            continue;
        }
        let rest = at_rest[bone.joint.index()];
        let off = (bone.inverse_bind * rest - Matrix4::identity()).amax();
        let link = match off <= AT_REST * rest.amax().max(1.0) {
            true => Some(rest),
            false => bone.inverse_bind.try_inverse(),
        };
        let link = link.unwrap_or(rest);
        // The mesh is in the space of the scene.
        let inverse = link.try_inverse().unwrap_or_else(Matrix4::identity);
        binds[bone.joint.index()] = link;
        let cluster = scene.claim();
        let joint = skeleton.joint(bone.joint);
        let head = vec![cluster.into(), class(&joint.name, "SubDeformer"), "Cluster".into()];
        scene.objects.push(Record::new("Deformer", head).with([
            field("Version", 100),
            Record::new("UserData", vec!["".into(), "".into()]),
            field("Indexes", integers(&vertices)),
            field("Weights", doubles(&weights)),
            field("Transform", doubles(inverse.as_slice())),
            field("TransformLink", doubles(link.as_slice())),
        ]));
        scene.connect(cluster, skin);
        scene.connect(scene.node(bone.joint), cluster);
    }
}

/// Adds the shapes of a mesh: a channel for each, whose weight moves it.
fn add_shapes(scene: &mut Scene, mesh: &Mesh, geometry: i64, added: &mut Added) {
    if mesh.shapes.is_empty() {
        return;
    }
    let deformer = scene.claim();
    let head = vec![deformer.into(), class("", "Deformer"), "BlendShape".into()];
    scene.objects.push(Record::new("Deformer", head).with([field("Version", 100)]));
    scene.connect(deformer, geometry);
    for shape in &mesh.shapes {
        let [channel, target] = [(); 2].map(|()| scene.claim());
        let percent = 100.0 * shape.weight;
        let head = vec![channel.into(), class(&shape.name, "SubDeformer"), "BlendShapeChannel".into()];
        scene.objects.push(Record::new("Deformer", head).with([
            field("Version", 100),
            field(DEFORM, percent),
            field("FullWeights", doubles(&[100.0])),
            properties([property(DEFORM, ["Number", "", "A"], &[percent.into()])]),
        ]));
        scene.objects.push(displaced(target, shape));
        scene.connect(channel, deformer);
        scene.connect(target, channel);
        added.channels.push(Channel { id: channel, name: shape.name.clone() });
    }
}

/// The vertices that a shape moves, and by how much.
fn displaced(target: i64, shape: &Shape) -> Record {
    let vertices: Vec<i32> = shape.offsets.iter().map(|(vertex, _)| whole(*vertex)).collect();
    let offsets: Vec<f64> = shape.offsets.iter().flat_map(|(_, offset)| offset.iter().copied()).collect();
    let head = vec![target.into(), class(&shape.name, "Geometry"), "Shape".into()];
    Record::new("Geometry", head).with([
        field("Version", 100),
        field("Indexes", integers(&vertices)),
        field("Vertices", doubles(&offsets)),
        field("Normals", doubles(&vec![0.0; offsets.len()])),
    ])
}

fn add_material(scene: &mut Scene, material: &Material) -> i64 {
    let id = scene.claim();
    let colour = [0, 1, 2].map(|i| Property::from(material.colour[i]));
    let mut own = vec![property("DiffuseColor", ["Color", "", "A"], &colour), number("DiffuseFactor", 1.0)];
    if material.colour[3] < 1.0 {
        own.push(number("Opacity", material.colour[3]));
        own.push(number("TransparencyFactor", 1.0 - material.colour[3]));
    }
    let head = vec![id.into(), class(&material.name, "Material"), "".into()];
    scene.objects.push(Record::new("Material", head).with([
        field("Version", 102),
        field("ShadingModel", "lambert"),
        field("MultiLayer", 0),
        properties(own),
    ]));
    if let Some(image) = &material.image {
        add_texture(scene, material, image, id);
    }
    id
}

/// Adds the image of a material, within the file where its content is known.
fn add_texture(scene: &mut Scene, material: &Material, image: &Image, id: i64) {
    let [texture, video] = [(); 2].map(|()| scene.claim());
    let name = if material.name.is_empty() { "Image" } else { &material.name };
    let extension = if image.bytes.starts_with(&[0xFF, 0xD8]) { "jpg" } else { "png" };
    let file = match image.name.contains('.') {
        true => image.name.clone(),
        false if image.name.is_empty() => format!("{name}.{extension}"),
        false => format!("{}.{extension}", image.name),
    };
    let head = vec![video.into(), class(name, "Video"), "Clip".into()];
    let mut clip = Record::new("Video", head).with([
        field("Type", "Clip"),
        properties([property("Path", ["KString", "XRefUrl", ""], &[file.as_str().into()])]),
        field("UseMipMap", 0),
        field("Filename", file.as_str()),
        field("RelativeFilename", file.as_str()),
    ]);
    if !image.bytes.is_empty() {
        let length = u32::try_from(image.bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
        let content = [b"R", &length[..], &image.bytes].concat();
        clip = clip.with([Record::new("Content", vec![Property::Raw(content)])]);
    }
    scene.objects.push(clip);
    let head = vec![texture.into(), class(name, "Texture"), "".into()];
    scene.objects.push(Record::new("Texture", head).with([
        field("Type", "TextureVideoClip"),
        field("Version", 202),
        field("TextureName", class(name, "Texture")),
        field("Media", class(name, "Video")),
        field("FileName", file.as_str()),
        field("RelativeFilename", file.as_str()),
    ]));
    scene.connect(video, texture);
    scene.drive(texture, id, "DiffuseColor");
}

/// The vertices and polygons of a mesh.
fn surface(geometry: i64, name: &str, mesh: &Mesh, used: &[u32]) -> Record {
    let places: Vec<f64> = mesh.positions.iter().flat_map(|place| [place.x, place.y, place.z]).collect();
    // FBX marks the last corner of a polygon by its bitwise complement.
    let mut polygons: Vec<i32> = Vec::with_capacity(mesh.corners.len());
    for count in &mesh.faces {
        let from = polygons.len();
        polygons.extend(mesh.corners[from..from + *count as usize].iter().map(|corner| whole(*corner)));
        polygons.last_mut().into_iter().for_each(|corner| *corner = !*corner);
    }
    let layer_element = |kind: &str| {
        Record::new("LayerElement", Vec::new()).with([field("Type", kind), field("TypedIndex", 0)])
    };
    let layer = |kind: &'static str, how: &str, reference: &str| {
        field(kind, 0).with([
            field("Version", 101),
            field("Name", ""),
            field("MappingInformationType", how),
            field("ReferenceInformationType", reference),
        ])
    };
    let mut layers = Vec::new();
    let mut elements = vec![field("Version", 100)];
    if !mesh.normals.is_empty() {
        let normals: Vec<f64> = mesh.normals.iter().flat_map(|normal| normal.iter().copied()).collect();
        let normals = field("Normals", doubles(&normals));
        layers.push(layer("LayerElementNormal", "ByPolygonVertex", "Direct").with([normals]));
        elements.push(layer_element("LayerElementNormal"));
    }
    if !mesh.uvs.is_empty() {
        let uvs: Vec<f64> = mesh.uvs.iter().flatten().copied().collect();
        let indices: Vec<i32> = (0..mesh.uvs.len() as u32).map(whole).collect();
        let values = [field("UV", doubles(&uvs)), field("UVIndex", integers(&indices))];
        layers.push(layer("LayerElementUV", "ByPolygonVertex", "IndexToDirect").with(values));
        elements.push(layer_element("LayerElementUV"));
    }
    if !used.is_empty() {
        let at = |material: &u32| used.binary_search(material).map_or(0, |at| whole(at as u32));
        let all: Vec<i32> = match used {
            [_] => vec![0],
            _ => mesh.materials.iter().map(at).collect(),
        };
        let how = if used.len() == 1 { "AllSame" } else { "ByPolygon" };
        let all = field("Materials", integers(&all));
        layers.push(layer("LayerElementMaterial", how, "IndexToDirect").with([all]));
        elements.push(layer_element("LayerElementMaterial"));
    }
    let head = vec![geometry.into(), class(name, "Geometry"), "Mesh".into()];
    Record::new("Geometry", head)
        .with([
            field("GeometryVersion", 124),
            field("Vertices", doubles(&places)),
            field("PolygonVertexIndex", integers(&polygons)),
        ])
        .with(layers)
        .with([field("Layer", 0).with(elements)])
}

/// By bone: the vertices that it moves, and how much of them.
fn bound(mesh: &Mesh) -> Vec<(Vec<i32>, Vec<f64>)> {
    let mut bound = vec![(Vec::new(), Vec::new()); mesh.skin.bones.len()];
    for vertex in 0..mesh.positions.len() {
        for one in mesh.skin.of(vertex).iter().filter(|one| one.weight > 0.0) {
            let (vertices, weights) = &mut bound[one.bone as usize];
            vertices.push(whole(vertex as u32));
            weights.push(one.weight);
        }
    }
    bound
}

fn whole(value: u32) -> i32 {
    i32::try_from(value).expect("a body has fewer than 2^31 vertices")
}
