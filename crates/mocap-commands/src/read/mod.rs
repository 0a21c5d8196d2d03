//! Reads an input: bytes → library → diagnostics with their lines in the file.

mod companion;
mod failure;
mod options;

pub(crate) use companion::{robot_of_file, skeleton_of};
pub(crate) use failure::ReadFailure;
pub(crate) use mocap::{is_compressed, known_unit};

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use mocap::{
    ClipChoice, Companions, FileFacts, FileFormat, FilesBeside, Header, MotionFile, PeerAnswers, ReadOptions,
    files_beside,
};
use mocap_batch::{BatchError, Input, JobContext, Source};
use mocap_compress::Compressed;
use mocap_formats::{Document, Finding, Format, Limits, Parsed, ReadError, text};
use mocap_model::{Clip, Markers, Skeleton};

use crate::diagnostic::{Diagnostic, Failure};
use crate::options::Reading;
use crate::verdict;

/// A parsed file. Skeleton and motion are made on demand.
pub(crate) struct Loaded {
    pub(crate) format: FileFormat,
    file: MotionFile,
    warnings: Vec<Diagnostic>,
    /// The chosen clip, if there are several.
    clip: Option<ClipChoice>,
    /// The content, for excerpts in later diagnostics.
    bytes: Arc<Vec<u8>>,
    /// Decisions about it that were made from other inputs (unit, axes).
    peers: PeerAnswers,
}

/// A motion, the warnings about its file, and the size of the file [bytes].
pub(crate) struct Motion {
    pub(crate) clip: Clip,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) bytes: u64,
}

/// Reads and parses an input.
///
/// # Errors
/// Where it cannot be read or parsed, or has a warning and `--strict` is given.
pub(crate) fn load(context: &JobContext, input: &Input, reading: &Reading) -> Result<Loaded, Failure> {
    load_bytes(context, input, motion_bytes(context, input, &ReadOptions::from(reading))?, reading)
}

/// Like [`load`], for bytes that were read before.
pub(crate) fn load_bytes(
    context: &JobContext,
    input: &Input,
    bytes: Vec<u8>,
    reading: &Reading,
) -> Result<Loaded, Failure> {
    Ok(parsed(context, input, bytes, reading)?)
}

/// Like [`load`], with all errors of the file.
pub(crate) fn open(context: &JobContext, input: &Input, reading: &Reading) -> Result<Loaded, ReadFailure> {
    parsed(context, input, motion_bytes(context, input, &ReadOptions::from(reading))?, reading)
}

fn parsed(
    context: &JobContext,
    input: &Input,
    bytes: Vec<u8>,
    reading: &Reading,
) -> Result<Loaded, ReadFailure> {
    let (options, bytes) = (ReadOptions::from(reading), Arc::new(bytes));
    if matches!(input.source, Source::Stdin) && bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Diagnostic::new("text::empty", "stdin is empty").into());
    }
    let format = FileFormat::of_file(input.path(), &bytes, options.format)
        .map_err(|finding| Diagnostic::from_finding(&finding, b""))?;
    let (skeleton, mut warnings) = match format {
        FileFormat::Exchange(exchange) if exchange.skeleton_beside().is_some() => {
            let (skeleton, found) = companion::companion((context, input), reading)
                .map_err(|failure| looks_like(failure, format, &bytes))?;
            (Some(skeleton), found)
        }
        _ => (None, Vec::new()),
    };
    if format == FileFormat::Mocz && reading.skeleton_ref.is_some() {
        let file = MotionFile::of_compressed(&open_compressed_of(&bytes, reading)?);
        return Ok(Loaded { format, file, warnings, clip: None, bytes, peers: PeerAnswers::default() });
    }
    let body = match (format.exchange(), &reading.skeleton) {
        (Some(exchange), Some(path)) if exchange.moves_body() => Some(skeleton_of_file(path)?),
        _ => None,
    };
    let files = match format.exchange() {
        Some(exchange) => {
            let read = |path: &Path, limit: u64| context.read_file(path, limit).map_err(Diagnostic::from);
            let files = files_beside(input.path(), &bytes, exchange, &options.limits, read)?;
            files.map_err(|failed| looks_like(ReadFailure::of(failed, &bytes), format, &bytes))?
        }
        None => FilesBeside::new(),
    };
    match MotionFile::parse_shared(&bytes, format, Companions { skeleton, body, files }, &options) {
        Ok(Parsed { value: file, warnings: found }) => {
            warnings.extend(located(&found, &bytes));
            let clip = input.part.clone().map(ClipChoice);
            let peers = reading.peers.answers(&file, &options);
            Ok(Loaded { format: file.format(), file, warnings, clip, bytes, peers })
        }
        Err(failed) => Err(looks_like(ReadFailure::of(failed, &bytes).behind(warnings), format, &bytes)),
    }
}

