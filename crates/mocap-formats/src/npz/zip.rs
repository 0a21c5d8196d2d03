//! The zip archives of NPZ files: members are stored or deflated; beyond 4 GB in the zip64 form.
//!
//! Based on: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", version 6.3.10. Writes stored members, as
//! `numpy.savez` does; the time stamp of all members is 1980-01-01, and the same arrays give the same bytes.

use super::Problem;
use crate::{Finding, LimitExceeded};
use std::io::{self, Read, Write};
use std::ops::Range;

const LOCAL: u32 = 0x0403_4B50;
const CENTRAL: u32 = 0x0201_4B50;
const END: u32 = 0x0605_4B50;
const END64: u32 = 0x0606_4B50;
const LOCATOR64: u32 = 0x0706_4B50;
/// Marks a number that is in the zip64 field.
const WIDE: u64 = 0xFFFF_FFFF;
/// 1980-01-01, the first day of the format.
const DATE: u16 = 0x0021;

/// A member of an archive.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    deflated: bool,
    crc: u32,
    /// Its bytes in the archive.
    stored: Range<usize>,
    /// Its size [bytes].
    size: u64,
}

/// The members of an archive, in the order of its directory.
pub(super) fn members(bytes: &[u8]) -> Result<Vec<Member>, Finding> {
    let (count, start) = directory(bytes)?;
    let mut members: Vec<Member> = Vec::new();
    let mut at = start;
    for _ in 0..count {
        let entry = Entry::read(bytes, at)?;
        at = entry.end;
        // A folder.
        if entry.member.name.ends_with('/') {
            continue;
        }
        if members.iter().any(|member| member.name == entry.member.name) {
            return Err(broken(entry.member.name, "it is there twice"));
        }
        members.push(entry.member);
    }
    Ok(members)
}

/// How many members there are, and where the directory of them starts.
fn directory(bytes: &[u8]) -> Result<(u64, usize), Finding> {
    let lost = || Finding::new(Problem::Truncated);
    // A comment of up to 65,535 bytes may follow the end record.
    let earliest = bytes.len().saturating_sub(22 + 65_535);
    let end = (earliest..bytes.len().saturating_sub(21)).rev().find(|at| u32_at(bytes, *at) == Some(END));
    let end = end.ok_or_else(lost)?;
    let mut count = u64::from(u16_at(bytes, end + 10).ok_or_else(lost)?);
    let mut start = u64::from(u32_at(bytes, end + 16).ok_or_else(lost)?);
    let locator = end.checked_sub(20).filter(|at| u32_at(bytes, *at) == Some(LOCATOR64));
    if let Some(locator) = locator {
        let wide = u64_at(bytes, locator + 8).and_then(|at| usize::try_from(at).ok()).ok_or_else(lost)?;
        if u32_at(bytes, wide) != Some(END64) {
            return Err(lost());
        }
        count = u64_at(bytes, wide.saturating_add(32)).ok_or_else(lost)?;
        start = u64_at(bytes, wide.saturating_add(48)).ok_or_else(lost)?;
    }
    Ok((count, usize::try_from(start).map_err(|_| lost())?))
}

/// A line of the directory, and where it ends.
struct Entry {
    member: Member,
    end: usize,
}

