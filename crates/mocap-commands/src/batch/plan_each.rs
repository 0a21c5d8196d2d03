//! Plans outputs for verbs that write one output per input, and checks outputs.

use std::path::{Path, PathBuf};

use mocap::FileFormat;
use mocap_batch::{Input, Job, Naming, ReadFiles};
use mocap_formats::Format;

use super::options::{expand, plan};
use crate::diagnostic::Diagnostic;
use crate::encode;
use crate::options::{Inputs, Outputs, Reading};
use crate::output::Output;

/// How the outputs of a verb are named.
pub(crate) struct OutputNames<'a> {
    /// The formats that directories are searched for.
    pub(crate) searched: fn(FileFormat) -> bool,
    /// Makes the path of the output from the path of the input.
    pub(crate) rename: &'a dyn Fn(&Path) -> PathBuf,
    /// The output format, if it may need a second file beside each output.
    pub(crate) format: Option<Format>,
}

/// Like [`plan_each`], for inputs that together decide what a single one leaves open (unit, axes).
pub(crate) fn plan_peers(
    console: &dyn Output,
    (inputs, reading): (&Inputs, &Reading),
    outputs: &Outputs,
    names: &OutputNames<'_>,
    reads: ReadFiles<'_>,
) -> Result<Vec<Job>, Diagnostic> {
    check_stdout(console, outputs)?;
    check_last(inputs, outputs)?;
    let inputs = expand(inputs, names.searched)?;
    reading.ask_peers(&inputs);
    plan_inputs(inputs, outputs, names, reads)
}

/// Assigns an output to every input. `reads` are files that are read in addition to the inputs.
pub(crate) fn plan_each(
    console: &dyn Output,
    inputs: &Inputs,
    outputs: &Outputs,
    names: &OutputNames<'_>,
    reads: ReadFiles<'_>,
) -> Result<Vec<Job>, Diagnostic> {
    check_stdout(console, outputs)?;
    check_last(inputs, outputs)?;
    plan_inputs(expand(inputs, names.searched)?, outputs, names, reads)
}

fn plan_inputs(
    inputs: Vec<Input>,
    outputs: &Outputs,
    names: &OutputNames<'_>,
    reads: ReadFiles<'_>,
) -> Result<Vec<Job>, Diagnostic> {
    let derive = |input: &Input| Some((names.rename)(&input.output_name()));
    let beside = |path: &Path| names.format.and_then(|format| encode::beside(path, format));
    let naming = Naming { derive: &derive, companions: &|path| beside(path).into_iter().collect(), reads };
    Ok(plan(inputs, outputs, &naming)?)
}

/// Rejects an output that was typed as the last input, as with `cp`.
pub(crate) fn check_last(inputs: &Inputs, outputs: &Outputs) -> Result<(), Diagnostic> {
    let ([first, .., last], None) = (&inputs.inputs[..], &outputs.output) else { return Ok(()) };
    // The last input is a glob or a clip of a file.
    let is_pattern = last.to_string_lossy().contains(['*', '?', '[', '{', '#']);
    if is_pattern || !first.exists() || last.symlink_metadata().is_ok() || FileFormat::of_path(last).is_none()
    {
        return Ok(());
    }
    let last = last.display();
    let error = Diagnostic::new("io::not-found", format!("there is no input '{last}'"));
    Err(error.help(format!("did you mean -o {last}?")))
}

/// Like [`check_stdout`], for one output.
pub(crate) fn check_stdout_path(console: &dyn Output, output: &Path) -> Result<(), Diagnostic> {
    if console.is_json() && output.as_os_str() == "-" {
        return Err(Diagnostic::stdout_twice());
    }
    Ok(())
}

/// Rows and a file cannot both go to stdout.
pub(crate) fn check_stdout(console: &dyn Output, outputs: &Outputs) -> Result<(), Diagnostic> {
    if console.is_json() && outputs.to_stdout() {
        return Err(Diagnostic::stdout_twice());
    }
    Ok(())
}
