//! Help pages: one per command, with its own options first, and one per group of shared options.

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, Command};
use mocap_commands::{Diagnostic, Exit};
use mocap_model::nearest_name;

/// A group of options that commands share.
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
             values are and change none of them; the same names without it are edits of the output.",
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

/// Commands by task, in the order of the main help page. Commands in no group come last.
const GROUPS: &[(&str, &[&str])] = &[
    ("Look at motions", &["info", "validate", "view", "sheet", "plot", "render", "gallery"]),
    ("Convert and compress", &["convert", "compress", "decompress", "compare"]),
    ("Edit", &["edit", "bands", "fourier", "warp", "terrain", "split"]),
    ("Combine", &["join", "blend", "play"]),
    ("Put on other bodies", &["retarget", "skel", "bake"]),
    ("Make characters and motions", &["rig", "face", "poses", "solve"]),
    ("Find", &["find", "index", "label"]),
    ("Many clips", &["run", "manifest"]),
];

/// How much help is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Usage, own options and examples, on one screen.
    Short,
    /// All options.
    Full,
}

/// The page of `mocap help OF...`.
///
/// # Errors
/// If the command or topic does not exist.
pub(super) fn page(mut definition: Command, of: &[String], detail: Detail) -> Result<String, Diagnostic> {
    definition.build();
    let mut command = &definition;
    for (depth, name) in of.iter().enumerate() {
        if let (0, Some(topic)) = (depth, TOPICS.iter().find(|topic| topic.name == name)) {
            return Ok(topic.page(&definition));
        }
        command = command.find_subcommand(name).ok_or_else(|| unknown(command, name))?;
    }
    Ok(match (command.has_subcommands(), detail) {
        (true, _) if of.is_empty() => of_program(command, detail),
        (false, Detail::Short) => short(command),
        _ => of_command(command),
    })
}

/// The page of the command among these words, which may contain flags as well.
pub(super) fn page_of_words(definition: Command, words: &[OsString], detail: Detail) -> String {
    let mut of = Vec::new();
    let mut command = &definition;
    for word in words.iter().filter_map(|word| word.to_str()).skip(1) {
        if let Some(found) = command.find_subcommand(word) {
            command = found;
            of.push(word.to_owned());
        }
    }
    page(definition, &of, detail).unwrap_or_default()
}

/// Prints a page. A reader of stdout that has closed it is not an error.
pub(crate) fn print_help(page: &str) -> Exit {
    let _ = anstream::stdout().lock().write_all(page.as_bytes());
    Exit::Success
}

/// The topic of a shared option.
fn topic_of(option: &Arg) -> Option<usize> {
    let heading = option.get_help_heading().unwrap_or_default();
    TOPICS.iter().position(|topic| topic.headings.contains(&heading))
}

/// All options of a command: its own first, then the shared ones.
fn of_command(command: &Command) -> String {
    let about = command.get_long_about().or(command.get_about()).cloned().unwrap_or_default();
    let folded = |argument: Arg| -> Arg {
        let heading = argument.get_help_heading().unwrap_or_default();
        match topic_of(&argument) {
            Some(topic) => {
                let heading = format!("{heading} (details: mocap help {})", TOPICS[topic].name);
                argument.help_heading(heading)
            }
            None => argument,
        }
    };
    let mut page = command.clone().about(about);
    if !command.has_subcommands() {
        // Headings are in the order of their first options.
        let mut options: Vec<Arg> = command.get_arguments().cloned().collect();
        options.sort_by_key(|option| topic_of(option).map_or(0, |topic| topic + 1));
        let usage = command.clone().render_usage().to_string();
        let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).to_owned();
        page = Command::new(command.get_name().to_owned())
            .about(page.get_about().cloned().unwrap_or_default())
            .override_usage(usage)
            .max_term_width(WIDTH)
            .disable_help_flag(true)
            .args(options);
        if let Some(examples) = command.get_after_help() {
            page = page.after_help(examples.clone());
        }
    }
    page.mut_args(folded).render_help().ansi().to_string()
}

/// The widest line [characters].
const WIDTH: usize = 100;
/// Greatest number of lines of a short page.
const LINES: usize = 45;

