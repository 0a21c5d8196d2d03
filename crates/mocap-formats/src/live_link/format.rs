//! Live Link Face CSV in the table of formats.

use mocap_model::Clip;

use super::write::Columns;
use super::{LEAD, Options, parse, write};
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::{Content, Encoded, Format, Parsed, ReadError, ReadOptions, Stated};

pub(crate) static FORMAT: Entry = Entry {
    name: "livelink-csv",
    note: Some("faces"),
    states_space: true,
    // The writer itself warns of what is left out.
    holds: Holds { meshes: false, ..Holds::ALL },
    detect: |start| {
        let head = start.first.get(..LEAD[0].len() + 1 + LEAD[1].len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(LEAD.join(",").as_bytes()))
    },
    read: Ok(|bytes, options| {
        let (fps, repair, limits) = (options.fps, options.repair, options.limits);
        let Parsed { value: clip, warnings } = parse(bytes, &Options { fps, repair, limits })?;
        Ok(Parsed { value: Box::new(Document { clip, bytes: bytes.to_vec() }), warnings })
    }),
    write: Some(|clip, _| {
        let mut warnings = Vec::new();
        Columns::of(&clip, &mut warnings)?;
        let mut encoded = Encoded::from(Content::stream(move |out| write(&clip, out)));
        encoded.warnings = warnings;
        Ok(encoded)
    }),
    page: Some("faces.md"),
    ..Entry::MOTION
};

/// A file and its clip.
#[derive(Debug)]
struct Document {
    clip: Clip,
    bytes: Vec<u8>,
}

impl crate::Document for Document {
    fn format(&self) -> Format {
        Format::LivelinkCsv
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        Stated {
            frames: self.clip.frames(),
            channels: self.clip.annotations().scalars.len(),
            ..Stated::default()
        }
    }

    fn to_clip(&self, _: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        Ok(Parsed { value: self.clip.clone(), warnings: Vec::new() })
    }

    fn into_clip(self: Box<Self>, _: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        Ok(Parsed { value: self.clip, warnings: Vec::new() })
    }

    fn write(&self) -> Encoded<'static> {
        self.bytes.clone().into()
    }
}