/// Adds to the first error which other format the content looks like.
fn looks_like(mut failure: ReadFailure, format: FileFormat, bytes: &[u8]) -> ReadFailure {
    if let Some(other) = FileFormat::detect(bytes).filter(|other| *other != format)
        && let Some(error) = failure.errors.first_mut().filter(|error| error.help.is_none())
    {
        error.help = Some(format!("the content looks like {other}: --from {other} reads it so"));
    }
    failure
}

/// Reads the motion of an input.
///
/// # Errors
/// As [`load`], and where it has no motion.
pub(crate) fn motion(context: &JobContext, input: &Input, reading: &Reading) -> Result<Motion, Failure> {
    load(context, input, reading)?.into_motion(reading)
}

impl Loaded {
    /// The input.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The size of the input [bytes].
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The library options, with the clip that the input names and the decisions from other inputs.
    pub(crate) fn options(&self, reading: &Reading) -> ReadOptions {
        ReadOptions { clip: self.clip.clone(), peers: self.peers, ..ReadOptions::from(reading) }
    }

    /// The names of the clips in the file; empty for formats that hold one.
    pub(crate) fn clip_names(&self) -> Vec<String> {
        self.file.clip_names()
    }

    /// Whether the input is one clip of several, by its name.
    pub(crate) fn is_one_clip(&self) -> bool {
        self.clip.is_some()
    }

    /// The motion that is chosen if there are several.
    pub(crate) fn chosen(&self, reading: &Reading) -> Result<(Clip, Vec<Diagnostic>), Failure> {
        self.checked(self.file.to_clip(&self.options(reading)), reading)
    }

    /// Every motion in the file.
    pub(crate) fn motions(&self, reading: &Reading) -> Result<(Vec<Clip>, Vec<Diagnostic>), Failure> {
        self.checked(self.file.to_clips(&self.options(reading)), reading)
    }

    /// The document as read; `None` for a compressed clip.
    pub(crate) fn document(&self) -> Option<&dyn Document> {
        self.file.document()
    }

    /// The motion of the document; frees document and text.
    pub(crate) fn into_motion(self, reading: &Reading) -> Result<Motion, Failure> {
        let Motion { clip, warnings, bytes } = self.motion(reading)?;
        Ok(Motion { clip, warnings: strict(reading, warnings)?, bytes })
    }

    /// The motion, and for formats that show bodies also the document, whose other contents an output may keep.
    pub(crate) fn into_motion_and_document(
        self,
        reading: &Reading,
    ) -> Result<(Motion, Option<Box<dyn Document>>), Failure> {
        if !self.format.exchange().is_some_and(Format::holds_several_clips) {
            return Ok((self.into_motion(reading)?, None));
        }
        let bytes = self.size();
        let (clip, warnings) = self.chosen(reading)?;
        Ok((Motion { clip, warnings, bytes }, self.into_document()))
    }

