//! The `mocap` command: parses the command line, runs a verb of `mocap_commands`, and prints its output.
//!
//! The program calls [`main`]. A program that needs the rows of a command line without a process calls
//! [`rows`]; with option names and values instead of words, it calls [`mocap_commands::call`].

mod command_line;
mod config;
mod console;
mod generate;
mod interrupt;
mod start;

use std::ffi::OsString;
use std::sync::mpsc::Sender;

use mocap_commands::{Detail, Exit, Global, Output, Rows, settings, usage_error};

use command_line::{Cli, Command};
use console::Console;
use start::Start;

/// Runs a command line; the first word is the name of the program. Prints, and ends cleanly on Ctrl-C. Exits
/// the process if the arguments are invalid. Returns the exit code.
pub fn main(words: &[OsString]) -> u8 {
    process(words).code()
}

fn process(words: &[OsString]) -> Exit {
    let (cli, old_names) = match start::of_process(words) {
        Ok(Start::Work(cli, old_names)) => (*cli, old_names),
        Ok(Start::Print(print)) => return print.run(),
        Ok(Start::Help(text)) => return start::print_help(&text),
        Ok(Start::Usage(_)) => unreachable!("a process leaves"),
        Err(error) => return Console::new(&Global::default()).usage_error(&error),
    };
    interrupt::install();
    let mut console = Console::new(&cli.global);
    let stray = settings::stray_variables(&config::definition());
    console.warnings("the environment", &stray, Detail::Line);
    console.warnings("the options", &old_names, Detail::Line);
    let exit = run(cli, &mut console);
    console.ended(exit)
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
    let mut output = Rows::new(rows);
    let exit = match start::of_words(&words) {
        Ok(Start::Work(cli, _)) => run(*cli, &mut output),
        Ok(Start::Usage(row)) => {
            output.row(&row, "");
            Exit::Usage
        }
        Ok(Start::Print(_) | Start::Help(_)) => Exit::Usage,
        Err(error) => usage_error(&error, &mut output),
    };
    exit.code()
}

/// Runs a command.
fn run(Cli { command, global }: Cli, output: &mut dyn Output) -> Exit {
    let done = match command {
        Command::Verb(verb) => verb.run(&global.invocation, output),
        Command::Generate(args) => args.run(config::definition(), output),
        Command::Help { .. } => unreachable!("help was printed"),
    };
    done.unwrap_or_else(|error| usage_error(&error, output))
}
