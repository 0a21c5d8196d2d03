//! What options are where nobody states them: flag or keyword > `MOCAP_*` > `mocap.toml` > default.

use std::path::Path;

use clap::{Arg, Command, CommandFactory, Parser};
use mocap_settings::{Layers, Renamed};

use crate::commands::Verb;
use crate::diagnostic::{Diagnostic, read_toml};
use crate::options::{EDITS_HEADING, Global, renamed};

pub use mocap_settings::{PrintRow, Settings, options_in_force};

/// The names of `mocap.toml` and of variables. Options of one run say where its files come from and go to, what is
/// only asked or lost once, and what is given as NAME=VALUE.
pub const LAYERS: Layers = Layers {
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
        "joint-error",
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
    // Settings of edits belong to one motion, so no file sets them for all.
    fixed_headings: &[EDITS_HEADING],
    // The file with settings, and what tests and recipes read.
    others: &["MOCAP_CONFIG", "MOCAP_CORPUS", "MOCAP_PYTHON"],
};

/// All verbs, and the options that all of them have: what can be set elsewhere.
#[derive(Debug, Parser)]
#[command(name = "mocap", disable_help_subcommand = true, disable_help_flag = true)]
pub(crate) struct Program {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    _global: Global,
}

impl Program {
    /// All verbs and options.
    pub(crate) fn definition() -> Command {
        Verb::defined(Program::command())
    }
}

/// The definition of a program with these verbs, with a variable of the environment for every option that can have one.
pub fn definition(program: Command) -> Command {
    LAYERS.with_variables(with_negative_numbers(program))
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

/// Warnings about old names of flags in the words of a command line.
pub use crate::options::old_flags;

/// Warnings about old names of options in a file of settings.
pub fn old_keys(settings: &Settings) -> Vec<Diagnostic> {
    let warning = |of: &Renamed| {
        let found = renamed(&of.old, &of.new);
        let place = settings.path.as_ref().map(|path| format!("{}, line {}", path.display(), of.line));
        place.into_iter().fold(found, Diagnostic::note)
    };
    settings.renamed.iter().map(warning).collect()
}

/// Warnings about variables of the environment that look like settings and are none.
pub fn stray_variables(definition: &Command) -> Vec<Diagnostic> {
    let stray = LAYERS.stray_variables(definition);
    stray.into_iter().map(|message| Diagnostic::new("config::variable", message)).collect()
}

/// The settings of a file that was named, else of the nearest one in the current directory and those above it; `none`
/// or an empty name stands for no file.
///
/// # Errors
/// Where the file cannot be read, or states what no option takes.
pub fn settings(named: Option<&Path>, definition: &Command) -> Result<Settings, Diagnostic> {
    let path = match named {
        Some(path) if path.as_os_str().is_empty() || path == Path::new("none") => None,
        Some(path) => Some(path.to_owned()),
        None => LAYERS.nearest_file(),
    };
    let Some(path) = path else { return Ok(Settings::default()) };
    Ok(Settings::new(&read_toml(&path)?, &LAYERS, definition)?)
}

#[cfg(test)]
mod tests {
    use mocap_settings::commands;

    use super::*;

    #[test]
    fn options_of_one_run_are_not_configurable() {
        let definition = definition(Program::definition());
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
