//! Records as the bytes of a binary file.
//!
//! Version 7.4 with offsets of 32 bits; version 7.5 with 64 for larger files. Identifier, creation time and footer are
//! constants that match one another, which programs check; so the same clip always gives the same bytes.

use std::collections::HashMap;
use std::io::Write;
use std::rc::Rc;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::MAGIC;
use super::record::{Property, Record};

/// The time of creation that the identifier belongs to.
pub(super) const CREATION_TIME: &str = "1970-01-01 10:00:00:000";
/// The identifier of a file.
pub(super) const FILE_ID: [u8; 16] =
    [0x28, 0xb3, 0x2a, 0xeb, 0xb6, 0x24, 0xcc, 0xc2, 0xbf, 0xc8, 0xb0, 0x2a, 0xa9, 0x2b, 0xfc, 0xf1];
/// The footer that belongs to both.
const FOOTER: [u8; 16] =
    [0xfa, 0xbc, 0xab, 0x09, 0xd0, 0xc8, 0xd4, 0x66, 0xb1, 0x76, 0xfb, 0x83, 0x1c, 0xf7, 0x26, 0x7e];
/// The last bytes of a file.
const END: [u8; 16] =
    [0xf8, 0x5a, 0x8c, 0x6a, 0xde, 0xf5, 0xd9, 0x7e, 0xec, 0xe9, 0x0c, 0xe3, 0x75, 0x8f, 0x29, 0x0b];
/// Arrays with fewer bytes are not compressed.
const PACKED_FROM: usize = 128;
/// The version that is written.
const NARROW: u32 = 7400;
/// The first version whose offsets have 64 bits.
const WIDE: u32 = 7500;

/// The file of some records.
pub(super) fn to_bytes(records: &[Record]) -> Vec<u8> {
    to_bytes_of(records, NARROW)
}

/// The file of some records in a version; in a later one where offsets need 64 bits.
pub(super) fn to_bytes_of(records: &[Record], version: u32) -> Vec<u8> {
    let written = Writer::new(version).file(records);
    written.or_else(|| Writer::new(WIDE).file(records)).expect("offsets of 64 bits are enough")
}

struct Writer {
    out: Vec<u8>,
    version: u32,
    /// Whether offsets have 64 bits.
    wide: bool,
    /// Compressed arrays by the address of their shared bytes: the times of all curves are compressed once.
    packed: HashMap<*const u8, Rc<[u8]>>,
}

impl Writer {
    fn new(version: u32) -> Writer {
        Writer { out: Vec::new(), version, wide: version >= WIDE, packed: HashMap::new() }
    }

    /// The whole file; `None` where its offsets need more bits.
    fn file(mut self, records: &[Record]) -> Option<Vec<u8>> {
        self.out.extend_from_slice(MAGIC);
        self.out.extend_from_slice(&self.version.to_le_bytes());
        for record in records {
            self.record(record)?;
        }
        self.null();
        self.out.extend_from_slice(&FOOTER);
        self.out.extend_from_slice(&[0; 4]);
        let padding = 16 - self.out.len() % 16;
        self.out.resize(self.out.len() + padding, 0);
        self.out.extend_from_slice(&self.version.to_le_bytes());
        self.out.resize(self.out.len() + 120, 0);
        self.out.extend_from_slice(&END);
        Some(self.out)
    }

    fn record(&mut self, record: &Record) -> Option<()> {
        let start = self.out.len();
        self.out.resize(start + if self.wide { 24 } else { 12 }, 0);
        self.out.push(u8::try_from(record.name.len()).expect("names of records are short"));
        self.out.extend_from_slice(record.name.as_bytes());
        let before = self.out.len();
        for property in &record.properties {
            self.property(property);
        }
        let length = self.out.len() - before;
        for inside in &record.inside {
            self.record(inside)?;
        }
        // Readers expect these records to have a list, even an empty one.
        let list =
            matches!(&*record.name, "AnimationStack" | "AnimationLayer") || record.properties.is_empty();
        if list || !record.inside.is_empty() {
            self.null();
        }
        let end = self.out.len();
        self.patch(start, [end, record.properties.len(), length])
    }

    /// The record that ends a list.
    fn null(&mut self) {
        let length = if self.wide { 25 } else { 13 };
        self.out.resize(self.out.len() + length, 0);
    }

    /// Puts the numbers of a header in their place; `None` where one needs more bits.
    fn patch(&mut self, start: usize, values: [usize; 3]) -> Option<()> {
        for (i, value) in values.into_iter().enumerate() {
            match self.wide {
                true => self.out[start + 8 * i..][..8].copy_from_slice(&(value as u64).to_le_bytes()),
                false => {
                    let value = u32::try_from(value).ok()?;
                    self.out[start + 4 * i..][..4].copy_from_slice(&value.to_le_bytes());
                }
            }
        }
        Some(())
    }

    fn property(&mut self, property: &Property) {
        match property {
            Property::Char(value) => self.out.extend_from_slice(&[b'C', *value]),
            Property::I32(value) => self.scalar(b'I', &value.to_le_bytes()),
            Property::I64(value) => self.scalar(b'L', &value.to_le_bytes()),
            Property::F64(value) => self.scalar(b'D', &value.to_le_bytes()),
            Property::Text(text) => self.block(b'S', text),
            Property::Bytes(bytes) => self.block(b'R', bytes),
            Property::Raw(bytes) => self.out.extend_from_slice(bytes),
            Property::Array(kind, count, bytes) => self.array(*kind, *count, bytes),
        }
    }

    fn scalar(&mut self, kind: u8, bytes: &[u8]) {
        self.out.push(kind);
        self.out.extend_from_slice(bytes);
    }

    fn block(&mut self, kind: u8, bytes: &[u8]) {
        self.out.push(kind);
        self.length(bytes.len());
        self.out.extend_from_slice(bytes);
    }

    fn length(&mut self, length: usize) {
        let length = u32::try_from(length).expect("a property has fewer than 2^32 values and bytes");
        self.out.extend_from_slice(&length.to_le_bytes());
    }

    fn array(&mut self, kind: u8, count: usize, bytes: &Rc<[u8]>) {
        self.out.push(kind);
        self.length(count);
        let packed = (bytes.len() > PACKED_FROM).then(|| {
            let packed = self.packed.entry(bytes.as_ptr());
            packed.or_insert_with(|| pack(bytes)).clone()
        });
        self.length(usize::from(packed.is_some()));
        let content = packed.as_ref().unwrap_or(bytes);
        self.length(content.len());
        self.out.extend_from_slice(content);
    }
}

fn pack(bytes: &[u8]) -> Rc<[u8]> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(4));
    encoder.write_all(bytes).expect("writing to memory does not fail");
    encoder.finish().expect("writing to memory does not fail").into()
}
