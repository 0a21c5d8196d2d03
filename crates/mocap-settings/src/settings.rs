//! A file of settings: checked, and turned into defaults of options.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, Command};

use mocap_toml::{Entry, Text, TomlError, TomlProblem, Value};

use crate::layers::earlier_names;
use crate::{Layers, commands, values};

/// The settings of a file.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The file, where there is one.
    pub path: Option<PathBuf>,
    /// By command (`None`: any command that has the option) and option.
    values: BTreeMap<(Option<String>, String), Setting>,
    /// Options for which the file uses an earlier name.
    pub renamed: Vec<Renamed>,
}

/// An option for which a file uses an earlier name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The earlier name.
    pub old: String,
    /// The present name.
    pub new: String,
    /// The line of the file.
    pub line: usize,
}

/// A default.
#[derive(Clone, Debug)]
struct Setting {
    values: Vec<String>,
    line: usize,
}

impl Settings {
    /// The settings of a file, checked by the definition of the command line.
    ///
    /// # Errors
    /// Where a key is not an option that can be set, or the option does not take its value.
    pub fn new(text: &Text, layers: &Layers, definition: &Command) -> Result<Settings, TomlError> {
        let mut settings = Settings { path: Some(text.path().to_owned()), ..Settings::default() };
        let table = text.parse()?;
        let every: Vec<&Command> = commands(definition).collect();
        for entry in &table {
            if let Value::Table(entries) = &entry.cell.value {
                let Some(command) = every.iter().find(|command| command.get_name() == entry.key) else {
                    // `manifest` and `generate` have commands of their own, none of which has settings.
                    if definition.find_subcommand(&entry.key).is_some() {
                        let message =
                            format!("no option of '{} {}' can be configured", layers.program, entry.key);
                        return Err(text.error(TomlProblem::UnknownKey, entry.key_span.clone(), message));
                    }
                    let names: Vec<&str> = every.iter().map(|command| command.get_name()).collect();
                    return Err(text.unknown(entry, layers.program, &names));
                };
                for entry in entries {
                    settings.add((text, layers), &[command], Some(command.get_name()), entry)?;
                }
            } else {
                let global = [definition];
                settings.add((text, layers), &[&every[..], &global].concat(), None, entry)?;
            }
        }
        Ok(settings)
    }

    /// Adds an entry that is an option of some of these commands, with a value valid for all of them.
    fn add(
        &mut self,
        (text, layers): (&Text, &Layers),
        commands: &[&Command],
        table: Option<&str>,
        entry: &Entry,
    ) -> Result<(), TomlError> {
        let names = |command: &Command| -> Vec<String> {
            command
                .get_arguments()
                .filter_map(|option| layers.configurable(option))
                .map(str::to_owned)
                .collect()
        };
        let line =
            text.error(TomlProblem::Value, entry.key_span.clone(), "").place().map_or(0, |(line, _)| line);
        let options = || {
            let all = commands.iter().flat_map(|command| command.get_arguments());
            all.filter_map(|option| Some((layers.configurable(option)?, option)))
        };
        let mut taken: Vec<_> = options().filter(|(name, _)| *name == entry.key).collect();
        if taken.is_empty() && !is_of_one_run(commands, &entry.key) {
            taken =
                options().filter(|(_, option)| earlier_names(option).any(|old| old == entry.key)).collect();
        }
        let mut known = false;
        for (name, option) in taken {
            let values = values::values(text, entry, option)?;
            let renamed = Renamed { old: entry.key.clone(), new: name.to_owned(), line };
            if name != entry.key && !self.renamed.contains(&renamed) {
                self.renamed.push(renamed);
            }
            self.values.insert((table.map(str::to_owned), name.to_owned()), Setting { values, line });
            known = true;
        }
        if !known {
            let mut known: Vec<String> = commands.iter().flat_map(|command| names(command)).collect();
            known.sort();
            known.dedup();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let of = table.map_or("the command line".to_owned(), |name| format!("{} {name}", layers.program));
            return Err(match is_of_one_run(commands, &entry.key) {
                true => {
                    let message = format!("'{}' applies to one run and cannot be configured", entry.key);
                    text.error(TomlProblem::UnknownKey, entry.key_span.clone(), message)
                }
                false => text.unknown(entry, &of, &known),
            });
        }
        Ok(())
    }

    /// The setting of an option of a command; the command's own table takes precedence over the top level of
    /// the file.
    fn of_option(&self, command: Option<&str>, option: &str) -> Option<&Setting> {
        let own = command.and_then(|name| self.values.get(&(Some(name.to_owned()), option.to_owned())));
        own.or_else(|| self.values.get(&(None, option.to_owned())))
    }

    /// The line of the file that sets an option.
    pub fn line(&self, command: Option<&str>, option: &str) -> Option<usize> {
        self.of_option(command, option).map(|setting| setting.line)
    }

    /// The definition with the settings as defaults.
    pub fn apply(&self, definition: Command) -> Command {
        let set = |argument: Arg, command: Option<&str>| {
            let setting = argument.get_long().and_then(|option| self.of_option(command, option));
            match setting {
                Some(setting) => argument.default_values(setting.values.clone()),
                None => argument,
            }
        };
        definition.mut_args(|argument| set(argument, None)).mut_subcommands(|command| {
            if command.has_subcommands() {
                return command;
            }
            let name = command.get_name().to_owned();
            command.mut_args(|argument| set(argument, Some(&name)))
        })
    }
}

/// Whether an option of this name exists that files cannot set.
fn is_of_one_run(commands: &[&Command], name: &str) -> bool {
    commands.iter().any(|command| command.get_arguments().any(|option| option.get_long() == Some(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYERS: Layers = Layers {
        program: "tool",
        file: "t.toml",
        prefix: "T_",
        fixed: &[],
        fixed_headings: &[],
        others: &[],
    };

    #[test]
    fn an_earlier_name_sets_the_option_and_is_reported() {
        let compare = Command::new("compare").arg(Arg::new("e").long("max-error").alias("fail-above"));
        let edit = Command::new("edit").arg(Arg::new("f").long("fail-above"));
        let definition = Command::new("tool").subcommands([compare, edit]);
        let read = |toml: &str| {
            let text = Text::new("t.toml", toml.as_bytes().to_vec()).unwrap();
            Settings::new(&text, &LAYERS, &definition).unwrap()
        };
        let found = read("\n[compare]\nfail-above = '1mm'\n");
        assert_eq!(found.line(Some("compare"), "max-error"), Some(3));
        let renamed = Renamed { old: "fail-above".into(), new: "max-error".into(), line: 3 };
        assert_eq!(found.renamed, [renamed]);
        // If a command has the name now, the file means that option.
        let found = read("fail-above = '1mm'\n");
        assert_eq!(
            (found.line(Some("compare"), "max-error"), found.line(Some("edit"), "fail-above")),
            (None, Some(1))
        );
        assert!(found.renamed.is_empty());
    }
}
