//! Safetensors in the table of formats.

use super::{parse, write};
use crate::arrays::{self, Source, of_clip};
use crate::entry::Entry;
use crate::markers::MarkersDocument;
use crate::{Content, Encoded, Format, Parsed, ReadOptions, Rejected, Stated};
use mocap_model::Clip;

pub(crate) static FORMAT: Entry = Entry {
    name: "safetensors",
    extensions: &[],
    note: Some("tensors"),
    has_motion: true,
    states_space: true,
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
        let arrays = parse(bytes, &options.limits)?;
        let source = Source { arrays: &arrays, suffix: "" };
        if arrays.get("marker_positions").is_some() {
            let markers = arrays::to_markers(&source, &options.limits, options.fps)?;
            let document = MarkersDocument { format: Format::Safetensors, markers, bytes: bytes.to_vec() };
            return Ok(Parsed { value: Box::new(document), warnings: Vec::new() });
        }
        let Parsed { value, warnings } = arrays::first_clip(&source, &options.limits, options.fps)?;
        Ok(Parsed { value: Box::new(Document { clip: value, bytes: bytes.to_vec() }), warnings })
    }),
    write: Some(|clip, options| {
        let arrays = of_clip(&clip, &options.arrays);
        drop(clip);
        Ok(Content::stream(move |out| write(&arrays, out)).into())
    }),
    write_markers: Some(|markers, options| {
        let arrays = arrays::of_markers(markers, options.arrays.precision);
        Ok(Content::stream(move |out| write(&arrays, out)).into())
    }),
    ..Entry::MOTION
};

/// The motion of a file, and the file.
#[derive(Debug)]
struct Document {
    clip: Clip,
    bytes: Vec<u8>,
}

impl crate::Document for Document {
    fn format(&self) -> Format {
        Format::Safetensors
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        Stated::of_dofs(self.clip.skeleton(), self.clip.frames())
    }

    fn to_clip(&self, _: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        Ok(Parsed { value: self.clip.clone(), warnings: Vec::new() })
    }

    fn into_clip(self: Box<Self>, _: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        Ok(Parsed { value: self.clip, warnings: Vec::new() })
    }

    fn write(&self) -> Encoded<'static> {
        self.bytes.clone().into()
    }
}
