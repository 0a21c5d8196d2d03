//! `mocap retarget`: motions to another skeleton.

mod carried_props;
mod cast;
mod finding;
mod gate;
mod mapping;
mod motion;
mod pairs;
mod refusal;
mod row;
mod target;
mod together;

use std::mem::take;
use std::path::Path;
use std::time::Instant;

use mocap::{Opening, TargetReport};
use mocap_formats::robot_motion::usual_rate;
use mocap_formats::{Finding, Format, LeftOut, Limits, Remedy};
use mocap_model::{BoundBody, Character, Clip, Scene, Skeleton};
use mocap_retarget::{TargetSurface, map_roles_in};
use target::PRESET;

use crate::batch::{
    self, Failure, Input, Job, JobContext, OutputNames, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::{Behind, Detail, Diagnostic};
use crate::edit;
use crate::encode::{self, EncodeOptions, Origin};
use crate::exit::Exit;
use crate::options::{
    BodyChoice, Edits, Inputs, Invocation, MethodSettings, Reading, RetargetArgs as Args, TargetSettings,
};
use crate::output::Output;
use crate::read::{self, Motion};
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};
use crate::verdict;

pub(crate) use carried_props::shown;
pub(crate) use gate::{check as check_gate, check_all as check_gates, check_kind};
pub(crate) use mapping::MapFile;
use motion::measure_again;
pub(crate) use motion::{put_on_target, reference_pose};
use row::SubjectRow;
pub(crate) use row::{ExplainRobotRow, ExplainRow, Measures, Row, figures};
pub(crate) use target::{Target, read as read_target};

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[
        RowSchema {
            name: "retarget",
            about: "A line of mocap retarget --json",
            rows: &[of::<Row<'static>>, PLAN, ERROR, SUMMARY],
        },
        RowSchema {
            name: "retarget-explain",
            about: "A line of mocap retarget --explain --json",
            rows: &[of::<ExplainRow<'static>>, of::<ExplainRobotRow<'static>>, ERROR, SUMMARY],
        },
    ];

    fn complete_outputs(&mut self) {
        let sources = match self.characters {
            Some(_) => &self.paths[..],
            None => &self.paths[..self.paths.len().saturating_sub(1)],
        };
        self.outputs.settle(sources);
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    if !args.pair.is_empty() {
        return pairs::run(args, console);
    }
    if let Some(cast) = &args.characters {
        return run_scenes(args, cast, invocation, console);
    }
    let (target_path, sources) = args.paths.split_last().expect("a path is given");
    if sources.is_empty() && args.selection.files_from.is_none() {
        let message = format!("'{}' is the only path: the target skeleton is missing", target_path.display());
        return Err(Diagnostic::new("usage::target", message).help(TARGET_LAST));
    }
    let asked = encode::asked_format(args.to, args.outputs.output.as_deref())?;
    batch::check_stdout(console, &args.outputs)?;
    check_paths(args, target_path)?;
    let target_context = JobContext::standalone();
    let target = open_target_in(args, target_path, &target_context);
    let target = match target {
        Ok(target) => target,
        Err(Failure { error, warnings }) => {
            let path = target_path.display().to_string();
            console.warnings(&path, &warnings, Detail::Full);
            batch::fail(&path, &error, &warnings, console);
            return Ok(Exit::Usage);
        }
    };
    let format = output_format(asked, args.to.is_some(), &target)?;
    if args.to.is_none()
        && let Some(warning) = asked.and_then(|asked| of_trainers(asked, format))
    {
        console.warnings(&target_path.display().to_string(), &[warning], Detail::Line);
    }
    check_kind(&args.gates.fail_above, &target)?;
    let inputs = Inputs { inputs: sources.to_vec(), selection: args.selection.clone() };
    let reads = read_files(&args.reading, Some(&args.selection))
        .and([target_path.as_path()])
        .and(args.mapping.map.path());
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let target_name = stem(target_path);
    let target_name = target_name.strip_prefix(PRESET).unwrap_or(&target_name);
    let rename = |path: &Path| {
        path.with_file_name(format!("{}.{target_name}.{}", stem(path), format.file_extension()))
    };
    let names = OutputNames { searched: batch::ANY_MOTIONS, rename: &rename, format: Some(format) };
    let jobs = match args.mapping.shows_only() {
        true => mapping::jobs(batch::expand(&inputs, names.searched)?, &reads, args, console)?,
        false => batch::plan_peers(console, (&inputs, &args.reading), &args.outputs, &names, reads)?,
    };

    // Rows contain the notes as well.
    if !console.is_json() {
        console.warnings(&target_path.display().to_string(), &target.warnings, Detail::Line);
    }
    let mut options = RunOptions::writing(&args.selection, &args.outputs, invocation)
        .with_peers([&args.reading])
        .depending_on("the target", &target.path, &target_context.files_read());
    let map = MapFile::of(&args.mapping.map)?;
    if let Some(map) = &map {
        options = options.depending_on("the map", "", map.files_read());
    }
    let work = |job: &Job, context: &JobContext| match args.mapping.shows_only() {
        true => mapping::show(job, context, args, &target, map.as_ref()),
        false => retarget(job, context, args, &target, map.as_ref(), format),
    };
    Ok(batch::run(console, options, &jobs, work))
}

/// Reads a target with the options about targets.
fn open_target(args: &Args, path: &Path) -> Result<Target, Failure> {
    let in_file = |Failure { error, warnings }: Failure| Failure {
        error: if error.path.is_some() { error } else { error.in_file(path) },
        warnings,
    };
    open_target_in(args, path, &JobContext::standalone()).map_err(in_file)
}

fn open_target_in(args: &Args, path: &Path, context: &JobContext) -> Result<Target, Failure> {
    let shows_only = args.mapping.shows_only();
    let settings = TargetSettings { unit_unneeded: shows_only, ..args.target };
    let input = Input::named(path);
    let target = target::read((context, &input), &settings, args.method.target_rest, &args.reading)?;
    let target = target.on_robot((&args.robot, args.mapping.map.map.is_some()), context)?;
    let target = target.judged_by(&args.gates.fail_above);
    match shows_only {
        true => Ok(target),
        false => {
            let surface = (&args.method.body, args.method.surface_frames);
            target.with_surface(surface, context, &args.reading)
        }
    }
}

/// Retargets scenes, each character to its target from `--characters`.
fn run_scenes(
    args: &Args,
    map: &Path,
    invocation: &Invocation,
    console: &mut dyn Output,
) -> Result<Exit, Diagnostic> {
    let asked = encode::asked_format(args.to, args.outputs.output.as_deref())?;
    batch::check_stdout(console, &args.outputs)?;
    let cast = match cast::Cast::read(map, |path, context| open_target_in(args, path, context)) {
        Ok(cast) => cast,
        Err(Failure { error, warnings }) => {
            let path = map.display().to_string();
            console.warnings(&path, &warnings, Detail::Full);
            batch::fail(&path, &error, &warnings, console);
            return Ok(Exit::Usage);
        }
    };
    let format = asked.unwrap_or(Format::Bvh);
    if !format.has_motion() || format.holds_robot() {
        return Err(Diagnostic::new("usage::format", format!("{format} files do not hold scenes of people"))
            .help(format!("retarget writes {}", encode::names(Format::has_motion))));
    }
    let inputs = Inputs { inputs: args.paths.clone(), selection: args.selection.clone() };
    let reads = read_files(&args.reading, Some(&args.selection)).and([map]);
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = stem(map);
    let rename =
        |path: &Path| path.with_file_name(format!("{}.{name}.{}", stem(path), format.file_extension()));
    let names = OutputNames { searched: batch::ANY_MOTIONS, rename: &rename, format: Some(format) };
    let jobs = batch::plan_peers(console, (&inputs, &args.reading), &args.outputs, &names, reads)?;
    if !console.is_json() {
        for target in cast.targets() {
            console.warnings(&target.path, &target.warnings, Detail::Line);
        }
    }
    let options = RunOptions::writing(&args.selection, &args.outputs, invocation)
        .with_peers([&args.reading])
        .depending_on("the targets", &map.display().to_string(), cast.files_read());
    let work = |job: &Job, context: &JobContext| together::retarget_scene(job, context, args, &cast, format);
    Ok(batch::run(console, options, &jobs, work))
}

/// Checks the paths before anything is read.
fn check_paths(args: &Args, target: &Path) -> Result<(), Diagnostic> {
    let others = [args.mapping.map.map.as_ref(), args.selection.files_from.as_ref()];
    let all = args.paths.iter().chain(others.into_iter().flatten());
    if all.filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Diagnostic::new("usage::stdin-twice", "stdin (-) can be read only once")
            .help("only one of source, target, --map and --files-from can be -"));
    }
    if target.is_dir() {
        let message = format!("'{}' is a directory; the target must be one file", target.display());
        return Err(Diagnostic::new("usage::target", message).help(TARGET_LAST));
    }
    Ok(())
}

