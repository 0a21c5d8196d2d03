//! `mocap solve --poses`: sparse points and trackers onto a skeleton, as example poses have it.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mocap::EditOptions;
use mocap_formats::Format;
use mocap_model::{Pose, Skeleton, Unit, UnitSource, Vector3};
use mocap_poses::{Goals, MAX_BYTES, Mounting, PosePrior, PoseReport, TableOptions, is_table, read_table};
use schemars::JsonSchema;
use serde::Serialize;

use super::args::Args;
use crate::batch::{
    self, Failure, Input, Job, JobContext, OutputNames, Report, RunOptions, Tally, json, read_files,
};
use crate::commands::poses::refused;
use crate::commands::retarget::{Target, read_target};
use crate::diagnostic::{Behind, Detail, Diagnostic};
use crate::encode::{self, EncodeOptions, Origin};
use crate::exit::Exit;
use crate::options::{Inputs, Invocation};
use crate::output::Output;
use crate::read;

/// A row of `mocap solve --poses --json`. Lengths are metres.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PoseRow<'a> {
    path: &'a str,
    output: &'a str,
    target: &'a str,
    /// The file of example poses.
    examples: &'a str,
    seconds: f64,
    fps: f64,
    #[serde(flatten)]
    report: &'a PoseReport,
    warnings: &'a [Diagnostic],
}

struct Shared<'a> {
    args: &'a Args,
    prior: PosePrior,
    poses: String,
    target: Target,
    format: Format,
}

/// Runs the command.
pub(super) fn run(
    args: &Args,
    (poses, format): (&Path, Format),
    invocation: &Invocation,
    console: &mut dyn Output,
) -> Result<Exit, Diagnostic> {
    batch::check_stdout(console, &args.outputs)?;
    let context = JobContext::standalone();
    let (takes, Some(target)) = args.takes() else {
        return Err(Diagnostic::new("usage::target", "--poses solves for a skeleton, and none is named")
            .help("the skeleton comes last: `mocap solve POINTS SKELETON --poses FILE -o OUT`"));
    };
    let prior = read_poses(poses, &context)?;
    let target = match read_target((&context, &Input::named(target)), &args.target, None, &args.reading) {
        Ok(target) => target,
        Err(Failure { error, warnings }) => {
            let path = target.display().to_string();
            console.warnings(&path, &warnings, Detail::Full);
            batch::fail(&path, &error, &warnings, console);
            return Ok(Exit::Usage);
        }
    };
    let inputs = Inputs { inputs: takes.to_vec(), selection: args.selection.clone() };
    let reads = read_files(&args.reading, Some(&args.selection)).and([Path::new(&target.path), poses]);
    let rename = |path: &Path| mocap::with_extension(path, format.file_extension());
    let names = OutputNames { searched: batch::MARKERS, rename: &rename, format: Some(format) };
    let jobs = batch::plan_peers(console, (&inputs, &args.reading), &args.outputs, &names, reads)?;
    if !console.is_json() {
        console.warnings(&target.path, &target.warnings, Detail::Line);
    }
    let options = RunOptions::writing(&args.selection, &args.outputs, invocation)
        .with_peers([&args.reading])
        .depending_on("files beside the takes", "", &context.files_read());
    let shared = Shared { args, prior, poses: poses.display().to_string(), target, format };
    Ok(batch::run(console, options, &jobs, |job, context| solve(job, context, &shared)))
}

/// Reads a file of example poses.
pub(crate) fn read_poses(path: &Path, context: &JobContext) -> Result<PosePrior, Diagnostic> {
    let bytes = context.read_file(path, MAX_BYTES as u64)?;
    PosePrior::from_bytes(&bytes).map_err(|error| refused(&error).in_file(path))
}

/// The points of a take, in the axes of the target.
fn goals_of(
    job: &Job,
    context: &JobContext,
    shared: &Shared<'_>,
) -> Result<(Goals, Vec<Diagnostic>, u64), Failure> {
    let args = shared.args;
    let up = shared.target.on.skeleton.space().up;
    let bytes = read::bytes_of(context, &job.input, &args.reading.limits())?;
    let size = bytes.len() as u64;
    if is_table(&bytes) {
        let options = TableOptions { fps: args.reading.input_fps, samples: args.reading.limits().samples };
        let goals = read_table(&bytes, &options).map_err(|error| Failure::from(refused(&error)))?;
        let unit = args.reading.input_unit.map(|unit| Unit { metres: unit.0, source: UnitSource::Flag });
        return Ok((
            Goals { unit, ..goals }.with_up(args.reading.input_up.unwrap_or(up), up),
            Vec::new(),
            size,
        ));
    }
    let loaded = read::load_bytes(context, &job.input, bytes, &args.reading)?;
    let Some((markers, warnings)) = loaded.markers(&args.reading)? else {
        return Err(Diagnostic::new("solve::no-points", "the file holds no points")
            .help("--poses takes CSV with frame, joint, x, y, z, qw, qx, qy, qz, and recordings of markers")
            .into());
    };
    Ok((Goals::of_markers(&markers).with_up(markers.space().up, up), warnings, size))
}

