//! From an input to what it says and what it means: bytes → document → clip or skeleton.

mod companion;
mod document;
mod trouble;
mod unit;
mod up;

pub(crate) use companion::skeleton_of;
pub(crate) use document::Document;
pub(crate) use trouble::Trouble;
pub(crate) use unit::{known_unit, with_up};
pub(crate) use up::{UP_UNLIKELY, upright};

use trouble::Stop;
use unit::restated;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use mocap_batch::{Input, JobContext, Source};
use mocap_compress::{Compressed, OpenError};
use mocap_formats::{Finding, Format, Limits, Parsed, bvh, text};
use mocap_model::{Clip, FrameRate, Skeleton, UnitSource};

use crate::args::{FromFormat, Reading};
use crate::diagnostic::{Diagnostic, Failure};
use crate::edit::without_first;
use crate::rest::REST_FIRST;

/// A file as read, before it is given a meaning.
pub(crate) struct Loaded {
    pub(crate) format: Format,
    pub(crate) document: Document,
    pub(crate) warnings: Vec<Diagnostic>,
    /// What was read, kept for the excerpts of what is found later.
    bytes: Vec<u8>,
}

/// A motion and what was found while it was read.
pub(crate) struct Motion {
    pub(crate) clip: Clip,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) bytes: u64,
}

/// What a document means, but for its rotations over time.
pub(crate) struct Outline {
    pub(crate) skeleton: Skeleton,
    /// `None` of a skeleton.
    pub(crate) rate: Option<FrameRate>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Reads an input into what it says.
///
/// # Errors
/// Where it cannot be read or understood, or has a warning and `--strict` is given.
pub(crate) fn load(context: &JobContext, input: &Input, reading: &Reading) -> Result<Loaded, Failure> {
    load_bytes(context, input, bytes_of(context, input)?, reading)
}

/// As [`load`], of bytes that were read before.
pub(crate) fn load_bytes(
    context: &JobContext,
    input: &Input,
    bytes: Vec<u8>,
    reading: &Reading,
) -> Result<Loaded, Failure> {
    Ok(parsed(context, input, bytes, reading)?)
}

/// As [`load`], with everything that is wrong with the file.
pub(crate) fn open(context: &JobContext, input: &Input, reading: &Reading) -> Result<Loaded, Trouble> {
    parsed(context, input, bytes_of(context, input)?, reading)
}

fn parsed(context: &JobContext, input: &Input, bytes: Vec<u8>, reading: &Reading) -> Result<Loaded, Trouble> {
    if is_compressed(&bytes) {
        // It says what it means, as the project's own JSON does.
        let clip = as_stated(open_compressed(&bytes, None)?.to_clip());
        return Ok(Loaded {
            format: Format::Json,
            document: Document::Json(clip),
            warnings: Vec::new(),
            bytes,
        });
    }
    let format = format_of(input, &bytes, reading)?;
    let (document, warnings) = document::parse(format, &bytes, (context, input), reading)
        .map_err(|trouble| looks_like(trouble, format, &bytes))?;
    Ok(Loaded { format, document, warnings, bytes })
}

/// The first error says what else the content looks like.
fn looks_like(mut trouble: Trouble, format: Format, bytes: &[u8]) -> Trouble {
    if let Some(other) = Format::detect(bytes).filter(|other| *other != format)
        && let Some(error) = trouble.errors.first_mut().filter(|error| error.help.is_none())
    {
        error.help = Some(format!("the content looks like {other}: --from {other} reads it so"));
    }
    trouble
}

/// Reads an input into the motion that it means.
///
/// # Errors
/// As [`load`], and where it holds no motion.
pub(crate) fn motion(context: &JobContext, input: &Input, reading: &Reading) -> Result<Motion, Failure> {
    load(context, input, reading)?.into_motion(reading)
}

impl Loaded {
    /// The size of the input [bytes].
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The motion that the document means; document and text are freed.
    pub(crate) fn into_motion(self, reading: &Reading) -> Result<Motion, Failure> {
        let Motion { clip, warnings, bytes } = self.motion(reading)?;
        Ok(Motion { clip, warnings: strict(reading, warnings)?, bytes })
    }

    /// As [`Loaded::into_motion`], with everything that is wrong with the file; `--strict` is left aside.
    pub(crate) fn motion(self, reading: &Reading) -> Result<Motion, Trouble> {
        let size = self.size();
        let Loaded { format, document, mut warnings, bytes } = self;
        let Parsed { value: mut clip, warnings: found } = match document.into_clip(reading) {
            Ok(parsed) => parsed,
            Err(stop) => return Err(stop.in_bytes(&bytes, reading.repair).behind(warnings)),
        };
        warnings.extend(located(&found, &bytes));
        if let Some(rate) = reading.input_fps {
            clip = clip.with_rate(rate);
        }
        warnings.extend(of_motion(format, &clip));
        warnings.extend(up::unlikely(format, &clip, reading));
        let silent = reading.rest_frame_dropped || reading.drop_first_frame;
        warnings.retain(|warning| !(silent && warning.code == REST_FIRST));
        if reading.drop_first_frame {
            clip = match without_first(clip) {
                Ok(clip) => clip,
                Err(error) => return Err(Trouble::from(error).behind(warnings)),
            };
        }
        let skeleton = restated(clip.skeleton(), reading);
        let clip = clip.with_skeleton(Arc::new(skeleton)).expect("the skeleton has as many joints as before");
        Ok(Motion { clip, warnings, bytes: size })
    }