/// The order of the arguments.
const TARGET_LAST: &str = "the target comes last: `mocap retarget MOTION... SKELETON`";

/// The output format. For robots, an extension that several formats share means the training format.
fn output_format(asked: Option<Format>, stated: bool, target: &Target) -> Result<Format, Diagnostic> {
    let on_robot = target.robot().is_some();
    let format = match asked {
        None if on_robot && !stated => Format::UnitreeCsv,
        Some(asked) if on_robot && !stated => asked.of_robots(),
        asked => asked.unwrap_or(Format::Bvh),
    };
    if format.holds_robot() && !on_robot {
        let message =
            format!("{format} files hold the motion of a robot, and {} is not a robot", target.path);
        return Err(Diagnostic::new("usage::format", message)
            .help("name the model of a robot (URDF or MJCF) as target"));
    }
    if !format.has_motion() {
        return Err(Diagnostic::new("usage::format", format!("{format} files contain no motion"))
            .help(format!("retarget writes {}", encode::names(Format::has_motion))));
    }
    Ok(format)
}

/// The warning if an extension means the training arrays of robots only because the target is a robot: `.npz`
/// is another format everywhere else. Tables for robots are the default, so they need no warning.
fn of_trainers(asked: Format, written: Format) -> Option<Diagnostic> {
    (written != asked && written != Format::UnitreeCsv).then(|| {
        let message =
            format!("'-o NAME.{asked}' of a robot writes {written} in versions 0.x, and {asked} later");
        Diagnostic::new("usage::old-name", message)
            .help(format!("--to {written} states it; --to {asked} writes the arrays of any motion"))
    })
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
    let mut edits = Edits::from(args.edits);
    // A robot has its own rate, so the motion is made at that rate and not resampled before.
    let asked_fps = if target.robot().is_some() { edits.fps.take() } else { None };
    let fps = asked_fps.unwrap_or_else(|| usual_rate(format));
    let reading = Reading { rest_frame_dropped: edits.drop_first_frame, ..args.reading.clone() };
    let (Motion { clip, mut warnings, bytes: bytes_in }, mesh) =
        read_source(job, context, &reading, shows(target))?;
    context.check()?;
    let edits = (&edits, reading.limits());
    let mut impossible = Vec::new();
    verdict::sort(target.on.verdicts.clone(), args.force, &mut impossible, &mut Vec::new());
    impossible.iter_mut().for_each(|error| *error = error.clone().in_file(Path::new(&target.path)));
    let mut scene = who(clip, reading.subject.as_deref()).behind(&mut warnings)?;
    let source = scene.characters[0].skeleton().clone();
    let mut before = Scene::default();
    let mut openings = Vec::with_capacity(scene.characters.len());
    let mut outcomes = Vec::with_capacity(scene.characters.len());
    let mut verdicts = Vec::new();
    for character in take(&mut scene.characters) {
        let known = warnings.len();
        let source = edited(character.clip, edits, &args.method, target.robot().is_some(), &mut warnings);
        let done = source.and_then(|(clip, mut opening)| {
            opening.surface = mesh.as_ref().and_then(|mesh| surface_in(mesh, &clip));
            verdict::sort(mocap::verdicts(&clip), args.force, &mut impossible, &mut warnings);
            if !scene.props.is_empty() {
                before
                    .characters
                    .push(Character { name: character.name.clone(), ..Character::from(clip.clone()) });
            }
            let done = put_on_target(clip, &opening, &args.method, (target, map), fps, &mut warnings);
            openings.push(opening);
            done
        });
        let (motion, outcome) = done.behind(&mut warnings)?;
        without_repeats(&mut warnings, known);
        verdicts.extend(outcome.verdicts(&target.on, &motion));
        outcomes.push((character.name.clone(), outcome));
        scene.characters.push(Character { clip: motion, ..character });
    }
    let first = scene.characters[0].skeleton().clone();
    let frames = scene.characters[0].clip.frames();
    let shown = carried_props::shown(scene.props, mesh.as_ref());
    let (own, beside) = props(shown, edits, [&source, &first], &mut warnings)?;
    (before.props, scene.props) = (own, beside);
    let kept = kept(&before, scene, target, &args.method.body).behind(&mut warnings)?;
    let reports = outcomes.iter_mut().map(|(_, outcome)| outcome);
    let measured = measure_people_again(reports, (&before, &kept), &openings, &args.method, (target, map));
    measured.behind(&mut warnings)?;
    let scene = kept.scene;
    warnings.extend(kept.warnings);
    let encoded = encoded(job, args, target, scene, format);
    let (checked, mut errors) =
        check_gates(&args.gates.fail_above, outcomes.iter().map(|(_, outcome)| outcome));
    errors.append(&mut impossible);
    verdict::sort(verdicts, args.force, &mut errors, &mut warnings);
    let delivered = encoded.map_err(Failure::from).and_then(|encoded| {
        warnings.extend_from_slice(&encoded.warnings);
        warnings = read::strict(&reading, take(&mut warnings))?;
        match errors.is_empty() {
            true => encode::deliver(&encoded, job, context),
            false => Ok((0, String::new())),
        }
    });
    let (bytes_out, output) = delivered.behind(&mut warnings)?;
    let of_target = target.warnings.iter().map(|warning| warning.clone().in_file(Path::new(&target.path)));
    let all: Vec<Diagnostic> = of_target.chain(warnings.iter().cloned()).collect();
    let row = Row {
        path: &job.input.shown(),
        output: &output,
        seconds: started.elapsed().as_secs_f64(),
        measures: Measures::new(&target.path, &outcomes[0].1),
        subjects: SubjectRow::each(&target.path, &outcomes),
        between: Vec::new(),
        bound: &kept.notes,
        gates: checked,
        warnings: &all,
    };
    let (json, text, line, figures) = (json(&row), row.text(), row.line(), figures(&outcomes[0].1));
    let tally = Tally { frames, bytes_in, bytes_out };
    Ok(Report { json, text, line, figures, errors, warnings, tally, ..Report::default() })
}

