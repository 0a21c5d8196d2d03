//! Facts about the surface of a character, for `mocap info --surface` and `mocap compare --surface`.

use mocap_formats::body::BoundBody;
use mocap_model::{Clip, ForwardKinematics, Mesh, Pose, Skeleton, Vector3};
use mocap_retarget::{SurfaceReport, TargetSurface, map_roles_in};
use mocap_skin::{BoundMesh, LimbSolids, SkinError, SkinMethod, Solid, triangles};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, clip_for_report, with_roles};

/// Greatest number of frames in which volumes are measured, evenly spaced from the first to the last.
const MEASURED: usize = 60;
/// Greatest number of distances for a percentile.
const KEPT: usize = 4_000_000;

/// The surface of a character. Lengths are in metres, volumes in litres; what was not measured is `null`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SurfaceFacts {
    /// Its meshes, in the order of the file.
    pub meshes: Vec<MeshFacts>,
    /// Vertices of all meshes.
    pub vertices: usize,
    /// Triangles of all meshes.
    pub triangles: usize,
    /// The volume of each limb over the clip; empty without a motion and of skeletons without limbs.
    pub limbs: Vec<LimbFacts>,
    /// Frames in which volumes were measured, evenly spaced.
    pub measured_frames: usize,
}

/// One mesh.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MeshFacts {
    /// Its name.
    pub name: String,
    /// Vertices, as the file counts them.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
    /// Whether it has no skin and hangs on one joint.
    pub rigid: bool,
    /// The joints that its skin names.
    pub joints: usize,
    /// The most joints that one vertex follows.
    pub most_influences: usize,
    /// Joints per vertex on average.
    pub mean_influences: f64,
    /// Vertices whose weights do not sum to 1 in the file.
    pub uneven_weights: usize,
    /// Vertices without a weight in the file.
    pub unweighted: usize,
    /// Joints of the skin that move no vertex.
    pub joints_without_weight: Vec<String>,
    /// Whether every edge has a triangle on each side; vertices in one place count as one.
    pub watertight: bool,
    /// Edges with a triangle on one side only.
    pub open_edges: usize,
    /// Groups of such edges.
    pub holes: usize,
    /// Parts of the mesh that do not hang together.
    pub parts: usize,
    /// Parts whose faces look inwards.
    pub inside_out: usize,
    /// What it encloses at rest \[l\], holes closed; `null` where the unit of the file is not known.
    pub volume: Option<f64>,
}

/// What a motion does to the volume of a limb: 1 is that at rest.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LimbFacts {
    /// The mesh.
    pub mesh: String,
    /// `trunk`, `head`, `left-arm`, `right-arm`, `left-leg` or `right-leg`.
    pub limb: &'static str,
    /// Its lowest volume as a share of that at rest.
    pub lowest: f64,
    /// The frame of that, from 0.
    pub lowest_frame: usize,
    /// Its highest volume as a share of that at rest.
    pub highest: f64,
}

/// The distance between the surfaces of one character in two motions \[m\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SurfaceError {
    /// Over all vertices and frames.
    pub mean: f64,
    /// The 95th percentile, of at most four million vertices that are evenly spaced.
    pub p95: f64,
    /// The largest.
    pub max: f64,
    /// The frame of the largest, from 0.
    pub max_frame: usize,
    /// The vertex of the largest, among all meshes.
    pub max_vertex: usize,
    /// Vertices of all meshes.
    pub vertices: usize,
}

impl SurfaceFacts {
    /// Measures the body of a document in the pose at rest and, with `clip`, in its motion by linear blend skinning.
    ///
    /// # Errors
    /// If a mesh is damaged.
    pub fn of(body: &BoundBody, clip: Option<&Clip>) -> Result<SurfaceFacts, SkinError> {
        let clip = clip.map(|clip| with_roles(clip.clone()));
        let skeleton = clip.as_ref().map_or(&body.skeleton, |clip| clip.skeleton());
        let on = body.on(skeleton);
        let mut facts = SurfaceFacts {
            meshes: Vec::new(),
            vertices: 0,
            triangles: 0,
            limbs: Vec::new(),
            measured_frames: clip.as_ref().map_or(0, |clip| clip.frames().min(MEASURED)),
        };
        let mut rest = Pose::default();
        Pose::rest(skeleton).to_object(skeleton, &mut rest);
        for mesh in &on.meshes {
            let mesh = mesh.at_rest(skeleton);
            let (bound, faces) = (BoundMesh::new(&mesh, skeleton)?, triangles(&mesh));
            let frame = |joint: mocap_model::JointId| rest.joints[joint.index()].to_homogeneous();
            let places = bound.posed(SkinMethod::Linear, frame, &[]);
            let one = MeshFacts::new(&mesh, &bound, &faces, skeleton, &places);
            if let Some(clip) = clip.as_ref().filter(|clip| clip.frames() > 0) {
                let solids = LimbSolids::new(&bound, &faces, skeleton, &places);
                facts.limbs.extend(limbs(&one.name, &bound, &solids, clip));
            }
            facts.vertices += one.vertices;
            facts.triangles += one.triangles;
            facts.meshes.push(one);
        }
        Ok(facts)
    }

