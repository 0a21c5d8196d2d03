//! `mocap face`: shapes of one face to another, and weights from vertices that move.

mod map;
mod poses;
mod shapes;
mod solve;
mod step;

pub(crate) use step::{FaceMeasures, FaceStep, OpenFace};

use std::collections::HashSet;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args as ClapArgs;
use mocap_face::{FaceMap, JointPose, Link, Match, add_correctives, followed, pose_joints, with_expressions};
use mocap_formats::{Format, text};
use mocap_model::{BoundBody, Clip, Expression, InBetween, ScalarTrack, Skeleton, Track};
use schemars::JsonSchema;
use serde::Serialize;

use self::map::LinkRow;
use self::poses::read_poses;
use self::shapes::TransferRow;
use self::solve::{ResidualRow, Vertices};
use super::retarget::{Target, read_target};
use crate::batch::{
    self, Failure, Input, Job, JobContext, OutputNames, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::{Behind, Detail, Diagnostic};
use crate::edit;
use crate::encode::{self, EncodeOptions, Origin};
use crate::exit::Exit;
use crate::options::{
    Edits, Inputs, Invocation, Outputs, Reading, SceneFlags, Selection, SourceEdits, TargetSettings,
};
use crate::output::Output;
use crate::read::{self, Motion};
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};

