//! `mocap edit`: edits in the order in which they are typed. Their flags come from the table of edits.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args as ClapArgs, Command, FromArgMatches};
use mocap_edit::edits::Value;
use mocap_edit::{Edit, EditKind};

use super::one_edit::OneEdit;

/// Edit motions: denoise, loop, retime, mirror, lock feet, root motion, paths, layers, cuts; in the order given, with a
/// report
///
/// Edits are applied in the order in which they are typed. --keep belongs to the --in-place, --extract-root or
/// --root-joint before it; --weight, --mask and --add-space to the --add before them.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap edit walk.bvh --mirror -o walk_mirrored.bvh\n\
    \x20 mocap edit walk.bvh --extract-root root.csv --in-place -o in_place.bvh\n\
    \x20 mocap edit take.bvh --denoise auto -o clean.bvh\n\
    \x20 mocap edit walk.bvh --loop --in-place -o cycle.bvh\n\
    \x20 mocap edit database/ --ground --start-at origin -o placed/")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) edits: EditList,
    #[command(flatten)]
    pub(crate) one: OneEdit,
}

/// The heading of edits in help; options below it are not set by environment or `mocap.toml`.
pub(crate) const HEADING: &str = "Edits, applied in the order given";

/// The edits, in the order in which they were typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EditList(pub(crate) Vec<Edit>);

/// An edit as typed, with the flags that belong to it.
struct Typed {
    kind: &'static EditKind,
    words: Vec<OsString>,
}

/// The names of all flags that belong to the edit before them.
fn modifiers() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in EditKind::all().iter().flat_map(|kind| kind.modifiers) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names
}

/// The edits that accept a modifier, and the field that it fills in each.
fn takers(modifier: &str) -> Vec<(&'static EditKind, &'static str)> {
    let field = |kind: &'static EditKind| kind.modifiers.iter().find(|(name, _)| *name == modifier);
    EditKind::all().iter().filter_map(|kind| Some((kind, field(kind)?.1))).collect()
}

/// An option of an edit, as it is typed for the command of that edit.
fn option(kind: &EditKind, field: &str) -> Arg {
    let alone = (kind.flags)(Command::new(kind.name));
    let found = alone.get_arguments().find(|option| option.get_long() == Some(field)).cloned();
    found.expect("fields of edits are options")
}

/// A flag that accepts the values of an option.
fn taking(option: &Arg, name: &'static str) -> Arg {
    let values = option.get_value_names().unwrap_or_default().to_vec();
    Arg::new(name)
        .long(name)
        .value_names(values)
        .value_parser(option.get_value_parser().clone())
        .value_hint(option.get_value_hint())
        .allow_negative_numbers(option.is_allow_negative_numbers_set())
        .allow_hyphen_values(option.is_allow_hyphen_values_set())
        .action(ArgAction::Append)
}

/// The flag for an edit.
fn flag(kind: &'static EditKind) -> Arg {
    let flag = match kind.value {
        Value::Nothing | Value::Switch(_) => Arg::new(kind.name).long(kind.name).action(ArgAction::SetTrue),
        Value::Field(field) => taking(&option(kind, field), kind.name),
        Value::Default(field, missing) => taking(&option(kind, field), kind.name)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(missing),
    };
    flag.help(kind.about.as_str())
}

/// The flag for an option of the preceding edit.
fn modifier(name: &'static str) -> Arg {
    let takers = takers(name);
    let (kind, field) = takers[0];
    let mut about: Vec<(Vec<String>, String)> = Vec::new();
    for (kind, field) in &takers {
        let help = option(kind, field).get_help().map(ToString::to_string).unwrap_or_default();
        let name = format!("--{}", kind.name);
        match about.iter_mut().find(|(_, known)| *known == help) {
            Some((names, _)) => names.push(name),
            None => about.push((vec![name], help)),
        }
    }
    let about =
        about.into_iter().map(|(names, help)| format!("After {}: {}", any_of(&names), in_sentence(&help)));
    taking(&option(kind, field), name).help(about.collect::<Vec<_>>().join(". "))
}

