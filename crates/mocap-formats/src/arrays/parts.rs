//! Arrays that are made while they are written: those with values of every frame are never whole in memory.

use super::array::push;
use super::{Array, Arrays, Data, Precision};
use std::borrow::Cow;
use std::io;

/// Values that are handed on at a time.
const BLOCK: usize = 1 << 14;

/// Arrays by name, in the order of their file.
#[derive(Default)]
pub(crate) struct Parts<'c> {
    list: Vec<(String, Part<'c>)>,
}

/// An array, or how it is made.
pub(crate) enum Part<'c> {
    Array(Cow<'c, Array>),
    Floats(Floats<'c>),
}

/// An array of floats that is made anew each time it is needed.
pub(crate) struct Floats<'c> {
    pub(crate) shape: Vec<usize>,
    pub(crate) precision: Precision,
    make: Box<dyn Fn(&mut Sink<'_>) -> io::Result<()> + 'c>,
}

impl<'c> Parts<'c> {
    pub(super) fn insert(&mut self, name: impl Into<String>, array: Array) {
        self.list.push((name.into(), Part::Array(Cow::Owned(array))));
    }

    /// Adds an array of floats. `make` gives its values in order.
    pub(super) fn insert_floats(
        &mut self,
        name: impl Into<String>,
        shape: impl Into<Vec<usize>>,
        precision: Precision,
        make: impl Fn(&mut Sink<'_>) -> io::Result<()> + 'c,
    ) {
        let floats = Floats { shape: shape.into(), precision, make: Box::new(make) };
        self.list.push((name.into(), Part::Floats(floats)));
    }

    /// Names and arrays, in order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Part<'c>)> {
        self.list.iter().map(|(name, part)| (name.as_str(), part))
    }

    /// All arrays in memory.
    pub(super) fn into_arrays(self) -> Arrays {
        let mut arrays = Arrays::default();
        for (name, part) in self.list {
            arrays.insert(name, part.into_array());
        }
        arrays
    }
}

impl<'c> From<&'c Arrays> for Parts<'c> {
    fn from(arrays: &'c Arrays) -> Parts<'c> {
        let list = arrays.iter().map(|(name, array)| (name.to_owned(), Part::Array(Cow::Borrowed(array))));
        Parts { list: list.collect() }
    }
}

impl Part<'_> {
    fn into_array(self) -> Array {
        let floats = match self {
            Part::Array(array) => return array.into_owned(),
            Part::Floats(floats) => floats,
        };
        let mut whole = floats.precision.floats(floats.shape.iter().product());
        let collected = floats.write(&mut |block| {
            whole.append(block);
            Ok(())
        });
        collected.expect("collecting does not fail");
        Array::new(floats.shape, whole)
    }
}

impl Floats<'_> {
    /// Hands on all values, block by block.
    ///
    /// # Errors
    /// Those of `put`.
    pub(crate) fn write(&self, put: &mut dyn FnMut(&Data) -> io::Result<()>) -> io::Result<()> {
        let mut sink = Sink { block: self.precision.floats(2 * BLOCK), put };
        (self.make)(&mut sink)?;
        (sink.put)(&sink.block)
    }
}

/// Takes the values of an array.
pub(super) struct Sink<'p> {
    block: Data,
    put: &'p mut dyn FnMut(&Data) -> io::Result<()>,
}

impl Sink<'_> {
    pub(super) fn push(&mut self, values: &[f64]) {
        push(&mut self.block, values);
    }

    /// Ends the values of a frame: hands them on if there are many.
    pub(super) fn end_frame(&mut self) -> io::Result<()> {
        if self.block.len() < BLOCK {
            return Ok(());
        }
        (self.put)(&self.block)?;
        self.block.clear_floats();
        Ok(())
    }
}
