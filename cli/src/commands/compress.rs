//! `mocap compress`: smaller files with a guaranteed error.

use std::path::{Path, PathBuf};
use std::time::Instant;

use mocap_compress::{CompressError, CompressOptions, CompressReport as Measured, Compression};
use mocap_model::{Clip, Joint, Skeleton, UnitSource};
use serde::Serialize;

use crate::args::{BoundSettings, CompressArgs as Args, Edits, Invocation, JointBound};
use crate::batch::{
    self, Failure, Input, Job, JobContext, Meter, Naming, Report, RunOptions, Tally, json, read_files,
};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::edit::{self, guessed};
use crate::encode::{self, Encoded};
use crate::exit::Exit;
use crate::names;
use crate::read::{self, Motion};

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    output: String,
    input_bytes: u64,
    #[serde(flatten)]
    measures: Measures<'a>,
    seconds: f64,
    warnings: &'a [Diagnostic],
}

/// What was measured while a motion was compressed. Lengths are metres.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Measures<'a> {
    profile: &'static str,
    frames: usize,
    raw_bytes: u64,
    bytes: u64,
    skeleton_bytes: u64,
    ratio: f64,
    /// The largest bound of any joint; `bounds` has those of single joints.
    error_limit: f64,
    max_error: f64,
    p99_error: f64,
    rms_error: f64,
    between_frames_max: f64,
    local_rotation_max_degrees: f64,
    local_translation_max: f64,
    worst: Option<Worst<'a>>,
    shell: f64,
    /// With `--set`: what each setting came to, and the joints that none matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bounds: Vec<Bound<'a>>,
}

/// The bound of some joints, and how far they are off.
#[derive(Serialize, schemars::JsonSchema)]
struct Bound<'a> {
    set: Option<&'a str>,
    joints: usize,
    error_limit: f64,
    max_error: f64,
    worst: String,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Worst<'a> {
    joint: &'a str,
    frame: usize,
}

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    if console.is_json() && args.outputs.to_stdout() {
        return Err(Diagnostic::stdout_twice());
    }
    check_extension(args.outputs.output.as_deref())?;
    let inputs = batch::expand(&args.inputs, batch::MOTIONS)?;
    let derive = |input: &Input| Some(output_name(&input.relative));
    let reads = read_files(&args.reading, Some(&args.inputs.selection));
    let names = Naming { derive: &derive, companions: &|_: &Path| Vec::new(), reads };
    let jobs = batch::plan(inputs, &args.outputs, &names)?;
    let options = RunOptions::writing(&args.inputs.selection, &args.outputs, invocation)
        .with_own_progress(jobs.len() == 1);
    let meter = Meter::new(console.progress(), &jobs, "compressing");
    Ok(batch::run(console, options, &jobs, |job, context| {
        let done = compress(job, context, args, &meter);
        meter.finish();
        done
    }))
}

/// Refuses an output that is named as a file of another format; a folder may be called anything.
fn check_extension(output: Option<&Path>) -> Result<(), Diagnostic> {
    let Some(output) = output.filter(|output| !output.is_dir()) else { return Ok(()) };
    let extension = output.extension().and_then(|extension| extension.to_str());
    let Some(format) = extension.and_then(mocap_formats::Format::from_extension) else { return Ok(()) };
    let message = format!("'{}' is named as {format}, and `mocap compress` writes .mocz", output.display());
    let right = output.with_extension("mocz");
    Err(Diagnostic::new("output::extension", message)
        .help(format!("-o '{}'; `mocap convert` writes {format}", right.display())))
}

/// The name of the compressed file of an input.
pub(crate) fn output_name(path: &Path) -> PathBuf {
    let known = path.extension().and_then(|extension| extension.to_str());
    let known = known.and_then(mocap_formats::Format::from_extension).is_some();
    if known {
        return path.with_extension("mocz");
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".mocz");
    name.into()
}

