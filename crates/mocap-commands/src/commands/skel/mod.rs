//! `mocap skel`: shows and checks the skeleton of a file, and writes it as an editable file.

mod preset;
mod row;

pub(crate) use preset::Row as PresetRow;
pub(crate) use row::Row;

use std::path::Path;

use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;
use mocap::SkeletonSummary;
use mocap_formats::skel::presets;
use mocap_formats::{Format, skel};
use mocap_model::{Skeleton, Space};
use mocap_retarget::{RestChoice, RestSource, map_roles, rest_pose_of, with_hinge_limits, with_rest_pose};

use crate::batch::{
    self, Destination, Failure, Input, Job, JobContext, Naming, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::{Behind, Diagnostic};
use crate::encode;
use crate::exit::Exit;
use crate::options::{Inputs, Invocation, Outputs, Reading};
use crate::output::Output;
use crate::read::{self, Loaded, Motion};
use crate::rest::{refused, starts_at_rest};
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};

/// Show the skeleton of a file: joints, roles, limits; with -o write it as a .skel
///
/// The .skel is JSON to edit: add roles that were not found, limits, the unit. `mocap retarget` takes it as its target
/// and uses its rest pose as the reference pose. Without -o nothing is written.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap skel walk.bvh\n\
    \x20 mocap skel walk.bvh -o robin.skel\n\
    \x20 mocap skel walk.bvh -o limited.skel --hinge-limits\n\
    \x20 mocap skel --preset list")]
pub(crate) struct Args {
    /// Person of 1.75 m on a common rig, instead of IN; list shows the rigs
    #[arg(
        long,
        value_name = "RIG",
        value_parser = PossibleValuesParser::new(presets().iter().map(|preset| preset.name).chain([LIST])),
        conflicts_with_all = ["inputs", "files_from"],
        help_heading = "Skeleton"
    )]
    pub(crate) preset: Option<String>,
    /// Rest pose of the skeleton: auto, offsets (the offsets of the file), or a frame from 0 in which the body stands
    /// upright, arms anywhere. auto, for a .skel: a rest pose before the motion, else the reference pose that the
    /// motion shows, else offsets; for an .asf: offsets
    #[arg(long, value_name = "POSE", default_value = "auto", help_heading = "Skeleton")]
    pub(crate) rest: RestChoice,
    /// Add limits of knees and elbows to edit: about the axis on which each bends, -10 to 155 degrees
    #[arg(long, help_heading = "Skeleton")]
    pub(crate) hinge_limits: bool,
    /// Output format: skel, asf [default: by the extension of OUT, else skel]
    #[arg(long, value_name = "FORMAT", help_heading = "Skeleton")]
    pub(crate) to: Option<Format>,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

/// The value of `--preset` that lists the presets.
pub(crate) const LIST: &str = "list";

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[
        RowSchema {
            name: "skel-row",
            about: "A line of mocap skel --json",
            rows: &[of::<Row<'static>>, PLAN, ERROR, SUMMARY],
        },
        RowSchema {
            name: "skel-preset",
            about: "A line of mocap skel --preset list --json",
            rows: &[of::<PresetRow>, ERROR],
        },
    ];

    fn defined(command: clap::Command) -> clap::Command {
        // A preset takes the place of the input, which only this command allows.
        command.mut_arg("inputs", |inputs| {
            inputs.required_unless_present_any(["files_from", "preset", "print_config"])
        })
    }

    fn complete_outputs(&mut self) {
        self.outputs.settle(&self.inputs.inputs);
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    batch::check_stdout(console, &args.outputs)?;
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
            let derive = |input: &Input| Some(encode::renamed(&input.output_name(), format));
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
        format if format.writes_skeletons() => Ok(format),
        other => Err(Diagnostic::new(
            "usage::format",
            format!("{other} files contain a motion, not only a skeleton"),
        )
        .help("`mocap skel` writes .skel and .asf; `mocap convert` writes motions")),
    }
}

/// The skeleton of a file with the rest pose of `--rest`.
fn rested(
    loaded: Loaded,
    args: &Args,
    format: Format,
) -> Result<(Skeleton, RestSource, Vec<Diagnostic>), Failure> {
    // A rest pose before the motion is not an error. Its warning is removed before `--strict` counts.
    let reading = Reading { strict: false, ..args.reading.clone() };
    let choice = match args.rest {
        // AMC files written earlier refer to the rest pose of their ASF.
        RestChoice::Auto if format == Format::Asf => RestChoice::Offsets,
        RestChoice::Auto if !loaded.format.has_motion() => RestChoice::Offsets,
        choice => choice,
    };
    if choice == RestChoice::Offsets {
        let (skeleton, mut warnings) = loaded.into_skeleton(&reading)?;
        starts_at_rest(&mut warnings);
        return Ok((skeleton, RestSource::Offsets, read::strict(&args.reading, warnings)?));
    }
    let Motion { clip, mut warnings, .. } = loaded.into_motion(&reading)?;
    let first_is_rest = starts_at_rest(&mut warnings);
    let warnings = read::strict(&args.reading, warnings)?;
    let found = rest_pose_of(&clip, choice, first_is_rest).and_then(|(rest, pose)| match pose {
        Some(pose) => Ok((with_rest_pose(clip.skeleton(), &pose)?, rest)),
        None => Ok((clip.skeleton().as_ref().clone(), rest)),
    });
    match found {
        Ok((skeleton, rest)) => Ok((skeleton, rest, warnings)),
        Err(_) if choice == RestChoice::Auto => {
            Ok((clip.skeleton().as_ref().clone(), RestSource::Offsets, warnings))
        }
        Err(error) => Err(Failure { error: refused("--rest", &error), warnings }),
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
        Some(preset) => (0, (preset.skeleton(), RestSource::Offsets, Vec::new())),
        None => {
            let loaded = read::load(context, &job.input, &args.reading)?;
            (loaded.size(), rested(loaded, args, format)?)
        }
    };
    // Uncertain roles are not written: the file would state them as facts.
    let roles = map_roles(&skeleton).certain();
    let missing = roles.missing();
    if !missing.is_empty() {
        let names = missing.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ");
        let message = format!("no joint found for {names}: the skeleton cannot be retargeted");
        let help = "write a .skel with -o, and add these roles to its joints";
        warnings.push(Diagnostic::new("skel::missing-roles", message).help(help));
    }
    // A guessed unit is written; the file marks it as guessed.
    let unit = read::known_unit(&skeleton);
    let mut skeleton = roles.apply(&skeleton).with_space(Space { unit, ..*skeleton.space() });
    if args.hinge_limits {
        let limited = with_hinge_limits(&skeleton, roles.clone());
        let limited = limited.map_err(|error| Diagnostic::new(error.code(), error.to_string()));
        skeleton = limited.behind(&mut warnings)?;
    }
    let written = match job.destination {
        Destination::Nowhere => Ok((0, String::new())),
        _ => encode::skeleton(&skeleton, format).map_err(Failure::from).and_then(|encoded| {
            warnings.extend_from_slice(&encoded.warnings);
            encode::deliver(&encoded, job, context)
        }),
    };
    let (bytes_out, output) = written.behind(&mut warnings)?;
    let summary = SkeletonSummary::new(&skeleton, &roles, rest);
    let row = Row { path: &path, output: &output, summary, warnings: &warnings };
    let (json, text) = (json(&row), row.text());
    Ok(Report { json, text, warnings, tally: Tally { frames: 0, bytes_in, bytes_out }, ..Report::default() })
}
