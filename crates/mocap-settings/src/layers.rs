//! Options that can be set in a file or by environment variables, and their names there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::builder::{BoolishValueParser, TypedValueParser};
use clap::{Arg, ArgAction, Command};
use mocap_toml::did_you_mean;

use crate::Kind;

/// The layers below the flags: a file, and variables of the environment.
#[derive(Clone, Copy, Debug)]
pub struct Layers {
    /// The name of the program in messages.
    pub program: &'static str,
    /// The name of the file, which is looked for in the current directory and those above it.
    pub file: &'static str,
    /// Prefix of all variables, such as `MOCAP_`.
    pub prefix: &'static str,
    /// Long names of options that only a flag sets, because they belong to one run.
    pub fixed: &'static [&'static str],
    /// Help headings whose options only a flag sets.
    pub fixed_headings: &'static [&'static str],
    /// Variables with the prefix that set no option.
    pub others: &'static [&'static str],
}

impl Layers {
    /// The name of an option that can be set elsewhere than on the command line.
    pub fn configurable<'a>(&self, argument: &'a Arg) -> Option<&'a str> {
        let name = argument.get_long()?;
        let heading = argument.get_help_heading().unwrap_or_default();
        (!self.fixed.contains(&name) && !self.fixed_headings.contains(&heading)).then_some(name)
    }

    /// The variable of an option.
    pub fn variable(&self, option: &str) -> String {
        format!("{}{}", self.prefix, option.to_ascii_uppercase().replace('-', "_"))
    }

    /// Warnings about variables of the environment that have the prefix and set no option.
    pub fn stray_variables(&self, definition: &Command) -> Vec<String> {
        let set = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        self.stray(definition, set)
    }

    /// The names of all options that can have a variable.
    fn settable(&self, definition: &Command) -> BTreeSet<String> {
        let every = std::iter::once(definition).chain(commands(definition));
        let options =
            every.flat_map(Command::get_arguments).filter(|argument| Kind::of(argument) != Kind::Many);
        options.filter_map(|option| self.configurable(option)).map(str::to_owned).collect()
    }

    /// Earlier names of options by their present ones, if no present option has that name.
    fn earlier(&self, definition: &Command) -> BTreeMap<String, String> {
        let known = self.settable(definition);
        let every = std::iter::once(definition).chain(commands(definition));
        let mut earlier = BTreeMap::new();
        for option in every.flat_map(Command::get_arguments) {
            let Some(name) = self.configurable(option) else { continue };
            for old in earlier_names(option).filter(|old| !known.contains(*old)) {
                earlier.insert(old.to_owned(), name.to_owned());
            }
        }
        earlier
    }

    fn stray(&self, definition: &Command, set: impl Iterator<Item = String>) -> Vec<String> {
        let mut strange: Vec<String> = set
            .filter(|name| name.starts_with(self.prefix) && !self.others.contains(&name.as_str()))
            .collect();
        if strange.is_empty() {
            return Vec::new();
        }
        let known: BTreeSet<String> =
            self.settable(definition).iter().map(|name| self.variable(name)).collect();
        let earlier: BTreeMap<String, String> = self
            .earlier(definition)
            .iter()
            .map(|(old, new)| (self.variable(old), self.variable(new)))
            .collect();
        strange.retain(|name| !known.contains(name));
        strange.sort();
        // All have the same prefix, so only the rest is compared.
        let bare: Vec<&str> = known.iter().map(|name| &name[self.prefix.len()..]).collect();
        let warning = |name: &String| {
            if let Some(new) = earlier.get(name) {
                return format!("the variable '{name}' is now called '{new}'; the old name still works");
            }
            // Among many messages a warning takes one line, so the name is in it.
            let near = did_you_mean(&name[self.prefix.len()..], &bare);
            let near = near.map(|near| format!("; {}", near.replacen('\'', &format!("'{}", self.prefix), 1)));
            format!("no option has the variable '{name}'{}", near.unwrap_or_default())
        };
        strange.iter().map(warning).collect()
    }

    /// The definition with an environment variable for every option that may have one.
    pub fn with_variables(&self, definition: Command) -> Command {
        let earlier = self.earlier(&definition);
        let is_set = |variable: &str| std::env::var_os(variable).is_some();
        let set = |argument: Arg| {
            let Some(option) = self.configurable(&argument) else { return argument };
            let mut name = self.variable(option);
            let old = earlier_names(&argument).filter(|old| earlier.contains_key(*old));
            if let Some(old) = old.map(|old| self.variable(old)).find(|old| is_set(old) && !is_set(&name)) {
                name = old;
            }
            let argument = match Kind::of(&argument) {
                Kind::Switch if matches!(argument.get_action(), ArgAction::Count) => {
                    argument.value_parser(level)
                }
                Kind::Switch => argument.value_parser(BoolishValueParser::new()),
                // A list in one variable would need a separator that no value contains.
                Kind::Many => return argument,
                Kind::One => argument,
            };
            argument.env(name).hide_env(true)
        };
        definition.mut_args(set).mut_subcommands(|command| {
            let nested = command.has_subcommands();
            if nested { command } else { command.mut_args(set) }
        })
    }

    /// The nearest file in the current directory and its parents.
    pub fn nearest_file(&self) -> Option<PathBuf> {
        let here = std::env::current_dir().ok()?;
        here.ancestors().map(|folder| folder.join(self.file)).find(|path| path.is_file())
    }
}