fn compress(job: &Job, context: &JobContext, args: &Args, meter: &Meter) -> Result<Report, Failure> {
    let start = Instant::now();
    let Motion { clip, mut warnings, bytes: input_bytes } =
        read::motion(context, &job.input, &args.first.of(&args.reading))?;
    context.check()?;
    let mut done = match squeezed(clip, &args.bounds, &mut warnings, &|share| meter.set(share)) {
        Ok(done) => done,
        Err(error) => return Err(Failure { error, warnings }),
    };
    let encoded = Encoded::from(std::mem::take(&mut done.bytes));
    let (bytes_out, output) = encode::deliver(&encoded, job, context)?;
    let (path, measures) = (job.input.shown(), Measures::of(&done));
    let text = format!("{path} -> {output}: {}", measures.text());
    let tally = Tally { frames: done.frames, bytes_in: input_bytes, bytes_out };
    let seconds = start.elapsed().as_secs_f64();
    let row = Row { path: path.clone(), output, input_bytes, measures, seconds, warnings: &warnings };
    let json = json(&row);
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

/// A compressed motion.
pub(crate) struct Squeezed {
    pub(crate) bytes: Vec<u8>,
    measured: Measured,
    pub(crate) options: CompressOptions,
    settings: Vec<JointBound>,
    /// By joint that is measured, the setting that counts.
    rules: Vec<Option<usize>>,
    frames: usize,
}

/// The motion in as few bytes as the bounds allow. Lengths become metres first.
pub(crate) fn squeezed(
    clip: Clip,
    bounds: &BoundSettings,
    warnings: &mut Vec<Diagnostic>,
    progress: &dyn Fn(f64),
) -> Result<Squeezed, Diagnostic> {
    let clip = edit::apply(&Edits { scale: bounds.scale, ..Edits::default() }, clip, warnings)?;
    let Some(unit) = read::known_unit(clip.skeleton()) else {
        let message =
            "an error is a length in metres, and neither the file nor its size say what its unit is";
        return Err(Diagnostic::new("unit::unknown", message)
            .help("state it with --input-unit, such as --input-unit cm"));
    };
    if unit.source == UnitSource::Guessed {
        warnings.push(guessed(unit));
    }
    let settings = &bounds.set;
    let ruled = ruled(clip.skeleton(), settings);
    for (at, setting) in settings.iter().enumerate() {
        if !ruled.iter().any(|of| of.contains(&at)) {
            warnings.push(unmatched(setting, clip.skeleton()));
        }
    }
    let options = CompressOptions {
        metres_per_unit: Some(unit.metres),
        joint_tolerances: tolerances(clip.skeleton(), settings, &ruled),
        ..bounds.options()
    };
    let compression = mocap_compress::compress_with_progress(&clip, &options, progress);
    let Compression { bytes, report: measured } = compression.map_err(|error| diagnostic(&error))?;
    // The joints that are measured are those without end sites.
    let counting = clip.skeleton().joints().iter().zip(&ruled).filter(|(joint, _)| !joint.end_site);
    let rules = counting.map(|(_, of)| of.last().copied()).collect();
    Ok(Squeezed { bytes, measured, options, settings: settings.clone(), rules, frames: clip.frames() })
}

impl<'a> Measures<'a> {
    /// What was measured while a motion was compressed.
    pub(crate) fn of(done: &'a Squeezed) -> Measures<'a> {
        let Squeezed { measured, options, settings, rules, .. } = done;
        Measures {
            profile: options.profile.name(),
            frames: done.frames,
            raw_bytes: measured.raw_bytes,
            bytes: measured.bytes,
            skeleton_bytes: measured.skeleton_bytes,
            ratio: measured.ratio(),
            error_limit: measured.limit,
            max_error: measured.max,
            p99_error: measured.p99,
            rms_error: measured.rms,
            between_frames_max: measured.between_frames_max,
            local_rotation_max_degrees: measured.local_rotation_max.to_degrees(),
            local_translation_max: measured.local_translation_max,
            worst: measured.worst.as_ref().map(|(joint, frame)| Worst { joint, frame: *frame }),
            shell: options.shell,
            bounds: self::bounds(measured, options, settings, rules),
        }
    }

    /// The same for people.
    pub(crate) fn text(&self) -> String {
        let size =
            format!("{} bytes, {:.1} times smaller than raw ({})", self.bytes, self.ratio, self.profile);
        let errors =
            |max: f64, limit: f64| format!("error at most {:.4} mm of {} mm", max * 1e3, millimetres(limit));
        if self.bounds.is_empty() {
            return format!("{size}, {}", errors(self.max_error, self.error_limit));
        }
        let parts = self.bounds.iter().map(|bound| {
            let of = match bound.set {
                Some(set) if bound.joints == 1 => format!("at the joint of '{set}'"),
                Some(set) => format!("at the {} joints of '{set}'", bound.joints),
                None => format!("at the other {}", bound.joints),
            };
            format!("{} {of}", errors(bound.max_error, bound.error_limit))
        });
        format!("{size}, {}", parts.collect::<Vec<_>>().join("; "))
    }
}

/// Without the digits that a conversion from metres adds.
fn millimetres(metres: f64) -> f64 {
    (metres * 1e12).round() / 1e9
}

/// By joint, the settings that match its name.
fn ruled(skeleton: &Skeleton, settings: &[JointBound]) -> Vec<Vec<usize>> {
    let matchers: Vec<_> = settings.iter().map(|setting| setting.joints.compile_matcher()).collect();
    let of_joint = |joint: &Joint| {
        let matched = |at: &usize| !joint.end_site && matchers[*at].is_match(&joint.name);
        (0..settings.len()).filter(matched).collect()
    };
    skeleton.joints().iter().map(of_joint).collect()
}

/// The errors of joints that a setting matches: the last one counts.
fn tolerances(skeleton: &Skeleton, settings: &[JointBound], ruled: &[Vec<usize>]) -> Vec<(String, f64)> {
    let joints = skeleton.joints().iter().zip(ruled);
    let own = |(joint, ruled): (&Joint, &Vec<usize>)| {
        ruled.last().map(|at| (joint.name.clone(), settings[*at].error))
    };
    joints.filter_map(own).collect()
}

/// A setting that matches no joint; a name may be misspelt, or the skeleton may lack fingers.
fn unmatched(setting: &JointBound, skeleton: &Skeleton) -> Diagnostic {
    let glob = setting.joints.glob();
    let names = skeleton.joints().iter().filter(|joint| !joint.end_site).map(|joint| joint.name.as_str());
    let near = names::nearest(glob, names, 3);
    let warning = Diagnostic::new(
        "compress::no-such-joint",
        format!("no joint matches '{glob}': its error has no effect"),
    );
    match near.is_empty() {
        true => warning.help("`mocap skel IN` lists the joints"),
        false => warning.help(format!("joints of similar names: {}", near.join(", "))),
    }
}

/// What the settings came to: by setting, and the rest; only where there are settings.
fn bounds<'a>(
    measured: &Measured,
    options: &CompressOptions,
    settings: &'a [JointBound],
    rules: &[Option<usize>],
) -> Vec<Bound<'a>> {
    let bound = |at: Option<usize>| {
        let of = measured.joints.iter().zip(rules).filter(|(_, rule)| **rule == at).map(|(joint, _)| joint);
        let worst = of.clone().max_by(|a, b| a.max.total_cmp(&b.max));
        worst.map(|worst| Bound {
            set: at.map(|at| settings[at].joints.glob()),
            joints: of.count(),
            error_limit: at.map_or(options.tolerance, |at| settings[at].error),
            max_error: worst.max,
            worst: worst.joint.clone(),
        })
    };
    if settings.is_empty() {
        return Vec::new();
    }
    (0..settings.len()).map(Some).chain([None]).filter_map(bound).collect()
}