/// A help text within a sentence.
fn in_sentence(help: &str) -> String {
    let mut letters = help.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// `a, b or c`.
fn any_of(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// `--field=value`, as typed for the command of the edit.
fn word(field: &str, value: &OsString) -> OsString {
    let mut word = OsString::from(format!("--{field}="));
    word.push(value);
    word
}

/// The values of a flag, with their positions on the command line.
fn values(matches: &ArgMatches, name: &str) -> Vec<(usize, OsString)> {
    let places = matches.indices_of(name).into_iter().flatten();
    places.zip(matches.get_raw(name).into_iter().flatten().map(OsString::from)).collect()
}

/// All edits and modifiers, in the order in which they were typed.
fn typed(matches: &ArgMatches) -> Result<Vec<Typed>, String> {
    /// An edit or a modifier, and its value.
    enum Word {
        Edit(&'static EditKind, Option<OsString>),
        Modifier(&'static str, OsString),
    }
    let mut words = Vec::new();
    for kind in EditKind::all() {
        match kind.value {
            Value::Nothing | Value::Switch(_) => {
                let place = matches.get_flag(kind.name).then(|| matches.index_of(kind.name)).flatten();
                words.extend(place.map(|place| (place, Word::Edit(kind, None))));
            }
            _ => words.extend(
                values(matches, kind.name)
                    .into_iter()
                    .map(|(place, value)| (place, Word::Edit(kind, Some(value)))),
            ),
        }
    }
    for name in modifiers() {
        let values = values(matches, name).into_iter();
        words.extend(values.map(|(place, value)| (place, Word::Modifier(name, value))));
    }
    words.sort_by_key(|(place, _)| *place);
    let mut edits: Vec<Typed> = Vec::new();
    for (_, typed) in words {
        match typed {
            Word::Edit(kind, value) => {
                let filled = kind.value.field().zip(value);
                let words = filled.map(|(field, value)| word(field, &value)).into_iter().collect();
                edits.push(Typed { kind, words });
            }
            Word::Modifier(name, value) => {
                let takers = takers(name);
                let edit = edits.last_mut().and_then(|edit| {
                    let taker = takers.iter().find(|(kind, _)| std::ptr::eq(*kind, edit.kind))?;
                    Some((edit, taker.1))
                });
                let Some((edit, field)) = edit else {
                    let names: Vec<String> =
                        takers.iter().map(|(kind, _)| format!("--{}", kind.name)).collect();
                    return Err(format!("--{name} belongs to the {} before it", any_of(&names)));
                };
                // The last value counts.
                let prefix = format!("--{field}=");
                edit.words.retain(|known| !known.as_encoded_bytes().starts_with(prefix.as_bytes()));
                edit.words.push(word(field, &value));
            }
        }
    }
    Ok(edits)
}

impl Typed {
    fn edit(self) -> Result<Edit, clap::Error> {
        let alone = (self.kind.flags)(Command::new(self.kind.name).no_binary_name(true));
        (self.kind.matched)(&alone.try_get_matches_from(self.words)?)
    }
}

/// If a curve is extracted just before its motion is removed, it gets the motion that is removed.
fn keep_what_is_removed(edits: &mut [Edit]) {
    for at in 1..edits.len() {
        let (before, after) = edits.split_at_mut(at);
        if let (Some(Edit::ExtractRoot(extract)), Edit::InPlace(in_place)) = (before.last_mut(), &after[0]) {
            extract.keep = in_place.keep;
        }
    }
}

impl FromArgMatches for EditList {
    fn from_arg_matches(matches: &ArgMatches) -> Result<EditList, clap::Error> {
        let typed = typed(matches)
            .map_err(|message| clap::Error::raw(ErrorKind::MissingRequiredArgument, message + "\n"))?;
        let mut edits = typed.into_iter().map(Typed::edit).collect::<Result<Vec<_>, _>>()?;
        keep_what_is_removed(&mut edits);
        Ok(EditList(edits))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = EditList::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ClapArgs for EditList {
    fn augment_args(command: Command) -> Command {
        let mut command = command.next_help_heading(HEADING);
        for kind in EditKind::all() {
            command = command.arg(flag(kind));
            // A modifier is listed after the last edit that accepts it.
            for (name, _) in kind.modifiers {
                if takers(name).last().is_some_and(|(last, _)| std::ptr::eq(*last, kind)) {
                    command = command.arg(modifier(name));
                }
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        EditList::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use mocap_edit::edits::{Add, Blend, ExtractRoot, InPlace};
    use mocap_edit::{Keep, LayerSpace, Source};
    use mocap_model::Finite;

    use super::*;

    fn list(words: &str) -> Result<Vec<Edit>, String> {
        let command = EditList::augment_args(Command::new("edit").no_binary_name(true));
        let matches = command.try_get_matches_from(words.split(' ')).map_err(|error| error.to_string())?;
        EditList::from_arg_matches(&matches).map(|list| list.0).map_err(|error| error.to_string())
    }

    #[test]
    fn edits_keep_their_order() {
        let names = |words: &str| list(words).unwrap().iter().map(Edit::name).collect::<Vec<_>>();
        assert_eq!(names("--trim 1:9 --mirror --fps 30"), ["trim", "mirror", "fps"]);
        assert_eq!(names("--fps 30 --mirror --trim 1:9 --fps 60"), ["fps", "mirror", "trim", "fps"]);
        assert_eq!(names("--loop --ground --loop=1:9"), ["loop", "ground", "loop"]);
    }

    #[test]
    fn every_edit_has_a_flag() {
        let command = EditList::augment_args(Command::new("edit"));
        for kind in EditKind::all() {
            assert!(command.get_arguments().any(|flag| flag.get_long() == Some(kind.name)), "{}", kind.name);
        }
        command.debug_assert();
    }

    #[test]
    fn what_is_kept_belongs_to_the_edit_before() {
        let turn = Some(Keep { height: false, turn: true });
        let found = list("--extract-root a.csv --in-place --keep turn").unwrap();
        assert_eq!(found[0], ExtractRoot { file: "a.csv".into(), keep: turn }.into());
        assert_eq!(found[1], InPlace { keep: turn }.into());
        assert!(list("--mirror --keep turn").unwrap_err().contains("--keep belongs to"));
        assert!(list("--in-place --keep legs").is_err());
    }

    #[test]
    fn weight_and_mask_belong_to_the_layer_before() {
        let words = "--add a.bvh --weight -0.5 --mask LeftArm/**,Head --add-space mesh --add b.bvh";
        let found = list(words).unwrap();
        let (mask, space) = (Some("LeftArm/**,Head".parse().unwrap()), Some(LayerSpace::Mesh));
        let (file, weight) = (Source::File("a.bvh".into()), Some(Finite(-0.5)));
        assert_eq!(found[0], Add { file, weight, mask, space }.into());
        let file = Source::File("b.bvh".into());
        assert_eq!(found[1], Add { file, weight: None, mask: None, space: None }.into());
        assert!(list("--weight 1 --add a.bvh").unwrap_err().contains("--weight belongs to"));
        assert!(list("--mirror --mask Head").unwrap_err().contains("--mask belongs to"));
        match &list("--blend b.bvh --weight 0.25").unwrap()[..] {
            [Edit::Blend(Blend { weight, .. })] => assert_eq!(*weight, Some(Finite(0.25))),
            other => panic!("{other:?}"),
        }
    }
}
