//! Reads the records of a binary file whose layout was checked.

use super::MAGIC;
use super::record::{Property, Record};

/// The version of a file and its records; `None` of one that is not binary.
pub(super) fn records(bytes: &[u8]) -> Option<(u32, Vec<Record>)> {
    let start = MAGIC.len() + 4;
    let version = u32::from_le_bytes(*bytes.strip_prefix(MAGIC)?.first_chunk()?);
    let reader = Reader { bytes, wide: version >= 7500 };
    Some((version, reader.list(start, bytes.len())?))
}

impl Property {
    /// A whole number.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Property::I32(value) => Some(i64::from(*value)),
            Property::I64(value) => Some(*value),
            _ => None,
        }
    }

    /// A text.
    pub(super) fn text(&self) -> Option<&[u8]> {
        match self {
            Property::Text(text) => Some(text),
            _ => None,
        }
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    /// Whether numbers of headers have 8 bytes.
    wide: bool,
}

impl Reader<'_> {
    /// The records from a byte up to the null record that closes the list, or to the end.
    fn list(&self, mut at: usize, end: usize) -> Option<Vec<Record>> {
        let size = if self.wide { 8 } else { 4 };
        let mut records = Vec::new();
        while at < end {
            let number = |i: usize| {
                let bytes = self.bytes.get(at + i * size..at + (i + 1) * size)?;
                let number = bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
                usize::try_from(number).ok()
            };
            let (record_end, count, length) = (number(0)?, number(1)?, number(2)?);
            if record_end == 0 {
                break;
            }
            let from = at + 3 * size + 1;
            let name_length = usize::from(*self.bytes.get(from - 1)?);
            let name = String::from_utf8_lossy(self.bytes.get(from..from + name_length)?).into_owned();
            let from = from + name_length;
            let properties = self.properties(from, count)?;
            let inside = self.list(from + length, record_end)?;
            records.push(Record { properties, inside, ..Record::new(name, Vec::new()) });
            at = record_end;
        }
        Some(records)
    }

    /// Properties: numbers and texts are decoded, others are kept as bytes.
    fn properties(&self, mut at: usize, count: usize) -> Option<Vec<Property>> {
        let mut properties = Vec::new();
        for _ in 0..count {
            let kind = *self.bytes.get(at)?;
            let u32_at = |at: usize| {
                let bytes = self.bytes.get(at..at + 4)?;
                Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize)
            };
            let length = match kind {
                b'C' | b'B' => 1,
                b'Y' => 2,
                b'I' | b'F' => 4,
                b'D' | b'L' => 8,
                b'S' | b'R' => 4 + u32_at(at + 1)?,
                _ => 12 + u32_at(at + 9)?,
            };
            let value = self.bytes.get(at + 1..at + 1 + length)?;
            properties.push(match kind {
                b'I' => Property::I32(i32::from_le_bytes(value.try_into().ok()?)),
                b'L' => Property::I64(i64::from_le_bytes(value.try_into().ok()?)),
                b'S' => Property::Text(value[4..].to_vec()),
                _ => Property::Raw(self.bytes[at..at + 1 + length].to_vec()),
            });
            at += 1 + length;
        }
        Some(properties)
    }
}
