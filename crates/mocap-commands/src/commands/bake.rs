//! `mocap bake`: the vertices of characters over time.

use std::io::Write;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args as ClapArgs;
use mocap_batch::{Destination, WriteContent};
use mocap_formats::Document;
use mocap_formats::vertex_cache::{self, BakeError, BakeOptions, CacheFormat, VertexSequence};
use mocap_model::Clip;
use mocap_skin::SkinMethod;
use schemars::JsonSchema;
use serde::Serialize;

use super::retarget::{edited, put_on_target, read_target};
use crate::batch::{
    self, Failure, Input, Job, JobContext, Naming, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::{Behind, Diagnostic};
use crate::edit;
use crate::encode::put_stdout;
use crate::exit::Exit;
use crate::options::{
    Edits, Inputs, Invocation, MethodSettings, Outputs, Reading, SourceEdits, TargetSettings, UnitLength,
};
use crate::output::Output;
use crate::read::{self, Motion};
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};
use crate::verdict;

/// Write the vertices of skinned characters over time, for programs without their skeleton
///
/// All skinned meshes of a file come one after the other, in metres (pc2: in the unit of the file) and in the axes of the
/// file. Vertices are made frame by frame and are not kept in memory.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap bake character.glb -o character.npz\n\
    \x20 mocap bake character.glb --motion walk.bvh --deform dqs -o walk.usda\n\
    \x20 mocap bake character.fbx -o character.npz --unit cm\n\
    \x20 mocap bake characters/ --to pc2 --fps 30 -o caches/")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Format: npz (vertices, normals, faces and fps for numpy), usda (meshes with point samples), pc2 (mesh cache of
    /// Blender and Maya), png (vertex animation texture of 16 bits, with normals and JSON beside it) [default: by the
    /// extension of the output, else npz]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) to: Option<CacheFormat>,
    /// Unit of the vertices: m, cm, mm, in, ft, cmu (1/0.45 in) or metres per unit [default: m; pc2: the unit of the
    /// file, on whose mesh it is played]
    #[arg(long, value_name = "UNIT", help_heading = "Output")]
    pub(crate) unit: Option<UnitLength>,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
    /// Skinning: lbs (linear blend, what files mean), dqs (dual quaternions) or sbs (spherical blend), which keep the
    /// volume of twisted and bent joints
    #[arg(long, value_name = "METHOD", default_value = "lbs", help_heading = "Skinning")]
    pub(crate) deform: SkinMethod,
    /// Bake meshes without a skin, too: they follow the joint that they are attached to
    #[arg(long, help_heading = "Skinning")]
    pub(crate) rigid: bool,
    /// Retarget this motion to each character first, and bake it in place of the character's own
    #[arg(long, value_name = "FILE", help_heading = "Motion")]
    pub(crate) motion: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) edits: SourceEdits,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// A line of `mocap bake --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    output: String,
    /// npz, usda, pc2 or png.
    format: &'static str,
    /// lbs, dqs or sbs.
    deform: &'static str,
    frames: usize,
    fps: f64,
    /// Of all meshes.
    vertices: usize,
    /// Of all meshes.
    triangles: usize,
    /// In the order of the vertices.
    meshes: Vec<MeshRow>,
    /// Of all files of the output.
    bytes: u64,
    seconds: f64,
    warnings: &'a [Diagnostic],
}

/// A mesh of an output.
#[derive(Serialize, JsonSchema)]
struct MeshRow {
    name: String,
    /// Its first vertex among all.
    first: usize,
    vertices: usize,
    triangles: usize,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "bake",
        about: "A line of mocap bake --json",
        rows: &[of::<Row<'static>>, PLAN, ERROR, SUMMARY],
    }];

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
    let format = output_format(args)?;
    let rename = |path: &Path| path.with_extension(format.extension());
    let derive = |input: &Input| Some(rename(&input.output_name()));
    let beside = |path: &Path| format.beside(path);
    let reads = read_files(&args.reading, Some(&args.inputs.selection)).and(args.motion.as_deref());
    let inputs = batch::expand(&args.inputs, HOLDS_MESHES)?;
    args.reading.ask_peers(&inputs);
    let naming = Naming { derive: &derive, companions: &beside, reads };
    let jobs = batch::plan(inputs, &args.outputs, &naming)?;
    let context = JobContext::standalone();
    let motion = args.motion.as_deref().map(|path| read_motion(path, &context, args)).transpose();
    let motion = motion.map_err(|failure| failure.error)?;
    let mut options =
        RunOptions::writing(&args.inputs.selection, &args.outputs, invocation).with_peers([&args.reading]);
    if let Some(path) = &args.motion {
        options = options.depending_on("the motion", &path.display().to_string(), &context.files_read());
    }
    Ok(batch::run(console, options, &jobs, |job, context| bake(job, context, args, format, motion.as_ref())))
}