/// Points of a body may not be much further apart than it is tall; three of them, not much nearer either.
const MOST_APART: f64 = 4.0;
const LEAST_APART: f64 = 0.05;

/// Refuses points in another unit than is stated: arms and legs would be bent to reach what cannot be reached.
fn check_size(goals: &Goals, skeleton: &Skeleton, metres: f64) -> Result<(), Diagnostic> {
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let tall = extent(rest.joints.iter().map(|joint| joint.translation.vector)) * metres;
    let scale = goals.unit.map_or(metres, |unit| unit.metres);
    let frames = goals.positions.chunks(goals.names.len().max(1));
    let mut apart: Vec<f64> = frames
        .filter(|frame| frame.iter().flatten().count() >= 3)
        .map(|frame| extent(frame.iter().flatten().copied()) * scale)
        .collect();
    if apart.is_empty() || tall <= 0.0 {
        return Ok(());
    }
    apart.sort_by(f64::total_cmp);
    let apart = apart[apart.len() / 2];
    if (LEAST_APART * tall..=MOST_APART * tall).contains(&apart) {
        return Ok(());
    }
    let message = format!("the points are {apart:.3} m apart, and the skeleton is {tall:.2} m tall");
    Err(Diagnostic::new("poses::unit", message)
        .help("--input-unit states the unit of the points, --target-unit that of the skeleton"))
}

/// The diagonal of the box around some points.
fn extent(points: impl Iterator<Item = Vector3<f64>> + Clone) -> f64 {
    let bound = |of: fn(f64, f64) -> f64, start: f64| {
        points.clone().fold(Vector3::repeat(start), |bound, point| bound.zip_map(&point, of))
    };
    (bound(f64::max, f64::NEG_INFINITY) - bound(f64::min, f64::INFINITY)).norm()
}

fn solve(job: &Job, context: &JobContext, shared: &Shared<'_>) -> Result<Report, Failure> {
    let started = Instant::now();
    let args = shared.args;
    let (goals, mut warnings, bytes_in) = goals_of(job, context, shared)?;
    context.check()?;
    // Points may be named by roles that only names and shape of the skeleton show.
    let on = &shared.target.on;
    let skeleton = Arc::new(on.roles.apply(&on.skeleton));
    let mounting = if args.unknown_mounting { Mounting::Unknown } else { Mounting::Aligned };
    let mut found = Vec::new();
    let solved = (|| {
        let unit = mocap::needed_unit(&skeleton, &mut found)?;
        check_size(&goals, &skeleton, unit.metres)?;
        let solved = mocap_poses::solve(&shared.prior, &goals, &skeleton, unit.metres, mounting)
            .map_err(|error| refused(&error))?;
        // Numbers of a BVH are centimetres, as most programs take them.
        let unit = args.unit.map(|unit| unit.0).or((shared.format == Format::Bvh).then_some(0.01));
        let edits = EditOptions { unit, limits: args.reading.limits(), ..EditOptions::default() };
        let clip = mocap::edit(solved.clip, &edits, &mut found)?;
        Ok::<_, Diagnostic>((clip, solved.report))
    })();
    warnings.extend(found.into_iter().map(Diagnostic::from));
    let (clip, report) = solved.behind(&mut warnings)?;
    for goal in report.goals.iter().filter(|goal| goal.joint.is_none()) {
        let message =
            format!("'{}' is left out: no joint has this name or role, or another point has it", goal.name);
        warnings.push(Diagnostic::new("poses::point", message));
    }
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    let options = EncodeOptions {
        euler: args.euler,
        limits: args.reading.limits(),
        bvh: args.bvh,
        ..EncodeOptions::default()
    };
    let stem = job.input.relative.file_stem().unwrap_or_default().to_string_lossy();
    let clip = encode::named(clip, &stem, shared.format);
    let target = &shared.target;
    let origin = Origin { document: target.on.document.as_deref(), file: Some(Path::new(&target.path)) };
    let delivered = encode::clip_in(origin, clip, shared.format, options);
    let delivered = delivered.map_err(Failure::from).and_then(|encoded| {
        warnings.extend_from_slice(&encoded.warnings);
        warnings = read::strict(&args.reading, std::mem::take(&mut warnings))?;
        encode::deliver(&encoded, job, context)
    });
    let (bytes_out, output) = delivered.behind(&mut warnings)?;
    let path = job.input.shown();
    let row = PoseRow {
        path: &path,
        output: &output,
        target: &target.path,
        examples: &shared.poses,
        seconds: started.elapsed().as_secs_f64(),
        fps,
        report: &report,
        warnings: &warnings,
    };
    let text = format!("{path} -> {output}: {frames} frames\n{report}").trim_end().to_owned();
    Ok(Report {
        json: json(&row),
        text,
        warnings,
        tally: Tally { frames, bytes_in, bytes_out },
        ..Report::default()
    })
}
