//! The options of a command that have a value, with the source of each.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;

use crate::{Kind, Layers, Settings};

/// A row of `--print-config --json`.
#[derive(Serialize, schemars::JsonSchema)]
pub struct PrintRow {
    option: String,
    /// One for most options.
    values: Vec<String>,
    /// `flag`, `environment`, `file` or `default`; of a variable of a pipeline `flag` or `default`.
    source: &'static str,
    /// The flag, the variable of the environment, or the file and its line.
    place: Option<String>,
}

/// The options of the command that was named, and of the program, that have a value.
pub fn options_in_force(
    layers: &Layers,
    definition: &Command,
    matches: &ArgMatches,
    settings: &Settings,
) -> Vec<PrintRow> {
    let named = matches.subcommand().and_then(|(name, found)| {
        let command = definition.find_subcommand(name).filter(|command| !command.has_subcommands())?;
        Some((Some(name), command, found))
    });
    let of = |(name, command, found): (Option<&str>, &Command, &ArgMatches)| -> Vec<PrintRow> {
        command.get_arguments().filter_map(|argument| row(layers, argument, found, name, settings)).collect()
    };
    named.into_iter().chain([(None, definition, matches)]).flat_map(of).collect()
}

fn row(
    layers: &Layers,
    argument: &Arg,
    matches: &ArgMatches,
    command: Option<&str>,
    settings: &Settings,
) -> Option<PrintRow> {
    let option = layers.configurable(argument)?.to_owned();
    let id = argument.get_id().as_str();
    let source = matches.value_source(id)?;
    let values = match Kind::of(argument) {
        Kind::Switch if matches!(argument.get_action(), ArgAction::Count) => {
            vec![match matches.get_count(id) {
                on @ (0 | 1) => (on == 1).to_string(),
                level => level.to_string(),
            }]
        }
        Kind::Switch => vec![matches.get_flag(id).to_string()],
        Kind::One | Kind::Many => {
            matches.get_raw(id)?.map(|value| value.to_string_lossy().into_owned()).collect()
        }
    };
    let (source, place) = match (source, settings.line(command, &option)) {
        (ValueSource::CommandLine, _) => ("flag", Some(format!("--{option}"))),
        (ValueSource::EnvVariable, _) => ("environment", Some(layers.variable(&option))),
        (_, Some(line)) => {
            let path = settings.path.as_ref().map(|path| format!("{}:{line}", path.display()));
            ("file", path)
        }
        _ => ("default", None),
    };
    Some(PrintRow { option, values, source, place })
}

impl PrintRow {
    /// The row in the syntax of the file.
    pub fn text(&self) -> String {
        let word = |value: &String| match value.as_str() {
            "true" | "false" => value.clone(),
            text => format!("{text:?}"),
        };
        let value = match &self.values[..] {
            [one] => word(one),
            many => format!("[{}]", many.iter().map(word).collect::<Vec<_>>().join(", ")),
        };
        let set = format!("{} = {value}", self.option);
        format!("{set:<34} # {}", self.place.as_deref().unwrap_or(self.source))
    }
}
