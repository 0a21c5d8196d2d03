//! Calls of verbs from a program: options as names and values, with the same names, checks, defaults and
//! settings as the flags of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Command, FromArgMatches};
use mocap_settings::plain_words;
use mocap_toml::did_you_mean;

use crate::commands::Verb;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{Invocation, new_name, renamed};
use crate::output::Output;
use crate::rows::usage_error;
use crate::settings::{self, Program};

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A switch; `false` is the same as leaving it out.
    Switch(bool),
    /// A text or number as typed on the command line, with a unit if it has one: `30`, `0.1mm`, `bvh`.
    One(OsString),
    /// Several values, for options that may be repeated.
    Many(Vec<OsString>),
    /// `NAME=VALUE` pairs, for options that set named values.
    Pairs(Vec<(String, OsString)>),
}

/// Options that only affect how a terminal shows results.
const OF_TERMINALS: [&str; 5] = ["json", "blocks", "quiet", "color", "progress"];

/// Calls a verb by its name, such as `convert` or `manifest merge`, with the semantics of the command line:
/// `mocap.toml` and environment variables apply, and manifests record the same options.
///
/// Option names are those of the flags, with `_` or `-` between words; `config` names a settings file. `paths`
/// are the positional arguments in order. If the options are invalid, the only row is an error without a path,
/// and the result is [`Exit::Usage`].
pub fn call(verb: &str, paths: &[PathBuf], options: &[(String, Given)], output: &mut dyn Output) -> Exit {
    let done = verb_of(verb, paths, options).and_then(|(verb, invocation)| verb.run(&invocation, output));
    done.unwrap_or_else(|error| usage_error(&error, output))
}

/// The verb with its options, and what manifests record.
fn verb_of(
    name: &str,
    paths: &[PathBuf],
    options: &[(String, Given)],
) -> Result<(Verb, Invocation), Diagnostic> {
    let definition = settings::definition(Program::definition());
    let mut command = &definition;
    for part in name.split_whitespace() {
        command = command.find_subcommand(part).ok_or_else(|| unknown_verb(command, part))?;
    }
    let mut words: Vec<OsString> =
        std::iter::once("mocap").chain(name.split_whitespace()).map(Into::into).collect();
    let mut config = std::env::var_os("MOCAP_CONFIG");
    for (option, value) in options {
        let long = option.replace('_', "-");
        match (long.as_str(), value) {
            ("config", Given::One(file)) => config = Some(file.clone()),
            (long, _) if OF_TERMINALS.contains(&long) => {}
            (long, value) => {
                let known = find(command, long).map(|_| long);
                let long = known.or_else(|| new_name(command, command.get_name(), long));
                let long = long.ok_or_else(|| unknown_option(name, command, option))?;
                words.extend(words_of(long, value));
            }
        }
    }
    words.push("--".into());
    words.extend(paths.iter().map(OsString::from));
    let file = settings::settings(config.map(PathBuf::from).as_deref(), &definition)?;
    let definition = file.apply(definition);
    let wrong = |error: clap::Error| Diagnostic::new("usage::arguments", sentence(&error));
    let matches = definition.clone().try_get_matches_from(words).map_err(wrong)?;
    let mut program = Program::from_arg_matches(&matches).map_err(wrong)?;
    program.verb.complete_outputs();
    Ok((program.verb, Invocation::of(&definition, &matches)))
}

/// Warnings about keywords that are old option names.
pub fn old_keywords<'a>(verb: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<Diagnostic> {
    let definition = Program::definition();
    let Some(command) = verb.split_whitespace().try_fold(&definition, |of, part| of.find_subcommand(part))
    else {
        return Vec::new();
    };
    let old = |name: &str| {
        let new = new_name(command, command.get_name(), &name.replace('_', "-"))?;
        Some(renamed(name, &new.replace('-', "_")))
    };
    names.into_iter().filter_map(old).collect()
}

fn find<'a>(command: &'a Command, long: &str) -> Option<&'a Arg> {
    let is = |argument: &&Arg| {
        let mut others = argument.get_visible_aliases().into_iter().flatten();
        argument.get_long() == Some(long) || others.any(|other| other == long)
    };
    command.get_arguments().find(is)
}

/// The words of a command line for an option.
fn words_of(long: &str, value: &Given) -> Vec<OsString> {
    let word = |value: &OsString| {
        let mut word = OsString::from(format!("--{long}="));
        word.push(value);
        word
    };
    match value {
        Given::Switch(false) => Vec::new(),
        Given::Switch(true) => vec![format!("--{long}").into()],
        Given::One(value) => vec![word(value)],
        Given::Many(values) => values.iter().map(word).collect(),
        Given::Pairs(pairs) => {
            let pair = |(name, value): &(String, OsString)| {
                let mut pair = OsString::from(format!("{name}="));
                pair.push(value);
                word(&pair)
            };
            pairs.iter().map(pair).collect()
        }
    }
}

