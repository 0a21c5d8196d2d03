//! The `mocap` command: arguments become options, a library call does the work, a row reports it.

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "units stand in brackets, and help texts cannot escape them"
)]

mod args;
mod batch;
mod commands;
mod config;
mod console;
mod diagnostic;
mod edit;
mod encode;
mod exit;
mod facts;
mod interrupt;
mod names;
mod pipeline;
mod quality;
mod read;
mod rest;
mod rows;
mod schemas;
mod tables;

use std::process::ExitCode;

use args::{Cli, Command, Global, Start};
use console::Console;

fn main() -> ExitCode {
    let Cli { command, global } = match Cli::from_process() {
        Ok(Start::Work(cli)) => *cli,
        Ok(Start::Print(print)) => return print.run().into(),
        Err(error) => return Console::new(&Global::default()).usage_error(&error).into(),
    };
    let mut console = Console::new(&global);
    let invocation = &global.invocation;
    interrupt::install();
    console.warnings("the environment", &config::stray_variables(), diagnostic::Detail::Line);
    let done = match command {
        Command::Info(args) => commands::info::run(&args, &mut console),
        Command::Validate(args) => commands::validate::run(&args, &mut console),
        Command::Convert(args) => commands::convert::run(&args, invocation, &mut console),
        Command::Compare(args) => commands::compare::run(&args, &mut console),
        Command::Compress(args) => commands::compress::run(&args, invocation, &mut console),
        Command::Decompress(args) => commands::decompress::run(&args, invocation, &mut console),
        Command::Skel(args) => commands::skel::run(&args, invocation, &mut console),
        Command::Retarget(args) => commands::retarget::run(&args, invocation, &mut console),
        Command::View(args) => commands::view::run(&args, invocation, &mut console),
        Command::Sheet(args) => commands::sheet::run(&args, invocation, &mut console),
        Command::Plot(args) => commands::plot::run(&args, invocation, &mut console),
        Command::Run(args) => commands::run::run(&args, invocation, &mut console),
        Command::Manifest(args) => commands::manifest::run(&args, &mut console),
        Command::Generate(args) => commands::generate::run(&args, &mut console),
    };
    let exit = done.unwrap_or_else(|error| {
        console.row(&rows::json(&rows::ErrorRow::misuse(&error)), "");
        console.usage_error(&error)
    });
    console.ended(exit).into()
}
