//! CSV in the table of formats.

use super::{write, write_markers};
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::markers::streamed;
use crate::{Content, Format};

pub(crate) static FORMAT: Entry = Entry {
    name: "csv",
    extensions: &[],
    note: Some("positions"),
    has_motion: true,
    states_space: false,
    // The table lacks even rotations, so it gets no warnings about what else is left out.
    holds: Holds::ALL,
    searched: false,
    beside: None,
    // With the column of times, as this program writes it, or without, as trackers are recorded.
    detect: |start| {
        start.first.starts_with(b"frame,time,joint,") || start.first.starts_with(b"frame,joint,x,y,z")
    },
    read: Err(
        "a table of points cannot be read as a motion: `mocap solve POINTS SKELETON --poses FILE -o OUT` makes a motion of it",
    ),
    write: Some(|clip, _| Ok(Content::stream(move |mut out| write(&clip, &mut out)).into())),
    write_clips: None,
    files_beside: None,
    in_metres: false,
    write_skeleton: None,
    write_markers: Some(|markers, _| Ok(streamed(move |out| write_markers(markers, out)))),
    of_robots: Some(Format::UnitreeCsv),
    only_positions: true,
    ..Entry::MOTION
};
