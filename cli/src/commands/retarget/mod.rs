//! `mocap retarget`: motions on another skeleton.

mod choices;
mod gate;
mod row;
mod target;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args as ClapArgs;
use mocap_formats::Format;
use mocap_model::{Clip, EulerOrder, FrameRate, SignedAxis, Unit, UnitSource};
use mocap_retarget::{FootLock, Options, RetargetError, Retargeter, Warning, Which};

use crate::args::{Global, Inputs, Outputs, Reading, Selection, Trim, UnitLength, fps, unit};
use crate::batch::{self, Failure, Input, Job, Names, Report, RunOptions, Tally, json};
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic};
use crate::edit::{Edits, guessed};
use crate::encode::{self, EncodeOptions};
use crate::exit::Exit;
use crate::read::{self, Motion};
use choices::{ContactsArg, FloorArg, HandsArg, IkArg, MethodArg, floor, rest_pose};
use gate::Gate;
use target::Target;

/// Put motions on another skeleton, and measure what became of them
///
/// Like cp: the last argument is the target. Root and limbs follow the source scaled by the ratio of limb
/// lengths, feet stand where the source's stand, joint limits of the target are kept. The report says how well.
/// Without -o the result of one source goes to the current directory as SOURCE.TARGET.bvh.
#[derive(Debug, ClapArgs)]
#[command(override_usage = "mocap retarget [OPTIONS] <SOURCE>... <TARGET>")]
pub(crate) struct Args {
    /// Motions (files, directories, globs, or - for stdin), and last the skeleton to put them on: a .skel file,
    /// or any motion or skeleton file
    #[arg(value_name = "PATH", required = true, num_args = 2..)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    outputs: Outputs,
    /// Format of the outputs: bvh, amc (with its .asf beside it), csv (positions), json [default: by the
    /// extension of OUT, else bvh]
    #[arg(long, value_name = "FORMAT", help_heading = "Writing")]
    to: Option<Format>,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the target]
    #[arg(long, value_name = "ORDER", help_heading = "Writing")]
    euler: Option<EulerOrder>,
    #[command(flatten)]
    gates: GateArgs,
    #[command(flatten)]
    edits: EditArgs,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    reading: Reading,
}

/// How the motion is put on the target.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Method")]
struct MethodArgs {
    /// What becomes of the motion on a body of other proportions
    #[arg(long, value_name = "METHOD", default_value = "scale")]
    method: MethodArg,
    /// What the hands do
    #[arg(long, value_name = "HANDS", default_value = "scale")]
    hands: HandsArg,
    /// How limbs are solved
    #[arg(long, value_name = "SOLVER", default_value = "auto")]
    ik: IkArg,
    /// Do not keep the degrees of freedom and limits that the target states
    #[arg(long)]
    no_limits: bool,
    /// Which contacts of the source are kept on the target
    #[arg(long, value_name = "WHICH", default_value = "feet")]
    contacts: ContactsArg,
    /// Do not pin feet where they stand: they slide as the source's do
    #[arg(long)]
    no_lock: bool,
    /// Floor of the target: auto (where the source's feet stand, scaled), off (feet are pinned at their own height and
    /// none is lifted), or a height along its up axis [m, or with a unit, such as -2cm]
    #[arg(long, value_name = "HEIGHT", default_value = "auto", value_parser = floor, allow_hyphen_values = true)]
    floor: FloorArg,
    /// Frame of the source in which it stands upright, arms anywhere [from 0; default: its rest pose]
    #[arg(long, value_name = "FRAME")]
    source_rest: Option<usize>,
    /// Frame of the target's own motion in which it stands upright, arms anywhere [from 0; default: a rest
    /// pose that comes first, else found in its motion]
    #[arg(long, value_name = "FRAME")]
    target_rest: Option<usize>,
}

