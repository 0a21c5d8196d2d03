//! Formats as help texts name them: the table of formats says which there are.

use mocap::FileFormat;
use mocap_formats::Format;

/// The names of all formats that can be read.
pub(super) fn readable() -> String {
    let readable = FileFormat::all().filter(|format| format.readable().is_ok());
    readable.map(FileFormat::extension).collect::<Vec<_>>().join(", ")
}

/// The formats that can be written, of those which, with the words that help puts behind their names.
pub(super) fn writable(which: impl Fn(Format) -> bool) -> String {
    let formats = Format::ALL.into_iter().filter(|format| format.is_writable() && which(*format));
    let named = formats.map(|format| match format.note() {
        Some(note) => format!("{format} ({note})"),
        None => format.to_string(),
    });
    named.collect::<Vec<_>>().join(", ")
}
