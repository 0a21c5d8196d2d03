//! The mesh of a file as it is drawn: triangles on the stage, deformed by the shapes of the clip and then by
//! linear blend skinning.

use crate::bars::bars;
use crate::mesh::Corner;
use crate::ramp::ramp;
use crate::stage::{FAR, Stage, evenly_spaced};
use mocap_model::{Body, Bone, Clip, Influence, JointId, Mesh, Pose, Side, Vector3};
use mocap_skin::{BoundMesh, Deformer, MeshParts, SkinMethod};
use nalgebra::Matrix4;
use std::collections::BTreeMap;

type V = Vector3<f64>;

/// Whether a mesh has the colours of its file, or those of the sides of the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// The base colours of the file's materials, a neutral grey where there are none.
    #[default]
    File,
    /// Left and right as bodies without a mesh have them.
    Sides,
}

/// A vertex of a drawn mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vertex {
    /// Position in the space of its mesh, in the bind pose.
    pub point: V,
    pub normal: V,
    /// Influences: bones of the surface with weights; at least one, and the weights sum to 1.
    pub influences: Vec<Influence>,
    /// The base colour, sRGB from 0 to 1; `None` for the neutral one.
    pub colour: Option<[f32; 3]>,
}

/// A bone of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SurfaceBone {
    pub joint: usize,
    /// From the space of the mesh into the frame of the joint [units of the clip].
    pub bind: Matrix4<f64>,
    /// Index of the mesh in its body.
    pub mesh: usize,
}

/// A shape whose weight changes in the clip. (Shapes with constant weights are part of the vertices.)
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SurfaceShape {
    /// Index of its weights among the scalar tracks of the clip.
    pub scalar: usize,
    /// Displacements at weight 1 by vertex of the surface, in increasing order, in the space of their mesh.
    pub offsets: Vec<(u32, V)>,
}

/// The meshes of a body as one list of triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Surface {
    pub bones: Vec<SurfaceBone>,
    pub vertices: Vec<Vertex>,
    pub triangles: Vec<[u32; 3]>,
    pub shapes: Vec<SurfaceShape>,
    /// By vertex: the first vertex at the same position, with which it shares its normal.
    seams: Vec<u32>,
}

/// Weights are drawn in this many steps from 0 to 1.
const WEIGHT_STEPS: f64 = 64.0;

/// Faces more transparent than this are not drawn: a cornea must not hide the eye.
const CLEAR: f64 = 0.5;

/// A mesh that extends further from the hips than this many body sizes does not move the camera.
pub(crate) const FARTHEST: f64 = 3.0;

impl Surface {
    /// The surface of a body; `None` if nothing of it can be drawn with the joints of the clip.
    pub(crate) fn new(body: &Body, clip: &Clip) -> Option<Surface> {
        let mut surface = Surface::default();
        for (number, mesh) in body.meshes.iter().enumerate() {
            surface.add((number, mesh), body, clip);
        }
        let bars = bars(body, clip.skeleton()).filter(|_| !surface.triangles.is_empty());
        bars.iter().for_each(|mesh| surface.add((body.meshes.len(), mesh), body, clip));
        surface.find_normals();
        (!surface.triangles.is_empty()).then_some(surface)
    }

