//! Sources of option values: flag or keyword > `MOCAP_*` > `mocap.toml` > default.

use std::path::Path;

use clap::{Arg, Command, CommandFactory, Parser};
use mocap_settings::{Layers, Renamed};

use crate::commands::Verb;
use crate::diagnostic::{Diagnostic, read_toml};
use crate::options::{EDITS_HEADING, Global, renamed};

pub use mocap_settings::{PrintRow, Settings, options_in_force};

/// The names in `mocap.toml` and of variables. Not settable are options that belong to one run: where its files
/// come from and go to, requests for information, confirmations of data loss, and NAME=VALUE options.
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
    // Edits belong to one motion, so files cannot set them for all.
    fixed_headings: &[EDITS_HEADING],
    // The settings file, and variables that tests and recipes read.
    others: &["MOCAP_CONFIG", "MOCAP_CORPUS", "MOCAP_PYTHON"],
};

/// All verbs and their common options: everything that can be set.
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

/// The definition of a program with these verbs, with an environment variable for every option that may have
/// one.
pub fn definition(program: Command) -> Command {
    LAYERS.with_variables(with_negative_numbers(program))
}

/// Options accept negative numbers; their own checks decide which numbers are valid.
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

/// Warnings about environment variables that look like settings but are not.
pub fn stray_variables(definition: &Command) -> Vec<Diagnostic> {
    let stray = LAYERS.stray_variables(definition);
    stray.into_iter().map(|message| Diagnostic::new("config::variable", message)).collect()
}

/// The settings of the named file, else of the nearest one in the current directory and its
/// parents; `none` or an empty name stands for no file.
///
/// # Errors
/// If the file cannot be read, or has a value that no option accepts.
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
        // Names that no command has any more must be removed from the list.
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
