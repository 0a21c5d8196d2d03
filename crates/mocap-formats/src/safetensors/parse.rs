//! Reads safetensors files.

use super::Problem;
use crate::arrays::{Array, Arrays, Data};
use crate::{Finding, LimitExceeded, Limits};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A tensor as the header describes it.
#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// The tensors of a file, and the texts of its metadata as arrays of texts.
///
/// # Errors
/// Where header and content do not fit, or a tensor has a type that is not read.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Arrays, Finding> {
    if bytes.len() > limits.bytes {
        let (found, limit) = (bytes.len(), limits.bytes);
        return Err(Finding::new(LimitExceeded { what: "bytes", found, limit }));
    }
    let length = bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    let length = length.ok_or_else(|| Finding::new(Problem::HeaderLength { found: 0 }))?;
    let end = usize::try_from(length).ok().and_then(|length| length.checked_add(8));
    let header = end.and_then(|end| bytes.get(8..end));
    let header = header.ok_or_else(|| Finding::new(Problem::HeaderLength { found: length }))?;
    let header: Map<String, Value> = serde_json::from_slice(header)
        .map_err(|error| Finding::new(Problem::Header { message: error.to_string() }))?;
    let content = &bytes[8 + header_length(length)..];
    let mut arrays = Arrays::default();
    for (name, value) in header {
        if name == "__metadata__" {
            metadata(value, &mut arrays)?;
            continue;
        }
        let broken = |message: String| Finding::new(Problem::Tensor { tensor: name.clone(), message });
        let tensor: Tensor = serde_json::from_value(value).map_err(|error| broken(error.to_string()))?;
        let array = read(&tensor, content).map_err(broken)?;
        arrays.insert(name, array);
    }
    Ok(arrays)
}

fn header_length(length: u64) -> usize {
    usize::try_from(length).expect("the header lies within the file")
}

/// Texts: a list of them, or one.
fn metadata(value: Value, arrays: &mut Arrays) -> Result<(), Finding> {
    let error = |message: &str| Finding::new(Problem::Header { message: message.to_owned() });
    let Value::Object(texts) = value else { return Err(error("__metadata__ is not an object")) };
    for (name, text) in texts {
        let Value::String(text) = text else {
            return Err(error("__metadata__ holds a value that is not text"));
        };
        let list = serde_json::from_str::<Vec<String>>(&text);
        arrays.insert(name, list.map_or_else(|_| Array::text(text), Array::texts));
    }
    Ok(())
}

fn read(tensor: &Tensor, content: &[u8]) -> Result<Array, String> {
    let [from, to] = tensor.data_offsets;
    let bytes = content.get(from..to).ok_or("its content lies outside the file")?;
    let size = match tensor.dtype.as_str() {
        "F64" | "I64" => 8,
        "F32" | "I32" => 4,
        "I8" | "U8" | "BOOL" => 1,
        other => return Err(format!("values of type {other} are not supported")),
    };
    let count = tensor.shape.iter().try_fold(size, |size: usize, length| size.checked_mul(*length));
    if count != Some(bytes.len()) {
        let shape = crate::arrays::shape(&tensor.shape);
        return Err(format!("shape {shape} of {} does not fit its {} bytes", tensor.dtype, bytes.len()));
    }
    macro_rules! numbers {
        ($type:ty) => {
            bytes
                .chunks_exact(size)
                .map(|chunk| {
                    <$type>::from_le_bytes(chunk.try_into().expect("a chunk has the size of the type"))
                })
                .collect()
        };
    }
    let data = match tensor.dtype.as_str() {
        "F64" => Data::F64(numbers!(f64)),
        "F32" => Data::F32(numbers!(f32)),
        "I64" => Data::I64(numbers!(i64)),
        "I32" => Data::I32(numbers!(i32)),
        "I8" => Data::I8(numbers!(i8)),
        "U8" => Data::I32(bytes.iter().map(|byte| i32::from(*byte)).collect()),
        _ => Data::Bool(bytes.iter().map(|byte| *byte != 0).collect()),
    };
    Ok(Array::new(tensor.shape.clone(), data))
}
