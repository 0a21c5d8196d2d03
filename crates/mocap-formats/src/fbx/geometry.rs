//! The body of a skeleton as a mesh that follows its joints.

use mocap_model::{JointId, Skeleton};
use nalgebra::Matrix4;

use super::record::{Property, Record, class, doubles, field, integers, number, properties, property};
use super::scene::Scene;
use crate::WriteOptions;
use crate::body::{self, Mesh};

/// Adds the body; returns the number of its node, or `None` without a body.
pub(super) fn skin(
    scene: &mut Scene,
    skeleton: &Skeleton,
    binds: &[Matrix4<f64>],
    options: &WriteOptions,
) -> Option<i64> {
    let mesh = body::mesh(skeleton, options.mesh.unwrap_or_default())?;
    let [node, geometry, material, skin] = [(); 4].map(|()| scene.claim());
    let model = vec![node.into(), class("Body", "Model"), "Mesh".into()];
    scene.objects.push(Record::new("Model", model).with([
        field("Version", 232),
        properties([
            property("InheritType", ["enum", "", ""], &[1.into()]),
            property("DefaultAttributeIndex", ["int", "Integer", ""], &[0.into()]),
        ]),
        field("Shading", Property::Char(b'Y')),
        field("Culling", "CullingOff"),
    ]));
    scene.objects.push(surface(geometry, &mesh));
    let grey = [0.8, 0.8, 0.8].map(Property::from);
    let head = vec![material.into(), class("Body", "Material"), "".into()];
    scene.objects.push(Record::new("Material", head).with([
        field("Version", 102),
        field("ShadingModel", "lambert"),
        field("MultiLayer", 0),
        properties([property("DiffuseColor", ["Color", "", "A"], &grey), number("DiffuseFactor", 1.0)]),
    ]));
    let head = vec![skin.into(), class("Body", "Deformer"), "Skin".into()];
    scene
        .objects
        .push(Record::new("Deformer", head).with([field("Version", 101), field("Link_DeformAcuracy", 50.0)]));
    scene.connect(node, 0);
    scene.connect(geometry, node);
    scene.connect(material, node);
    scene.connect(skin, geometry);
    for (id, joint) in skeleton.iter() {
        let (vertices, weights) = bound(&mesh, id);
        if !vertices.is_empty() {
            let cluster = scene.claim();
            let head = vec![cluster.into(), class(&joint.name, "SubDeformer"), "Cluster".into()];
            let bind = binds[id.index()];
            let inverse = bind.try_inverse().unwrap_or_else(Matrix4::identity);
            scene.objects.push(Record::new("Deformer", head).with([
                field("Version", 100),
                Record::new("UserData", vec!["".into(), "".into()]),
                field("Indexes", integers(&vertices)),
                field("Weights", doubles(&weights)),
                field("Transform", doubles(inverse.as_slice())),
                field("TransformLink", doubles(bind.as_slice())),
            ]));
            scene.connect(cluster, skin);
            scene.connect(scene.node(id), cluster);
        }
    }
    Some(node)
}

/// The vertices and triangles of a mesh.
fn surface(geometry: i64, mesh: &Mesh) -> Record {
    let places: Vec<f64> = mesh.positions.iter().flat_map(|place| [place.x, place.y, place.z]).collect();
    let corner = |vertex: u32| i32::try_from(vertex).expect("a body has fewer than 2^31 vertices");
    // The last corner of a polygon is marked by the complement.
    let polygons = mesh.triangles.iter().flat_map(|[a, b, c]| [corner(*a), corner(*b), !corner(*c)]);
    let normals = mesh.triangles.iter().flatten().flat_map(|vertex| {
        let normal = &mesh.normals[*vertex as usize];
        [normal.x, normal.y, normal.z]
    });
    let layer_element = |kind: &str| {
        Record::new("LayerElement", Vec::new()).with([field("Type", kind), field("TypedIndex", 0)])
    };
    let head = vec![geometry.into(), class("Body", "Geometry"), "Mesh".into()];
    Record::new("Geometry", head).with([
        field("GeometryVersion", 124),
        field("Vertices", doubles(&places)),
        field("PolygonVertexIndex", integers(&polygons.collect::<Vec<i32>>())),
        field("LayerElementNormal", 0).with([
            field("Version", 101),
            field("Name", ""),
            field("MappingInformationType", "ByPolygonVertex"),
            field("ReferenceInformationType", "Direct"),
            field("Normals", doubles(&normals.collect::<Vec<f64>>())),
        ]),
        field("LayerElementMaterial", 0).with([
            field("Version", 101),
            field("Name", ""),
            field("MappingInformationType", "AllSame"),
            field("ReferenceInformationType", "IndexToDirect"),
            field("Materials", integers(&[0])),
        ]),
        field("Layer", 0).with([
            field("Version", 100),
            layer_element("LayerElementNormal"),
            layer_element("LayerElementMaterial"),
        ]),
    ])
}

/// The vertices that a joint moves, and how much of them.
fn bound(mesh: &Mesh, joint: JointId) -> (Vec<i32>, Vec<f64>) {
    let mut vertices = Vec::new();
    let mut weights = Vec::new();
    for (vertex, (joints, shares)) in mesh.joints.iter().zip(&mesh.weights).enumerate() {
        let share: f64 =
            joints.iter().zip(shares).filter(|(other, _)| **other == joint).map(|(_, share)| share).sum();
        if share > 0.0 {
            vertices.push(i32::try_from(vertex).expect("a body has fewer than 2^31 vertices"));
            weights.push(share);
        }
    }
    (vertices, weights)
}
