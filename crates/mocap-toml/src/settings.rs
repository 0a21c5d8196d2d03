//! Deserialises tables with serde: numbers, switches and words may be text (as variables are), a single value may
//! replace a list, and errors have the place of their value.
//!
//! A field whose name begins with `..` is a struct whose fields are keys of the same table.

use std::cell::RefCell;
use std::sync::LazyLock;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde::forward_to_deserialize_any;

use crate::{Cell, Entry, Text, TomlError, TomlProblem, Value};

/// Reads a struct from a table.
///
/// # Errors
/// Where a key is unknown (`of` names the table in the message), a value is wrong, or a key is
/// missing. Missing keys are reported last, without a place.
pub fn settings<'a, T: Deserialize<'a>>(
    text: &'a Text,
    of: &str,
    entries: &'a [Entry],
) -> Result<T, TomlError> {
    let keys = keys::<T>();
    match entries.iter().find(|entry| !keys.contains(&entry.key.as_str())) {
        Some(entry) => Err(text.unknown(entry, of, &keys)),
        None => T::deserialize(Group { text, entries, known: None }),
    }
}

/// All keys that a struct takes.
fn keys<'a, T: Deserialize<'a>>() -> Vec<&'static str> {
    static NOTHING: LazyLock<Text> = LazyLock::new(Text::default);
    let known = RefCell::<Known>::default();
    // Deserialising an empty table stops at the first missing key, before later groups: repeat without the groups that
    // are complete.
    loop {
        let before = known.borrow().size();
        let read = T::deserialize(Group { text: &NOTHING, entries: &[], known: Some(&known) });
        if read.is_ok() || known.borrow().size() == before {
            return known.into_inner().keys;
        }
    }
}

/// The keys of a struct that were collected so far.
#[derive(Default)]
struct Known {
    keys: Vec<&'static str>,
    /// Groups, by struct and field, whose keys are complete.
    groups: Vec<(&'static str, &'static str)>,
}

impl Known {
    fn size(&self) -> usize {
        self.keys.len() + self.groups.len()
    }
}

/// The keys of a table that belong to a struct.
#[derive(Clone, Copy)]
struct Group<'a, 'k> {
    text: &'a Text,
    entries: &'a [Entry],
    /// If set, only the names of keys are collected, and nothing is read.
    known: Option<&'k RefCell<Known>>,
}

/// A field of a struct.
#[derive(Clone, Copy)]
enum Field<'a> {
    Entry(&'a Entry),
    /// A nested struct whose fields are keys of the same table; by struct and field.
    Group(&'static str, &'static str),
}

struct Fields<'a, 'k, I> {
    group: Group<'a, 'k>,
    fields: I,
    current: Option<Field<'a>>,
}