    /// Like [`Loaded::into_motion`], with all errors of the file; ignores `--strict`.
    pub(crate) fn motion(self, reading: &Reading) -> Result<Motion, ReadFailure> {
        let size = self.size();
        let options = self.options(reading);
        let Loaded { mut file, mut warnings, bytes, .. } = self;
        let made;
        let text = match file.text().is_some() {
            // The file frees its text as the clip grows, if it is the only one that holds it.
            true => {
                drop(bytes);
                made = file.take_clip(&options);
                file.text().unwrap_or_default()
            }
            false => {
                made = file.into_clip(&options);
                &bytes[..]
            }
        };
        match made {
            Ok(Parsed { value: clip, warnings: found }) => {
                warnings.extend(located(&found, text));
                Ok(Motion { clip, warnings, bytes: size })
            }
            Err(failed) => Err(ReadFailure::of(failed, text).behind(warnings)),
        }
    }

    /// The markers of a recording, with all warnings; `None` for other files.
    pub(crate) fn markers(&self, reading: &Reading) -> Result<Option<(Markers, Vec<Diagnostic>)>, Failure> {
        let markers = self.file.markers(&ReadOptions::from(reading));
        match markers.map_err(|finding| Failure::from(Diagnostic::from(finding)))? {
            Some(markers) => Ok(Some((markers, self.warnings(reading)?))),
            None => Ok(None),
        }
    }

    /// The warnings of the document.
    pub(crate) fn warnings(&self, reading: &Reading) -> Result<Vec<Diagnostic>, Failure> {
        strict(reading, self.warnings.clone())
    }

    /// The skeleton of the document, of any format.
    pub(crate) fn into_skeleton(self, reading: &Reading) -> Result<(Skeleton, Vec<Diagnostic>), Failure> {
        self.header(reading).map(|(header, warnings)| (header.skeleton, warnings))
    }

    /// The facts about the file, with all warnings.
    pub(crate) fn facts(&self, reading: &Reading) -> Result<(FileFacts, Vec<Diagnostic>), Failure> {
        let stated = self.file.stated(&self.options(reading));
        let (header, mut warnings) = self.header(reading)?;
        verdict::warn(&header.verdicts, &mut warnings);
        let clips = self.clip_names();
        Ok((FileFacts { clips, ..FileFacts::new(&header, &stated) }, warnings))
    }

    /// The header (all but rotations), the number of frames, and all warnings.
    pub(crate) fn header_and_frames(
        &self,
        reading: &Reading,
    ) -> Result<(Header, usize, Vec<Diagnostic>), Failure> {
        let (header, warnings) = self.header(reading)?;
        Ok((header, self.file.stated(&self.options(reading)).frames, warnings))
    }

    fn header(&self, reading: &Reading) -> Result<(Header, Vec<Diagnostic>), Failure> {
        self.checked(self.file.header(&self.options(reading)), reading)
    }

    /// A result of the library, with all warnings about the file.
    fn checked<T>(
        &self,
        made: Result<Parsed<T>, ReadError>,
        reading: &Reading,
    ) -> Result<(T, Vec<Diagnostic>), Failure> {
        let mut warnings = self.warnings.clone();
        match made {
            Ok(Parsed { value, warnings: found }) => {
                warnings.extend(located(&found, &self.bytes));
                Ok((value, strict(reading, warnings)?))
            }
            Err(failed) => Err(ReadFailure::of(failed, &self.bytes).behind(warnings).into()),
        }
    }

    /// The document. `None` for a compressed clip.
    pub(crate) fn into_document(self) -> Option<Box<dyn Document>> {
        self.file.into_document()
    }
}

/// Findings about a file as diagnostics, with their lines.
fn located(findings: &[Finding], bytes: &[u8]) -> Vec<Diagnostic> {
    let text = if findings.is_empty() { Cow::Borrowed(bytes) } else { text::decode(bytes) };
    findings.iter().map(|finding| Diagnostic::from_finding(finding, &text)).collect()
}