/// Formats that may hold a mesh.
const HOLDS_MESHES: batch::Reads =
    |format| format.exchange().is_some_and(|format| format.has_motion() && format.holds_several_clips());

/// The format that `--to` or the name of the output asks for.
fn output_format(args: &Args) -> Result<CacheFormat, Diagnostic> {
    let output = args.outputs.output.as_deref().filter(|path| !batch::is_directory(path));
    let named = output.and_then(CacheFormat::of_path);
    match (args.to, named, output) {
        (Some(to), Some(named), Some(output)) if to != named => {
            let message = format!("'{}' has the extension of {named}, but --to is {to}", output.display());
            Err(Diagnostic::new("output::extension", message))
        }
        (None, None, Some(output)) if output.extension().is_some() => {
            let message = format!("'{}' does not end in .npz, .usda, .pc2 or .png", output.display());
            Err(Diagnostic::new("usage::format", message).help("--to names the format"))
        }
        (to, named, Some(output)) if output.as_os_str() == "-" && to.or(named) == Some(CacheFormat::Png) => {
            Err(Diagnostic::new("usage::stdout", "a texture is three files: stdout takes one"))
        }
        (to, named, _) => Ok(to.or(named).unwrap_or_default()),
    }
}

/// The motion that all characters get, with the warnings of its file.
fn read_motion(path: &Path, context: &JobContext, args: &Args) -> Result<Motion, Failure> {
    let edits = Edits::from(args.edits);
    let reading = Reading { rest_frame_dropped: edits.drop_first_frame, ..args.reading.clone() };
    read::motion(context, &Input::named(path), &reading)
        .map_err(|failure| Failure { error: failure.error.in_file(path), warnings: failure.warnings })
}