/// The short page of a command: usage, own options, examples. Groups of options that do not fit are listed by
/// name only.
fn short(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let mut before = wrapped(&about);
    before.extend(["".to_owned(), usage.trim_end().to_owned()]);
    let mut after: Vec<String> = Vec::new();
    if let Some(examples) = command.get_after_help() {
        after.push(String::new());
        after.extend(examples.to_string().lines().map(str::to_owned));
    }
    let name = command.get_bin_name().unwrap_or(command.get_name());
    after.push(String::new());
    after.push(format!("All options: {name} --help. Shared ones: mocap help inputs, reading or output."));
    let own = groups(command);
    let mut room = LINES.saturating_sub(before.len() + after.len());
    let compact: Vec<Vec<String>> = own.iter().map(|(heading, options)| named(heading, options)).collect();
    // Each group gets at least enough lines for the names of its options.
    let mut needed: usize = compact.iter().map(|lines| lines.len() + 1).sum();
    let mut lines = before;
    for ((heading, options), compact) in own.iter().zip(compact) {
        needed -= compact.len() + 1;
        let full = listed(heading, options);
        let chosen = if full.len() + 1 + needed <= room { full } else { compact };
        room = room.saturating_sub(chosen.len() + 1);
        lines.push(String::new());
        lines.extend(chosen);
    }
    lines.extend(after);
    lines.join("\n") + "\n"
}

/// The own options of a command by heading, in order.
fn groups(command: &Command) -> Vec<(String, Vec<&Arg>)> {
    let mut groups: Vec<(String, Vec<&Arg>)> = Vec::new();
    let own = command.get_arguments().filter(|option| {
        !option.is_hide_set()
            && topic_of(option).is_none()
            && option.get_long().is_some_and(|long| long != "help")
    });
    for option in own {
        let heading = option.get_help_heading().unwrap_or("Options");
        match groups.iter_mut().find(|(known, _)| known == heading) {
            Some((_, options)) => options.push(option),
            None => groups.push((heading.to_owned(), vec![option])),
        }
    }
    groups
}

/// The syntax of an option: `--to <FORMAT>`.
fn typed(option: &Arg) -> String {
    let short = option.get_short().map_or(String::new(), |short| format!("-{short}, "));
    let long = option.get_long().unwrap_or_default();
    let names = option.get_value_names().unwrap_or_default();
    let values: String = match (option.get_action().takes_values(), option.is_require_equals_set()) {
        // An optional value needs `=`: a word after a space would be another argument.
        (true, true) => names.iter().map(|name| format!("[=<{name}>]")).collect(),
        (true, false) => names.iter().map(|name| format!(" <{name}>")).collect(),
        (false, _) => String::new(),
    };
    format!("{short}--{long}{values}")
}

/// A group with one line per option.
fn listed(heading: &str, options: &[&Arg]) -> Vec<String> {
    let typed: Vec<String> = options.iter().map(|option| typed(option)).collect();
    let width = typed.iter().map(String::len).max().unwrap_or(0).min(30);
    let line = |(typed, option): (String, &&Arg)| {
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        let room = WIDTH.saturating_sub(typed.len().max(width) + 4);
        format!("  {typed:<width$}  {}", cut(help.lines().next().unwrap_or_default(), room))
    };
    let lines = typed.into_iter().zip(options).map(line);
    std::iter::once(format!("{heading}:")).chain(lines).collect()
}

/// A group with only the names of its options.
fn named(heading: &str, options: &[&Arg]) -> Vec<String> {
    let mut lines = vec![format!("{heading}:")];
    let mut line = String::from(" ");
    for option in options {
        let word = typed(option);
        if line.len() + 1 + word.len() > WIDTH {
            lines.push(std::mem::replace(&mut line, String::from(" ")));
        }
        line.push(' ');
        line.push_str(&word);
    }
    lines.push(line);
    lines
}

/// The start of a text that fits into `room` characters: up to the end of a clause outside brackets, else of a
/// word.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let start: String = text.chars().take(room.saturating_sub(2)).collect();
    let is_whole = |end: &usize| {
        let count = |sign: char| start[..*end].matches(sign).count();
        *end > room / 3 && count('(') == count(')') && count('[') == count(']')
    };
    let ends = [". ", "; ", ": ", ", ", " [", " ("].iter();
    let clause = ends.flat_map(|end| start.match_indices(end).map(|(at, _)| at)).filter(is_whole).max();
    match clause {
        Some(end) => start[..end].to_owned(),
        None => format!("{} …", &start[..start.rfind(' ').unwrap_or(start.len())]),
    }
}

