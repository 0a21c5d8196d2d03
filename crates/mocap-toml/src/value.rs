//! Values of a table, with their places.

use std::ops::Range;

use crate::{Text, TomlError, TomlProblem};

/// The entries of a table, in the order of the file.
pub type Table = Vec<Entry>;

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key is \[bytes\].
    pub key_span: Range<usize>,
    /// Its value.
    pub cell: Cell,
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The value.
    pub value: Value,
    /// Where it is \[bytes\].
    pub span: Range<usize>,
}

/// What a key can be set to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A number, as it was written.
    Number(String),
    /// True or false.
    Flag(bool),
    /// A list.
    List(Vec<Cell>),
    /// A table.
    Table(Table),
}

impl Value {
    /// The kind of value in words.
    pub fn named(&self) -> &'static str {
        match self {
            Value::Text(_) => "text",
            Value::Number(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// Whether a switch is on; a variable is text.
    pub fn switch(&self) -> Option<bool> {
        match self {
            Value::Flag(on) => Some(*on),
            Value::Text(word) => word.parse().ok(),
            Value::Number(_) | Value::List(_) | Value::Table(_) => None,
        }
    }

    /// Text and numbers, as typed.
    pub fn scalar(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Number(text) => Some(text),
            Value::Flag(_) | Value::List(_) | Value::Table(_) => None,
        }
    }
}

impl Entry {
    /// One text, or a list of them.
    ///
    /// # Errors
    /// Where the value has another type.
    pub fn texts(&self, text: &Text) -> Result<Vec<String>, TomlError> {
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
    ///
    /// # Errors
    /// Where the value has another type.
    pub fn table(&self, text: &Text) -> Result<&Table, TomlError> {
        match &self.cell.value {
            Value::Table(table) => Ok(table),
            _ => Err(text.mistyped(self, "a table")),
        }
    }

    /// The tables of `[[key]]`.
    ///
    /// # Errors
    /// Where the value has another type.
    pub fn tables<'a>(&'a self, text: &Text) -> Result<Vec<(&'a Table, Range<usize>)>, TomlError> {
        let wrong = || text.mistyped(self, &format!("a list of tables, each begun with [[{}]]", self.key));
        let Value::List(cells) = &self.cell.value else { return Err(wrong()) };
        let table = |cell: &'a Cell| match &cell.value {
            Value::Table(entries) => Ok((entries, cell.span.clone())),
            _ => Err(wrong()),
        };
        cells.iter().map(table).collect()
    }

    /// A finite number.
    ///
    /// # Errors
    /// Where the value has another type, or is infinite or NaN.
    pub fn number(&self, text: &Text) -> Result<f64, TomlError> {
        self.finite(&self.cell, "a number", text)
    }

    /// A list of `N` finite numbers.
    ///
    /// # Errors
    /// Where the value has another type, another length, or a number is not finite.
    pub fn numbers<const N: usize>(&self, text: &Text) -> Result<[f64; N], TomlError> {
        let wanted = format!("a list of {N} numbers");
        match &self.cell.value {
            Value::List(cells) if cells.len() == N => {
                let mut values = [0.0; N];
                for (value, cell) in values.iter_mut().zip(cells) {
                    *value = self.finite(cell, &wanted, text)?;
                }
                Ok(values)
            }
            Value::List(cells) => {
                let message = format!("'{}' must be {wanted}, found {} values", self.key, cells.len());
                Err(text.error(TomlProblem::Type, self.cell.span.clone(), message))
            }
            _ => Err(text.mistyped(self, &wanted)),
        }
    }

    fn finite(&self, cell: &Cell, wanted: &str, text: &Text) -> Result<f64, TomlError> {
        let wrong = |found: &str| {
            let message = format!("'{}' must be {wanted}, found {found}", self.key);
            text.error(TomlProblem::Type, cell.span.clone(), message)
        };
        match &cell.value {
            Value::Number(number) => {
                let value = number.parse::<f64>().ok().filter(|value| value.is_finite());
                value.ok_or_else(|| wrong(&format!("{number}, which is not finite")))
            }
            other => Err(wrong(other.named())),
        }
    }

    /// A value that must be text.
    ///
    /// # Errors
    /// Where it has another type.
    pub fn text(&self, text: &Text) -> Result<&str, TomlError> {
        match &self.cell.value {
            Value::Text(value) => Ok(value),
            _ => Err(text.mistyped(self, "text")),
        }
    }

    /// Whether a switch is on.
    ///
    /// # Errors
    /// Where it has another type.
    pub fn switch(&self, text: &Text) -> Result<bool, TomlError> {
        self.cell.value.switch().ok_or_else(|| text.mistyped(self, "true or false"))
    }
}

/// The entry of a key.
pub fn find<'t>(table: &'t Table, key: &str) -> Option<&'t Entry> {
    table.iter().find(|entry| entry.key == key)
}
