//! Writes safetensors files.

use crate::arrays::{Arrays, Data, Part, Parts, Precision};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Writes arrays as tensors; texts go into `__metadata__`: a list of texts as JSON, one text as it is. Wider values
/// come first, as the format wants them to be aligned.
///
/// # Errors
/// Those of `out`.
pub fn write(arrays: &Arrays, out: &mut dyn Write) -> io::Result<()> {
    write_parts(&Parts::from(arrays), out)
}

/// As [`write`], of arrays that may be made while they are written.
pub(crate) fn write_parts(parts: &Parts<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut texts = Map::new();
    let mut tensors: Vec<(&str, &Part<'_>)> = Vec::new();
    for (name, part) in parts.iter() {
        let text = match part {
            Part::Array(array) => match &array.data {
                Data::Text(list) if array.shape.is_empty() => Some(list[0].clone()),
                Data::Text(list) => Some(serde_json::to_string(list).expect("texts are JSON")),
                _ => None,
            },
            Part::Floats(_) => None,
        };
        match text {
            Some(text) => drop(texts.insert(name.into(), text.into())),
            None => tensors.push((name, part)),
        }
    }
    tensors.sort_by_key(|(_, part)| std::cmp::Reverse(kind(part).1));
    let mut header = Map::new();
    header.insert("__metadata__".into(), Value::Object(texts));
    let mut offset = 0;
    for (name, part) in &tensors {
        let (dtype, size, shape) = kind(part);
        let end = offset + size * shape.iter().product::<usize>();
        let tensor = json!({ "dtype": dtype, "shape": shape, "data_offsets": [offset, end] });
        header.insert((*name).into(), tensor);
        offset = end;
    }
    let mut header = serde_json::to_vec(&header).expect("a header has string keys");
    header.resize(header.len().next_multiple_of(8), b' ');
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(&header)?;
    tensors.iter().try_for_each(|(_, part)| match part {
        Part::Array(array) => crate::npz::values(&array.data, 0, out),
        Part::Floats(floats) => floats.write(&mut |block| crate::npz::values(block, 0, out)),
    })
}

/// The file of arrays in memory.
pub fn to_bytes(arrays: &Arrays) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(arrays, &mut bytes).expect("writing to memory does not fail");
    bytes
}

/// The name of the type of values, the size of one [bytes], and the shape.
fn kind<'p>(part: &'p Part<'_>) -> (&'static str, usize, &'p [usize]) {
    let array = match part {
        Part::Array(array) => array,
        Part::Floats(floats) => {
            let (dtype, size) = match floats.precision {
                Precision::F32 => ("F32", 4),
                Precision::F64 => ("F64", 8),
            };
            return (dtype, size, &floats.shape);
        }
    };
    let (dtype, size) = match &array.data {
        Data::F32(_) => ("F32", 4),
        Data::F64(_) => ("F64", 8),
        Data::I8(_) => ("I8", 1),
        Data::I32(_) => ("I32", 4),
        Data::I64(_) => ("I64", 8),
        Data::Bool(_) => ("BOOL", 1),
        Data::Text(_) => unreachable!("texts are metadata"),
    };
    (dtype, size, &array.shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::arrays::Array;
    use crate::safetensors::parse;

    #[test]
    fn tensors_and_texts_are_read_back() {
        let mut arrays = Arrays::default();
        arrays.insert("a", Array::new([3], Data::Bool(vec![true, false, true])));
        arrays.insert("b", Array::new([1, 2], Data::F32(vec![1.5, -2.0])));
        arrays.insert("c", Array::scalar(f64::MAX));
        arrays.insert("names", Array::texts(vec!["x".into(), "\"腰\"".into()]));
        arrays.insert("up", Array::text("Y"));
        let bytes = to_bytes(&arrays);
        let read = parse(&bytes, &Limits::default()).unwrap();
        for (name, array) in arrays.iter() {
            assert_eq!(read.get(name), Some(array), "{name}");
        }
        assert_eq!(read.iter().len(), 5);
    }

    #[test]
    fn broken_files_are_refused() {
        let mut arrays = Arrays::default();
        arrays.insert("b", Array::new([2], Data::F32(vec![1.5, -2.0])));
        let bytes = to_bytes(&arrays);
        for length in 0..bytes.len() {
            assert!(parse(&bytes[..length], &Limits::default()).is_err(), "{length}");
        }
        let with = |header: &str| {
            let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
            bytes.extend_from_slice(header.as_bytes());
            bytes.extend_from_slice(&[0; 8]);
            parse(&bytes, &Limits::default()).unwrap_err().code()
        };
        assert_eq!(with(r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,9]}}"#), "safetensors::tensor");
        assert_eq!(with(r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#), "safetensors::tensor");
        assert_eq!(with(r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#), "safetensors::tensor");
        let huge = r#"{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}"#;
        assert_eq!(with(huge), "safetensors::tensor");
        assert_eq!(with(r#"{"a":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}}"#), "safetensors::tensor");
        assert_eq!(with("[1]"), "safetensors::header");
        assert_eq!(parse(&[0xFF; 9], &Limits::default()).unwrap_err().code(), "safetensors::header-length");
    }
}
