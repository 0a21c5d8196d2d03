//! `mocap retarget`: motions on another skeleton.

mod choices;
mod explain;
mod gate;
mod mapping;
mod row;
mod target;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args as ClapArgs;
use mocap_formats::Format;
use mocap_model::{Clip, EulerOrder, FrameRate, Pose, SignedAxis, Unit, UnitSource};
use mocap_retarget::{
    FootLock, RetargetError, RetargetOptions, RetargetWarning, Retargeter, SourceOrTarget,
    retarget_joint_pairs,
};

use crate::args::{Global, Inputs, Outputs, Reading, Selection, Trim, UnitLength, fps, unit};
use crate::batch::{self, Failure, Input, Job, Names, Reads, Report, RunOptions, Tally, json};
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic};
use crate::edit::{Edits, guessed};
use crate::encode::{self, EncodeOptions};
use crate::exit::Exit;
use crate::read::{self, Motion};
use crate::rest;
use choices::{ContactsArg, FloorArg, HandsArg, IkArg, MethodArg, floor};
pub(crate) use explain::Row as ExplainRow;
use gate::Gate;
pub(crate) use gate::{Checked, check, missed};
pub(crate) use mapping::{MapArg, MapFile};
use mapping::{Mapping, MappingArgs};
pub(crate) use row::{Measures, Row};
pub(crate) use target::{Target, read as read_target};

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
    mapping: MappingArgs,
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
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Method")]
pub(crate) struct MethodArgs {
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
    /// SourceOrTarget contacts of the source are kept on the target
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
    pub(crate) source_rest: Option<usize>,
    /// Frame of the target's own motion in which it stands upright, arms anywhere [from 0; default: a rest
    /// pose that comes first, else found in its motion]
    #[arg(long, value_name = "FRAME")]
    pub(crate) target_rest: Option<usize>,
}

/// What a result must keep to.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Quality")]
pub(crate) struct GateArgs {
    /// Fail with exit code 3 where a figure of the report is above a limit, such as slide=0.05,penetration=0.01;
    /// lengths in metres, angles in degrees. Figures: effector, effector-mean, effector-p95, unreachable, limited,
    /// capped, wrong-bends, slide, slide-ratio, float, penetration, contacts-lost, violations, violation-excess,
    /// angle, correlation-lost, jerk, step
    #[arg(long, value_name = "NAME=LIMIT", value_delimiter = ',', value_parser = gate::gate)]
    pub(crate) fail_above: Vec<Gate>,
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
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Reading the target")]
pub(crate) struct TargetArgs {
    /// Unit of the target's numbers, as for --input-unit [default: as its file says, else guessed]
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    target_unit: Option<UnitLength>,
    /// Axis that points up in the target [default: as its file says, else Y]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    target_up: Option<SignedAxis>,
    /// Whether its unit is not needed: nothing is measured.
    #[arg(skip)]
    unit_unneeded: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, global: &Global, console: &mut Console) -> Result<Exit, Diagnostic> {
    let (target_path, sources) = args.paths.split_last().expect("at least two paths are given");
    let format = output_format(args)?;
    if global.json && args.outputs.to_stdout() {
        return Err(Diagnostic::stdout_twice());
    }
    unambiguous(args, target_path)?;
    let named = Inputs { inputs: sources.to_vec(), selection: args.selection.clone() };
    let inputs = batch::expand(&named, batch::ANY_MOTIONS)?;
    let stem =
        |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let derive = |input: &Input| {
        let name = format!("{}.{}.{format}", stem(&input.relative), stem(target_path));
        Ok(input.relative.with_file_name(name))
    };
    let reads = Reads::new(&args.reading, Some(&args.selection))
        .and([target_path.as_path()])
        .and(args.mapping.map.path());
    let names = Names {
        derive: &derive,
        beside: &|path: &Path| encode::beside(path, format).into_iter().collect(),
        reads,
    };
    let jobs = match args.mapping.shows_only() {
        true => mapping::jobs(inputs, &names.reads, args, global)?,
        false => batch::plan(inputs, &args.outputs, &names)?,
    };

    let target_input = Input::named(target_path);
    let target_args = TargetArgs { unit_unneeded: args.mapping.shows_only(), ..args.target.clone() };
    let target = match target::read(&target_input, &target_args, args.method.target_rest, &args.reading) {
        Ok(target) => target,
        Err(Failure { error, warnings }) => {
            let path = target_path.display().to_string();
            console.warnings(&path, &warnings, Detail::Full);
            console.error(Some(&path), &error);
            return Ok(Exit::Usage);
        }
    };
    // Rows have them as well.
    if !global.json {
        console.warnings(&target_path.display().to_string(), &target.warnings, Detail::Line);
    }
    let mut options =
        RunOptions::new(&args.selection, Some(&args.outputs)).depending_on("the target", &target_input);
    let map = args.mapping.map.read()?;
    if let Some(map) = &map {
        options = options.depending_on("the map", map.input());
    }
    let work = |job: &Job| match args.mapping.shows_only() {
        true => mapping::shown(job, args, &target, map.as_ref()),
        false => retarget(job, args, &target, map.as_ref(), format),
    };
    Ok(batch::run(console, global, options, &jobs, work))
}

/// What can be said of the arguments before anything is read.
fn unambiguous(args: &Args, target: &Path) -> Result<(), Diagnostic> {
    let others = [args.mapping.map.map.as_ref(), args.selection.files_from.as_ref()];
    let all = args.paths.iter().chain(others.into_iter().flatten());
    if all.filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Diagnostic::new("usage::stdin-twice", "stdin (-) can be read once only")
            .help("source, target, --map and --files-from cannot come from it together"));
    }
    if target.is_dir() {
        let message = format!("'{}' is a directory, and the target is one skeleton", target.display());
        return Err(Diagnostic::new("usage::target", message).help(TARGET_LAST));
    }
    Ok(())
}