impl Entry {
    fn read(bytes: &[u8], at: usize) -> Result<Entry, Finding> {
        let lost = || Finding::new(Problem::Truncated);
        if u32_at(bytes, at) != Some(CENTRAL) {
            return Err(lost());
        }
        let short = |offset: usize| u16_at(bytes, at + offset).ok_or_else(lost);
        let long = |offset: usize| u32_at(bytes, at + offset).map(u64::from).ok_or_else(lost);
        let (flags, method) = (short(8)?, short(10)?);
        let crc = u32_at(bytes, at + 16).ok_or_else(lost)?;
        let (mut stored, mut size, mut offset) = (long(20)?, long(24)?, long(42)?);
        let (name, extra, comment) =
            (usize::from(short(28)?), usize::from(short(30)?), usize::from(short(32)?));
        let text = bytes.get(at + 46..at + 46 + name).ok_or_else(lost)?;
        let name_text = String::from_utf8_lossy(text).into_owned();
        let fields = bytes.get(at + 46 + name..at + 46 + name + extra).ok_or_else(lost)?;
        // The zip64 field holds the numbers that do not fit, in this order.
        let mut wide = wide_numbers(fields).into_iter();
        for number in [&mut size, &mut stored, &mut offset] {
            if *number == WIDE {
                *number =
                    wide.next().ok_or_else(|| broken(name_text.clone(), "its zip64 field is missing"))?;
            }
        }
        if flags & 1 != 0 {
            return Err(broken(name_text, "it is encrypted"));
        }
        let deflated = match method {
            0 => false,
            8 => true,
            other => return Err(broken(name_text, &format!("compression method {other} is not supported"))),
        };
        // The local header has its own lengths of name and fields.
        let local = usize::try_from(offset).map_err(|_| lost())?;
        let outside = || broken(name_text.clone(), "the file ends before it does");
        if u32_at(bytes, local) != Some(LOCAL) {
            return Err(outside());
        }
        let skip = |offset: usize| u16_at(bytes, local + offset).map(usize::from).ok_or_else(outside);
        let from = local + 30 + skip(26)? + skip(28)?;
        let to = usize::try_from(stored).ok().and_then(|stored| from.checked_add(stored));
        let to = to.filter(|to| *to <= bytes.len()).ok_or_else(outside)?;
        if !deflated && stored != size {
            return Err(broken(name_text, "its two sizes differ"));
        }
        let member = Member { name: name_text, deflated, crc, stored: from..to, size };
        Ok(Entry { member, end: at + 46 + name + extra + comment })
    }
}

fn wide_numbers(fields: &[u8]) -> Vec<u64> {
    let mut at = 0;
    while let (Some(id), Some(size)) = (u16_at(fields, at), u16_at(fields, at + 2)) {
        let content = fields.get(at + 4..at + 4 + usize::from(size)).unwrap_or_default();
        if id == 1 {
            return content.chunks_exact(8).filter_map(|chunk| u64_at(chunk, 0)).collect();
        }
        at += 4 + usize::from(size);
    }
    Vec::new()
}

/// The content of a member, of at most `limit` bytes: the sizes in headers are not trusted.
pub(super) fn content(bytes: &[u8], member: &Member, limit: usize) -> Result<Vec<u8>, Finding> {
    if member.size > limit as u64 {
        let found = usize::try_from(member.size).unwrap_or(usize::MAX);
        return Err(Finding::new(LimitExceeded { what: "bytes", found, limit }));
    }
    let stored = &bytes[member.stored.clone()];
    let content = if member.deflated {
        // Reserves for a usual compression ratio; more is allocated as data are decompressed.
        let room = (member.size as usize).min(stored.len().saturating_mul(4));
        let mut content = Vec::with_capacity(room);
        let mut inflated = flate2::read::DeflateDecoder::new(stored).take(member.size + 1);
        inflated
            .read_to_end(&mut content)
            .map_err(|_| broken(member.name.clone(), "its compressed data are broken"))?;
        content
    } else {
        stored.to_vec()
    };
    if content.len() as u64 != member.size {
        return Err(broken(member.name.clone(), "it does not have the size that the archive states"));
    }
    if crc32fast::hash(&content) != member.crc {
        return Err(broken(member.name.clone(), "its checksum is wrong: the file is damaged"));
    }
    Ok(content)
}

