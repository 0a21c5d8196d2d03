//! The arrays of NPZ files: a header in the syntax of Python, then the values.
//!
//! Based on: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", 2007. Objects, which are
//! pickles, are never read.

use super::Problem;
use crate::Finding;
use crate::arrays::{Array, Data, Floats, Precision};
use std::io::{self, Write};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Longest header [bytes]. Only structured arrays have longer ones, which are refused anyway.
const HEADER: usize = 64 * 1024;
/// Characters of all texts of an array.
const TEXT: usize = 64 << 20;

/// An array, from the content of its member.
pub(super) fn read(path: &str, bytes: &[u8]) -> Result<Array, Finding> {
    let broken = |message: String| Finding::new(Problem::Member { path: path.to_owned(), message });
    let (header, start) = header(bytes).map_err(broken)?;
    let values = &bytes[start..];
    let count = header.shape.iter().try_fold(1usize, |count, length| count.checked_mul(*length));
    let kind = Kind::of(&header.descr).map_err(broken)?;
    let size = count.and_then(|count| count.checked_mul(kind.size));
    if size != Some(values.len()) {
        let shape = crate::arrays::shape(&header.shape);
        let found = values.len();
        return Err(broken(format!("shape {shape} of '{}' does not fit its {found} bytes", header.descr)));
    }
    let data = kind.data(values, count.unwrap_or(0)).map_err(broken)?;
    if header.fortran && header.shape.len() > 1 {
        return Ok(in_c_order(&header.shape, &data));
    }
    Ok(Array::new(header.shape, data))
}

/// Whether an array holds Python's objects.
pub(super) fn is_object(bytes: &[u8]) -> bool {
    header(bytes).is_ok_and(|(header, _)| header.descr.contains('O'))
}

/// The header of an array, and where its values start.
fn header(bytes: &[u8]) -> Result<(Header, usize), String> {
    let not_npy = || "it is not an array of numpy".to_owned();
    if !bytes.starts_with(MAGIC) {
        return Err(not_npy());
    }
    let (length, start): (u64, usize) = match bytes.get(6) {
        Some(1) => (u64::from(u16::from_le_bytes(fixed(bytes, 8).ok_or_else(not_npy)?)), 10),
        Some(2 | 3) => (u64::from(u32::from_le_bytes(fixed(bytes, 8).ok_or_else(not_npy)?)), 12),
        Some(version) => return Err(format!("version {version} of the format is not known")),
        None => return Err(not_npy()),
    };
    let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
    let header = end.and_then(|end| bytes.get(start..end)).ok_or("its header is cut off")?;
    if header.len() > HEADER {
        return Err(format!("its header has {} bytes", header.len()));
    }
    Ok((Header::parse(&String::from_utf8_lossy(header))?, start + length as usize))
}

fn fixed<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

/// What the header of an array says.
#[derive(Debug, PartialEq)]
struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<usize>,
}

impl Header {
    /// Reads a dictionary such as `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Header, String> {
        let lost = || "its header is not a dictionary with descr, fortran_order and shape".to_owned();
        let after = |key: &str| {
            let start = ['\'', '"'].iter().find_map(|quote| {
                let quoted = format!("{quote}{key}{quote}");
                Some(text.find(&quoted)? + quoted.len())
            });
            let rest = text[start.ok_or_else(lost)?..].trim_start();
            rest.strip_prefix(':').map(str::trim_start).ok_or_else(lost)
        };
        let descr = after("descr")?;
        let quote = descr.chars().next().ok_or_else(lost)?;
        if quote == '[' {
            return Err("structured arrays are not supported".into());
        }
        let descr =
            descr[1..].split(quote).next().filter(|_| quote == '\'' || quote == '"').ok_or_else(lost)?;
        let order = after("fortran_order")?;
        let fortran = match order {
            _ if order.starts_with("True") => true,
            _ if order.starts_with("False") => false,
            _ => return Err(lost()),
        };
        let shape =
            after("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or_else(lost)?.0;
        let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
        let shape: Result<Vec<usize>, String> = lengths
            .map(|length| {
                let digits = length.strip_suffix('L').unwrap_or(length);
                digits.parse().map_err(|_| format!("its shape has '{length}', expected whole numbers from 0"))
            })
            .collect();
        let shape = shape?;
        if shape.len() > 32 {
            return Err("it has more than 32 axes".into());
        }
        Ok(Header { descr: descr.to_owned(), fortran, shape })
    }
}

/// A type of values.
struct Kind {
    letter: char,
    big: bool,
    /// Bytes of one value.
    size: usize,
}

