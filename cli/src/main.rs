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
mod generate;
mod interrupt;
mod pipeline;
mod read;
mod rest;
mod rows;
mod start;

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
    let invocation = &global.invocation;
    interrupt::install();
    console.warnings("the environment", &config::stray_variables(), diagnostic::Detail::Line);
    let done = match command {
        Verb::Info(args) => commands::info::run(&args, &mut console),
        Verb::Validate(args) => commands::validate::run(&args, &mut console),
        Verb::Convert(args) => commands::convert::run(&args, invocation, &mut console),
        Verb::Edit(args) => commands::edit::run(&args, invocation, &mut console),
        Verb::Join(args) => commands::join::run(&args, &mut console),
        Verb::Split(args) => commands::split::run(&args, &mut console),
        Verb::Blend(args) => commands::blend::run(&args, &mut console),
        Verb::Play(args) => commands::play::run(&args, &mut console),
        Verb::Bands(args) => commands::edit::run(&args.into(), invocation, &mut console),
        Verb::Warp(args) => commands::edit::run(&args.into(), invocation, &mut console),
        Verb::Fourier(args) => commands::edit::run(&args.into(), invocation, &mut console),
        Verb::Terrain(args) => commands::edit::run(&args.into(), invocation, &mut console),
        Verb::Compare(args) => commands::compare::run(&args, &mut console),
        Verb::Compress(args) => commands::compress::run(&args, invocation, &mut console),
        Verb::Decompress(args) => commands::decompress::run(&args, invocation, &mut console),
        Verb::Skel(args) => commands::skel::run(&args, invocation, &mut console),
        Verb::Retarget(args) => commands::retarget::run(&args, invocation, &mut console),
        Verb::View(args) => commands::view::run(&args, invocation, &mut console),
        Verb::Sheet(args) => commands::sheet::run(&args, invocation, &mut console),
        Verb::Plot(args) => commands::plot::run(&args, invocation, &mut console),
        Verb::Run(args) => pipeline::run(&args, invocation, &mut console),
        Verb::Manifest(args) => commands::manifest::run(&args, &mut console),
        Verb::Generate(args) => generate::run(&args, &mut console),
        Verb::Help { .. } => unreachable!("help was printed"),
    };
    let exit = done.unwrap_or_else(|error| {
        console.row(&rows::json(&rows::ErrorRow::misuse(&error)), "");
        console.usage_error(&error)
    });
    console.ended(exit).into()
}
