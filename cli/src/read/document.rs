//! What a file of any format says, and what it means.

use mocap_formats::{Format, Limits, Parsed, bvh};
use mocap_model::{Clip, FrameRate, Skeleton};

use super::Stop;
use crate::args::{PositionChannelsArg, Reading};
use crate::batch::Input;
use crate::diagnostic::Diagnostic;
use crate::encode::Encoded;

/// A file of any format, as it was written.
pub(crate) enum Document {
    Bvh(bvh::Document),
}

/// Reads the bytes of a file.
pub(super) fn parse(
    format: Format,
    bytes: &[u8],
    input: &Input,
    reading: &Reading,
) -> Result<Parsed<Document>, Stop> {
    let limits = Limits::default();
    Ok(match format {
        Format::Bvh => wrap(bvh::parse(bytes, &limits)?, Document::Bvh),
        other => return Err(Diagnostic::new("format::write-only", format!("{other} files can be written, not read")).into()),
    })
}

fn wrap<T>(parsed: Parsed<T>, into: impl FnOnce(T) -> Document) -> Parsed<Document> {
    Parsed { value: into(parsed.value), warnings: parsed.warnings }
}

impl Document {
    /// The motion that it means.
    pub(super) fn into_clip(self, reading: &Reading) -> Result<Parsed<Clip>, Stop> {
        match self {
            Document::Bvh(document) => Ok(bvh::to_clip(&document, &bvh_options(reading))?),
        }
    }

    /// The skeleton that it means, without or with a motion.
    pub(super) fn into_skeleton(self, reading: &Reading) -> Result<Parsed<Skeleton>, Stop> {
        match self {
            Document::Bvh(_) => {
                let Parsed { value: clip, warnings } = self.into_clip(reading)?;
                Ok(Parsed { value: clip.skeleton().as_ref().clone(), warnings })
            }
        }
    }

    /// The file as it is: every value, name and order as it was read.
    pub(crate) fn to_encoded(&self) -> Encoded {
        match self {
            Document::Bvh(document) => document.to_bytes().into(),
        }
    }
}

fn bvh_options(reading: &Reading) -> bvh::ClipOptions {
    bvh::ClipOptions {
        position_channels: match reading.position_channels {
            PositionChannelsArg::Auto => bvh::PositionChannels::Auto,
            PositionChannelsArg::Replace => bvh::PositionChannels::Replace,
            PositionChannelsArg::Add => bvh::PositionChannels::Add,
        },
        fps: reading.input_fps.map(FrameRate::fps),
        repair: reading.repair,
    }
}
