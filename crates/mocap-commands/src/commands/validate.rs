//! `mocap validate`: every finding, with its place.

use clap::Args as ClapArgs;
use mocap::FileFormat;
use mocap_analysis::{GateResult, QualitySummary};
use mocap_model::Clip;
use serde::Serialize;

use crate::batch::{self, Job, JobContext, Report, RunOptions, Tally, json};
use crate::commands::quality::{Floors, Measured, people_of};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{Inputs, Invocation, QualitySettings, Reading};
use crate::output::Output;
use crate::read::{self, ReadFailure};
use crate::verb::{ERROR, RowSchema, SUMMARY, VerbArgs, of};

/// Show all errors and warnings of files, with line and column
///
/// An error makes a file unreadable; a warning is a repair or an assumption. Wrong values of a motion are listed frame
/// by frame, up to 100; an error in the structure of a file ends the list. Exit code 1 where a file has an error, or
/// with --strict a warning; 3 where only a figure is above its limit. With --quality, suspicious frames are warnings.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap validate walk.bvh\n\
    \x20 mocap validate database/ --strict --json\n\
    \x20 mocap validate database/ --quality --fail-above findings=0")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) measures: QualitySettings,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    valid: bool,
    format: Option<&'static str>,
    /// The first error.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Diagnostic>,
    /// All of them, where there are several.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [Diagnostic],
    /// Errors beyond those.
    #[serde(skip_serializing_if = "Option::is_none")]
    unlisted_errors: Option<usize>,
    warnings: &'a [Diagnostic],
    /// Of one person; of several, `people` has that of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<QualitySummary>,
    /// The quality of each person, where a file has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    people: Vec<PersonRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateResult>,
}

/// The quality of one of several people.
#[derive(Serialize, schemars::JsonSchema)]
struct PersonRow {
    name: String,
    quality: QualitySummary,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateResult>,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "validate",
        about: "A line of mocap validate --json",
        rows: &[of::<Row<'static>>, ERROR, SUMMARY],
    }];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, console)
    }
}

/// Runs the command.
fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let inputs = batch::expand(&args.inputs, batch::ALL)?;
    args.reading.ask_peers(&inputs);
    let floors = match args.measures.measures() {
        true => Floors::of(&inputs, &args.reading, args.inputs.selection.jobs),
        false => Floors::default(),
    };
    let jobs = batch::report_jobs(inputs);
    let options = RunOptions::reporting(&args.inputs.selection).with_full_warnings();
    Ok(batch::run(console, options, &jobs, |job, context| Ok(validate(job, context, args, &floors))))
}

fn validate(job: &Job, context: &JobContext, args: &Args, floors: &Floors) -> Report {
    let reading = &args.reading;
    let path = job.input.shown();
    // All warnings become errors after reading; `--strict` while reading would stop at the first one.
    let lenient = Reading { strict: false, ..reading.clone() };
    let (checked, mut errors, unlisted, mut warnings) = match check(job, context, &lenient) {
        Ok((checked, warnings)) => (Some(checked), Vec::new(), 0, warnings),
        Err(ReadFailure { errors, unlisted, warnings }) => (None, errors, unlisted, warnings),
    };
    let (format, tally) =
        checked.as_ref().map_or((None, Tally::default()), |checked| (Some(checked.format), checked.tally));
    let clip = checked.and_then(|checked| checked.clip).filter(|_| args.measures.measures());
    let (mut missed, mut quality, mut gates, mut people) = (Vec::new(), None, Vec::new(), Vec::new());
    match clip.map(people_of).transpose() {
        Ok(found) => {
            for (name, clip) in found.into_iter().flatten() {
                let measured = Measured::of(clip, None, floors, &args.measures);
                let measured = match &name {
                    Some(name) => measured.of_person(name),
                    None => measured,
                };
                warnings.extend(measured.findings);
                missed.extend(measured.missed);
                match name {
                    Some(name) => {
                        people.push(PersonRow { name, quality: measured.summary, gates: measured.gates })
                    }
                    None => (quality, gates) = (Some(measured.summary), measured.gates),
                }
            }
        }
        Err(error) => errors.push(error),
    }
    let valid = errors.is_empty() && (warnings.is_empty() || !reading.strict);
    let row = Row {
        path: path.clone(),
        valid,
        format: format.map(FileFormat::extension),
        error: errors.first(),
        errors: if errors.len() > 1 { &errors } else { &[] },
        unlisted_errors: Some(unlisted).filter(|&unlisted| unlisted > 0),
        warnings: &warnings,
        quality,
        people,
        gates,
    };
    let (json, measured) = (json(&row), row.people.len().max(1));
    let mut verdict = verdict(&errors, unlisted, warnings.len(), reading.strict);
    if !missed.is_empty() {
        let gates = args.measures.fail_above.len() * measured;
        verdict = verdict.replacen("ok", "readable", 1)
            + &format!("; missed {} of {gates} {}", missed.len(), if gates == 1 { "gate" } else { "gates" });
    }
    if reading.strict {
        errors.append(&mut warnings);
    }
    errors.append(&mut missed);
    Report { json, text: format!("{path}: {verdict}"), errors, warnings, tally, ..Report::default() }
}

/// The result in a few words.
fn verdict(errors: &[Diagnostic], unlisted: usize, warnings: usize, strict: bool) -> String {
    let counted = match warnings {
        0 => String::new(),
        1 => "1 warning".into(),
        many => format!("{many} warnings"),
    };
    let wrong = match errors {
        [] => None,
        [error] if unlisted == 0 => Some(format!("error[{}]", error.code)),
        listed if unlisted == 0 => Some(format!("{} errors", listed.len())),
        listed => Some(format!("{} errors, the first {} listed", listed.len() + unlisted, listed.len())),
    };
    match (wrong, warnings) {
        (None, 0) => "ok".into(),
        (None, _) if strict => format!("{counted} (--strict)"),
        (None, _) => format!("ok, {counted}"),
        (Some(wrong), 0) => wrong,
        (Some(wrong), _) => format!("{wrong}, {counted}"),
    }
}

/// The content of an input.
struct Checked {
    format: FileFormat,
    tally: Tally,
    clip: Option<Clip>,
}

/// Reads the input completely, up to its clip.
fn check(
    job: &Job,
    context: &JobContext,
    reading: &Reading,
) -> Result<(Checked, Vec<Diagnostic>), ReadFailure> {
    let loaded = read::open(context, &job.input, reading)?;
    let (format, bytes_in) = (loaded.format, loaded.size());
    if let Some((markers, mut warnings)) = loaded.markers(reading)? {
        warnings.extend(mocap::marker_problems(&markers).into_iter().map(Diagnostic::from));
        let tally = Tally { frames: markers.frames(), bytes_in, bytes_out: 0 };
        return Ok((Checked { format, tally, clip: None }, warnings));
    }
    let (clip, warnings) = if format.has_motion() {
        let motion = loaded.motion(reading)?;
        (Some(motion.clip), motion.warnings)
    } else {
        (None, loaded.into_skeleton(reading)?.1)
    };
    let frames = clip.as_ref().map_or(0, Clip::frames);
    Ok((Checked { format, tally: Tally { frames, bytes_in, bytes_out: 0 }, clip }, warnings))
}