    fn add(&mut self, (number, mesh): (usize, &Mesh), body: &Body, clip: &Clip) {
        let joints = clip.skeleton().len();
        let first = self.bones.len() as u32;
        let usable = |bone: &mocap_model::Bone| {
            bone.joint.index() < joints && bone.inverse_bind.iter().all(|value| value.is_finite())
        };
        // Unusable bones keep their indices, but no vertex follows them.
        let bone = |bone: &mocap_model::Bone| {
            let joint = if usable(bone) { bone.joint.index() } else { 0 };
            SurfaceBone { joint, bind: bone.inverse_bind, mesh: number }
        };
        self.bones.extend(mesh.skin.bones.iter().map(bone));
        let (points, moving) = points(mesh, clip);
        let start = self.vertices.len();
        // By vertex of the surface, that of the mesh.
        let mut places: Vec<u32> = Vec::new();
        let influences = |vertex: usize| {
            let (start, end) = (mesh.skin.starts.get(vertex)?, mesh.skin.starts.get(vertex + 1)?);
            let all = mesh.skin.influences.get(*start as usize..*end as usize)?;
            let known = |one: &&Influence| {
                one.weight > 0.0 && mesh.skin.bones.get(one.bone as usize).is_some_and(usable)
            };
            let sum: f64 = all.iter().filter(known).map(|one| one.weight).sum();
            let shared = |one: &Influence| Influence { bone: first + one.bone, weight: one.weight / sum };
            (sum > 0.0 && sum.is_finite()).then(|| all.iter().filter(known).map(shared).collect::<Vec<_>>())
        };
        // A vertex between two materials is duplicated.
        let mut known: BTreeMap<(u32, u32), Option<u32>> = BTreeMap::new();
        let mut at = 0;
        for (face, count) in mesh.faces.iter().enumerate() {
            let Some(corners) = mesh.corners.get(at..at + *count as usize) else { break };
            at += *count as usize;
            let material = mesh.materials.get(face).and_then(|at| body.materials.get(*at as usize));
            if material.is_some_and(|material| material.colour[3] < CLEAR) {
                continue;
            }
            let colour = material.and_then(base_colour);
            let of_face = mesh.materials.get(face).copied().unwrap_or(u32::MAX);
            let mut placed = corners.iter().map(|corner| {
                *known.entry((of_face, *corner)).or_insert_with(|| {
                    let point = points.get(*corner as usize).filter(|at| at.iter().all(|v| v.is_finite()))?;
                    let influences = influences(*corner as usize)?;
                    self.vertices.push(Vertex { point: *point, normal: V::zeros(), influences, colour });
                    places.push(*corner);
                    Some(self.vertices.len() as u32 - 1)
                })
            });
            let Some(placed) = placed.by_ref().collect::<Option<Vec<u32>>>() else { continue };
            self.triangles.extend((2..placed.len()).map(|k| [placed[0], placed[k - 1], placed[k]]));
        }
        for (scalar, offsets) in moving {
            let by_vertex: BTreeMap<u32, V> = offsets.iter().copied().collect();
            let offset = |(at, vertex): (usize, &u32)| Some(((start + at) as u32, *by_vertex.get(vertex)?));
            let offsets: Vec<(u32, V)> = places.iter().enumerate().filter_map(offset).collect();
            if !offsets.is_empty() {
                self.shapes.push(SurfaceShape { scalar, offsets });
            }
        }
    }

    /// Colours each vertex by its weight for a joint, from blue (0) to red (1).
    pub(crate) fn show_weights(&mut self, joint: JointId) {
        let is_of: Vec<bool> = self.bones.iter().map(|bone| bone.joint == joint.index()).collect();
        for vertex in &mut self.vertices {
            let of_joint = vertex.influences.iter().filter(|one| is_of[one.bone as usize]);
            let weight: f64 = of_joint.map(|one| one.weight).sum();
            // Few colours, because a page lists all of them.
            let rgb = ramp((weight * WEIGHT_STEPS).round() / WEIGHT_STEPS);
            vertex.colour = Some([16, 8, 0].map(|shift| (rgb >> shift & 0xff) as f32 / 255.0));
        }
    }

    /// Computes vertex normals. Vertices at one position share theirs, so that seams do not show.
    fn find_normals(&mut self) {
        let mut first: BTreeMap<[u64; 3], u32> = BTreeMap::new();
        let seam = |(at, vertex): (usize, &Vertex)| {
            let key = [vertex.point.x, vertex.point.y, vertex.point.z].map(|v| (v + 0.0).to_bits());
            *first.entry(key).or_insert(at as u32)
        };
        self.seams = self.vertices.iter().enumerate().map(seam).collect();
        let points: Vec<V> = self.vertices.iter().map(|vertex| vertex.point).collect();
        for (vertex, normal) in self.vertices.iter_mut().zip(normals(&points, &self.triangles, &self.seams)) {
            vertex.normal = normal;
        }
    }