    /// Names and values, for people.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        for mesh in &self.meshes {
            let skin = match mesh.rigid {
                true => "hangs on one joint".to_owned(),
                false => format!(
                    "{} joints, {} influences at most, {:.2} on average",
                    mesh.joints, mesh.most_influences, mesh.mean_influences
                ),
            };
            let name = if mesh.name.is_empty() { "(no name)" } else { &mesh.name };
            lines.push((
                "mesh",
                format!("{name}: {} vertices, {} triangles, {skin}", mesh.vertices, mesh.triangles),
            ));
            if mesh.uneven_weights + mesh.unweighted > 0 {
                let text = format!(
                    "{} vertices do not sum to 1, {} have none",
                    mesh.uneven_weights, mesh.unweighted
                );
                lines.push(("weights", text));
            }
            if !mesh.joints_without_weight.is_empty() {
                lines.push(("unused", mesh.joints_without_weight.join(", ")));
            }
            let closed = match mesh.watertight {
                true => "watertight".to_owned(),
                false => format!("open: {} holes, {} edges", mesh.holes, mesh.open_edges),
            };
            let parts = if mesh.parts > 1 { format!(", {} parts", mesh.parts) } else { String::new() };
            let inwards = match mesh.inside_out {
                0 => String::new(),
                count => format!(", {count} inside out"),
            };
            let volume = mesh.volume.map_or_else(String::new, |litres| format!(", {litres:.2} l"));
            lines.push(("surface", format!("{closed}{parts}{inwards}{volume}")));
        }
        let worst = self.limbs.iter().min_by(|a, b| a.lowest.total_cmp(&b.lowest));
        if let Some(LimbFacts { limb, lowest, lowest_frame, .. }) = worst {
            let text = format!("{limb} {:.1} % of its volume at rest, frame {lowest_frame}", lowest * 100.0);
            lines.push(("collapse", text));
        }
        lines
    }
}

impl MeshFacts {
    fn new(
        mesh: &Mesh,
        bound: &BoundMesh,
        faces: &[[u32; 3]],
        skeleton: &Skeleton,
        rest: &[Vector3<f64>],
    ) -> MeshFacts {
        let mut shares = vec![0.0; mesh.skin.bones.len()];
        let mut most = 0;
        for vertex in 0..bound.vertices() {
            let mut count = 0;
            for (bone, weight) in bound.influences_of(vertex) {
                shares[bone as usize] += weight;
                count += 1;
            }
            most = most.max(count);
        }
        let unused = mesh.skin.bones.iter().zip(&shares).filter(|(_, share)| **share == 0.0);
        let solid = Solid::new(rest, faces);
        let parts = solid.parts();
        let litres = |metres: f64| metres * metres * metres * 1000.0;
        let unit = skeleton.space().metres();
        MeshFacts {
            name: mesh.name.clone(),
            vertices: bound.vertices(),
            triangles: faces.len(),
            rigid: mesh.stated.rigid,
            joints: mesh.skin.bones.len(),
            most_influences: most,
            mean_influences: bound.influences() as f64 / bound.vertices().max(1) as f64,
            uneven_weights: mesh.stated.uneven,
            unweighted: mesh.stated.unweighted,
            joints_without_weight: unused.map(|(bone, _)| skeleton.joint(bone.joint).name.clone()).collect(),
            watertight: solid.open_edges() == 0,
            open_edges: solid.open_edges(),
            holes: solid.holes(),
            parts: parts.len(),
            inside_out: parts.iter().filter(|part| part.volume(rest) < 0.0).count(),
            volume: unit.map(|metres| solid.volume(rest) * litres(metres)),
        }
    }
}

