//! Safetensors in the table of formats.

use super::write::write_parts;
use super::{parse, write};
use crate::arrays::{self, parts};
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::{Content, Format};

pub(crate) static FORMAT: Entry = Entry {
    name: "safetensors",
    extensions: &[],
    note: Some("tensors"),
    has_motion: true,
    states_space: true,
    holds: Holds::MOTION,
    // A folder may hold the weights of a model.
    searched: false,
    beside: None,
    // The length of the header, then its JSON.
    detect: |start| {
        let text = start.bytes;
        text.get(6..9) == Some(b"\0\0{")
            && [&b"\"rotations\""[..], b"\"marker_positions\""]
                .iter()
                .any(|name| text.windows(name.len()).any(|window| window == *name))
    },
    read: Ok(|bytes, options| {
        arrays::document(Format::Safetensors, parse(bytes, &options.limits)?, "", bytes, options)
    }),
    write: Some(|clip, options| {
        let options = options.arrays;
        Ok(Content::stream(move |out| write_parts(&parts(&clip, &options), out)).into())
    }),
    write_markers: Some(|markers, options| {
        arrays::check_fits(markers, options.arrays.precision, "")?;
        let arrays = arrays::of_markers(markers, options.arrays.precision);
        Ok(Content::stream(move |out| write(&arrays, out)).into())
    }),
    // Of a set of clips.
    reads_clips: true,
    write_arrays: Some(|arrays| Content::stream(move |out| write(&arrays, out))),
    packed: true,
    page: Some("npz.md"),
    ..Entry::MOTION
};