    /// The first vertex at the position of a vertex.
    pub(crate) fn seam_of(&self, vertex: u32) -> u32 {
        self.seams[vertex as usize]
    }

    /// Index in the body of the mesh of a vertex.
    pub(crate) fn mesh_of(&self, vertex: &Vertex) -> usize {
        self.bones[vertex.influences[0].bone as usize].mesh
    }

    /// The surface simplified to at most `most` triangles: vertices of one mesh, bone and colour within a grid
    /// cell are merged, with cells as large as needed.
    pub(crate) fn thinned(&self, most: usize) -> Surface {
        let mut cells = 512.0;
        let mut thin = self.clone();
        while thin.triangles.len() > most {
            thin = self.merged(cells);
            // With one cell per bone and colour, a body with very many bones may still have too many triangles.
            if cells < 2.0 {
                thin.triangles.truncate(most);
            }
            cells /= 1.4;
        }
        thin
    }

    /// The surface on a grid with `cells` cells along the longest side of each mesh.
    fn merged(&self, cells: f64) -> Surface {
        let mut boxes: BTreeMap<usize, (V, V)> = BTreeMap::new();
        for vertex in &self.vertices {
            let (low, high) = boxes.entry(self.mesh_of(vertex)).or_insert((vertex.point, vertex.point));
            (*low, *high) = (low.inf(&vertex.point), high.sup(&vertex.point));
        }
        let mut known = BTreeMap::new();
        let mut vertices: Vec<Vertex> = Vec::new();
        let place = |vertex: &Vertex| {
            let (low, high) = boxes[&self.mesh_of(vertex)];
            let size = (high - low).max().max(f64::MIN_POSITIVE);
            let cell = (vertex.point - low).map(|v| (v / size * cells) as u32);
            let strongest = vertex.influences.iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
            let colour = vertex.colour.map(|colour| colour.map(f32::to_bits));
            let key = ([cell.x, cell.y, cell.z], strongest.map(|one| one.bone), colour);
            *known.entry(key).or_insert_with(|| {
                vertices.push(vertex.clone());
                vertices.len() as u32 - 1
            })
        };
        let places: Vec<u32> = self.vertices.iter().map(place).collect();
        let triangles = self.triangles.iter().map(|triangle| triangle.map(|corner| places[corner as usize]));
        let triangles = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        // Of merged vertices, the first one is kept.
        let mut stands = vec![None; vertices.len()];
        for (at, place) in places.iter().enumerate() {
            stands[*place as usize].get_or_insert(at as u32);
        }
        let shape = |shape: &SurfaceShape| {
            let by_vertex: BTreeMap<u32, V> = shape.offsets.iter().copied().collect();
            let offset = |(at, of): (usize, &Option<u32>)| Some((at as u32, *by_vertex.get(&(*of)?)?));
            let offsets = stands.iter().enumerate().filter_map(offset).collect();
            SurfaceShape { scalar: shape.scalar, offsets }
        };
        let shapes = self.shapes.iter().map(shape).collect();
        let mut merged =
            Surface { bones: self.bones.clone(), vertices, triangles, shapes, seams: Vec::new() };
        merged.find_normals();
        merged
    }

    /// Skinning matrices of a frame, from the space of the meshes to the stage.
    fn pose(&self, stage: &Stage<'_>, frame: usize) -> Vec<Matrix4<f64>> {
        let frames = joint_frames(stage, frame);
        self.bones.iter().map(|bone| frames[bone.joint] * bone.bind).collect()
    }

