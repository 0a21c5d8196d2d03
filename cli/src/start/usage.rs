//! Messages about invalid command lines.

use std::ffi::OsString;
use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use mocap_commands::{Diagnostic, ErrorRow, Global, json, sentence};
use mocap_settings::plain_words;

use super::help::{Detail, page_of_words, print_help};
use super::other_words;
use crate::console::Console;

/// Exits with the message about an invalid command line, or with requested help. With `--json`, the message is
/// also a row.
pub(super) fn leave(definition: &clap::Command, mut error: clap::Error, words: &[OsString]) -> ! {
    if error.kind() == ErrorKind::DisplayHelp {
        let short = words.iter().take_while(|word| *word != "--").all(|word| word != "--help");
        let detail = if short { Detail::Short } else { Detail::Full };
        print_help(&page_of_words(definition.clone(), words, detail));
        std::process::exit(0);
    }
    let asked = error.kind() == ErrorKind::DisplayVersion;
    // The suggestion to use '-- --flag' misleads: no file has the name of a misspelt flag.
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
        if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
            && is_measure_below_zero(word)
        {
            let tip = "a value that begins with - is given with =, as in --duration=-3s".into();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
        }
    }
    drop_unlikely(&mut error);
    if asked {
        error.exit()
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = std::io::stderr()
            .lock()
            .write_all(page_of_words(definition.clone(), words, Detail::Short).as_bytes());
        std::process::exit(2);
    }
    let found = diagnostic(definition, &error, words);
    if words.iter().take_while(|word| *word != "--").any(|word| word == "--json") {
        // If stdout is closed, the error cannot be reported there.
        let _ = writeln!(std::io::stdout().lock(), "{}", json(&ErrorRow::usage(&found)));
    }
    let _ = Console::new(&Global::default()).usage_error(&found);
    std::process::exit(2);
}

/// Removes suggestions that share only a few letters with the word.
fn drop_unlikely(error: &mut clap::Error) {
    // Leading dashes are ignored: all flags share them.
    let of = |value: Option<&ContextValue>| match value {
        Some(ContextValue::String(word)) => vec![word.trim_start_matches('-').to_owned()],
        Some(ContextValue::Strings(words)) => words.clone(),
        _ => Vec::new(),
    };
    for (given, suggested) in [
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
    ] {
        let (given, near) = (of(error.get(given)), of(error.get(suggested)));
        let Some(word) = given.first() else { continue };
        if !near.iter().any(|near| strsim::osa_distance(word, near) * 3 < word.len()) {
            error.remove(suggested);
            error.remove(ContextKind::Usage);
        }
    }
}

/// The suggestion for a command or option name of another program.
fn other_word(error: &clap::Error, command: &clap::Command) -> Option<String> {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) {
        return other_words::command(word).map(str::to_owned);
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let word = word.strip_prefix("--").filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    let option = other_words::option(command, word.split('=').next()?)?;
    values_of(command, &format!("--{option}"))
}

/// An invalid command line as a diagnostic: the error and advice.
fn diagnostic(definition: &clap::Command, error: &clap::Error, words: &[OsString]) -> Diagnostic {
    let text = plain_words(&error.to_string());
    let tips = text.lines().filter_map(|line| line.trim_start().strip_prefix("tip: "));
    let mut help: Vec<String> = tips.map(str::to_owned).collect();
    let mut built = definition.clone();
    built.build();
    let (name, command) = command_of(&built, words);
    if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && is_without_value(error)
    {
        help.extend(values_of(command, option));
    }
    if let Some(meant) = other_word(error, command) {
        help = vec![meant];
    }
    if error.kind() == ErrorKind::ArgumentConflict {
        help.push(format!("leave one of them out; `{name} --help` says what each is for"));
    }
    if error.kind() == ErrorKind::MissingRequiredArgument {
        let usage = command.clone().render_usage().to_string();
        help.push(usage.replacen("Usage", "usage", 1).lines().map(str::trim).collect::<Vec<_>>().join(" "));
    }
    if help.is_empty() {
        let what = if command.has_subcommands() { "commands" } else { "options" };
        help.push(format!("`{name} --help` lists the {what}"));
    }
    Diagnostic::new("usage::arguments", sentence(error)).help(help.join("; "))
}

