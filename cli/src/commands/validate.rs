//! `mocap validate`: every finding, with its place.

use clap::Args as ClapArgs;
use mocap_formats::Format;
use serde::Serialize;

use crate::args::{Global, Inputs, Reading};
use crate::batch::{self, Failure, Job, Report, RunOptions, Tally, json};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::read;

/// Say everything that is wrong with files, with line and column
///
/// Errors are what makes a file unreadable; warnings are what was repaired or assumed to read it. Exit code 1
/// where a file has an error, or with --strict a warning.
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    valid: bool,
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Diagnostic>,
    warnings: &'a [Diagnostic],
}

/// Runs the command.
pub(crate) fn run(args: &Args, global: &Global, console: &mut Console) -> Result<Exit, Diagnostic> {
    let inputs = batch::expand(&args.inputs, batch::ALL)?;
    let jobs = batch::reports(inputs);
    let options = RunOptions { full_warnings: true, ..RunOptions::new(&args.inputs.selection, None) };
    Ok(batch::run(console, global, options, &jobs, |job| Ok(validate(job, &args.reading))))
}

fn validate(job: &Job, reading: &Reading) -> Report {
    let path = job.input.shown();
    // Warnings become errors here, all of them: `--strict` while reading would stop at the first.
    let lenient = Reading { strict: false, ..reading.clone() };
    let (format, tally, error, mut warnings) = match check(job, &lenient) {
        Ok((format, tally, warnings)) => (Some(format), tally, None, warnings),
        Err(Failure { error, warnings }) => (None, Tally::default(), Some(error), warnings),
    };
    let valid = error.is_none() && (warnings.is_empty() || !reading.strict);
    let row = Row {
        path: path.clone(),
        valid,
        format: format.map(Format::extension),
        error: error.as_ref(),
        warnings: &warnings,
    };
    let json = json(&row);
    let counted = match warnings.len() {
        0 => String::new(),
        1 => "1 warning".into(),
        many => format!("{many} warnings"),
    };
    let verdict = match (&error, warnings.is_empty()) {
        (None, true) => "ok".into(),
        (None, false) if reading.strict => format!("{counted} (--strict)"),
        (None, false) => format!("ok, {counted}"),
        (Some(error), true) => format!("error[{}]", error.code),
        (Some(error), false) => format!("error[{}], {counted}", error.code),
    };
    let mut errors: Vec<Diagnostic> = error.into_iter().collect();
    if reading.strict {
        errors.append(&mut warnings);
    }
    Report { json, text: format!("{path}: {verdict}"), errors, warnings, tally, ..Report::default() }
}

/// Reads the input all the way to what it means.
fn check(job: &Job, reading: &Reading) -> Result<(Format, Tally, Vec<Diagnostic>), Failure> {
    let loaded = read::load(&job.input, reading)?;
    let (format, bytes_in) = (loaded.format, loaded.size());
    let (frames, warnings) = if format.has_motion() {
        let motion = loaded.into_motion(reading)?;
        (motion.clip.frames(), motion.warnings)
    } else {
        (0, loaded.into_skeleton(reading)?.1)
    };
    Ok((format, Tally { frames, bytes_in, bytes_out: 0 }, warnings))
}
