//! What is said where the words of the command line make no sense.

use std::ffi::OsString;
use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use mocap_commands::{Diagnostic, ErrorRow, json, sentence};
use mocap_settings::plain_words;

use super::help::{page_of_words, print_help};

/// Leaves with the message of a wrong command line, or with help that was asked for. With `--json` the message is
/// a row as well.
pub(super) fn leave(definition: &clap::Command, mut error: clap::Error, words: &[OsString]) -> ! {
    if error.kind() == ErrorKind::DisplayHelp {
        print_help(&page_of_words(definition.clone(), words));
        std::process::exit(0);
    }
    let asked = error.kind() == ErrorKind::DisplayVersion;
    // No file has the name of a misspelt flag: the suggestion there ("use '-- --flag'") misleads.
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
        if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
            && is_measure_below_zero(word)
        {
            let tip = "a value that begins with - is given with =, as in --duration=-3s".into();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
        }
        let words = [ContextKind::InvalidArg, ContextKind::SuggestedArg].map(|kind| match error.get(kind) {
            // All flags share the dashes: they do not count.
            Some(ContextValue::String(word)) => word.trim_start_matches('-').to_owned(),
            _ => String::new(),
        });
        // What shares no more than a few letters was not meant.
        if strsim::levenshtein(&words[0], &words[1]) * 3 > words[0].len() {
            error.remove(ContextKind::SuggestedArg);
            error.remove(ContextKind::Usage);
        }
    }
    if !asked && words.iter().take_while(|word| *word != "--").any(|word| word == "--json") {
        // Nothing can be said where stdout is gone.
        let _ = writeln!(std::io::stdout().lock(), "{}", row(&error));
    }
    let text = error.render().to_string();
    let plain = plain_words(&text);
    if plain == text {
        error.exit()
    }
    let _ = write!(std::io::stderr().lock(), "{plain}");
    std::process::exit(error.exit_code())
}

/// A word that begins like a number below 0 and is none, such as `-3s`.
fn is_measure_below_zero(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

/// The row of a wrong command line: it is about no input.
pub(super) fn row(error: &clap::Error) -> String {
    json(&ErrorRow::misuse(&Diagnostic::new("usage::arguments", sentence(error))))
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
        assert!(said(&["mocap", "blend", "a", "b", "--weight", "50%"]).contains("expected a number"));
        assert!(said(&["mocap", "info", "a", "--input-fps", "0"]).ends_with("such as 30000/1001"));
    }
}
