//! JSON for people: outer levels line by line, inner ones on one line.

use crate::number;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// The text of a value; arrays and objects have their items on lines of their own down to `levels` deep.
pub(crate) fn emit(value: &impl Serialize, levels: usize) -> Vec<u8> {
    let mut text = Vec::new();
    emit_to(value, levels, &mut text).expect("writing to memory does not fail");
    text
}

/// The same into a stream.
pub(crate) fn emit_to(value: &impl Serialize, levels: usize, out: &mut dyn Write) -> io::Result<()> {
    let layout = Layout { levels, level: 0, has_items: false, scratch: Vec::new() };
    let mut pieces = Pieces { text: Vec::with_capacity(PIECE), out };
    value.serialize(&mut Serializer::with_formatter(&mut pieces, layout))?;
    pieces.write_all(b"\n")?;
    pieces.flush()
}

/// Bytes that are written at once.
const PIECE: usize = 1 << 16;

/// Buffers the many short texts of JSON, each of which would be a write call.
struct Pieces<'o> {
    text: Vec<u8>,
    out: &'o mut dyn Write,
}

impl Write for Pieces<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.text.len() + bytes.len() > PIECE {
            self.flush()?;
        }
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

struct Layout {
    levels: usize,
    level: usize,
    has_items: bool,
    scratch: Vec<u8>,
}

impl Layout {
    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.level += 1;
        self.has_items = false;
        out.write_all(bracket)
    }

    fn item<W: ?Sized + Write>(&mut self, out: &mut W, first: bool, padding: &[u8]) -> io::Result<()> {
        if self.level <= self.levels {
            out.write_all(if first { b"\n" } else { b",\n" })?;
            return (0..self.level).try_for_each(|_| out.write_all(b"  "));
        }
        out.write_all(if first { padding } else { b", " })
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, padding: &[u8], bracket: &[u8]) -> io::Result<()> {
        let in_lines = self.level <= self.levels;
        self.level -= 1;
        if self.has_items && in_lines {
            out.write_all(b"\n")?;
            (0..self.level).try_for_each(|_| out.write_all(b"  "))?;
        } else if self.has_items {
            out.write_all(padding)?;
        }
        // The value that ends here is an item of the enclosing one.
        self.has_items = true;
        out.write_all(bracket)
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"", b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first, b"")
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_items = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b" ", b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first, b" ")
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_items = true;
        Ok(())
    }

    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        self.scratch.clear();
        number::write(&mut self.scratch, value);
        out.write_all(&self.scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_levels_are_lines_and_inner_ones_are_not() {
        let value = serde_json::json!({"a": [{"b": [1.5, 2], "c": {}}, []], "d": [], "e": 90.0});
        let text = String::from_utf8(emit(&value, 2)).unwrap();
        let expected = "{\n  \"a\": [\n    { \"b\": [1.5, 2], \"c\": {} },\n    []\n  ],\n  \"d\": [],\n  \"e\": 90\n}\n";
        assert_eq!(text, expected);
    }
}
