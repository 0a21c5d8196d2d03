//! The command line with its layers: flag > `MOCAP_*` > `mocap.toml` > default.

use clap::{ArgMatches, Command};
use mocap_commands::settings::{self, LAYERS, Settings, options_in_force};
use mocap_commands::{Output, json};

use crate::command_line::Cli;
use crate::console::Console;

/// All commands and flags, with a variable of the environment for every option that can have one.
pub(crate) fn definition() -> Command {
    settings::definition(Cli::definition())
}

/// Prints the options of the command that was named, with values and sources: `--print-config`.
pub(crate) fn print(console: &mut Console, definition: &Command, matches: &ArgMatches, settings: &Settings) {
    if !console.is_json() {
        let file = match &settings.path {
            Some(path) => format!("# settings of {}", path.display()),
            None => format!("# no {} in this directory or above it", LAYERS.file),
        };
        console.row("", &file);
    }
    for row in options_in_force(&LAYERS, definition, matches, settings) {
        console.row(&json(&row), &row.text());
    }
}