/// What a result must keep to.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Quality")]
struct GateArgs {
    /// Fail with exit code 3 where a figure of the report is above a limit, such as slide=0.05,penetration=0.01;
    /// lengths in metres, angles in degrees. Figures: effector, effector-mean, effector-p95, unreachable, limited,
    /// capped, wrong-bends, slide, slide-ratio, float, penetration, contacts-lost, violations, violation-excess,
    /// angle, correlation-lost, jerk, step
    #[arg(long, value_name = "NAME=LIMIT", value_delimiter = ',', value_parser = gate::gate)]
    fail_above: Vec<Gate>,
}

/// Changes to the source before it is put on the target.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Edits of the source")]
struct EditArgs {
    /// Leave out the first frame: in BVH conversions of the CMU database it is a rest pose
    #[arg(long)]
    drop_first_frame: bool,
    /// Keep a range alone, its end not included: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)
    #[arg(long, value_name = "A:B")]
    trim: Option<Trim>,
    /// Resample to a rate [frames per second, above 0; default: the rate of the source]
    #[arg(long, value_name = "FPS", value_parser = fps)]
    fps: Option<FrameRate>,
}

/// What the target means where its file does not say it.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Reading the target")]
struct TargetArgs {
    /// Unit of the target's numbers, as for --input-unit [default: as its file says, else guessed]
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    target_unit: Option<UnitLength>,
    /// Axis that points up in the target [default: as its file says, else Y]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    target_up: Option<SignedAxis>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, global: &Global, console: &mut Console) -> Result<Exit, Diagnostic> {
    let (target_path, sources) = args.paths.split_last().expect("at least two paths are given");
    let format = output_format(args)?;
    if global.json && args.outputs.to_stdout() {
        return Err(Diagnostic::stdout_twice());
    }
    let named = Inputs { inputs: sources.to_vec(), selection: args.selection.clone() };
    let inputs = batch::expand(&named, batch::MOTIONS)?;
    let stem =
        |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let derive = |input: &Input| {
        let name = format!("{}.{}.{format}", stem(&input.relative), stem(target_path));
        Ok(input.relative.with_file_name(name))
    };
    let names = Names { derive: &derive, beside: &|path: &Path| encode::beside(path, format) };
    let jobs = batch::plan(inputs, &args.outputs, &names)?;

    let target = match target::read(target_path, args) {
        Ok(target) => target,
        Err(Failure { error, warnings }) => {
            let path = target_path.display().to_string();
            console.warnings(&path, &warnings, Detail::Full);
            console.error(Some(&path), &error);
            return Ok(Exit::Usage);
        }
    };
    console.warnings(&target_path.display().to_string(), &target.warnings, Detail::Line);
    let options = RunOptions::new(&args.selection, Some(&args.outputs));
    Ok(batch::run(console, global, options, &jobs, |job| retarget(job, args, &target, format)))
}

fn output_format(args: &Args) -> Result<Format, Diagnostic> {
    let extension = args.outputs.output.as_deref().and_then(Path::extension).and_then(|text| text.to_str());
    let format = args.to.or_else(|| extension.and_then(Format::from_extension)).unwrap_or(Format::Bvh);
    if !format.has_motion() {
        return Err(Diagnostic::new("usage::format", format!("{format} files hold no motion"))
            .help("retarget writes bvh, amc, csv or json"));
    }
    Ok(format)
}

