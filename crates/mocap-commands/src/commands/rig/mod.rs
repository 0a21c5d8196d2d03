//! `mocap rig`: from a bare mesh to a character.

mod joints;
mod mesh;
mod upright;
mod weights;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args as ClapArgs;
use mocap_batch::{InputOptions, find_inputs};
use mocap_formats::skel::preset;
use mocap_formats::{Format, WriteOptions, write_with_body};
use mocap_mesh::MeshFormat;
use mocap_model::{Body, BoundBody, JointId, SignedAxis, Skeleton, Space, Unit, UnitSource, Vector3};
use mocap_rig::{
    BodyFrame, Donor, FittedJoint, FittedSkeleton, FoundBody, Matrix3, RigError, RigMesh, WeightMethod,
    find_body, fit, fit_shape, humanoid, humanoid_with, parts_of_person, turned,
};
use schemars::JsonSchema;
use serde::Serialize;

use self::mesh::{Source, all_positions};
use self::weights::{refused, with_weights};
use crate::batch::{
    self, Failure, Input, Job, JobContext, Naming, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::{Behind, Diagnostic};
use crate::encode::{self, Encoded};
use crate::exit::Exit;
use crate::options::{Inputs, Invocation, Outputs, Reading};
use crate::output::Output;
use crate::read;
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};

/// Make a character from a bare mesh: fit a skeleton inside, and find skinning weights
///
/// Reads OBJ, PLY, STL, GLB, glTF and FBX; writes GLB, glTF, FBX or USD. Number and order of vertices, texture
/// coordinates, materials and morph targets are kept; a skin in the file is replaced. The mesh is a person who stands, in
/// any pose; its pose becomes the rest pose.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap rig body.obj -o body.glb\n\
    \x20 mocap rig meshes/ -o characters/ --resume\n\
    \x20 mocap rig body.stl --preset unreal --explain -o body.fbx\n\
    \x20 mocap rig scan.ply --weights-from character.glb -o scan.glb\n\
    \x20 mocap rig character.glb --weights-only -o character_weighed.glb")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Format: glb, gltf, fbx or usda [default: by the extension of the output, else glb]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) to: Option<Format>,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
    /// Skeleton of a common rig to fit; mocap skel --preset list shows them [default: a humanoid of 52 joints]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["skeleton", "weights_only"], help_heading = "Skeleton")]
    pub(crate) preset: Option<String>,
    /// Keep the skeleton of the file, and find only weights
    #[arg(long, conflicts_with_all = ["skeleton", "joint_places", "facing", "up"], help_heading = "Skeleton")]
    pub(crate) weights_only: bool,
    /// JSON with places of joints that are known, such as {"LeftArm": [0.15, 1.27, 0.02]} [m]; the others are fitted
    #[arg(long, value_name = "FILE", help_heading = "Skeleton")]
    pub(crate) joint_places: Option<PathBuf>,
    /// Axis of the file that points up: X, Y, Z, -X, -Y or -Z [default: from legs and trunk]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true, help_heading = "Skeleton")]
    pub(crate) up: Option<SignedAxis>,
    /// Axis of the file to which the body looks [default: from the feet]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true, help_heading = "Skeleton")]
    pub(crate) facing: Option<SignedAxis>,
    /// Skinning weights: heat (on the surface), voxel (through the inside: for layers and holes) or distance (a simple
    /// rule)
    #[arg(long, value_name = "METHOD", default_value = "heat", help_heading = "Weights")]
    pub(crate) weight_method: WeightMethod,
    /// Copy the weights of a rigged character (GLB, glTF or FBX) of any topology, from the nearest places of its surface
    /// in the pose of the mesh [default skeleton: that of the character]
    #[arg(long, value_name = "CHARACTER", conflicts_with = "weight_method", help_heading = "Weights")]
    pub(crate) weights_from: Option<PathBuf>,
    /// Joints that move a vertex, at most [1 to 16]
    #[arg(
        long,
        value_name = "N",
        default_value = "4",
        value_parser = clap::value_parser!(u8).range(1..=16),
        help_heading = "Weights"
    )]
    pub(crate) influences: u8,
    /// Show where each joint went, why, and how sure that is
    #[arg(long, help_heading = "Report")]
    pub(crate) explain: bool,
    /// Largest mesh [triangles]
    #[arg(long, value_name = "COUNT", default_value = "2000000", help_heading = "Reading")]
    pub(crate) max_triangles: usize,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// A line of `mocap rig --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    output: String,
    /// glb, gltf, fbx or usda.
    format: &'static str,
    /// Of all meshes.
    vertices: usize,
    /// Of all meshes, polygons cut into triangles.
    triangles: usize,
    /// Of the skeleton, without end sites.
    joints: usize,
    /// Of the body [m]; null with --weights-only.
    height: Option<f64>,
    /// Metres per unit of the file.
    unit: f64,
    /// Whether the unit was guessed from the height.
    unit_guessed: bool,
    /// The axis of the file that points up; null with --weights-only.
    up: Option<[f64; 3]>,
    /// The direction in the file to which the body looks; null with --weights-only.
    facing: Option<[f64; 3]>,
    /// How sure front and back are, 0 to 1; null with --weights-only.
    facing_confidence: Option<f64>,
    /// heat, voxel, distance, or copied with --weights-from.
    weights: &'static str,
    /// With --weights-from: the share of the surface that has a counterpart on the character, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<f64>,
    /// The most joints that move a vertex.
    influences: usize,
    /// Whether mesh and skeleton are mirror images of themselves, and so the weights.
    symmetric: bool,
    /// With --explain: by joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    explained: Option<Vec<JointRow>>,
    bytes: u64,
    seconds: f64,
    warnings: &'a [Diagnostic],
}

