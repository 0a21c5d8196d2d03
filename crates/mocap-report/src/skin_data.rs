//! A mesh on a page: quantised and encoded, from which the page builds the buffers of the graphics card.
//!
//! Positions are rounded to 1/65,535 of the mesh's bounding box, weights to 1/255; a vertex has at most four
//! influences. The page computes the normals.

use crate::coding;
use crate::stage::Stage;
use crate::surface::{Surface, SurfaceShape, Vertex, joint_frames};
use mocap_model::{Influence, Vector3};
use nalgebra::Matrix4;
use serde::Serialize;
use std::collections::BTreeMap;

/// Greatest number of triangles of a mesh on a page; larger meshes are simplified.
pub(crate) const MOST_TRIANGLES: usize = 80_000;

/// A mesh and its binding to the joints of its clip.
#[derive(Serialize)]
pub(crate) struct SkinData {
    vertices: usize,
    triangles: usize,
    /// By bone.
    joints: Vec<usize>,
    /// By bone: three rows of the matrix from the quantised positions of its mesh to the frame of the joint, in
    /// stage units.
    binds: Vec<Vec<f32>>,
    /// vertices × 3.
    points: String,
    /// vertices × 4: indices of bones. `weights` has as many weights; those of a vertex sum to 255.
    slots: String,
    weights: String,
    /// Base colours, sRGB.
    palette: Vec<[u8; 3]>,
    /// By vertex: 0 for the neutral colour, else the index in the palette plus 1.
    colours: String,
    /// triangles × 3: vertex indices, each as the difference from the previous one.
    order: String,
    /// samples × joints × 4: the rotations of all joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<String>,
    /// Instead of rotations if there are scales: samples × bones × 12, three rows of a matrix; positions in
    /// quanta of the clip.
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<ShapeData>,
}

/// Morph targets: V = V₀ + Σ w D, before skinning. Their weights are scalar tracks of the clip.
#[derive(Serialize)]
struct ShapeData {
    /// By shape: the index of its weights among the scalar tracks of the page.
    numbers: Vec<usize>,
    /// By shape: the number of vertices that it moves.
    counts: Vec<usize>,
    /// Vertex indices of all shapes in order, each as the difference from the previous one.
    vertices: String,
    /// vertices × 3, in the quantisation steps of the positions.
    offsets: String,
}

/// Quantisation steps of a matrix entry or quaternion component.
const STEPS: f64 = 8192.0;
/// Quantisation steps of a bounding box.
const BOX: f64 = 65_535.0;

/// The mesh of a stage for its page; every `step`-th frame. `numbers` are the numbers over time that the page has.
pub(crate) fn skin_data(
    stage: &Stage<'_>,
    surface: &Surface,
    (step, samples): (usize, usize),
    quantum: f64,
    numbers: &[usize],
) -> SkinData {
    let surface = surface.thinned(MOST_TRIANGLES);
    let boxes = boxes(&surface);
    let mut palette: Vec<[u8; 3]> = Vec::new();
    let (mut points, mut slots, mut weights, mut colours) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for vertex in &surface.vertices {
        let (low, size) = boxes[&surface.mesh_of(vertex)];
        points.extend((vertex.point - low).iter().map(|v| (v / size * BOX).round() as i32));
        for (bone, weight) in strongest(vertex) {
            slots.push(bone);
            weights.push(weight);
        }
        colours.push(vertex.colour.map_or(0, |colour| {
            let colour = colour.map(|part| (part * 255.0).round() as u8);
            let at = palette.iter().position(|known| *known == colour).unwrap_or_else(|| {
                palette.push(colour);
                palette.len() - 1
            });
            at as i32 + 1
        }));
    }
    let mut last = 0;
    let order = surface.triangles.as_flattened().iter().map(|corner| {
        let step = *corner as i32 - last;
        last = *corner as i32;
        step
    });
    let order: Vec<i32> = order.collect();
    let scaled = stage.clip.has_scale();
    let bind = |bone: &crate::surface::SurfaceBone| {
        let (low, size) = boxes.get(&bone.mesh).copied().unwrap_or((Vector3::zeros(), 1.0));
        let from_box = Matrix4::new_translation(&low) * Matrix4::new_scaling(size / BOX);
        let unit = Matrix4::new_scaling(stage.scale);
        rows(&(unit * bone.bind * from_box)).map(|value| value as f32).collect()
    };
    SkinData {
        vertices: surface.vertices.len(),
        triangles: surface.triangles.len(),
        joints: surface.bones.iter().map(|bone| bone.joint).collect(),
        binds: surface.bones.iter().map(bind).collect(),
        points: coding::encode(&points, 3),
        slots: coding::encode(&slots, 4),
        weights: coding::encode(&weights, 4),
        palette,
        colours: coding::encode(&colours, 1),
        order: coding::encode(&order, 3),
        turns: (!scaled).then(|| crate::character::turns(stage, step, samples)),
        frames: scaled.then(|| frames(stage, &surface, (step, samples), quantum)),
        shapes: (!surface.shapes.is_empty()).then(|| shapes(&surface, &boxes, numbers)),
    }
}