impl Kind {
    fn of(descr: &str) -> Result<Kind, String> {
        let unsupported =
            || format!("values of type '{descr}' are not supported; expected floats, integers, bool or text");
        let mut letters = descr.chars();
        let order = letters.next().filter(|order| "<>=|".contains(*order)).ok_or_else(unsupported)?;
        let letter = letters.next().ok_or_else(unsupported)?;
        if letter == 'O' {
            return Err("it holds Python objects, which are programs to be run and are never read".into());
        }
        let width: usize = letters.as_str().parse().map_err(|_| unsupported())?;
        let size = match (letter, width) {
            ('f', 4 | 8) | ('i' | 'u', 1 | 2 | 4 | 8) | ('b', 1) | ('S', _) => width,
            ('U', _) => width.checked_mul(4).ok_or_else(unsupported)?,
            _ => return Err(unsupported()),
        };
        Ok(Kind { letter, big: order == '>', size })
    }

    fn data(&self, bytes: &[u8], count: usize) -> Result<Data, String> {
        let chunks = || bytes.chunks_exact(self.size.max(1));
        let big = self.big;
        macro_rules! numbers {
            ($type:ty) => {
                chunks().map(move |chunk| {
                    let chunk = chunk.try_into().expect("a chunk has the size of the type");
                    if big { <$type>::from_be_bytes(chunk) } else { <$type>::from_le_bytes(chunk) }
                })
            };
        }
        Ok(match (self.letter, self.size) {
            ('f', 4) => Data::F32(numbers!(f32).collect()),
            ('f', _) => Data::F64(numbers!(f64).collect()),
            ('b', _) => Data::Bool(bytes.iter().map(|byte| *byte != 0).collect()),
            ('i', 1) => Data::I8(numbers!(i8).collect()),
            ('i', 2) => Data::I32(numbers!(i16).map(i32::from).collect()),
            ('i', 4) => Data::I32(numbers!(i32).collect()),
            ('i', _) => Data::I64(numbers!(i64).collect()),
            ('u', 1) => Data::I32(numbers!(u8).map(i32::from).collect()),
            ('u', 2) => Data::I32(numbers!(u16).map(i32::from).collect()),
            ('u', 4) => Data::I64(numbers!(u32).map(i64::from).collect()),
            ('u', _) => {
                let wide: Result<Vec<i64>, _> = numbers!(u64).map(i64::try_from).collect();
                Data::I64(wide.map_err(|_| "it has integers above 2^63")?)
            }
            (letter, size) => Data::Text(self.texts(bytes, letter, size, count)?),
        })
    }

    /// Texts of one length, filled up with zeros.
    fn texts(&self, bytes: &[u8], letter: char, size: usize, count: usize) -> Result<Vec<String>, String> {
        if bytes.len() > TEXT || count > TEXT {
            return Err("its texts are too long".into());
        }
        // Texts of no characters have no bytes.
        if size == 0 {
            return Ok(vec![String::new(); count]);
        }
        let wide = |chunk: &[u8]| {
            let chunk: [u8; 4] = chunk.try_into().expect("four bytes");
            if self.big { u32::from_be_bytes(chunk) } else { u32::from_le_bytes(chunk) }
        };
        let text = |value: &[u8]| -> Result<String, String> {
            let characters: Option<String> = match letter {
                'U' => value.chunks_exact(4).map(|chunk| char::from_u32(wide(chunk))).collect(),
                _ => Some(String::from_utf8_lossy(value).into_owned()),
            };
            let characters = characters.ok_or("it has a character that is not Unicode")?;
            Ok(characters.trim_end_matches('\0').to_owned())
        };
        bytes.chunks_exact(size).map(text).collect()
    }
}

/// The values of an array whose first index runs fastest, in C order.
fn in_c_order(shape: &[usize], data: &Data) -> Array {
    let count: usize = shape.iter().product();
    let mut order = Vec::with_capacity(count);
    let mut index = vec![0; shape.len()];
    for _ in 0..count {
        let mut at = 0;
        for (i, length) in index.iter().zip(shape).rev() {
            at = at * length + i;
        }
        order.push(at);
        for (i, length) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *length {
                break;
            }
            *i = 0;
        }
    }
    fn pick<T: Clone>(values: &[T], order: &[usize]) -> Vec<T> {
        order.iter().map(|at| values[*at].clone()).collect()
    }
    let data = match data {
        Data::F32(values) => Data::F32(pick(values, &order)),
        Data::F64(values) => Data::F64(pick(values, &order)),
        Data::I8(values) => Data::I8(pick(values, &order)),
        Data::I32(values) => Data::I32(pick(values, &order)),
        Data::I64(values) => Data::I64(pick(values, &order)),
        Data::Bool(values) => Data::Bool(pick(values, &order)),
        Data::Text(values) => Data::Text(pick(values, &order)),
    };
    Array::new(shape.to_vec(), data)
}

/// Writes an array as the content of a member.
pub(super) fn write(array: &Array, out: &mut dyn Write) -> io::Result<()> {
    let longest = match &array.data {
        Data::Text(texts) => texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1),
        _ => 0,
    };
    let descr = match &array.data {
        Data::F32(_) => "<f4".to_owned(),
        Data::F64(_) => "<f8".to_owned(),
        Data::I8(_) => "|i1".to_owned(),
        Data::I32(_) => "<i4".to_owned(),
        Data::I64(_) => "<i8".to_owned(),
        Data::Bool(_) => "|b1".to_owned(),
        Data::Text(_) => format!("<U{longest}"),
    };
    write_header(&descr, &array.shape, out)?;
    values(&array.data, longest, out)
}

