//! FBX in the table of formats.

use mocap_model::SignedAxis;

use super::MAGIC;
use super::from_clip::{from_clips, with_body};
use crate::entry::{Entry, ReadFile};
use crate::left_out::Holds;

pub(crate) static FORMAT: Entry = Entry {
    name: "fbx",
    extensions: &[],
    note: None,
    has_motion: true,
    states_space: true,
    holds: Holds { events: false, ..Holds::MOTION },
    searched: true,
    beside: None,
    detect: |start| {
        start.bytes.starts_with(&MAGIC[..18])
            || start.first.starts_with(b"; FBX ")
            || start.word.starts_with(b"FBXHeaderExtension")
    },
    read: READ,
    write: Some(|clip, options| from_clips(std::slice::from_ref(&*clip), options)),
    write_clips: Some(with_body),
    reads_clips: true,
    in_metres: true,
    written_in: Some((0.01, SignedAxis::Y)),
    packed: true,
    page: Some("fbx.md"),
    ..Entry::MOTION
};

#[cfg(feature = "fbx")]
const READ: Result<ReadFile, &str> = Ok(|bytes, options| {
    let crate::Parsed { value, warnings } = super::parse(bytes, &options.limits)?;
    Ok(crate::Parsed { value: Box::new(value), warnings })
});

#[cfg(not(feature = "fbx"))]
const READ: Result<ReadFile, &str> =
    Err("this build of the program does not read FBX: build it with the feature `fbx`");
