//! `mocap face`: shapes of one face to another, and weights from vertices that move.

mod drive;
mod head;
mod lids;
mod map;
mod poses;
mod row;
mod shapes;
mod solve;
mod step;

pub(crate) use step::{FaceMeasures, FaceStep, OpenFace};

use std::mem::take;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args as ClapArgs;
use mocap_formats::{Format, text};

use self::drive::{Moved, mapped};
use self::head::{Head, HeadSettings, read_head};
use self::lids::LidsWord;
use self::row::Row;
use self::solve::Vertices;
use crate::batch::{
    self, Failure, Input, Job, JobContext, OutputNames, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::{Behind, Detail, Diagnostic};
use crate::encode::{self, EncodeOptions, Origin};
use crate::exit::Exit;
use crate::options::{
    Edits, Inputs, Invocation, Outputs, Reading, SceneFlags, Selection, SourceEdits, TargetSettings,
};
use crate::output::Output;
use crate::read;
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
    /// How to set the weights of eyes that the source closes
    #[arg(
        long,
        value_enum,
        value_name = "LIDS",
        default_value = "close",
        help_heading = "Face",
        conflicts_with = "solve"
    )]
    pub(crate) lids: LidsWord,
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

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "face",
        about: "A line of mocap face --json",
        rows: &[of::<Row<'static>>, PLAN, ERROR, SUMMARY],
    }];

    fn complete_outputs(&mut self) {
        self.outputs.settle(&self.paths[..self.paths.len() - 1]);
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// The order of the arguments.
const TARGET_LAST: &str = "the character comes last: `mocap face TAKE... CHARACTER`";

/// Checks that the output format holds the results of the command: shapes of a mesh, their weights over time,
/// or joints that poses rotate.
fn check_format(args: &Args, format: Format) -> Result<(), Diagnostic> {
    let (meshes, motion) = (args.make_shapes, args.joint_poses.is_some());
    let fits = |format: Format| match (meshes, motion) {
        (true, _) => format.holds_meshes() && format.holds_numbers(),
        (false, true) => format.has_motion() && !format.holds_robot() && !format.holds_only_positions(),
        // Weights that are solved from vertices are shape weights.
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

/// The error for a table that is not a face table: columns found and columns expected.
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

/// Processes one input: reads, drives, writes, reports.
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
    let Moved { clip, map, unused, unmoved, lids, residual, bytes_in } = done.behind(&mut warnings)?;
    context.check()?;
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    let (name, limits, scene) = (encode::clip_name(job), reading.limits(), args.scene);
    let options = EncodeOptions { name: &name, limits, scene, ..EncodeOptions::default() };
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
        lids,
        residual,
        transferred: None,
        seconds: started.elapsed().as_secs_f64(),
        warnings: &warnings,
    };
    let (json, text) = (json(&row), row.text(head.names.len()));
    let tally = Tally { frames, bytes_in, bytes_out };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

/// Names that the output cannot hold are those of the character, not of the take.
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