/// Writes floats as the content of a member, while they are made.
pub(super) fn write_floats(floats: &Floats<'_>, out: &mut dyn Write) -> io::Result<()> {
    let descr = match floats.precision {
        Precision::F32 => "<f4",
        Precision::F64 => "<f8",
    };
    write_header(descr, &floats.shape, out)?;
    floats.write(&mut |block| values(block, 0, out))
}

fn write_header(descr: &str, shape: &[usize], out: &mut dyn Write) -> io::Result<()> {
    let shape = crate::arrays::shape(shape);
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The values start at a multiple of 64 bytes.
    let filled = (10 + header.len() + 1).next_multiple_of(64) - 11;
    header.extend(std::iter::repeat_n(' ', filled - header.len()));
    header.push('\n');
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&(header.len() as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())
}

/// The values of an array as bytes, little-endian; texts as characters of four bytes, `longest` of them.
pub(crate) fn values(data: &Data, longest: usize, out: &mut dyn Write) -> io::Result<()> {
    /// Values that are turned into bytes at a time.
    const BLOCK: usize = 8192;
    let mut bytes = Vec::with_capacity(8 * BLOCK);
    macro_rules! put {
        ($values:expr) => {
            for block in $values.chunks(BLOCK) {
                bytes.clear();
                block.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
                out.write_all(&bytes)?;
            }
        };
    }
    match data {
        Data::F32(values) => put!(values),
        Data::F64(values) => put!(values),
        Data::I8(values) => put!(values),
        Data::I32(values) => put!(values),
        Data::I64(values) => put!(values),
        Data::Bool(values) => {
            bytes.extend(values.iter().map(|value| u8::from(*value)));
            out.write_all(&bytes)?;
        }
        Data::Text(values) => {
            for text in values {
                bytes.clear();
                text.chars().for_each(|c| bytes.extend_from_slice(&u32::from(c).to_le_bytes()));
                bytes.resize(4 * longest, 0);
                out.write_all(&bytes)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(header: &str, values: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(values);
        bytes
    }

    fn header(descr: &str, fortran: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
    }

    #[test]
    fn arrays_are_read_back() {
        let arrays = [
            Array::new([2, 3], Data::F32(vec![1.0, -2.5, f32::NAN, 4.0, 5.0, 6.0])),
            Array::scalar(0.1),
            Array::texts(vec!["Hüfte".into(), String::new(), "腰".into()]),
            Array::new([0, 4], Data::I32(Vec::new())),
            Array::new([3], Data::Bool(vec![true, false, true])),
            Array::new([2], Data::I8(vec![-1, 1])),
        ];
        for array in arrays {
            let mut bytes = Vec::new();
            write(&array, &mut bytes).unwrap();
            let read = read("a.npy", &bytes).unwrap();
            assert_eq!(format!("{read:?}"), format!("{array:?}"));
        }
    }

    #[test]
    fn other_orders_and_types_are_read() {
        let values: Vec<u8> = [1u16, 2, 3, 4, 5, 6].iter().flat_map(|value| value.to_be_bytes()).collect();
        let array = read("a.npy", &member(&header(">u2", "True", "(2, 3)"), &values)).unwrap();
        assert_eq!(array, Array::new([2, 3], Data::I32(vec![1, 3, 5, 2, 4, 6])));
        let text = read("a.npy", &member(&header("|S4", "False", "(2,)"), b"ab\0\0male")).unwrap();
        assert_eq!(text, Array::texts(vec!["ab".into(), "male".into()]));
    }

    #[test]
    fn broken_arrays_are_refused_with_their_path() {
        let refused = |bytes: &[u8], part: &str| {
            let error = read("poses.npy", bytes).unwrap_err();
            assert_eq!(error.code(), "npz::member");
            let text = error.to_string();
            assert!(text.starts_with("poses.npy: ") && text.contains(part), "{text}");
        };
        refused(b"", "not an array");
        refused(b"\x93NUMPY\x09\x00\x00\x00", "version 9");
        refused(b"\x93NUMPY\x01\x00\xFF\xFF{", "cut off");
        refused(&member("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"x"), "objects");
        refused(
            &member("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", b""),
            "structured",
        );
        refused(&member(&header("<f4", "False", "(-1, 4)"), b""), "'-1'");
        refused(&member(&header("<c8", "False", "(1,)"), &[0; 8]), "'<c8'");
        let huge = "(9999999999999, 9999999999999)";
        refused(&member(&header("<f4", "False", huge), &[0; 8]), "does not fit");
        refused(&member(&header("<f4", "False", "(3,)"), &[0; 8]), "does not fit");
        refused(&member("hello", b""), "dictionary");
        refused(&member("'descr': '", b""), "dictionary");
    }
}
