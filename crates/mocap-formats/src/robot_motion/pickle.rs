//! Writes a dictionary of arrays as a pickle of protocol 2, as numpy and joblib read it.
//!
//! Based on: A. Pitrou, "PEP 3154", 2011, and its predecessors, for the opcodes; `numpy.ndarray.__reduce__`.

use crate::arrays::{Array, Arrays, Data};

/// The bytes of a pickled `dict` from names to arrays, numbers and lists of texts.
pub(super) fn dictionary(arrays: &Arrays) -> Vec<u8> {
    let mut out = vec![0x80, 2, b'}', b'('];
    for (name, array) in arrays.iter() {
        text(&mut out, name);
        value(&mut out, array);
    }
    out.extend(b"u.");
    out
}

fn value(out: &mut Vec<u8>, array: &Array) {
    match &array.data {
        Data::Text(texts) => {
            out.extend(b"](");
            texts.iter().for_each(|part| text(out, part));
            out.push(b'e');
        }
        data if array.shape.is_empty() => {
            out.push(b'G');
            out.extend(data.number(0).unwrap_or(f64::NAN).to_be_bytes());
        }
        data => {
            let (kind, bytes) = match data {
                Data::F32(values) => ("f4", values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()),
                _ => {
                    let values = (0..data.len()).filter_map(|at| data.number(at));
                    ("f8", values.flat_map(f64::to_le_bytes).collect())
                }
            };
            ndarray(out, &array.shape, kind, &bytes);
        }
    }
}

/// As `numpy.ndarray.__reduce__` describes an array.
fn ndarray(out: &mut Vec<u8>, shape: &[usize], kind: &str, bytes: &[u8]) {
    out.extend(b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85");
    latin1(out, b"b");
    out.extend(b"\x87R(K\x01(");
    shape.iter().for_each(|length| {
        out.push(b'J');
        out.extend(i32::try_from(*length).unwrap_or(i32::MAX).to_le_bytes());
    });
    out.extend(b"tcnumpy\ndtype\n");
    text(out, kind);
    out.extend(b"K\x00K\x01\x87R(K\x03");
    text(out, "<");
    out.extend(b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89");
    latin1(out, bytes);
    out.extend(b"tb");
}

/// Bytes, which protocol 2 has only as text.
fn latin1(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(b"c_codecs\nencode\n");
    let letters: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    text(out, &letters);
    text(out, "latin1");
    out.extend(b"\x86R");
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.push(b'X');
    out.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(text.as_bytes());
}
