//! A table as serde reads it: numbers, switches and words may be text (a variable is), one value may stand for a list,
//! and an error has the place of its value.
//!
//! A field whose name begins with `..` is a struct whose fields are keys of the same table.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use mocap_formats::nearest_name;
use serde::de::value::StrDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{Cell, Entry, Text, Value};
use crate::diagnostic::Diagnostic;

/// What is wrong with a table.
#[derive(Debug)]
pub(crate) enum Wrong {
    /// A key that is needed.
    Missing(&'static str),
    /// A value, with advice; its place is not known yet.
    Value(String, Option<String>),
    /// Anything, with its place.
    Placed(Box<Diagnostic>),
}

/// Reads a struct from a table.
///
/// # Errors
/// Where a key is unknown (`of` names whose), a value is wrong, or a key is missing; the last is found last.
pub(crate) fn settings<'a, T: Deserialize<'a>>(
    text: &'a Text,
    of: &str,
    entries: &'a [Entry],
) -> Result<T, Wrong> {
    let keys = keys::<T>();
    match entries.iter().find(|entry| !keys.contains(&entry.key.as_str())) {
        Some(entry) => Err(text.unknown(entry, of, &keys).into()),
        None => T::deserialize(Group { text, entries, keys: &RefCell::default() }),
    }
}

/// All keys that a struct takes.
fn keys<'a, T: Deserialize<'a>>() -> Vec<&'static str> {
    static NOTHING: LazyLock<Text> = LazyLock::new(Text::default);
    let keys = RefCell::default();
    // An empty table may lack a key; all groups are asked for theirs nevertheless.
    let _ = T::deserialize(Group { text: &NOTHING, entries: &[], keys: &keys });
    keys.into_inner()
}

/// Those keys of a table that a struct takes.
#[derive(Clone, Copy)]
struct Group<'a, 'k> {
    text: &'a Text,
    entries: &'a [Entry],
    /// Collects the names of all keys.
    keys: &'k RefCell<Vec<&'static str>>,
}

/// A field of a struct.
#[derive(Clone, Copy)]
enum Field<'a> {
    Entry(&'a Entry),
    Group(&'static str),
}

struct Fields<'a, 'k, I> {
    group: Group<'a, 'k>,
    fields: I,
    current: Option<Field<'a>>,
}

impl<'de> Deserializer<'de> for Group<'de, '_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let (groups, keys): (Vec<&str>, Vec<&str>) = fields.iter().partition(|name| name.starts_with(".."));
        self.keys.borrow_mut().extend(&keys);
        let entries = self.entries.iter().filter(move |entry| keys.contains(&entry.key.as_str()));
        let fields = entries.map(Field::Entry).chain(groups.into_iter().map(Field::Group));
        visitor.visit_map(Fields { group: self, fields, current: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de, I: Iterator<Item = Field<'de>>> MapAccess<'de> for Fields<'de, '_, I> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        self.current = self.fields.next();
        let name = match self.current {
            Some(Field::Entry(entry)) => entry.key.as_str(),
            Some(Field::Group(name)) => name,
            None => return Ok(None),
        };
        let name: StrDeserializer<'_, Wrong> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let text = self.group.text;
        match self.current.take().expect("a value follows its key") {
            Field::Entry(entry) => Setting { text, entry, cell: &entry.cell }.read(seed),
            Field::Group(_) => seed.deserialize(self.group),
        }
    }
}

/// A value of a table, or an item of one that is a list.
#[derive(Clone, Copy)]
struct Setting<'a> {
    text: &'a Text,
    entry: &'a Entry,
    cell: &'a Cell,
}

impl<'de> Setting<'de> {
    /// Reads a value; what is wrong with it gets its place.
    fn read<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Wrong> {
        seed.deserialize(self).map_err(|wrong| match wrong {
            Wrong::Value(message, help) => {
                let message = format!("'{}': {message}", self.entry.key);
                let error = self.text.error("toml::value", self.cell.span.clone(), message);
                help.into_iter().fold(error, Diagnostic::help).into()
            }
            placed => placed,
        })
    }

    fn scalar(self) -> Result<&'de str, Wrong> {
        self.cell.value.scalar().ok_or_else(|| self.text.mistyped(self.entry, "text or a number").into())
    }

    fn stated(self) -> Result<&'de str, Wrong> {
        match self.scalar()? {
            "" => Err(de::Error::custom("nothing is stated")),
            text => Ok(text),
        }
    }
}

