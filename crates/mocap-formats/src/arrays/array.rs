//! Named arrays: what NPZ and safetensors files hold.

/// The values of an array, in C order (the last index runs fastest).
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 8-bit integers.
    I8(Vec<i8>),
    /// 32-bit integers.
    I32(Vec<i32>),
    /// 64-bit integers.
    I64(Vec<i64>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Unicode texts.
    Text(Vec<String>),
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The length along each axis; empty of a scalar.
    pub shape: Vec<usize>,
    /// As many values as the product of the lengths.
    pub data: Data,
}

impl Array {
    /// An array of values.
    ///
    /// # Panics
    /// If there are more or fewer values than the shape says.
    pub fn new(shape: impl Into<Vec<usize>>, data: Data) -> Array {
        let shape = shape.into();
        assert_eq!(shape.iter().product::<usize>(), data.len(), "values of shape {shape:?}");
        Array { shape, data }
    }

    /// A list of texts.
    pub fn texts(texts: Vec<String>) -> Array {
        Array::new([texts.len()], Data::Text(texts))
    }

    /// One text.
    pub fn text(text: impl Into<String>) -> Array {
        Array::new([], Data::Text(vec![text.into()]))
    }

    /// One 64-bit float.
    pub fn scalar(value: f64) -> Array {
        Array::new([], Data::F64(vec![value]))
    }
}

impl Data {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Data::F32(values) => values.len(),
            Data::F64(values) => values.len(),
            Data::I8(values) => values.len(),
            Data::I32(values) => values.len(),
            Data::I64(values) => values.len(),
            Data::Bool(values) => values.len(),
            Data::Text(values) => values.len(),
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The size of its values in a file \[bytes\]; for texts, that of the characters without padding.
    pub fn bytes(&self) -> usize {
        match self {
            Data::F32(values) => 4 * values.len(),
            Data::F64(values) => 8 * values.len(),
            Data::I8(values) => values.len(),
            Data::I32(values) => 4 * values.len(),
            Data::I64(values) => 8 * values.len(),
            Data::Bool(values) => values.len(),
            Data::Text(values) => values.iter().map(|text| 4 * text.chars().count()).sum(),
        }
    }

    /// The type of its values, as messages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Data::F32(_) => "f32",
            Data::F64(_) => "f64",
            Data::I8(_) => "int8",
            Data::I32(_) => "int32",
            Data::I64(_) => "int64",
            Data::Bool(_) => "bool",
            Data::Text(_) => "text",
        }
    }

    /// Appends the values of an array of the same type; false where the types differ.
    pub fn append(&mut self, other: &Data) -> bool {
        match (self, other) {
            (Data::F32(to), Data::F32(from)) => to.extend_from_slice(from),
            (Data::F64(to), Data::F64(from)) => to.extend_from_slice(from),
            (Data::I8(to), Data::I8(from)) => to.extend_from_slice(from),
            (Data::I32(to), Data::I32(from)) => to.extend_from_slice(from),
            (Data::I64(to), Data::I64(from)) => to.extend_from_slice(from),
            (Data::Bool(to), Data::Bool(from)) => to.extend_from_slice(from),
            (Data::Text(to), Data::Text(from)) => to.extend_from_slice(from),
            _ => return false,
        }
        true
    }

    /// Removes the values of a list of floats; its memory stays.
    pub(super) fn clear_floats(&mut self) {
        match self {
            Data::F32(values) => values.clear(),
            Data::F64(values) => values.clear(),
            _ => unreachable!("a list of floats"),
        }
    }

    /// A number as a 64-bit float; `None` for texts, and beyond the end.
    pub fn number(&self, at: usize) -> Option<f64> {
        match self {
            Data::F32(values) => values.get(at).map(|value| f64::from(*value)),
            Data::F64(values) => values.get(at).copied(),
            Data::I8(values) => values.get(at).map(|value| f64::from(*value)),
            Data::I32(values) => values.get(at).map(|value| f64::from(*value)),
            Data::I64(values) => values.get(at).map(|value| *value as f64),
            Data::Bool(values) => values.get(at).map(|value| f64::from(u8::from(*value))),
            Data::Text(_) => None,
        }
    }
}

/// The type of floats that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    #[default]
    F32,
    /// 64 bits: a motion is read back bit by bit.
    F64,
}

impl Precision {
    /// An empty list of floats with room for some.
    pub fn floats(self, capacity: usize) -> Data {
        match self {
            Precision::F32 => Data::F32(Vec::with_capacity(capacity)),
            Precision::F64 => Data::F64(Vec::with_capacity(capacity)),
        }
    }
}

/// Adds floats to a list of floats.
pub(crate) fn push(data: &mut Data, values: &[f64]) {
    match data {
        Data::F32(to) => to.extend(values.iter().map(|value| *value as f32)),
        Data::F64(to) => to.extend_from_slice(values),
        _ => unreachable!("a list of floats"),
    }
}

/// Arrays by name, in the order of their file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrays {
    list: Vec<(String, Array)>,
}

impl Arrays {
    /// Adds an array, or replaces that of the name.
    pub fn insert(&mut self, name: impl Into<String>, array: Array) {
        let name = name.into();
        match self.list.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = array,
            None => self.list.push((name, array)),
        }
    }

    /// The array of a name.
    pub fn get(&self, name: &str) -> Option<&Array> {
        self.list.iter().find(|(known, _)| known == name).map(|(_, array)| array)
    }

    /// As [`Arrays::get`], to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Array> {
        self.list.iter_mut().find(|(known, _)| known == name).map(|(_, array)| array)
    }

    /// Removes the array of a name.
    pub fn remove(&mut self, name: &str) -> Option<Array> {
        let at = self.list.iter().position(|(known, _)| known == name)?;
        Some(self.list.remove(at).1)
    }

    /// Names and arrays, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Array)> {
        self.list.iter().map(|(name, array)| (name.as_str(), array))
    }
}
