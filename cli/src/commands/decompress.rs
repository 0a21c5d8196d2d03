//! `mocap decompress`: from `.mocz` files back to any format.

use std::path::Path;
use std::sync::Arc;

use mocap::FileFormat;
use mocap_formats::Format;
use mocap_model::Skeleton;
use serde::Serialize;

use crate::args::{DecompressArgs as Args, Invocation, Reading};
use crate::batch::{
    self, Failure, Input, Job, JobContext, OutputNames, ReadFiles, Report, RunOptions, Tally, json,
};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::encode::{self, EncodeOptions};
use crate::exit::Exit;
use crate::read;

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

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let format = encode::asked_format(args.to, args.outputs.output.as_deref())?.unwrap_or(Format::Bvh);
    let skeleton = args.skeleton_ref.as_deref().map(reference).transpose()?;
    // Without -o, the output would have the name of such an input.
    if let ([path], None) = (&args.inputs.inputs[..], &args.outputs.output)
        && FileFormat::of_path(path).is_some_and(|named| named == format.into())
        && let Some(error) = read::bytes_of(&JobContext::standalone(), &Input::named(path))
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

/// The skeleton of a file of any format, or of another compressed clip.
fn reference(path: &Path) -> Result<Arc<Skeleton>, Diagnostic> {
    let (context, input) = (JobContext::standalone(), Input::named(path));
    let defaults = Reading::default();
    let failed = |failure: Failure| failure.error.in_file(path);
    let bytes = read::bytes_of(&context, &input)?;
    if read::is_compressed(&bytes) {
        // A clip states a hash of its skeleton, so every bit counts.
        let opened = read::open_compressed(&bytes, None).map_err(|error| error.in_file(path))?;
        return Ok(opened.skeleton().clone());
    }
    let (skeleton, _) = read::load_bytes(&context, &input, bytes, &defaults)
        .and_then(|file| file.into_skeleton(&defaults))
        .map_err(failed)?;
    Ok(Arc::new(skeleton))
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
    let bytes = read::bytes_of(context, &job.input)?;
    let input_bytes = bytes.len() as u64;
    if let Some(error) = not_compressed(&bytes) {
        return Err(error.into());
    }
    let compressed = read::open_compressed(&bytes, skeleton)?;
    let info = *compressed.info();
    let clip = compressed.to_clip();
    let joints = clip.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
    let tolerance = Some(info.tolerance * encode::TEXT_SHARE);
    let options = EncodeOptions { euler: args.euler, tolerance, ..EncodeOptions::default() };
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
