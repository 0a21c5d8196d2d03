//! `.skel` in the table of formats.

use super::{parse, to_bytes};
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::{Encoded, Format, Parsed, ReadError, ReadOptions, Stated};
use mocap_model::Skeleton;

pub(crate) static FORMAT: Entry = Entry {
    name: "skel",
    extensions: &[],
    note: None,
    has_motion: false,
    states_space: true,
    holds: Holds { couplings: true, ..Holds::TREES },
    searched: true,
    beside: None,
    detect: |start| start.is_json_with("\"mocap-skel\"") && !start.is_json_with("\"mocap-clip\""),
    read: Ok(|bytes, options| {
        let Parsed { value, warnings } = parse(bytes, &options.limits)?;
        Ok(Parsed { value: Box::new(Document(value)), warnings })
    }),
    write: Some(|clip, _| Ok(to_bytes(clip.skeleton()).into())),
    write_clips: None,
    files_beside: None,
    in_metres: false,
    write_skeleton: Some(|skeleton, _| Ok(to_bytes(skeleton).into())),
    page: Some("skel.md"),
    ..Entry::MOTION
};

/// A file whose content is a skeleton without conversion.
#[derive(Debug)]
struct Document(Skeleton);

impl crate::Document for Document {
    fn format(&self) -> Format {
        Format::Skel
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        Stated::of_dofs(&self.0, 0)
    }

    fn to_skeleton(&self, _: &ReadOptions) -> Result<Parsed<Skeleton>, ReadError> {
        Ok(Parsed { value: self.0.clone(), warnings: Vec::new() })
    }

    fn write(&self) -> Encoded<'static> {
        to_bytes(&self.0).into()
    }
}