/// The order of the arguments.
const TARGET_LAST: &str = "the target comes last: `mocap retarget MOTION... SKELETON`";

fn output_format(args: &Args) -> Result<Format, Diagnostic> {
    let format = encode::asked_format(args.to, args.outputs.output.as_deref())?.unwrap_or(Format::Bvh);
    if !format.has_motion() {
        return Err(Diagnostic::new("usage::format", format!("{format} files hold no motion"))
            .help("retarget writes bvh, amc, csv or json"));
    }
    Ok(format)
}

fn retarget(
    job: &Job,
    args: &Args,
    target: &Target,
    map: Option<&MapFile>,
    format: Format,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let reading = Reading { rest_frame_dropped: args.edits.drop_first_frame, ..args.reading.clone() };
    let Motion { clip, mut warnings, bytes: bytes_in } =
        read::motion(&job.input, &reading).map_err(|mut failure| {
            if failure.error.code == "format::no-motion" {
                failure.error.help = Some(TARGET_LAST.into());
            }
            failure
        })?;
    job.input.attempt.check()?;
    let done = edited(clip, args, &mut warnings).and_then(|(clip, opening)| {
        put_on_target(&clip, opening, &args.method, (target, map), &mut warnings)
    });
    let (motion, report) = match done {
        Ok(done) => done,
        Err(error) => return Err(Failure { error, warnings }),
    };
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
    let of_target = target.warnings.iter().map(|warning| warning.clone().in_file(Path::new(&target.path)));
    let all: Vec<Diagnostic> = of_target.chain(warnings.iter().cloned()).collect();
    let gates = &args.gates.fail_above;
    let checked = gate::check(gates, &report);
    let missed = gate::missed(gates, &checked);
    let row = row::Row::new(&facts, &report, checked, &all);
    let (json, text) = (json(&row), row.text());
    Ok(Report { json, text, errors: missed, warnings, tally: Tally { frames, bytes_in, bytes_out } })
}

/// What is known of a source beside its motion.
#[derive(Default)]
pub(crate) struct Opening {
    /// How it stands, where a flag says it.
    pub(crate) stance: Option<Pose>,
    /// Frames at its start that are a rest pose and no motion.
    pub(crate) lead_in: usize,
}

/// The source with its edits.
fn edited(clip: Clip, args: &Args, warnings: &mut Vec<Diagnostic>) -> Result<(Clip, Opening), Diagnostic> {
    // The pose counts the frames of the file, before any is left out.
    let stance = args.method.stance(&clip)?;
    let EditArgs { drop_first_frame, trim, fps } = args.edits;
    let edits = Edits { drop_first_frame, trim, fps, ..Edits::default() };
    let rest_first = warnings.iter_mut().find(|warning| warning.code == rest::REST_FIRST);
    let lead_in = edits.lead_in(&clip, usize::from(rest_first.is_some()));
    if let Some(warning) = rest_first.filter(|_| lead_in > 0) {
        warning.help = Some(
            "it is kept in the output, and the report leaves it out; --drop-first-frame leaves it out of both"
                .into(),
        );
    }
    Ok((edits.apply(clip, warnings)?, Opening { stance, lead_in }))
}

