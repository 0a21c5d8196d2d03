//! Writes NPZ files.

use super::{npy, zip};
use crate::arrays::{Arrays, Part, Parts};
use std::io::{self, Write};

/// Writes arrays as `numpy.savez` does: a zip archive of stored members. The same arrays give the same bytes.
///
/// # Errors
/// Those of `out`.
pub fn write(arrays: &Arrays, out: &mut dyn Write) -> io::Result<()> {
    write_parts(&Parts::from(arrays), out)
}

/// As [`write`], of arrays that may be made while they are written: large ones twice, for the checksum and for the content.
pub(crate) fn write_parts(parts: &Parts<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = parts.iter().map(|(name, _)| format!("{name}.npy")).collect();
    fn content<'p>(part: &'p Part<'_>) -> impl Fn(&mut dyn Write) -> io::Result<()> + use<'p> {
        move |out: &mut dyn Write| match part {
            Part::Array(array) => npy::write(array, out),
            Part::Floats(floats) => npy::write_floats(floats, out),
        }
    }
    let content: Vec<_> = parts.iter().map(|(_, part)| content(part)).collect();
    let members: Vec<(String, zip::WriteMember<'_>)> =
        names.into_iter().zip(content.iter().map(|write| write as zip::WriteMember<'_>)).collect();
    zip::write(&members, out)
}

/// The file of arrays in memory.
pub fn to_bytes(arrays: &Arrays) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(arrays, &mut bytes).expect("writing to memory does not fail");
    bytes
}

/// Writes an archive whose members are computed while they are written. Each may be called twice (for its checksum and for
/// its content) and must write the same bytes both times.
pub(crate) fn write_members(members: &[(&str, zip::WriteMember<'_>)], out: &mut dyn Write) -> io::Result<()> {
    let named: Vec<(String, zip::WriteMember<'_>)> =
        members.iter().map(|(name, content)| (format!("{name}.npy"), *content)).collect();
    zip::write(&named, out)
}
