//! `mocap solve`: recordings of optical markers onto skeletons.

mod args;
mod poses;

use std::path::{Path, PathBuf};
use std::time::Instant;

use mocap::EditOptions;
use mocap::solve::{Calibration, MarkerSets, SolveOptions, SolveReport, Solved};
use mocap_analysis::{Gate, GateResult, MissedGate};
use mocap_formats::{Finding, Format};
use mocap_model::{Character, Clip, Markers, Scene};
use serde::Serialize;

pub(crate) use self::args::Args;
pub(crate) use self::poses::read_poses;
use super::analog;
use super::retarget::read_target;
use crate::batch::{
    self, Destination, Failure, Input, Job, JobContext, OutputNames, ReadFiles, Report, RunOptions, Tally,
    json, read_files,
};
use crate::diagnostic::{Behind, Detail, Diagnostic};
use crate::encode::{self, EncodeOptions, Encoded, Origin};
use crate::exit::Exit;
use crate::options::{Inputs, Invocation};
use crate::output::Output;
use crate::read;
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};

/// A row of `mocap solve --json`. Lengths are metres.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: &'a str,
    /// Empty where a gate was missed: nothing was written then.
    output: &'a str,
    /// The target; absent where a skeleton was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    seconds: f64,
    #[serde(flatten)]
    report: &'a SolveReport,
    /// The file of example poses.
    #[serde(skip_serializing_if = "Option::is_none")]
    examples: Option<&'a str>,
    /// Joints that no marker shows and that example poses filled.
    #[serde(skip_serializing_if = "<[FilledJoint]>::is_empty")]
    filled: &'a [FilledJoint],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateResult>,
    warnings: &'a [Diagnostic],
}

/// A joint that no marker shows for some time, filled as example poses have it.
#[derive(Serialize, schemars::JsonSchema)]
struct FilledJoint {
    joint: String,
    /// The first frame, from 0.
    first: usize,
    /// The last one.
    last: usize,
}

impl FilledJoint {
    fn warning(&self) -> Diagnostic {
        let FilledJoint { joint, first, last } = self;
        let message = format!(
            "no marker shows '{joint}' in frames {first} to {last}: it moves as the example poses have it"
        );
        Diagnostic::new("solve::filled", message)
    }
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "solve",
        about: "A line of mocap solve --json",
        rows: &[of::<Row<'static>>, of::<poses::PoseRow<'static>>, PLAN, ERROR, SUMMARY],
    }];

    fn settle_outputs(&mut self) {
        let takes = self.takes().0.to_vec();
        self.outputs.settle(&takes);
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// What all takes share.
struct Shared<'a> {
    args: &'a Args,
    target: Option<super::retarget::Target>,
    poses: Option<poses::Given>,
    sets: MarkerSets,
    set: Option<String>,
    /// The static trial, and what was found while it was read.
    trial: Option<(Markers, Vec<Diagnostic>)>,
    calibration: Option<Calibration>,
    format: Format,
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let (takes, target_path) = args.takes();
    let format = encode::asked_format(args.to, args.outputs.output.as_deref())?.unwrap_or(Format::Bvh);
    if !format.has_motion() || format.holds_robot() {
        return Err(Diagnostic::new(
            "usage::format",
            format!("{format} files do not hold the motion of a body"),
        )
        .help(format!(
            "solve writes {}",
            encode::names(|format| format.has_motion() && !format.holds_robot())
        )));
    }
    batch::check_stdout(console, &args.outputs)?;
    let context = JobContext::standalone();
    let target = match target_path {
        Some(path) => match read_target((&context, &Input::named(path)), &args.target, None, &args.reading) {
            Ok(target) => Some(target),
            Err(Failure { error, warnings }) => {
                let path = path.display().to_string();
                console.warnings(&path, &warnings, Detail::Full);
                batch::fail(&path, &error, &warnings, console);
                return Ok(Exit::Usage);
            }
        },
        None => None,
    };
    let poses = args.poses.as_deref().map(|path| {
        let prior = read_poses(path, &context)?;
        Ok::<_, Diagnostic>(poses::Given { prior, path: path.display().to_string() })
    });
    let poses = poses.transpose()?;
    let (sets, set) = marker_sets(args, &context)?;
    let trial = args.static_trial.as_deref().map(|path| markers_of(path, args, &context)).transpose()?;
    let calibration =
        args.calibration.as_deref().map(|path| calibration_of(path, args, &context)).transpose()?;
    let inputs = Inputs { inputs: takes.to_vec(), selection: args.selection.clone() };
    let beside = [&args.static_trial, &args.calibration, &args.marker_set, &args.poses];
    let reads = || {
        read_files(&args.reading, Some(&args.selection))
            .and(target_path)
            .and(beside.into_iter().flatten().map(PathBuf::as_path))
    };
    let rename = |path: &Path| mocap::with_extension(path, format.file_extension());
    let names = OutputNames { searched: batch::MARKERS, rename: &rename, format: Some(format) };
    let jobs = batch::plan_peers(console, (&inputs, &args.reading), &args.outputs, &names, reads())?;
    if let Some(path) = &args.write_calibration {
        check_calibration(path, args, &jobs, &reads(), console)?;
    }
    if let Some(path) = &args.analog {
        analog::check(path, &jobs, &reads(), &args.outputs)?;
        if args.write_calibration.as_ref() == Some(path) {
            let message = format!("'{}' would be both the channels and the calibration", path.display());
            return Err(Diagnostic::new("usage::output", message).help("name another file with --analog"));
        }
    }
    if let (Some(target), false) = (&target, console.is_json()) {
        console.warnings(&target.path, &target.warnings, Detail::Line);
    }
    let options = RunOptions::writing(&args.selection, &args.outputs, invocation)
        .with_peers([&args.reading])
        .depending_on("files beside the takes", "", &context.files_read());
    let shared = Shared { args, target, poses, sets, set, trial, calibration, format };
    Ok(batch::run(console, options, &jobs, |job, context| solve(job, context, &shared)))
}

