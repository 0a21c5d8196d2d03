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
    make: Box<Make<'c>>,
}

/// Gives values in order.
type Make<'c> = dyn Fn(&mut Sink<'_>) -> io::Result<()> + 'c;

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

#[cfg(test)]
mod tests {
    use super::super::{ArrayOptions, RotationFormat, of_clip, parts};
    use super::*;
    use crate::{npz, safetensors};
    use mocap_model::{Clip, JointTracks, Track};

    /// The fixture's motion, repeated.
    fn long() -> Clip {
        let clip = include!("../../../../fixtures/wave.rs");
        let frames = 40 * clip.frames();
        let each = clip.tracks().iter().map(|tracks| JointTracks {
            rotation: Track::Sampled((0..frames).map(|i| tracks.rotation.at(i % clip.frames())).collect()),
            ..tracks.clone()
        });
        let tracks = each.map(|tracks| JointTracks { translation: None, ..tracks }).collect();
        Clip::new(clip.skeleton().clone(), clip.rate(), frames, tracks).unwrap()
    }

    #[test]
    fn arrays_made_while_they_are_written_are_those_in_memory() {
        let clip = long();
        for (precision, rotations) in
            [(Precision::F32, RotationFormat::Quaternion), (Precision::F64, RotationFormat::Euler)]
        {
            let options = ArrayOptions { precision, rotations, ..ArrayOptions::default() };
            let whole = of_clip(&clip, &options);
            let mut written = Vec::new();
            npz::write_parts(&parts(&clip, &options), &mut written).unwrap();
            assert!(written == npz::to_bytes(&whole));
            let mut written = Vec::new();
            safetensors::write_parts(&parts(&clip, &options), &mut written).unwrap();
            assert!(written == safetensors::to_bytes(&whole));
        }
    }

    #[test]
    fn no_array_of_all_frames_is_whole_in_memory() {
        let clip = long();
        let mut streamed = 0;
        for (name, part) in parts(&clip, &ArrayOptions::default()).iter() {
            match part {
                Part::Array(array) => assert!(array.data.len() < 4 * clip.frames(), "{name}"),
                Part::Floats(floats) => {
                    let mut largest = 0;
                    let put = &mut |block: &Data| {
                        largest = largest.max(block.len());
                        Ok(())
                    };
                    floats.write(put).unwrap();
                    assert!(largest <= 2 * BLOCK, "{name}: {largest}");
                    streamed += 1;
                }
            }
        }
        assert!(streamed >= 4, "{streamed}");
    }

    #[test]
    fn an_error_of_the_output_ends_the_work() {
        let (clip, mut puts) = (long(), 0);
        let parts = parts(&clip, &ArrayOptions::default());
        let Some((_, Part::Floats(rotations))) = parts.iter().next() else { panic!("rotations come first") };
        let put = &mut |_: &Data| {
            puts += 1;
            Err(io::Error::other("full"))
        };
        assert_eq!(rotations.write(put).unwrap_err().to_string(), "full");
        assert_eq!(puts, 1);
    }
}
