//! `mocap edit`: edits of motions, with a report of what they changed.

mod keys;
mod load;
mod row;
mod surface;

use std::io::Write;
use std::path::Path;

use mocap_edit::{AppliedScene, ApplyOptions, Edit, RootCurve, apply_to_scene};
use mocap_formats::{Document, Format, Remedy};
use mocap_model::Scene;

use crate::batch::{
    self, Destination, Failure, Job, JobContext, OutputNames, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::Diagnostic;
use crate::encode::{self, EncodeOptions, Origin};
use crate::exit::Exit;
use crate::options::{EditArgs as Args, Invocation, Reading};
use crate::output::Output;
use crate::read::{self, Motion};
use load::load;
pub(crate) use load::{EditFiles, curve_file, tell, text_of};
pub(crate) use row::{Row, figures, reports_of};

/// Runs the command.
pub(crate) fn run(
    args: &Args,
    invocation: &Invocation,
    console: &mut dyn Output,
) -> Result<Exit, Diagnostic> {
    if args.edits.0.is_empty() {
        return Err(Diagnostic::new("usage::edit", "no edit is asked for")
            .help("`mocap edit --help` lists the edits; `mocap convert` writes a motion as it is"));
    }
    let asked = encode::asked_format(args.one.written.to, args.one.outputs.output.as_deref())?;
    if let Some(format) = asked.filter(|format| !format.has_motion()) {
        return Err(Diagnostic::new("usage::format", format!("{format} files contain no motion"))
            .help(format!("edit writes {}", encode::names(Format::has_motion))));
    }
    let rename = |path: &Path| match asked {
        Some(format) => encode::renamed(path, format),
        None => {
            let named = path.extension().and_then(|extension| extension.to_str());
            let same = named
                .and_then(Format::from_extension)
                .filter(|format| format.is_writable() && format.has_motion());
            encode::renamed(path, same.unwrap_or(Format::Bvh))
        }
    };
    let names = OutputNames { searched: batch::ANY_MOTIONS, rename: &rename, format: asked };
    let (edits, of_files) = load(&args.edits.0, &args.one.reading)?;
    let reads =
        read_files(&args.one.reading, Some(&args.one.inputs.selection)).and(load::files(&args.edits.0));
    let jobs = batch::plan_each(console, &args.one.inputs, &args.one.outputs, &names, reads)?;
    let many = jobs.len() > 1;
    edits.iter().try_for_each(|edit| load::check_many(edit, many))?;
    let options = RunOptions::writing(&args.one.inputs.selection, &args.one.outputs, invocation);
    let of_files = tell(of_files, console);
    Ok(batch::run(console, options, &jobs, |job, context| edit(job, context, args, (&edits, &of_files))))
}

fn edit(
    job: &Job,
    context: &JobContext,
    args: &Args,
    (edits, of_files): (&[Edit], &[Diagnostic]),
) -> Result<Report, Failure> {
    let reading = Reading { rest_frame_dropped: drops_first_frame(edits), ..args.one.reading.clone() };
    let loaded = read::load(context, &job.input, &reading)?;
    let read_as = loaded.format.exchange();
    let (Motion { clip, mut warnings, bytes: bytes_in }, document) =
        loaded.into_motion_and_document(&reading)?;
    warnings.extend_from_slice(of_files);
    context.check()?;
    let lead_in = usize::from(warnings.iter().any(|warning| warning.remedy == Some(Remedy::DropFirstFrame)));
    let path = job.input.shown();
    let options = ApplyOptions { lead_in, max_samples: reading.limits().samples };
    let done = resolved(edits, &reading, job, context).and_then(|(edits, found)| {
        warnings.extend(found);
        let scene = mocap::scene_of(clip).map_err(mocap::Error::from)?;
        Ok(apply_to_scene(scene, &edits, &options)?)
    });
    let AppliedScene { scene, characters } = match done {
        Ok(applied) => applied,
        Err(error) => return Err(Failure { error, warnings }),
    };
    let several = characters.len() > 1;
    let subjects = characters.iter().filter(|_| several).map(|one| one.name.clone()).collect();
    let counts = characters.iter().map(|one| one.reports.len()).collect();
    let (mut reports, mut curves) = (Vec::new(), Vec::new());
    for mut character in characters {
        reports.append(&mut character.reports);
        curves.append(&mut character.curves);
    }
    warnings.extend(reports.iter().flat_map(|report| &report.warnings).map(warning));
    let (checked, errors) = args.one.gates.check(&reports);
    let first = &scene.characters[0].clip;
    let (frames, fps) = (first.frames(), first.rate().fps());
    let joints = crate::rows::joints(&scene);
    let delivered = match errors.is_empty() {
        true => {
            let motion = (scene, document.as_deref(), read_as);
            deliver(motion, job, context, args, (edits, &curves), &mut warnings)
        }
        false => Ok((0, String::new())),
    };
    let (bytes, output) = match delivered {
        Ok(delivered) => delivered,
        Err(Failure { error, .. }) => return Err(Failure { error, warnings }),
    };
    let row = Row {
        path: path.clone(),
        output,
        frames,
        fps,
        joints,
        subjects,
        counts,
        edits: &reports,
        gates: checked,
        input_bytes: bytes_in,
        bytes,
        warnings: &warnings,
    };
    let (json, text, line) = (json(&row), row.text(), row.line());
    Ok(Report {
        json,
        text,
        line,
        figures: figures(&reports),
        errors,
        warnings,
        tally: Tally { frames, bytes_in, bytes_out: bytes },
        ..Report::default()
    })
}

/// The edits of one input, with its own files read, and the warnings about these.
fn resolved(
    edits: &[Edit],
    reading: &Reading,
    job: &Job,
    context: &JobContext,
) -> Result<(Vec<Edit>, Vec<Diagnostic>), Diagnostic> {
    let files = EditFiles::of_input(reading, &job.input, context);
    let mut edits = edits.to_vec();
    edits.iter_mut().try_for_each(|edit| edit.read(&files))?;
    Ok((edits, files.into_warnings()))
}

/// Writes the scene and the curves. The scene was read from `document`, whose other contents are kept.
fn deliver(
    (scene, document, read_as): (Scene, Option<&dyn Document>, Option<Format>),
    job: &Job,
    context: &JobContext,
    args: &Args,
    (edits, curves): (&[Edit], &[RootCurve]),
    warnings: &mut Vec<Diagnostic>,
) -> Result<(u64, String), Failure> {
    let format = match &job.destination {
        Destination::File { path, .. } => args.one.written.to.or_else(|| {
            let named = path.extension().and_then(|extension| extension.to_str());
            named.and_then(Format::from_extension).map(|format| format.as_read(read_as))
        }),
        _ => args.one.written.to,
    };
    let name = encode::clip_name(job);
    let options = EncodeOptions { name: &name, euler: args.one.written.euler, ..EncodeOptions::default() };
    let (format, stated) = (format.unwrap_or(Format::Bvh), args.one.written.to.is_some());
    let format = encode::format_of_scene(&scene, format, stated);
    let encoded = encode::scene_in(Origin::input(document), scene, format, options)?;
    warnings.extend_from_slice(&encoded.warnings);
    let files = edits.iter().filter_map(|edit| curve_file(edit, &job.input));
    for (file, curve) in files.zip(curves) {
        write_curve(&file, curve, context, args.one.outputs.overwrite)?;
    }
    encode::deliver(&encoded, job, context)
}

/// Writes a root motion; as JSON if the name has that extension.
pub(crate) fn write_curve(
    file: &Path,
    curve: &RootCurve,
    context: &JobContext,
    replace: bool,
) -> Result<(), Failure> {
    let json = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let text = if json { curve.to_json() } else { curve.to_csv() };
    let content = |out: &mut dyn Write| out.write_all(text.as_bytes());
    context.write(&[(file, &content)], replace)?;
    Ok(())
}

/// Whether the first edit drops the first frame. Then a rest pose there needs no warning.
fn drops_first_frame(edits: &[Edit]) -> bool {
    matches!(edits.first(), Some(Edit::DropFirstFrame(_)))
}

/// A warning of a report, with the command that helps.
pub(crate) fn warning(warning: &mocap_edit::EditWarning) -> Diagnostic {
    let help = match warning.code {
        "edit::skate" => Some("`mocap edit OUT --fix-feet -o FIXED` locks the feet of the result"),
        "edit::bent-loop" => Some("`mocap edit IN --loop=A:B -o OUT` closes a range that you choose"),
        "edit::thing-left" => Some("--attach THING=WHO@JOINT binds it again"),
        "edit::no-loop" => Some("`mocap edit IN --loop --repeat N -o OUT` makes it a loop before"),
        "edit::cycle-lengths" => Some("`mocap edit IN --loop=A:B -o OUT` closes one cycle that you choose"),
        _ => None,
    };
    help.into_iter().fold(Diagnostic::new(warning.code, warning.message.clone()), Diagnostic::help)
}
