//! Files of arrays as documents: of markers, of one clip, or of a set of clips.

use super::to_clip::{Source, to_clip};
use super::{Arrays, to_markers, unpack};
use crate::choice::chosen;
use crate::markers::MarkersDocument;
use crate::{Document, Encoded, Finding, Format, Parsed, ReadError, ReadOptions, Stated};
use mocap_model::Clip;

type Read = Result<Parsed<Box<dyn Document>>, ReadError>;

/// The document of a file of arrays. `suffix` is appended to the names of arrays in messages.
pub(crate) fn document(
    format: Format,
    arrays: Arrays,
    suffix: &'static str,
    bytes: &[u8],
    options: &ReadOptions,
) -> Read {
    let source = Source { arrays: &arrays, suffix };
    if arrays.get("marker_positions").is_some() {
        let Parsed { value: markers, warnings } = to_markers(&source, &options.limits, options.fps)?;
        let document = MarkersDocument { format, markers, bytes: bytes.to_vec() };
        return Ok(Parsed { value: Box::new(document), warnings });
    }
    if arrays.get("clip_starts").is_some() {
        let names = clip_names(&source)?;
        let document = SetDocument { format, names, arrays, suffix, bytes: bytes.to_vec() };
        return Ok(Parsed { value: Box::new(document), warnings: Vec::new() });
    }
    Ok(of_clip(format, to_clip(&source, &options.limits, options.fps)?, bytes))
}

/// The document of a file that means one clip.
pub(crate) fn of_clip(format: Format, clip: Parsed<Clip>, bytes: &[u8]) -> Parsed<Box<dyn Document>> {
    let Parsed { value: clip, warnings } = clip;
    Parsed { value: Box::new(ClipDocument { format, clip, bytes: bytes.to_vec() }), warnings }
}

/// The motion of a file, and the file.
#[derive(Debug)]
struct ClipDocument {
    format: Format,
    clip: Clip,
    bytes: Vec<u8>,
}

impl Document for ClipDocument {
    fn format(&self) -> Format {
        self.format
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        Stated::of_dofs(self.clip.skeleton(), self.clip.frames())
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

/// The motions of a file, as arrays, and the file.
#[derive(Debug)]
struct SetDocument {
    format: Format,
    /// By clip.
    names: Vec<String>,
    arrays: Arrays,
    suffix: &'static str,
    bytes: Vec<u8>,
}

impl Document for SetDocument {
    fn format(&self) -> Format {
        self.format
    }

    fn stated(&self, options: &ReadOptions) -> Stated {
        let clip = self.to_clip(options);
        clip.map_or_else(
            |_| Stated::default(),
            |clip| Stated::of_dofs(clip.value.skeleton(), clip.value.frames()),
        )
    }

    fn clip_names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        let (clip, first) = chosen(&self.names, options.clip.as_ref())?;
        let source = Source { arrays: &self.arrays, suffix: self.suffix };
        let broken = || source.value("clip_starts", String::new(), "it does not fit the frames of the file");
        let arrays = clip.and_then(|clip| unpack(&self.arrays, clip)).ok_or_else(broken)?;
        let source = Source { arrays: &arrays, ..source };
        let mut parsed = to_clip(&source, &options.limits, options.fps)?;
        parsed.warnings.splice(..0, first);
        Ok(parsed)
    }

    fn write(&self) -> Encoded<'static> {
        self.bytes.clone().into()
    }
}

/// The names of the clips of a set: those without one are called after their number.
fn clip_names(source: &Source) -> Result<Vec<String>, Finding> {
    let clips = source.need("clip_starts")?.data.len().saturating_sub(1);
    if clips == 0 {
        return Err(source.value("clip_starts", String::new(), "it lists no clip"));
    }
    let named = source.texts("clip_names")?.unwrap_or_default();
    let name = |clip: usize| named.get(clip).cloned().unwrap_or_else(|| format!("clip {clip}"));
    Ok((0..clips).map(name).collect())
}