/// Refuses a file for the calibration that holds something else, and more than one take.
fn check_calibration(
    path: &Path,
    args: &Args,
    jobs: &[Job],
    reads: &ReadFiles<'_>,
    console: &dyn Output,
) -> Result<(), Diagnostic> {
    if jobs.len() > 1 {
        let message = format!("--write-calibration is for one take, and there are {}", jobs.len());
        return Err(Diagnostic::new("usage::calibration", message)
            .help("solve one take of the subject first, then the others with --calibration"));
    }
    let inputs: Vec<Input> = jobs.iter().map(|job| job.input.clone()).collect();
    reads.refuse(&inputs, [path])?;
    if is_stdout(path) {
        if console.is_json() || args.outputs.to_stdout() {
            let what = if console.is_json() { "rows" } else { "the motion" };
            let message = format!("the calibration and {what} both go to stdout");
            return Err(
                Diagnostic::new("usage::stdout-twice", message).help("name a file with --write-calibration")
            );
        }
        return Ok(());
    }
    for job in jobs {
        let Destination::File { path: output, .. } = &job.destination else { continue };
        // The motion is read as if it were there already, so that other names of its path are found, too.
        let written = [output].into_iter().chain(&job.companions);
        if ReadFiles::NONE.and(written).refuse(&[], [path]).is_err() {
            let message = format!("'{}' would be both the motion and the calibration", path.display());
            return Err(
                Diagnostic::new("usage::output", message).help("name another file with --write-calibration")
            );
        }
    }
    // A take that is not solved again writes none; where it is, an existing file is refused before, not after the work.
    let is_skipped = |job: &Job| matches!(job.destination, Destination::Exists(_));
    match args.outputs.resume || jobs.iter().all(is_skipped) {
        true => Ok(()),
        false => encode::is_free(path, args.outputs.overwrite),
    }
}

/// The tables of labels, and the set that is asked for.
fn marker_sets(args: &Args, context: &JobContext) -> Result<(MarkerSets, Option<String>), Diagnostic> {
    let sets = MarkerSets::built_in();
    let Some(path) = &args.marker_set else { return Ok((sets, None)) };
    if let Some(name) = path.to_str().filter(|name| sets.names().any(|known| known == *name)) {
        return Ok((sets, Some(name.to_owned())));
    }
    if !path.exists() {
        let known: Vec<&str> = sets.names().collect();
        let message = format!("'{}' is neither a marker set nor a file", path.display());
        return Err(Diagnostic::new("usage::marker-set", message)
            .help(format!("marker sets are {}", known.join(", "))));
    }
    let bytes = context.read_file(path, args.reading.limits().bytes as u64)?;
    let text = String::from_utf8_lossy(&bytes);
    let sets =
        sets.with(&text).map_err(|error| Diagnostic::new(error.code(), error.to_string()).in_file(path))?;
    Ok((sets, None))
}

/// The markers of a file beside the takes, and what was found while it was read.
fn markers_of(
    path: &Path,
    args: &Args,
    context: &JobContext,
) -> Result<(Markers, Vec<Diagnostic>), Diagnostic> {
    let loaded = read::load(context, &Input::named(path), &args.reading);
    let markers = loaded.and_then(|loaded| loaded.markers(&args.reading));
    match markers.map_err(|failure| failure.error.in_file(path))? {
        Some((markers, warnings)) => {
            Ok((markers, warnings.into_iter().map(|warning| warning.in_file(path)).collect()))
        }
        None => Err(no_markers().in_file(path)),
    }
}

