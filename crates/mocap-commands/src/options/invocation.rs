//! The command and its options, as manifests record them. They are read from the definition of the command
//! line, so no option is forgotten.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, ValueHint};
use mocap_batch::Content;

use super::EDITS_HEADING;

/// Options that do not affect outputs.
const NEUTRAL: &[&str] = &[
    "inputs",
    "paths",
    "include",
    "exclude",
    "files_from",
    "jobs",
    "shard",
    "timeout",
    "fail_fast",
    "keep_going",
    "output",
    "overwrite",
    "skip_existing",
    "resume",
    "manifest",
    "dry_run",
    "json",
    "blocks",
    "quiet",
    "color",
    "progress",
    "config",
    "explain",
    "print_config",
    "help",
    "version",
];

/// A command and its options.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    pub(crate) command: String,
    options: BTreeMap<String, Given>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
    Text(String),
    /// Files, recorded by their content.
    Files(Vec<PathBuf>),
}

impl Invocation {
    /// The command and options that were typed.
    pub fn of(definition: &Command, matches: &ArgMatches) -> Invocation {
        let Some((name, matches)) = matches.subcommand() else { return Invocation::default() };
        let Some(definition) = definition.find_subcommand(name) else { return Invocation::default() };
        let counts = |argument: &&Arg| !NEUTRAL.contains(&argument.get_id().as_str());
        let given = |argument: &Arg| {
            let id = argument.get_id().as_str();
            let values = matches.try_get_raw(id).ok().flatten()?;
            // A switch that is off has a value as well; it is recorded as not given.
            let off = matches!(argument.get_action(), clap::ArgAction::SetTrue) && !matches.get_flag(id);
            let is_path = argument.get_value_hint() == ValueHint::AnyPath;
            let given = match is_path {
                true => Given::Files(values.map(PathBuf::from).collect()),
                false => {
                    Given::Text(values.map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(" "))
                }
            };
            let flag = argument.get_long().map_or_else(|| id.to_owned(), |long| format!("--{long}"));
            (!off).then_some((flag, given))
        };
        let mut options: BTreeMap<String, Given> =
            definition.get_arguments().filter(counts).filter_map(given).collect();
        let order = order_of_edits(definition, matches);
        if order.len() > 1 {
            options.insert("edits".to_owned(), Given::Text(order.join(" ")));
        }
        Invocation { command: name.to_owned(), options }
    }

    /// The options as text; files as their names and a hash of their content.
    pub(crate) fn options(&self) -> BTreeMap<String, String> {
        let text = |given: &Given| match given {
            Given::Text(text) => text.clone(),
            Given::Files(paths) => {
                let facts = paths.iter().map(|path| match Content::of_file(path) {
                    Ok(content) => named(path, content),
                    // A file that cannot be read is reported by the command, not here.
                    Err(_) => path.display().to_string(),
                });
                facts.collect::<Vec<_>>().join(" ")
            }
        };
        self.options.iter().map(|(flag, given)| (flag.clone(), text(given))).collect()
    }
}

/// The flags of edits in the order in which they were typed, because the result depends on it.
fn order_of_edits(definition: &Command, matches: &ArgMatches) -> Vec<String> {
    let mut typed: Vec<(usize, String)> = Vec::new();
    let edits = definition.get_arguments().filter(|flag| flag.get_help_heading() == Some(EDITS_HEADING));
    for flag in edits {
        let id = flag.get_id().as_str();
        let given = matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
        let places = matches.indices_of(id).filter(|_| given).into_iter().flatten();
        typed.extend(places.map(|place| (place, flag.get_long().unwrap_or(id).to_owned())));
    }
    typed.sort();
    typed.into_iter().map(|(_, flag)| flag).collect()
}

/// A file by its name and content, without its folder.
pub(crate) fn named(path: &std::path::Path, content: Content) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    format!("{name} ({})", content.hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Program;

    fn options(arguments: &[&str]) -> BTreeMap<String, String> {
        let definition = Program::definition();
        let matches = definition.clone().try_get_matches_from([&["mocap"], arguments].concat()).unwrap();
        Invocation::of(&definition, &matches).options()
    }

    #[test]
    fn options_that_change_outputs_count_and_others_do_not() {
        let plain = options(&["convert", "a", "--to", "csv", "-o", "out/"]);
        assert_eq!(plain["--to"], "csv");
        assert!(plain.keys().all(|flag| flag.starts_with("--")), "{plain:?}");
        let neutral =
            ["convert", "b", "c", "--to", "csv", "-o", "x/", "-j", "4", "--resume", "--quiet", "--json"];
        assert_eq!(options(&neutral), plain);
        let strict = options(&["convert", "a", "--to", "csv", "-o", "out/", "--strict", "--fps", "30"]);
        assert_eq!((&*strict["--strict"], &*strict["--fps"]), ("true", "30"));
    }

    #[test]
    fn the_order_of_edits_counts() {
        let with = |edits: &[&str]| options(&[&["edit", "a", "-o", "out/"], edits].concat());
        let one = with(&["--mirror", "--trim", "1:9", "--fps", "30"]);
        assert_eq!(one["edits"], "mirror trim fps");
        assert_ne!(one, with(&["--mirror", "--fps", "30", "--trim", "1:9"]));
        assert!(!with(&["--mirror"]).contains_key("edits"));
    }

    #[test]
    fn of_files_the_content_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.asf");
        std::fs::write(&path, "one").unwrap();
        let with = || options(&["convert", "a", "--to", "csv", "--skeleton", path.to_str().unwrap()]);
        let before = with();
        assert!(before["--skeleton"].starts_with("x.asf ("), "{before:?}");
        std::fs::write(&path, "two").unwrap();
        assert_ne!(with(), before);
    }

    #[test]
    fn neutral_arguments_are_those_of_the_definition() {
        let definition = Program::definition();
        let known: Vec<&str> = definition
            .get_subcommands()
            .chain([&definition])
            .flat_map(Command::get_arguments)
            .map(|argument| argument.get_id().as_str())
            .collect();
        for name in NEUTRAL.iter().filter(|name| !["help", "version"].contains(name)) {
            assert!(known.contains(name), "no argument '{name}'");
        }
    }
}