/// Names that an option had in earlier versions: the hidden aliases of its flag.
pub fn earlier_names(option: &Arg) -> impl Iterator<Item = &str> {
    let other: Vec<&str> = option.get_visible_aliases().into_iter().flatten().collect();
    option.get_all_aliases().into_iter().flatten().filter(move |name| !other.contains(name))
}

/// The count of a switch that may be repeated: a number, or true or false.
fn level(text: &str) -> Result<u8, String> {
    let is_on = || BoolishValueParser::new().parse_ref(&Command::new(""), None, text.as_ref());
    text.parse().or_else(|_| is_on().map(u8::from)).map_err(|_| "true, false or a number is expected".into())
}

/// The commands whose options can be set.
pub fn commands(definition: &Command) -> impl Iterator<Item = &Command> {
    definition.get_subcommands().filter(|command| !command.has_subcommands() && command.get_name() != "help")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYERS: Layers = Layers {
        program: "mocap",
        file: "mocap.toml",
        prefix: "MOCAP_",
        fixed: &["output"],
        fixed_headings: &[],
        others: &["MOCAP_CONFIG", "MOCAP_CORPUS"],
    };

    fn definition() -> Command {
        let options = ["error", "jobs", "output"].map(|name| Arg::new(name).long(name));
        Command::new("mocap").subcommand(Command::new("compress").args(options))
    }

    #[test]
    fn misspelt_variables_are_reported() {
        let stray = |names: &[&str]| LAYERS.stray(&definition(), names.iter().map(|name| (*name).to_owned()));
        assert!(stray(&["MOCAP_ERROR", "MOCAP_JOBS", "MOCAP_CORPUS", "MOCAP_CONFIG", "HOME"]).is_empty());
        let reported = stray(&["MOCAP_EROR", "MOCAP_OUTPUT"]);
        assert_eq!(reported.len(), 2);
        assert!(reported[0].contains("'MOCAP_ERROR'"), "{reported:?}");
    }

    #[test]
    fn a_variable_with_an_earlier_name_is_reported() {
        let renamed = Arg::new("max").long("max-error").alias("limit").alias("jobs");
        let definition = definition().mut_subcommand("compress", |command| command.arg(renamed));
        let names = ["MOCAP_LIMIT", "MOCAP_JOBS"].into_iter();
        let reported = LAYERS.stray(&definition, names.map(str::to_owned));
        // A name that a present option has means that option.
        assert_eq!(reported.len(), 1, "{reported:?}");
        assert!(reported[0].contains("'MOCAP_LIMIT' is now called 'MOCAP_MAX_ERROR'"), "{reported:?}");
    }
}
