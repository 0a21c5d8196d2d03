//! `mocap convert`: between formats, with edits.

mod body_markers;
pub(crate) mod document;
pub(crate) mod markers;
mod pack;

use std::path::Path;

use globset::Glob;
use mocap::{UnitFacts, short};
use mocap_batch::counted;
use mocap_formats::Format;
use mocap_model::{Clip, ModelError};
use serde::Serialize;

use crate::batch::{
    self, Failure, Job, JobContext, OutputNames, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::{Behind, Diagnostic};
use crate::edit;
use crate::encode::{self, EncodeOptions, Encoded, Origin};
use crate::exit::Exit;
use crate::options::{ConvertArgs as Args, Edits, Invocation, Reading, listed};
use crate::output::Output;
use crate::read::{self, Loaded, Motion};
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};
use crate::verdict;
use document::SameFormat;

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    output: String,
    format: &'static str,
    frames: usize,
    fps: Option<f64>,
    joints: usize,
    /// The characters of a file of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subjects: Vec<String>,
    /// Of a recording of markers.
    #[serde(skip_serializing_if = "Option::is_none")]
    markers: Option<usize>,
    /// Whether every value of the input is unchanged.
    unchanged: bool,
    input_bytes: u64,
    bytes: u64,
    warnings: &'a [Diagnostic],
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "convert",
        about: "A line of mocap convert --json",
        rows: &[of::<Row<'static>>, PLAN, ERROR, SUMMARY],
    }];

    fn complete_outputs(&mut self) {
        self.outputs.settle(&self.inputs.inputs);
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// The flag that asks for another unit or axis than files of a format have, and what these are.
fn contradicted(format: Format, args: &Args) -> Option<(&'static str, String)> {
    let (metres, up) = format.written_in()?;
    let unit = args.edits.unit.filter(|unit| unit.0 != metres).map(|_| "--unit");
    let flag = unit.or(args.edits.up.filter(|asked| *asked != up).map(|_| "--up"))?;
    let unit = if metres == 1.0 { "metres" } else { "centimetres" };
    Some((flag, format!("they are written in {unit} with {up} up, and programs that read them know it")))
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    batch::check_last(&args.inputs, &args.outputs)?;
    let format = output_format(args)?;
    if let (Some(space), Some(flag)) = (format.fixed_space(), args.edits.of_space()) {
        return Err(
            Diagnostic::new("usage::format", format!("{flag} has no effect on {format} files")).help(space)
        );
    }
    if let Some((flag, space)) = contradicted(format, args) {
        return Err(
            Diagnostic::new("usage::format", format!("{flag} has no effect on {format} files")).help(space)
        );
    }
    if let Some(flag) = args.arrays.asked().filter(|_| !format.holds_arrays()) {
        return Err(Diagnostic::new("usage::format", format!("{flag} has no effect on {format} files"))
            .help(format!("it is for {}", listed(Format::holds_arrays, "and"))));
    }
    if args.marker_set.is_some() && !format.writes_markers() {
        let message = format!("--marker-set has no effect on {format} files: they do not hold markers");
        return Err(Diagnostic::new("usage::format", message)
            .help(format!("it is for {}", listed(Format::writes_markers, "and"))));
    }
    if let Some(clips) = args.arrays.pack {
        return pack::run(args, format, clips as usize, console);
    }
    let rename = |path: &Path| encode::renamed(path, format);
    let names = OutputNames { searched: searched(format, args), rename: &rename, format: Some(format) };
    let reads = read_files(&args.reading, Some(&args.inputs.selection));
    let mut inputs = args.inputs.clone();
    if format.holds_several_clips() && inputs.selection.clip.as_deref() == Some("all") {
        // All clips are written to one file.
        inputs.selection.clip = None;
    }
    let jobs = batch::plan_peers(console, (&inputs, &args.reading), &args.outputs, &names, reads)?;
    let options =
        RunOptions::writing(&args.inputs.selection, &args.outputs, invocation).with_peers([&args.reading]);
    Ok(batch::run(console, options, &jobs, |job, context| convert(job, context, args, format)))
}

/// Formats that directories are searched for: those that can be written in the output format.
fn searched(format: Format, args: &Args) -> batch::Reads {
    if args.marker_set.is_some() {
        return batch::ANY_MOTIONS;
    }
    match (format.is_writable(), format.writes_markers()) {
        (true, true) => batch::MOTIONS_AND_MARKERS,
        (false, true) => batch::MARKERS,
        _ => batch::ANY_MOTIONS,
    }
}

/// The format that `--to` or the name of the output asks for.
fn output_format(args: &Args) -> Result<Format, Diagnostic> {
    encode::asked_format(args.to, args.outputs.output.as_deref())?.ok_or_else(|| {
        let names = encode::names(Format::is_writable);
        Diagnostic::new("usage::format", "the output format is unknown")
            .help(format!("state it with --to, one of {names}, or by the extension of -o"))
    })
}

/// A converted input.
struct Converted {
    encoded: Encoded,
    frames: usize,
    fps: Option<f64>,
    joints: usize,
    subjects: Vec<String>,
    markers: Option<usize>,
    unchanged: bool,
    warnings: Vec<Diagnostic>,
    /// Errors because of which it is not written.
    errors: Vec<Diagnostic>,
    /// Of positions.
    unit: Option<UnitFacts>,
    /// The format, if it is not that of the name.
    format: Option<Format>,
}

impl Converted {
    fn of(encoded: Encoded, frames: usize, fps: Option<f64>, joints: usize) -> Converted {
        let (markers, unchanged, unit, format) = (None, false, None, None);
        let (subjects, warnings, errors) = Default::default();
        Converted {
            encoded,
            frames,
            fps,
            joints,
            subjects,
            markers,
            unchanged,
            warnings,
            errors,
            unit,
            format,
        }
    }
}

fn convert(job: &Job, context: &JobContext, args: &Args, format: Format) -> Result<Report, Failure> {
    let loaded = read::load(context, &job.input, &args.reading)?;
    let name = encode::clip_name(job);
    let input_bytes = loaded.size();
    let same = loaded.document().filter(|_| loaded.format == format.into());
    let unchanged = same.is_some_and(|document| SameFormat::of(args).changes_nothing(document, format));
    let mut done = match (unchanged, loaded.markers(&args.reading)?) {
        (true, Some((markers, _))) => document::keep_markers(loaded, &markers, args)?,
        (true, None) => document::keep(loaded, args)?,
        (false, Some(_)) if args.marker_set.is_some() => return Err(body_markers::no_body().into()),
        (false, Some((markers, warnings))) => markers::convert(markers, warnings, args, format)?,
        (false, None) if args.marker_set.is_some() => {
            let set = args.marker_set.as_deref().unwrap_or_default();
            body_markers::convert(loaded, args, set, format)?
        }
        (false, None) => match document::edit(&loaded, args, format)? {
            Some(edited) => {
                drop(loaded);
                edited
            }
            None => change(loaded, args, format, &name)?,
        },
    };
    done.warnings.extend_from_slice(&done.encoded.warnings);
    done.warnings = read::strict(&args.reading, done.warnings)?;
    let delivered = match done.errors.is_empty() {
        true => encode::deliver(&done.encoded, job, context),
        false => Ok((0, String::new())),
    };
    let (bytes, output) = delivered.behind(&mut done.warnings)?;
    let path = job.input.shown();
    let Converted {
        frames,
        fps,
        joints,
        subjects,
        markers,
        unchanged,
        warnings,
        errors,
        unit,
        format: own,
        ..
    } = done;
    let format = own.unwrap_or(format);
    let rate = fps.map_or(String::new(), |fps| format!(" at {} fps", short(fps)));
    let motion = match format.has_motion() {
        true => format!("{}{rate}", counted(frames, "frame")),
        false => "the skeleton without motion".into(),
    };
    let of = match markers {
        Some(markers) => counted(markers, "marker"),
        None => counted(joints, "joint"),
    };
    let of = match subjects.is_empty() {
        true => of,
        false => format!("{of} of {}", subjects.join(", ")),
    };
    let unit = unit.map_or(String::new(), |unit| format!(", unit {}", unit.text()));
    let written = if errors.is_empty() { &output } else { "not written" };
    let text = format!("{path} -> {written}: {motion}, {of}{unit}");
    let tally = Tally { frames, bytes_in: input_bytes, bytes_out: bytes };
    let format = format.extension();
    let row = Row {
        path,
        output,
        format,
        frames,
        fps,
        joints,
        subjects,
        markers,
        unchanged,
        input_bytes,
        bytes,
        warnings: &warnings,
    };
    Ok(Report { json: json(&row), text, errors, warnings, tally, ..Report::default() })
}

/// Writes the skeleton of a file without motion in another skeleton format.
fn skeleton_without_motion(loaded: Loaded, args: &Args, format: Format) -> Result<Converted, Failure> {
    if args.edits != Edits::default() {
        let message = "a skeleton without motion can be converted, but not edited";
        return Err(Diagnostic::new("usage::edit", message).help("omit the edits").into());
    }
    let (skeleton, mut warnings) = loaded.into_skeleton(&args.reading)?;
    let joints = skeleton.joints().iter().filter(|joint| !joint.end_site).count();
    let encoded = encode::skeleton(&skeleton, format).behind(&mut warnings)?;
    Ok(Converted { warnings, ..Converted::of(encoded, 0, None, joints) })
}

/// Applies the edits to the motion or motions of a file and writes them in the format.
fn change(loaded: Loaded, args: &Args, format: Format, name: &str) -> Result<Converted, Failure> {
    if !format.has_motion() && !loaded.format.has_motion() {
        return skeleton_without_motion(loaded, args, format);
    }
    let reading = Reading { rest_frame_dropped: args.edits.drop_first_frame, ..args.reading.clone() };
    // Other contents of a file are kept if the output format can hold them.
    let scene = loaded.format.exchange().is_some_and(Format::holds_several_clips);
    if format.holds_several_clips() && (scene || loaded.clip_names().len() > 1) {
        return change_all(&loaded, args, &reading, format, name);
    }
    let lost = Origin::input(loaded.document()).lost(format, encode_options(args, name));
    let Motion { clip, mut warnings, .. } = loaded.into_motion(&reading)?;
    warnings.extend(lost);
    let mut errors = Vec::new();
    verdict::sort(mocap::verdicts(&clip), args.force, &mut errors, &mut warnings);
    let limits = reading.limits();
    let written = edit::apply(&args.edits, limits, clip, &mut warnings).and_then(|clip| {
        let clip = only_joints(clip, &args.arrays.style.joints)?;
        let format = encode::format_of(&clip, format, args.to.is_some());
        let converted = facts(&clip, format);
        let converted = converted(encode::whole(clip, format, encode_options(args, name))?);
        Ok(Converted { format: Some(format), ..converted })
    });
    let converted = written.behind(&mut warnings)?;
    Ok(Converted { warnings, errors, ..converted })
}

/// The clip with only the joints that `--joints` selects.
pub(crate) fn only_joints(clip: Clip, globs: &[Glob]) -> Result<Clip, Diagnostic> {
    if globs.is_empty() {
        return Ok(clip);
    }
    let matchers: Vec<_> = globs.iter().map(Glob::compile_matcher).collect();
    let kept = clip.with_only_joints(|joint| matchers.iter().any(|matcher| matcher.is_match(&joint.name)));
    kept.map_err(|error| match error {
        ModelError::NoJoints => {
            let names: Vec<&str> = clip.skeleton().joints().iter().map(|joint| joint.name.as_str()).collect();
            Diagnostic::new("usage::joints", "--joints matches no joint")
                .help(format!("the joints are {}", names.join(", ")))
        }
        other => Diagnostic::new("edit::not-finite", other.to_string()),
    })
}

/// Writes all clips of a file, or the chosen one, to a format that holds several.
fn change_all(
    loaded: &Loaded,
    args: &Args,
    reading: &Reading,
    format: Format,
    name: &str,
) -> Result<Converted, Failure> {
    let (clips, mut warnings) = match loaded.is_one_clip() {
        true => {
            let (clip, warnings) = loaded.chosen(reading)?;
            (vec![clip], warnings)
        }
        false => loaded.motions(reading)?,
    };
    let mut errors = Vec::new();
    for clip in &clips {
        verdict::sort(mocap::verdicts(clip), args.force, &mut errors, &mut warnings);
    }
    let written = (|| -> Result<Converted, Diagnostic> {
        let edited: Result<Vec<Clip>, Diagnostic> = clips
            .into_iter()
            .map(|clip| edit::apply(&args.edits, reading.limits(), clip, &mut warnings))
            .collect();
        let edited = edited?;
        let converted = facts(&edited[0], format);
        let encoded =
            encode::clips(Origin::input(loaded.document()), edited, format, encode_options(args, name))?;
        Ok(converted(encoded))
    })();
    let converted = written.behind(&mut warnings)?;
    Ok(Converted { warnings, errors, ..converted })
}

fn encode_options<'a>(args: &Args, name: &'a str) -> EncodeOptions<'a> {
    EncodeOptions {
        name,
        euler: args.euler,
        tolerance: None,
        limits: args.reading.limits(),
        bvh: args.bvh,
        scene: args.scene,
        order: args.robot_motion.order.unwrap_or_default(),
        arrays: args.arrays.style.options(),
    }
}

/// Facts about a clip, taken before the clip is consumed.
fn facts(clip: &Clip, format: Format) -> impl FnOnce(Encoded) -> Converted + use<> {
    let joints = clip.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
    let subjects = mocap::several_subjects(clip.skeleton());
    // A format without motion keeps only the skeleton.
    let (frames, fps) = match format.has_motion() {
        true => (clip.frames(), Some(clip.rate().fps())),
        false => (0, None),
    };
    // Tables of positions do not state their unit, so the row does.
    let unit = format.holds_only_positions().then(|| UnitFacts::of(clip.skeleton()));
    move |encoded| Converted { unit, subjects, ..Converted::of(encoded, frames, fps, joints) }
}
