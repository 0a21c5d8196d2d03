//! USD in the table of formats.

use mocap_model::{Clip, SignedAxis};

use super::{from_clips, write};
use crate::body::BoundBody;
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::{Content, Encoded, Finding, Parsed, WriteOptions};

pub(crate) static FORMAT: Entry = Entry {
    name: "usda",
    extensions: &["usd"],
    note: Some("USD as text"),
    has_motion: true,
    states_space: true,
    holds: Holds { scalars: false, events: false, ..Holds::MOTION },
    searched: false,
    beside: None,
    detect: |start| start.bytes.starts_with(b"#usda"),
    read: Err("USD files are written but not read"),
    write: Some(|clip, options| encoded(std::slice::from_ref(&*clip), None, options)),
    write_clips: Some(encoded),
    write_skeleton: None,
    files_beside: None,
    in_metres: true,
    written_in: Some((1.0, SignedAxis::Y)),
    page: Some("usd.md"),
    ..Entry::MOTION
};

fn encoded(
    clips: &[Clip],
    body: Option<&BoundBody>,
    options: &WriteOptions,
) -> Result<Encoded<'static>, Finding> {
    let Parsed { value, warnings } = from_clips(clips, body, options.mesh.unwrap_or_default())?;
    Ok(Encoded { warnings, ..Content::stream(move |out| write(&value, out)).into() })
}
