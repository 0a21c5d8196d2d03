//! `mocap.toml`: found, checked, and turned into defaults of options.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};

use super::{FILE, commands, configurable, flags};
use crate::diagnostic::Diagnostic;
use crate::tables::{Entry, Text, Value};

/// What a `mocap.toml` sets.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The file, where there is one.
    pub(crate) path: Option<PathBuf>,
    /// By command (none: any that takes it) and option.
    values: BTreeMap<(Option<String>, String), Setting>,
}

/// A default.
#[derive(Clone, Debug)]
struct Setting {
    values: Vec<String>,
    line: usize,
}

impl Settings {
    /// The settings of a file that was named, else of the nearest one in the current directory and those above it;
    /// `none` or an empty name stands for no file.
    ///
    /// # Errors
    /// Where the file that was named cannot be read, or a key or value is none that the command line knows.
    pub(crate) fn find(named: Option<&Path>, definition: &Command) -> Result<Settings, Diagnostic> {
        let path = match named {
            Some(path) if path.as_os_str().is_empty() || path == Path::new("none") => {
                return Ok(Settings::default());
            }
            Some(path) => Some(path.to_owned()),
            None => nearest_file(),
        };
        match path {
            Some(path) => Settings::of(Text::read(&path)?, definition),
            None => Ok(Settings::default()),
        }
    }

    fn of(text: Text, definition: &Command) -> Result<Settings, Diagnostic> {
        let mut settings = Settings { path: Some(text.path.clone()), values: BTreeMap::new() };
        let table = text.parse()?;
        let every: Vec<&Command> = commands(definition).collect();
        for entry in &table {
            if let Value::Table(entries) = &entry.cell.value {
                let Some(command) = every.iter().find(|command| command.get_name() == entry.key) else {
                    // `manifest` and `generate` have commands of their own, none of which has settings.
                    if definition.find_subcommand(&entry.key).is_some() {
                        let message = format!("no option of 'mocap {}' can be configured", entry.key);
                        return Err(text.error("toml::unknown-key", entry.key_span.clone(), message));
                    }
                    let names: Vec<&str> = every.iter().map(|command| command.get_name()).collect();
                    return Err(text.unknown(entry, "mocap", &names));
                };
                for entry in entries {
                    settings.add(&text, &[command], Some(command.get_name()), entry)?;
                }
            } else {
                let global = [definition];
                settings.add(&text, &[&every[..], &global].concat(), None, entry)?;
            }
        }
        Ok(settings)
    }

    /// Takes an entry that is an option of any of these commands, and right for all that have it.
    fn add(
        &mut self,
        text: &Text,
        commands: &[&Command],
        table: Option<&str>,
        entry: &Entry,
    ) -> Result<(), Diagnostic> {
        let names = |command: &Command| -> Vec<String> {
            command.get_arguments().filter_map(configurable).map(str::to_owned).collect()
        };
        let taken = commands.iter().filter(|command| names(command).contains(&entry.key));
        let mut values = None;
        for command in taken {
            let option = command.get_arguments().find(|argument| argument.get_long() == Some(&entry.key));
            values = option.map(|option| flags::values(text, entry, option)).transpose()?;
        }
        let Some(values) = values else {
            let mut known: Vec<String> = commands.iter().flat_map(|command| names(command)).collect();
            known.sort();
            known.dedup();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let of = table.map_or("the command line".to_owned(), |name| format!("mocap {name}"));
            let one_run = commands.iter().any(|command| {
                command.get_arguments().any(|argument| argument.get_long() == Some(&entry.key))
            });
            return Err(match one_run {
                true => {
                    let message = format!("'{}' belongs to one run, and cannot be configured", entry.key);
                    text.error("toml::unknown-key", entry.key_span.clone(), message)
                }
                false => text.unknown(entry, &of, &known),
            });
        };
        let line = text.error("", entry.key_span.clone(), String::new()).place.map_or(0, |(line, _)| line);
        self.values.insert((table.map(str::to_owned), entry.key.clone()), Setting { values, line });
        Ok(())
    }

    /// What is set for an option of a command; its own table comes before the top of the file.
    fn of_option(&self, command: Option<&str>, option: &str) -> Option<&Setting> {
        let own = command.and_then(|name| self.values.get(&(Some(name.to_owned()), option.to_owned())));
        own.or_else(|| self.values.get(&(None, option.to_owned())))
    }

    /// The line of the file that sets an option.
    pub(crate) fn line(&self, command: Option<&str>, option: &str) -> Option<usize> {
        self.of_option(command, option).map(|setting| setting.line)
    }

    /// The definition with the settings as defaults.
    pub(crate) fn apply(&self, definition: Command) -> Command {
        let set = |argument: Arg, command: Option<&str>| {
            let setting = configurable(&argument).and_then(|option| self.of_option(command, option));
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

fn nearest_file() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::definition;

    fn settings(toml: &str) -> Result<Settings, Diagnostic> {
        Settings::of(Text::of(toml), &definition())
    }

    #[test]
    fn a_table_of_a_command_comes_before_the_top() {
        let settings = settings("jobs = 2\nscale = 2\n[compress]\njobs = 3\nerror = '1mm'\n").unwrap();
        let values = |command, option| settings.of_option(Some(command), option).map(|s| s.values.clone());
        assert_eq!(values("compress", "jobs"), Some(vec!["3".into()]));
        assert_eq!(values("convert", "jobs"), Some(vec!["2".into()]));
        assert_eq!(values("convert", "error"), None);
        assert_eq!(settings.line(Some("compress"), "error"), Some(5));
    }

    #[test]
    fn what_the_command_line_does_not_know_is_refused() {
        let wrong = |toml: &str| {
            let error = settings(toml).unwrap_err();
            (error.place.unwrap(), error.message, error.help.unwrap_or_default())
        };
        assert_eq!(wrong("jbos = 2\n").2, "did you mean 'jobs'?");
        assert_eq!(wrong("a = 1\n").0, (1, 1));
        assert_eq!(
            wrong("[compres]\n"),
            ((1, 2), "mocap has no 'compres'".into(), "did you mean 'compress'?".into())
        );
        assert_eq!(wrong("[compress]\nerror = '1 yard'\n").0, (2, 9));
        assert_eq!(wrong("[info]\nerror = '1mm'\n").0, (2, 1));
        assert_eq!(wrong("[manifest]\n").1, "no option of 'mocap manifest' can be configured");
        assert!(wrong("overwrite = true\n").1.contains("belongs to one run"));
        assert!(wrong("jobs = 0\n").1.contains("0 is not in 1.."), "{}", wrong("jobs = 0\n").1);
    }
}