fn unknown_verb(command: &Command, name: &str) -> Diagnostic {
    let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let help = did_you_mean(name, &known).unwrap_or_else(|| format!("commands are {}", known.join(", ")));
    Diagnostic::new("usage::arguments", format!("there is no command '{name}'")).help(help)
}

fn unknown_option(verb: &str, command: &Command, name: &str) -> Diagnostic {
    let known: Vec<String> =
        command.get_arguments().filter_map(|option| Some(option.get_long()?.replace('-', "_"))).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let error = Diagnostic::new("usage::arguments", format!("{verb} has no option '{name}'"));
    match did_you_mean(&name.replace('-', "_"), &known) {
        Some(near) => error.help(near),
        None => error.help(format!("`mocap {verb} --help` lists the options")),
    }
}

/// The first paragraph of a message about invalid options, on one line.
pub fn sentence(error: &clap::Error) -> String {
    let text = plain_words(&error.to_string());
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, value: &str) -> (String, Given) {
        (name.into(), Given::One(value.into()))
    }

    fn wrong(verb: &str, options: &[(String, Given)]) -> (String, String) {
        let error = verb_of(verb, &["a.bvh".into()], options).unwrap_err();
        (error.message.clone(), error.help.clone().unwrap_or_default())
    }

    /// Compares what manifests record for a call and for a command line.
    fn recorded(verb: &str, options: &[(String, Given)], words: &[&str]) {
        let paths = ["a.bvh".into(), "b.bvh".into()];
        let config = one("config", "none");
        let (_, called) = verb_of(verb, &paths, &[options, &[config]].concat()).unwrap();
        let definition = settings::definition(Program::definition());
        let words = [&["mocap", verb, "a.bvh", "b.bvh"], words].concat();
        let typed = Invocation::of(&definition, &definition.clone().try_get_matches_from(words).unwrap());
        assert_eq!((called.command.as_str(), called.options()), (verb, typed.options()));
    }

    #[test]
    fn manifests_record_what_the_command_line_records() {
        let switch = |name: &str| (name.to_owned(), Given::Switch(true));
        recorded(
            "convert",
            &[one("to", "npz"), one("input_fps", "30")],
            &["--to", "npz", "--input-fps", "30"],
        );
        recorded("compress", &[one("error", "0.1mm"), one("jobs", "3")], &["--error", "0.1mm", "-j", "3"]);
        recorded(
            "edit",
            &[one("denoise", "auto"), switch("mirror"), one("trim", "0:5")],
            &["--denoise", "auto", "--mirror", "--trim", "0:5"],
        );
        // An old name is recorded under its present name.
        for name in ["joint_error", "set"] {
            let errors = Given::Many(vec!["Finger*=1mm".into(), "Toe*=2mm".into()]);
            recorded(
                "compress",
                &[(name.into(), errors)],
                &["--joint-error", "Finger*=1mm", "--joint-error", "Toe*=2mm"],
            );
        }
    }

    #[test]
    fn old_names_of_keywords_are_reported() {
        let reported = |verb: &str, names: &[&str]| {
            let reported = old_keywords(verb, names.iter().copied()).into_iter();
            reported.map(|warning| warning.message.clone()).collect::<Vec<_>>()
        };
        assert_eq!(reported("compare", &["fail_above", "shell"]), ["'fail_above' is now called 'max_error'"]);
        assert_eq!(reported("info", &["unit"]), ["'unit' is now called 'input_unit'"]);
        assert!(
            reported("convert", &["unit", "mesh"]).is_empty()
                && reported("retarget", &["fail_above"]).is_empty()
        );
    }

    #[test]
    fn names_and_values_are_checked_before_anything_is_done() {
        let (message, help) = wrong("convert", &[one("input_fsp", "30")]);
        assert_eq!((&*message, &*help), ("convert has no option 'input_fsp'", "did you mean 'input_fps'?"));
        assert!(wrong("convrt", &[]).1.contains("did you mean 'convert'?"));
        assert!(wrong("convert", &[one("jobs", "0")]).0.contains("0 is not in 1.."));
        assert!(wrong("convert", &[("fps".into(), Given::Switch(true))]).0.contains("--fps"));
        assert!(wrong("convert", &[one("strict", "maybe")]).0.contains("--strict"));
        let both = [("resume".into(), Given::Switch(true)), ("skip_existing".into(), Given::Switch(true))];
        assert!(wrong("convert", &both).0.contains("cannot be used with"));
        // A switch that is off is recorded like one that is left out.
        let off =
            [("resume".to_owned(), Given::Switch(false)), ("skip_existing".into(), Given::Switch(true))];
        assert!(verb_of("convert", &["a.bvh".into()], &off).is_ok());
    }
}