    /// The skeleton of the document, of whatever format.
    pub(crate) fn into_skeleton(self, reading: &Reading) -> Result<(Skeleton, Vec<Diagnostic>), Failure> {
        self.outline(reading).map(|outline| (outline.skeleton, outline.warnings))
    }

    /// What the document means, but for its rotations over time, and everything that is found in it.
    pub(crate) fn outline(&self, reading: &Reading) -> Result<Outline, Failure> {
        let failed = |stop: Stop| stop.in_bytes(&self.bytes, reading.repair).behind(self.warnings.clone());
        let (skeleton, rate, found, seen) = if self.format.has_motion() {
            let Parsed { value: mut clip, warnings } = self.document.start(reading).map_err(failed)?;
            if let Some(rate) = reading.input_fps {
                clip = clip.with_rate(rate);
            }
            let mut seen = of_motion(self.format, &clip);
            seen.extend(up::unlikely(self.format, &clip, reading));
            (clip.skeleton().as_ref().clone(), Some(clip.rate()), warnings, seen)
        } else {
            let Parsed { value: skeleton, warnings } = self.document.skeleton(reading).map_err(failed)?;
            (skeleton, None, warnings, Vec::new())
        };
        let warnings = [self.warnings.clone(), located(&found, &self.bytes), seen].concat();
        Ok(Outline { skeleton: restated(&skeleton, reading), rate, warnings: strict(reading, warnings)? })
    }

    /// The document alone; the text is freed.
    pub(crate) fn into_document(self) -> Document {
        self.document
    }
}

/// What a motion shows that no line of its file says; the reader of BVH says it with the line.
fn of_motion(format: Format, clip: &Clip) -> Vec<Diagnostic> {
    let found = if format == Format::Bvh { None } else { bvh::rest_first_frame(clip) };
    found.iter().map(|finding| Diagnostic::from_finding(finding, &[])).collect()
}

/// What was found in the bytes of a file, with the lines it is about.
fn located(findings: &[Finding], bytes: &[u8]) -> Vec<Diagnostic> {
    let text = if findings.is_empty() { Cow::Borrowed(bytes) } else { text::decode(bytes) };
    findings.iter().map(|finding| Diagnostic::from_finding(finding, &text)).collect()
}

/// Under `--strict` the first warning is the error.
pub(crate) fn strict(reading: &Reading, warnings: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Failure> {
    let mut warnings = warnings.into_iter();
    match warnings.next() {
        Some(error) if reading.strict => Err(Failure { error, warnings: warnings.collect() }),
        first => Ok(first.into_iter().chain(warnings).collect()),
    }
}

/// The bytes of an input; of one that is too large one more than is allowed, which tells the reader.
pub(crate) fn bytes_of(context: &JobContext, input: &Input) -> Result<Vec<u8>, Diagnostic> {
    Ok(context.read(input, Limits::default().bytes as u64)?)
}

/// Whether these are the bytes of a compressed clip.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MOCZ")
}

/// What a flag said when the clip was compressed is what its file says now.
fn as_stated(clip: Clip) -> Clip {
    let mut space = *clip.skeleton().space();
    match &mut space.unit {
        Some(unit) if unit.source == UnitSource::Flag => unit.source = UnitSource::File,
        _ => return clip,
    }
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(Arc::new(skeleton)).expect("the skeleton has as many joints as before")
}

/// Opens a compressed clip, on a skeleton from elsewhere where there is one.
pub(crate) fn open_compressed(
    bytes: &[u8],
    skeleton: Option<&Arc<Skeleton>>,
) -> Result<Compressed, Diagnostic> {
    let limits = mocap_compress::Limits::default();
    let opened = match skeleton {
        Some(skeleton) => Compressed::open_with(bytes, skeleton.clone(), &limits),
        None => Compressed::open(bytes, &limits),
    };
    opened.map_err(|error| {
        let diagnostic = Diagnostic::new(error.code(), error.to_string());
        match error {
            OpenError::SkeletonElsewhere => {
                diagnostic.help("`mocap decompress --skeleton-ref` takes a file that has it")
            }
            _ => diagnostic,
        }
    })
}

/// The format as stated, by the extension, or by the content.
fn format_of(input: &Input, bytes: &[u8], reading: &Reading) -> Result<Format, Diagnostic> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let message = match &input.source {
            Source::Stdin => "nothing came from stdin",
            _ => "the file is empty",
        };
        return Err(Diagnostic::new("text::empty", message));
    }
    let extension = input.path().and_then(Path::extension).and_then(|extension| extension.to_str());
    let stated = reading.from.map(FromFormat::text).transpose()?;
    let known = stated.or_else(|| extension.and_then(Format::from_extension));
    known.or_else(|| Format::detect(bytes)).ok_or_else(|| {
        if extension.is_some_and(|extension| extension.eq_ignore_ascii_case(FromFormat::COMPRESSED)) {
            return Diagnostic::new("mocz::magic", "this is no compressed clip, whatever its name says");
        }
        let names = FromFormat::NAMES.join(", ");
        Diagnostic::new("format::unknown", "neither name nor content say which format this is")
            .help(format!("state it with --from, one of {names}"))
    })
}