/// Wraps a text.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The main page: commands by task.
fn of_program(program: &Command, detail: Detail) -> String {
    let about = program.get_about().map(ToString::to_string).unwrap_or_default();
    let visible = || program.get_subcommands().filter(|command| !command.is_hide_set());
    let known: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let width = visible().map(|command| command.get_name().len()).max().unwrap_or(0);
    let line = |command: &Command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let about = cut(&about, WIDTH.saturating_sub(width + 4));
        format!("  {:<width$}  {about}\n", command.get_name())
    };
    let about = wrapped(&about).join("\n");
    let mut page = format!("{about}\n\nUsage: mocap <COMMAND> [OPTIONS]\n");
    for (group, names) in GROUPS {
        let lines: String = names.iter().filter_map(|name| program.find_subcommand(name)).map(line).collect();
        page.push_str(&format!("\n{group}:\n{lines}"));
    }
    let others: String = visible().filter(|command| !known.contains(&command.get_name())).map(line).collect();
    page.push_str(&format!("\nMore:\n{others}"));
    if detail == Detail::Full {
        let all: Vec<&Arg> = program.get_arguments().filter(|option| option.get_long().is_some()).collect();
        page.push_str(&format!("\n{}\n", listed("Options of every command", &all).join("\n")));
    }
    let after = program.get_after_help().map(ToString::to_string).unwrap_or_default();
    format!("{page}\n{after}\n")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    fn verbs() -> Vec<String> {
        let mut definition = config::definition();
        definition.build();
        let verbs = definition.get_subcommands().filter(|verb| !verb.has_subcommands());
        verbs.map(|verb| verb.get_name().to_owned()).filter(|name| name != "help").collect()
    }

    fn shown(of: &[String], detail: Detail) -> String {
        anstream::adapter::strip_str(&page(config::definition(), of, detail).unwrap()).to_string()
    }

    #[test]
    fn short_help_fits_on_a_screen() {
        for verb in verbs() {
            let page = shown(std::slice::from_ref(&verb), Detail::Short);
            let lines = page.lines().count();
            assert!(lines <= LINES, "{verb}: {lines} lines\n{page}");
            assert!(page.lines().all(|line| line.chars().count() <= WIDTH + 20), "{verb}\n{page}");
            assert!(
                page.contains("Usage: mocap") && page.contains(&format!("mocap {verb} --help")),
                "{page}"
            );
            // Every option of the command is there.
            let definition = config::definition();
            let command = definition.find_subcommand(&verb).unwrap();
            for (_, options) in groups(command) {
                for option in options {
                    assert!(
                        page.contains(&format!("--{}", option.get_long().unwrap())),
                        "{verb}: {option}\n{page}"
                    );
                }
            }
        }
        assert!(shown(&[], Detail::Short).lines().count() <= 60);
    }

    #[test]
    fn own_options_come_before_shared_ones() {
        for verb in verbs() {
            let page = shown(std::slice::from_ref(&verb), Detail::Full);
            let definition = config::definition();
            let command = definition.find_subcommand(&verb).unwrap();
            let shared = page.find("(details: mocap help");
            for (heading, _) in groups(command) {
                let at = page
                    .find(&format!("\n{heading}:"))
                    .unwrap_or_else(|| panic!("{verb}: {heading}\n{page}"));
                assert!(shared.is_none_or(|shared| at < shared), "{verb}: {heading}\n{page}");
            }
        }
    }

    #[test]
    fn commands_are_grouped_by_task() {
        let definition = config::definition();
        for name in GROUPS.iter().flat_map(|(_, names)| names.iter()) {
            assert!(definition.find_subcommand(name).is_some(), "{name}");
        }
        let page = shown(&[], Detail::Short);
        for verb in verbs() {
            assert_eq!(
                page.lines().filter(|line| line.starts_with(&format!("  {verb} "))).count(),
                1,
                "{verb}"
            );
        }
    }

    #[test]
    fn long_help_is_cut_at_a_clause() {
        assert_eq!(cut("Keep it; the rest goes", 30), "Keep it; the rest goes");
        assert_eq!(cut("Keep only this range, end excluded: frames from 0", 30), "Keep only this range");
        assert_eq!(cut("Such as 0.1mm [0: every frame; default: 0.01mm]", 30), "Such as 0.1mm");
        assert_eq!(cut("One two three four five six seven", 20), "One two three …");
    }
}
