//! `mocap compress`: smaller files with a guaranteed error.

use std::path::Path;
use std::time::Instant;

use mocap::SummarizedCompression;
use mocap_analysis::millimetres;
use mocap_compress::{CompressOptions, CompressSummary};
use mocap_formats::{Format, Limits};
use mocap_model::Clip;
use serde::Serialize;

use crate::batch::{
    self, Failure, Figure, Job, JobContext, OutputNames, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::{Behind, Diagnostic};
use crate::edit;
use crate::encode::{self, Encoded};
use crate::exit::Exit;
use crate::options::{BoundSettings, CompressArgs as Args, Edits, Invocation};
use crate::output::{Meter, Output};
use crate::read::{self, Motion};
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    output: String,
    input_bytes: u64,
    #[serde(flatten)]
    summary: CompressSummary,
    seconds: f64,
    warnings: &'a [Diagnostic],
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "compress",
        about: "A line of mocap compress --json",
        rows: &[of::<Row<'static>>, PLAN, ERROR, SUMMARY],
    }];

    fn complete_outputs(&mut self) {
        self.outputs.settle(&self.inputs.inputs);
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    check_extension(args.outputs.output.as_deref())?;
    let names = OutputNames { searched: batch::MOTIONS, rename: &mocap::compressed_name, format: None };
    let reads = read_files(&args.reading, Some(&args.inputs.selection));
    let jobs = batch::plan_peers(console, (&args.inputs, &args.reading), &args.outputs, &names, reads)?;
    let options = RunOptions::writing(&args.inputs.selection, &args.outputs, invocation)
        .with_peers([&args.reading])
        .with_own_progress(jobs.len() == 1);
    let meter = (jobs.len() == 1).then(|| console.meter("compressing"));
    Ok(batch::run(console, options, &jobs, |job, context| {
        let done = compress_input(job, context, args, meter.as_deref());
        meter.iter().for_each(|meter| meter.finish());
        done
    }))
}

/// Rejects an output with the extension of another format; directories may have any name.
fn check_extension(output: Option<&Path>) -> Result<(), Diagnostic> {
    let Some(output) = output.filter(|output| !output.is_dir()) else { return Ok(()) };
    let extension = output.extension().and_then(|extension| extension.to_str());
    let Some(format) = extension.and_then(Format::from_extension) else { return Ok(()) };
    let message =
        format!("'{}' has the extension of {format}, but `mocap compress` writes .mocz", output.display());
    let right = output.with_extension("mocz");
    Err(Diagnostic::new("output::extension", message)
        .help(format!("-o '{}'; `mocap convert` writes {format}", right.display())))
}

fn compress_input(
    job: &Job,
    context: &JobContext,
    args: &Args,
    meter: Option<&dyn Meter>,
) -> Result<Report, Failure> {
    let start = Instant::now();
    let Motion { clip, mut warnings, bytes: input_bytes } =
        read::motion(context, &job.input, &args.first.of(&args.reading))?;
    context.check()?;
    let compressed =
        compress(clip, &args.bounds, &mut warnings, &|share| meter.iter().for_each(|meter| meter.set(share)));
    let SummarizedCompression { bytes, summary } = compressed.behind(&mut warnings)?;
    let mut warnings = read::strict(&args.reading, warnings)?;
    let delivered = encode::deliver(&Encoded::from(bytes), job, context);
    let (bytes_out, output) = delivered.behind(&mut warnings)?;
    let path = job.input.shown();
    let text = format!("{path} -> {output}: {}", summary.line());
    let tally = Tally { frames: summary.frames, bytes_in: input_bytes, bytes_out };
    let (seconds, raw_bytes) = (start.elapsed().as_secs_f64(), summary.raw_bytes);
    let figures = vec![Figure { name: "error", unit: "m", value: summary.max_error }];
    let json = json(&Row { path, output, input_bytes, summary, seconds, warnings: &warnings });
    Ok(Report { json, text, figures, warnings, tally, raw_bytes, ..Report::default() })
}

/// The warning about an error bound that is greater than the shell distance: then a measured point may be
/// anywhere around its joint.
fn loose_bound(options: &CompressOptions) -> Option<Diagnostic> {
    let CompressOptions { tolerance, shell, .. } = *options;
    let message = format!(
        "the error bound of {} is not below the distance of {} at which it is measured: joints may turn by any angle",
        millimetres(tolerance),
        millimetres(shell)
    );
    let warning = Diagnostic::new("compress::loose-bound", message);
    (tolerance >= shell)
        .then(|| warning.help("a number without a unit is metres: --error 0.1mm is the default"))
}

/// Scales the motion if requested, and compresses it.
pub(crate) fn compress(
    clip: Clip,
    bounds: &BoundSettings,
    warnings: &mut Vec<Diagnostic>,
    progress: &dyn Fn(f64),
) -> Result<SummarizedCompression, Diagnostic> {
    let scaled = Edits { scale: bounds.scale, ..Edits::default() };
    let clip = edit::apply(&scaled, Limits::default(), clip, warnings)?;
    let mut found = Vec::new();
    let (options, rules) = (bounds.options(), bounds.rules());
    warnings.extend(loose_bound(&options));
    let compressed = mocap::compress_by_rules(&clip, &options, &rules, progress, &mut found);
    warnings.extend(found.into_iter().map(Diagnostic::from));
    Ok(compressed?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_formats_are_no_names_of_compressed_files() {
        let error = check_extension(Some(Path::new("b/walk2.bvh"))).unwrap_err();
        assert!(error.help.as_deref().is_some_and(|help| help.contains("walk2.mocz")));
        for fine in ["walk.mocz", "walk", "out/", "-", "walk.bin"] {
            assert!(check_extension(Some(Path::new(fine))).is_ok(), "{fine}");
        }
    }
}