    /// Positions and normals of the vertices with the shapes of a frame.
    fn shaped(&self, clip: &Clip, frame: usize) -> (Vec<V>, Vec<V>) {
        let mut points: Vec<V> = self.vertices.iter().map(|vertex| vertex.point).collect();
        let scalars = &clip.annotations().scalars;
        let weight = |shape: &SurfaceShape| match clip.frames() {
            0 => 0.0,
            _ => scalars.get(shape.scalar).map_or(0.0, |track| track.values.at(frame)),
        };
        let acting = || self.shapes.iter().map(|shape| (shape, weight(shape))).filter(|(_, by)| *by != 0.0);
        for (shape, weight) in acting() {
            shape.offsets.iter().for_each(|(vertex, offset)| points[*vertex as usize] += offset * weight);
        }
        // A vertex whose result overflows keeps its position.
        for (point, vertex) in points.iter_mut().zip(&self.vertices) {
            if !point.iter().all(|v| v.is_finite()) {
                *point = vertex.point;
            }
        }
        let normals = match acting().next() {
            Some(_) => normals(&points, &self.triangles, &self.seams),
            None => self.vertices.iter().map(|vertex| vertex.normal).collect(),
        };
        (points, normals)
    }

    /// The bound mesh with the shapes of a frame.
    fn bound(&self, clip: &Clip, frame: usize) -> BoundMesh {
        let (positions, normals) = self.shaped(clip, frame);
        let parts = MeshParts {
            positions,
            normals,
            bones: vec![Bone { joint: JointId(0), inverse_bind: Matrix4::identity() }; self.bones.len()],
            starts: std::iter::once(0)
                .chain(self.vertices.iter().scan(0, |sum, vertex| {
                    *sum += vertex.influences.len() as u32;
                    Some(*sum)
                }))
                .collect(),
            influences: self.vertices.iter().flat_map(|vertex| &vertex.influences).copied().collect(),
            ..MeshParts::default()
        };
        BoundMesh::from_parts(parts).expect("vertices of a surface are finite and follow bones of it")
    }

    /// Vertex positions and normals in a frame, moved by `shift`.
    pub(crate) fn corners(&self, stage: &Stage<'_>, frame: usize, shift: V) -> Vec<Corner> {
        let bound = self.bound(stage.clip, frame);
        let mut deformer = Deformer::new(&bound, SkinMethod::Linear);
        deformer.set_palette(self.pose(stage, frame).into_iter());
        let mut corners = Vec::with_capacity(self.vertices.len());
        deformer.each_vertex(0..self.vertices.len(), |at, normal| {
            let at = V::from(at) + shift;
            let at = at.map(|v| if v.is_finite() { v.clamp(-FAR, FAR) } else { 0.0 });
            let normal = V::from(normal);
            let normal = if normal.iter().all(|v| v.is_finite()) { normal } else { V::y() };
            corners.push(Corner { at, normal, dark: 0.0 });
        });
        corners
    }

    /// By vertex: a blend of the colours of the sides.
    pub(crate) fn side_colours(
        &self,
        sides: &[Option<Side>],
        of: impl Fn(Option<Side>) -> [f32; 3],
    ) -> Vec<[f32; 3]> {
        let bones: Vec<[f32; 3]> =
            self.bones.iter().map(|bone| of(sides.get(bone.joint).copied().flatten())).collect();
        let mixed = |vertex: &Vertex| {
            vertex.influences.iter().fold([0.0; 3], |sum, one| {
                [0, 1, 2].map(|k| sum[k] + bones[one.bone as usize][k] * one.weight as f32)
            })
        };
        self.vertices.iter().map(mixed).collect()
    }

    /// Sets size, floor and centre of a stage from the mesh, if the joints do not show its size.
    pub(crate) fn frame(&self, stage: &mut Stage<'_>) {
        let extent = |frame: usize| {
            let corners = self.corners(stage, frame, V::zeros());
            corners.iter().fold([V::repeat(FAR), V::repeat(-FAR)], |[low, high], corner| {
                [low.inf(&corner.at), high.sup(&corner.at)]
            })
        };
        let [low, high] = extent(0);
        let length = (high - low).max();
        if length <= 0.0 || !stage.is_within(length) {
            return;
        }
        let boxes: Vec<[V; 2]> = evenly_spaced(stage.frames(), 12).into_iter().map(extent).collect();
        stage.frame_mesh(&boxes);
    }