/// The surface of a source.
fn surface_in(mesh: &BoundBody, clip: &Clip) -> Option<TargetSurface> {
    TargetSurface::new(&mesh.on(clip.skeleton()), clip.skeleton(), &map_roles_in(clip))
}

/// Measures people anew whose arms were moved to what they hold. `before` are the sources.
pub(crate) fn measure_people_again<'a>(
    reports: impl Iterator<Item = &'a mut TargetReport>,
    (before, kept): (&Scene, &carried_props::SceneWithProps),
    openings: &[Opening],
    method: &MethodSettings,
    on: (&Target, Option<&MapFile>),
) -> Result<(), Diagnostic> {
    let mut people: Vec<&mut TargetReport> = reports.collect();
    for (at, report) in people.iter_mut().enumerate().filter(|(at, _)| kept.moved[*at]) {
        let both = (&before.characters[at].clip, &kept.scene.characters[at].clip);
        measure_again(report, both, &openings[at], method, on)?;
    }
    carried_props::add_figures(people.into_iter(), &kept.arm_inside);
    Ok(())
}

/// The retargeted scene, with each prop in the hand that holds it in the source. Robots hold no
/// props.
pub(crate) fn kept(
    before: &Scene,
    scene: Scene,
    target: &Target,
    body: &BodyChoice,
) -> Result<carried_props::SceneWithProps, Diagnostic> {
    if target.robot().is_some() {
        let moved = vec![false; scene.characters.len()];
        return Ok(carried_props::SceneWithProps {
            scene,
            moved,
            ..carried_props::SceneWithProps::default()
        });
    }
    let count = scene.characters.len();
    carried_props::kept(before, scene, || vec![carried_props::surface_of(target, body); count])
}

