//! Kinds of edits at run time, from which command lines, programs and documents are generated.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json};

use super::{Edit, Group, Operation, Takes, Value, Visitor, visit_all};

/// A kind of edit.
#[derive(Clone, Debug)]
pub struct EditKind {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub group: Group,
    /// What its flag takes.
    pub value: Value,
    /// Which characters it edits in a scene of several.
    pub takes: Takes,
    /// Whether each frame that it makes is a pose of the motion.
    pub keeps_poses: bool,
    /// Flags that may follow its flag, and the fields that they fill.
    pub modifiers: &'static [(&'static str, &'static str)],
    /// Other names of switches, with the opposite meaning.
    pub opposites: &'static [(&'static str, &'static str)],
    /// A description for users.
    pub about: String,
    /// The JSON Schema of its options.
    pub schema: Json,
    /// Reads its options from JSON.
    pub read: fn(Json) -> Result<Edit, serde_json::Error>,
    /// Adds its options to a command, as flags.
    #[cfg(feature = "clap")]
    pub flags: fn(clap::Command) -> clap::Command,
    /// Reads its options from the flags of a command.
    #[cfg(feature = "clap")]
    pub matched: fn(&clap::ArgMatches) -> Result<Edit, clap::Error>,
}

static ALL: LazyLock<Vec<EditKind>> = LazyLock::new(|| {
    struct Kinds(Vec<EditKind>);
    impl Visitor for Kinds {
        fn visit<T: Operation>(&mut self) {
            self.0.push(EditKind::of::<T>());
        }
    }
    let mut kinds = Kinds(Vec::new());
    visit_all(&mut kinds);
    kinds.0
});

impl EditKind {
    /// All kinds, in the order of the table.
    pub fn all() -> &'static [EditKind] {
        &ALL
    }

    /// The kind with a name.
    pub fn named(name: &str) -> Option<&'static EditKind> {
        ALL.iter().find(|kind| kind.name == name)
    }

    /// The options with their schemas.
    pub fn options(&self) -> impl Iterator<Item = (&str, &Json)> {
        let properties = self.schema.get("properties").and_then(Json::as_object);
        properties.into_iter().flat_map(Map::iter).map(|(name, schema)| (name.as_str(), schema))
    }

    fn of<T: Operation>() -> EditKind {
        let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
        let about = schema.get("description").and_then(Json::as_str).unwrap_or_default();
        EditKind {
            name: T::NAME,
            group: T::GROUP,
            value: T::VALUE,
            takes: T::TAKES,
            keeps_poses: T::KEEPS_POSES,
            modifiers: T::MODIFIERS,
            opposites: T::OPPOSITES,
            about: about.replace('\n', " "),
            read: |options| serde_json::from_value::<T>(options).map(Into::into),
            schema,
            #[cfg(feature = "clap")]
            flags: |command| T::augment_args(command),
            #[cfg(feature = "clap")]
            matched: |matches| T::from_arg_matches(matches).map(Into::into),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_says_what_it_is() {
        for kind in EditKind::all() {
            assert!(!kind.about.is_empty(), "{}", kind.name);
            let fields: Vec<&str> = kind.options().map(|(name, _)| name).collect();
            let named = kind.modifiers.iter().chain(kind.opposites).map(|(_, field)| *field);
            for field in kind.value.field().into_iter().chain(named) {
                assert!(fields.contains(&field), "{}: {field} is none of {fields:?}", kind.name);
            }
            for (name, schema) in kind.options() {
                assert!(schema.get("description").is_some(), "{}: {name}", kind.name);
            }
            // Names of kinds are unique.
            assert!(std::ptr::eq(EditKind::named(kind.name).unwrap(), kind), "{}", kind.name);
        }
    }

    #[test]
    fn options_are_read_from_json() {
        let read = |name: &str, options| (EditKind::named(name).unwrap().read)(options);
        assert_eq!(
            read("repeat", json!({ "repeat": 3 })).unwrap(),
            crate::edits::Repeat { repeat: 3 }.into()
        );
        assert_eq!(
            read("speed", json!({ "speed": 0.5 })).unwrap(),
            read("speed", json!({ "speed": "0.5" })).unwrap()
        );
        assert!(read("speed", json!({ "speed": "slow" })).unwrap_err().to_string().starts_with("'slow': "));
        assert!(read("speed", json!({ "sped": 1 })).is_err() && read("speed", json!({})).is_err());
        assert_eq!(read("mirror", json!({})).unwrap().name(), "mirror");
    }
}
