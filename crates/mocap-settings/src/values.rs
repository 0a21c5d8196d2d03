//! Validates values of a file with the definition of the option that they set.

use std::error::Error;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use mocap_toml::{Cell, Entry, Text, TomlError, TomlProblem, Value, did_you_mean};

use crate::Kind;

/// The values of an entry that sets an option, as typed on a command line.
///
/// # Errors
/// If the entry has another type than the option, or a value that the option does not accept.
pub(super) fn values(text: &Text, entry: &Entry, option: &Arg) -> Result<Vec<String>, TomlError> {
    let cells: &[Cell] = match (Kind::of(option), &entry.cell.value) {
        (Kind::Switch, Value::Flag(on)) => return Ok(vec![on.to_string()]),
        (Kind::Switch, _) => return Err(text.mistyped(entry, "true or false")),
        (Kind::Many, Value::List(cells)) => cells,
        (Kind::One | Kind::Many, _) => std::slice::from_ref(&entry.cell),
    };
    let value = |cell: &Cell| {
        let value = cell.value.scalar().ok_or_else(|| text.mistyped(entry, "text or a number"))?;
        check(option, value).map_err(|(message, help)| {
            let error =
                text.error(TomlProblem::Value, cell.span.clone(), format!("'{}': {message}", entry.key));
            help.into_iter().fold(error, TomlError::help)
        })?;
        Ok(value.to_owned())
    };
    cells.iter().map(value).collect()
}

/// Checks whether an option accepts a value; if not, a message and advice.
fn check(option: &Arg, value: &str) -> Result<(), (String, Option<String>)> {
    let name = option.get_long().unwrap_or_default().to_owned();
    // Without relations to other options.
    let only = Arg::new(option.get_id().clone()).long(name.clone()).action(option.get_action().clone());
    let only = only.value_parser(option.get_value_parser().clone());
    let command = Command::new("config").no_binary_name(true).disable_help_flag(true).arg(only);
    command.try_get_matches_from([format!("--{name}={value}")]).map(drop).map_err(|error| plain(&error))
}

/// Replaces messages of Rust's number parsers by a description of what is expected.
pub fn plain_words(text: &str) -> String {
    let words = [
        ("invalid digit found in string", "expected a whole number"),
        ("cannot parse integer from empty string", "expected a whole number"),
        ("number too large to fit in target type", "the number is too large"),
        ("number too small to fit in target type", "the number is too small"),
        ("invalid float literal", "expected a number, such as 0.5"),
        ("cannot parse float from empty string", "expected a number, such as 0.5"),
    ];
    words.iter().fold(text.to_owned(), |text, (before, after)| text.replace(before, after))
}

/// The message of the command line parser without its decoration, and the words that the option accepts.
fn plain(error: &clap::Error) -> (String, Option<String>) {
    let given = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.clone(),
        _ => String::new(),
    };
    match (error.kind(), error.get(ContextKind::ValidValue)) {
        (ErrorKind::InvalidValue, _) if given.is_empty() => ("the value is empty".into(), None),
        (ErrorKind::InvalidValue, Some(ContextValue::Strings(known))) => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            (format!("'{given}' is not one of {}", known.join(", ")), did_you_mean(&given, &known))
        }
        (ErrorKind::ValueValidation, _) => {
            let why = plain_words(&error.source().map(ToString::to_string).unwrap_or_default());
            (format!("'{given}': {why}"), None)
        }
        _ => {
            let text = error.render().to_string();
            let line = text.lines().next().unwrap_or_default();
            (line.strip_prefix("error: ").unwrap_or(line).to_owned(), None)
        }
    }
}
