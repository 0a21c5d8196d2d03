//! What is said where the words of the command line make no sense.

use std::ffi::OsString;
use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::help::{page_of_words, print_help};
use crate::diagnostic::Diagnostic;
use crate::rows::{ErrorRow, json};

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
    error.exit()
}

/// The row of a wrong command line: it is about no input.
pub(super) fn row(error: &clap::Error) -> String {
    json(&ErrorRow::misuse(&Diagnostic::new("usage::arguments", sentence(error))))
}

/// The first paragraph of the message, on one line.
fn sentence(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
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
        assert!(said(&["mocap", "info", "a", "--input-fps", "0"]).ends_with("such as 30000/1001"));
    }
}
