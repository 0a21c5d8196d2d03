//! Checks the records of a binary file before ufbx parses it: that they are nested properly within the file, and that
//! no array is larger than its bytes can hold.
//!
//! A record is: its end, the number and the size of its properties, its name, the properties, and records inside it,
//! closed by one of zeros. Numbers have 4 bytes each up to version 7.4, then 8.

use super::{MAGIC, Problem};
use crate::{Finding, LimitExceeded, Limits};

/// Greatest nesting of records; real files have six levels.
const DEPTH: usize = 32;
/// The largest compression ratio of deflate.
const INFLATION: usize = 1032;

/// Checks a file; of one that is not binary, nothing.
///
/// # Errors
/// With the path of the first record that is wrong.
pub(super) fn check(bytes: &[u8], limits: &Limits) -> Result<(), Finding> {
    if !bytes.starts_with(MAGIC) {
        return Ok(());
    }
    let Some(version) = bytes.get(MAGIC.len()..MAGIC.len() + 4) else {
        return Err(Finding::new(Problem::Truncated { path: "header".into(), at: bytes.len() }));
    };
    let version = u32::from_le_bytes(version.try_into().expect("four bytes"));
    let wide = version >= 7500;
    Scan { bytes, wide, open: Vec::new(), unpacked: 0, limit: limits.bytes }.run(MAGIC.len() + 4)
}

/// A record that encloses the current position.
struct Open {
    /// Where its header begins.
    start: usize,
    /// Where the records inside it begin.
    inside: usize,
    end: usize,
}

struct Scan<'b> {
    bytes: &'b [u8],
    wide: bool,
    open: Vec<Open>,
    /// Bytes of all arrays so far, after unpacking.
    unpacked: usize,
    limit: usize,
}

/// The header of a record.
struct Head {
    end: usize,
    properties: usize,
    /// Where the properties begin and end.
    from: usize,
    to: usize,
}

