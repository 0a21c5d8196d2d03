//! What a file of any format says, and what it means.

use mocap_batch::{Input, JobContext};
use mocap_formats::{Format, Limits, Parsed, Rejected, amc, asf, bvh, json, skel};
use mocap_model::{Clip, FrameRate, Skeleton};

use super::companion::skeleton_of;
use super::trouble::Stop;
use super::{Trouble, located};
use crate::args::{AsfUnitsArg, PositionChannelsArg, Reading};
use crate::diagnostic::Diagnostic;
use crate::encode::Encoded;

/// A file of any format, as it was written.
pub(crate) enum Document {
    Bvh(bvh::Document),
    Asf(asf::Document),
    /// A motion and the skeleton that it moves.
    Amc(Box<asf::Document>, amc::Document),
    /// A file of this project says what it means.
    Skel(Skeleton),
    Json(Clip),
}

/// Reads the bytes of a file, and of the skeleton that goes with it.
pub(super) fn parse(
    format: Format,
    bytes: &[u8],
    (context, input): (&JobContext, &Input),
    reading: &Reading,
) -> Result<(Document, Vec<Diagnostic>), Trouble> {
    let limits = Limits::default();
    let mut found = Vec::new();
    let parsed = match format {
        Format::Bvh => wrap(bytes, bvh::parse(bytes, &limits), Document::Bvh),
        Format::Asf => wrap(bytes, asf::parse(bytes, &limits), Document::Asf),
        Format::Amc => {
            let skeleton;
            (skeleton, found) = companion(context, input, reading, &limits)?;
            let motion = amc::parse(bytes, &limits);
            wrap(bytes, motion, |motion| Document::Amc(Box::new(skeleton), motion))
        }
        Format::Skel => wrap(bytes, skel::parse(bytes, &limits), Document::Skel),
        Format::Json => wrap(bytes, json::parse(bytes, &limits), Document::Json),
        Format::Csv => {
            let message = "a table of positions cannot be read: it has no rotations";
            return Err(Diagnostic::new("format::write-only", message).into());
        }
    };
    match parsed {
        Ok((document, warnings)) => Ok((document, [found, warnings].concat())),
        Err(rejected) => Err(Stop::from(*rejected).in_bytes(bytes, reading.repair).behind(found)),
    }
}

/// The skeleton of an AMC file; what is found in it carries its path.
fn companion(
    context: &JobContext,
    input: &Input,
    reading: &Reading,
    limits: &Limits,
) -> Result<(asf::Document, Vec<Diagnostic>), Trouble> {
    let path = skeleton_of(input, reading)?;
    let bytes = context.read_file(&path, limits.bytes as u64).map_err(Diagnostic::from)?;
    let here = |found: Vec<Diagnostic>| found.into_iter().map(|found| found.in_file(&path)).collect();
    match asf::parse(&bytes, limits) {
        Ok(Parsed { value, warnings }) => Ok((value, here(located(&warnings, &bytes)))),
        Err(rejected) => {
            let Trouble { errors, unlisted, warnings } = Stop::from(rejected).in_bytes(&bytes, false);
            Err(Trouble { errors: here(errors), unlisted, warnings: here(warnings) })
        }
    }
}

fn wrap<T>(
    bytes: &[u8],
    parsed: Result<Parsed<T>, Rejected>,
    into: impl FnOnce(T) -> Document,
) -> Result<(Document, Vec<Diagnostic>), Box<Rejected>> {
    let Parsed { value, warnings } = parsed.map_err(Box::new)?;
    Ok((into(value), located(&warnings, bytes)))
}

impl Document {
    /// The motion that it means.
    pub(super) fn into_clip(self, reading: &Reading) -> Result<Parsed<Clip>, Stop> {
        match self {
            Document::Bvh(document) => Ok(bvh::to_clip(&document, &bvh_options(reading))?),
            Document::Json(clip) => Ok(Parsed { value: clip, warnings: Vec::new() }),
            Document::Amc(..) | Document::Asf(_) | Document::Skel(_) => self.start(reading),
        }
    }

    /// The start of the motion that it means, or all of it, with all that is found in the whole.
    pub(super) fn start(&self, reading: &Reading) -> Result<Parsed<Clip>, Stop> {
        match self {
            Document::Bvh(document) => Ok(bvh::to_clip_start(document, &bvh_options(reading), 1)?),
            Document::Amc(skeleton, motion) => {
                let options = amc::ClipOptions {
                    fps: reading.input_fps.map(FrameRate::fps),
                    units: asf_units(reading),
                    repair: reading.repair,
                };
                Ok(amc::to_clip(skeleton, motion, &options)?)
            }
            Document::Json(clip) => Ok(Parsed { value: clip.clone(), warnings: Vec::new() }),
            Document::Asf(_) | Document::Skel(_) => {
                let error = Diagnostic::new("format::no-motion", "the file holds a skeleton and no motion");
                Err(error.help("`mocap skel` shows, checks and writes skeletons").into())
            }
        }
    }

    /// The skeleton that it means, without or with a motion.
    pub(super) fn skeleton(&self, reading: &Reading) -> Result<Parsed<Skeleton>, Stop> {
        match self {
            Document::Asf(document) => Ok(asf::to_skeleton(document, asf_units(reading))?),
            Document::Skel(skeleton) => Ok(Parsed { value: skeleton.clone(), warnings: Vec::new() }),
            Document::Bvh(_) | Document::Amc(..) | Document::Json(_) => {
                let Parsed { value: clip, warnings } = self.start(reading)?;
                Ok(Parsed { value: clip.skeleton().as_ref().clone(), warnings })
            }
        }
    }

    /// The number of frames.
    pub(crate) fn frames(&self) -> usize {
        match self {
            Document::Bvh(document) => document.frames(),
            Document::Amc(_, motion) => motion.frame_numbers.len(),
            Document::Json(clip) => clip.frames(),
            Document::Asf(_) | Document::Skel(_) => 0,
        }
    }

    /// The file as it is: every value, name and order as it was read.
    pub(crate) fn to_encoded(&self) -> Encoded {
        match self {
            Document::Bvh(document) => document.to_bytes().into(),
            Document::Asf(document) => document.to_bytes().into(),
            Document::Amc(skeleton, motion) => Encoded::pair(motion.to_bytes(), skeleton.to_bytes()),
            Document::Skel(skeleton) => skel::to_bytes(skeleton).into(),
            Document::Json(clip) => json::to_bytes(clip).into(),
        }
    }
}

fn asf_units(reading: &Reading) -> asf::AsfUnits {
    match reading.asf_units {
        AsfUnitsArg::Auto => asf::AsfUnits::Auto,
        AsfUnitsArg::Cmu => asf::AsfUnits::Cmu,
        AsfUnitsArg::Spec => asf::AsfUnits::Spec,
        AsfUnitsArg::Raw => asf::AsfUnits::Raw,
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