impl<'de> Deserializer<'de> for Setting<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_borrowed_str(self.scalar()?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.cell.value.switch() {
            Some(on) => visitor.visit_bool(on),
            None => Err(self.text.mistyped(self.entry, "true or false").into()),
        }
    }

    /// Names and paths; texts that may be empty are read as `str`.
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_borrowed_str(self.stated()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_enum(self.stated()?.into_deserializer())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let cells = match &self.cell.value {
            Value::List(cells) => cells.as_slice(),
            _ => std::slice::from_ref(self.cell),
        };
        visitor.visit_seq(Items(cells.iter().map(|cell| Setting { cell, ..self })))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str bytes byte_buf unit unit_struct newtype_struct tuple
        tuple_struct map struct identifier ignored_any
    }
}

struct Items<I>(I);

impl<'de, I: Iterator<Item = Setting<'de>>> SeqAccess<'de> for Items<I> {
    type Error = Wrong;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Wrong> {
        self.0.next().map(|item| item.read(seed)).transpose()
    }
}

impl Wrong {
    /// The error, which is shown at `span` where it has no place.
    pub(crate) fn placed(self, text: &Text, span: Range<usize>) -> Diagnostic {
        match self {
            Wrong::Placed(error) => *error,
            Wrong::Missing(key) => text.error("toml::missing", span, format!("'{key}' is missing")),
            Wrong::Value(message, _) => text.error("toml::value", span, message),
        }
    }
}

impl From<Diagnostic> for Wrong {
    fn from(error: Diagnostic) -> Wrong {
        Wrong::Placed(Box::new(error))
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Missing(key) => f.write_str(key),
            Wrong::Value(message, _) => f.write_str(message),
            Wrong::Placed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Wrong {
        Wrong::Value(message.to_string(), None)
    }

    fn missing_field(key: &'static str) -> Wrong {
        Wrong::Missing(key)
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Wrong {
        let near = nearest_name(word, known.iter().copied()).map(|near| format!("did you mean '{near}'?"));
        Wrong::Value(format!("'{word}' is none of {}", known.join(", ")), near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Reading;

    fn read(toml: &str) -> Result<Reading, Box<Diagnostic>> {
        let text = Text::of(toml);
        let table = text.parse()?;
        settings(&text, "a read step", &table).map_err(|wrong| match wrong {
            Wrong::Placed(error) => error,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn tables_are_read_as_the_command_line_is() {
        let reading = read("input-fps = 59.94\ninput-unit = 'cm'\nrepair = true\nstrict = false\n").unwrap();
        assert_eq!(reading.input_fps.unwrap().fps(), 59.94);
        assert_eq!(reading.input_unit.unwrap().0, 0.01);
        assert!(reading.repair && !reading.strict);
        // An axis begins with a sign.
        assert_eq!(read("input-up = '-Z'").unwrap().input_up.unwrap().to_string(), "-Z");
        // A variable is text.
        assert!(read("repair = 'true'\nstrict = 'false'\n").unwrap().repair);
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let wrong = |toml: &str| {
            let error = read(toml).unwrap_err();
            (error.code, error.place.unwrap(), error.message, error.help.unwrap_or_default())
        };
        let (code, place, _, help) = wrong("repair = true\ninput-unti = 'cm'\n");
        assert_eq!((code, place, help.as_str()), ("toml::unknown-key", (2, 1), "did you mean 'input-unit'?"));
        let (code, place, message, _) = wrong("input-unit = 'yard'\n");
        assert_eq!((code, place), ("toml::value", (1, 14)));
        assert!(message.contains("a unit is one of m, cm"), "{message}");
        let (_, place, message, help) = wrong("asf-units = 'cmuu'\n");
        assert_eq!(place, (1, 13));
        assert_eq!(
            (message.as_str(), help.as_str()),
            ("'asf-units': 'cmuu' is none of auto, cmu, spec, raw", "did you mean 'cmu'?")
        );
        assert_eq!(wrong("repair = 'yes'\n").0, "toml::type");
        assert_eq!(wrong("input-fps = [1]\n").0, "toml::type");
    }

    #[test]
    fn an_item_of_a_list_has_its_own_place() {
        let text = Text::of("set = ['a:error=1mm', 'b']\n");
        let table = text.parse().unwrap();
        let wrong = settings::<crate::args::CompressStep>(&text, "a compress step", &table).unwrap_err();
        let Wrong::Placed(error) = wrong else { panic!("{wrong:?}") };
        assert_eq!((error.code, error.place), ("toml::value", Some((1, 23))));
    }
}