/// Where a joint went.
#[derive(Serialize, JsonSchema)]
struct JointRow {
    joint: String,
    role: Option<&'static str>,
    /// In the output [m].
    place: [f64; 3],
    /// 0 to 1.
    confidence: f64,
    reason: String,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "rig",
        about: "A line of mocap rig --json",
        rows: &[of::<Row<'static>>, PLAN, ERROR, SUMMARY],
    }];

    fn defined(command: clap::Command) -> clap::Command {
        command.mut_arg("skeleton", |argument| {
            let help = "Skeleton to fit: any file with one [default: a humanoid of 52 joints]";
            argument.help(help).long_help(help).help_heading("Skeleton")
        })
    }

    fn complete_outputs(&mut self) {
        self.outputs.settle(&self.inputs.inputs);
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    batch::check_stdout(console, &args.outputs)?;
    let format = encode::asked_format(args.to, args.outputs.output.as_deref())?.unwrap_or(Format::Glb);
    if !format.holds_meshes() || !format.is_writable() {
        let names = encode::names(|format| format.holds_meshes() && format.is_writable());
        return Err(Diagnostic::new("usage::format", format!("{format} files hold no skinned mesh"))
            .help(format!("rig writes {names}")));
    }
    let donor = args.weights_from.as_deref().map(|path| weights::donor(path, args)).transpose()?;
    let template = template(args, donor.as_ref())?;
    let fixed = args.joint_places.as_deref().map(joints::read).transpose()?.unwrap_or_default();
    // `renamed` does not replace extensions of mesh formats.
    let rename = |path: &Path| match MeshFormat::of_path(path) {
        Some(_) => path.with_extension(format.file_extension()),
        None => encode::renamed(path, format),
    };
    let derive = |input: &Input| Some(rename(&input.output_name()));
    let none = |_: &Path| Vec::new();
    let reads = read_files(&args.reading, Some(&args.inputs.selection))
        .and(args.joint_places.as_deref())
        .and(args.weights_from.as_deref());
    let naming = Naming { derive: &derive, companions: &none, reads };
    let jobs = batch::plan(inputs(args)?, &args.outputs, &naming)?;
    let options = RunOptions::writing(&args.inputs.selection, &args.outputs, invocation);
    Ok(batch::run(console, options, &jobs, |job, context| {
        let is_stated = args.preset.is_some() || args.reading.skeleton.is_some() || donor.is_some();
        let (template, donor) = (template.as_ref(), donor.as_ref());
        rig(job, context, args, format, &Plan { template, is_stated, fixed: &fixed, donor })
    }))
}

