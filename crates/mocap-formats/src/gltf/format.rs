//! GLB and glTF in the table of formats.

use mocap_model::{Clip, Skeleton};

use super::document::Document;
use super::from_clip::{WriteOptions, built, rebuilt};
use super::{files_beside, parse, to_clip, to_skeleton, write};
use crate::choice::chosen;
use crate::entry::{Entry, ReadFile};
use crate::left_out::Holds;
use crate::{Encoded, Finding, Format, Kept, Parsed, ReadOptions, Rejected, Stated};

pub(crate) static GLB: Entry = BINARY;

const BINARY: Entry = Entry {
    name: "glb",
    extensions: &[],
    note: Some("glTF 2.0 in one file"),
    has_motion: true,
    states_space: true,
    holds: Holds::ALL,
    searched: true,
    beside: None,
    detect: |start| super::parse::is_binary(start.bytes),
    read: READ,
    write: Some(|clip, options| encoded(std::slice::from_ref(&*clip), options, true)),
    write_clips: Some(|clips, options| encoded(clips, options, true)),
    write_skeleton: None,
    files_beside: Some(|bytes, _, limits| files_beside(bytes, limits)),
    reads_clips: true,
    in_metres: true,
    packed: true,
    page: Some("gltf.md"),
    ..Entry::MOTION
};

pub(crate) static GLTF: Entry = Entry {
    name: "gltf",
    extensions: &[],
    note: Some("glTF 2.0 as JSON"),
    // A JSON object whose `asset` comes with a version.
    detect: |start| start.is_json_with("\"asset\"") && start.is_json_with("\"version\""),
    write: Some(|clip, options| encoded(std::slice::from_ref(&*clip), options, false)),
    write_clips: Some(|clips, options| encoded(clips, options, false)),
    ..BINARY
};

const READ: Result<ReadFile, &str> = Ok(|bytes, options| {
    let Parsed { value, warnings } = parse(bytes, &options.beside, &options.limits)?;
    Ok(Parsed { value: Box::new(value), warnings })
});

fn encoded(clips: &[Clip], options: &crate::WriteOptions, binary: bool) -> Result<Encoded<'static>, Finding> {
    let (builder, warnings) = built(clips, &own(options))?;
    let bytes = if binary { write::binary(builder) } else { write::text(builder) };
    Ok(Encoded { warnings, ..bytes.into() })
}

fn own(options: &crate::WriteOptions) -> WriteOptions {
    let defaults = WriteOptions::default();
    WriteOptions {
        mesh: options.mesh.unwrap_or(defaults.mesh),
        error: options.key_error.unwrap_or(defaults.error),
        short_rotations: options.short_rotations,
    }
}

impl crate::Document for Document {
    fn format(&self) -> Format {
        if self.binary { Format::Glb } else { Format::Gltf }
    }

    fn stated(&self, options: &ReadOptions) -> Stated {
        match self.to_clip(options) {
            Ok(clip) => Stated::of_dofs(clip.value.skeleton(), clip.value.frames()),
            Err(_) => Stated::default(),
        }
    }

    fn clip_names(&self) -> Vec<String> {
        Document::clip_names(self)
    }

    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        let (at, first) = chosen(&Document::clip_names(self), options.clip.as_ref())?;
        let mut parsed = to_clip(self, at, options.fps, &options.limits)?;
        parsed.warnings.extend(first);
        Ok(parsed)
    }

    fn to_skeleton(&self, options: &ReadOptions) -> Result<Parsed<Skeleton>, Rejected> {
        to_skeleton(self, &options.limits)
    }

    fn meshes(&self) -> usize {
        let own = self.root.asset.generator.starts_with("mocap ");
        if own { 0 } else { self.root.meshes.len() }
    }

    fn with_clips(
        &self,
        clips: &[Clip],
        format: Format,
        options: &crate::WriteOptions,
    ) -> Result<Kept, Finding> {
        if !matches!(format, Format::Glb | Format::Gltf) {
            return Ok(Kept::OTHER_FORMAT);
        }
        Ok(match rebuilt(self, clips, &own(options))? {
            Ok((builder, warnings)) => {
                let bytes = if format == Format::Glb { write::binary(builder) } else { write::text(builder) };
                Kept::Written(Encoded { warnings, ..bytes.into() })
            }
            Err(because) => Kept::Not(because),
        })
    }

    fn write(&self) -> Encoded<'static> {
        write::again(self).into()
    }
}