    /// Greatest height above the floor in some frames, without parts far from the body [stage units].
    pub(crate) fn height(&self, stage: &Stage<'_>, frames: impl Iterator<Item = usize>) -> f64 {
        let step = self.vertices.len().div_ceil(2000).max(1);
        let few: Vec<Vertex> = self.vertices.iter().step_by(step).cloned().collect();
        // Shapes change the height very little.
        let few = Surface { bones: self.bones.clone(), vertices: few, ..Surface::default() };
        let heights = frames.map(|frame| {
            let corners = few.corners(stage, frame, V::zeros());
            corners.iter().map(|corner| corner.at.y - stage.floor).fold(0.0, f64::max)
        });
        heights.fold(0.0, f64::max).min(FARTHEST * stage.size())
    }

    /// Like [`Surface::height`], over some frames of the whole motion.
    pub(crate) fn usual_height(&self, stage: &Stage<'_>) -> f64 {
        self.height(stage, evenly_spaced(stage.frames(), 24).into_iter())
    }
}

/// Unit normals by the winding of the triangles; vertices of one seam share theirs.
fn normals(points: &[V], triangles: &[[u32; 3]], seams: &[u32]) -> Vec<V> {
    let mut sums = vec![V::zeros(); points.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|at| points[at as usize]);
        let normal = (b - a).cross(&(c - a));
        triangle.iter().for_each(|at| sums[seams[*at as usize] as usize] += normal);
    }
    seams.iter().map(|at| sums[*at as usize].try_normalize(0.0).unwrap_or_else(V::y)).collect()
}

/// The index of a shape's weights among the scalar tracks of a clip, and its displacements.
type Moving<'m> = (usize, &'m [(u32, V)]);

/// Vertex positions with the shapes of constant weight, and the shapes whose weights change in a clip.
fn points<'m>(mesh: &'m Mesh, clip: &Clip) -> (Vec<V>, Vec<Moving<'m>>) {
    let mut points = mesh.positions.clone();
    let mut moving = Vec::new();
    let scalars = &clip.annotations().scalars;
    for shape in &mesh.shapes {
        let track = scalars.iter().position(|track| track.name == shape.name);
        let weight = match track {
            Some(scalar) if scalars[scalar].values.is_sampled() => {
                moving.push((scalar, &shape.offsets[..]));
                continue;
            }
            Some(scalar) => scalars[scalar].values.at(0),
            None => shape.weight,
        };
        for (vertex, offset) in shape.offsets.iter().filter(|_| weight != 0.0) {
            if let Some(point) = points.get_mut(*vertex as usize) {
                *point += offset * weight;
            }
        }
    }
    (points, moving)
}

/// The base colour of a material. White together with an image is not a colour of its own.
fn base_colour(material: &mocap_model::Material) -> Option<[f32; 3]> {
    let linear = material.colour;
    if material.image.is_some() || linear[..3].iter().all(|part| *part > 0.99) {
        return None;
    }
    // From linear light to sRGB, as screens have it.
    let srgb = |part: f64| match part.clamp(0.0, 1.0) {
        low if low <= 0.003_130_8 => 12.92 * low,
        high => 1.055 * high.powf(1.0 / 2.4) - 0.055,
    };
    Some([0, 1, 2].map(|k| srgb(linear[k]) as f32))
}

/// Transforms of all joints on the stage, including the scales of the clip, which poses do not have.
pub(crate) fn joint_frames(stage: &Stage<'_>, frame: usize) -> Vec<Matrix4<f64>> {
    let (clip, skeleton) = (stage.clip, stage.clip.skeleton());
    let mut local = Pose::rest(skeleton);
    if clip.frames() > 0 {
        clip.local_pose(frame, &mut local);
    }
    let whole = stage.matrix();
    let mut frames: Vec<Matrix4<f64>> = Vec::with_capacity(skeleton.len());
    for ((id, joint), local) in skeleton.iter().zip(&local.joints) {
        let mut own = local.to_homogeneous();
        if clip.frames() > 0 {
            own *= Matrix4::new_nonuniform_scaling(&clip.scale(id, frame));
        }
        let above = joint.parent.map_or(whole, |parent| frames[parent.index()]);
        frames.push(above * own);
    }
    frames
}

#[cfg(test)]
pub(crate) mod tests;