/// With `--strict`, the first warning becomes the error.
pub(crate) fn strict(reading: &Reading, warnings: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Failure> {
    mocap::strictly(reading.strict, warnings).map_err(|(error, warnings)| Failure { error, warnings })
}

/// The bytes of an input, up to the limit.
pub(crate) fn bytes_of(context: &JobContext, input: &Input, limits: &Limits) -> Result<Vec<u8>, Diagnostic> {
    context.read(input, limits.bytes as u64).map_err(not_read)
}

/// The bytes of a motion file. A file that does not start like one, or whose header exceeds the limits, is
/// rejected before the rest is read.
pub(crate) fn motion_bytes(
    context: &JobContext,
    input: &Input,
    options: &ReadOptions,
) -> Result<Vec<u8>, Diagnostic> {
    let limits = &options.limits;
    let judge = |start: &[u8], size| {
        FileFormat::check_start(input.path(), start, size, options.format, limits)
            .map_err(|finding| NotRead::Judged(Box::new(Diagnostic::from_finding(&finding, start))))
    };
    context.read_checked(input, limits.bytes as u64, judge).map_err(|error| match error {
        NotRead::Judged(error) => *error,
        NotRead::Batch(error) => not_read(error),
    })
}

/// The reason why bytes were not read.
enum NotRead {
    Judged(Box<Diagnostic>),
    Batch(BatchError),
}

impl From<BatchError> for NotRead {
    fn from(error: BatchError) -> NotRead {
        NotRead::Batch(error)
    }
}

fn not_read(error: BatchError) -> Diagnostic {
    let too_large = matches!(error, BatchError::TooLarge { .. });
    let error = Diagnostic::from(error);
    if too_large { error.help("--max-bytes raises the limit") } else { error }
}

/// Opens a compressed clip, with the skeleton of another file if one is given.
pub(crate) fn open_compressed(
    bytes: &[u8],
    skeleton: Option<&Arc<Skeleton>>,
) -> Result<Compressed, Diagnostic> {
    let limits = mocap_compress::OpenLimits::default();
    let opened = match skeleton {
        Some(skeleton) => Compressed::open_with(bytes, skeleton.clone(), &limits),
        None => Compressed::open(bytes, &limits),
    };
    Ok(opened?)
}

/// Opens a compressed clip according to the reading options: with the skeleton of another file if the user
/// names one.
pub(crate) fn open_compressed_of(bytes: &[u8], reading: &Reading) -> Result<Compressed, Diagnostic> {
    let skeleton = reading.skeleton_ref.as_deref().map(skeleton_of_file).transpose()?;
    open_compressed(bytes, skeleton.as_ref())
}

/// The skeleton of a file of any format, or of another compressed clip.
pub(crate) fn skeleton_of_file(path: &Path) -> Result<Arc<Skeleton>, Diagnostic> {
    let (context, input) = (JobContext::standalone(), Input::named(path));
    let defaults = Reading::default();
    let bytes = motion_bytes(&context, &input, &ReadOptions::from(&defaults))?;
    if is_compressed(&bytes) {
        // A clip stores a hash of its skeleton, so the skeleton must match bit by bit.
        let opened = open_compressed(&bytes, None).map_err(|error| error.in_file(path))?;
        return Ok(opened.skeleton().clone());
    }
    let (skeleton, _) = load_bytes(&context, &input, bytes, &defaults)
        .and_then(|file| file.into_skeleton(&defaults))
        .map_err(|failure: Failure| failure.error.in_file(path))?;
    Ok(Arc::new(skeleton))
}

/// A clip with roles, for drawing: turned upright, unless the user states the up axis.
pub(crate) fn upright(clip: Clip, reading: &Reading) -> Clip {
    if reading.input_up.is_some() { clip } else { mocap::upright(clip) }
}
