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
mod generate;
mod interrupt;
mod names;
mod pipeline;
mod quality;
mod read;
mod rest;
mod start;
mod tables;
mod write;

use std::process::ExitCode;

use args::{Cli, Global, Verb};
use console::Console;
use start::Start;

fn main() -> ExitCode {
    let Cli { command, global } = match start::from_process() {
        Ok(Start::Work(cli)) => *cli,
        Ok(Start::Print(print)) => return print.run().into(),
        Ok(Start::Help(text)) => return start::print_help(&text).into(),
        Err(error) => return Console::new(&Global::default()).usage_error(&error).into(),
    };
    let mut console = Console::new(&global);
    interrupt::install();
    console.warnings("the environment", &config::stray_variables(), diagnostic::Detail::Line);
    let done = match command {
        Verb::Info(args) => commands::info::run(&args, &global, &mut console),
        Verb::Validate(args) => commands::validate::run(&args, &global, &mut console),
        Verb::Convert(args) => commands::convert::run(&args, &global, &mut console),
        Verb::Compare(args) => commands::compare::run(&args, &global, &mut console),
        Verb::Compress(args) => commands::compress::run(&args, &global, &mut console),
        Verb::Decompress(args) => commands::decompress::run(&args, &global, &mut console),
        Verb::Skel(args) => commands::skel::run(&args, &global, &mut console),
        Verb::Retarget(args) => commands::retarget::run(&args, &global, &mut console),
        Verb::View(args) => commands::view::run(&args, &global, &mut console),
        Verb::Sheet(args) => commands::sheet::run(&args, &global, &mut console),
        Verb::Plot(args) => commands::plot::run(&args, &global, &mut console),
        Verb::Run(args) => pipeline::run(&args, &global, &mut console),
        Verb::Manifest(args) => commands::manifest::run(&args, &mut console),
        Verb::Generate(args) => generate::run(&args, &mut console),
        Verb::Help { .. } => unreachable!("help was printed"),
    };
    let exit = done.unwrap_or_else(|error| {
        console.row(&batch::json(&batch::ErrorRow::misuse(&error)), "");
        console.usage_error(&error)
    });
    console.ended(exit).into()
}