/// Files that may hold a mesh.
fn inputs(args: &Args) -> Result<Vec<Input>, Diagnostic> {
    let selection = &args.inputs.selection;
    let options = InputOptions {
        inputs: args.inputs.inputs.clone(),
        include: selection.include.clone(),
        exclude: selection.exclude.clone(),
        files_from: selection.files_from.clone(),
        shard: selection.shard,
    };
    let mut extensions = vec!["obj", "ply", "stl"];
    let meshes = Format::ALL.into_iter().filter(|format| format.holds_meshes() && format.has_motion());
    extensions.extend(meshes.map(Format::extension));
    Ok(find_inputs(&options, &extensions)?)
}

/// The skeleton to fit; `None` if the skeleton of each file is kept.
fn template(args: &Args, donor: Option<&Donor>) -> Result<Option<Skeleton>, Diagnostic> {
    if args.weights_only {
        return Ok(None);
    }
    if let Some(name) = &args.preset {
        let found = preset(name).ok_or_else(|| {
            Diagnostic::new("rig::preset", format!("'{name}' is not a preset"))
                .help("mocap skel --preset list shows them")
        })?;
        return Ok(Some(found.skeleton()));
    }
    match &args.reading.skeleton {
        Some(path) => {
            let skeleton = read::skeleton_of_file(path)?;
            Ok(Some(weights::with_roles(&skeleton).as_ref().clone()))
        }
        None => Ok(Some(donor.map_or_else(humanoid, |donor| donor.skeleton.clone()))),
    }
}

/// Data that all inputs share.
struct Plan<'a> {
    /// The skeleton to fit; `None` if the skeleton of each file is kept.
    template: Option<&'a Skeleton>,
    /// Whether the user states the skeleton.
    is_stated: bool,
    /// Places of joints that the user states [m].
    fixed: &'a BTreeMap<String, Vector3<f64>>,
    /// The character whose weights are copied.
    donor: Option<&'a Donor>,
}

/// A rigged mesh.
struct Rigged {
    skeleton: Skeleton,
    body: Body,
    frame: Option<BodyFrame>,
    /// Metres per unit of the file.
    unit: Unit,
    joints: Vec<FittedJoint>,
    triangles: usize,
    vertices: usize,
    symmetric: bool,
    /// With copied weights: the share of the surface that has a counterpart.
    matched: Option<f64>,
}

