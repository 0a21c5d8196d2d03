//! Parses the command line of the process, with settings from the environment and `mocap.toml`.

mod help;
mod other_words;
mod usage;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, FromArgMatches};
use usage::leave;

use mocap_commands::settings::{self, LAYERS, Settings};
use mocap_commands::{Diagnostic, Exit, Global, Invocation};

use crate::command_line::{Cli, Command};
use crate::config;
use crate::console::Console;

pub(crate) use help::print_help;

/// What the process does.
pub(crate) enum Start {
    /// Run a command; with warnings about old option names.
    Work(Box<Cli>, Vec<Diagnostic>),
    /// Print all options with their values and sources.
    Print(Box<Print>),
    /// Print this help.
    Help(String),
    /// The arguments are invalid: print this row.
    Usage(String),
}

/// `--print-config`.
pub(crate) struct Print {
    definition: clap::Command,
    matches: ArgMatches,
    settings: Settings,
    global: Global,
}

/// The arguments of this process. Exits with a message if they are invalid, or with help.
///
/// # Errors
/// If the settings file is invalid.
pub(crate) fn of_process(words: &[OsString]) -> Result<Start, Diagnostic> {
    parsed(words, |definition, error| leave(definition, error, words))
}

/// The arguments in these words.
///
/// # Errors
/// Those of [`of_process`].
pub(crate) fn of_words(words: &[OsString]) -> Result<Start, Diagnostic> {
    parsed(words, |definition, error| Start::Usage(usage::row(definition, error, words)))
}

fn parsed(
    words: &[OsString],
    refused: impl Fn(&clap::Command, clap::Error) -> Start,
) -> Result<Start, Diagnostic> {
    let definition = config::definition();
    let named = named_config(words).or_else(|| std::env::var_os("MOCAP_CONFIG").map(PathBuf::from));
    let settings = match settings::settings(named.as_deref(), &definition) {
        Ok(settings) => settings,
        // Help must work with an invalid settings file as well.
        Err(_) if words.iter().any(|word| ["-h", "--help", "help"].iter().any(|help| word == help)) => {
            Settings::default()
        }
        Err(error) => return Err(error),
    };
    let definition = settings.apply(definition);
    if words.iter().any(|word| word == "--print-config") {
        return Ok(Start::Print(Box::new(Print::new(definition, settings, words.to_vec()))));
    }
    let matches = match definition.clone().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => return Ok(refused(&definition, blamed(error))),
    };
    let mut cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return Ok(refused(&definition, error)),
    };
    if let Command::Help { of } = &cli.command {
        return help::page(definition, of, help::Detail::Full).map(Start::Help);
    }
    if let Command::Verb(verb) = &mut cli.command {
        verb.complete_outputs();
    }
    cli.global.invocation = Invocation::of(&definition, &matches);
    let old_names = settings::old_flags(&definition, words).into_iter().chain(settings::old_keys(&settings));
    Ok(Start::Work(Box::new(cli), old_names.collect()))
}

impl Print {
    fn new(definition: clap::Command, settings: Settings, words: Vec<OsString>) -> Print {
        // Required inputs are not needed to print options.
        let free = |command: clap::Command| match command.has_subcommands() {
            true => command,
            false => {
                let groups: Vec<clap::Id> =
                    command.get_groups().map(|group| group.get_id().clone()).collect();
                let command = command.mut_args(|argument| argument.required(false));
                groups
                    .into_iter()
                    .fold(command, |command, group| command.mut_group(group, |group| group.required(false)))
            }
        };
        let definition = definition.subcommand_required(false).mut_subcommands(free);
        let matches = definition.clone().try_get_matches_from(words).unwrap_or_else(|error| error.exit());
        let global = Global::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        Print { definition, matches, settings, global }
    }

    /// Prints all options with their values and sources.
    pub(crate) fn run(&self) -> Exit {
        let mut console = Console::new(&self.global);
        config::print(&mut console, &self.definition, &self.matches, &self.settings);
        console.ended(Exit::Success)
    }
}

/// The file that `--config` names.
fn named_config(words: &[OsString]) -> Option<PathBuf> {
    let words = words.iter().take_while(|word| *word != "--");
    let mut last = None;
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if word == "--config" {
            last = words.peek().map(PathBuf::from);
        } else if let Some(path) = word.to_str().and_then(|word| word.strip_prefix("--config=")) {
            last = Some(path.into());
        }
    }
    last
}

/// Adds to an error the environment variable that holds the invalid value.
fn blamed(mut error: clap::Error) -> clap::Error {
    let option = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.split(' ').next().unwrap_or_default().to_owned(),
        _ => return error,
    };
    let Some(name) = option.strip_prefix("--") else { return error };
    let variable = LAYERS.variable(name);
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.clone(),
        _ => return error,
    };
    if std::env::var(&variable).is_ok_and(|set| set == value) {
        let tip = format!("the value is that of {variable}").into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}
