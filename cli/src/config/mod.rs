//! What options are where no flag says it: flag > `MOCAP_*` > `mocap.toml` > default.
//!
//! Everything is built on the definition of the command line: a variable of the environment is that of an option,
//! and the file gives options other defaults before the arguments are parsed.

mod file;
mod flags;
mod print;

pub(crate) use file::Settings;
pub(crate) use print::{PrintRow, print};

use std::collections::BTreeSet;

use clap::builder::BoolishValueParser;
use clap::{Arg, Command};
use mocap_formats::nearest_name;

use crate::args::{Cli, Kind};
use crate::diagnostic::Diagnostic;

/// The name that is looked for in the current directory and those above it.
pub(crate) const FILE: &str = "mocap.toml";

/// Options that belong to one run: where its files come from and go to, what is only
/// asked or lost once, and what is given as NAME=VALUE.
const OF_ONE_RUN: [&str; 17] = [
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
    "resume",
    "set",
    "shard",
    "skip-existing",
    "version",
    "write-map",
];

/// The name of an option that can be set elsewhere than on the command line.
pub(crate) fn configurable(argument: &Arg) -> Option<&str> {
    let name = argument.get_long()?;
    (!OF_ONE_RUN.contains(&name)).then_some(name)
}

/// The variable of an option.
pub(crate) fn variable(option: &str) -> String {
    format!("MOCAP_{}", option.to_ascii_uppercase().replace('-', "_"))
}

/// Variables that are those of no option: the file with settings, and what tests and recipes read.
const OTHERS: [&str; 3] = ["MOCAP_CONFIG", "MOCAP_CORPUS", "MOCAP_PYTHON"];

/// Warnings of variables of the environment that look like settings and are none.
pub(crate) fn stray_variables() -> Vec<Diagnostic> {
    let set = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    stray(&definition(), set)
}

fn stray(definition: &Command, set: impl Iterator<Item = String>) -> Vec<Diagnostic> {
    let mut strange: Vec<String> =
        set.filter(|name| name.starts_with("MOCAP_") && !OTHERS.contains(&name.as_str())).collect();
    if strange.is_empty() {
        return Vec::new();
    }
    let every = || std::iter::once(definition).chain(commands(definition));
    let variables =
        every().flat_map(Command::get_arguments).filter(|argument| Kind::of(argument) != Kind::Many);
    let known: BTreeSet<String> = variables.filter_map(configurable).map(variable).collect();
    strange.retain(|name| !known.contains(name));
    strange.sort();
    let warning = |name: &String| {
        // All begin alike: what follows is compared.
        let bare = |name: &'_ str| name["MOCAP_".len()..].to_owned();
        let known: Vec<String> = known.iter().map(|name| bare(name)).collect();
        let near = nearest_name(&bare(name), known.iter().map(String::as_str));
        // Among many messages a warning is one line: the name has to be in it.
        let near = near.map_or(String::new(), |near| format!("; did you mean 'MOCAP_{near}'?"));
        Diagnostic::new("config::variable", format!("no option has the variable '{name}'{near}"))
    };
    strange.iter().map(warning).collect()
}

/// All commands and flags, with a variable of the environment for every option that can have one.
pub(crate) fn definition() -> Command {
    let definition = Cli::definition();
    let set = |argument: Arg| {
        let Some(name) = configurable(&argument).map(variable) else { return argument };
        let argument = match Kind::of(&argument) {
            Kind::Switch => argument.value_parser(BoolishValueParser::new()),
            // A list in one variable would need a separator that no value has.
            Kind::Many => return argument,
            Kind::One => argument,
        };
        argument.env(name).hide_env(true)
    };
    definition.mut_args(set).mut_subcommands(|command| {
        let nested = command.has_subcommands();
        if nested { command } else { command.mut_args(set) }
    })
}

/// The commands whose options can be set, and the options of each.
pub(crate) fn commands(definition: &Command) -> impl Iterator<Item = &Command> {
    definition.get_subcommands().filter(|command| !command.has_subcommands() && command.get_name() != "help")
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
        for name in OF_ONE_RUN.iter().filter(|name| {
            !["config", "help", "manifest", "print-config", "resume", "shard", "version"].contains(name)
        }) {
            assert!(all.contains(name), "{name}");
        }
        let convert = definition.find_subcommand("convert").unwrap();
        let options: Vec<&str> = convert.get_arguments().filter_map(configurable).collect();
        assert!(options.contains(&"jobs") && options.contains(&"input-unit") && !options.contains(&"output"));
    }

    #[test]
    fn misspelt_variables_are_told() {
        let stray = |names: &[&str]| stray(&definition(), names.iter().map(|name| (*name).to_owned()));
        assert!(stray(&["MOCAP_ERROR", "MOCAP_JOBS", "MOCAP_CORPUS", "MOCAP_CONFIG", "HOME"]).is_empty());
        let told = stray(&["MOCAP_EROR", "MOCAP_OUTPUT"]);
        assert_eq!(told.len(), 2);
        assert!(told[0].message.contains("'MOCAP_ERROR'"), "{told:?}");
    }

    #[test]
    fn variables_are_called_like_options() {
        assert_eq!(variable("input-unit"), "MOCAP_INPUT_UNIT");
    }
}
