//! TOML that users write: tables that keep the place of every key and value, so that a mistake can be shown
//! where it is.

mod settings;

pub(crate) use settings::{Wrong, settings};

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use mocap_formats::nearest_name;

use crate::diagnostic::Diagnostic;

/// A file of tables, as it was written.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) path: PathBuf,
    text: String,
}

/// The most bytes that a file of settings or steps has.
const MOST: u64 = 16 << 20;

/// The entries of a table, in the order of the file.
pub(crate) type Table = Vec<Entry>;

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) cell: Cell,
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) value: Value,
    pub(crate) span: Range<usize>,
}

/// What a key can be set to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    /// A number, as it was written.
    Number(String),
    Flag(bool),
    List(Vec<Cell>),
    Table(Table),
}

impl Text {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Text, Diagnostic> {
        let bytes = mocap_batch::read_file(path, MOST)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Diagnostic::new("toml::not-utf8", format!("'{}' is no text in UTF-8", path.display()))
                .in_text(error.as_bytes(), at..at + 1)
                .in_file(path)
                .help("save it as UTF-8")
        })?;
        Ok(Text { path: path.to_owned(), text })
    }

    #[cfg(test)]
    pub(crate) fn of(text: &str) -> Text {
        Text { path: "test.toml".into(), text: text.to_owned() }
    }

    /// The tables that the text means.
    ///
    /// # Errors
    /// Where it is not TOML.
    pub(crate) fn parse(&self) -> Result<Table, Diagnostic> {
        let root = DeTable::parse(&self.text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            self.error("toml::syntax", error.span().unwrap_or(0..0), message)
        })?;
        self.table(root.get_ref())
    }

    /// An error at a place of the text.
    pub(crate) fn error(&self, code: &'static str, span: Range<usize>, message: String) -> Diagnostic {
        Diagnostic::new(code, message).in_text(self.text.as_bytes(), span).in_file(&self.path)
    }

    /// The error of a key that nobody knows.
    pub(crate) fn unknown(&self, entry: &Entry, of: &str, known: &[&str]) -> Diagnostic {
        let message = format!("{of} has no '{}'", entry.key);
        let error = self.error("toml::unknown-key", entry.key_span.clone(), message);
        match nearest_name(&entry.key, known.iter().copied()) {
            Some(near) => error.help(format!("did you mean '{near}'?")),
            None => error.help(format!("it takes {}", known.join(", "))),
        }
    }

    /// The error of a value that is of another type.
    pub(crate) fn mistyped(&self, entry: &Entry, wanted: &str) -> Diagnostic {
        let message = format!("'{}' is {wanted}, and this is {}", entry.key, entry.cell.value.named());
        self.error("toml::type", entry.cell.span.clone(), message)
    }

    fn table(&self, table: &DeTable<'_>) -> Result<Table, Diagnostic> {
        let mut entries = Vec::with_capacity(table.len());
        for (key, value) in table {
            let cell = self.cell(value)?;
            entries.push(Entry { key: key.get_ref().to_string(), key_span: key.span(), cell });
        }
        entries.sort_by_key(|entry| entry.key_span.start);
        Ok(entries)
    }

    fn cell(&self, value: &Spanned<DeValue<'_>>) -> Result<Cell, Diagnostic> {
        let span = value.span();
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => {
                let parsed = i64::from_str_radix(number.as_str(), number.radix());
                let number = parsed.map_err(|error| {
                    self.error("toml::syntax", span.clone(), format!("a number: {error}"))
                })?;
                Value::Number(number.to_string())
            }
            DeValue::Float(number) => Value::Number(number.as_str().to_owned()),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Datetime(_) => {
                let message = "nothing here is a date; put text in quotes".to_owned();
                return Err(self.error("toml::type", span, message));
            }
            DeValue::Array(cells) => {
                Value::List(cells.iter().map(|cell| self.cell(cell)).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => Value::Table(self.table(table)?),
        };
        Ok(Cell { value, span })
    }
}

impl Value {
    /// The kind of value in words.
    pub(crate) fn named(&self) -> &'static str {
        match self {
            Value::Text(_) => "text",
            Value::Number(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// Whether a switch is on; a variable is text.
    pub(crate) fn switch(&self) -> Option<bool> {
        match self {
            Value::Flag(on) => Some(*on),
            Value::Text(word) => word.parse().ok(),
            Value::Number(_) | Value::List(_) | Value::Table(_) => None,
        }
    }

    /// Text and numbers as they would be typed.
    pub(crate) fn scalar(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Number(text) => Some(text),
            Value::Flag(_) | Value::List(_) | Value::Table(_) => None,
        }
    }
}

impl Entry {
    /// One text, or a list of them.
    pub(crate) fn texts(&self, text: &Text) -> Result<Vec<String>, Diagnostic> {
        let wrong = || text.mistyped(self, "text, or a list of texts");
        let one = |cell: &Cell| match &cell.value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(wrong()),
        };
        match &self.cell.value {
            Value::List(cells) => cells.iter().map(one).collect(),
            _ => Ok(vec![one(&self.cell)?]),
        }
    }

    /// The entries of a table.
    pub(crate) fn table(&self, text: &Text) -> Result<&Table, Diagnostic> {
        match &self.cell.value {
            Value::Table(table) => Ok(table),
            _ => Err(text.mistyped(self, "a table")),
        }
    }

    /// The tables of `[[key]]`.
    pub(crate) fn tables(&self, text: &Text) -> Result<Vec<(&Table, Range<usize>)>, Diagnostic> {
        let wrong = || text.mistyped(self, &format!("a list of tables, each begun with [[{}]]", self.key));
        let Value::List(cells) = &self.cell.value else { return Err(wrong()) };
        let table = |cell: &'_ Cell| -> Option<Range<usize>> {
            matches!(cell.value, Value::Table(_)).then(|| cell.span.clone())
        };
        cells
            .iter()
            .map(|cell| match (&cell.value, table(cell)) {
                (Value::Table(entries), Some(span)) => Ok((entries, span)),
                _ => Err(wrong()),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_keep_their_places_and_order() {
        let text = Text::of("b = 0x10\na.c = [1_0.5, 'x', true]\n");
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
    fn what_is_no_toml_has_a_line_and_column() {
        let error = Text::of("a = 1\nb = [1,\nc = 2\n").parse().unwrap_err();
        assert_eq!((error.code, error.place.unwrap().0), ("toml::syntax", 3));
        let error = Text::of("a = 1\na = 2\n").parse().unwrap_err();
        assert_eq!((error.code, error.place), ("toml::syntax", Some((2, 1))));
        let error = Text::of("day = 2020-01-01\n").parse().unwrap_err();
        assert_eq!((error.code, error.place), ("toml::type", Some((1, 7))));
    }
}