/// The result as a file, with the other contents of the target's file.
fn encoded(
    job: &Job,
    args: &Args,
    target: &Target,
    scene: Scene,
    format: Format,
) -> Result<encode::Encoded, Diagnostic> {
    let name = encode::clip_name(job);
    let options = EncodeOptions {
        name: &name,
        euler: args.euler,
        tolerance: None,
        limits: args.reading.limits(),
        bvh: args.bvh,
        scene: args.scene,
        order: args.robot_motion.order.unwrap_or_default(),
        ..EncodeOptions::default()
    };
    // A character keeps its mesh, skin and materials.
    let origin = Origin { document: target.on.document.as_deref(), file: Some(Path::new(&target.path)) };
    encode::scene_in(origin, scene, format, options)
}

/// Whether the mesh of the source is needed: if the target has a surface, contacts are found on
/// both surfaces, and if its format holds meshes, props are written with theirs.
fn shows(target: &Target) -> bool {
    let holds_meshes =
        || target.on.document.as_deref().is_some_and(|document| document.format().holds_meshes());
    target.on.surface.is_some() || holds_meshes()
}

/// The motion of an input, and its mesh if `shows` is true.
fn read_source(
    job: &Job,
    context: &JobContext,
    reading: &Reading,
    shows: bool,
) -> Result<(Motion, Option<BoundBody>), Failure> {
    let loaded = read::load(context, &job.input, reading)?;
    let has_motion = loaded.format.has_motion();
    let mut unread = None;
    let mesh = match shows {
        true => loaded.document().and_then(|document| {
            document.body(&reading.limits()).unwrap_or_else(|error| {
                let (count, because) = (document.meshes(), error.to_string());
                unread = Some(Diagnostic::from(Finding::new(LeftOut::Unread { count, because })));
                None
            })
        }),
        false => None,
    };
    let mut motion = loaded.into_motion(reading).map_err(|mut failure| {
        if !has_motion {
            failure.error.help = Some(TARGET_LAST.into());
        }
        failure
    })?;
    motion.warnings.extend(unread);
    let mesh = mesh.map(|mesh| {
        motion.warnings.extend(mesh.warnings.into_iter().map(Diagnostic::from));
        mesh.value
    });
    Ok((motion, mesh))
}