impl Scan<'_> {
    fn run(mut self, start: usize) -> Result<(), Finding> {
        let mut at = start;
        loop {
            while let Some(open) = self.open.last() {
                if at < open.end {
                    break;
                }
                self.open.pop();
            }
            let Some(head) = self.head(at)? else {
                match self.open.pop() {
                    Some(open) => at = open.end,
                    None => return Ok(()),
                }
                continue;
            };
            let outer = self.open.last().map_or(self.bytes.len(), |open| open.end);
            if head.end > self.bytes.len() || head.to > self.bytes.len() {
                return Err(self.truncated(at));
            }
            if head.end > outer || head.to > head.end {
                return Err(self.wrong(at, "the record is longer than what it lies in"));
            }
            self.properties(at, &head)?;
            if head.to == head.end {
                at = head.end;
                continue;
            }
            if self.open.len() == DEPTH {
                return Err(self.wrong(at, "records lie too deep in one another"));
            }
            self.open.push(Open { start: at, inside: head.to, end: head.end });
            at = head.to;
        }
    }

    /// The number at a place, of 4 or 8 bytes.
    fn number(&self, at: usize) -> Option<usize> {
        let length = if self.wide { 8 } else { 4 };
        let bytes = self.bytes.get(at..at.checked_add(length)?)?;
        let number = bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        usize::try_from(number).ok()
    }

    /// The header at a place; `None` of the one that closes a list.
    fn head(&self, at: usize) -> Result<Option<Head>, Finding> {
        let step = if self.wide { 8 } else { 4 };
        let header = || {
            let [end, properties, length] = [0, 1, 2].map(|i| self.number(at + i * step));
            let name = *self.bytes.get(at + 3 * step)?;
            Some((end?, properties?, length?, usize::from(name)))
        };
        let Some((end, properties, length, name)) = header() else { return Err(self.truncated(at)) };
        if end == 0 {
            return Ok(None);
        }
        let from = at + 3 * step + 1 + name;
        let Some(to) = from.checked_add(length) else { return Err(self.truncated(at)) };
        if end <= at {
            return Err(self.wrong(at, "the record ends before it begins"));
        }
        Ok(Some(Head { end, properties, from, to }))
    }

    /// Checks the lengths of the properties of a record.
    fn properties(&mut self, record: usize, head: &Head) -> Result<(), Finding> {
        let mut at = head.from;
        for _ in 0..head.properties {
            if at >= head.to {
                return Err(self.wrong(record, "there are fewer properties than declared"));
            }
            let kind = self.bytes[at];
            at += 1;
            let u32_at = |at: usize| {
                let bytes = self.bytes.get(at..at + 4).filter(|_| at + 4 <= head.to)?;
                Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize)
            };
            let length = match kind {
                b'C' | b'B' => 1,
                b'Y' => 2,
                b'I' | b'F' => 4,
                b'D' | b'L' => 8,
                b'S' | b'R' => match u32_at(at) {
                    Some(length) => 4 + length,
                    None => return Err(self.wrong(record, "a property is cut off")),
                },
                b'f' | b'd' | b'i' | b'l' | b'b' | b'c' => {
                    let [Some(count), Some(encoding), Some(bytes)] = [0, 4, 8].map(|i| u32_at(at + i)) else {
                        return Err(self.wrong(record, "a property is cut off"));
                    };
                    self.array(record, kind, [count, encoding, bytes])?;
                    12 + bytes
                }
                // Other types are left to the parser.
                _ => return Ok(()),
            };
            at += length;
            if at > head.to {
                return Err(self.wrong(record, "a property is longer than its record"));
            }
        }
        Ok(())
    }

    /// Checks the size of an array by its number of values, its encoding and its bytes.
    fn array(
        &mut self,
        record: usize,
        kind: u8,
        [count, encoding, bytes]: [usize; 3],
    ) -> Result<(), Finding> {
        let size = match kind {
            b'd' | b'l' => 8,
            b'f' | b'i' => 4,
            _ => 1,
        };
        let most = if encoding == 0 { bytes } else { bytes.saturating_mul(INFLATION).saturating_add(64) };
        let total = count.saturating_mul(size);
        if total > most {
            let path = self.path(record);
            return Err(Finding::new(Problem::ArrayLength { path, count, size, bytes }));
        }
        self.unpacked = self.unpacked.saturating_add(total);
        if self.unpacked > self.limit {
            let (found, limit) = (self.unpacked, self.limit);
            return Err(Finding::new(LimitExceeded { what: "bytes of arrays", found, limit }));
        }
        Ok(())
    }

    fn truncated(&self, record: usize) -> Finding {
        Finding::new(Problem::Truncated { path: self.path(record), at: self.bytes.len() })
    }

    fn wrong(&self, record: usize, what: &'static str) -> Finding {
        Finding::new(Problem::Record { path: self.path(record), what, at: record })
    }

    /// The path of a record, such as `Objects/AnimationCurve[3]/KeyTime`.
    fn path(&self, record: usize) -> String {
        let mut parts = Vec::new();
        let mut from = MAGIC.len() + 4;
        for start in self.open.iter().map(|open| (open.start, Some(open.inside))).chain([(record, None)]) {
            parts.push(self.part(from, start.0));
            from = start.1.unwrap_or(from);
        }
        parts.join("/")
    }

    /// The name of a record, with its number where records of that name come before it in its list.
    fn part(&self, first: usize, record: usize) -> String {
        let name = |at: usize| {
            let start = at + if self.wide { 25 } else { 13 };
            let length = usize::from(*self.bytes.get(start - 1)?);
            self.bytes.get(start..start + length)
        };
        let own = name(record).unwrap_or(b"?");
        let (mut at, mut before) = (first, 0);
        while at < record
            && let Some(end) = self.number(at)
            && end > at
        {
            before += usize::from(name(at) == Some(own));
            at = end;
        }
        let own: String = String::from_utf8_lossy(own).chars().filter(|c| !c.is_control()).collect();
        match before {
            0 => own,
            before => format!("{own}[{before}]"),
        }
    }
}
