//! `mocap run`: a pipeline over a database.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::explain::explain;
use super::file::File;
use super::plan::Plans;
use super::report::Site;
use super::work::work;
use crate::batch::{self, Input, Job, Naming, ReadFiles, RunOptions, read_files};
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;
use crate::options::{Inputs, Invocation, Outputs, Reading, RunArgs as Args, Selection};
use crate::output::Output;
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[
        RowSchema {
            name: "run",
            about: "A line of mocap run --json",
            rows: &[of::<super::Row<'static>>, PLAN, ERROR, SUMMARY],
        },
        RowSchema {
            name: "run-explain",
            about: "A line of mocap run --explain --json",
            rows: &[of::<super::ExplainRow<'static>>, of::<super::VariableRow<'static>>, ERROR],
        },
    ];

    fn defined(command: clap::Command) -> clap::Command {
        command.mut_arg("output", |argument| {
            argument.value_name("DIR").help(
                "Directory for all outputs; it mirrors the tree of the inputs [default: that of the pipeline]",
            )
        })
    }

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let file = File::read(&args.pipeline, &args.set)?;
    if args.outputs.to_stdout() {
        return Err(Diagnostic::new("usage::output", "a pipeline writes files, and stdout takes one")
            .help("name a directory with -o"));
    }
    let folder = args.outputs.output.clone().or_else(|| file.output.clone());
    let inputs = inputs(args, &file)?;
    let mut plans = Plans::new(file, &inputs)?;
    plans.readings().for_each(|reading| reading.ask_peers(&inputs));
    let (path, warnings) = plans.warnings();
    console.warnings(&path, warnings, Detail::Full);
    // The trailing separator marks it as a directory, whether it exists or not.
    let mut outputs =
        Outputs { output: folder.as_ref().map(|folder| folder.join("")), ..args.outputs.clone() };
    // Existing outputs matter only if something is written.
    outputs.overwrite |= args.explain && !outputs.skip_existing;
    let jobs = match (plans.write(), &folder) {
        (false, _) => batch::report_jobs(inputs),
        (true, Some(folder)) => {
            let reading = Reading::default();
            let reads = read_files(&reading, Some(&args.selection)).and([&args.pipeline]);
            plan(inputs, &outputs, &plans, reads.and(plans.reads()), folder)?
        }
        (true, None) => {
            return Err(Diagnostic::new("usage::output", "no output directory is given")
                .help("name a directory with -o DIR, or with output = 'DIR' in the pipeline"));
        }
    };
    let folder = folder.unwrap_or_default();
    if args.explain {
        explain(console, &jobs, &plans, &folder);
        return Ok(Exit::Success);
    }
    let site = args.report.clone().map(Site::new).transpose()?;
    let options = RunOptions::writing(&args.selection, &outputs, invocation).with_peers(plans.readings());
    let options = plans.open_targets(console, options)?;
    let exit = batch::run(console, options, &jobs, |job, context| {
        let done = work(job, context, plans.of(&job.input), &folder, args.force, site.as_ref());
        done.inspect_err(|failure| site.iter().for_each(|site| site.fail(&job.input, failure)))
    });
    if let Some(site) = site.filter(|_| !outputs.dry_run && !matches!(exit, Exit::Interrupted | Exit::Usage))
    {
        site.write(&args.pipeline, &jobs)?;
    }
    Ok(exit)
}

/// The inputs of the command line, else those of the pipeline.
fn inputs(args: &Args, file: &File) -> Result<Vec<Input>, Diagnostic> {
    let named = !args.inputs.is_empty() || args.selection.files_from.is_some();
    let chosen = |flag: &[String], file: &[String]| if flag.is_empty() { file } else { flag }.to_vec();
    let selection = Selection {
        include: chosen(&args.selection.include, &file.include),
        exclude: chosen(&args.selection.exclude, &file.exclude),
        ..args.selection.clone()
    };
    let inputs = if named { args.inputs.clone() } else { file.inputs.clone() };
    if inputs.is_empty() && !named {
        return Err(Diagnostic::new(
            "usage::no-input",
            "neither the command line nor the pipeline names an input",
        )
        .help("name files or directories after the pipeline, or with inputs = '...' in it"));
    }
    let searched = if file.solves() { batch::MARKERS } else { batch::MOTIONS };
    Ok(batch::expand(&Inputs { inputs, selection }, searched)?)
}

/// The first output of every input, with its other outputs as companions.
fn plan(
    mut inputs: Vec<Input>,
    outputs: &Outputs,
    plans: &Plans,
    reads: ReadFiles<'_>,
    folder: &Path,
) -> Result<Vec<Job>, Diagnostic> {
    let derive = |input: &Input| plans.of(input).files(&input.output_name()).into_iter().next();
    mocap_batch::keep_extensions(&mut inputs, &derive);
    let mut along: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for input in &inputs {
        let mut files = plans.of(input).files(&input.output_name()).into_iter().map(|file| folder.join(file));
        if let Some(first) = files.next() {
            along.insert(first, files.collect());
        }
    }
    let companions = |path: &Path| along.get(path).cloned().unwrap_or_default();
    let naming = Naming { derive: &derive, companions: &companions, reads };
    Ok(batch::plan(inputs, outputs, &naming)?)
}