/// Drops warnings from index `known` on that are there already: a warning about each character is shown once.
fn without_repeats(warnings: &mut Vec<Diagnostic>, known: usize) {
    for warning in warnings.split_off(known) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}

/// The characters to retarget: with `--subject all` every character of a file, else the first one found.
pub(crate) fn who(clip: Clip, subject: Option<&str>) -> Result<Scene, Diagnostic> {
    match subject {
        Some("all") => Ok(mocap::scene_of(clip).map_err(mocap::Error::from)?),
        // Of several characters, the first one found.
        _ if !mocap::several_subjects(clip.skeleton()).is_empty() => Ok(Scene::from(clip)),
        _ => Ok(mocap::scene_with_things(clip).map_err(mocap::Error::from)?),
    }
}

/// The props beside the characters, edited: in the space of the source, and in the space of the target.
fn props(
    props: Vec<Character>,
    (edits, limits): (&Edits, Limits),
    [source, target]: [&Skeleton; 2],
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Vec<Character>, Vec<Character>), Failure> {
    let before = (limits, edit::lead_in_of(warnings));
    let edited = props.into_iter().map(|prop| {
        let clip = edit::apply_after(edits, before, prop.clip.clone(), &mut Vec::new())?;
        Ok(prop.with_clip(clip))
    });
    let put = edited.collect::<Result<Vec<_>, Diagnostic>>().and_then(|props| {
        let beside = mocap::props_beside(props.clone(), Some(source), target).map_err(mocap::Error::from)?;
        Ok((props, beside))
    });
    put.behind(warnings)
}

/// The source with its edits, checked against the size limits, and the number of lead-in frames.
pub(crate) fn edited(
    clip: Clip,
    (edits, limits): (&Edits, Limits),
    method: &MethodSettings,
    on_robot: bool,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Clip, Opening), Diagnostic> {
    // The frame is counted in the file, before edits drop frames.
    let rest = reference_pose(method, &clip)?;
    let rest_first = warnings.iter_mut().find(|warning| warning.remedy == Some(Remedy::DropFirstFrame));
    let lead_in = edit::lead_in(edits, &clip, usize::from(rest_first.is_some()));
    if let Some(warning) = rest_first.filter(|_| lead_in > 0) {
        let help = match on_robot {
            true => "it is left out of the robot's motion",
            false => {
                "it stays in the output and is not measured; --drop-first-frame removes it from the output"
            }
        };
        warning.help = Some(help.into());
    }
    Ok((edit::apply(edits, limits, clip, warnings)?, Opening { rest, lead_in, ..Opening::default() }))
}