/// The volumes of the limbs of a mesh over some frames of a clip.
fn limbs(name: &str, bound: &BoundMesh, solids: &LimbSolids, clip: &Clip) -> Vec<LimbFacts> {
    let count = clip.frames().min(MEASURED);
    let mut found: Vec<LimbFacts> = Vec::new();
    let mut kinematics = ForwardKinematics::new(clip);
    for at in 0..count {
        let frame = if count > 1 { at * (clip.frames() - 1) / (count - 1) } else { 0 };
        kinematics.place(frame);
        let weights = shape_weights(bound, clip, frame);
        let places = bound.posed(SkinMethod::Linear, |joint| kinematics.matrix(joint), &weights);
        for (number, (limb, share)) in solids.shares(&places).enumerate() {
            match found.get_mut(number) {
                None => found.push(LimbFacts {
                    mesh: name.to_owned(),
                    limb: limb.name(),
                    lowest: share,
                    lowest_frame: frame,
                    highest: share,
                }),
                Some(facts) => {
                    if share < facts.lowest {
                        (facts.lowest, facts.lowest_frame) = (share, frame);
                    }
                    facts.highest = facts.highest.max(share);
                }
            }
        }
    }
    found
}

/// The weights of the morph targets of a mesh in a frame.
fn shape_weights(bound: &BoundMesh, clip: &Clip, frame: usize) -> Vec<f64> {
    let scalars = &clip.annotations().scalars;
    let weight = |shape: &mocap_model::Shape| {
        let track = scalars.iter().find(|track| track.name == shape.name);
        track.map_or(shape.weight, |track| track.values.at(frame))
    };
    bound.shapes().iter().map(weight).collect()
}

/// Arms and legs inside the rest of a character in its own motion, as in the report of a retarget. `None` for a
/// body without arms, or without a trunk.
pub fn surface_report(body: &BoundBody, clip: &Clip) -> Option<SurfaceReport> {
    let clip = clip_for_report(clip, &mut Vec::new());
    let skeleton = clip.skeleton();
    let surface = TargetSurface::new(&body.on(skeleton), skeleton, &map_roles_in(&clip))?;
    surface.measure(&clip, skeleton.space().metres().unwrap_or(1.0))
}

/// The distances between the surfaces of a character in two motions of one skeleton, by linear blend skinning; both clips
/// have the same rate and frames. Where they differ in unit or axes, those of the first are taken.
///
/// # Errors
/// If a mesh is damaged, or a place is too far in the other unit. `None` where there is nothing to compare.
pub fn surface_error(body: &BoundBody, clips: [&Clip; 2]) -> Result<Option<SurfaceError>, Error> {
    let [reference, other] = clips;
    let converted;
    let other = if reference.skeleton().space() == other.skeleton().space() {
        other
    } else {
        converted = other.in_space(*reference.skeleton().space())?;
        &converted
    };
    let clips = [reference, other];
    let metres = reference.skeleton().space().metres().unwrap_or(1.0);
    let bodies = clips.map(|clip| body.on(clip.skeleton()));
    let bind = |body: &mocap_model::Body, clip: &Clip| {
        body.meshes.iter().map(|mesh| BoundMesh::new(mesh, clip.skeleton())).collect::<Result<Vec<_>, _>>()
    };
    let [own, others] = [bind(&bodies[0], reference)?, bind(&bodies[1], other)?];
    let frames = reference.frames().min(other.frames());
    let vertices: usize = own.iter().map(BoundMesh::vertices).sum();
    if frames * vertices == 0 {
        return Ok(None);
    }
    let step = (frames * vertices).div_ceil(KEPT);
    let mut kept: Vec<f32> = Vec::with_capacity((frames * vertices).div_ceil(step));
    let (mut sum, mut number) = (0.0, 0);
    let mut error = SurfaceError { mean: 0.0, p95: 0.0, max: -1.0, max_frame: 0, max_vertex: 0, vertices };
    let mut kinematics = clips.map(ForwardKinematics::new);
    for frame in 0..frames {
        kinematics.iter_mut().for_each(|one| one.place(frame));
        let mut first = 0;
        for (a, b) in own.iter().zip(&others) {
            let posed = |bound: &BoundMesh, at: usize| {
                let weights = shape_weights(bound, clips[at], frame);
                bound.posed(SkinMethod::Linear, |joint| kinematics[at].matrix(joint), &weights)
            };
            for (vertex, (a, b)) in posed(a, 0).iter().zip(&posed(b, 1)).enumerate() {
                let distance = (a - b).norm() * metres;
                sum += distance;
                if number % step == 0 {
                    kept.push(distance as f32);
                }
                number += 1;
                if distance > error.max {
                    (error.max, error.max_frame, error.max_vertex) = (distance, frame, first + vertex);
                }
            }
            first += a.vertices();
        }
    }
    error.mean = sum / number as f64;
    let at = (kept.len() - 1) * 95 / 100;
    error.p95 = f64::from(*kept.select_nth_unstable_by(at, f32::total_cmp).1);
    Ok(Some(error))
}