/// The shapes of a surface; `numbers` are the numbers over time that the page has.
fn shapes(surface: &Surface, boxes: &Boxes, numbers: &[usize]) -> ShapeData {
    let shown = |shape: &SurfaceShape| numbers.iter().position(|scalar| *scalar == shape.scalar);
    let shapes: Vec<(&SurfaceShape, usize)> =
        surface.shapes.iter().filter_map(|shape| Some((shape, shown(shape)?))).collect();
    let (mut vertices, mut offsets) = (Vec::new(), Vec::new());
    for (shape, _) in &shapes {
        let mut last = 0;
        for (vertex, offset) in &shape.offsets {
            let (_, size) = boxes[&surface.mesh_of(&surface.vertices[*vertex as usize])];
            vertices.push(*vertex as i32 - last);
            last = *vertex as i32;
            offsets.extend(offset.iter().map(|v| (v / size * BOX).round().clamp(-1e9, 1e9) as i32));
        }
    }
    ShapeData {
        numbers: shapes.iter().map(|(_, number)| *number).collect(),
        counts: shapes.iter().map(|(shape, _)| shape.offsets.len()).collect(),
        vertices: coding::encode(&vertices, 1),
        offsets: coding::encode(&offsets, 3),
    }
}

/// The first three rows of a matrix.
fn rows(matrix: &Matrix4<f64>) -> impl Iterator<Item = f64> {
    let matrix = *matrix;
    (0..3).flat_map(move |row| (0..4).map(move |column| matrix[(row, column)]))
}

fn frames(stage: &Stage<'_>, surface: &Surface, (step, samples): (usize, usize), quantum: f64) -> String {
    let mut values = Vec::with_capacity(samples * surface.bones.len() * 12);
    for sample in 0..samples {
        let frames = joint_frames(stage, sample * step);
        for bone in &surface.bones {
            // Values outside the range of a page are clamped.
            let whole = |(at, value): (usize, f64)| match at % 4 {
                3 => (value / quantum).round().clamp(-2e9, 2e9) as i32,
                _ => (value / stage.scale * STEPS).round().clamp(-2e9, 2e9) as i32,
            };
            values.extend(rows(&frames[bone.joint]).enumerate().map(whole));
        }
    }
    coding::encode(&values, surface.bones.len() * 12)
}

/// By mesh: the lowest corner of its bounding box, and its longest side.
type Boxes = BTreeMap<usize, (Vector3<f64>, f64)>;

fn boxes(surface: &Surface) -> Boxes {
    let mut boxes: BTreeMap<usize, (Vector3<f64>, Vector3<f64>)> = BTreeMap::new();
    for vertex in &surface.vertices {
        let (low, high) = boxes.entry(surface.mesh_of(vertex)).or_insert((vertex.point, vertex.point));
        (*low, *high) = (low.inf(&vertex.point), high.sup(&vertex.point));
    }
    let size = |(low, high): (Vector3<f64>, Vector3<f64>)| (low, (high - low).max().max(f64::MIN_POSITIVE));
    boxes.into_iter().map(|(mesh, ends)| (mesh, size(ends))).collect()
}

/// The four greatest influences of a vertex, with weights that sum to 255; unused ones repeat the first bone.
fn strongest(vertex: &Vertex) -> [(i32, i32); 4] {
    let mut all: Vec<Influence> = vertex.influences.clone();
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.bone.cmp(&b.bone)));
    all.truncate(4);
    let sum: f64 = all.iter().map(|one| one.weight).sum();
    let mut four = [(all[0].bone as i32, 0); 4];
    for (place, one) in four.iter_mut().zip(&all).skip(1) {
        *place = (one.bone as i32, (one.weight / sum * 255.0).round() as i32);
    }
    four[0].1 = 255 - four[1..].iter().map(|(_, weight)| weight).sum::<i32>();
    four
}
