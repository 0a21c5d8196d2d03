//! `mocap decompress`: from `.mocz` files back to any format.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args as ClapArgs;
use mocap::{FileFormat, ReadOptions};
use mocap_formats::{Finding, Format, Limits};
use mocap_model::{EulerOrder, Skeleton};
use serde::Serialize;

use crate::batch::{
    self, Failure, Input, Job, JobContext, OutputNames, ReadFiles, Report, RunOptions, Tally, json,
};
use crate::diagnostic::Diagnostic;
use crate::encode::{self, EncodeOptions};
use crate::exit::Exit;
use crate::options::formats::writable;
use crate::options::size::{ByteSize, Count, limits};
use crate::options::{BvhStyle, Inputs, Invocation, Outputs};
use crate::output::Output;
use crate::read;
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};

/// Convert compressed motions back to any format
///
/// The error is that of the compression: numbers are written with enough digits to add nothing to it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap decompress walk.mocz -o walk.bvh\n\
    \x20 mocap decompress small/ --to json -o clips/")]
pub(crate) struct Args {
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Conversion",
        help = format!("Output format: {} [default: by the extension of OUT, else bvh]", writable(Format::has_motion))
    )]
    pub(crate) to: Option<Format>,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the skeleton]
    #[arg(long, value_name = "ORDER", help_heading = "Conversion")]
    pub(crate) euler: Option<EulerOrder>,
    /// File of any format with the skeleton, for inputs that were compressed with --no-skeleton
    #[arg(long, value_name = "FILE", help_heading = "Conversion")]
    pub(crate) skeleton_ref: Option<PathBuf>,
    /// Largest input [bytes, above 0; default: 1GiB]
    #[arg(long, value_name = "SIZE", help_heading = "Conversion")]
    max_bytes: Option<ByteSize>,
    /// Largest motion [frames × joints, above 0; default: 64M]
    #[arg(long, value_name = "COUNT", help_heading = "Conversion")]
    max_samples: Option<Count>,
    #[command(flatten)]
    pub(crate) bvh: BvhStyle,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

impl Args {
    /// Bounds on inputs and outputs.
    pub(crate) fn limits(&self) -> Limits {
        limits(self.max_bytes, self.max_samples)
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    output: String,
    format: &'static str,
    profile: &'static str,
    frames: usize,
    fps: f64,
    joints: usize,
    error_limit: f64,
    input_bytes: u64,
    bytes: u64,
    warnings: &'a [Diagnostic],
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "decompress",
        about: "A line of mocap decompress --json",
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
    let format = encode::asked_format(args.to, args.outputs.output.as_deref())?.unwrap_or(Format::Bvh);
    let skeleton = args.skeleton_ref.as_deref().map(read::skeleton_of_file).transpose()?;
    // Without -o, the output would have the same name as such an input.
    if let ([path], None) = (&args.inputs.inputs[..], &args.outputs.output)
        && FileFormat::of_path(path).is_some_and(|named| named == format.into())
        && let Some(error) = read::bytes_of(&JobContext::standalone(), &Input::named(path), &args.limits())
            .ok()
            .and_then(|bytes| not_compressed(&bytes))
    {
        return Ok(batch::fail(&path.display().to_string(), &error, &[], console));
    }
    let rename = |path: &Path| encode::renamed(path, format);
    let names = OutputNames { searched: batch::COMPRESSED, rename: &rename, format: Some(format) };
    let reads = ReadFiles::NONE.and(args.skeleton_ref.iter().chain(&args.inputs.selection.files_from));
    let jobs = batch::plan_each(console, &args.inputs, &args.outputs, &names, reads)?;
    let options = RunOptions::writing(&args.inputs.selection, &args.outputs, invocation);
    Ok(batch::run(console, options, &jobs, |job, context| {
        decompress(job, context, args, format, skeleton.as_ref())
    }))
}

/// The error about a file of another format.
fn not_compressed(bytes: &[u8]) -> Option<Diagnostic> {
    let format = FileFormat::detect(bytes).filter(|format| *format != FileFormat::Mocz)?;
    let message = format!("not a compressed clip: the content looks like {format}");
    let error = Diagnostic::new("mocz::not-compressed", message);
    Some(error.help("`mocap convert` converts it to other formats, `mocap compress` to .mocz"))
}

fn decompress(
    job: &Job,
    context: &JobContext,
    args: &Args,
    format: Format,
    skeleton: Option<&Arc<Skeleton>>,
) -> Result<Report, Failure> {
    let limits = args.limits();
    let bytes = read::motion_bytes(context, &job.input, &ReadOptions { limits, ..ReadOptions::default() })?;
    let input_bytes = bytes.len() as u64;
    if let Some(error) = not_compressed(&bytes) {
        return Err(error.into());
    }
    let compressed = read::open_compressed(&bytes, skeleton)?;
    let info = *compressed.info();
    args.limits()
        .check_samples(info.frames, compressed.skeleton().len())
        .map_err(|error| Diagnostic::from(Finding::new(error)))?;
    let clip = compressed.to_clip();
    let joints = clip.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
    let name = encode::clip_name(job);
    let options = EncodeOptions {
        name: &name,
        euler: args.euler,
        tolerance: Some(info.tolerance * encode::TEXT_SHARE),
        limits: args.limits(),
        bvh: args.bvh,
        ..EncodeOptions::default()
    };
    let encoded = encode::clip(clip, format, options)?;
    let (bytes, output) = encode::deliver(&encoded, job, context)?;
    let path = job.input.shown();
    let text =
        format!("{path} -> {output}: {} frames, {joints} joints, {} profile", info.frames, info.profile);
    let row = Row {
        path,
        output,
        format: format.extension(),
        profile: info.profile.name(),
        frames: info.frames,
        fps: info.rate.fps(),
        joints,
        error_limit: info.tolerance,
        input_bytes,
        bytes,
        warnings: &encoded.warnings,
    };
    let tally = Tally { frames: info.frames, bytes_in: input_bytes, bytes_out: bytes };
    let json = json(&row);
    Ok(Report { json, text, warnings: encoded.warnings, tally, ..Report::default() })
}