fn bake(
    job: &Job,
    context: &JobContext,
    args: &Args,
    format: CacheFormat,
    motion: Option<&Motion>,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let mut warnings = Vec::new();
    let done = sequence(job, context, args, format, motion, &mut warnings);
    let (sequence, bytes_in) = done.behind(&mut warnings)?;
    warnings = read::strict(&args.reading, take(&mut warnings))?;
    context.check()?;
    let (bytes, output) = deliver(&sequence, format, job, context).behind(&mut warnings)?;
    let meshes = sequence.meshes().iter().map(|mesh| MeshRow {
        name: mesh.name.clone(),
        first: mesh.first,
        vertices: mesh.vertices(),
        triangles: mesh.triangles.len(),
    });
    let row = Row {
        path: job.input.shown(),
        output,
        format: format.extension(),
        deform: args.deform.name(),
        frames: sequence.frames(),
        fps: sequence.clip().rate().fps(),
        vertices: sequence.vertices(),
        triangles: sequence.triangles(),
        meshes: meshes.collect(),
        bytes,
        seconds: started.elapsed().as_secs_f64(),
        warnings: &warnings,
    };
    let (json, text) = (json(&row), row.text());
    let tally = Tally { frames: row.frames, bytes_in, bytes_out: bytes };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

/// The meshes of an input over its own motion, or over the motion that is retargeted to it.
fn sequence(
    job: &Job,
    context: &JobContext,
    args: &Args,
    format: CacheFormat,
    motion: Option<&Motion>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(VertexSequence, u64), Failure> {
    let limits = args.reading.limits();
    let edits = Edits::from(args.edits);
    let (clip, document, bytes_in) = match motion {
        Some(motion) => retargeted(job, context, args, motion, warnings)?,
        None => {
            let reading = Reading { rest_frame_dropped: edits.drop_first_frame, ..args.reading.clone() };
            let loaded = read::load(context, &job.input, &reading)?;
            let (Motion { clip, warnings: found, bytes }, document) =
                loaded.into_motion_and_document(&reading)?;
            warnings.extend(found);
            (edit::apply(&edits, limits, clip, warnings)?, document.map(std::sync::Arc::from), bytes)
        }
    };
    let body = match &document {
        Some(document) => document.body(&limits).map_err(Diagnostic::from)?,
        None => None,
    };
    let Some(body) = body else {
        let error = Diagnostic::new("bake::no-mesh", "the file has no mesh")
            .help("bake takes characters: GLB, glTF or FBX with a skinned mesh");
        return Err(error.into());
    };
    warnings.extend(body.warnings.into_iter().map(Diagnostic::from));
    let body = body.value;
    // A PC2 file states no unit: programs put its numbers into the mesh of the file.
    let of_file = clip.skeleton().space().metres().filter(|_| format == CacheFormat::Pc2);
    let options = BakeOptions {
        method: args.deform,
        rigid: args.rigid,
        upright: format == CacheFormat::Usda,
        unit: args.unit.map(|unit| unit.0).or(of_file),
    };
    let sequence = VertexSequence::new(&body, &clip, &options).map_err(refused)?;
    let left = body.body.meshes.iter().filter(|mesh| mesh.stated.rigid && !args.rigid);
    let left: Vec<String> = left.map(|mesh| format!("'{}'", mesh.name)).collect();
    if !left.is_empty() {
        let message = format!("meshes without a skin are left out: {}", left.join(", "));
        warnings.push(Diagnostic::new("bake::rigid-left-out", message).help("--rigid bakes them"));
    }
    warnings.extend(sequence.unit_warning().map(Diagnostic::from));
    Ok((sequence, bytes_in))
}

type Found = (Clip, Option<std::sync::Arc<dyn Document>>, u64);

/// The motion, retargeted to the skeleton of the character like `mocap retarget` does.
fn retargeted(
    job: &Job,
    context: &JobContext,
    args: &Args,
    motion: &Motion,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Found, Failure> {
    let (method, edits) = (MethodSettings::default(), Edits::from(args.edits));
    let target = read_target((context, &job.input), &TargetSettings::default(), None, &args.reading)?;
    let target = target.with_surface((&method.body, method.surface_frames), context, &args.reading)?;
    warnings.extend(target.warnings.iter().cloned());
    let mut of_motion = motion.warnings.clone();
    let source = edited(motion.clip.clone(), (&edits, args.reading.limits()), &method, false, &mut of_motion);
    let path = args.motion.as_deref().unwrap_or(Path::new(""));
    let (clip, opening) = source.map_err(|error| error.in_file(path))?;
    let fps = clip.rate();
    let done = put_on_target(clip, &opening, &method, (&target, None), fps, &mut of_motion);
    warnings.extend(of_motion.into_iter().map(|warning| warning.in_file(path)));
    let (moved, report) = done?;
    let mut impossible = Vec::new();
    verdict::sort(report.verdicts(&target.on, &moved), false, &mut impossible, warnings);
    if let Some(error) = impossible.into_iter().next() {
        return Err(error.into());
    }
    Ok((moved, target.on.document.clone(), motion.bytes))
}

/// Adds advice to an error about a character that cannot be baked.
fn refused(error: BakeError) -> Diagnostic {
    let diagnostic = Diagnostic::new(error.code(), error.to_string());
    match error {
        BakeError::NoSkin { rigid: 0 } => diagnostic.help("`mocap rig` binds its mesh to a skeleton"),
        BakeError::NoSkin { .. } => diagnostic.help("--rigid bakes it as it hangs on its joints"),
        BakeError::NoFrames => diagnostic.help("--motion names a motion to put on the character"),
        _ => diagnostic,
    }
}

/// Writes the files of an output, all or none; returns their size [bytes] and the path of the main one.
fn deliver(
    sequence: &VertexSequence,
    format: CacheFormat,
    job: &Job,
    context: &JobContext,
) -> Result<(u64, String), Failure> {
    let none = Path::new("-");
    let path = match &job.destination {
        Destination::File { path, .. } => path.as_path(),
        Destination::Stdout => none,
        Destination::Nowhere | Destination::Exists(_) => return Ok((0, String::new())),
    };
    let files = vertex_cache::files(sequence, format, path).map_err(refused)?;
    let contents: Vec<_> =
        files.iter().map(|(_, file)| move |out: &mut dyn Write| file.write(path, out)).collect();
    let Destination::File { replace, .. } = &job.destination else {
        let bytes = put_stdout(&|out| contents.iter().try_for_each(|content| content(out)))?;
        return Ok((bytes, "-".into()));
    };
    let named: Vec<(&Path, WriteContent<'_>)> = files
        .iter()
        .zip(&contents)
        .map(|((path, _), content)| (path.as_path(), content as WriteContent<'_>))
        .collect();
    Ok((context.write(&named, *replace)?, path.display().to_string()))
}

impl Row<'_> {
    fn text(&self) -> String {
        format!(
            "{} -> {}: {} frames at {} fps, {} vertices, {} triangles, {}",
            self.path,
            self.output,
            self.frames,
            mocap::short(self.fps),
            self.vertices,
            self.triangles,
            self.deform
        )
    }
}