impl MethodArgs {
    /// The pose of the frame of `--source-rest`.
    pub(crate) fn stance(&self, clip: &Clip) -> Result<Option<Pose>, Diagnostic> {
        self.source_rest.map(|frame| rest::in_frame(clip, frame, "--source-rest")).transpose()
    }
}

/// The motion on the target. Its report is in metres, so both units must be known.
pub(crate) fn put_on_target(
    clip: &Clip,
    opening: Opening,
    method: &MethodArgs,
    (target, map): (&Target, Option<&MapFile>),
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Clip, mocap_retarget::RetargetReport), Diagnostic> {
    let unit = known(clip)?;
    if unit.source == UnitSource::Guessed {
        warnings.push(guessed(unit));
    }
    let mapping = Mapping::new(clip, target, map)?;
    // A skeleton stands like itself: what two motions show of it would differ by what they show.
    let same = method.target_rest.is_none() && clip.skeleton().joints() == target.skeleton.joints();
    let target_rest = if same { opening.stance.clone() } else { target.rest.clone() };
    let options = RetargetOptions {
        method: method.method.into(),
        hands: method.hands.into(),
        solver: method.ik.into(),
        limits: !method.no_limits,
        foot_lock: if method.no_lock { FootLock::Off } else { FootLock::Auto },
        self_contacts: method.contacts == ContactsArg::Hands,
        floor: method.floor.of(&target.skeleton),
        source_rest: opening.stance,
        target_rest,
        lead_in: opening.lead_in,
        ..mapping.options()
    };
    let failed = |error: RetargetError| mapping.about(diagnostic(&error), &error, clip.skeleton(), target);
    let done = match mapping.pairs_alone() {
        Some(pairs) => retarget_joint_pairs(clip, &target.skeleton, &pairs, &options),
        None => Retargeter::new(clip.skeleton(), &target.skeleton, &options)
            .and_then(|retargeter| retargeter.retarget(clip)),
    };
    let (motion, report) = done.map_err(failed)?;
    warnings.extend(report.warnings.iter().map(|warning| noticed(warning, target)));
    Ok((motion, report))
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
fn noticed(warning: &RetargetWarning, target: &Target) -> Diagnostic {
    let which = match warning {
        RetargetWarning::LeftOut { which, .. }
        | RetargetWarning::ReferencePoseEstimated { which }
        | RetargetWarning::OneArm { which, .. } => Some(*which),
        _ => None,
    };
    let diagnostic = about(Diagnostic::new(warning.code(), warning.to_string()), which, target);
    match warning {
        RetargetWarning::ReferencePoseEstimated { which: SourceOrTarget::Target } => diagnostic.help(
            "give as the target a motion file of that skeleton, or the .skel that `mocap skel` writes of one: they \
             show how it stands, and --target-rest FRAME (of `mocap skel`: --rest FRAME) names a frame in which it \
             does",
        ),
        RetargetWarning::ReferencePoseEstimated { which: SourceOrTarget::Source } => {
            diagnostic.help("--source-rest FRAME names a frame in which it stands")
        }
        _ => diagnostic,
    }
}

/// The same about the file of the target, where that is what it is about.
fn about(diagnostic: Diagnostic, which: Option<SourceOrTarget>, target: &Target) -> Diagnostic {
    match which {
        Some(SourceOrTarget::Target) => diagnostic.in_file(Path::new(&target.path)),
        _ => diagnostic,
    }
}

/// The skeleton that an error is about.
fn which_of(error: &RetargetError) -> Option<SourceOrTarget> {
    match error {
        RetargetError::MissingRoles { which, .. }
        | RetargetError::Uncertain { which, .. }
        | RetargetError::SidesMixed { which }
        | RetargetError::SidesSwapped { which, .. }
        | RetargetError::NotBelow { which, .. }
        | RetargetError::ZeroLength { which, .. }
        | RetargetError::PoseLength { which, .. }
        | RetargetError::PoseNotFinite { which }
        | RetargetError::Extreme { which } => Some(*which),
        _ => None,
    }
}

fn diagnostic(error: &RetargetError) -> Diagnostic {
    let (code, help) = match error {
        RetargetError::MissingRoles { .. } => ("retarget::missing-roles", Some(mapping::HELP)),
        RetargetError::Uncertain { .. } => ("retarget::uncertain", Some(mapping::HELP)),
        RetargetError::SidesMixed { .. } => ("retarget::sides-mixed", Some(mapping::HELP)),
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
