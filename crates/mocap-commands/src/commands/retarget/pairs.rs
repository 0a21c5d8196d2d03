//! `--pair`: motions of several people in one scene, each with its own target.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use mocap_formats::Format;

use super::cast::Targets;
use super::target::{PRESET, Target};
use super::together::{Subject, Subjects, put, someone};
use super::{open_target, read_source};
use crate::batch::{Failure, Input, Job, JobContext, check_stdout, fail, is_directory};
use crate::diagnostic::{Detail, Diagnostic};
use crate::encode;
use crate::exit::Exit;
use crate::options::{PairPaths, Reading, RetargetArgs as Args};
use crate::output::Output;
use crate::read::Motion;

/// Runs the command with `--pair`.
pub(super) fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    if args.pair.len() < 2 {
        let message = "--pair is given once: people who are together are at least two";
        return Err(Diagnostic::new("usage::pair", message)
            .help("give --pair SOURCE=TARGET once for each; one motion needs no --pair"));
    }
    let output = args.outputs.output.as_deref();
    let asked = encode::asked_format(args.to, output)?;
    check_stdout(console, &args.outputs)?;
    let format = asked.unwrap_or(Format::Bvh);
    if !format.has_motion() || format.holds_robot() {
        let message = format!("{format} files do not hold motions of people");
        return Err(Diagnostic::new("usage::format", message)
            .help(format!("retarget writes {}", encode::names(Format::has_motion))));
    }
    let shown = args.pair.iter().map(|pair| pair.source.display().to_string()).collect::<Vec<_>>();
    let shown = shown.join(" + ");
    let mut warnings = Vec::new();
    match retarget(args, (output, format), &shown, &mut warnings) {
        Ok(report) => {
            if !console.is_json() {
                console.warnings(&shown, &report.warnings, Detail::Line);
            }
            if !args.outputs.to_stdout() {
                console.row(&report.json, &report.text);
            }
            for error in &report.errors {
                console.error(Some(&shown), error);
            }
            Ok(if report.errors.is_empty() { Exit::Success } else { Exit::Gate })
        }
        Err(Failure { error, warnings: more }) => {
            warnings.extend(more);
            Ok(fail(&shown, &error, &warnings, console))
        }
    }
}

/// The name of a source in output file names.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Names of the people: those of their files, numbered if they are equal.
fn names(pairs: &[PairPaths]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let own = stem(&pair.source);
        let mut name = own.clone();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{own}-{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}

fn read_people(args: &Args, warnings: &mut Vec<Diagnostic>) -> Result<(Vec<Subject>, u64), Failure> {
    let mut targets = Targets::default();
    let (mut people, mut bytes_in) = (Vec::new(), 0);
    for (pair, name) in args.pair.iter().zip(names(&args.pair)) {
        let target: Arc<Target> = targets.get(&pair.target, |path| open_target(args, path))?;
        let reading = Reading { rest_frame_dropped: args.edits.drop_first_frame(), ..args.reading.clone() };
        let (job, context) = (Job::report(Input::named(&pair.source)), JobContext::standalone());
        let read = read_source(&job, &context, &reading, target.on.surface.is_some());
        let (Motion { clip, warnings: mut found, bytes }, mesh) =
            read.map_err(|failure| in_file(failure, &pair.source))?;
        bytes_in += bytes;
        let one = someone((name, clip), mesh.as_ref(), target, args, &mut found);
        warnings.extend(found.into_iter().map(|warning| match warning.path {
            Some(_) => warning,
            None => warning.in_file(&pair.source),
        }));
        people.push(one.map_err(|error| error.in_file(&pair.source))?);
    }
    Ok((people, bytes_in))
}

fn in_file(Failure { error, warnings }: Failure, path: &Path) -> Failure {
    let error = if error.path.is_some() { error } else { error.in_file(path) };
    Failure { error, warnings }
}

fn retarget(
    args: &Args,
    (output, format): (Option<&Path>, Format),
    shown: &str,
    warnings: &mut Vec<Diagnostic>,
) -> Result<crate::batch::Report, Failure> {
    let started = Instant::now();
    let (people, bytes_in) = read_people(args, warnings)?;
    let made = put(people, Vec::new(), args, warnings)?;
    let one_file = output.filter(|path| !is_directory(path));
    let (outputs, bytes_out) = match (made.is_refused(args), one_file) {
        (true, _) => (Vec::new(), 0),
        (false, Some(path)) => {
            let encoded = made.encoded(&encode::stem(path), format, args)?;
            warnings.extend_from_slice(&encoded.warnings);
            let bytes = encode::deliver_to(&encoded, path, args.outputs.overwrite)?;
            (vec![path.display().to_string()], bytes)
        }
        (false, None) => each(args, &made, output, format, warnings)?,
    };
    let warnings = std::mem::take(warnings);
    let warnings = crate::read::strict(&args.reading, warnings)?;
    Ok(made.report(shown, &outputs, args, (started, [bytes_in, bytes_out]), warnings))
}

/// Writes a file for each person; no file if one of them exists already.
fn each(
    args: &Args,
    made: &Subjects,
    folder: Option<&Path>,
    format: Format,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Vec<String>, u64), Failure> {
    let extension = format.file_extension();
    let path = |at: usize| {
        let target = stem(&args.pair[at].target);
        let target = target.strip_prefix(PRESET).unwrap_or(&target).to_owned();
        let name = format!("{}.{target}.{extension}", made.scene.characters[at].name);
        folder.map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name))
    };
    let all: Vec<PathBuf> = (0..made.scene.characters.len()).map(path).collect();
    all.iter().try_for_each(|path| encode::is_free(path, args.outputs.overwrite))?;
    let (mut outputs, mut bytes) = (Vec::new(), 0);
    for (at, path) in all.iter().enumerate() {
        let encoded = made.encoded_alone(at, format, args)?;
        warnings.extend(
            encoded.warnings.iter().filter(|new| !warnings.contains(new)).cloned().collect::<Vec<_>>(),
        );
        bytes += encode::deliver_to(&encoded, path, args.outputs.overwrite)?;
        outputs.push(path.display().to_string());
    }
    Ok((outputs, bytes))
}
