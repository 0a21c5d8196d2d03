//! A file of tables, as it was written.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Cell, Entry, Table, TomlError, TomlProblem, Value};

/// The text of a file, with its name for messages.
#[derive(Clone, Debug, Default)]
pub struct Text {
    path: PathBuf,
    text: Arc<str>,
}

impl Text {
    /// The text of a file that was read.
    ///
    /// # Errors
    /// Where it is not UTF-8.
    pub fn new(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Result<Text, TomlError> {
        let path = path.into();
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Text { path, text: text.into() }),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let message = format!("'{}' is not UTF-8 text", path.display());
                let wrong = TomlError::new(TomlProblem::NotUtf8, message).help("save it as UTF-8");
                Err(wrong.at(&path, error.into_bytes().into(), at..at + 1))
            }
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Parses the text into its tables.
    ///
    /// # Errors
    /// Where it is not TOML.
    pub fn parse(&self) -> Result<Table, TomlError> {
        let root = DeTable::parse(&self.text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            let bare = message.contains("must be quoted");
            let error = self.error(TomlProblem::Syntax, error.span().unwrap_or(0..0), message);
            match bare {
                true => error.help("put text in quotes, as in 'cm'; numbers, true and false have none"),
                false => error,
            }
        })?;
        self.table(root.get_ref())
    }

    /// An error at a place of the text.
    pub fn error(&self, problem: TomlProblem, span: Range<usize>, message: impl Into<String>) -> TomlError {
        TomlError::new(problem, message).at(&self.path, self.text.clone().into(), span)
    }

    /// The error of an unknown key in `of`.
    pub fn unknown(&self, entry: &Entry, of: &str, known: &[&str]) -> TomlError {
        let message = format!("{of} has no '{}'", entry.key);
        let error = self.error(TomlProblem::UnknownKey, entry.key_span.clone(), message);
        error.nearest(&entry.key, known, "it takes")
    }

    /// Refuses keys that nothing reads; `of` names the table.
    ///
    /// # Errors
    /// For the first key that is not known, with the nearest one.
    pub fn check_keys(&self, table: &Table, of: &str, known: &[&str]) -> Result<(), TomlError> {
        match table.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            Some(entry) => Err(self.unknown(entry, of, known)),
            None => Ok(()),
        }
    }

    /// The error of a value that is of another type.
    pub fn mistyped(&self, entry: &Entry, wanted: &str) -> TomlError {
        let message = format!("'{}' must be {wanted}, found {}", entry.key, entry.cell.value.named());
        self.error(TomlProblem::Type, entry.cell.span.clone(), message)
    }

    fn table(&self, table: &DeTable<'_>) -> Result<Table, TomlError> {
        let mut entries = Vec::with_capacity(table.len());
        for (key, value) in table {
            let cell = self.cell(value)?;
            entries.push(Entry { key: key.get_ref().to_string(), key_span: key.span(), cell });
        }
        entries.sort_by_key(|entry| entry.key_span.start);
        Ok(entries)
    }

    fn cell(&self, value: &Spanned<DeValue<'_>>) -> Result<Cell, TomlError> {
        let span = value.span();
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => {
                let parsed = i64::from_str_radix(number.as_str(), number.radix());
                let number = parsed.map_err(|error| {
                    self.error(TomlProblem::Syntax, span.clone(), format!("a number: {error}"))
                })?;
                Value::Number(number.to_string())
            }
            DeValue::Float(number) => Value::Number(number.as_str().to_owned()),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Datetime(_) => {
                let message = "dates are not supported; put text in quotes".to_owned();
                return Err(self.error(TomlProblem::Type, span, message));
            }
            DeValue::Array(cells) => {
                Value::List(cells.iter().map(|cell| self.cell(cell)).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => Value::Table(self.table(table)?),
        };
        Ok(Cell { value, span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(text: &str) -> Text {
        Text::new("test.toml", text.into()).unwrap()
    }

    #[test]
    fn keys_and_values_keep_their_places_and_order() {
        let text = text_of("b = 0x10\na.c = [1_0.5, 'x', true]\n");
        let table = text.parse().unwrap();
        assert_eq!(table[0].cell, Cell { value: Value::Number("16".into()), span: 4..8 });
        let Value::Table(inner) = &table[1].cell.value else { panic!("{table:?}") };
        assert_eq!((inner[0].key.as_str(), inner[0].key_span.clone()), ("c", 11..12));
        let Value::List(cells) = &inner[0].cell.value else { panic!("{inner:?}") };
        let values = ["10.5", "x"].map(Some);
        assert_eq!([cells[0].value.scalar(), cells[1].value.scalar()], values);
        assert_eq!(cells[2].value, Value::Flag(true));
    }

    #[test]
    fn numbers_are_finite_and_mistakes_have_their_place() {
        let text = text_of("a = 1.5\nb = nan\nc = [1, 2, inf]\nd = 'x'\ne = [1, 2]\n");
        let table = text.parse().unwrap();
        let entry = |key: &str| crate::find(&table, key).unwrap();
        assert_eq!(entry("a").number(&text), Ok(1.5));
        assert_eq!(entry("e").numbers(&text), Ok([1.0, 2.0]));
        let wrong = |error: TomlError| (error.message.clone(), error.place().unwrap());
        let (message, place) = wrong(entry("b").number(&text).unwrap_err());
        assert_eq!(
            (message.as_str(), place),
            ("'b' must be a number, found nan, which is not finite", (2, 5))
        );
        assert_eq!(wrong(entry("c").numbers::<3>(&text).unwrap_err()).1, (3, 12));
        assert_eq!(wrong(entry("d").number(&text).unwrap_err()).0, "'d' must be a number, found text");
        assert!(entry("e").numbers::<3>(&text).is_err());
        assert!(text.check_keys(&table, "a test", &["a", "b", "c", "d"]).is_err());
    }

    #[test]
    fn what_is_no_toml_has_a_line_and_column() {
        let error = text_of("a = 1\nb = [1,\nc = 2\n").parse().unwrap_err();
        assert_eq!((error.code(), error.place().unwrap().0), ("toml::syntax", 3));
        let error = text_of("a = 1\na = 2\n").parse().unwrap_err();
        assert_eq!((error.code(), error.place()), ("toml::syntax", Some((2, 1))));
        let error = text_of("day = 2020-01-01\n").parse().unwrap_err();
        assert_eq!((error.code(), error.place()), ("toml::type", Some((1, 7))));
    }
}
