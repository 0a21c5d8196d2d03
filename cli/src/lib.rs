//! The `mocap` command: arguments become options, a library call does the work, a row reports it.
//!
//! The program calls [`main`]. A program that wants the rows of a command without a process calls [`rows`].

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "units stand in brackets, and help texts cannot escape them"
)]

mod args;
mod batch;
mod command_line;
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
mod verb;
mod verdict;

use std::ffi::OsString;
use std::sync::mpsc::Sender;

use args::Global;
use command_line::Cli;
use console::Console;
use exit::Exit;
use start::Start;

/// Runs the command of these words, the first of which is the name of the program: prints, and ends in order on
/// Ctrl-C. Exits the process if the arguments are invalid. Returns the exit code.
pub fn main(words: &[OsString]) -> u8 {
    process(words).code()
}

fn process(words: &[OsString]) -> Exit {
    let cli = match start::of_process(words) {
        Ok(Start::Work(cli)) => *cli,
        Ok(Start::Print(print)) => return print.run(),
        Ok(Start::Help(text)) => return start::print_help(&text),
        Ok(Start::Misuse(_)) => unreachable!("a process leaves"),
        Err(error) => return Console::new(&Global::default()).usage_error(&error),
    };
    interrupt::install();
    let mut console = Console::new(&cli.global);
    console.warnings("the environment", &config::stray_variables(), diagnostic::Detail::Line);
    run(cli, &mut console)
}

/// Runs the command of these words inside a program and sends its rows, one JSON object each, as they come. Prints
/// nothing; a command that writes a file to stdout still does. Returns the exit code of the command. Where `rows` is
/// closed, a command that only reports ends; [`mocap_batch::interrupt::request`] ends any.
///
/// ```
/// let (sender, rows) = std::sync::mpsc::channel();
/// let words = ["mocap", "info", "../fixtures/clips/alex_walk.bvh"].map(Into::into);
/// assert_eq!(mocap_cli::rows(words.to_vec(), sender), 0);
/// assert!(rows.recv().unwrap().contains("\"frames\":301"));
/// ```
pub fn rows(mut words: Vec<OsString>, rows: Sender<String>) -> u8 {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, ["--json", "--progress", "never", "--color", "never"].map(OsString::from));
    let cli = match start::of_words(&words) {
        Ok(Start::Work(cli)) => *cli,
        Ok(Start::Misuse(row)) => {
            let _ = rows.send(row);
            return Exit::Usage.code();
        }
        Ok(Start::Print(_) | Start::Help(_)) => return Exit::Usage.code(),
        Err(error) => {
            let _ = rows.send(rows::json(&rows::ErrorRow::misuse(&error)));
            return Exit::Usage.code();
        }
    };
    let mut console = Console::sending(&cli.global, rows);
    run(cli, &mut console).code()
}

/// Does the work of a command.
fn run(Cli { command, global }: Cli, console: &mut Console) -> Exit {
    let done = command.run(&global.invocation, console);
    let exit = done.unwrap_or_else(|error| {
        console.row(&rows::json(&rows::ErrorRow::misuse(&error)), "");
        console.usage_error(&error)
    });
    console.ended(exit)
}
