//! JSON clips in the table of formats.

use super::{parse, to_bytes, writable, write};
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::{Content, Encoded, Format, Parsed, ReadError, ReadOptions, Stated};
use mocap_model::Clip;

pub(crate) static FORMAT: Entry = Entry {
    name: "json",
    extensions: &[],
    note: None,
    has_motion: true,
    states_space: true,
    holds: Holds { meshes: false, ..Holds::ALL },
    // A folder may hold JSON files of any kind.
    searched: false,
    beside: None,
    detect: |start| start.is_json_with("\"mocap-clip\""),
    read: Ok(|bytes, options| {
        let Parsed { value, warnings } = parse(bytes, &options.limits)?;
        Ok(Parsed { value: Box::new(Document(value)), warnings })
    }),
    write: Some(|clip, options| {
        writable(&clip, &options.limits)?;
        Ok(Content::stream(move |mut out| write(&clip, &mut out)).into())
    }),
    write_clips: None,
    files_beside: None,
    in_metres: false,
    write_skeleton: None,
    ..Entry::MOTION
};

/// A file whose content is a clip without conversion.
#[derive(Debug)]
struct Document(Clip);

impl crate::Document for Document {
    fn format(&self) -> Format {
        Format::Json
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        Stated::of_dofs(self.0.skeleton(), self.0.frames())
    }

    fn to_clip(&self, _: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        Ok(Parsed { value: self.0.clone(), warnings: Vec::new() })
    }

    fn into_clip(self: Box<Self>, _: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        Ok(Parsed { value: self.0, warnings: Vec::new() })
    }

    fn write(&self) -> Encoded<'static> {
        to_bytes(&self.0).into()
    }
}
