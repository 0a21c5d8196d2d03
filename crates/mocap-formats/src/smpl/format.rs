//! SMPL in the table of formats.

use super::of_clip;
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::{Content, npz};

pub(crate) static FORMAT: Entry = Entry {
    name: "smpl-npz",
    extensions: &["smpl", "amass"],
    note: Some("SMPL, SMPL-H, SMPL-X as in AMASS"),
    holds: Holds { scalars: true, ..Holds::NOTHING },
    only_own_numbers: true,
    // The reader of NPZ finds them by their arrays.
    read: Ok(npz::read),
    write: Some(|clip, _| {
        let arrays = of_clip(&clip)?;
        drop(clip);
        Ok(Content::stream(move |out| npz::write(&arrays, out)).into())
    }),
    moves_body: true,
    packed: true,
    page: Some("smpl.md"),
    ..Entry::MOTION
};