fn rig(
    job: &Job,
    context: &JobContext,
    args: &Args,
    format: Format,
    plan: &Plan<'_>,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let mut warnings = Vec::new();
    let source = mesh::read(job, context, args, &mut warnings).behind(&mut warnings)?;
    let bytes_in = source.bytes;
    let rigged = match plan.template {
        Some(template) => fitted(source, template, plan, args, &mut warnings),
        None => weighed(source, plan, args, &mut warnings),
    };
    let rigged = rigged.behind(&mut warnings)?;
    context.check()?;
    warnings = read::strict(&args.reading, std::mem::take(&mut warnings))?;
    let mut encoded = written(&rigged, format).behind(&mut warnings)?;
    warnings.append(&mut encoded.warnings);
    let (bytes, output) = encode::deliver(&encoded, job, context).behind(&mut warnings)?;
    let row = row(&rigged, args, (job.input.shown(), output, format, bytes), started, &warnings);
    let (json, text) = (json(&row), row.text());
    let tally = Tally { frames: 1, bytes_in, bytes_out: bytes };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

/// A template fitted to a bare mesh.
fn fitted(
    source: Source,
    template: &Skeleton,
    plan: &Plan<'_>,
    args: &Args,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Rigged, Diagnostic> {
    let Source { mut body, unit, .. } = source;
    let mesh = mesh::surface(&mut body, args.max_triangles, warnings)?;
    let (frame, found, size) = match find_body(&mesh, args.up, args.facing) {
        Ok(found) => (found.frame, Some(found), None),
        // A skeleton that the user gives may fit a body that is not human.
        Err(RigError::NotHuman { .. }) if args.reading.skeleton.is_some() => {
            let shape = fit_shape(template, &mesh, &BTreeMap::new(), *template.space()).map_err(refused)?;
            (shape.frame, None, Some(shape.scale))
        }
        Err(error) => return Err(refused(error)),
    };
    let unit = unit.unwrap_or_else(|| match size {
        None => guessed_unit(frame.height),
        Some(scale) => unit_by_size(template, scale),
    });
    warn_of(&frame, size.is_some(), unit, warnings);
    // A body that does not stand along Y is turned upright; another keeps its vertices.
    let upright = frame.up == Vector3::y();
    let turn = if upright { Matrix3::identity() } else { upright::turn(&frame) };
    if !upright {
        let message = "the body does not stand along Y: the output is turned upright, with Z to the front";
        warnings.push(Diagnostic::new("rig::turned", message));
    }
    let scale = unit.metres;
    body.meshes.iter_mut().for_each(|mesh| *mesh = turned(mesh, &turn, scale));
    let space = Space { up: SignedAxis::Y, forward: SignedAxis::Z, unit: Some(Unit { metres: 1.0, ..unit }) };
    // Stated positions refer to the output.
    let back = turn.transpose();
    let fixed = plan.fixed.iter().map(|(name, place)| (name.clone(), back * *place / scale)).collect();
    joints::check(&mesh, &fixed)?;
    let fitted = match &found {
        Some(found) => {
            let bare = without_unseen(found, plan, warnings);
            fit(bare.as_ref().unwrap_or(template), found, &fixed, space)
        }
        None => fit_shape(template, &mesh, &fixed, space).map(|shape| shape.fitted),
    };
    let fitted = fitted.map_err(refused)?;
    warnings.extend(uncertain(&fitted));
    let joints: Vec<FittedJoint> = fitted
        .joints
        .into_iter()
        .map(|joint| FittedJoint { place: turn * joint.place * scale, ..joint })
        .collect();
    let mut made = fitted.skeleton.joints().to_vec();
    made.iter_mut().for_each(|joint| joint.offset = turn * joint.offset * scale);
    let skeleton = Skeleton::new(fitted.skeleton.name(), space, made)
        .map_err(|error| Diagnostic::new("rig::skeleton", error.to_string()))?;
    let positions = all_positions(&body);
    let mesh = RigMesh::new(&body, &positions, args.max_triangles).map_err(refused)?;
    // A root joint on the floor below the body moves no vertices, and neither do joints beside a person.
    let parts = found.is_some().then(|| parts_of_person(&skeleton));
    let moves = |joint: JointId| match &parts {
        Some(parts) => parts[joint.index()],
        None => skeleton.joint(joint).parent.is_some() || skeleton.children(joint).len() > 1,
    };
    let weighed =
        with_weights((&body, &mesh), &skeleton, (args, plan.donor), (&moves, &|_| false), warnings)?;
    Ok(Rigged {
        skeleton,
        body: weighed.body,
        frame: Some(frame),
        unit,
        joints,
        triangles: mesh.triangles.len(),
        vertices: positions.len(),
        symmetric: weighed.symmetric,
        matched: weighed.matched,
    })
}

/// Adds warnings about guesses.
fn warn_of(frame: &BodyFrame, by_skeleton: bool, unit: Unit, warnings: &mut Vec<Diagnostic>) {
    if unit.source == UnitSource::Guessed {
        let (height, name) = (frame.height * unit.metres, unit.name().unwrap_or("a unit"));
        let by = if by_skeleton { "size of the skeleton" } else { "height of a person" };
        let message = format!("the file states no unit: {name}, by the {by} ({height:.2} m)");
        warnings.push(Diagnostic::new("rig::unit", message).help("--input-unit states it"));
    }
    if !by_skeleton && frame.facing_confidence < 0.5 {
        let message = "front and back are uncertain: the feet hardly point to a side";
        warnings.push(Diagnostic::new("rig::facing", message).help("--facing states where the body looks"));
    }
}

/// The default skeleton without fingers that the mesh does not show; `None` if it shows all, or another
/// skeleton is fitted.
fn without_unseen(found: &FoundBody, plan: &Plan<'_>, warnings: &mut Vec<Diagnostic>) -> Option<Skeleton> {
    // Joints that the user positions are always kept.
    let wanted = |side: &str| {
        plan.fixed.keys().any(|name| name.starts_with(&format!("{side}Hand")) && name.len() > side.len() + 4)
    };
    let [left, right] = found.fingers_seen;
    let keep = [left || wanted("Left"), right || wanted("Right")];
    let end = match keep {
        _ if plan.is_stated => return None,
        [true, true] => return None,
        [false, false] => "the hands end in hand joints",
        [false, true] => "the left hand ends in a hand joint",
        [true, false] => "the right hand ends in a hand joint",
    };
    let message = format!("the mesh does not show five fingers: {end} without fingers");
    let warning = Diagnostic::new("rig::no-fingers", message);
    warnings.push(warning.help("--preset or --skeleton places fingers by the proportions of a hand"));
    Some(humanoid_with(keep))
}

/// A warning about joints whose positions are uncertain.
fn uncertain(fitted: &FittedSkeleton) -> Option<Diagnostic> {
    let uncertain: Vec<&str> = fitted
        .skeleton
        .joints()
        .iter()
        .zip(&fitted.joints)
        .filter(|(joint, fitted)| fitted.confidence < 0.35 && joint.role.is_some())
        .map(|(joint, _)| joint.name.as_str())
        .collect();
    if uncertain.is_empty() {
        return None;
    }
    let message = format!("uncertain joints: {}", uncertain.join(", "));
    Some(Diagnostic::new("rig::uncertain", message).help("--joint-places states them"))
}

/// Computes new weights for the skeleton of the file.
fn weighed(
    source: Source,
    plan: &Plan<'_>,
    args: &Args,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Rigged, Diagnostic> {
    let Source { body, skeleton, unit, .. } = source;
    let Some(skeleton) = skeleton else {
        let message = "the file has no skeleton to keep";
        return Err(
            Diagnostic::new("rig::no-skeleton", message).help("without --weights-only a skeleton is fitted")
        );
    };
    let all_rigid = body.meshes.iter().all(|mesh| mesh.stated.rigid);
    let mut body = Body {
        meshes: body.meshes.iter().map(|mesh| mesh.at_rest(&skeleton)).collect(),
        materials: body.materials,
    };
    let skips: Vec<bool> = body.meshes.iter().map(|mesh| mesh.stated.rigid && !all_rigid).collect();
    let kept = skips.iter().filter(|skips| **skips).count();
    if kept > 0 {
        let message = format!("{kept} meshes without a skin stay rigidly attached to their joint");
        warnings.push(Diagnostic::new("rig::rigid-kept", message));
    }
    // The joints named by the skin of the file may move the mesh; in a file without a skin, all joints may.
    let mut named: Vec<JointId> = body
        .meshes
        .iter()
        .zip(&skips)
        .filter(|(mesh, skips)| !**skips && !mesh.stated.rigid)
        .flat_map(|(mesh, _)| mesh.skin.bones.iter().map(|bone| bone.joint))
        .collect();
    named.sort_unstable();
    named.dedup();
    let known = weights::with_roles(&skeleton);
    let beside = weights::beside_person(&body, &known);
    let moves =
        |joint: JointId| !beside[joint.index()] && (named.is_empty() || named.binary_search(&joint).is_ok());
    let mesh = mesh::surface(&mut body, args.max_triangles, warnings)?;
    let chosen: weights::Chosen<'_> = (&moves, &|at| skips[at]);
    let weighed = with_weights((&body, &mesh), &known, (args, plan.donor), chosen, warnings)?;
    Ok(Rigged {
        skeleton: skeleton.as_ref().clone(),
        body: weighed.body,
        frame: None,
        unit: unit.unwrap_or(Unit { metres: 1.0, source: UnitSource::Guessed }),
        joints: Vec::new(),
        triangles: mesh.triangles.len(),
        vertices: mesh.of_vertex.len(),
        symmetric: weighed.symmetric,
        matched: weighed.matched,
    })
}

/// The usual units of meshes [m].
fn usual_units() -> [f64; 5] {
    let metres = |unit: &str| Unit::NAMED.iter().find(|(name, _)| *name == unit).map(|(_, metres)| *metres);
    ["m", "cm", "mm", "in", "ft"].map(|unit| metres(unit).unwrap_or(1.0))
}

/// The unit for which the mesh has about the size of a skeleton. `scale`: mesh units per unit of the skeleton.
fn unit_by_size(skeleton: &Skeleton, scale: f64) -> Unit {
    let metres = mocap_analysis::metres_per_unit(skeleton) / scale;
    let off = |unit: &f64| (unit / metres).ln().abs();
    let nearest = usual_units().into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    Unit { metres: nearest.unwrap_or(1.0), source: UnitSource::Guessed }
}

/// The first usual unit in which a body of this height [units of the mesh] is 0.9 to 2.4 m tall,
/// else the one in which its height is nearest to 1.7 m.
fn guessed_unit(height: f64) -> Unit {
    let metres = usual_units();
    let is_person = |metres: &&f64| (0.9..2.4).contains(&(height * **metres));
    let nearest = |a: &&f64, b: &&f64| {
        let off = |metres: f64| (height * metres / 1.7).ln().abs();
        off(**a).total_cmp(&off(**b))
    };
    let found = metres.iter().find(is_person).or_else(|| metres.iter().min_by(nearest));
    Unit { metres: found.copied().unwrap_or(1.0), source: UnitSource::Guessed }
}

fn written(rigged: &Rigged, format: Format) -> Result<Encoded, Diagnostic> {
    let skeleton = Arc::new(rigged.skeleton.clone());
    let clip = weights::at_rest(skeleton.clone()).with_name("Rest");
    let body = BoundBody { body: Arc::new(rigged.body.clone()), skeleton };
    let encoded = write_with_body(&[clip], Some(&body), format, &WriteOptions::default())?;
    Ok(encoded.into())
}

fn row<'a>(
    rigged: &Rigged,
    args: &Args,
    (path, output, format, bytes): (String, String, Format, u64),
    started: Instant,
    warnings: &'a [Diagnostic],
) -> Row<'a> {
    let frame = rigged.frame.as_ref();
    let explained = args.explain.then(|| {
        let joints = rigged.skeleton.joints().iter().zip(&rigged.joints);
        let row = |(joint, fitted): (&mocap_model::Joint, &FittedJoint)| JointRow {
            joint: joint.name.clone(),
            role: joint.role.map(|role| role.name()),
            place: fitted.place.into(),
            confidence: fitted.confidence,
            reason: fitted.reason.clone(),
        };
        joints.map(row).collect()
    });
    let most =
        rigged.body.meshes.iter().flat_map(|mesh| mesh.skin.starts.windows(2)).map(|pair| pair[1] - pair[0]);
    Row {
        path,
        output,
        format: format.extension(),
        vertices: rigged.vertices,
        triangles: rigged.triangles,
        joints: rigged.skeleton.joints().iter().filter(|joint| !joint.end_site).count(),
        height: frame.map(|frame| frame.height * rigged.unit.metres),
        unit: rigged.unit.metres,
        unit_guessed: rigged.unit.source.is_guess(),
        up: frame.map(|frame| frame.up.into()),
        facing: frame.map(|frame| frame.forward.into()),
        facing_confidence: frame.map(|frame| frame.facing_confidence),
        weights: if rigged.matched.is_some() { "copied" } else { args.weight_method.name() },
        matched: rigged.matched,
        influences: most.max().unwrap_or(0) as usize,
        symmetric: rigged.symmetric,
        explained,
        bytes,
        seconds: started.elapsed().as_secs_f64(),
        warnings,
    }
}

impl Row<'_> {
    fn text(&self) -> String {
        let height = self.height.map_or(String::new(), |height| format!(", {height:.2} m tall"));
        let mut text = format!(
            "{} -> {}: {} vertices, {} joints{height}, {} weights of up to {} joints",
            self.path, self.output, self.vertices, self.joints, self.weights, self.influences
        );
        for JointRow { joint, place: [x, y, z], confidence, reason, .. } in self.explained.iter().flatten() {
            text +=
                &format!("\n  {joint:20} {x:7.3} {y:7.3} {z:7.3}  {:3.0} %  {reason}", 100.0 * confidence);
        }
        text
    }
}