/// What helps.
fn advised(error: Diagnostic) -> Diagnostic {
    let help = match error.code {
        "solve::labels" => "--marker-set FILE says where other labels sit on the body",
        "solve::subjects" => "--subject NAME chooses one",
        "solve::no-trunk" => "a marker set of a body has markers on hips or chest",
        "solve::one-side" | "solve::no-pair" | "solve::no-bones" => {
            "a target skeleton comes last: `mocap solve TAKE... TARGET`"
        }
        "solve::no-frame" => "trim the take to frames that show the body",
        "solve::no-fit" => "check labels, unit and up axis: `mocap info TAKE`",
        "solve::other-calibration" => "solve without --calibration, or write one of a take with these labels",
        _ => return error,
    };
    error.help(help)
}

fn no_markers() -> Diagnostic {
    Diagnostic::new("solve::no-markers", "the file holds no markers")
        .help("solve reads recordings of markers; a target skeleton comes last, after at least one take")
}

fn calibration_of(path: &Path, args: &Args, context: &JobContext) -> Result<Calibration, Diagnostic> {
    let bytes = context.read_file(path, args.reading.limits().bytes as u64)?;
    let wrong = |message: String| {
        Diagnostic::new("solve::calibration", message)
            .in_file(path)
            .help("`mocap solve TAKE -o OUT --write-calibration FILE` writes one")
    };
    let calibration: Calibration = serde_json::from_slice(&bytes)
        .map_err(|error| wrong(format!("the file is not a calibration: {error}")))?;
    if !calibration.is_known() {
        let version = calibration.version;
        return Err(wrong(format!(
            "the calibration has version {version}, or no σ above 0; version 2 is read"
        )));
    }
    Ok(calibration)
}

fn solve(job: &Job, context: &JobContext, shared: &Shared<'_>) -> Result<Report, Failure> {
    let args = shared.args;
    let Some(given) = &shared.poses else {
        return solve_markers(job, context, shared, read::load(context, &job.input, &args.reading)?);
    };
    let target = shared.target.as_ref();
    match poses::content_of(job, context, (args, &shared.sets, target))? {
        (poses::Content::Points(goals, warnings), bytes_in) => {
            let points = (goals, warnings, bytes_in);
            poses::solve(job, context, (args, shared.format), (given, target), points)
        }
        (poses::Content::Markers(loaded), _) => {
            poses::check_options(args, false)?;
            solve_markers(job, context, shared, loaded)
        }
    }
}

/// Solves optical markers.
fn solve_markers(
    job: &Job,
    context: &JobContext,
    shared: &Shared<'_>,
    loaded: read::Loaded,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let args = shared.args;
    let bytes_in = loaded.size();
    let channels = args.analog.as_ref().map(|_| analog::of(&loaded, &args.reading)).transpose()?;
    let Some((markers, mut warnings)) = loaded.markers(&args.reading)? else {
        return Err(no_markers().into());
    };
    context.check()?;
    let channels = channels.map(|(channels, found)| {
        analog::add_warnings(found, &mut warnings);
        channels
    });
    let options = SolveOptions {
        sets: &shared.sets,
        set: shared.set.as_deref(),
        static_trial: shared.trial.as_ref().map(|(trial, _)| trial),
        calibration: shared.calibration.as_ref(),
    };
    let target = shared.target.as_ref().map(|target| &*target.on.skeleton);
    warnings.extend(shared.trial.iter().flat_map(|(_, warnings)| warnings.iter().cloned()));
    let mut found = Vec::new();
    let solved = mocap::solve_markers(&markers, target, &options, &mut found);
    let solved = solved.map_err(|error| advised(Diagnostic::from(error)));
    let solved = solved.and_then(|mut solved| {
        let filled = fill_unseen(&mut solved, shared.poses.as_ref())?;
        Ok((edited(&solved, shared, &mut found).map_err(Diagnostic::from)?, filled, solved))
    });
    warnings.extend(found.into_iter().map(Diagnostic::from));
    let ((clip, props), filled, solved) = solved.behind(&mut warnings)?;
    warnings.extend(filled.iter().map(FilledJoint::warning));
    let frames = clip.frames();
    let stem = job.input.relative.file_stem().unwrap_or_default().to_string_lossy();
    let clip = encode::named(clip, &stem, shared.format);
    let origin = Origin {
        document: shared.target.as_ref().and_then(|target| target.on.document.as_deref()),
        file: shared.target.as_ref().map(|target| Path::new(&target.path)),
    };
    let scene = Scene { characters: vec![Character::from(clip)], props, ..Scene::default() };
    let encoded = encode::scene_in(origin, scene, shared.format, encoding(args));
    let (gates, errors): (Vec<GateResult>, Vec<Option<Diagnostic>>) =
        args.fail_above.iter().map(|gate| checked(&gate.0, &solved.report)).unzip();
    let errors: Vec<Diagnostic> = errors.into_iter().flatten().collect();
    let delivered = encoded.map_err(Failure::from).and_then(|encoded| {
        warnings.extend_from_slice(&encoded.warnings);
        warnings = read::strict(&args.reading, std::mem::take(&mut warnings))?;
        if !errors.is_empty() {
            return Ok((0, String::new()));
        }
        let delivered = encode::deliver(&encoded, job, context)?;
        write_beside(&solved.calibration, channels.as_deref(), args)?;
        Ok(delivered)
    });
    let (bytes_out, output) = delivered.behind(&mut warnings)?;
    let path = job.input.shown();
    let row = Row {
        path: &path,
        output: &output,
        target: shared.target.as_ref().map(|target| target.path.as_str()),
        seconds: started.elapsed().as_secs_f64(),
        report: &solved.report,
        examples: shared.poses.as_ref().map(|given| given.path.as_str()),
        filled: &filled,
        gates,
        warnings: &warnings,
    };
    let written = if output.is_empty() { "not written" } else { output.as_str() };
    let text = format!("{path} -> {written}: {frames} frames\n{}", solved.report).trim_end().to_owned();
    let is_taken = errors.is_empty() && args.write_calibration.as_deref().is_some_and(is_stdout);
    let (json, text) = if is_taken { Default::default() } else { (json(&row), text) };
    Ok(Report {
        json,
        text,
        errors,
        warnings,
        tally: Tally { frames, bytes_in, bytes_out },
        ..Report::default()
    })
}

