//! TRC in the table of formats.

use super::{Options, parse, write};
use crate::entry::Entry;
use crate::markers::{MarkersDocument, events_left, streamed};
use crate::{Encoded, Format, Parsed};

pub(crate) static FORMAT: Entry = Entry {
    name: "trc",
    note: Some("markers"),
    states_space: true,
    searched: true,
    detect: |start| start.first.starts_with(b"PathFileType"),
    read: Ok(|bytes, options| {
        let (fps, repair, limits) = (options.fps, options.repair, options.limits);
        let Parsed { value: markers, warnings } = parse(bytes, &Options { fps, repair, limits })?;
        let document = MarkersDocument { format: Format::Trc, markers, bytes: bytes.to_vec() };
        Ok(Parsed { value: Box::new(document), warnings })
    }),
    holds_markers: true,
    // Frames without a row take memory too.
    packed: true,
    write_markers: Some(|markers, _| {
        write::check(markers)?;
        let warnings = events_left(markers);
        Ok(Encoded { warnings, ..streamed(move |out| write::write(markers, out)) })
    }),
    page: Some("markers.md"),
    ..Entry::MOTION
};