impl<'de> Deserializer<'de> for Group<'de, '_> {
    type Error = TomlError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TomlError> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TomlError> {
        let (mut groups, keys): (Vec<&str>, Vec<&str>) =
            fields.iter().partition(|name| name.starts_with(".."));
        if let Some(known) = self.known {
            let mut known = known.borrow_mut();
            let new: Vec<_> = keys.iter().filter(|key| !known.keys.contains(key)).copied().collect();
            known.keys.extend(new);
            groups.retain(|group| !known.groups.contains(&(name, group)));
        }
        let entries = self.entries.iter().filter(move |entry| keys.contains(&entry.key.as_str()));
        let fields =
            entries.map(Field::Entry).chain(groups.into_iter().map(|group| Field::Group(name, group)));
        visitor.visit_map(Fields { group: self, fields, current: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de, I: Iterator<Item = Field<'de>>> MapAccess<'de> for Fields<'de, '_, I> {
    type Error = TomlError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, TomlError> {
        self.current = self.fields.next();
        let name = match self.current {
            Some(Field::Entry(entry)) => entry.key.as_str(),
            Some(Field::Group(_, name)) => name,
            None => return Ok(None),
        };
        let name: StrDeserializer<'_, TomlError> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, TomlError> {
        let text = self.group.text;
        match self.current.take().expect("a value follows its key") {
            Field::Entry(entry) => ValueReader { text, entry, cell: &entry.cell }.read(seed),
            Field::Group(of, name) => {
                let size = || self.group.known.map_or(0, |known| known.borrow().size());
                let before = size();
                let read = seed.deserialize(self.group);
                if let Some(known) = self.group.known.filter(|_| read.is_err() && size() == before) {
                    known.borrow_mut().groups.push((of, name));
                }
                read
            }
        }
    }
}

/// A value of a table, or an item of one that is a list.
#[derive(Clone, Copy)]
struct ValueReader<'a> {
    text: &'a Text,
    entry: &'a Entry,
    cell: &'a Cell,
}

impl<'de> ValueReader<'de> {
    /// Reads a value; an error gets its place.
    fn read<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, TomlError> {
        seed.deserialize(self).map_err(|error| match error.is_placed() {
            true => error,
            false => {
                let message = format!("'{}': {}", self.entry.key, error.message);
                let placed = self.text.error(TomlProblem::Value, self.cell.span.clone(), message);
                error.help.into_iter().fold(placed, TomlError::help)
            }
        })
    }

    fn scalar(self) -> Result<&'de str, TomlError> {
        self.cell.value.scalar().ok_or_else(|| self.text.mistyped(self.entry, "text or a number"))
    }

    fn stated(self) -> Result<&'de str, TomlError> {
        match self.scalar()? {
            "" => Err(de::Error::custom("the value is empty")),
            text => Ok(text),
        }
    }
}

/// Numbers, which may be text, as variables are.
macro_rules! number {
    ($($deserialize:ident $visit:ident $number:ty),*) => {
        $(fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TomlError> {
            let text = self.stated()?;
            match text.parse::<$number>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => Err(de::Error::invalid_value(Unexpected::Str(text), &visitor)),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for ValueReader<'de> {
    type Error = TomlError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TomlError> {
        visitor.visit_borrowed_str(self.scalar()?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TomlError> {
        match self.cell.value.switch() {
            Some(on) => visitor.visit_bool(on),
            None => Err(self.text.mistyped(self.entry, "true or false")),
        }
    }

    /// Names and paths; texts that may be empty are read as `str`.
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TomlError> {
        visitor.visit_borrowed_str(self.stated()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TomlError> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TomlError> {
        visitor.visit_enum(self.stated()?.into_deserializer())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TomlError> {
        let cells = match &self.cell.value {
            Value::List(cells) => cells.as_slice(),
            _ => std::slice::from_ref(self.cell),
        };
        visitor.visit_seq(Items(cells.iter().map(|cell| ValueReader { cell, ..self })))
    }

    number! {
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64, deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64, deserialize_f32 visit_f32 f32,
        deserialize_f64 visit_f64 f64
    }

    forward_to_deserialize_any! {
        char str bytes byte_buf unit unit_struct newtype_struct tuple
        tuple_struct map struct identifier ignored_any
    }
}

struct Items<I>(I);

impl<'de, I: Iterator<Item = ValueReader<'de>>> SeqAccess<'de> for Items<I> {
    type Error = TomlError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, TomlError> {
        self.0.next().map(|item| item.read(seed)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Rule {
        Auto,
        Cmu,
    }

    #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    #[serde(default)]
    struct Names {
        set: Vec<String>,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Read {
        #[serde(default)]
        input_unit: Option<String>,
        #[serde(default)]
        repair: bool,
        #[serde(default)]
        rule: Option<Rule>,
        needed: String,
        #[serde(rename = "..names")]
        names: Names,
    }

    fn text_of(text: &str) -> Text {
        Text::new("test.toml", text.into()).unwrap()
    }

    #[test]
    fn groups_are_keys_of_the_same_table_and_one_value_is_a_list() {
        let text = text_of("set = 'a'\nrepair = 'true'\ninput-unit = 2.5\nrule = 'cmu'\n");
        let table = text.parse().unwrap();
        let error = settings::<Read>(&text, "a step", &table).unwrap_err();
        assert_eq!((error.problem, error.place()), (TomlProblem::Missing("needed"), None));
        let text = text_of("set = 'a'\nrepair = 'true'\ninput-unit = 2.5\nrule = 'cmu'\nneeded = 1\n");
        let table = text.parse().unwrap();
        let read = Read {
            input_unit: Some("2.5".into()),
            repair: true,
            rule: Some(Rule::Cmu),
            needed: "1".into(),
            names: Names { set: vec!["a".into()] },
        };
        assert_eq!(settings::<Read>(&text, "a step", &table), Ok(read));
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let wrong = |toml: &str| {
            let text = text_of(toml);
            let table = text.parse().unwrap();
            let error = settings::<Read>(&text, "a step", &table).unwrap_err();
            (error.code(), error.place(), error.message, error.help.unwrap_or_default())
        };
        let (code, place, _, help) = wrong("repair = true\ninput-unti = 'cm'\n");
        assert_eq!((code, place, &*help), ("toml::unknown-key", Some((2, 1)), "did you mean 'input-unit'?"));
        let (code, place, message, help) = wrong("rule = 'cmuu'\n");
        assert_eq!((code, place, &*help), ("toml::value", Some((1, 8)), "did you mean 'cmu'?"));
        assert_eq!(message, "'rule': 'cmuu' is not one of auto, cmu");
        assert_eq!(wrong("repair = 'yes'\n").0, "toml::type");
        assert_eq!(wrong("input-unit = ''\n").0, "toml::value");
        // An item of a list has its own place.
        assert_eq!(wrong("set = ['a', '']\n").1, Some((1, 13)));
    }

    #[test]
    fn plain_numbers_are_read_from_numbers_and_from_text() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Numbers {
            rate: f64,
            least: Option<i8>,
            counts: Vec<usize>,
        }
        let read = |toml: &str| {
            let text = Text::new("test.toml", toml.into()).unwrap();
            let table = text.parse().unwrap();
            settings::<Numbers>(&text, "a test", &table).map_err(|error| (error.place(), error.message))
        };
        let numbers = Numbers { rate: 29.97, least: Some(-3), counts: vec![1, 2] };
        assert_eq!(read("rate = 29.97\nleast = -3\ncounts = [1, '2']\n"), Ok(numbers));
        assert_eq!(read("rate = '30'\ncounts = 4\n").unwrap().rate, 30.0);
        let (place, message) = read("rate = 1\ncounts = [1, -2]\n").unwrap_err();
        assert_eq!(place, Some((2, 14)));
        assert!(message.contains("'counts'") && message.contains("-2"), "{message}");
        assert!(
            read("rate = 'fast'\ncounts = 1\n").is_err()
                && read("rate = 1\nleast = 300\ncounts = 1").is_err()
        );
    }

    #[test]
    fn keys_behind_a_group_that_lacks_one_are_known() {
        #[derive(Debug, serde::Deserialize)]
        struct Inner {
            #[expect(dead_code, reason = "only its key counts")]
            needed: String,
        }
        #[derive(Debug, serde::Deserialize)]
        struct Group {
            #[serde(rename = "..one")]
            _one: Inner,
            #[serde(rename = "..two")]
            _two: Other,
        }
        #[derive(Debug, serde::Deserialize)]
        struct Other {
            #[expect(dead_code, reason = "only its key counts")]
            other: String,
        }
        #[derive(Debug, serde::Deserialize)]
        struct Last {
            #[expect(dead_code, reason = "only its key counts")]
            last: String,
        }
        #[derive(Debug, serde::Deserialize)]
        struct Outer {
            #[serde(rename = "..group")]
            _group: Group,
            #[serde(rename = "..last")]
            _last: Last,
        }
        assert_eq!(keys::<Outer>(), ["needed", "other", "last"]);
    }
}