/// Fills joints that no marker shows, where there are example poses.
fn fill_unseen(solved: &mut Solved, poses: Option<&poses::Given>) -> Result<Vec<FilledJoint>, Diagnostic> {
    let Some(given) = poses else { return Ok(Vec::new()) };
    let filled = mocap::fill_unseen(solved, &given.prior).map_err(Diagnostic::from)?;
    let skeleton = solved.clip.skeleton();
    let joint = |filled: mocap_poses::Filled| FilledJoint {
        joint: skeleton.joint(filled.joint).name.clone(),
        first: filled.first,
        last: filled.frames().end - 1,
    };
    Ok(filled.into_iter().map(joint).collect())
}

/// How motions are encoded.
fn encoding(args: &Args) -> EncodeOptions {
    EncodeOptions {
        euler: args.euler,
        limits: args.reading.limits(),
        bvh: args.bvh,
        ..EncodeOptions::default()
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// The motion and the props, in the unit of the output.
fn edited(
    solved: &Solved,
    shared: &Shared<'_>,
    found: &mut Vec<Finding>,
) -> Result<(Clip, Vec<Character>), mocap::Error> {
    let args = shared.args;
    // Numbers of a BVH are centimetres, as most programs take them.
    let unit = args.unit.map(|unit| unit.0).or((shared.format == Format::Bvh).then_some(0.01));
    let edits = EditOptions { unit, limits: args.reading.limits(), ..EditOptions::default() };
    let clip = mocap::edit(solved.clip.clone(), &edits, found)?;
    let props = solved.props.iter().map(|prop| {
        let clip = mocap::edit(prop.clip.clone(), &edits, found)?;
        Ok(Character { name: prop.name.clone(), clip, body: None })
    });
    let props = props.collect::<Result<Vec<Character>, mocap::Error>>()?;
    Ok((clip, props))
}

/// Writes the calibration and the channels that are asked for.
fn write_beside(calibration: &Calibration, channels: Option<&[u8]>, args: &Args) -> Result<(), Failure> {
    if let Some((path, channels)) = args.analog.as_ref().zip(channels) {
        encode::deliver_to(&Encoded::from(channels.to_vec()), path, args.outputs.overwrite)?;
    }
    let Some(path) = &args.write_calibration else { return Ok(()) };
    let mut text = serde_json::to_string_pretty(calibration).expect("numbers and names are JSON");
    text.push('\n');
    encode::deliver_to(&Encoded::from(text.into_bytes()), path, args.outputs.overwrite)?;
    Ok(())
}

fn checked(gate: &Gate<SolveReport>, report: &SolveReport) -> (GateResult, Option<Diagnostic>) {
    let result = gate.check(report);
    let missed =
        gate.missed(&result).map(|missed: MissedGate| Diagnostic::gate(missed.code(), missed.to_string()));
    (result, missed)
}