fn broken(path: String, message: &str) -> Finding {
    Finding::new(Problem::Member { path, message: message.to_owned() })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// Writes the content of a member into a stream, the same on every call.
pub(super) type WriteMember<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Writes an archive of stored members.
pub(super) fn write(members: &[(String, WriteMember<'_>)], out: &mut dyn Write) -> io::Result<()> {
    write_wide(members, WIDE, out)
}

/// As [`write`]; numbers from `wide` on are in the zip64 form.
fn write_wide(members: &[(String, WriteMember<'_>)], wide: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Counted { out, bytes: 0 };
    let mut directory = Vec::new();
    for (name, content) in members {
        // Size and checksum stand before the content.
        let mut measured = Measured { hash: crc32fast::Hasher::new(), bytes: 0, kept: Some(Vec::new()) };
        content(&mut measured)?;
        let Measured { hash, bytes: size, kept } = measured;
        let (crc, offset) = (hash.finalize(), out.bytes);
        let (is_wide, is_far) = (size >= wide, offset >= wide);
        let narrow = |wide: bool, value: u64| if wide { WIDE as u32 } else { value as u32 };
        let mut fields = Vec::new();
        if is_wide {
            fields.extend_from_slice(&[1, 0, 16, 0]);
            fields.extend_from_slice(&size.to_le_bytes());
            fields.extend_from_slice(&size.to_le_bytes());
        }
        let shared = |version: u16, fields: usize| {
            let mut header = Vec::new();
            header.extend_from_slice(&version.to_le_bytes());
            // Flags (names are UTF-8), method (stored), time (midnight).
            header.extend_from_slice(&[0, 8, 0, 0, 0, 0]);
            header.extend_from_slice(&DATE.to_le_bytes());
            header.extend_from_slice(&crc.to_le_bytes());
            header.extend_from_slice(&narrow(is_wide, size).to_le_bytes());
            header.extend_from_slice(&narrow(is_wide, size).to_le_bytes());
            header.extend_from_slice(&(name.len() as u16).to_le_bytes());
            header.extend_from_slice(&(fields as u16).to_le_bytes());
            header
        };
        let version = if is_wide || is_far { 45 } else { 20 };
        out.write_all(&LOCAL.to_le_bytes())?;
        out.write_all(&shared(version, fields.len()))?;
        out.write_all(name.as_bytes())?;
        out.write_all(&fields)?;
        match kept {
            Some(kept) => out.write_all(&kept)?,
            None => content(&mut out)?,
        }
        if is_far {
            let numbers = if is_wide { 24u16 } else { 8 };
            fields.splice(..fields.len().min(4), [1, 0].into_iter().chain(numbers.to_le_bytes()));
            fields.extend_from_slice(&offset.to_le_bytes());
        }
        directory.extend_from_slice(&CENTRAL.to_le_bytes());
        directory.extend_from_slice(&version.to_le_bytes());
        directory.extend_from_slice(&shared(version, fields.len()));
        // No comment, first disk, no attributes.
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&narrow(is_far, offset).to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        directory.extend_from_slice(&fields);
    }
    end(members.len() as u64, &directory, wide, &mut out)
}

/// The directory and the records behind it.
fn end(count: u64, directory: &[u8], wide: u64, out: &mut Counted<'_>) -> io::Result<()> {
    let (start, size) = (out.bytes, directory.len() as u64);
    out.write_all(directory)?;
    let is_wide = start >= wide || count >= 0xFFFF;
    if is_wide {
        let record = out.bytes;
        out.write_all(&END64.to_le_bytes())?;
        out.write_all(&44u64.to_le_bytes())?;
        out.write_all(&[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
        for number in [count, count, size, start] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&LOCATOR64.to_le_bytes())?;
        out.write_all(&0u32.to_le_bytes())?;
        out.write_all(&record.to_le_bytes())?;
        out.write_all(&1u32.to_le_bytes())?;
    }
    out.write_all(&END.to_le_bytes())?;
    out.write_all(&[0; 4])?;
    let narrow = |value: u64, most: u64| if is_wide { most } else { value };
    for _ in 0..2 {
        out.write_all(&(narrow(count, 0xFFFF) as u16).to_le_bytes())?;
    }
    out.write_all(&(narrow(size, WIDE) as u32).to_le_bytes())?;
    out.write_all(&(narrow(start, WIDE) as u32).to_le_bytes())?;
    out.write_all(&[0; 2])
}

struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A member up to this size is made once and kept; a larger one is made again after its checksum is known [bytes].
const MOST_KEPT: usize = 32 << 20;

struct Measured {
    hash: crc32fast::Hasher,
    bytes: u64,
    /// What was written, while it is small.
    kept: Option<Vec<u8>>,
}

impl Write for Measured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        match &mut self.kept {
            Some(kept) if kept.len() + bytes.len() <= MOST_KEPT => kept.extend_from_slice(bytes),
            kept => *kept = None,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(wide: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let long = |out: &mut dyn Write| out.write_all(&[7; 300]);
        let short = |out: &mut dyn Write| out.write_all(b"short");
        let members: [(String, WriteMember<'_>); 3] =
            [("a.npy".into(), &short), ("b.npy".into(), &long), ("c.npy".into(), &short)];
        write_wide(&members, wide, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn narrow_and_wide_archives_are_read_back() {
        for wide in [WIDE, 100, 0] {
            let bytes = archive(wide);
            let members = members(&bytes).unwrap();
            let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
            assert_eq!(names, ["a.npy", "b.npy", "c.npy"], "wide from {wide}");
            assert_eq!(content(&bytes, &members[1], 1000).unwrap(), [7; 300]);
            assert_eq!(content(&bytes, &members[2], 1000).unwrap(), b"short");
        }
        assert!(archive(100).len() > archive(WIDE).len());
    }

    #[test]
    fn deflated_members_are_bounded() {
        // An archive whose member b.npy is deflated, with the sizes that the directory states.
        let packed = |stated: u32| {
            let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(&[7; 100_000]).unwrap();
            let data = packer.finish().unwrap();
            let mut bytes = archive(WIDE);
            bytes.truncate(0);
            let shared = |bytes: &mut Vec<u8>| {
                bytes.extend_from_slice(&[20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0]);
                bytes.extend_from_slice(&crc32fast::hash(&[7; 100_000]).to_le_bytes());
                bytes.extend_from_slice(&(data.len() as u32).to_le_bytes());
                bytes.extend_from_slice(&stated.to_le_bytes());
                bytes.extend_from_slice(&[5, 0, 0, 0]);
            };
            bytes.extend_from_slice(&LOCAL.to_le_bytes());
            shared(&mut bytes);
            bytes.extend_from_slice(b"b.npy");
            bytes.extend_from_slice(&data);
            let start = bytes.len() as u32;
            bytes.extend_from_slice(&CENTRAL.to_le_bytes());
            bytes.extend_from_slice(&[20, 0]);
            shared(&mut bytes);
            bytes.extend_from_slice(&[0; 14]);
            bytes.extend_from_slice(b"b.npy");
            let size = bytes.len() as u32 - start;
            bytes.extend_from_slice(&END.to_le_bytes());
            bytes.extend_from_slice(&[0, 0, 0, 0, 1, 0, 1, 0]);
            bytes.extend_from_slice(&size.to_le_bytes());
            bytes.extend_from_slice(&start.to_le_bytes());
            bytes.extend_from_slice(&[0, 0]);
            bytes
        };
        let of = |stated: u32, limit: usize| {
            let bytes = packed(stated);
            content(&bytes, &members(&bytes).unwrap()[0], limit)
        };
        assert_eq!(of(100_000, 1 << 20).unwrap(), [7; 100_000]);
        assert_eq!(of(100_000, 1000).unwrap_err().code(), "limit");
        for lie in [10, 99_999, 100_001, 4_000_000] {
            assert_eq!(of(lie, 1 << 30).unwrap_err().code(), "npz::member", "{lie}");
        }
    }

    #[test]
    fn broken_archives_are_refused() {
        let bytes = archive(WIDE);
        for length in 0..bytes.len() {
            let cut = &bytes[..length];
            let read = members(cut);
            assert!(read.is_err(), "{length} of {} bytes", bytes.len());
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0xFF;
            // Must not panic; members that can still be read have verified checksums.
            for member in members(&changed).unwrap_or_default() {
                let _ = content(&changed, &member, 1 << 20);
            }
        }
        let at = bytes.windows(5).position(|window| window == b"short").unwrap();
        let mut changed = bytes.clone();
        changed[at] = b'S';
        let error = content(&changed, &members(&changed).unwrap()[0], 1000).unwrap_err();
        assert!(error.to_string().contains("a.npy"), "{error}");
    }
}
