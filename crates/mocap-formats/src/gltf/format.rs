//! GLB and glTF in the table of formats.

use std::borrow::Cow;
use std::sync::Arc;

use mocap_model::{Clip, Expression, SignedAxis, Skeleton};

use super::document::Document;
use super::expressions::expressions;
use super::from_clip::{WriteOptions, built, rebuilt};
use super::to_body::to_body;
use super::vrma::animated;
use super::{files_beside, parse, to_clip, to_skeleton, write};
use crate::body::BoundBody;
use crate::choice::chosen;
use crate::entry::{Entry, ReadFile};
use crate::left_out::Holds;
use crate::{Encoded, Finding, Format, Kept, Limits, Parsed, ReadError, ReadOptions, Stated};

pub(crate) static GLB: Entry = BINARY;

const BINARY: Entry = Entry {
    name: "glb",
    // A VRM file is a GLB with extensions.
    extensions: &["vrm"],
    note: Some("glTF 2.0 in one file"),
    has_motion: true,
    states_space: true,
    holds: Holds::MOTION,
    searched: true,
    beside: None,
    detect: |start| super::parse::is_binary(start.bytes),
    read: READ,
    write: Some(|clip, options| encoded(vec![clip], None, options, true)),
    write_clips: Some(|clips, body, options| encoded(borrowed(clips), body, options, true)),
    write_skeleton: None,
    files_beside: Some(|bytes, _, limits| files_beside(bytes, limits)),
    reads_clips: true,
    in_metres: true,
    written_in: Some((1.0, SignedAxis::Y)),
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
    write: Some(|clip, options| encoded(vec![clip], None, options, false)),
    write_clips: Some(|clips, body, options| encoded(borrowed(clips), body, options, false)),
    ..BINARY
};

pub(crate) static VRMA: Entry = Entry {
    name: "vrma",
    extensions: &[],
    note: Some("VRM animation"),
    holds: Holds { scale: false, meshes: false, several: false, ..Holds::MOTION },
    // VRM animations are GLB files, and are read as such.
    detect: |_| false,
    write: Some(|clip, options| {
        let (builder, warnings) = animated(&clip, &own(options))?;
        Ok(Encoded { warnings, ..write::binary(builder).into() })
    }),
    write_clips: None,
    holds_expressions: true,
    page: Some("faces.md"),
    ..BINARY
};

const READ: Result<ReadFile, &str> = Ok(|bytes, options| {
    let Parsed { value, warnings } = parse(bytes, &options.beside, &options.limits)?;
    Ok(Parsed { value: Box::new(value), warnings })
});

/// Borrows the clips.
fn borrowed(clips: &[Clip]) -> Vec<Cow<'_, Clip>> {
    clips.iter().map(Cow::Borrowed).collect()
}

fn encoded(
    clips: Vec<Cow<'_, Clip>>,
    body: Option<&BoundBody>,
    options: &crate::WriteOptions,
    binary: bool,
) -> Result<Encoded<'static>, Finding> {
    let (builder, warnings) = built(clips, body, &own(options))?;
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

    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        let (at, first) = chosen(&Document::clip_names(self), options.clip.as_ref())?;
        let mut parsed = to_clip(self, at, options.fps, &options.limits)?;
        parsed.warnings.extend(first);
        Ok(parsed)
    }

    fn to_skeleton(&self, options: &ReadOptions) -> Result<Parsed<Skeleton>, ReadError> {
        to_skeleton(self, &options.limits)
    }

    fn meshes(&self) -> usize {
        if self.is_drawn() { 0 } else { self.root.meshes.len() }
    }

    fn not_in_body(&self) -> Vec<&'static str> {
        Document::not_in_body(self)
    }

    fn body(&self, limits: &Limits) -> Result<Option<Parsed<BoundBody>>, Finding> {
        let found = to_body(self, limits)?;
        Ok(found.map(|Parsed { value: (body, skeleton), warnings }| Parsed {
            value: BoundBody { body: Arc::new(body), skeleton: Arc::new(skeleton) },
            warnings,
        }))
    }

    fn expressions(&self) -> Vec<Expression> {
        expressions(self)
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
