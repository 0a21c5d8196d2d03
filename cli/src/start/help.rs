//! Help: one page per command, with its own options first, and one page per group of options that commands share.

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, Command};
use mocap_commands::{Diagnostic, Exit};
use mocap_formats::nearest_name;

/// The options that commands share.
struct Topic {
    name: &'static str,
    /// The headings of its options.
    headings: &'static [&'static str],
    about: &'static str,
}

const TOPICS: &[Topic] = &[
    Topic {
        name: "inputs",
        headings: &["Inputs"],
        about: "Inputs: which files a command reads\n\n\
             An input is a file, a directory, a glob in quotes, or - for stdin. A directory is searched recursively for \
             motion files, links included. A failed input does not stop the others; a summary ends the run. Outputs \
             have the same bytes for any --jobs.",
    },
    Topic {
        name: "reading",
        headings: &["Reading"],
        about: "Reading: what the values of the inputs mean\n\n\
             A BVH states neither unit nor axes, and an AMC no rate. Options that begin with --input- state what the \
             values are and change none of them; the same names without it are edits of the output. info, validate, \
             compare and skel take --unit for --input-unit.",
    },
    Topic {
        name: "output",
        headings: &["Output", "Messages and settings"],
        about: "Output: where results and messages go\n\n\
             Files are written atomically: under a temporary name, renamed when complete. Two inputs with one output \
             and an output that is an input are refused before any work. So are existing outputs, unless --overwrite, \
             --skip-existing or --resume is given. stdout carries results only, stderr messages and progress. An \
             option is set by its flag, else by a variable MOCAP_* (MOCAP_JOBS=4), else by mocap.toml, else by its \
             default.",
    },
];

/// The page of `mocap help OF...`.
///
/// # Errors
/// If the command or topic does not exist.
pub(super) fn page(mut definition: Command, of: &[String]) -> Result<String, Diagnostic> {
    definition.build();
    let mut command = &definition;
    for (depth, name) in of.iter().enumerate() {
        if let (0, Some(topic)) = (depth, TOPICS.iter().find(|topic| topic.name == name)) {
            return Ok(topic.page(&definition));
        }
        command = command.find_subcommand(name).ok_or_else(|| unknown(command, name))?;
    }
    Ok(of_command(command))
}

/// The page of the command that these words name, somewhere beside flags.
pub(super) fn page_of_words(definition: Command, words: &[OsString]) -> String {
    let mut of = Vec::new();
    let mut command = &definition;
    for word in words.iter().filter_map(|word| word.to_str()).skip(1) {
        if let Some(found) = command.find_subcommand(word) {
            command = found;
            of.push(word.to_owned());
        }
    }
    page(definition, &of).unwrap_or_default()
}

/// Prints a page. A reader of stdout that has gone away is not an error.
pub(crate) fn print_help(page: &str) -> Exit {
    let _ = anstream::stdout().lock().write_all(page.as_bytes());
    Exit::Success
}

fn of_command(command: &Command) -> String {
    let about = command.get_long_about().or(command.get_about()).cloned().unwrap_or_default();
    let folded = |argument: Arg| -> Arg {
        let heading = argument.get_help_heading().unwrap_or_default();
        match TOPICS.iter().find(|topic| topic.headings.contains(&heading)) {
            Some(topic) => {
                let heading = format!("{heading} (details: mocap help {})", topic.name);
                argument.help_heading(heading)
            }
            None => argument,
        }
    };
    command.clone().about(about).mut_args(folded).render_help().ansi().to_string()
}

impl Topic {
    fn page(&self, definition: &Command) -> String {
        let convert = definition.find_subcommand("convert").expect("it has all options that commands share");
        let is_shared = |argument: &&Arg| {
            argument.get_help_heading().is_some_and(|heading| self.headings.contains(&heading))
        };
        let arguments = convert.get_arguments().filter(is_shared).cloned();
        let full = |argument: Arg| {
            let said = argument.get_help().is_some_and(|help| help.to_string().contains("[default"));
            argument.hide_possible_values(false).hide_default_value(said)
        };
        let mut page = Command::new(self.name)
            .about(self.about)
            .max_term_width(100)
            .disable_help_flag(true)
            .help_template("{about-with-newline}\n{all-args}")
            .args(arguments.map(full));
        page.render_long_help().ansi().to_string()
    }
}

fn unknown(command: &Command, name: &str) -> Diagnostic {
    let topics = TOPICS.iter().map(|topic| topic.name);
    let known: Vec<&str> = command.get_subcommands().map(Command::get_name).chain(topics).collect();
    let error = Diagnostic::new("usage::arguments", format!("no command or topic is called '{name}'"));
    match nearest_name(name, known.iter().copied()) {
        Some(near) => error.help(format!("did you mean '{near}'?")),
        None => error.help(format!("there are {}", known.join(", "))),
    }
}
