//! What options are where no flag says it: flag > `MOCAP_*` > `mocap.toml` > default.
//!
//! Everything is built on the definition of the command line: a variable of the environment is that of an option,
//! and the file gives options other defaults before the arguments are parsed.

mod file;
mod print;

pub(crate) use file::Settings;
pub(crate) use print::{PrintRow, print};

use clap::builder::BoolishValueParser;
use clap::{Arg, Command};

use crate::tables::Kind;

/// The name that is looked for in the current directory and those above it.
pub(crate) const FILE: &str = "mocap.toml";

/// Options that belong to one run: where its files come from and go to, and what is only asked or lost once.
const OF_ONE_RUN: [&str; 15] = [
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
    "shard",
    "skip-existing",
    "write-map",
];

/// The name of an option that can be set elsewhere than on the command line.
pub(crate) fn configurable(argument: &Arg) -> Option<&str> {
    let name = argument.get_long()?;
    // What is given as NAME=VALUE means something in one run alone.
    (!OF_ONE_RUN.contains(&name) && !["set", "version"].contains(&name)).then_some(name)
}

/// The variable of an option.
pub(crate) fn variable(option: &str) -> String {
    format!("MOCAP_{}", option.to_ascii_uppercase().replace('-', "_"))
}

/// The definition with a variable of the environment for every option that can have one.
pub(crate) fn with_environment(definition: Command) -> Command {
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
    use crate::args::Cli;

    #[test]
    fn options_of_one_run_are_not_configurable() {
        let definition = Cli::definition();
        let all: Vec<&str> = commands(&definition)
            .flat_map(|command| command.get_arguments().filter_map(Arg::get_long))
            .collect();
        // A name that no command has any more has no place in the list.
        for name in OF_ONE_RUN
            .iter()
            .filter(|name| !["config", "help", "manifest", "print-config", "resume", "shard"].contains(name))
        {
            assert!(all.contains(name), "{name}");
        }
        let convert = definition.find_subcommand("convert").unwrap();
        let options: Vec<&str> = convert.get_arguments().filter_map(configurable).collect();
        assert!(options.contains(&"jobs") && options.contains(&"input-unit") && !options.contains(&"output"));
    }

    #[test]
    fn variables_are_called_like_options() {
        assert_eq!(variable("input-unit"), "MOCAP_INPUT_UNIT");
    }
}
