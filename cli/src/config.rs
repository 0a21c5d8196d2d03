//! What options are where no flag says it: flag > `MOCAP_*` > `mocap.toml` > default.

use std::path::Path;

use clap::{Arg, ArgMatches, Command};

use crate::args::EDITS_HEADING;
use crate::command_line::Cli;
use crate::console::Console;
use crate::diagnostic::{Diagnostic, read_toml};
use crate::rows::json;

pub(crate) use mocap_settings::{Layers, PrintRow, Settings, commands};

/// The names of `mocap.toml` and of variables. Options of one run say where its files come from and go to, what is
/// only asked or lost once, and what is given as NAME=VALUE.
pub(crate) const LAYERS: Layers = Layers {
    program: "mocap",
    file: "mocap.toml",
    prefix: "MOCAP_",
    fixed: &[
        "config",
        "dry-run",
        "explain",
        "files-from",
        "heatmap",
        "help",
        "html",
        "manifest",
        "output",
        "overwrite",
        "print-config",
        "report",
        "resume",
        "set",
        "shard",
        "skip-existing",
        "version",
        "write-map",
    ],
    // What one motion needs, another does not.
    fixed_headings: &[EDITS_HEADING],
    // The file with settings, and what tests and recipes read.
    others: &["MOCAP_CONFIG", "MOCAP_CORPUS", "MOCAP_PYTHON"],
};

/// All commands and flags, with a variable of the environment for every option that can have one.
pub(crate) fn definition() -> Command {
    LAYERS.with_variables(with_negative_numbers(Cli::definition()))
}

/// Options take numbers below 0, so their own checks say which numbers they take.
fn with_negative_numbers(command: Command) -> Command {
    let named = |argument: &Arg| argument.get_long().is_some() && !argument.is_allow_hyphen_values_set();
    let command =
        command.mut_args(|argument| match named(&argument) && argument.get_action().takes_values() {
            true => argument.allow_negative_numbers(true),
            false => argument,
        });
    command.mut_subcommands(with_negative_numbers)
}

/// Warnings about variables of the environment that look like settings and are none.
pub(crate) fn stray_variables() -> Vec<Diagnostic> {
    let stray = LAYERS.stray_variables(&definition());
    stray.into_iter().map(|message| Diagnostic::new("config::variable", message)).collect()
}

/// The settings of a file that was named, else of the nearest one in the current directory and those above it; `none`
/// or an empty name stands for no file.
pub(crate) fn settings(named: Option<&Path>, definition: &Command) -> Result<Settings, Diagnostic> {
    let path = match named {
        Some(path) if path.as_os_str().is_empty() || path == Path::new("none") => None,
        Some(path) => Some(path.to_owned()),
        None => LAYERS.nearest_file(),
    };
    let Some(path) = path else { return Ok(Settings::default()) };
    Ok(Settings::new(&read_toml(&path)?, &LAYERS, definition)?)
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
    for row in mocap_settings::options_in_force(&LAYERS, definition, matches, settings) {
        console.row(&json(&row), &row.text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_one_run_are_not_configurable() {
        let definition = definition();
        let all: Vec<&str> = commands(&definition)
            .flat_map(|command| command.get_arguments().filter_map(Arg::get_long))
            .collect();
        // A name that no command has any more has no place in the list.
        for name in LAYERS.fixed.iter().filter(|name| {
            !["config", "help", "manifest", "print-config", "resume", "shard", "version"].contains(name)
        }) {
            assert!(all.contains(name), "{name}");
        }
        let convert = definition.find_subcommand("convert").unwrap();
        let options: Vec<&str> =
            convert.get_arguments().filter_map(|option| LAYERS.configurable(option)).collect();
        assert!(options.contains(&"jobs") && options.contains(&"input-unit") && !options.contains(&"output"));
    }
}
