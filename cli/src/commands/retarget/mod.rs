//! `mocap retarget`: motions on another skeleton.

mod explain;
mod gate;
mod mapping;
mod row;
mod target;

use std::path::Path;
use std::time::Instant;

use mocap_formats::{Format, Remedy};
use mocap_model::{Clip, Pose, Unit, UnitSource};
use mocap_retarget::{
    RetargetError, RetargetOptions, RetargetWarning, Retargeter, SourceOrTarget, retarget_joint_pairs,
};

use crate::args::{Edits, Inputs, Invocation, MethodSettings, Reading, RetargetArgs as Args, TargetSettings};
use crate::batch::{
    self, Failure, Input, Job, JobContext, Naming, Report, RunOptions, Tally, json, read_files,
};
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic};
use crate::edit::{self, guessed};
use crate::encode::{self, EncodeOptions};
use crate::exit::Exit;
use crate::read::{self, Motion};
use crate::rest;
pub(crate) use explain::Row as ExplainRow;
pub(crate) use gate::{Checked, check, missed};
pub(crate) use mapping::MapFile;
use mapping::Mapping;
pub(crate) use row::{Measures, Row};
pub(crate) use target::{Target, read as read_target};

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let (target_path, sources) = args.paths.split_last().expect("at least two paths are given");
    let format = output_format(args)?;
    if console.is_json() && args.outputs.to_stdout() {
        return Err(Diagnostic::stdout_twice());
    }
    unambiguous(args, target_path)?;
    let named = Inputs { inputs: sources.to_vec(), selection: args.selection.clone() };
    let inputs = batch::expand(&named, batch::ANY_MOTIONS)?;
    let stem =
        |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let derive = |input: &Input| {
        let name = format!("{}.{}.{format}", stem(&input.relative), stem(target_path));
        Some(input.relative.with_file_name(name))
    };
    let reads = read_files(&args.reading, Some(&args.selection))
        .and([target_path.as_path()])
        .and(args.mapping.map.path());
    let names = Naming {
        derive: &derive,
        companions: &|path: &Path| encode::beside(path, format).into_iter().collect(),
        reads,
    };
    let jobs = match args.mapping.shows_only() {
        true => mapping::jobs(inputs, &names.reads, args, console)?,
        false => batch::plan(inputs, &args.outputs, &names)?,
    };

    let (target_context, target_input) = (JobContext::standalone(), Input::named(target_path));
    let target_args = TargetSettings { unit_unneeded: args.mapping.shows_only(), ..args.target };
    let target = (&target_context, &target_input);
    let target = match target::read(target, &target_args, args.method.target_rest, &args.reading) {
        Ok(target) => target,
        Err(Failure { error, warnings }) => {
            let path = target_path.display().to_string();
            console.warnings(&path, &warnings, Detail::Full);
            console.error(Some(&path), &error);
            return Ok(Exit::Usage);
        }
    };
    // Rows have them as well.
    if !console.is_json() {
        console.warnings(&target_path.display().to_string(), &target.warnings, Detail::Line);
    }
    let mut options = RunOptions::writing(&args.selection, &args.outputs, invocation)
        .depending_on("the target", &target_context.files_read());
    let map = MapFile::of(&args.mapping.map)?;
    if let Some(map) = &map {
        options = options.depending_on("the map", map.files_read());
    }
    let work = |job: &Job, context: &JobContext| match args.mapping.shows_only() {
        true => mapping::shown(job, context, args, &target, map.as_ref()),
        false => retarget(job, context, args, &target, map.as_ref(), format),
    };
    Ok(batch::run(console, options, &jobs, work))
}

/// What can be said of the arguments before anything is read.
fn unambiguous(args: &Args, target: &Path) -> Result<(), Diagnostic> {
    let others = [args.mapping.map.map.as_ref(), args.selection.files_from.as_ref()];
    let all = args.paths.iter().chain(others.into_iter().flatten());
    if all.filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Diagnostic::new("usage::stdin-twice", "stdin (-) can be read only once")
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
            .help(format!("retarget writes {}", encode::names(Format::has_motion))));
    }
    Ok(format)
}

fn retarget(
    job: &Job,
    context: &JobContext,
    args: &Args,
    target: &Target,
    map: Option<&MapFile>,
    format: Format,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let edits = Edits::from(args.edits);
    let reading = Reading { rest_frame_dropped: edits.drop_first_frame, ..args.reading.clone() };
    let Motion { clip, mut warnings, bytes: bytes_in } =
        read::load(context, &job.input, &reading).and_then(|loaded| {
            let has_motion = loaded.format.has_motion();
            loaded.into_motion(&reading).map_err(|mut failure| {
                if !has_motion {
                    failure.error.help = Some(TARGET_LAST.into());
                }
                failure
            })
        })?;
    context.check()?;
    let done = edited(clip, &edits, &args.method, &mut warnings).and_then(|(clip, opening)| {
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
        encode::deliver(&encoded, job, context)
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
fn edited(
    clip: Clip,
    edits: &Edits,
    method: &MethodSettings,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Clip, Opening), Diagnostic> {
    // The pose counts the frames of the file, before any is left out.
    let stance = reference_pose(method, &clip)?;
    let rest_first = warnings.iter_mut().find(|warning| warning.remedy == Some(Remedy::DropFirstFrame));
    let lead_in = edit::lead_in(edits, &clip, usize::from(rest_first.is_some()));
    if let Some(warning) = rest_first.filter(|_| lead_in > 0) {
        warning.help = Some(
            "it is kept in the output, and the report leaves it out; --drop-first-frame leaves it out of both"
                .into(),
        );
    }
    Ok((edit::apply(edits, clip, warnings)?, Opening { stance, lead_in }))
}

/// The pose of the frame of `--source-rest`.
pub(crate) fn reference_pose(method: &MethodSettings, clip: &Clip) -> Result<Option<Pose>, Diagnostic> {
    method.source_rest.map(|frame| rest::in_frame(clip, frame, "--source-rest")).transpose()
}

/// The motion on the target. Its report is in metres, so both units must be known.
pub(crate) fn put_on_target(
    clip: &Clip,
    opening: Opening,
    method: &MethodSettings,
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
        source_rest: opening.stance,
        target_rest,
        lead_in: opening.lead_in,
        ..mapping.options(method.options(&target.skeleton))
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
