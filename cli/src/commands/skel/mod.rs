//! `mocap skel`: the skeleton of a file, shown, checked, and written for a user to edit.

mod preset;
mod row;

pub(crate) use preset::Row as PresetRow;
pub(crate) use row::Row;

use std::path::Path;

use mocap_formats::{Format, skel};
use mocap_model::{Role, Skeleton, Space};
use mocap_retarget::{REQUIRED_ROLES, map_roles};

use crate::args::{Invocation, LIST, Reading, SkelArgs as Args};
use crate::batch::{
    self, Destination, Failure, Input, Job, JobContext, Naming, Report, RunOptions, Tally, json, read_files,
};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::encode;
use crate::exit::Exit;
use crate::read::{self, Loaded, Motion};
use crate::rest::{Rest, RestArg, at_rest, stance, starts_at_rest};

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    if console.is_json() && args.outputs.to_stdout() {
        return Err(Diagnostic::stdout_twice());
    }
    let preset = match args.preset.as_deref() {
        Some(LIST) => return Ok(preset::list(console)),
        name => name.and_then(skel::preset),
    };
    let inputs = match preset {
        Some(preset) => vec![preset::input(preset)],
        None => batch::expand(&args.inputs, batch::ALL)?,
    };
    let format = output_format(args)?;
    let jobs = match &args.outputs.output {
        None => batch::report_jobs(inputs),
        Some(_) => {
            let derive = |input: &Input| Some(encode::renamed(&input.relative, format));
            let reads = read_files(&args.reading, Some(&args.inputs.selection));
            let names = Naming { derive: &derive, companions: &|_: &Path| Vec::new(), reads };
            batch::plan(inputs, &args.outputs, &names)?
        }
    };
    let options = RunOptions::writing(&args.inputs.selection, &args.outputs, invocation);
    Ok(batch::run(console, options, &jobs, |job, context| skel(job, context, preset, args, format)))
}

fn output_format(args: &Args) -> Result<Format, Diagnostic> {
    match encode::asked_format(args.to, args.outputs.output.as_deref())?.unwrap_or(Format::Skel) {
        format @ (Format::Skel | Format::Asf) => Ok(format),
        other => Err(Diagnostic::new(
            "usage::format",
            format!("{other} files hold a motion, not a skeleton alone"),
        )
        .help("skel writes .skel and .asf; `mocap convert` writes motions")),
    }
}

/// The skeleton of a file, at rest as `--rest` asks for.
fn rested(loaded: Loaded, args: &Args, format: Format) -> Result<(Skeleton, Rest, Vec<Diagnostic>), Failure> {
    // That the first frame is a rest pose is no fault of a skeleton: it is told apart before warnings count.
    let reading = Reading { strict: false, ..args.reading.clone() };
    let asked = match args.rest {
        // An AMC that was written before still moves it.
        RestArg::Auto if format == Format::Asf => RestArg::Offsets,
        RestArg::Auto if !loaded.format.has_motion() => RestArg::Offsets,
        asked => asked,
    };
    if asked == RestArg::Offsets {
        let (skeleton, mut warnings) = loaded.into_skeleton(&reading)?;
        starts_at_rest(&mut warnings);
        return Ok((skeleton, Rest::Offsets, read::strict(&args.reading, warnings)?));
    }
    let Motion { clip, mut warnings, .. } = loaded.into_motion(&reading)?;
    let first = starts_at_rest(&mut warnings);
    let warnings = read::strict(&args.reading, warnings)?;
    let (rest, pose) = match stance(&clip, asked, first, "--rest") {
        Ok(found) => found,
        Err(error) => return Err(Failure { error, warnings }),
    };
    let Some(pose) = pose else { return Ok((clip.skeleton().as_ref().clone(), rest, warnings)) };
    match at_rest(clip.skeleton(), &pose) {
        Ok(skeleton) => Ok((skeleton, rest, warnings)),
        Err(_) if asked == RestArg::Auto => Ok((clip.skeleton().as_ref().clone(), Rest::Offsets, warnings)),
        Err(joint) => {
            let message = format!(
                "the skeleton cannot rest as in that frame: '{joint}' does not turn freely, and its angles count \
                 from the rest pose of the file"
            );
            let error = Diagnostic::new("skel::rest", message).help("--rest offsets takes that one");
            Err(Failure { error, warnings })
        }
    }
}

fn skel(
    job: &Job,
    context: &JobContext,
    preset: Option<&skel::Preset>,
    args: &Args,
    format: Format,
) -> Result<Report, Failure> {
    let path = job.input.shown();
    let (bytes_in, (skeleton, rest, mut warnings)) = match preset {
        Some(preset) => (0, (preset.skeleton(), Rest::Offsets, Vec::new())),
        None => {
            let loaded = read::load(context, &job.input, &args.reading)?;
            (loaded.size(), rested(loaded, args, format)?)
        }
    };
    // What is only a guess must not be written as if it were known.
    let roles = map_roles(&skeleton).certain();
    let missing: Vec<Role> = REQUIRED_ROLES.into_iter().filter(|role| roles.joint(*role).is_none()).collect();
    if !missing.is_empty() {
        let names = missing.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ");
        let message = format!("no joint was found for {names}: the skeleton cannot be retargeted as it is");
        warnings.push(
            Diagnostic::new("skel::missing-roles", message)
                .help("write a .skel with -o, and give the role of each such joint in it"),
        );
    }
    // The unit is written even where it is a guess: the file says so, and the user can settle it.
    let unit = read::known_unit(&skeleton);
    let skeleton = roles.apply(&skeleton).with_space(Space { unit, ..*skeleton.space() });
    let written = match job.destination {
        Destination::Nowhere => Ok((0, String::new())),
        _ => encode::skeleton(&skeleton, format).map_err(Failure::from).and_then(|encoded| {
            warnings.extend_from_slice(&encoded.warnings);
            encode::deliver(&encoded, job, context)
        }),
    };
    let (bytes_out, output) = match written {
        Ok(delivered) => delivered,
        Err(Failure { error, .. }) => return Err(Failure { error, warnings }),
    };
    let row = row::Row::new(&path, &output, (&skeleton, &roles), rest, &missing, &warnings);
    let (json, text) = (json(&row), row.text(&skeleton, &roles));
    Ok(Report { json, text, warnings, tally: Tally { frames: 0, bytes_in, bytes_out }, ..Report::default() })
}
