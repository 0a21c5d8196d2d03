//! Records, of which a file consists.

use std::borrow::Cow;
use std::rc::Rc;

/// A record: a name, properties, and records inside it.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) name: Cow<'static, str>,
    pub(super) properties: Vec<Property>,
    pub(super) inside: Vec<Record>,
}

/// A property of a record.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Property {
    Char(u8),
    I32(i32),
    I64(i64),
    F64(f64),
    Text(Vec<u8>),
    Bytes(&'static [u8]),
    /// The letter of its type, the number of its values and their bytes, shared by all records that have the same.
    Array(u8, usize, Rc<[u8]>),
    /// As it is in a file, with the letter of its type.
    Raw(Vec<u8>),
}

impl Record {
    pub(super) fn new(name: impl Into<Cow<'static, str>>, properties: Vec<Property>) -> Record {
        Record { name: name.into(), properties, inside: Vec::new() }
    }

    /// The same with records inside it.
    pub(super) fn with(mut self, inside: impl IntoIterator<Item = Record>) -> Record {
        self.inside.extend(inside);
        self
    }
}

impl From<i32> for Property {
    fn from(value: i32) -> Property {
        Property::I32(value)
    }
}

impl From<i64> for Property {
    fn from(value: i64) -> Property {
        Property::I64(value)
    }
}

impl From<f64> for Property {
    fn from(value: f64) -> Property {
        Property::F64(value)
    }
}

impl From<&str> for Property {
    fn from(text: &str) -> Property {
        Property::Text(text.as_bytes().to_vec())
    }
}

/// Whole numbers.
pub(super) fn integers(values: &[i32]) -> Property {
    Property::Array(b'i', values.len(), values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

/// Numbers of 32 bits.
pub(super) fn singles(values: &[f32]) -> Property {
    Property::Array(b'f', values.len(), values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

/// Numbers of 64 bits.
pub(super) fn doubles(values: &[f64]) -> Property {
    Property::Array(b'd', values.len(), values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

/// A record with one property.
pub(super) fn field(name: &'static str, value: impl Into<Property>) -> Record {
    Record::new(name, vec![value.into()])
}

/// The properties of an object, one record each.
pub(super) fn properties(all: impl IntoIterator<Item = Record>) -> Record {
    Record::new("Properties70", Vec::new()).with(all)
}

/// A property of an object: its name, its two types, its flags and its values.
pub(super) fn property(name: &str, [kind, label, flags]: [&str; 3], values: &[Property]) -> Record {
    let head = [name, kind, label, flags].map(Property::from);
    Record::new("P", head.into_iter().chain(values.iter().cloned()).collect())
}

/// A property that is a whole number.
pub(super) fn integer(name: &str, value: i32) -> Record {
    property(name, ["int", "Integer", ""], &[value.into()])
}

/// A property that is a number.
pub(super) fn number(name: &str, value: f64) -> Record {
    property(name, ["double", "Number", ""], &[value.into()])
}

/// A property that is a time \[ticks\].
pub(super) fn time(name: &str, ticks: i64) -> Record {
    property(name, ["KTime", "Time", ""], &[ticks.into()])
}

/// The name of an object with its class, as binary files have it.
pub(super) fn class(name: &str, class: &str) -> Property {
    Property::Text([name.as_bytes(), b"\0\x01", class.as_bytes()].concat())
}
