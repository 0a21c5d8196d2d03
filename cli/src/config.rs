//! The command line with its sources of values: flag > `MOCAP_*` > `mocap.toml` > default.

use clap::{ArgMatches, Command};
use mocap_commands::settings::{self, LAYERS, Settings, options_in_force};
use mocap_commands::{Output, json};

use crate::command_line::Cli;
use crate::console::Console;

/// All commands and flags, with an environment variable for every option that may have one.
pub(crate) fn definition() -> Command {
    settings::definition(Cli::definition())
}

/// `--print-config`: prints the options of a command with their values and sources.
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
