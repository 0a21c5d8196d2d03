//! C3D in the table of formats.

use super::{Options, parse, write};
use crate::entry::Entry;
use crate::markers::{MarkersDocument, streamed};
use crate::{Encoded, Format, Parsed};

pub(crate) static FORMAT: Entry = Entry {
    name: "c3d",
    note: Some("markers"),
    states_space: true,
    searched: true,
    detect: |start| {
        // The block of the parameters, which carry a processor type.
        start.bytes.len() > 512
            && (1..=64).contains(&start.bytes[0])
            && start.bytes[1] == 0x50
            && start
                .bytes
                .get((usize::from(start.bytes[0]) - 1) * 512 + 3)
                .is_some_and(|kind| (84..=86).contains(kind))
    },
    read: Ok(|bytes, options| {
        let (fps, repair, limits) = (options.fps, options.repair, options.limits);
        let Parsed { value: markers, warnings } = parse(bytes, &Options { fps, repair, limits })?;
        let document = MarkersDocument { format: Format::C3d, markers, bytes: bytes.to_vec() };
        Ok(Parsed { value: Box::new(document), warnings })
    }),
    holds_markers: true,
    write_markers: Some(|markers, _| {
        let (file, warnings) = write::prepare(markers)?;
        Ok(Encoded { warnings, ..streamed(move |out| file.write(out)) })
    }),
    packed: true,
    page: Some("markers.md"),
    ..Entry::MOTION
};