/// Move the face of a character by another face, or by vertices
///
/// The last argument is the character, a GLB, glTF or FBX with shapes (morph targets). Sources are takes of a telephone
/// (Live Link Face CSV), characters with shapes that move, and clips with numbers over time. Names are matched over
/// ARKit, FACS, VRM, MakeHuman, Character Creator and MetaHuman. With --solve, weights are found from vertices or face
/// markers that move (NPZ, C3D, TRC).
#[derive(Debug, ClapArgs)]
#[command(override_usage = "mocap face [OPTIONS] <SOURCE>... <TARGET>")]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap face take.csv head.glb -o talk.glb\n\
    \x20 mocap face takes/*.csv head.glb -o out/ --json\n\
    \x20 mocap face take.csv head.glb --explain\n\
    \x20 mocap face vertices.npz head.glb --solve -o talk.glb\n\
    \x20 mocap face rigged.glb head.glb --make-shapes -o face.glb")]
pub(crate) struct Args {
    /// Takes, characters or clips (with --solve: vertices or markers), and last the character
    #[arg(value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) paths: Vec<PathBuf>,
    /// Which shape moves which, as --write-map writes it; nothing else is mapped
    #[arg(long, value_name = "FILE", help_heading = "Face", conflicts_with = "solve")]
    pub(crate) map: Option<PathBuf>,
    /// Write the map as JSON, to edit and give to --map; - for stdout
    #[arg(long, value_name = "FILE", help_heading = "Face", conflicts_with_all = ["output", "solve"])]
    pub(crate) write_map: Option<PathBuf>,
    /// Show which shape moves which and why, and write nothing
    #[arg(long, help_heading = "Face", conflicts_with_all = ["output", "solve"])]
    pub(crate) explain: bool,
    /// Move joints by shapes: a table of poses (JSON), or a motion of the character whose clips or events are named as
    /// shapes
    #[arg(long, value_name = "FILE", help_heading = "Face", conflicts_with_all = ["solve", "make_shapes"])]
    pub(crate) joint_poses: Option<PathBuf>,
    /// Leave head and eyes of the target as they are at rest
    #[arg(long, help_heading = "Face")]
    pub(crate) no_turns: bool,
    /// Find weights from points: vertices of an NPZ (`vertices`, frames × vertices × 3, in metres), or markers
    #[arg(long, help_heading = "Face")]
    pub(crate) solve: bool,
    /// Vertices that the points are, from 0: JSON, a list in the order of the points, or an object by marker
    /// [default: the points are all vertices of the target]
    #[arg(long, value_name = "FILE", help_heading = "Face", requires = "solve")]
    pub(crate) vertices: Option<PathBuf>,
    /// Give the target the shapes of the source, which is another head: of the same topology, or of another
    #[arg(
        long,
        help_heading = "Face",
        conflicts_with_all = ["solve", "map", "write_map", "explain", "trim", "fps", "drop_first_frame"]
    )]
    pub(crate) make_shapes: bool,
    #[command(flatten)]
    pub(crate) target: TargetSettings,
    #[command(flatten)]
    pub(crate) edits: SourceEdits,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Output",
        help = format!("Format: {} [default: by OUT, else glb]", crate::options::formats::writable(Format::holds_numbers))
    )]
    pub(crate) to: Option<Format>,
    #[command(flatten)]
    pub(crate) scene: SceneFlags,
}

/// A line of `mocap face --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    target: &'a str,
    /// Empty with --explain.
    output: String,
    frames: usize,
    fps: f64,
    /// Which shape moves which; null with --solve.
    map: Option<Vec<LinkRow>>,
    /// Shapes of the source that move nothing.
    unused: Vec<String>,
    /// Shapes of the target that nothing moves, or that no point shows.
    unmoved: Vec<String>,
    /// How far the face is from the points; null without --solve.
    residual: Option<ResidualRow>,
    /// What --make-shapes made; null without it.
    transferred: Option<TransferRow>,
    seconds: f64,
    warnings: &'a [Diagnostic],
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "face",
        about: "A line of mocap face --json",
        rows: &[of::<Row<'static>>, PLAN, ERROR, SUMMARY],
    }];

    fn settle_outputs(&mut self) {
        self.outputs.settle(&self.paths[..self.paths.len() - 1]);
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// A character with a face.
#[derive(Debug)]
struct Head {
    target: Target,
    /// Its meshes; none of a face that only joints move.
    body: Option<BoundBody>,
    /// The names of the shapes of its meshes.
    shapes: Vec<String>,
    /// Those that stand in others, where the file states their weights (FBX).
    in_betweens: Vec<InBetween>,
    /// What moves several of them (VRM).
    expressions: Vec<Expression>,
    /// What moves joints.
    poses: Vec<JointPose>,
    /// All that a map may name: shapes, expressions and poses.
    names: Vec<String>,
}

/// The order of the arguments.
const TARGET_LAST: &str = "the character comes last: `mocap face TAKE... CHARACTER`";

/// Whether the format of the output holds what the command makes: shapes of a mesh, their weights over time, or joints
/// that poses move.
fn check_format(args: &Args, format: Format) -> Result<(), Diagnostic> {
    let (meshes, motion) = (args.make_shapes, args.joint_poses.is_some());
    let fits = |format: Format| match (meshes, motion) {
        (true, _) => format.holds_meshes() && format.holds_numbers(),
        (false, true) => format.has_motion() && !format.holds_robot() && !format.holds_only_positions(),
        // Weights of vertices are those of shapes.
        (false, false) => format.holds_numbers() && !(args.solve && format.holds_expressions()),
    };
    if fits(format) || args.explain || args.write_map.is_some() {
        return Ok(());
    }
    let what = match (meshes, motion) {
        (true, _) => "shapes of a mesh",
        (false, true) => "the joints of a character",
        (false, false) => "weights of shapes",
    };
    let message = format!("{format} files cannot hold {what}");
    let formats = encode::names(|format| format.is_writable() && fits(format));
    let poses = match (meshes, motion) {
        (false, false) => "; --joint-poses moves joints in place of shapes",
        _ => "",
    };
    Err(Diagnostic::new("usage::format", message).help(format!("formats that can: {formats}{poses}")))
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let (target_path, sources) = args.paths.split_last().expect("a path is given");
    if sources.is_empty() && args.selection.files_from.is_none() {
        let message = format!("'{}' is the only path: the character is missing", target_path.display());
        return Err(Diagnostic::new("usage::target", message).help(TARGET_LAST));
    }
    let asked = encode::asked_format(args.to, args.outputs.output.as_deref())?;
    let format = asked.unwrap_or(Format::Glb);
    check_format(args, format)?;
    batch::check_stdout(console, &args.outputs)?;
    let target_context = JobContext::standalone();
    let settings = HeadSettings {
        target: TargetSettings { unit_unneeded: !args.solve, ..args.target },
        poses: args.joint_poses.as_deref(),
        makes_shapes: args.make_shapes,
    };
    let head = match read_head(&target_context, target_path, &settings, &args.reading) {
        Ok(head) if format.holds_expressions() => head.of_expressions(),
        Ok(head) => head,
        Err(Failure { error, warnings }) => {
            let path = target_path.display().to_string();
            console.warnings(&path, &warnings, Detail::Full);
            batch::fail(&path, &error, &warnings, console);
            return Ok(Exit::Usage);
        }
    };
    let inputs = Inputs { inputs: sources.to_vec(), selection: args.selection.clone() };
    let beside = args.map.as_deref().or(args.vertices.as_deref());
    let reads = read_files(&args.reading, Some(&args.selection))
        .and([target_path.as_path()])
        .and(beside)
        .and(args.joint_poses.as_deref());
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let rename = |path: &Path| {
        path.with_file_name(format!("{}.{}.{}", stem(path), stem(target_path), format.file_extension()))
    };
    let names = OutputNames { searched: batch::ALL, rename: &rename, format: Some(format) };
    let jobs = match args.explain || args.write_map.is_some() {
        true => map::jobs(batch::expand(&inputs, names.searched)?, &reads, args, console)?,
        false => batch::plan_peers(console, (&inputs, &args.reading), &args.outputs, &names, reads)?,
    };
    if !console.is_json() {
        console.warnings(&target_path.display().to_string(), &head.target.warnings, Detail::Line);
    }
    let beside = beside.map(|path| read_beside(path, &args.reading)).transpose()?;
    let mut options = RunOptions::writing(&args.selection, &args.outputs, invocation)
        .with_peers([&args.reading])
        .depending_on("the target", &head.target.path, &target_context.files_read());
    if let Some(beside) = &beside {
        let what = if args.solve { "the list of vertices" } else { "the map" };
        options = options.depending_on(what, "", &beside.record);
    }
    let vertices = match (&beside, args.solve) {
        (Some(beside), true) => Some(Vertices::parse(&beside.bytes, &beside.path)?),
        _ => None,
    };
    let given = beside.filter(|_| !args.solve);
    let work = |job: &Job, context: &JobContext| match (
        args.solve || args.make_shapes,
        args.explain || args.write_map.is_some(),
    ) {
        (true, _) if args.make_shapes => shapes::made(job, context, args, &head, format),
        (true, _) => face(job, context, args, &head, format, |reading, warnings| {
            solve::solved(job, context, (&head, vertices.as_ref()), reading, warnings)
        }),
        (false, true) => map::show(job, context, args, &head, given.as_ref()),
        (false, false) => face(job, context, args, &head, format, |reading, warnings| {
            mapped(job, context, args, (&head, given.as_ref()), reading, warnings)
        }),
    };
    Ok(batch::run(console, options, &jobs, work))
}

/// A file beside the inputs: a map, or a list of vertices.
#[derive(Debug)]
struct FileBeside {
    path: PathBuf,
    bytes: Vec<u8>,
    record: Vec<mocap_batch::FileRecord>,
}

fn read_beside(path: &Path, reading: &Reading) -> Result<FileBeside, Diagnostic> {
    let context = JobContext::standalone();
    let bytes = read::bytes_of(&context, &Input::named(path), &reading.limits())?;
    Ok(FileBeside { path: path.to_owned(), bytes, record: context.files_read().to_vec() })
}

/// How the character is read.
struct HeadSettings<'a> {
    target: TargetSettings,
    poses: Option<&'a Path>,
    /// Whether it gets shapes: it needs none.
    makes_shapes: bool,
}

/// The character and its shapes.
fn read_head(
    context: &JobContext,
    path: &Path,
    settings: &HeadSettings<'_>,
    reading: &Reading,
) -> Result<Head, Failure> {
    if path.is_dir() {
        let message = format!("'{}' is a directory; the character must be one file", path.display());
        return Err(Diagnostic::new("usage::target", message).help(TARGET_LAST).into());
    }
    let mut target = read_target((context, &Input::named(path)), &settings.target, None, reading)?;
    let limits = reading.limits();
    let document = target.on.document.as_ref();
    let expressions = document.map(|document| document.expressions()).unwrap_or_default();
    let in_betweens = document.map(|document| document.in_betweens()).unwrap_or_default();
    let found = document.map(|document| document.body(&limits)).transpose();
    let found = found.map_err(|finding| Diagnostic::from(finding).in_file(path))?.flatten();
    let shapes = found.as_ref().map(|body| mocap::face_shapes(&body.value)).unwrap_or_default();
    let poses = match settings.poses {
        Some(poses) => read_poses(context, poses, &target.on.skeleton, reading)?,
        None => Vec::new(),
    };
    if shapes.is_empty() && poses.is_empty() && !(settings.makes_shapes && found.is_some()) {
        let error = Diagnostic::new("face::no-shapes", "the character has no shapes (morph targets)");
        return Err(error
            .in_file(path)
            .help(format!(
                "name a GLB, glTF or FBX with a face, or give --joint-poses for a face of joints; {TARGET_LAST}"
            ))
            .into());
    }
    let body = found.map(|found| {
        target.warnings.extend(found.warnings.into_iter().map(Diagnostic::from));
        found.value
    });
    // The face is what it holds: that it has no motion of its own is no warning.
    target.warnings.retain(|warning| !warning.code.ends_with("::no-animation"));
    target.warnings.extend(body.as_ref().and_then(|body| same_names(body, path)));
    let mut names = shapes.clone();
    for name in expressions.iter().map(|of| &of.name).chain(poses.iter().map(|of| &of.name)) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    Ok(Head { target, body, shapes, in_betweens, expressions, poses, names })
}

/// A warning of shapes of one mesh that share a name. (Those of several meshes do so that they move together.)
fn same_names(body: &BoundBody, path: &Path) -> Option<Diagnostic> {
    let mut twice: Vec<&str> = Vec::new();
    for mesh in &body.body.meshes {
        let mut seen = HashSet::new();
        twice.extend(mesh.shapes.iter().map(|shape| shape.name.as_str()).filter(|name| !seen.insert(*name)));
    }
    twice.sort_unstable();
    twice.dedup();
    (!twice.is_empty()).then(|| {
        let more = if twice.len() > 10 { format!(" and {} more", twice.len() - 10) } else { String::new() };
        let names = twice[..twice.len().min(10)].join(", ");
        let message = format!("several shapes of one mesh share a name, and move together: {names}{more}");
        Diagnostic::new("face::same-names", message).in_file(path)
    })
}

/// The error for a table that is not of a face: the columns that it has, and those that were expected.
fn other_table(job: &Job, context: &JobContext, reading: &Reading, failure: Failure) -> Failure {
    if failure.error.code != "format::write-only" {
        return failure;
    }
    let Ok(bytes) = read::bytes_of(context, &job.input, &reading.limits()) else { return failure };
    let text = text::decode(&bytes[..bytes.len().min(4096)]).into_owned();
    let first = String::from_utf8_lossy(&text).lines().next().unwrap_or_default().to_owned();
    let columns: String = first.chars().take(80).collect();
    let message = format!("not a Live Link Face table; its first line is '{columns}'");
    let error = Diagnostic::new("face::columns", message).help(
        "expected columns: Timecode, BlendShapeCount, then shapes of ARKit (EyeBlinkLeft, JawOpen, ...)",
    );
    Failure { error: error.in_file(Path::new(&job.input.shown())), warnings: failure.warnings }
}

impl Head {
    /// The meshes with their shapes.
    fn body(&self) -> Result<&BoundBody, Diagnostic> {
        self.body.as_ref().ok_or_else(|| {
            Diagnostic::new("face::no-mesh", "the character has no mesh")
                .in_file(Path::new(&self.target.path))
        })
    }

    /// For formats that store expressions and no shapes: the expressions of the character become its face.
    fn of_expressions(mut self) -> Head {
        if !self.expressions.is_empty() {
            self.shapes = self.expressions.drain(..).map(|of| of.name).collect();
            let poses = self.poses.iter().map(|pose| pose.name.clone());
            let poses = poses.filter(|name| !self.shapes.contains(name));
            self.names = self.shapes.iter().cloned().chain(poses).collect();
            self.body = None;
        }
        self
    }

    /// What nothing moves: neither a link, nor an expression that a link moves. An expression whose shapes all move is
    /// not in the list.
    fn unmoved(&self, map: &FaceMap) -> Vec<String> {
        let linked = |name: &str| map.links.iter().any(|link| self.names[link.target] == name);
        let bound = |name: &str| {
            let mut moving = self.expressions.iter().filter(|of| linked(&of.name)).flat_map(|of| &of.binds);
            moving.any(|(shape, _)| shape == name)
        };
        let followed = followed(&self.shapes, &self.in_betweens);
        let corrects = |name: &str| {
            let at = self.shapes.iter().position(|shape| shape == name);
            let parts = at.and_then(|at| followed.get(&at));
            parts.is_some_and(|parts| {
                parts.iter().all(|part| linked(&self.shapes[*part]) || bound(&self.shapes[*part]))
            })
        };
        let moves = |name: &str| linked(name) || bound(name) || corrects(name);
        let covered = |name: &str| {
            self.expressions
                .iter()
                .any(|of| of.name == name && of.binds.iter().all(|(shape, _)| moves(shape)))
        };
        self.names.iter().filter(|name| !moves(name) && !covered(name)).cloned().collect()
    }
}

/// What moves the face: the clip with its shapes, and what is reported of it.
struct Moved {
    clip: Clip,
    map: Option<Vec<LinkRow>>,
    unused: Vec<String>,
    unmoved: Vec<String>,
    residual: Option<ResidualRow>,
    bytes_in: u64,
}

/// The names of the numbers over time of a clip.
fn names(clip: &Clip) -> Vec<String> {
    clip.annotations().scalars.iter().map(|track| track.name.clone()).collect()
}

/// The map between a source and the face: found, or given.
fn face_map(source: &[String], head: &Head, given: Option<&FileBeside>) -> Result<FaceMap, Diagnostic> {
    let map = match given {
        Some(given) => map::parse(given, source, &head.names)?,
        None => found(source, head),
    };
    if map.links.is_empty() {
        let message = match source.len() {
            _ if given.is_some() => "the map names no shape of the source: nothing moves".to_owned(),
            0 => "the source has no shapes: no numbers over time".to_owned(),
            count => format!("no name of the {count} shapes of the source means a shape of the character"),
        };
        return Err(Diagnostic::new("face::nothing-mapped", message)
            .help("--write-map writes a map to fill in, --map takes it; --explain shows the names"));
    }
    Ok(map)
}

/// The map by names. A shape is moved by itself or by an expression, not by both: an expression of the same name goes
/// before shapes that only mean the same, and others give way to the shapes that they move.
fn found(source: &[String], head: &Head) -> FaceMap {
    let mut map = FaceMap::found(source, &head.names);
    for expression in head.expressions.iter().filter(|of| !head.shapes.contains(&of.name)) {
        let own = |link: &Link| head.names[link.target] == expression.name;
        let Some(by) = map.links.iter().find(|link| own(link)).map(|link| link.by) else { continue };
        let bound = |link: &Link| expression.binds.iter().any(|(shape, _)| *shape == head.names[link.target]);
        let exact = map.links.iter().filter(|link| bound(link)).any(|link| link.by == Match::SameName);
        let any = map.links.iter().any(bound);
        match by == Match::SameName && !exact {
            true => map.links.retain(|link| !bound(link)),
            false => map.links.retain(|link| !any || !own(link)),
        }
    }
    map
}

/// The face, moved by the shapes of the source.
fn mapped(
    job: &Job,
    context: &JobContext,
    args: &Args,
    (head, given): (&Head, Option<&FileBeside>),
    reading: &Reading,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Moved, Failure> {
    let motion = read::motion(context, &job.input, reading);
    let Motion { clip, warnings: found, bytes } =
        motion.map_err(|failure| other_table(job, context, reading, failure))?;
    warnings.extend(found);
    let edits = Edits::from(args.edits);
    let clip = edit::apply(&edits, reading.limits(), clip, warnings)?;
    let Followed { clip, map, unused, unmoved } = follow(&clip, head, given, !args.no_turns)?;
    Ok(Moved { clip, map: Some(map), unused, unmoved, residual: None, bytes_in: bytes })
}

/// The character, moved by the shapes of a clip.
struct Followed {
    clip: Clip,
    map: Vec<LinkRow>,
    unused: Vec<String>,
    unmoved: Vec<String>,
}

fn follow(clip: &Clip, head: &Head, given: Option<&FileBeside>, turns: bool) -> Result<Followed, Diagnostic> {
    let source = names(clip);
    let map = face_map(&source, head, given)?;
    let tracks = map.apply(clip.annotations(), &head.names, clip.frames());
    Ok(Followed {
        clip: driven(clip, head, tracks, turns)?,
        map: map::rows(&map, &source, &head.names),
        unused: map.unused(&source).into_iter().map(str::to_owned).collect(),
        unmoved: head.unmoved(&map),
    })
}

/// The character, moved by tracks of what a map may name: expressions become shapes, poses move joints.
fn driven(clip: &Clip, head: &Head, tracks: Vec<ScalarTrack>, turns: bool) -> Result<Clip, Diagnostic> {
    let posing = tracks.clone();
    let mut shapes = match head.expressions.is_empty() {
        true => tracks,
        false => with_expressions(tracks, &head.expressions, clip.frames()),
    };
    shapes.retain(|track| head.shapes.contains(&track.name));
    add_correctives(&mut shapes, &head.shapes, &head.in_betweens, clip.frames());
    if let Some(body) = &head.body {
        at_rest(&mut shapes, &head.shapes, body);
    }
    let moved = put(clip, head, shapes, turns)?;
    Ok(pose_joints(&moved, &head.poses, &posing).map_err(mocap::Error::from)?)
}

/// Shapes that nothing moves keep the weight that they have at rest.
fn at_rest(tracks: &mut Vec<ScalarTrack>, names: &[String], body: &BoundBody) {
    let rest = |name: &str| {
        let mut shapes = body.body.meshes.iter().flat_map(|mesh| &mesh.shapes);
        shapes.find(|shape| shape.name == name).map_or(0.0, |shape| shape.weight)
    };
    for name in names {
        if !tracks.iter().any(|track| track.name == *name) {
            tracks.push(ScalarTrack { name: name.clone(), values: Track::Constant(rest(name)) });
        }
    }
}

/// The character with shapes over time.
fn put(clip: &Clip, head: &Head, shapes: Vec<ScalarTrack>, turns: bool) -> Result<Clip, Diagnostic> {
    let skeleton: &Arc<Skeleton> = &head.target.on.skeleton;
    Ok(mocap::face_clip(clip, skeleton, shapes, turns).map_err(mocap::Error::from)?)
}

/// One input: reads, moves, writes, reports.
fn face(
    job: &Job,
    context: &JobContext,
    args: &Args,
    head: &Head,
    format: Format,
    moved: impl FnOnce(&Reading, &mut Vec<Diagnostic>) -> Result<Moved, Failure>,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let edits = Edits::from(args.edits);
    let reading = Reading { rest_frame_dropped: edits.drop_first_frame, ..args.reading.clone() };
    let mut warnings = Vec::new();
    let done = moved(&reading, &mut warnings);
    let Moved { clip, map, unused, unmoved, residual, bytes_in } = done.behind(&mut warnings)?;
    context.check()?;
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    let stem = job.input.relative.file_stem().unwrap_or_default().to_string_lossy();
    let clip = encode::named(clip, &stem, format);
    let options = EncodeOptions { limits: reading.limits(), scene: args.scene, ..EncodeOptions::default() };
    let origin =
        Origin { document: head.target.on.document.as_deref(), file: Some(Path::new(&head.target.path)) };
    let encoded = encode::clip_in(origin, clip, format, options).map_err(|error| of_character(error, head));
    let delivered = encoded.map_err(Failure::from).and_then(|encoded| {
        warnings.extend_from_slice(&encoded.warnings);
        warnings = read::strict(&reading, take(&mut warnings))?;
        encode::deliver(&encoded, job, context)
    });
    let (bytes_out, output) = delivered.behind(&mut warnings)?;
    let row = Row {
        path: job.input.shown(),
        target: &head.target.path,
        output,
        frames,
        fps,
        map,
        unused,
        unmoved,
        residual,
        transferred: None,
        seconds: started.elapsed().as_secs_f64(),
        warnings: &warnings,
    };
    let (json, text) = (json(&row), row.text(head.names.len()));
    let tally = Tally { frames, bytes_in, bytes_out };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

/// What the output cannot hold are the names of the character, not those of the take.
fn of_character(error: Diagnostic, head: &Head) -> Diagnostic {
    if error.code != "livelink::not-arkit" {
        return error;
    }
    let path = Path::new(&head.target.path);
    let first: Vec<&str> = head.shapes.iter().take(3).map(String::as_str).collect();
    let message = format!(
        "no shape of the character has a name of ARKit ({} …), and Live Link CSV holds no others",
        first.join(", ")
    );
    Diagnostic::new(error.code, message)
        .in_file(path)
        .help("`mocap convert TAKE -o OUT.csv --to livelink-csv` writes the take itself; .json and .npz hold any names")
}

impl Row<'_> {
    fn text(&self, shapes: usize) -> String {
        let moved = shapes - self.unmoved.len();
        let mut text = format!(
            "{} -> {}: {} frames at {} fps, {moved} of {shapes} shapes move",
            self.path,
            self.output,
            self.frames,
            mocap::short(self.fps),
        );
        if let Some(residual) = &self.residual {
            text += &format!(", points {} mm off (rms)", mocap::short(residual.rms * 1e3));
        }
        for (names, what) in [(&self.unmoved, "nothing moves"), (&self.unused, "nothing takes")] {
            if !names.is_empty() {
                text += &format!("\n  {what}: {}", names.join(", "));
            }
        }
        text
    }
}
