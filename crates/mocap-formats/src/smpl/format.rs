//! SMPL in the table of formats.

use mocap_model::SignedAxis;

use super::from_clip::{of_clip, other_scalars};
use crate::entry::Entry;
use crate::left_out::{Holds, LeftOut};
use crate::{Content, Encoded, Finding, npz};

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
        let others = other_scalars(&clip);
        drop(clip);
        let left_out = (others > 0).then(|| Finding::new(LeftOut::OtherScalars { count: others }));
        let content = Content::stream(move |out| npz::write(&arrays, out));
        Ok(Encoded { warnings: left_out.into_iter().collect(), ..content.into() })
    }),
    written_in: Some((1.0, SignedAxis::Z)),
    moves_body: true,
    packed: true,
    page: Some("smpl.md"),
    ..Entry::MOTION
};
