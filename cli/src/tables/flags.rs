//! Keys that are flags: the table of a step or of a command is read by the definition of its command line, so that
//! names, units, ranges, words and defaults are the same in both.

use std::error::Error;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use super::{Cell, Entry, Text, Value};
use mocap_formats::nearest_name;

use crate::diagnostic::Diagnostic;

/// The flags that a table can set.
#[derive(Clone, Debug)]
pub(crate) struct Flags {
    command: Command,
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing: it is there or not.
    Switch,
    /// One value.
    One,
    /// Any number of values.
    Many,
}

impl Kind {
    /// What an argument takes.
    pub(crate) fn of(argument: &Arg) -> Kind {
        match argument.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => Kind::Switch,
            ArgAction::Append => Kind::Many,
            _ => Kind::One,
        }
    }
}

impl Flags {
    /// The flags of a type that holds arguments.
    pub(crate) fn of<A: clap::Args>() -> Flags {
        let mut command = A::augment_args(Command::new("step")).no_binary_name(true).disable_help_flag(true);
        command.build();
        Flags { command }
    }

    /// The flags of a command.
    pub(crate) fn of_command(command: Command) -> Flags {
        Flags { command: command.no_binary_name(true) }
    }

    /// The arguments, by the names of their keys.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (&str, &Arg)> {
        self.command.get_arguments().filter_map(|argument| Some((argument.get_long()?, argument)))
    }

    /// All keys.
    pub(crate) fn keys(&self) -> Vec<&str> {
        self.arguments().map(|(key, _)| key).collect()
    }

    /// What the entries would be on the command line: each is checked by itself.
    ///
    /// # Errors
    /// Where a key is no flag (`of` names whose), or a value is none that it takes.
    pub(crate) fn typed(&self, text: &Text, of: &str, entries: &[Entry]) -> Result<Vec<String>, Diagnostic> {
        let mut typed = Vec::new();
        for entry in entries {
            let argument = self.arguments().find(|(key, _)| *key == entry.key);
            let Some((_, argument)) = argument else {
                return Err(text.unknown(entry, of, &self.keys()));
            };
            for (value, cell) in values(text, entry, Kind::of(argument))? {
                self.check(&value, &entry.key).map_err(|(message, help)| {
                    let error = text.error("toml::value", cell.span.clone(), message);
                    help.into_iter().fold(error, Diagnostic::help)
                })?;
                typed.push(value);
            }
        }
        Ok(typed)
    }

    /// The arguments that the entries set, with the defaults of the others.
    ///
    /// # Errors
    /// As [`Flags::typed`], and where one is missing or excludes another; `at` is where that is said.
    pub(crate) fn read<A: FromArgMatches>(
        &self,
        text: &Text,
        (of, at): (&str, std::ops::Range<usize>),
        entries: &[Entry],
    ) -> Result<A, Diagnostic> {
        let typed = self.typed(text, of, entries)?;
        let missing = self.arguments().find(|(key, argument)| {
            argument.is_required_set() && !entries.iter().any(|entry| entry.key == *key)
        });
        if let Some((key, argument)) = missing {
            let help = argument.get_help().map(|help| format!("{key}: {help}"));
            let error = text.error("toml::missing", at, format!("{of} needs '{key}'"));
            return Err(help.into_iter().fold(error, Diagnostic::help));
        }
        let matches = self.matches(&typed).and_then(|matches| A::from_arg_matches(&matches));
        matches.map_err(|error| text.error("toml::value", at, format!("{of}: {}", plain(&error).0)))
    }

    fn matches(&self, typed: &[String]) -> Result<ArgMatches, clap::Error> {
        self.command.clone().try_get_matches_from(typed)
    }

    /// Whether a value can stand on the command line, with a message and advice where not.
    fn check(&self, typed: &str, key: &str) -> Result<(), (String, Option<String>)> {
        match self.matches(&[typed.to_owned()]) {
            Ok(_) => Ok(()),
            // Alone it lacks what the other entries give.
            Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => Ok(()),
            Err(error) => {
                let (message, help) = plain(&error);
                Err((format!("'{key}': {message}"), help))
            }
        }
    }
}

