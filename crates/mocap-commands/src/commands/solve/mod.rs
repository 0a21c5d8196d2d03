//! `mocap solve`: recordings of optical markers onto skeletons.

mod args;
mod gate;
mod poses;
mod setup;
mod step;

use std::path::Path;
use std::time::Instant;

use mocap::solve::{Calibration, SolveReport};
use mocap_analysis::GateResult;
use mocap_formats::Format;
use mocap_model::{Character, Scene};
use serde::Serialize;

use self::setup::{FilledJoint, Setup, SolvedTake, no_markers};

pub(crate) use self::args::Args;
pub(crate) use self::setup::read_poses;
pub(crate) use self::step::{OpenSolve, SolveMeasures, SolveStep, SolvedScene};
use super::analog;
use super::convert::markers::trimmed;
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
    /// Joints that no marker shows, filled from the example poses.
    #[serde(skip_serializing_if = "<[FilledJoint]>::is_empty")]
    filled: &'a [FilledJoint],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateResult>,
    warnings: &'a [Diagnostic],
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "solve",
        about: "A line of mocap solve --json",
        rows: &[of::<Row<'static>>, of::<poses::PoseRow<'static>>, PLAN, ERROR, SUMMARY],
    }];

    fn complete_outputs(&mut self) {
        let takes = self.takes().0.to_vec();
        self.outputs.settle(&takes);
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
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
    let setup = Setup::open(&args.settings, target, (&args.reading, &context))?;
    let inputs = Inputs { inputs: takes.to_vec(), selection: args.selection.clone() };
    let reads =
        || read_files(&args.reading, Some(&args.selection)).and(target_path).and(args.settings.files());
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
    if let (Some(target), false) = (&setup.target, console.is_json()) {
        console.warnings(&target.path, &target.warnings, Detail::Line);
    }
    let options = RunOptions::writing(&args.selection, &args.outputs, invocation)
        .with_peers([&args.reading])
        .depending_on("files beside the takes", "", &context.files_read());
    Ok(batch::run(console, options, &jobs, |job, context| solve(job, context, (args, format), &setup)))
}

/// Rejects several takes, and a calibration file that holds something else.
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
        // The path of the output is resolved as if the file existed, so that other spellings of the path are
        // recognised.
        let written = [output].into_iter().chain(&job.companions);
        if ReadFiles::NONE.and(written).refuse(&[], [path]).is_err() {
            let message = format!("'{}' would be both the motion and the calibration", path.display());
            return Err(
                Diagnostic::new("usage::output", message).help("name another file with --write-calibration")
            );
        }
    }
    // A take that is skipped writes no calibration. For others, an existing file is rejected before the work.
    let is_skipped = |job: &Job| matches!(job.destination, Destination::Exists(_));
    match args.outputs.resume || jobs.iter().all(is_skipped) {
        true => Ok(()),
        false => encode::is_free(path, args.outputs.overwrite),
    }
}

fn solve(
    job: &Job,
    context: &JobContext,
    (args, format): (&Args, Format),
    setup: &Setup,
) -> Result<Report, Failure> {
    let Some(given) = &setup.poses else {
        let loaded = read::load(context, &job.input, &args.reading)?;
        return solve_markers(job, context, (args, format), setup, loaded);
    };
    let target = setup.target.as_ref();
    match poses::content_of(job, context, (args, &setup.sets, target))? {
        (poses::Content::Points(goals, warnings), bytes_in) => {
            let points = (goals, warnings, bytes_in);
            poses::solve(job, context, (args, format), (given, target), points)
        }
        (poses::Content::Markers(loaded), _) => {
            poses::check_options(args, false)?;
            solve_markers(job, context, (args, format), setup, *loaded)
        }
    }
}

/// Solves optical markers.
fn solve_markers(
    job: &Job,
    context: &JobContext,
    (args, format): (&Args, Format),
    setup: &Setup,
    loaded: read::Loaded,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let bytes_in = loaded.size();
    let channels = args.analog.as_ref().map(|_| analog::of(&loaded, &args.reading)).transpose()?;
    let Some((mut markers, mut warnings)) = loaded.markers(&args.reading)? else {
        return Err(no_markers().into());
    };
    if let Some(trim) = args.trim {
        let kept = trimmed(trim, markers.frames(), markers.rate().fps());
        let kept = kept.behind(&mut warnings)?;
        markers = markers.trim(kept).expect("the range is within the take");
    }
    context.check()?;
    let channels = channels.map(|(channels, found)| {
        analog::add_warnings(found, &mut warnings);
        channels
    });
    // Most programs read BVH numbers as centimetres.
    let unit = args.unit.map(|unit| unit.0).or((format == Format::Bvh).then_some(0.01));
    let solved = setup.solve(&markers, (unit, args.reading.limits()), &mut warnings);
    let SolvedTake { solved, clip, props, filled } = solved.behind(&mut warnings)?;
    let frames = clip.frames();
    let name = encode::clip_name(job);
    let origin = Origin {
        document: setup.target.as_ref().and_then(|target| target.on.document.as_deref()),
        file: setup.target.as_ref().map(|target| Path::new(&target.path)),
    };
    let scene = Scene { characters: vec![Character::from(clip)], props, ..Scene::default() };
    let encoded = encode::scene_in(origin, scene, format, encoding(args, &name));
    let (gates, errors): (Vec<GateResult>, Vec<Option<Diagnostic>>) =
        args.settings.fail_above.iter().map(|gate| gate.check(&solved.report)).unzip();
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
        target: setup.target.as_ref().map(|target| target.path.as_str()),
        seconds: started.elapsed().as_secs_f64(),
        report: &solved.report,
        examples: setup.poses.as_ref().map(|given| given.path.as_str()),
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

/// How motions are encoded.
fn encoding<'a>(args: &Args, name: &'a str) -> EncodeOptions<'a> {
    EncodeOptions {
        name,
        euler: args.euler,
        limits: args.reading.limits(),
        bvh: args.bvh,
        ..EncodeOptions::default()
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes the calibration and the analog channels if requested.
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