/// Whether an option that takes a value has none, or an empty one.
fn is_without_value(error: &clap::Error) -> bool {
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.as_str(),
        _ => "",
    };
    error.kind() == ErrorKind::InvalidValue && value.is_empty()
}

/// The values of an option, from its help. `option` has the form of messages: `--to <FORMAT>`.
fn values_of(command: &clap::Command, option: &str) -> Option<String> {
    let long = option.split([' ', '=']).next()?.strip_prefix("--")?;
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some(long))?;
    let words: Vec<String> =
        argument.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
    match (argument.get_help(), words.is_empty()) {
        (Some(help), true) => Some(format!("--{long}: {help}")),
        // The message lists the possible words already.
        _ => None,
    }
}

/// The command that these words name, and its name as typed.
fn command_of<'a>(definition: &'a clap::Command, words: &[OsString]) -> (String, &'a clap::Command) {
    let mut found = (definition.get_name().to_owned(), definition);
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(command) = found.1.find_subcommand(word) {
            found = (format!("{} {word}", found.0), command);
        }
    }
    found
}

/// Whether a word starts like a negative number but is not one, such as `-3s`.
fn is_measure_below_zero(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

/// The row for an invalid command line; it is about no input.
pub(super) fn row(definition: &clap::Command, mut error: clap::Error, words: &[OsString]) -> String {
    drop_unlikely(&mut error);
    json(&ErrorRow::usage(&diagnostic(definition, &error, words)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    fn said(words: &[&str]) -> String {
        sentence(&config::definition().try_get_matches_from(words).unwrap_err())
    }

    #[test]
    fn messages_are_one_sentence() {
        assert_eq!(said(&["mocap", "info", "--strct"]), "unexpected argument '--strct' found");
        let missing = said(&["mocap", "compare", "a.bvh"]);
        assert_eq!(missing, "the following required arguments were not provided: <B>");
        assert!(said(&["mocap", "info", "a", "--jobs", "x"]).ends_with("expected a whole number"));
        assert!(said(&["mocap", "edit", "a", "--repeat", "2.5"]).ends_with("expected a whole number"));
        assert!(said(&["mocap", "edit", "a", "--repeat", "-2"]).contains("-2 is not in 1.."));
        assert!(said(&["mocap", "blend", "a", "b", "--weights", "50%"]).contains("expected a number"));
        assert!(said(&["mocap", "info", "a", "--input-fps", "0"]).ends_with("such as 30000/1001"));
    }

    fn help(words: &[&str]) -> String {
        let definition = config::definition();
        let mut error = definition.clone().try_get_matches_from(words).unwrap_err();
        drop_unlikely(&mut error);
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        diagnostic(&definition, &error, &words).help.clone().unwrap()
    }

    #[test]
    fn messages_say_what_can_be_done() {
        let found = help(&["mocap", "convert", "a.bvh", "--to"]);
        assert!(found.starts_with("--to: Output format: bvh, ") && found.contains("fbx"), "{found}");
        let found = help(&["mocap", "edit", "a.bvh", "-o", "b.bvh", "--denoise"]);
        assert!(found.contains("butterworth:HZ"), "{found}");
        assert!(help(&["mocap", "info", "a", "--strct"]).contains("'--strict'"));
        assert!(help(&["mocap", "retarge", "a", "b"]).contains("'retarget'"));
        // Names from other programs, and words similar to no name.
        assert!(help(&["mocap", "export", "a.bvh"]).contains(" converts, trims, "));
        assert!(help(&["mocap", "convert", "a.bvh", "--frames", "10:250"]).starts_with("--trim: "));
        assert!(help(&["mocap", "frobnicate"]).ends_with("--help` lists the commands"));
        let found = help(&["mocap", "retarget", "a.bvh", "b.bvh", "--write-map", "m.json", "-o", "c.bvh"]);
        assert!(found.starts_with("leave one of them out"), "{found}");
        assert_eq!(help(&["mocap", "compare", "a.bvh"]), "usage: mocap compare [OPTIONS] <A> <B>");
        assert_eq!(help(&["mocap", "info", "a", "--jobs", "x"]), "`mocap info --help` lists the options");
    }
}