/// What an entry would be on the command line, and the cell of each part.
fn values<'a>(text: &Text, entry: &'a Entry, kind: Kind) -> Result<Vec<(String, &'a Cell)>, Diagnostic> {
    let (key, cell) = (&entry.key, &entry.cell);
    let one = |cell: &'a Cell| -> Result<(String, &'a Cell), Diagnostic> {
        let value = cell.value.scalar().ok_or_else(|| text.mistyped(entry, "text or a number"))?;
        Ok((format!("--{key}={value}"), cell))
    };
    match (kind, &cell.value) {
        (Kind::Switch, Value::Flag(on)) => Ok(on.then(|| (format!("--{key}"), cell)).into_iter().collect()),
        // A variable is text.
        (Kind::Switch, Value::Text(word)) if word == "true" => Ok(vec![(format!("--{key}"), cell)]),
        (Kind::Switch, Value::Text(word)) if word == "false" => Ok(Vec::new()),
        (Kind::Switch, _) => Err(text.mistyped(entry, "true or false")),
        (Kind::Many, Value::List(cells)) => cells.iter().map(one).collect(),
        (Kind::One | Kind::Many, _) => Ok(vec![one(cell)?]),
    }
}

/// What the parser of the command line says, without its frame, and the words that it knows.
pub(crate) fn plain(error: &clap::Error) -> (String, Option<String>) {
    let given = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.clone(),
        _ => String::new(),
    };
    match (error.kind(), error.get(ContextKind::ValidValue)) {
        (ErrorKind::InvalidValue, _) if given.is_empty() => ("nothing is stated".into(), None),
        (ErrorKind::InvalidValue, Some(ContextValue::Strings(known))) => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let near =
                nearest_name(&given, known.iter().copied()).map(|near| format!("did you mean '{near}'?"));
            (format!("'{given}' is none of {}", known.join(", ")), near)
        }
        (ErrorKind::ValueValidation, _) => {
            let why = error.source().map(ToString::to_string).unwrap_or_default();
            (format!("'{given}': {why}"), None)
        }
        _ => {
            let text = error.render().to_string();
            let line = text.lines().next().unwrap_or_default();
            (line.strip_prefix("error: ").unwrap_or(line).to_owned(), None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Reading;

    fn read(toml: &str) -> Result<Reading, Diagnostic> {
        let text = Text::of(toml);
        Flags::of::<Reading>().read(&text, ("a read step", 0..0), &text.parse()?)
    }

    #[test]
    fn tables_are_read_as_the_command_line_is() {
        let reading = read("input-fps = 59.94\ninput-unit = 'cm'\nrepair = true\nstrict = false\n").unwrap();
        assert_eq!(reading.input_fps.unwrap().fps(), 59.94);
        assert_eq!(reading.input_unit.unwrap().0, 0.01);
        assert!(reading.repair && !reading.strict);
        // An axis begins with a sign.
        assert_eq!(read("input-up = '-Z'").unwrap().input_up.unwrap().to_string(), "-Z");
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let wrong = |toml: &str| {
            let error = read(toml).unwrap_err();
            (error.code, error.place.unwrap(), error.message, error.help.unwrap_or_default())
        };
        let (code, place, _, help) = wrong("repair = true\ninput-unti = 'cm'\n");
        assert_eq!((code, place, help.as_str()), ("toml::unknown-key", (2, 1), "did you mean 'input-unit'?"));
        let (code, place, message, _) = wrong("input-unit = 'yard'\n");
        assert_eq!((code, place), ("toml::value", (1, 14)));
        assert!(message.contains("a unit is one of m, cm"), "{message}");
        let (_, place, message, help) = wrong("asf-units = 'cmuu'\n");
        assert_eq!(place, (1, 13));
        assert_eq!(
            (message.as_str(), help.as_str()),
            ("'asf-units': 'cmuu' is none of auto, cmu, spec, raw", "did you mean 'cmu'?")
        );
        assert_eq!(wrong("repair = 'yes'\n").0, "toml::type");
        assert_eq!(wrong("input-fps = [1]\n").0, "toml::type");
    }
}