fn diagnostic(error: &CompressError) -> Diagnostic {
    let diagnostic = Diagnostic::new(error.code(), error.to_string());
    match error {
        CompressError::TooFine { .. } => {
            diagnostic.help("a larger --error, or a motion nearer to its origin")
        }
        CompressError::TooFineTurn { .. } => diagnostic.help("a larger --local-error"),
        CompressError::NotReachedBetween { .. } => {
            diagnostic.help("a larger --error, or no --guard-between: then the error is kept in frames only")
        }
        _ => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_formats_are_no_names_of_compressed_files() {
        let error = check_extension(Some(Path::new("b/walk2.bvh"))).unwrap_err();
        assert!(error.help.as_deref().unwrap().contains("walk2.mocz"));
        for fine in ["walk.mocz", "walk", "out/", "-", "walk.bin"] {
            assert!(check_extension(Some(Path::new(fine))).is_ok(), "{fine}");
        }
    }

    #[test]
    fn outputs_are_named_after_inputs() {
        assert_eq!(output_name(Path::new("a/walk.bvh")), Path::new("a/walk.mocz"));
        assert_eq!(output_name(Path::new("stdin")), Path::new("stdin.mocz"));
        assert_eq!(output_name(Path::new("take.01")), Path::new("take.01.mocz"));
    }
}
