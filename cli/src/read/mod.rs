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
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use mocap_compress::{CompressError, Compressed};
use mocap_formats::{Finding, Format, Limits, Parsed, bvh, text};
use mocap_model::{Clip, FrameRate, Skeleton, UnitSource};

use crate::args::{FromFormat, Reading};
use crate::batch::{Failure, Input, Source};
use crate::diagnostic::Diagnostic;
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
pub(crate) fn load(input: &Input, reading: &Reading) -> Result<Loaded, Failure> {
    load_bytes(input, bytes_of(input)?, reading)
}

/// As [`load`], of bytes that were read before.
pub(crate) fn load_bytes(input: &Input, bytes: Vec<u8>, reading: &Reading) -> Result<Loaded, Failure> {
    Ok(parsed(input, bytes, reading)?)
}

/// As [`load`], with everything that is wrong with the file.
pub(crate) fn open(input: &Input, reading: &Reading) -> Result<Loaded, Trouble> {
    parsed(input, bytes_of(input)?, reading)
}

fn parsed(input: &Input, bytes: Vec<u8>, reading: &Reading) -> Result<Loaded, Trouble> {
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
    let (document, warnings) = document::parse(format, &bytes, input, reading)
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
pub(crate) fn motion(input: &Input, reading: &Reading) -> Result<Motion, Failure> {
    load(input, reading)?.into_motion(reading)
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

pub(crate) fn bytes_of(input: &Input) -> Result<Vec<u8>, Diagnostic> {
    let limit = Limits::default().bytes as u64;
    match &input.source {
        Source::Stdin => {
            let mut bytes = Vec::new();
            // One more than allowed, so that the reader can tell.
            std::io::stdin()
                .lock()
                .take(limit + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| Diagnostic::new("io::error", format!("cannot read stdin: {error}")))?;
            Ok(bytes)
        }
        Source::File(path) => {
            let bytes = file_bytes(path)?;
            input.attempt.read(path, &bytes);
            input.attempt.check()?;
            Ok(bytes)
        }
        Source::Unreadable(_, trouble) => Err(trouble.as_ref().clone()),
    }
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
    let limits = mocap_compress::OpenLimits::default();
    let opened = match skeleton {
        Some(skeleton) => Compressed::open_with(bytes, skeleton.clone(), &limits),
        None => Compressed::open(bytes, &limits),
    };
    opened.map_err(|error| {
        let diagnostic = Diagnostic::new(error.code(), error.to_string());
        match error {
            CompressError::SkeletonElsewhere => {
                diagnostic.help("`mocap decompress --skeleton-ref` takes a file that has it")
            }
            _ => diagnostic,
        }
    })
}

/// The bytes of a file no larger than the limit.
pub(crate) fn file_bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    bytes_within(path, Limits::default().bytes as u64)
}

/// The whole of a file that is no larger than `limit` bytes.
///
/// # Errors
/// Where it cannot be read, or is larger, as a device may be without end.
pub(crate) fn small_file(path: &Path, limit: u64) -> Result<Vec<u8>, Diagnostic> {
    let bytes = bytes_within(path, limit)?;
    if bytes.len() as u64 > limit {
        let message =
            format!("'{}' is larger than the {} MB that are read of it", path.display(), limit >> 20);
        return Err(Diagnostic::new("io::too-large", message));
    }
    Ok(bytes)
}

/// The bytes of a file, and one more than `limit` where it has more, so that the reader can tell.
fn bytes_within(path: &Path, limit: u64) -> Result<Vec<u8>, Diagnostic> {
    let failed = |error: std::io::Error| Diagnostic::io("read", path, &error);
    let file = std::fs::File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    // A size that a device or a lying file system states is not trusted: reading stops behind the limit.
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
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
