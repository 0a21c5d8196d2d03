//! Feeds changed files to every reader of the project, for a given processor time per target.
//!
//! Each target runs in a separate process, so an input that ends the process or never returns is a finding too. No
//! instrumentation is needed: an input whose error and warning codes are new joins the corpus.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

mod budget;
mod command_targets;
mod corpus;
mod format_targets;
mod mutation;
mod sealed;
mod supervise;
mod target;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Feed changed files to every reader; print a line per target, and exit with 1 where something was found.
#[derive(Parser)]
struct Args {
    /// Targets [default: all; --list names them]
    targets: Vec<String>,
    /// Seconds of processor time per target
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u64,
    /// Start of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where inputs with findings are kept
    #[arg(long, value_name = "DIR", default_value = "target/fuzz")]
    keep: PathBuf,
    /// Print the names of the targets
    #[arg(long)]
    list: bool,
    /// Run the targets on this input only
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Do the work of one target in this process
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let all = target::all();
    if args.list {
        all.iter().for_each(|target| println!("{}", target.name));
        return ExitCode::SUCCESS;
    }
    let unknown = args.targets.iter().find(|name| !all.iter().any(|target| target.name == **name));
    if let Some(name) = unknown {
        eprintln!("error: no target is named {name}; --list names them");
        return ExitCode::from(2);
    }
    let chosen: Vec<_> =
        all.iter().filter(|it| args.targets.is_empty() || args.targets.contains(&it.name)).collect();
    if let Some(path) = &args.input {
        return work::once(&chosen, path);
    }
    std::fs::create_dir_all(&args.keep).expect("the folder for findings can be made");
    if args.worker {
        let target = chosen.first().expect("a worker has a target");
        work::work(target, args.seconds, args.seed, &args.keep);
        return ExitCode::SUCCESS;
    }
    let findings: usize = chosen
        .iter()
        .map(|target| supervise::supervise(&target.name, args.seconds, args.seed, &args.keep))
        .sum();
    if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