fn retarget(job: &Job, args: &Args, target: &Target, format: Format) -> Result<Report, Failure> {
    let started = Instant::now();
    let reading = Reading { rest_frame_dropped: args.edits.drop_first_frame, ..args.reading.clone() };
    let Motion { clip, mut warnings, bytes: bytes_in } = read::motion(&job.input, &reading)?;
    let done = put_on_target(clip, args, target, &mut warnings);
    let (motion, report) = match done {
        Ok(done) => done,
        Err(error) => return Err(Failure { error, warnings }),
    };
    warnings.extend(report.warnings.iter().map(noticed));
    let frames = motion.frames();
    let encoded =
        encode::clip(motion, format, EncodeOptions { euler: args.euler, ..EncodeOptions::default() });
    let delivered = encoded.map_err(Failure::from).and_then(|encoded| {
        warnings.extend_from_slice(&encoded.warnings);
        encode::deliver(&encoded, job, format)
    });
    let (bytes_out, output) = match delivered {
        Ok(delivered) => delivered,
        Err(Failure { error, .. }) => return Err(Failure { error, warnings }),
    };
    let facts = row::Facts {
        path: job.input.shown(),
        output,
        target: target.path.clone(),
        seconds: started.elapsed().as_secs_f64(),
    };
    let gates = &args.gates.fail_above;
    let checked = gate::check(gates, &report);
    let missed = gate::missed(gates, &checked);
    let row = row::Row::new(&facts, &report, checked, &warnings);
    let (json, text) = (json(&row), row.text());
    Ok(Report {
        json,
        text,
        missed,
        warnings,
        tally: Tally { frames, bytes_in, bytes_out },
        ..Report::default()
    })
}

/// The motion on the target. Its report is in metres, so both units must be known.
fn put_on_target(
    clip: Clip,
    args: &Args,
    target: &Target,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Clip, mocap_retarget::Report), Diagnostic> {
    // The pose of `--source-rest` counts the frames of the file, before any is left out.
    let source_rest =
        args.method.source_rest.map(|frame| rest_pose(&clip, frame, "--source-rest")).transpose()?;
    let EditArgs { drop_first_frame, trim, fps } = args.edits;
    let clip = Edits { drop_first_frame, trim, fps, ..Edits::default() }.apply(clip, warnings)?;
    let unit = known(&clip)?;
    if unit.source == UnitSource::Guessed {
        warnings.push(guessed(unit));
    }
    let options = Options {
        method: args.method.method.into(),
        hands: args.method.hands.into(),
        solver: args.method.ik.into(),
        limits: !args.method.no_limits,
        lock: if args.method.no_lock { FootLock::Off } else { FootLock::Auto },
        touch: args.method.contacts == ContactsArg::Hands,
        floor: args.method.floor.of(&target.skeleton),
        source_rest,
        target_rest: target.rest.clone(),
        ..Options::default()
    };
    let retargeter =
        Retargeter::new(clip.skeleton(), &target.skeleton, &options).map_err(|error| diagnostic(&error))?;
    retargeter.retarget(&clip).map_err(|error| diagnostic(&error))
}

fn known(clip: &Clip) -> Result<Unit, Diagnostic> {
    read::known_unit(clip.skeleton()).ok_or_else(|| {
        Diagnostic::new(
            "unit::unknown",
            "the report is in metres, and neither the source nor its size say its unit",
        )
        .help("state it with --input-unit, such as --input-unit cm")
    })
}

/// A warning of the library, with the flag that helps.
fn noticed(warning: &Warning) -> Diagnostic {
    let diagnostic = Diagnostic::new(warning.code(), warning.to_string());
    match warning {
        Warning::StanceMade { which: Which::Target } => diagnostic.help(
            "give a motion file of that skeleton as the target, and with --target-rest FRAME a frame in which it \
             stands",
        ),
        Warning::StanceMade { which: Which::Source } => {
            diagnostic.help("--source-rest FRAME names a frame in which it stands")
        }
        _ => diagnostic,
    }
}

fn diagnostic(error: &RetargetError) -> Diagnostic {
    let (code, help) = match error {
        RetargetError::MissingRoles { .. } => (
            "retarget::missing-roles",
            Some("give the roles in a .skel file: `mocap skel FILE -o FILE.skel` writes one to edit"),
        ),
        RetargetError::NotBelow { .. } => ("retarget::not-below", None),
        RetargetError::ZeroLength { .. } => ("retarget::zero-length", None),
        RetargetError::SidesSwapped { .. } => {
            ("retarget::sides-swapped", Some("--input-up or --target-up may not be what the file means"))
        }
        _ => ("retarget::failed", None),
    };
    let diagnostic = Diagnostic::new(code, error.to_string());
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}
